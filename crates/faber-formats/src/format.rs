mod paths;

use camino::{Utf8Path, Utf8PathBuf};

use super::mention::Insertion;
use faber_core::category::{Category, Load};
use faber_core::select::globs;

pub use paths::{MANIFESTS, in_plugin, instruction_files, instructions, places, recognize};

faber_core::named_enum! {
    /// The tool of a file.
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
        /// Cline: `.clinerules`, `.clinerules/workflows`
        Cline = "cline",
        /// `OpenHands`: `.openhands/microagents`, `.openhands/skills`
        OpenHands = "openhands",
        /// Codex: `.codex/agents`, `.codex/prompts`
        Codex = "codex",
        /// Gemini CLI: `GEMINI.md`, `.gemini/agents`, `.gemini/commands`
        Gemini = "gemini",
        /// Kiro: `.kiro/steering`, `.kiro/agents`, `.kiro/prompts`
        Kiro = "kiro",
        /// Windsurf and Devin: `.windsurf/rules`, `.devin/rules`, `.windsurf/workflows`
        Windsurf = "windsurf",
        /// Roo Code: `.roo/rules`, `.roo/commands`, `.roorules`, `.roomodes`
        Roo = "roo",
        /// Junie: `.junie/guidelines.md`, `.junie/AGENTS.md`
        Junie = "junie",
        /// Amazon Q Developer: `.amazonq/rules`
        AmazonQ = "amazonq",
        /// Augment: `.augment/rules`, `.augment-guidelines`
        Augment = "augment",
        /// Zed: `.rules`
        Zed = "zed",
        /// Goose: `.goosehints`, recipes
        Goose = "goose",
        /// Documents without rules for loading
        Markdown = "markdown",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataForm {
    Command,
    Agent,
    JsonAgent,
    Recipe,
    /// Roo Code modes; each becomes an agent.
    Modes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// Several contexts in one file.
    Shared,
    /// [`Self::Shared`] with `@` imports.
    ClaudeMd,
    ClaudeRule,
    Agent,
    Command,
    Skill,
    CursorRule,
    CopilotRule,
    ContinueRule,
    ClineRule,
    Microagent,
    KiroRule,
    WindsurfRule,
    AugmentRule,
    Always,
    Manual,
    Data(DataForm),
    /// `None`: the title suggests the category.
    Document(Option<Category>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognized {
    pub format: Format,
    pub kind: SourceKind,
    /// Relative to the base.
    pub scope: Utf8PathBuf,
    pub name: String,
}

impl Recognized {
    fn named(format: Format, kind: SourceKind, name: &str) -> Self {
        Self { format, kind, scope: Utf8PathBuf::new(), name: slug(name) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadConditions {
    pub always: Option<bool>,
    pub globs: bool,
    pub no_globs: bool,
    pub words: bool,
    pub topic: Option<Category>,
    pub mode: Option<Load>,
}

impl SourceKind {
    pub fn category(self, says: LoadConditions) -> Category {
        match self {
            Self::Agent => Category::Specialist,
            Self::Microagent if says.words => Category::Specialist,
            Self::Skill | Self::Command => Category::Playbook,
            Self::Document(category) => category.or(says.topic).unwrap_or(Category::Reference),
            _ => Category::Standard,
        }
    }

    /// As in the original tool, but on demand if selected by description.
    pub fn load(self, says: LoadConditions) -> Load {
        let by_globs = |otherwise| if says.globs { Load::Files } else { otherwise };
        match self {
            Self::CursorRule if says.always == Some(true) => Load::Always,
            _ if says.mode == Some(Load::Never) => Load::Never,
            Self::Skill | Self::Microagent if says.words => Load::Keyword,
            Self::Agent | Self::Command | Self::Manual | Self::Data(_) => Load::OnDemand,
            // https://docs.continue.dev/customize/deep-dives/rules: default is always.
            Self::ContinueRule => match says.always {
                Some(true) => Load::Always,
                Some(false) => by_globs(Load::OnDemand),
                None => by_globs(Load::Always),
            },
            // https://docs.cline.bot/features/cline-rules/conditional-rules: no globs, never.
            Self::ClineRule if says.no_globs => Load::Never,
            Self::ClaudeRule | Self::ClineRule | Self::Document(Some(Category::Standard)) => {
                by_globs(Load::Always)
            }
            // https://kiro.dev/docs/steering, https://docs.augmentcode.com/cli/rules: always.
            Self::KiroRule | Self::AugmentRule => says.mode.unwrap_or(Load::Always),
            // https://docs.windsurf.com/windsurf/cascade/memories: globs, description or mention.
            Self::WindsurfRule => says.mode.unwrap_or(by_globs(Load::OnDemand)),
            Self::CursorRule | Self::CopilotRule | Self::Skill | Self::Document(_) => {
                by_globs(Load::OnDemand)
            }
            Self::Microagent | Self::Shared | Self::ClaudeMd | Self::Always => Load::Always,
        }
    }

    pub(crate) fn is_invoked(self) -> bool {
        matches!(self, Self::Skill | Self::Command | Self::Agent)
    }

    pub fn mode(self, word: &str) -> Option<Load> {
        match (self, word) {
            (Self::KiroRule, "always")
            | (Self::WindsurfRule, "always_on")
            | (Self::AugmentRule, "always_apply") => Some(Load::Always),
            (Self::KiroRule, "fileMatch") | (Self::WindsurfRule, "glob") => Some(Load::Files),
            (Self::KiroRule, "manual" | "auto")
            | (Self::WindsurfRule, "model_decision" | "agent" | "manual")
            | (Self::AugmentRule, "agent_requested" | "manual") => Some(Load::OnDemand),
            _ => None,
        }
    }

    pub(crate) fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::KiroRule => &["inclusion", "fileMatchPattern"],
            Self::WindsurfRule => &["trigger"],
            Self::AugmentRule => &["type"],
            _ => &[],
        }
    }

    pub(crate) fn insertion(self) -> Option<Insertion> {
        match self {
            Self::ClaudeMd | Self::ClaudeRule => Some(Insertion::Claude),
            Self::CursorRule => Some(Insertion::Cursor),
            Self::KiroRule => Some(Insertion::Kiro),
            _ => None,
        }
    }

    pub fn inserts(self, text: &str) -> bool {
        self.insertion().is_some_and(|it| text.contains(it.mark()))
    }

    pub fn is_shared(self) -> bool {
        matches!(self, Self::Shared | Self::ClaudeMd)
    }
}

pub fn declared(format: Format, path: &Utf8Path) -> Option<Recognized> {
    let name = path.file_name()?;
    let data = match format {
        Format::Codex => Some(DataForm::Agent),
        Format::Gemini => Some(DataForm::Command),
        _ => None,
    };
    let data = data.filter(|_| path.extension() == Some("toml"));
    let stem = paths::ENDINGS
        .iter()
        .map(|(ending, ..)| *ending)
        .chain([".md", ".markdown", ".txt"])
        .chain((format == Format::Markdown).then_some(".mdx"))
        .chain(data.map(|_| ".toml"))
        .find_map(|it| name.strip_suffix(it))?;
    let page = stem.trim_end_matches(".html");
    let stem = if page.is_empty() { stem } else { page };
    let kind = match format {
        _ if let Some(form) = data => SourceKind::Data(form),
        Format::AgentsMd => SourceKind::Shared,
        Format::Gemini => SourceKind::ClaudeMd,
        Format::Codex => SourceKind::Command,
        Format::Claude => SourceKind::ClaudeRule,
        Format::Skills => SourceKind::Skill,
        Format::Cursor => SourceKind::CursorRule,
        Format::Copilot => SourceKind::CopilotRule,
        Format::Continue => SourceKind::ContinueRule,
        Format::Cline => SourceKind::ClineRule,
        Format::OpenHands => SourceKind::Microagent,
        Format::Kiro => SourceKind::KiroRule,
        Format::Windsurf => SourceKind::WindsurfRule,
        Format::Augment => SourceKind::AugmentRule,
        Format::Roo | Format::Junie | Format::AmazonQ | Format::Zed | Format::Goose => {
            SourceKind::Always
        }
        Format::Markdown => SourceKind::Document(None),
    };
    let folder = path.parent().and_then(Utf8Path::file_name);
    let is_index = ["readme", "index"].contains(&&*stem.to_lowercase());
    if stem.is_empty() || (format == Format::Codex && is_index) {
        return None;
    }
    Some(Recognized::named(format, kind, folder.filter(|_| is_index).unwrap_or(stem)))
}

/// Of letters, digits, `-`, `_` and `.`; never empty.
pub fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let mut last = out.chars().rev();
        let is_letter = last.next().is_some_and(|c| c.is_ascii_alphabetic())
            && !last.next().is_some_and(char::is_alphanumeric);
        if is_letter && c == '#' {
            out.push_str("-sharp-");
        } else if is_letter && name[at..].starts_with("++") {
            out.push_str("pp-");
        } else if c.is_alphanumeric() || matches!(c, '_' | '.') {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_matches(['-', '.']);
    if out.is_empty() { "rule".to_owned() } else { out.to_owned() }
}

pub fn scoped(glob: &str, scope: &Utf8Path) -> String {
    if scope.as_str().is_empty() {
        return glob.to_owned();
    }
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    // A comma separates globs.
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
    fn front_matter_decides_about_loading() {
        let says = LoadConditions::default();
        let by_globs = LoadConditions { globs: true, ..says };
        for (kind, says, load) in [
            (SourceKind::Agent, by_globs, Load::OnDemand),
            (SourceKind::KiroRule, says, Load::Always),
            (
                SourceKind::KiroRule,
                LoadConditions { mode: Some(Load::OnDemand), ..says },
                Load::OnDemand,
            ),
            (SourceKind::WindsurfRule, says, Load::OnDemand),
            (SourceKind::WindsurfRule, by_globs, Load::Files),
            (SourceKind::Document(None), says, Load::OnDemand),
            (SourceKind::Document(Some(Category::Standard)), says, Load::Always),
            (SourceKind::Document(Some(Category::Troubleshooting)), says, Load::OnDemand),
        ] {
            assert_eq!(kind.load(says), load, "{kind:?} {says:?}");
        }
        assert_eq!(SourceKind::WindsurfRule.mode("always_on"), Some(Load::Always));
        assert_eq!(SourceKind::AugmentRule.mode("agent_requested"), Some(Load::OnDemand));
        assert_eq!(SourceKind::KiroRule.mode("always_on"), None);
        let document = |path: &str| declared(Format::Markdown, path.into()).unwrap().name;
        assert_eq!([document("a/b.html.md"), document("a/b.html.html.md")], ["b", "b"]);
        assert_eq!([document("a/README.md"), document("a/b c.md")], ["a", "b-c"]);
        assert_eq!([document("a/b.mdx"), document("a/index.mdx")], ["b", "a"]);
        assert_eq!(declared(Format::Claude, "a/b.mdx".into()), None);
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
