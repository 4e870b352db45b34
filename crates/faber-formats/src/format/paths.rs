//! Recognizes files of other tools by path.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Format, Recognized, SourceKind, slug};
use crate::format::DataForm;

/// Path, format, kind and extensions; the first match wins.
const FOLDERS: [(&str, Format, SourceKind, &[&str]); 32] = [
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
    (".clinerules/workflows", Format::Cline, SourceKind::Command, &[".md"]),
    (".clinerules", Format::Cline, SourceKind::ClineRule, &[".md", ".txt"]),
    (".codex/agents", Format::Codex, SourceKind::Data(DataForm::Agent), &[".toml"]),
    (".codex/prompts", Format::Codex, SourceKind::Command, &[".md"]),
    (".gemini/agents", Format::Gemini, SourceKind::Agent, &[".md"]),
    (".gemini/commands", Format::Gemini, SourceKind::Data(DataForm::Command), &[".toml"]),
    (".kiro/steering", Format::Kiro, SourceKind::KiroRule, &[".md"]),
    (".kiro/agents", Format::Kiro, SourceKind::Agent, &[".md"]),
    (".kiro/agents", Format::Kiro, SourceKind::Data(DataForm::JsonAgent), &[".json"]),
    (".kiro/prompts", Format::Kiro, SourceKind::Command, &[".md"]),
    (".windsurf/rules", Format::Windsurf, SourceKind::WindsurfRule, &[".md"]),
    (".devin/rules", Format::Windsurf, SourceKind::WindsurfRule, &[".md"]),
    (".windsurf/workflows", Format::Windsurf, SourceKind::Command, &[".md"]),
    (".roo/rules", Format::Roo, SourceKind::Always, &[".md", ".txt", ".xml"]),
    (".roo/commands", Format::Roo, SourceKind::Command, &[".md"]),
    (".junie/agents", Format::Junie, SourceKind::Agent, &[".md"]),
    (".junie/commands", Format::Junie, SourceKind::Command, &[".md"]),
    (".amazonq/rules", Format::AmazonQ, SourceKind::Always, &[".md"]),
    (".augment/rules", Format::Augment, SourceKind::AugmentRule, &[".md", ".mdx"]),
];

const FILES: [(&str, Format, SourceKind, &str); 21] = [
    ("AGENTS.md", Format::AgentsMd, SourceKind::Shared, "agents"),
    ("AGENT.md", Format::AgentsMd, SourceKind::Shared, "agent"),
    ("AGENTS.override.md", Format::AgentsMd, SourceKind::Shared, "agents-override"),
    ("CLAUDE.md", Format::Claude, SourceKind::ClaudeMd, "claude"),
    ("CLAUDE.local.md", Format::Claude, SourceKind::ClaudeMd, "claude-local"),
    (".claude/CLAUDE.md", Format::Claude, SourceKind::ClaudeMd, "claude"),
    ("GEMINI.md", Format::Gemini, SourceKind::ClaudeMd, "gemini"),
    (".gemini/GEMINI.md", Format::Gemini, SourceKind::ClaudeMd, "gemini"),
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
    (".roomodes", Format::Roo, SourceKind::Data(DataForm::Modes), "roomodes"),
    (".junie/guidelines.md", Format::Junie, SourceKind::Always, "junie-guidelines"),
    (".junie/AGENTS.md", Format::Junie, SourceKind::Shared, "junie-agents"),
    (".augment-guidelines", Format::Augment, SourceKind::Always, "augment-guidelines"),
    (".rules", Format::Zed, SourceKind::Always, "zed-rules"),
    (".goosehints", Format::Goose, SourceKind::Always, "goosehints"),
    (".agents/AGENTS.md", Format::AgentsMd, SourceKind::Shared, "agents"),
];

pub(super) const ENDINGS: [(&str, Format, SourceKind); 5] = [
    (".instructions.md", Format::Copilot, SourceKind::CopilotRule),
    (".agent.md", Format::Copilot, SourceKind::Agent),
    (".chatmode.md", Format::Copilot, SourceKind::Agent),
    (".prompt.md", Format::Copilot, SourceKind::Command),
    (".mdc", Format::Cursor, SourceKind::CursorRule),
];

const SKILL_FOLDERS: [&str; 4] =
    [".claude/skills", ".agents/skills", ".github/skills", ".cursor/skills"];

const IN_PLUGIN: [(&str, Format, SourceKind, &str); 3] = [
    ("agents", Format::Claude, SourceKind::Agent, ".md"),
    ("commands", Format::Claude, SourceKind::Command, ".md"),
    ("commands", Format::Gemini, SourceKind::Data(DataForm::Command), ".toml"),
];

pub const MANIFESTS: [&str; 7] = [
    "plugin.json",
    ".plugin/plugin.json",
    ".github/plugin/plugin.json",
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
];

pub fn recognize(path: &Utf8Path) -> Option<Recognized> {
    let text = path.as_str();
    file_of(text)
        .or_else(|| skill(text))
        .or_else(|| in_folder(text))
        .or_else(|| in_mode(text))
        .or_else(|| recipe(path))
        .or_else(|| {
            let name = path.file_name()?;
            let scope = find_folder(text, ".cursor").map_or("", |at| &text[..at]);
            let ended = |&(ending, format, kind): &(&str, Format, SourceKind)| {
                let stem = name.strip_suffix(ending).filter(|stem| !stem.is_empty())?;
                let scope = if format == Format::Cursor { scope.trim_end_matches('/') } else { "" };
                let name = scoped_name(scope, stem, false);
                Some(Recognized { format, kind, scope: scope.into(), name })
            };
            ENDINGS.iter().find_map(ended)
        })
}

fn before<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let before = path.strip_suffix(name)?;
    (before.is_empty() || before.ends_with('/')).then(|| before.trim_end_matches('/'))
}

fn file_of(path: &str) -> Option<Recognized> {
    let all = FILES.iter().filter_map(|row| Some((row, before(path, row.0)?)));
    let (&(_, format, kind, name), scope) = all.max_by_key(|((file, ..), _)| file.len())?;
    Some(Recognized { format, kind, scope: scope.into(), name: scoped_name(scope, name, true) })
}

pub fn instructions(path: &Utf8Path) -> Option<Recognized> {
    let is_of_one_tool = |what: &Recognized| {
        what.format != Format::AgentsMd && !matches!(what.kind, SourceKind::Data(_))
    };
    file_of(path.as_str()).filter(is_of_one_tool)
}

pub fn instruction_files() -> impl Iterator<Item = &'static Utf8Path> {
    FILES.iter().map(|row| Utf8Path::new(row.0)).filter(|path| instructions(path).is_some())
}

pub fn places() -> BTreeSet<&'static str> {
    let skills = SKILL_FOLDERS.iter().copied();
    FILES.iter().map(|row| row.0).chain(FOLDERS.iter().map(|row| row.0)).chain(skills).collect()
}

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

/// `.roo/rules-MODE/NAME.md`.
fn in_mode(path: &str) -> Option<Recognized> {
    let (format, kind) = (Format::Roo, SourceKind::Manual);
    let (scope, below) = path.split_once(".roo/rules-")?;
    let (mode, below) = below.split_once('/')?;
    let stem = [".md", ".txt", ".xml"].iter().find_map(|ending| below.strip_suffix(ending))?;
    let begins = scope.is_empty() || scope.ends_with('/');
    let scope = scope.trim_end_matches('/');
    let name = scoped_name(scope, &format!("{mode}-{stem}"), false);
    (begins && !stem.is_empty()).then(|| Recognized { format, kind, scope: scope.into(), name })
}

fn recipe(path: &Utf8Path) -> Option<Recognized> {
    let (stem, ending) = (path.file_stem()?, path.extension()?);
    let folders = path.parent()?.components();
    let is_listed = folders.into_iter().any(|it| it.as_str() == "recipes") && ending != "json";
    if !matches!(ending, "yaml" | "yml" | "json") || !(is_listed || stem == "recipe") {
        return None;
    }
    let folder = path.parent().and_then(Utf8Path::file_name).filter(|_| stem == "recipe");
    let (format, kind) = (Format::Goose, SourceKind::Data(DataForm::Recipe));
    Some(Recognized::named(format, kind, folder.unwrap_or(stem)))
}

pub fn in_plugin(below: &Utf8Path) -> Option<Recognized> {
    IN_PLUGIN.iter().find_map(|&(folder, format, kind, ending)| {
        let stem = below.as_str().strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(ending)?;
        let is_readme = stem.rsplit('/').next().is_some_and(|it| it.eq_ignore_ascii_case("readme"));
        (!stem.is_empty() && !is_readme).then(|| Recognized::named(format, kind, stem))
    })
}

fn find_folder(path: &str, folder: &str) -> Option<usize> {
    path.match_indices(folder).map(|(at, _)| at).find(|&at| {
        let begins = at == 0 || path[..at].ends_with('/');
        begins && path[at + folder.len()..].starts_with('/')
    })
}

fn skill_scope(folder: &str) -> Utf8PathBuf {
    let at = SKILL_FOLDERS.iter().find_map(|home| find_folder(folder, home));
    at.map_or_else(Utf8PathBuf::new, |at| folder[..at].trim_end_matches('/').into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_where_they_lie() {
        use Format::{
            AgentsMd, AmazonQ, Claude, Cline, Codex, Continue, Copilot, Cursor, Gemini, Goose,
            Junie, Kiro, OpenHands, Roo, Skills, Windsurf, Zed,
        };
        use SourceKind::{
            Agent, Always, ClaudeMd, ClaudeRule, ClineRule, Command, ContinueRule, CopilotRule,
            CursorRule, Data, KiroRule, Manual, Microagent, Shared, Skill, WindsurfRule,
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
            ("web/.cursor/x.mdc", Cursor, CursorRule, "web", "web-x"),
            (".cursor/commands/x.md", Cursor, Command, "", "x"),
            ("rules/c# style.mdc", Cursor, CursorRule, "", "c-sharp-style"),
            ("rules/C++.mdc", Cursor, CursorRule, "", "Cpp"),
            ("rules/issue#1.mdc", Cursor, CursorRule, "", "issue-1"),
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
            ("web/.clinerules/workflows/pr.md", Cline, Command, "web", "web-pr"),
            (".openhands/microagents/repo.md", OpenHands, Microagent, "", "repo"),
            (".codex/agents/x.toml", Codex, Data(DataForm::Agent), "", "x"),
            (".codex/prompts/x.md", Codex, Command, "", "x"),
            ("api/GEMINI.md", Gemini, ClaudeMd, "api", "gemini-api"),
            (".gemini/commands/git/pr.toml", Gemini, Data(DataForm::Command), "", "git-pr"),
            (".gemini/agents/x.md", Gemini, Agent, "", "x"),
            (".kiro/steering/tech.md", Kiro, KiroRule, "", "tech"),
            ("web/.devin/rules/x.md", Windsurf, WindsurfRule, "web", "web-x"),
            (".windsurf/workflows/x.md", Windsurf, Command, "", "x"),
            (".windsurfrules", Windsurf, Always, "", "windsurfrules"),
            (".roo/rules/a.md", Roo, Always, "", "a"),
            (".roo/rules-code/a.md", Roo, Manual, "", "code-a"),
            (".roo/rules-code/a.xml", Roo, Manual, "", "code-a"),
            (".roomodes", Roo, Data(DataForm::Modes), "", "roomodes"),
            ("release/recipe.yaml", Goose, Data(DataForm::Recipe), "", "release"),
            ("recipe.json", Goose, Data(DataForm::Recipe), "", "recipe"),
            (".goose/recipes/a/b.yml", Goose, Data(DataForm::Recipe), "", "b"),
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
        let other = "README.md docs/MYAGENTS.md .cursor/rules/x.txt .clinerules/workflows/a.txt \
            .clinerules/hooks/a.md x.claude/rules/a.md x.roo/rules-a/b.md .mdc recipes/a.json \
            recipe.toml";
        for path in other.split(' ') {
            assert_eq!(recognize(path.into()), None, "{path}");
        }
    }

    #[test]
    fn plugins_have_agents_and_commands() {
        let kind = |path: &str| in_plugin(path.into()).map(|it| (it.kind, it.name));
        assert_eq!(kind("agents/x/dba.md"), Some((SourceKind::Agent, "x-dba".to_owned())));
        assert_eq!(kind("commands/pr.md"), Some((SourceKind::Command, "pr".to_owned())));
        assert_eq!(kind("agents/README.md"), None);
        assert_eq!(kind("docs/agents/x.md"), None);
        let command = SourceKind::Data(DataForm::Command);
        assert_eq!(kind("commands/gcs/sync.toml"), Some((command, "gcs-sync".to_owned())));
    }
}
