use camino::{Utf8Path, Utf8PathBuf};

use faber_tools::hook::event::EventKind;

faber_core::named_enum! {
    pub enum Client {
        /// Claude Code
        Claude = "claude",
        /// `OpenAI` Codex CLI
        Codex = "codex",
        /// Cursor
        Cursor = "cursor",
        /// GitHub Copilot CLI
        Copilot = "copilot",
        /// Gemini CLI
        Gemini = "gemini",
        /// The agent of Visual Studio Code, which reads the files of Claude Code and Copilot
        VsCode = "vscode",
        /// opencode
        Opencode = "opencode",
    }
}

faber_core::named_enum! {
    pub enum HookScope {
        /// Everyone who works in the project
        Project = "project",
        /// You, in all projects
        User = "user",
        /// You, in this project
        Local = "local",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileShape {
    Groups,
    NamedGroups,
    Handlers,
    ShellHandlers,
    Plugin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerShape {
    Nothing,
    /// `hookSpecificOutput.additionalContext`, with the event name.
    HookSpecific,
    AdditionalContext,
    SnakeCase,
    /// `additional_context` and `continue: true`.
    SnakeCaseContinue,
    ModifiedPrompt,
}

#[derive(Clone, Copy, Debug)]
pub struct EventRow {
    pub name: &'static str,
    pub kind: EventKind,
    pub answer: AnswerShape,
    pub is_default: bool,
    pub matcher: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub enum HomeVariable {
    Home(&'static str),
    Folder(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct ClientRow {
    pub client: Client,
    pub title: &'static str,
    pub events: &'static [EventRow],
    pub shape: FileShape,
    /// Relative to project or home.
    pub files: &'static [(HookScope, &'static str)],
    pub home: Option<HomeVariable>,
    /// Always loaded; a folder of rules ends with `/`.
    pub loads: &'static [&'static str],
    pub mcp: Option<&'static str>,
    pub escapes_tags: bool,
    pub names_events: bool,
    pub lead: &'static str,
    pub trust: &'static str,
}

const WITH_PROMPT: &str = "Reference for this prompt: context of the project, selected by faber.";
/// Codex puts contexts last: models answered them instead of the prompt.
const AFTER_PROMPT: &str =
    "Reference for the request above: context of the project, selected by faber.";

const fn row(name: &'static str, kind: EventKind, answer: AnswerShape) -> EventRow {
    EventRow { name, kind, answer, is_default: true, matcher: None }
}

impl EventRow {
    const fn optional(self) -> Self {
        Self { is_default: false, ..self }
    }

    const fn of(self, tools: &'static str) -> Self {
        Self { matcher: Some(tools), ..self }
    }
}

use AnswerShape::{
    AdditionalContext, HookSpecific, ModifiedPrompt, Nothing, SnakeCase, SnakeCaseContinue,
};
use EventKind::{
    BeforeTool, Compaction, Instructions, Prompt, SessionEnd, SessionStart, Tool, ToolFailure,
};

pub const CLIENTS: [ClientRow; Client::ALL.len()] = [
    // https://code.claude.com/docs/en/hooks
    ClientRow {
        client: Client::Claude,
        title: "Claude Code",
        events: &[
            row("SessionStart", SessionStart, HookSpecific),
            row("UserPromptSubmit", Prompt, HookSpecific),
            row("PreToolUse", BeforeTool, HookSpecific)
                .of("Edit|MultiEdit|Write|NotebookEdit")
                .optional(),
            row("PostToolUse", Tool, HookSpecific).of("Read|Edit|MultiEdit|Write|NotebookEdit"),
            row("PostToolUseFailure", ToolFailure, HookSpecific),
            row("InstructionsLoaded", Instructions, Nothing),
            row("PreCompact", Compaction, Nothing).optional(),
            row("SessionEnd", SessionEnd, Nothing).optional(),
        ],
        shape: FileShape::Groups,
        files: &[
            (HookScope::Project, ".claude/settings.json"),
            (HookScope::User, ".claude/settings.json"),
            (HookScope::Local, ".claude/settings.local.json"),
        ],
        home: Some(HomeVariable::Folder("CLAUDE_CONFIG_DIR")),
        loads: &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules/"],
        mcp: Some(".mcp.json"),
        escapes_tags: false,
        names_events: false,
        lead: WITH_PROMPT,
        trust: "Claude Code runs the hooks of a project after you trust its folder; `/hooks` lists them.",
    },
    // https://developers.openai.com/codex/hooks
    ClientRow {
        client: Client::Codex,
        title: "Codex",
        events: &[
            row("SessionStart", SessionStart, HookSpecific),
            row("UserPromptSubmit", Prompt, HookSpecific),
            row("PreToolUse", BeforeTool, HookSpecific).of("apply_patch").optional(),
            row("PostToolUse", Tool, HookSpecific).of("apply_patch"),
            row("PreCompact", Compaction, Nothing).optional(),
            row("SessionEnd", SessionEnd, Nothing).optional(),
        ],
        shape: FileShape::Groups,
        files: &[(HookScope::Project, ".codex/hooks.json"), (HookScope::User, ".codex/hooks.json")],
        home: Some(HomeVariable::Folder("CODEX_HOME")),
        loads: &["AGENTS.md", "AGENTS.override.md"],
        mcp: None,
        escapes_tags: false,
        names_events: false,
        lead: AFTER_PROMPT,
        trust: "Codex runs new and changed hooks after you review them with `/hooks`.",
    },
    // https://cursor.com/docs/hooks
    ClientRow {
        client: Client::Cursor,
        title: "Cursor",
        events: &[
            row("sessionStart", SessionStart, SnakeCase),
            row("beforeSubmitPrompt", Prompt, SnakeCaseContinue),
            row("preToolUse", BeforeTool, SnakeCase).of("Write").optional(),
            row("postToolUse", Tool, SnakeCase).of("Read|Write"),
            row("postToolUseFailure", ToolFailure, SnakeCase),
            row("preCompact", Compaction, Nothing),
            row("sessionEnd", SessionEnd, Nothing).optional(),
        ],
        shape: FileShape::Handlers,
        files: &[
            (HookScope::Project, ".cursor/hooks.json"),
            (HookScope::User, ".cursor/hooks.json"),
        ],
        home: None,
        loads: &["AGENTS.md", ".cursorrules", ".cursor/rules/"],
        mcp: Some(".cursor/mcp.json"),
        escapes_tags: false,
        names_events: false,
        lead: WITH_PROMPT,
        trust: "Cursor runs the hooks of a project after you trust the workspace.",
    },
    // https://docs.github.com/en/copilot/reference/hooks-reference
    ClientRow {
        client: Client::Copilot,
        title: "GitHub Copilot CLI",
        events: &[
            row("sessionStart", SessionStart, AdditionalContext),
            row("userPromptTransformed", Prompt, ModifiedPrompt),
            row("userPromptSubmitted", Prompt, Nothing).optional(),
            row("preToolUse", Tool, Nothing).optional(),
            row("postToolUse", Tool, AdditionalContext),
            row("postToolUseFailure", ToolFailure, AdditionalContext),
            row("preCompact", Compaction, Nothing),
            row("sessionEnd", SessionEnd, Nothing).optional(),
        ],
        shape: FileShape::ShellHandlers,
        files: &[
            (HookScope::Project, ".github/hooks/faber.json"),
            (HookScope::User, ".copilot/hooks/faber.json"),
        ],
        home: Some(HomeVariable::Folder("COPILOT_HOME")),
        loads: &["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"],
        mcp: Some(".mcp.json"),
        escapes_tags: false,
        names_events: true,
        lead: AFTER_PROMPT,
        trust: "Copilot runs the hooks of a repository after you trust its folder.",
    },
    // https://geminicli.com/docs/hooks/reference
    ClientRow {
        client: Client::Gemini,
        title: "Gemini CLI",
        events: &[
            row("SessionStart", SessionStart, HookSpecific),
            row("BeforeAgent", Prompt, HookSpecific),
            row("BeforeTool", Tool, Nothing).optional(),
            row("AfterTool", Tool, HookSpecific).of("read_file|read_many_files|write_file|replace"),
            row("PreCompress", Compaction, Nothing).of("manual"),
            row("SessionEnd", SessionEnd, Nothing).optional(),
        ],
        shape: FileShape::NamedGroups,
        files: &[
            (HookScope::Project, ".gemini/settings.json"),
            (HookScope::User, ".gemini/settings.json"),
        ],
        home: Some(HomeVariable::Home("GEMINI_CLI_HOME")),
        loads: &["GEMINI.md"],
        mcp: Some(".gemini/settings.json"),
        escapes_tags: true,
        names_events: false,
        lead: AFTER_PROMPT,
        trust: "Gemini CLI runs the hooks of a project in trusted folders, and warns of new ones.",
    },
    // https://code.visualstudio.com/docs/copilot/customization/hooks
    ClientRow {
        client: Client::VsCode,
        title: "Visual Studio Code",
        events: &[
            row("SessionStart", SessionStart, HookSpecific),
            row("UserPromptSubmit", Prompt, Nothing),
            row("PreToolUse", BeforeTool, HookSpecific),
            row("PostToolUse", Tool, HookSpecific),
            row("PreCompact", Compaction, Nothing),
        ],
        shape: FileShape::Handlers,
        files: &[],
        home: None,
        loads: &["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"],
        mcp: Some(".vscode/mcp.json"),
        escapes_tags: false,
        names_events: false,
        lead: WITH_PROMPT,
        trust: "Visual Studio Code runs the hooks of trusted workspaces.",
    },
    // https://opencode.ai/docs/plugins
    ClientRow {
        client: Client::Opencode,
        title: "opencode",
        events: &[
            row("session.created", SessionStart, AdditionalContext),
            row("chat.message", Prompt, AdditionalContext),
            row("tool.execute.after", Tool, AdditionalContext),
            row("session.compacted", Compaction, Nothing),
        ],
        shape: FileShape::Plugin,
        files: &[
            (HookScope::Project, ".opencode/plugins/faber.ts"),
            (HookScope::User, ".config/opencode/plugins/faber.ts"),
        ],
        home: Some(HomeVariable::Folder("XDG_CONFIG_HOME")),
        loads: &["AGENTS.md"],
        mcp: Some("opencode.json"),
        escapes_tags: false,
        names_events: false,
        lead: AFTER_PROMPT,
        trust: "opencode loads the plugin when it starts.",
    },
];

impl Client {
    pub fn row(self) -> &'static ClientRow {
        &CLIENTS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::from_name(if word == "claude-code" { "claude" } else { word })
    }
}

impl ClientRow {
    pub fn event(&self, name: &str) -> Option<&'static EventRow> {
        self.events.iter().find(|event| event.name == name)
    }

    pub fn file(&self, scope: HookScope) -> Option<&'static str> {
        self.files.iter().find(|(of, _)| *of == scope).map(|(_, path)| *path)
    }

    pub fn user_file(
        &self,
        home: Option<&Utf8Path>,
        var: impl Fn(&str) -> Option<Utf8PathBuf>,
    ) -> Option<(Utf8PathBuf, &'static str)> {
        let path = self.file(HookScope::User)?;
        let moved = match self.home {
            Some(HomeVariable::Home(name)) => var(name).map(|folder| (folder, path)),
            Some(HomeVariable::Folder(name)) => {
                var(name).zip(path.split_once('/').map(|(_, rest)| rest))
            }
            None => None,
        };
        moved.or_else(|| Some((home?.to_owned(), path)))
    }

    pub fn chars(&self) -> fn(&str) -> usize {
        if self.escapes_tags { escaped_tags } else { escaped }
    }
}

/// Bytes of JSON.
fn escaped(text: &str) -> usize {
    let size = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(size).sum()
}

/// The client writes angle brackets as `&lt;` and `&gt;`.
fn escaped_tags(text: &str) -> usize {
    let tags = text.bytes().filter(|byte| matches!(byte, b'<' | b'>')).count();
    escaped(text) + 3 * tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_events_are_there_once() {
        for ((name, client), row) in Client::ALL.into_iter().zip(CLIENTS) {
            assert_eq!((row.client, Client::parse(name)), (client, Some(client)));
            for (at, event) in row.events.iter().enumerate() {
                assert!(row.events[..at].iter().all(|other| other.name != event.name));
            }
        }
        assert_eq!(Client::parse("claude-code"), Some(Client::Claude));
    }

    #[test]
    fn each_client_can_be_configured() {
        let schema = faber_core::config::json_schema();
        let clients = &schema["properties"]["hook"]["properties"]["clients"]["properties"];
        let names = clients.as_object().unwrap().keys().map(String::as_str);
        let mut known = Client::NAMES;
        known.sort_unstable();
        assert_eq!(names.collect::<std::collections::BTreeSet<_>>(), known.into());
    }

    #[test]
    fn sizes_are_those_of_json() {
        for text in ["", "a\"b\\c\n\t\r", "é😀\u{1}\u{8}\u{c}\u{7f}", "</a>"] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(escaped(text) + 2, json.len(), "{text:?}");
        }
        assert_eq!(escaped_tags("<a>"), "&lt;a&gt;".len());
    }
}
