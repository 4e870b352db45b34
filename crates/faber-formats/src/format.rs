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
        /// Claude Code: `CLAUDE.md`, and rules, agents and commands of `.claude` and of plugins
        Claude = "claude",
        /// Agent Skills: folders with a `SKILL.md`
        Skills = "skills",
        /// Cursor: `.cursor/rules`, `.cursorrules`, `.cursor/agents`, `.cursor/commands`
        Cursor = "cursor",
        /// GitHub Copilot: instructions, agents, prompts and chat modes of `.github`
        Copilot = "copilot",
        /// Continue: `.continue/rules`
        Continue = "continue",
        /// Cline: `.clinerules`
        Cline = "cline",
        /// `OpenHands`: `.openhands/microagents`, `.openhands/skills`
        #[serde(rename = "openhands")]
        OpenHands = "openhands",
        /// Gemini CLI: `GEMINI.md`, `.gemini/agents`
        Gemini = "gemini",
        /// Kiro: `.kiro/steering`, `.kiro/agents`, `.kiro/prompts`
        Kiro = "kiro",
        /// Windsurf and Devin: `.windsurf/rules`, `.devin/rules`, `.windsurf/workflows`
        Windsurf = "windsurf",
        /// Roo Code: `.roo/rules`, `.roo/commands`, `.roorules`
        Roo = "roo",
        /// Junie: `.junie/guidelines.md`, `.junie/AGENTS.md`
        Junie = "junie",
        /// Amazon Q Developer: `.amazonq/rules`
        AmazonQ = "amazonq",
        /// Zed: `.rules`
        Zed = "zed",
        /// Goose: `.goosehints`
        Goose = "goose",
        /// Documents without rules for loading
        Markdown = "markdown",
    }
}

/// The kind of file, which decides the meaning of its front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A file for its folder that may have several contexts, such as `AGENTS.md`.
    Shared,
    /// The same, with imports of Claude Code.
    ClaudeMd,
    ClaudeRule,
    /// A specialist, loaded by its description.
    Agent,
    /// A procedure that a user calls by its name.
    Command,
    Skill,
    CursorRule,
    CopilotRule,
    ContinueRule,
    /// A file of `.clinerules`, or that itself.
    ClineRule,
    Microagent,
    /// A rule whose front matter says `inclusion`.
    KiroRule,
    /// A rule whose front matter says `trigger`.
    WindsurfRule,
    /// A rule without front matter.
    Always,
    /// A rule for a mode that the user chooses.
    Manual,
    /// A document, of a category or of that which its title suggests.
    Document(Option<Category>),
}

/// A file recognized by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognized {
    pub format: Format,
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
    /// What a document is about.
    pub topic: Option<Category>,
    /// What `inclusion` or `trigger` says, if it is known.
    pub mode: Option<Load>,
}

impl SourceKind {
    /// The category of the imported context: standards for rules, specialists for agents, playbooks
    /// for skills and commands.
    pub fn category(self, says: Says) -> Category {
        match self {
            Self::Agent => Category::Specialist,
            Self::Microagent if says.words => Category::Specialist,
            Self::Skill | Self::Command => Category::Playbook,
            Self::Document(category) => category.or(says.topic).unwrap_or(Category::Reference),
            _ => Category::Standard,
        }
    }

    /// When its tool loads it. Files that an agent chooses by description are on demand.
    pub fn load(self, says: Says) -> Load {
        let by_globs = |otherwise| if says.globs { Load::Files } else { otherwise };
        match self {
            Self::CursorRule if says.always == Some(true) => Load::Always,
            Self::Skill | Self::Microagent if says.words => Load::Keyword,
            Self::Agent | Self::Command | Self::Manual => Load::OnDemand,
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
            Self::ClaudeRule | Self::ClineRule | Self::Document(Some(Category::Standard)) => {
                by_globs(Load::Always)
            }
            // https://kiro.dev/docs/steering: always without `inclusion`.
            Self::KiroRule => says.mode.unwrap_or(Load::Always),
            // https://docs.windsurf.com/windsurf/cascade/memories: without `trigger`, by globs or by
            // the description, else only when the user mentions it.
            Self::WindsurfRule => says.mode.unwrap_or(by_globs(Load::OnDemand)),
            Self::CursorRule | Self::CopilotRule | Self::Skill | Self::Document(_) => {
                by_globs(Load::OnDemand)
            }
            Self::Microagent | Self::Shared | Self::ClaudeMd | Self::Always => Load::Always,
        }
    }

    /// What a word in the front matter says about loading; `None` for an unknown one.
    pub fn mode(self, word: &str) -> Option<Load> {
        let modes: &[(&str, Load)] = match self {
            Self::KiroRule => &[
                ("always", Load::Always),
                ("fileMatch", Load::Files),
                ("manual", Load::OnDemand),
                ("auto", Load::OnDemand),
            ],
            Self::WindsurfRule => &[
                ("always_on", Load::Always),
                ("glob", Load::Files),
                ("model_decision", Load::OnDemand),
                ("agent", Load::OnDemand),
                ("manual", Load::OnDemand),
            ],
            _ => &[],
        };
        modes.iter().find(|(known, _)| *known == word).map(|(_, load)| *load)
    }

    /// The keys of front matter with its mode and with its globs, apart from those of all formats.
    pub fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::KiroRule => &["inclusion", "fileMatchPattern"],
            Self::WindsurfRule => &["trigger"],
            _ => &[],
        }
    }

    /// Whether `@path` in its text imports another file.
    pub fn imports(self) -> bool {
        matches!(self, Self::ClaudeMd | Self::ClaudeRule)
    }

    /// Whether several contexts may be in one file.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Shared | Self::ClaudeMd)
    }
}

/// Folders of a tool: path, format, kind, file endings. Of two that match, the first counts.
const FOLDERS: [(&str, Format, SourceKind, &[&str]); 26] = [
    (".claude/rules", Format::Claude, SourceKind::ClaudeRule, &[".md"]),
    (".claude/agents", Format::Claude, SourceKind::Agent, &[".md"]),
    (".claude/commands", Format::Claude, SourceKind::Command, &[".md"]),
    (".cursor/rules", Format::Cursor, SourceKind::CursorRule, &[".mdc", ".md"]),
    (".cursor/agents", Format::Cursor, SourceKind::Agent, &[".md"]),
    (".cursor/commands", Format::Cursor, SourceKind::Command, &[".md"]),
    (".github/instructions", Format::Copilot, SourceKind::CopilotRule, &[".instructions.md"]),
    (".github/agents", Format::Copilot, SourceKind::Agent, &[".agent.md", ".md"]),
    (".github/chatmodes", Format::Copilot, SourceKind::Agent, &[".chatmode.md"]),
    (".github/prompts", Format::Copilot, SourceKind::Command, &[".prompt.md"]),
    (".continue/rules", Format::Continue, SourceKind::ContinueRule, &[".md"]),
    (".openhands/microagents", Format::OpenHands, SourceKind::Microagent, &[".md"]),
    (".openhands/skills", Format::OpenHands, SourceKind::Microagent, &[".md"]),
    (".clinerules", Format::Cline, SourceKind::ClineRule, &[".md", ".txt"]),
    (".gemini/agents", Format::Gemini, SourceKind::Agent, &[".md"]),
    (".kiro/steering", Format::Kiro, SourceKind::KiroRule, &[".md"]),
    (".kiro/agents", Format::Kiro, SourceKind::Agent, &[".md"]),
    (".kiro/prompts", Format::Kiro, SourceKind::Command, &[".md"]),
    (".windsurf/rules", Format::Windsurf, SourceKind::WindsurfRule, &[".md"]),
    (".devin/rules", Format::Windsurf, SourceKind::WindsurfRule, &[".md"]),
    (".windsurf/workflows", Format::Windsurf, SourceKind::Command, &[".md"]),
    (".roo/rules", Format::Roo, SourceKind::Always, &[".md", ".txt"]),
    (".roo/commands", Format::Roo, SourceKind::Command, &[".md"]),
    (".junie/agents", Format::Junie, SourceKind::Agent, &[".md"]),
    (".junie/commands", Format::Junie, SourceKind::Command, &[".md"]),
    (".amazonq/rules", Format::AmazonQ, SourceKind::Always, &[".md"]),
];

/// Single files by path, with the name of the context.
const FILES: [(&str, Format, SourceKind, &str); 19] = [
    ("AGENTS.md", Format::AgentsMd, SourceKind::Shared, "agents"),
    ("AGENT.md", Format::AgentsMd, SourceKind::Shared, "agent"),
    ("AGENTS.override.md", Format::AgentsMd, SourceKind::Shared, "agents-override"),
    ("CLAUDE.md", Format::Claude, SourceKind::ClaudeMd, "claude"),
    ("CLAUDE.local.md", Format::Claude, SourceKind::ClaudeMd, "claude-local"),
    (".claude/CLAUDE.md", Format::Claude, SourceKind::ClaudeMd, "claude"),
    ("GEMINI.md", Format::Gemini, SourceKind::Shared, "gemini"),
    (".gemini/GEMINI.md", Format::Gemini, SourceKind::Shared, "gemini"),
    (".cursorrules", Format::Cursor, SourceKind::Shared, "cursorrules"),
    (
        ".github/copilot-instructions.md",
        Format::Copilot,
        SourceKind::Shared,
        "copilot-instructions",
    ),
    (".continuerules", Format::Continue, SourceKind::ContinueRule, "continuerules"),
    (".clinerules", Format::Cline, SourceKind::ClineRule, "clinerules"),
    (".windsurfrules", Format::Windsurf, SourceKind::Always, "windsurfrules"),
    (".roorules", Format::Roo, SourceKind::Always, "roorules"),
    // For the project of the folder, not for the files of `.junie`.
    (".junie/guidelines.md", Format::Junie, SourceKind::Always, "junie-guidelines"),
    (".junie/AGENTS.md", Format::Junie, SourceKind::Shared, "junie-agents"),
    (".rules", Format::Zed, SourceKind::Always, "zed-rules"),
    (".goosehints", Format::Goose, SourceKind::Always, "goosehints"),
    (".agents/AGENTS.md", Format::AgentsMd, SourceKind::Shared, "agents"),
];

/// Endings of files of a tool in any folder.
const ENDINGS: [(&str, Format, SourceKind); 5] = [
    (".instructions.md", Format::Copilot, SourceKind::CopilotRule),
    (".agent.md", Format::Copilot, SourceKind::Agent),
    (".chatmode.md", Format::Copilot, SourceKind::Agent),
    (".prompt.md", Format::Copilot, SourceKind::Command),
    (".mdc", Format::Cursor, SourceKind::CursorRule),
];

/// Folders of a plugin, from its root.
const IN_PLUGIN: [(&str, SourceKind); 2] =
    [("agents", SourceKind::Agent), ("commands", SourceKind::Command)];

/// Manifests of plugins, from their root.
pub const MANIFESTS: [&str; 6] = [
    "plugin.json",
    ".plugin/plugin.json",
    ".github/plugin/plugin.json",
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
];

/// Recognizes the file at `path` by its path alone. Paths are separated by `/`.
pub fn recognize(path: &Utf8Path) -> Option<Recognized> {
    let text = path.as_str();
    file_of(text)
        .or_else(|| skill(text))
        .or_else(|| in_folder(text))
        .or_else(|| in_mode(text))
        .or_else(|| {
            let name = path.file_name()?;
            let ended = |&(ending, format, kind): &(&str, Format, SourceKind)| {
                let stem = name.strip_suffix(ending).filter(|stem| !stem.is_empty())?;
                Some(Recognized { format, kind, scope: Utf8PathBuf::new(), name: slug(stem) })
            };
            ENDINGS.iter().find_map(ended)
        })
}

/// What of `path` is before the path `name` at its end.
fn before<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let before = path.strip_suffix(name)?;
    (before.is_empty() || before.ends_with('/')).then(|| before.trim_end_matches('/'))
}

fn file_of(path: &str) -> Option<Recognized> {
    let all = FILES.iter().filter_map(|row| Some((row, before(path, row.0)?)));
    // `.claude/CLAUDE.md` is not the `CLAUDE.md` of a folder `.claude`.
    let (&(_, format, kind, name), scope) = all.max_by_key(|((file, ..), _)| file.len())?;
    Some(Recognized { format, kind, scope: scope.into(), name: scoped_name(scope, name, true) })
}

/// A name with the folder `scope`, before or after it.
fn scoped_name(scope: &str, name: &str, after: bool) -> String {
    match (scope, after) {
        ("", _) => slug(name),
        (_, true) => slug(&format!("{name}-{scope}")),
        (_, false) => slug(&format!("{scope}-{name}")),
    }
}

fn skill(path: &str) -> Option<Recognized> {
    let folder = before(path, "SKILL.md")?;
    let name = Utf8Path::new(folder).file_name().unwrap_or("skill");
    let (format, kind) = (Format::Skills, SourceKind::Skill);
    Some(Recognized { format, kind, scope: skill_scope(folder), name: slug(name) })
}

fn in_folder(path: &str) -> Option<Recognized> {
    FOLDERS.iter().find_map(|&(folder, format, kind, endings)| {
        let at = find_folder(path, folder)?;
        let below = &path[at + folder.len() + 1..];
        let stem = endings.iter().find_map(|ending| below.strip_suffix(ending))?;
        let is_other = kind == SourceKind::ClineRule
            && ["workflows/", "hooks/", "skills/"].iter().any(|other| below.starts_with(other));
        if stem.is_empty() || is_other {
            return None;
        }
        let scope = path[..at].trim_end_matches('/');
        let name = scoped_name(scope, stem, false);
        Some(Recognized { format, kind, scope: scope.into(), name })
    })
}

/// A rule of Roo for one mode: `.roo/rules-MODE/NAME.md`.
fn in_mode(path: &str) -> Option<Recognized> {
    let (format, kind) = (Format::Roo, SourceKind::Manual);
    let (scope, below) = path.split_once(".roo/rules-")?;
    let (mode, below) = below.split_once('/')?;
    let stem = below.strip_suffix(".md").or_else(|| below.strip_suffix(".txt"))?;
    let begins = scope.is_empty() || scope.ends_with('/');
    let scope = scope.trim_end_matches('/');
    let name = scoped_name(scope, &format!("{mode}-{stem}"), false);
    (begins && !stem.is_empty()).then(|| Recognized { format, kind, scope: scope.into(), name })
}

/// Recognizes a file of a plugin by its path from the root of that.
pub fn in_plugin(below: &Utf8Path) -> Option<Recognized> {
    IN_PLUGIN.iter().find_map(|(folder, kind)| {
        let stem = below.as_str().strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".md")?;
        let is_readme = stem.rsplit('/').next().is_some_and(|it| it.eq_ignore_ascii_case("readme"));
        let (format, scope) = (Format::Claude, Utf8PathBuf::new());
        let what = Recognized { format, kind: *kind, scope, name: slug(stem) };
        (!stem.is_empty() && !is_readme).then_some(what)
    })
}

/// A Markdown file of unknown path that the user declared to be of `format`.
pub fn declared(format: Format, path: &Utf8Path) -> Option<Recognized> {
    let name = path.file_name()?;
    let stem = ENDINGS
        .iter()
        .map(|(ending, ..)| *ending)
        .chain([".md", ".markdown", ".txt"])
        .find_map(|it| name.strip_suffix(it));
    let kind = match format {
        Format::AgentsMd | Format::Gemini => SourceKind::Shared,
        Format::Claude => SourceKind::ClaudeRule,
        Format::Skills => SourceKind::Skill,
        Format::Cursor => SourceKind::CursorRule,
        Format::Copilot => SourceKind::CopilotRule,
        Format::Continue => SourceKind::ContinueRule,
        Format::Cline => SourceKind::ClineRule,
        Format::OpenHands => SourceKind::Microagent,
        Format::Kiro => SourceKind::KiroRule,
        Format::Windsurf => SourceKind::WindsurfRule,
        Format::Roo | Format::Junie | Format::AmazonQ | Format::Zed | Format::Goose => {
            SourceKind::Always
        }
        Format::Markdown => SourceKind::Document(None),
    };
    let stem = stem.filter(|stem| !stem.is_empty())?;
    let folder = path.parent().and_then(Utf8Path::file_name);
    let is_index = ["readme", "index"].contains(&&*stem.to_lowercase());
    let name = slug(folder.filter(|_| is_index).unwrap_or(stem));
    Some(Recognized { format, kind, scope: Utf8PathBuf::new(), name })
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
        use Format::{
            AgentsMd, AmazonQ, Claude, Cline, Continue, Copilot, Cursor, Gemini, Goose, Junie,
            Kiro, OpenHands, Roo, Skills, Windsurf, Zed,
        };
        use SourceKind::{
            Agent, Always, ClaudeMd, ClaudeRule, ClineRule, Command, ContinueRule, CopilotRule,
            CursorRule, KiroRule, Manual, Microagent, Shared, Skill, WindsurfRule,
        };
        for (path, format, kind, scope, name) in [
            ("AGENTS.md", AgentsMd, Shared, "", "agents"),
            ("packages/web/AGENTS.md", AgentsMd, Shared, "packages/web", "agents-packages-web"),
            ("AGENTS.override.md", AgentsMd, Shared, "", "agents-override"),
            (".agents/AGENTS.md", AgentsMd, Shared, "", "agents"),
            ("CLAUDE.md", Claude, ClaudeMd, "", "claude"),
            (".claude/CLAUDE.md", Claude, ClaudeMd, "", "claude"),
            ("api/.claude/CLAUDE.md", Claude, ClaudeMd, "api", "claude-api"),
            (".claude/rules/db/sql.md", Claude, ClaudeRule, "", "db-sql"),
            (".claude/agents/reviewer.md", Claude, Agent, "", "reviewer"),
            (".claude/commands/git/pr.md", Claude, Command, "", "git-pr"),
            (".claude/skills/pdf/SKILL.md", Skills, Skill, "", "pdf"),
            ("web/.agents/skills/pdf/SKILL.md", Skills, Skill, "web", "pdf"),
            ("pdf/SKILL.md", Skills, Skill, "", "pdf"),
            (".cursor/rules/ui/react.mdc", Cursor, CursorRule, "", "ui-react"),
            ("web/.cursor/rules/x.mdc", Cursor, CursorRule, "web", "web-x"),
            (".cursor/commands/x.md", Cursor, Command, "", "x"),
            ("rules/c# style.mdc", Cursor, CursorRule, "", "c-style"),
            (".cursorrules", Cursor, Shared, "", "cursorrules"),
            (".github/instructions/a.b.instructions.md", Copilot, CopilotRule, "", "a.b"),
            ("x/y.instructions.md", Copilot, CopilotRule, "", "y"),
            (".github/agents/dba.agent.md", Copilot, Agent, "", "dba"),
            (".github/agents/dba.md", Copilot, Agent, "", "dba"),
            (".github/chatmodes/plan.chatmode.md", Copilot, Agent, "", "plan"),
            ("prompts/tests.prompt.md", Copilot, Command, "", "tests"),
            (".github/copilot-instructions.md", Copilot, Shared, "", "copilot-instructions"),
            (".continue/rules/01-a.md", Continue, ContinueRule, "", "01-a"),
            (".clinerules", Cline, ClineRule, "", "clinerules"),
            (".clinerules/testing.md", Cline, ClineRule, "", "testing"),
            (".openhands/microagents/repo.md", OpenHands, Microagent, "", "repo"),
            ("api/GEMINI.md", Gemini, Shared, "api", "gemini-api"),
            (".gemini/agents/x.md", Gemini, Agent, "", "x"),
            (".kiro/steering/tech.md", Kiro, KiroRule, "", "tech"),
            ("web/.devin/rules/x.md", Windsurf, WindsurfRule, "web", "web-x"),
            (".windsurf/workflows/x.md", Windsurf, Command, "", "x"),
            (".windsurfrules", Windsurf, Always, "", "windsurfrules"),
            (".roo/rules/a.md", Roo, Always, "", "a"),
            (".roo/rules-code/a.md", Roo, Manual, "", "code-a"),
            (".junie/guidelines.md", Junie, Always, "", "junie-guidelines"),
            (".junie/AGENTS.md", Junie, Shared, "", "junie-agents"),
            ("web/.junie/AGENTS.md", Junie, Shared, "web", "junie-agents-web"),
            (".amazonq/rules/a/b.md", AmazonQ, Always, "", "a-b"),
            (".rules", Zed, Always, "", "zed-rules"),
            (".goosehints", Goose, Always, "", "goosehints"),
        ] {
            let expected = Recognized { format, kind, scope: scope.into(), name: name.to_owned() };
            assert_eq!(recognize(path.into()), Some(expected), "{path}");
        }
        for path in [
            "README.md",
            "docs/MYAGENTS.md",
            ".cursor/rules/x.txt",
            ".clinerules/workflows/a.md",
            "x.claude/rules/a.md",
            "x.roo/rules-a/b.md",
            ".mdc",
        ] {
            assert_eq!(recognize(path.into()), None, "{path}");
        }
        assert!(Format::ALL.iter().all(
            |&(name, format)| format.name() == name && Format::from_name(name) == Some(format)
        ));
    }

    #[test]
    fn plugins_have_agents_and_commands() {
        let kind = |path: &str| in_plugin(path.into()).map(|it| (it.kind, it.name));
        assert_eq!(kind("agents/x/dba.md"), Some((SourceKind::Agent, "x-dba".to_owned())));
        assert_eq!(kind("commands/pr.md"), Some((SourceKind::Command, "pr".to_owned())));
        assert_eq!(kind("agents/README.md"), None);
        assert_eq!(kind("docs/agents/x.md"), None);
    }

    #[test]
    fn front_matter_decides_about_loading() {
        let says = Says::default();
        let by_globs = Says { globs: true, ..says };
        for (kind, says, load) in [
            (SourceKind::Agent, by_globs, Load::OnDemand),
            (SourceKind::KiroRule, says, Load::Always),
            (SourceKind::KiroRule, Says { mode: Some(Load::OnDemand), ..says }, Load::OnDemand),
            (SourceKind::WindsurfRule, says, Load::OnDemand),
            (SourceKind::WindsurfRule, by_globs, Load::Files),
            (SourceKind::Document(None), says, Load::OnDemand),
            (SourceKind::Document(Some(Category::Standard)), says, Load::Always),
            (SourceKind::Document(Some(Category::Troubleshooting)), says, Load::OnDemand),
        ] {
            assert_eq!(kind.load(says), load, "{kind:?} {says:?}");
        }
        assert_eq!(SourceKind::WindsurfRule.mode("always_on"), Some(Load::Always));
        assert_eq!(SourceKind::KiroRule.mode("always_on"), None);
        let document = |path: &str| declared(Format::Markdown, path.into()).unwrap().name;
        assert_eq!([document("a/README.md"), document("a/b c.md")], ["a", "b-c"]);
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
