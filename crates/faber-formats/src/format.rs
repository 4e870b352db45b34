//! Recognizes files of other tools by their paths.

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use faber_core::category::{Category, Load};
use faber_core::select::globs;

faber_core::named_enum! {
    /// The tool of a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Format {
        /// `AGENTS.md`, which many tools read
        AgentsMd = "agents-md",
        /// Claude Code: `CLAUDE.md`, `.claude/rules`, `.claude/agents`
        Claude = "claude",
        /// Agent Skills: folders with a `SKILL.md`
        Skills = "skills",
        /// Cursor: `.cursor/rules`, `.cursorrules`
        Cursor = "cursor",
        /// GitHub Copilot: `.github/instructions`, `.github/copilot-instructions.md`
        Copilot = "copilot",
        /// Continue: `.continue/rules`
        Continue = "continue",
        /// Cline: `.clinerules`
        Cline = "cline",
        /// `OpenHands`: `.openhands/microagents`, `.openhands/skills`
        #[serde(rename = "openhands")]
        OpenHands = "openhands",
    }
}

/// The kind of file, which decides the meaning of its front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// `AGENTS.md`, for its folder.
    AgentsMd,
    ClaudeMd,
    ClaudeRule,
    ClaudeAgent,
    Skill,
    CursorRule,
    /// `.cursorrules`, the older format of Cursor.
    CursorRules,
    CopilotRule,
    CopilotMain,
    ContinueRule,
    /// A file of `.clinerules`, or that itself.
    ClineRule,
    Microagent,
}

/// A file recognized by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognized {
    pub kind: SourceKind,
    /// The folder that it applies to, from the base; empty for everything.
    pub scope: Utf8PathBuf,
    /// Its name, apart from its content.
    pub name: String,
}

/// The loading conditions in front matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Says {
    /// `alwaysApply`, if present.
    pub always: Option<bool>,
    /// Whether there are globs.
    pub globs: bool,
    /// Whether the list of globs is present and empty.
    pub no_globs: bool,
    /// Whether there are trigger words.
    pub words: bool,
}

impl SourceKind {
    pub fn format(self) -> Format {
        match self {
            Self::AgentsMd => Format::AgentsMd,
            Self::ClaudeMd | Self::ClaudeRule | Self::ClaudeAgent => Format::Claude,
            Self::Skill => Format::Skills,
            Self::CursorRule | Self::CursorRules => Format::Cursor,
            Self::CopilotRule | Self::CopilotMain => Format::Copilot,
            Self::ContinueRule => Format::Continue,
            Self::ClineRule => Format::Cline,
            Self::Microagent => Format::OpenHands,
        }
    }

    /// The category of the imported context: standards for rules, specialists for agents, playbooks
    /// for skills.
    pub fn category(self, says: Says) -> Category {
        match self {
            Self::ClaudeAgent => Category::Specialist,
            Self::Microagent if says.words => Category::Specialist,
            Self::Skill => Category::Playbook,
            _ => Category::Standard,
        }
    }

    /// When its tool loads it. Files that an agent chooses by description are on demand.
    pub fn load(self, says: Says) -> Load {
        let by_globs = |otherwise| if says.globs { Load::Files } else { otherwise };
        match self {
            Self::CursorRule if says.always == Some(true) => Load::Always,
            Self::CursorRule | Self::CopilotRule | Self::Skill | Self::ClaudeAgent => {
                by_globs(Load::OnDemand)
            }
            // https://docs.continue.dev/customize/deep-dives/rules: without `alwaysApply`, a rule
            // without globs is always included.
            Self::ContinueRule => match says.always {
                Some(true) => Load::Always,
                Some(false) => by_globs(Load::OnDemand),
                None => by_globs(Load::Always),
            },
            // https://docs.cline.bot/features/cline-rules/conditional-rules: an empty list never
            // matches.
            Self::ClineRule if says.no_globs => Load::Never,
            Self::ClaudeRule | Self::ClineRule => by_globs(Load::Always),
            Self::Microagent if says.words => Load::Keyword,
            Self::Microagent
            | Self::AgentsMd
            | Self::ClaudeMd
            | Self::CursorRules
            | Self::CopilotMain => Load::Always,
        }
    }

    /// Whether `@path` in its text imports another file.
    pub fn imports(self) -> bool {
        matches!(self, Self::ClaudeMd | Self::ClaudeRule)
    }

    /// Whether several contexts may be in one file.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::AgentsMd | Self::ClaudeMd | Self::CopilotMain | Self::CursorRules)
    }
}

/// Folders of rules with their kind and file endings.
const FOLDERS: [(&str, SourceKind, &[&str]); 8] = [
    (".claude/rules", SourceKind::ClaudeRule, &[".md"]),
    (".claude/agents", SourceKind::ClaudeAgent, &[".md"]),
    (".cursor/rules", SourceKind::CursorRule, &[".mdc", ".md"]),
    (".github/instructions", SourceKind::CopilotRule, &[".instructions.md"]),
    (".continue/rules", SourceKind::ContinueRule, &[".md"]),
    (".openhands/microagents", SourceKind::Microagent, &[".md"]),
    (".openhands/skills", SourceKind::Microagent, &[".md"]),
    (".clinerules", SourceKind::ClineRule, &[".md", ".txt"]),
];

/// Single files by name, with the name of the context.
const FILES: [(&str, SourceKind, &str); 9] = [
    ("AGENTS.md", SourceKind::AgentsMd, "agents"),
    ("AGENTS.override.md", SourceKind::AgentsMd, "agents-override"),
    ("CLAUDE.md", SourceKind::ClaudeMd, "claude"),
    ("CLAUDE.local.md", SourceKind::ClaudeMd, "claude-local"),
    (".cursorrules", SourceKind::CursorRules, "cursorrules"),
    (".github/copilot-instructions.md", SourceKind::CopilotMain, "copilot-instructions"),
    (".continuerules", SourceKind::ContinueRule, "continuerules"),
    (".clinerules", SourceKind::ClineRule, "clinerules"),
    (".claude/CLAUDE.md", SourceKind::ClaudeMd, "claude"),
];

/// Recognizes the file at `path` by its path alone. Paths are separated by `/`.
pub fn recognize(path: &Utf8Path) -> Option<Recognized> {
    let text = path.as_str();
    let ends = |name: &str| {
        let before = text.strip_suffix(name)?;
        (before.is_empty() || before.ends_with('/')).then(|| before.trim_end_matches('/'))
    };
    // The longest name first: `.claude/CLAUDE.md` is not the `CLAUDE.md` of a folder `.claude`.
    let file = FILES.iter().rev().find_map(|&(file, kind, name)| {
        let scope = ends(file)?;
        let name = if scope.is_empty() { name.to_owned() } else { format!("{name}-{scope}") };
        Some(Recognized { kind, scope: scope.into(), name: slug(&name) })
    });
    if file.is_some() {
        return file;
    }
    if let Some(folder) = ends("SKILL.md") {
        let name = Utf8Path::new(folder).file_name().unwrap_or("skill");
        return Some(Recognized {
            kind: SourceKind::Skill,
            scope: skill_scope(folder),
            name: slug(name),
        });
    }
    let in_folder = FOLDERS.iter().find_map(|&(folder, kind, endings)| {
        let at = find_folder(text, folder)?;
        let below = &text[at + folder.len() + 1..];
        let stem = endings.iter().find_map(|ending| below.strip_suffix(ending))?;
        let is_other = kind == SourceKind::ClineRule
            && ["workflows/", "hooks/", "skills/"].iter().any(|other| below.starts_with(other));
        if stem.is_empty() || is_other {
            return None;
        }
        let scope = text[..at].trim_end_matches('/');
        let name = if scope.is_empty() { stem.to_owned() } else { format!("{scope}-{stem}") };
        Some(Recognized { kind, scope: scope.into(), name: slug(&name) })
    });
    in_folder.or_else(|| {
        let name = path.file_name()?;
        let (kind, stem) = match name.strip_suffix(".instructions.md") {
            Some(stem) => (SourceKind::CopilotRule, stem),
            None => (SourceKind::CursorRule, name.strip_suffix(".mdc")?),
        };
        let named = Recognized { kind, scope: Utf8PathBuf::new(), name: slug(stem) };
        (!stem.is_empty()).then_some(named)
    })
}

/// A Markdown file of unknown path that the user declared to be of `format`.
pub fn declared(format: Format, path: &Utf8Path) -> Option<Recognized> {
    let name = path.file_name()?;
    let stem =
        [".instructions.md", ".mdc", ".md", ".txt"].iter().find_map(|it| name.strip_suffix(it));
    let kind = match format {
        Format::AgentsMd => SourceKind::AgentsMd,
        Format::Claude => SourceKind::ClaudeRule,
        Format::Skills => SourceKind::Skill,
        Format::Cursor => SourceKind::CursorRule,
        Format::Copilot => SourceKind::CopilotRule,
        Format::Continue => SourceKind::ContinueRule,
        Format::Cline => SourceKind::ClineRule,
        Format::OpenHands => SourceKind::Microagent,
    };
    let name = slug(stem.filter(|stem| !stem.is_empty())?);
    Some(Recognized { kind, scope: Utf8PathBuf::new(), name })
}

/// The position of `folder` in `path` as complete components with something below it.
fn find_folder(path: &str, folder: &str) -> Option<usize> {
    path.match_indices(folder).map(|(at, _)| at).find(|&at| {
        let begins = at == 0 || path[..at].ends_with('/');
        begins && path[at + folder.len()..].starts_with('/')
    })
}

/// The folder that a skill applies to: the one with `.claude/skills` or the like.
fn skill_scope(folder: &str) -> Utf8PathBuf {
    let homes = [".claude/skills", ".agents/skills", ".github/skills", ".cursor/skills"];
    let at = homes.iter().find_map(|home| find_folder(folder, home));
    at.map_or_else(Utf8PathBuf::new, |at| folder[..at].trim_end_matches('/').into())
}

/// A name for ids, paths and references: everything but letters, digits, `-`, `_` and `.` becomes a
/// hyphen. Never empty.
pub fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() || matches!(c, '_' | '.') {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_matches(['-', '.']);
    if out.is_empty() { "rule".to_owned() } else { out.to_owned() }
}

/// A `glob` relative to `scope`, made relative to the root.
pub fn scoped(glob: &str, scope: &Utf8Path) -> String {
    if scope.as_str().is_empty() {
        return glob.to_owned();
    }
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    // A comma would separate two globs, and cannot be escaped.
    let scope = globset::escape(scope.as_str()).replace(',', "?");
    if globs::matches_everything(glob) {
        format!("{scope}/**")
    } else if glob.contains('/') {
        format!("{scope}/{glob}")
    } else {
        format!("{scope}/**/{glob}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_where_they_lie() {
        use SourceKind::{
            AgentsMd, ClaudeAgent, ClaudeMd, ClaudeRule, ClineRule, ContinueRule, CopilotMain,
            CopilotRule, CursorRule, CursorRules, Microagent, Skill,
        };
        for (path, kind, scope, name) in [
            ("AGENTS.md", AgentsMd, "", "agents"),
            ("packages/web/AGENTS.md", AgentsMd, "packages/web", "agents-packages-web"),
            ("AGENTS.override.md", AgentsMd, "", "agents-override"),
            ("CLAUDE.md", ClaudeMd, "", "claude"),
            (".claude/CLAUDE.md", ClaudeMd, "", "claude"),
            ("api/.claude/CLAUDE.md", ClaudeMd, "api", "claude-api"),
            (".claude/rules/db/sql.md", ClaudeRule, "", "db-sql"),
            (".claude/agents/reviewer.md", ClaudeAgent, "", "reviewer"),
            (".claude/skills/pdf/SKILL.md", Skill, "", "pdf"),
            ("web/.agents/skills/pdf/SKILL.md", Skill, "web", "pdf"),
            ("pdf/SKILL.md", Skill, "", "pdf"),
            (".cursor/rules/ui/react.mdc", CursorRule, "", "ui-react"),
            ("web/.cursor/rules/x.mdc", CursorRule, "web", "web-x"),
            ("rules/c# style.mdc", CursorRule, "", "c-style"),
            (".cursorrules", CursorRules, "", "cursorrules"),
            (".github/instructions/a.b.instructions.md", CopilotRule, "", "a.b"),
            ("x/y.instructions.md", CopilotRule, "", "y"),
            (".github/copilot-instructions.md", CopilotMain, "", "copilot-instructions"),
            (".continue/rules/01-a.md", ContinueRule, "", "01-a"),
            (".clinerules", ClineRule, "", "clinerules"),
            (".clinerules/testing.md", ClineRule, "", "testing"),
            (".openhands/microagents/repo.md", Microagent, "", "repo"),
        ] {
            let expected = Recognized { kind, scope: scope.into(), name: name.to_owned() };
            assert_eq!(recognize(path.into()), Some(expected), "{path}");
        }
        for path in [
            "README.md",
            "docs/MYAGENTS.md",
            ".cursor/rules/x.txt",
            ".clinerules/workflows/a.md",
            "x.claude/rules/a.md",
            ".mdc",
        ] {
            assert_eq!(recognize(path.into()), None, "{path}");
        }
        assert!(Format::ALL.iter().all(
            |&(name, format)| format.name() == name && Format::from_name(name) == Some(format)
        ));
    }

    #[test]
    fn globs_of_a_folder_count_from_above() {
        let scope = Utf8Path::new("web");
        for (glob, expected) in [
            ("**", "web/**"),
            ("*.ts", "web/**/*.ts"),
            ("src/*.ts", "web/src/*.ts"),
            ("/a/b", "web/a/b"),
        ] {
            assert_eq!(scoped(glob, scope), expected);
        }
        assert_eq!(scoped("*.ts", Utf8Path::new("")), "*.ts");
        assert_eq!(scoped("**", Utf8Path::new("app/[id], x")), "app/[[]id[]]? x/**");
    }
}
