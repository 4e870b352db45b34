//! Fuzz targets.
//!
//! `cargo +nightly fuzz run TARGET fuzz/corpus/TARGET fuzz/seeds/TARGET`; `cargo test` runs the
//! seeds.

use faber_core::assemble::Job;
use faber_core::config::Amount;
use faber_core::conversation::stream;
use faber_core::diagnostic::Diagnostic;
use faber_core::line;
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::parse::{fence, references, rules};
use faber_core::security;
use faber_core::select::request::Request;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::{Options, Workspace};
use faber_core::world::MemoryWorld;
use faber_server::lsp::wire;
use faber_server::serve::stdio::StdioTransport;
use faber_tools::exchange::format;
use faber_tools::exchange::read;
use rmcp::transport::Transport;

const REQUEST: &str = "Sort the letters by day; error E1001";
const PROMPT: &str = "roles/clerk/prompt.md";
const STANDARD: &str = "contexts/standards/standards-a.md";
const IMPORTS: [&str; 9] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/rules/a.md",
    ".claude/agents/a.md",
    ".claude/skills/a/SKILL.md",
    ".cursor/rules/a.mdc",
    ".github/copilot-instructions.md",
    ".github/instructions/a.instructions.md",
    ".openhands/microagents/a.md",
];

pub fn front_matter(data: &[u8]) {
    let Some((sources, file)) = source(STANDARD, data) else { return };
    let text = &sources.get(file).text;
    for kind in [FrontKind::Context, FrontKind::Prompt] {
        let mut found = Vec::new();
        let parsed = frontmatter::read(&sources, file, kind).drain_into(&mut found);
        assert!(text.is_char_boundary(parsed.body), "the body begins within a character");
        check_findings(&sources, &found);
    }
    let _ = frontmatter::quoted_values(text, file);
    let mut found = Vec::new();
    security::scan(file, STANDARD.into(), text, None, &mut found);
    check_findings(&sources, &found);
}

pub fn prose(data: &[u8]) {
    let Some((sources, file)) = source(STANDARD, data) else { return };
    let lines = line::lines_of(&sources, file, 0..sources.get(file).text.len());
    let (found, patterns) = references::scan::references_and_patterns(&sources, &lines);
    for reference in found.iter().chain(&patterns) {
        check_span(&sources, reference.span);
        let _ = references::parse(&reference.text);
    }
}

pub fn rules(data: &[u8]) {
    let Some((sources, file)) = source(PROMPT, data) else { return };
    let text = &sources.get(file).text;
    let lines = line::lines_of(&sources, file, fence::body(text)..text.len());
    let read = rules::read(&sources, &lines);
    for rule in &read.rules {
        rule.terms.iter().chain(&rule.except).for_each(|term| check_span(&sources, term.span));
    }
    for done in [false, true] {
        let emitted =
            rules::emitted(&lines, &read, |_| done, &sources);
        assert!(emitted.len() <= lines.len() + 1, "carrying out directives makes a prompt longer");
    }
}

/// `%%%` separates layers.
pub fn fold(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut layers = text.split("%%%\n");
    let mut layer = || layers.next().unwrap_or_default().to_owned();
    let files = [
        (PROMPT, "# Clerk\n\nYou sort letters.\n".to_owned()),
        (STANDARD, layer()),
        (".faber/overlays/organization/contexts/standards/standards-a.md", layer()),
        ("roles/clerk/contexts/standards/standards-a.md", layer()),
    ];
    assemble(MemoryWorld::new(files), Job::new(Request::new(REQUEST)));
}

/// `%%%` separates the user's configuration.
pub fn config(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (own, user) = text.split_once("%%%\n").unwrap_or((text, ""));
    let world = MemoryWorld::new([
        (PROMPT, "# Clerk\n\nYou sort letters.\n"),
        (STANDARD, "---\nload: always\n---\n# Letters\n\nSort letters by day.\n"),
        (".faber/config.yml", own),
    ]);
    let mut options = options();
    options.user_config =
        Some(("/home/u/.config/faber/config.yml".into(), Ok(user.to_owned().into())));
    let mut workspace = Workspace::open(world, options);
    let _ = workspace.assemble(Job::new(Request::new(REQUEST)), None);
    check_findings(&workspace.sources, &workspace.found);
}

pub fn conversation(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(history) = stream::read("history.jsonl", text) else { return };
    let world = MemoryWorld::new([(PROMPT, "# Clerk\n\nYou sort letters.\n")]);
    let mut job = Job::new(Request::new(REQUEST));
    job.history = history;
    assemble(world, job);
}

pub fn importers(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let path = IMPORTS[usize::from(first) % IMPORTS.len()];
    let what = format::recognize(path.into()).unwrap_or_else(|| panic!("{path} is not known"));
    let Some((sources, file)) = source(path, data) else { return };
    let text = &sources.get(file).text;
    let mut found = Vec::new();
    read::pieces(&sources, file, &what, &|_, bytes: std::ops::Range<usize>| text[bytes].to_owned(), &mut found);
    check_findings(&sources, &found);
}

pub fn lsp(mut data: &[u8]) {
    let mut left = data.len() + 1;
    while let Ok(Some(_)) = wire::read(&mut data) {
        assert!(data.len() < left, "a message that takes nothing comes again and again");
        left = data.len();
    }
}

pub fn mcp(data: &[u8]) {
    let input = std::io::Cursor::new(data.to_vec());
    let transport = StdioTransport::start(Box::new(input), Box::new(std::io::sink()));
    let mut transport = transport.expect("a thread");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let lines = data.split(|&byte| byte == b'\n').count();
    let mut messages = 0;
    while runtime.block_on(transport.receive()).is_some() {
        messages += 1;
        assert!(messages <= lines, "more messages than lines");
    }
}

fn source(path: &str, data: &[u8]) -> Option<(SourceMap, FileId)> {
    let text = std::str::from_utf8(data).ok()?;
    let mut sources = SourceMap::default();
    let file = sources.add(path.into(), text.to_owned());
    Some((sources, file))
}

fn options() -> Options {
    Options::on(jiff::civil::date(2026, 1, 15))
}

fn assemble(world: MemoryWorld, mut job: Job) {
    job.budget = Some(Amount::Tokens(900));
    let bundle = || {
        let mut workspace = Workspace::open(world.clone(), options());
        let bundle = workspace.assemble(job.clone(), None).map(|it| it.bundle.text().to_owned());
        check_findings(&workspace.sources, &workspace.found);
        bundle.map_err(|error| error.to_string())
    };
    assert_eq!(bundle(), bundle(), "assembling again gives something else");
}

fn check_findings(sources: &SourceMap, found: &[Diagnostic]) {
    found.iter().for_each(|finding| check_span(sources, finding.primary.span));
}

fn check_span(sources: &SourceMap, span: Span) {
    let text = &sources.get(span.file).text;
    let bytes = span.start as usize..span.end as usize;
    assert!(
        text.get(bytes.clone()).is_some(),
        "{bytes:?} is not a range of characters in {} bytes",
        text.len()
    );
}

#[cfg(test)]
mod tests {
    #[test]
    fn seeds_pass() {
        let targets: [(&str, fn(&[u8])); 9] = [
            ("front_matter", super::front_matter),
            ("prose", super::prose),
            ("rules", super::rules),
            ("fold", super::fold),
            ("config", super::config),
            ("conversation", super::conversation),
            ("importers", super::importers),
            ("lsp", super::lsp),
            ("mcp", super::mcp),
        ];
        for (name, target) in targets {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
            let seeds: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
            assert!(!seeds.is_empty(), "{name} has no seeds");
            for seed in seeds {
                target(&std::fs::read(seed.unwrap().path()).unwrap());
            }
        }
        for path in super::IMPORTS {
            assert!(super::format::recognize(path.into()).is_some(), "{path}");
        }
    }
}
