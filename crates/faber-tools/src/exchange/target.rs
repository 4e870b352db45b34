//! Pieces as files of other tools.

use camino::{Utf8Path, Utf8PathBuf};

use super::format::{Format, slug};
use super::managed;
use super::piece::{self, ExchangePiece, Subject, with_front};
use faber_core::budget::gist;
use faber_core::category::{Category, Load};
use faber_core::config;
use faber_core::letters::ascii_words;
use faber_core::parse::fields;
use faber_core::yaml::Entry;

faber_core::named_enum! {
    pub enum ToolTarget {
        /// Claude Code: `CLAUDE.md`, `.claude/rules` and `.claude/skills`
        Claude = "claude",
        /// Cursor: `.cursor/rules`
        Cursor = "cursor",
        /// GitHub Copilot: instructions and agents of `.github`
        Copilot = "copilot",
        /// Codex and others: `AGENTS.md`, also nested
        AgentsMd = "agents-md",
        /// Agent Skills: `.agents/skills`
        Skills = "skills",
        /// Continue: `.continue/rules`
        Continue = "continue",
        /// Gemini CLI: `GEMINI.md`, also nested
        Gemini = "gemini",
        /// Kiro: `.kiro/steering`
        Kiro = "kiro",
        /// Windsurf and Devin: `.windsurf/rules`
        Windsurf = "windsurf",
    }
}

const CATALOG: &str = "catalog";

/// In characters, from <https://agentskills.io/specification>.
pub(crate) const SKILL_DESCRIPTION: usize = 1024;

pub(crate) const SKILL_NAME: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    pub path: Utf8PathBuf,
    pub front: String,
    pub parts: Vec<(String, String)>,
}

impl OutputFile {
    pub(crate) fn has(&self, id: &str) -> bool {
        self.parts.iter().any(|(part, _)| part == id)
    }

    pub fn fresh(&self) -> String {
        with_front(&self.front, &managed::weave("", &self.parts))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    Rule,
    Skill,
    Agent,
    Shared,
    Listed,
    None,
}

impl ToolTarget {
    pub fn kind(self, piece: &ExchangePiece) -> OutputKind {
        let is_role = matches!(piece.subject, Subject::Role(_));
        let fixed = matches!(piece.load, Load::Always | Load::Files);
        let is_main = piece.load == Load::Always && self.main_name() == Some(piece.subject.name());
        let is_agent = matches!(&piece.subject, Subject::Context(id) if id.category == Category::Specialist)
            && piece.load == Load::OnDemand;
        match self {
            Self::Copilot if is_agent => OutputKind::Agent,
            Self::Claude | Self::Copilot if is_role || is_main => OutputKind::Shared,
            Self::AgentsMd | Self::Gemini if fixed => OutputKind::Shared,
            Self::AgentsMd | Self::Gemini => OutputKind::Listed,
            Self::Skills if is_role || piece.load == Load::Always => OutputKind::None,
            Self::Claude if fixed => OutputKind::Rule,
            Self::Claude | Self::Skills => OutputKind::Skill,
            Self::Cursor | Self::Copilot | Self::Continue | Self::Kiro | Self::Windsurf => {
                OutputKind::Rule
            }
        }
    }

    fn main_name(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("claude"),
            Self::Copilot => Some("copilot-instructions"),
            _ => None,
        }
    }

    pub fn reads(self, format: Format) -> bool {
        format.name() == self.name() || (self == Self::Claude && format == Format::Skills)
    }

    pub fn path(self, kind: OutputKind, stem: &str) -> Option<Utf8PathBuf> {
        Some(match (self, kind) {
            (Self::Claude, OutputKind::Shared) => "CLAUDE.md".into(),
            (Self::Copilot, OutputKind::Shared) => ".github/copilot-instructions.md".into(),
            (Self::AgentsMd, OutputKind::Shared | OutputKind::Listed) => "AGENTS.md".into(),
            (Self::Gemini, OutputKind::Shared | OutputKind::Listed) => "GEMINI.md".into(),
            (Self::Copilot, OutputKind::Agent) => format!(".github/agents/{stem}.agent.md").into(),
            (Self::Claude, OutputKind::Skill) => format!(".claude/skills/{stem}/SKILL.md").into(),
            (_, OutputKind::Skill) => format!(".agents/skills/{stem}/SKILL.md").into(),
            (Self::Claude, _) => format!(".claude/rules/{stem}.md").into(),
            (Self::Cursor, _) => format!(".cursor/rules/{stem}.mdc").into(),
            (Self::Copilot, _) => format!(".github/instructions/{stem}.instructions.md").into(),
            (Self::Continue, _) => format!(".continue/rules/{stem}.md").into(),
            (Self::Kiro, _) => format!(".kiro/steering/{stem}.md").into(),
            (Self::Windsurf, _) => format!(".windsurf/rules/{stem}.md").into(),
            (Self::AgentsMd | Self::Gemini | Self::Skills, _) => return None,
        })
    }

    pub fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude/rules", ".claude/skills"],
            Self::Cursor => &[".cursor/rules"],
            Self::Copilot => &[".github/instructions", ".github/agents"],
            Self::AgentsMd | Self::Gemini => &[],
            Self::Kiro => &[".kiro/steering"],
            Self::Windsurf => &[".windsurf/rules"],
            Self::Skills => &[".agents/skills"],
            Self::Continue => &[".continue/rules"],
        }
    }

    pub fn owns(self, path: &Utf8Path) -> bool {
        if path.components().any(|part| matches!(part.as_str(), "contexts" | "partials")) {
            return false;
        }
        let is_shared = match self {
            Self::Claude => path == "CLAUDE.md",
            Self::Copilot => path == ".github/copilot-instructions.md",
            Self::AgentsMd => path.file_name() == Some("AGENTS.md"),
            Self::Gemini => path.file_name() == Some("GEMINI.md"),
            _ => false,
        };
        is_shared || self.folders().iter().any(|folder| path.starts_with(folder))
    }

    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["name", "description", "paths"],
            Self::Cursor => &["description", "globs", "alwaysApply"],
            Self::Copilot => &["name", "description", "applyTo"],
            Self::Continue => &["name", "description", "globs", "alwaysApply"],
            Self::Skills => &["name", "description"],
            Self::Kiro => &["inclusion", "name", "description", "fileMatchPattern"],
            Self::Windsurf => &["trigger", "description", "globs"],
            Self::AgentsMd | Self::Gemini => &[],
        }
    }

    pub fn front(self, piece: &ExchangePiece, kind: OutputKind, stem: &str) -> String {
        let at = piece.at;
        let mut front: Vec<Entry> = Vec::new();
        let mut push = |entry: Entry| front.push(entry);
        let described = || piece.description.as_ref().map(|it| piece::text("description", it, at));
        let always = piece.load == Load::Always;
        let globs = if piece.load == Load::Files { piece.globs.clone() } else { Vec::new() };
        match (self, kind) {
            (_, OutputKind::Skill) => {
                push(piece::text("name", stem, at));
                push(piece::text("description", &skill_description(piece), at));
                piece.title.iter().for_each(|title| push(piece::text("title", title, at)));
            }
            (_, OutputKind::Agent) => {
                piece.title.iter().for_each(|title| push(piece::text("name", title, at)));
                push(piece::text("description", &skill_description(piece), at));
            }
            (Self::Kiro | Self::Windsurf, _) => front = self.moded(piece, &globs),
            (Self::Cursor, _) => return cursor_front(piece),
            (Self::Copilot, _) => {
                piece.title.iter().for_each(|title| push(piece::text("name", title, at)));
                described().into_iter().for_each(&mut push);
                if always {
                    push(piece::text("applyTo", "**", at));
                } else if !globs.is_empty() {
                    push(piece::text("applyTo", &globs.join(","), at));
                }
            }
            (Self::Continue, _) => {
                let name = piece.title.as_deref().unwrap_or(piece.subject.name());
                push(piece::text("name", name, at));
                described().into_iter().for_each(&mut push);
                if !piece.globs.is_empty() {
                    push(piece::list("globs", &piece.globs, at));
                }
                push(piece::flag("alwaysApply", always, at));
            }
            _ => {
                piece.title.iter().for_each(|title| push(piece::text("title", title, at)));
                described().into_iter().for_each(&mut push);
                if !globs.is_empty() {
                    push(piece::list("paths", &globs, at));
                }
            }
        }
        let is_own = |entry: &&Entry| !self.keys().contains(&&*entry.key);
        front.extend(piece.extra.iter().filter(is_own).cloned());
        config::verbatim(&front)
    }

    fn moded(self, piece: &ExchangePiece, globs: &[String]) -> Vec<Entry> {
        let at = piece.at;
        let is_described = piece.description.is_some();
        let is_kiro = self == Self::Kiro;
        let (key, name) = if is_kiro { ("inclusion", "name") } else { ("trigger", "title") };
        let mode = match piece.load {
            Load::Always if is_kiro => "always",
            Load::Always => "always_on",
            _ if !globs.is_empty() && is_kiro => "fileMatch",
            _ if !globs.is_empty() => "glob",
            _ if is_described && is_kiro => "auto",
            _ if is_described => "model_decision",
            _ => "manual",
        };
        let mut front = vec![piece::text(key, mode, at)];
        let title = piece.title.as_deref().or(Some(piece.subject.name()).filter(|_| is_kiro));
        front.extend(title.map(|title| piece::text(name, title, at)));
        front.extend(piece.description.as_ref().map(|it| piece::text("description", it, at)));
        if !globs.is_empty() {
            front.push(piece::list(if is_kiro { "fileMatchPattern" } else { "globs" }, globs, at));
        }
        front
    }

    pub fn stem(self, kind: OutputKind, subject: &Subject) -> String {
        match (kind, subject) {
            (OutputKind::Skill, _) => skill_stem(subject),
            (OutputKind::Agent, Subject::Context(id)) => piece::file_name(&id.name),
            _ => stem(subject),
        }
    }
}

pub(crate) fn skill_description(piece: &ExchangePiece) -> String {
    let own = piece.description.clone();
    let text = own.or_else(|| gist::gist(&piece.body));
    let text = text.unwrap_or_else(|| format!("Says what holds for {}", piece.subject.name()));
    piece::shortened(&text, SKILL_DESCRIPTION)
}

/// Cursor reads comma-separated, unquoted globs.
fn cursor_front(piece: &ExchangePiece) -> String {
    let at = piece.at;
    let description = piece.description.as_deref().unwrap_or_default();
    let mut out = config::verbatim(&[piece::text("description", description, at)]);
    let joined = piece.globs.join(",");
    let same = fields::split_globs(&joined).map(|(_, glob)| glob).eq(piece.globs.iter());
    let plain = |c: char| c.is_alphanumeric() || "*./_-,{}[]?".contains(c);
    let is_plain = joined.chars().all(plain) && !joined.starts_with(['{', '[', '-', '?', ',']);
    if piece.globs.is_empty() {
        out.push_str("globs:\n");
    } else if same && is_plain {
        out = format!("{out}globs: {joined}\n");
    } else {
        out.push_str(&config::verbatim(&[piece::list("globs", &piece.globs, at)]));
    }
    out.push_str(&config::verbatim(&[piece::flag("alwaysApply", piece.load == Load::Always, at)]));
    let keys = ToolTarget::Cursor.keys();
    let extra = piece.extra.iter().filter(|entry| !keys.contains(&&*entry.key)).cloned();
    let title = piece.title.iter().map(|title| piece::text("title", title, at));
    out + &config::verbatim(&title.chain(extra).collect::<Vec<_>>())
}

pub fn stem(subject: &Subject) -> String {
    match subject {
        Subject::Role(name) => format!("role-{}", slug(name)),
        Subject::Context(id) if id.category == Category::Standard => piece::file_name(&id.name),
        Subject::Context(id) => format!("{}-{}", id.category, piece::file_name(&id.name)),
    }
}

/// Playbooks have no prefix: an import makes skills playbooks.
pub(crate) fn skill_stem(subject: &Subject) -> String {
    let (kind, name) = match subject {
        Subject::Role(name) => ("role", &**name),
        Subject::Context(id) => match id.category {
            Category::Playbook => ("", &*id.name),
            Category::Standard => ("", id.name.strip_suffix(".md").unwrap_or(&id.name)),
            category => (category.row().name, id.name.strip_suffix(".md").unwrap_or(&id.name)),
        },
    };
    let words = match ascii_words(name) {
        words if !words.is_empty() => words.join("-"),
        _ if kind.is_empty() => format!("skill-{}", hash(name)),
        _ => hash(name),
    };
    let lead = if kind.is_empty() { String::new() } else { format!("{kind}-") };
    let name: String = format!("{lead}{words}").chars().take(SKILL_NAME).collect();
    name.trim_end_matches('-').to_owned()
}

pub(crate) fn role_words(role: &str) -> String {
    match ascii_words(role) {
        words if words.is_empty() => format!("role-{}", hash(role)),
        words => words.join("-"),
    }
}

fn hash(name: &str) -> String {
    blake3::hash(name.as_bytes()).to_hex()[..6].to_owned()
}

pub(crate) fn shared_folder(
    piece: &ExchangePiece,
    is_folder: &dyn Fn(&Utf8Path) -> bool,
) -> Option<Utf8PathBuf> {
    let globs = Some(&piece.globs).filter(|_| piece.load == Load::Files)?;
    folder_of(globs).filter(|folder| is_folder(folder))
}

pub(crate) fn shared_part(
    piece: &ExchangePiece,
    is_folder: &dyn Fn(&Utf8Path) -> bool,
) -> Option<(String, String)> {
    let id = piece.subject.to_string();
    if piece.load != Load::Files {
        return Some((id.clone(), managed::wrap(&id, None, &piece.body)?));
    }
    let joined = piece.globs.join(", ");
    if !fields::split_globs(&joined).map(|(_, glob)| glob).eq(piece.globs.iter()) {
        return None;
    }
    let body = match shared_folder(piece, is_folder) {
        None if !piece.body.is_empty() => managed::occasion(&piece.globs) + &piece.body,
        _ => piece.body.clone(),
    };
    let text = managed::wrap(&id, Some(&joined), &body)?;
    Some((id, text))
}

fn folder_of(globs: &[String]) -> Option<Utf8PathBuf> {
    let [glob] = globs else { return None };
    let folder = glob.trim_start_matches("./").strip_suffix("/**")?;
    let is_plain = !folder.is_empty()
        && !folder.starts_with('/')
        && !folder.contains(['*', '?', '[', '{', '\\'])
        && !folder.split('/').any(|part| matches!(part, "" | "." | ".."));
    is_plain.then(|| folder.into())
}

pub fn listing(listed: &[(&ExchangePiece, String)]) -> Option<(String, String)> {
    if listed.is_empty() {
        return None;
    }
    let lines = listed.iter().map(|(piece, place)| {
        let about = piece.description.clone().or_else(|| gist::gist(&piece.body));
        let about = faber_core::markdown::collapse(&about.unwrap_or_default());
        let about = if about.is_empty() { about } else { format!(": {about}") };
        format!("- {place}{about}\n")
    });
    let text = format!("Read when the work calls for it:\n\n{}", lines.collect::<String>());
    Some((CATALOG.to_owned(), managed::wrap(CATALOG, None, &text)?))
}
