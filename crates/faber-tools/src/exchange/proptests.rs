//! Exports and imports round-trip.

use std::ops::Range;

use camino::Utf8Path;
use proptest::prelude::*;

use super::piece::{self, ExchangePiece, Subject, tidy};
use super::target::{self, OutputFile, OutputKind, ToolTarget};
use super::{format, managed, read};
use faber_core::category::{CATEGORIES, Load};
use faber_core::context_id::ContextId;
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::select::globs;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::yaml;

#[derive(Clone, Debug)]
struct Stated {
    subject: Subject,
    title: Option<String>,
    description: Option<String>,
    load: Load,
    globs: Vec<String>,
    extra: Vec<&'static str>,
    body: String,
}

fn text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "a", "Use", ": ", "# ", "'", "\"", "\\", "- ", "**/*", "{x}", "[y]", "é", "日", " ", ",",
        "true", "1.10", "<!--", "-->", "@x", "\u{a0}", "%", "|", ">",
    ]);
    prop::collection::vec(words, 1..8).prop_map(|words| words.concat().trim().to_owned())
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => text(),
        1 => Just(String::new()),
        2 => prop::sample::select(vec![
            "---", "```", "~~~", "# Title", "- item", "| a | b |", "<!-- faber: begin standard/x -->",
            "<!-- faber: end standard/y -->", "For files that match `a`:", "    code", "key: value",
            "[a](./b.md)", "<div>",
        ]).prop_map(str::to_owned),
    ]
}

const GLOBS: &str = "**/*.py, src/**/*.ts, *.{ts,tsx}, docs/**, a/b/**, **, **/*, Makefile, \
    [ab].c, my file.txt, a#b, {a,b}/**, -x, !no, 'q', src/";

fn glob() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(GLOBS.split(", ").collect::<Vec<_>>()).prop_map(str::to_owned),
        "[a-z*?/.]{1,8}",
    ]
    .prop_filter("a glob that can be matched", |glob| {
        let file = SourceMap::default().add("x".into(), String::new());
        globs::parse(&faber_core::source::Spanned {
            value: glob.clone(),
            span: Span::start_of(file),
        })
        .is_ok()
    })
}

fn stated() -> impl Strategy<Value = Stated> {
    let name = prop_oneof![3 => "[a-zA-Z0-9][a-zA-Z0-9_.-]{0,10}", 1 => "[a-z]{1,4} [a-zé]{1,4}"];
    let id =
        (prop::sample::select(CATEGORIES.iter().map(|row| row.category).collect::<Vec<_>>()), name);
    let subject = prop_oneof![
        6 => id.prop_map(|(category, name)| Subject::Context(ContextId::new(category, name.as_str()))),
        1 => "[a-z][a-z0-9-]{0,8}".prop_map(Subject::Role),
    ];
    let extra = prop::sample::subsequence(
        vec![
            "license: MIT",
            "metadata:\n  author: x\n  deep:\n    - 1\n    - a: true",
            "odd: \"a: b\"",
            "n: 12",
        ],
        0..3,
    );
    let load = prop::sample::select(vec![Load::Always, Load::Files, Load::OnDemand]);
    let body = prop::collection::vec(line(), 0..8).prop_map(|lines| tidy(&lines.join("\n")));
    let about = (prop::option::of(text()), prop::option::of(text()));
    (subject, about, load, prop::collection::vec(glob(), 0..3), extra, body).prop_map(
        |(subject, (title, description), load, globs, extra, body)| {
            let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
            let everything = globs.iter().any(|glob| globs::matches_everything(glob));
            let load = match load {
                _ if matches!(subject, Subject::Role(_)) => Load::Always,
                Load::Files if globs.is_empty() => Load::OnDemand,
                Load::Files if everything => Load::Always,
                load => load,
            };
            let globs = if load == Load::OnDemand { Vec::new() } else { globs };
            let (title, description) = (filled(title), filled(description));
            Stated { subject, title, description, load, globs, extra, body }
        },
    )
}

impl Stated {
    fn piece(&self, file: FileId) -> ExchangePiece {
        let front: String = self.extra.iter().flat_map(|line| [line, "\n"]).collect();
        let mut sources = SourceMap::default();
        let of = sources.add("extra.yml".into(), front.clone());
        let node = yaml::parse_text(&front, of).unwrap();
        ExchangePiece {
            subject: self.subject.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            load: self.load,
            globs: self.globs.clone(),
            keywords: Vec::new(),
            extra: node.entries().to_vec(),
            body: self.body.clone(),
            at: Span::start_of(file),
            managed: true,
            suffix: String::new(),
        }
    }
}

#[derive(Debug, PartialEq)]
struct PieceSummary {
    subject: String,
    title: Option<String>,
    description: Option<String>,
    load: Load,
    globs: Vec<String>,
    extra: String,
    body: String,
}

fn summary(piece: &ExchangePiece) -> PieceSummary {
    PieceSummary {
        subject: piece.subject.to_string(),
        title: piece.title.clone(),
        description: piece.description.clone(),
        load: piece.load,
        globs: piece.globs.clone(),
        extra: faber_core::config::verbatim(&piece.extra),
        body: piece.body.clone(),
    }
}

fn expected_summary(target: ToolTarget, kind: OutputKind, piece: &ExchangePiece) -> PieceSummary {
    let mut said = summary(piece);
    let name = piece.subject.name();
    let named = matches!(
        target,
        ToolTarget::Continue | ToolTarget::Copilot | ToolTarget::Claude | ToolTarget::Kiro
    );
    match kind {
        OutputKind::Agent => {
            said.description = Some(target::skill_description(piece));
            said.title = said.title.filter(|title| title != name);
        }
        OutputKind::Shared => {
            said.description = None;
            said.title = None;
            said.extra.clear();
        }
        OutputKind::Skill => said.description = Some(target::skill_description(piece)),
        _ if named => said.title = said.title.filter(|title| title != name),
        _ => {}
    }
    let always = piece.load == Load::Always;
    match (target, kind) {
        (_, OutputKind::Skill | OutputKind::Agent) => {
            said.globs.clear();
            said.load = Load::OnDemand;
        }
        (ToolTarget::Cursor | ToolTarget::Continue, _) => {}
        _ if always => said.globs.clear(),
        _ => {}
    }
    if kind == OutputKind::Rule && matches!(target, ToolTarget::Cursor | ToolTarget::Windsurf) {
        said.title = said.title.filter(|title| title != name);
    }
    said
}

fn read_back(path: &Utf8Path, text: &str) -> Vec<ExchangePiece> {
    let mut sources = SourceMap::default();
    let file = sources.add(path.to_owned(), text.to_owned());
    let what = format::recognize(path).expect("what is exported is known");
    let verbatim = |_, range: Range<usize>| text[range].to_owned();
    read::pieces(&sources, file, &what, &verbatim, &mut Vec::new())
}

fn output(target: ToolTarget, piece: &ExchangePiece) -> Option<(OutputKind, OutputFile)> {
    let kind = target.kind(piece);
    let stem = target.stem(kind, &piece.subject);
    let path = target.path(kind, &stem)?;
    let (front, part, path) = match kind {
        OutputKind::None | OutputKind::Listed => return None,
        OutputKind::Shared => {
            let part = target::shared_part(piece, &|_| true)?;
            let folder = target::shared_folder(piece, &|_| true).unwrap_or_default();
            (String::new(), part, folder.join(path))
        }
        OutputKind::Rule | OutputKind::Skill | OutputKind::Agent => {
            let id = piece.subject.to_string();
            let part = managed::wrap(&id, None, &piece.body)?;
            (target.front(piece, kind, &stem), (id, part), path)
        }
    };
    Some((kind, OutputFile { path, front, parts: vec![part] }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn exports_are_imported_unchanged(stated in stated()) {
        let file = SourceMap::default().add("x.md".into(), String::new());
        let piece = stated.piece(file);
        for (_, target) in ToolTarget::ALL {
            let Some((kind, output)) = output(target, &piece) else { continue };
            let pieces = read_back(&output.path, &output.fresh());
            prop_assert_eq!(pieces.len(), 1, "{:?}\n{}", target, output.fresh());
            prop_assert!(pieces[0].managed);
            let (found, expected) = (summary(&pieces[0]), expected_summary(target, kind, &piece));
            prop_assert_eq!(found, expected, "{:?}\n{}", target, output.fresh());
            let (_, again) = super::proptests::output(target, &pieces[0]).expect("it was written before");
            prop_assert_eq!(again.fresh(), output.fresh(), "{:?}", target);
        }
    }

    #[test]
    fn a_context_says_what_its_piece_does(stated in stated()) {
        let mut sources = SourceMap::default();
        let at = sources.add("x.md".into(), String::new());
        let piece = stated.piece(at);
        let Subject::Context(id) = &piece.subject else { return Ok(()) };
        let (path, text) = (piece.path(), piece.text());
        let file = sources.add(path.clone(), text.clone());
        let mut found = Vec::new();
        let parsed = frontmatter::read(&sources, file, FrontKind::Context).drain_into(&mut found);
        found.retain(|found| found.code() != "unknown-field");
        prop_assert!(found.is_empty(), "{found:?}\n{text}");
        let fields = &parsed.front.fields;
        let stem = id.category.strip_prefix(path.file_stem().unwrap());
        let name = fields.name.as_ref().map_or(stem, |name| name.value.as_str());
        prop_assert_eq!(name, &*id.name);
        prop_assert_eq!(fields.description.as_ref().map(|it| &it.value), piece.description.as_ref());
        let globs: Vec<String> = fields.globs.iter().map(|glob| glob.value.clone()).collect();
        let load = fields.load.as_ref().map(|load| load.value);
        prop_assert_eq!(load.unwrap_or(piece::implied(id.category, &globs)), piece.load);
        prop_assert_eq!(globs, piece.globs);
        prop_assert_eq!(tidy(&text[parsed.body..]), piece.body);
    }

    #[test]
    fn own_text_survives_every_export(
        own in prop::collection::vec(line(), 1..5),
        after in prop::collection::vec(line(), 0..3),
        first in stated(),
        second in stated(),
    ) {
        let file = SourceMap::default().add("x.md".into(), String::new());
        let part = |stated: &Stated| {
            let piece = stated.piece(file);
            Some((piece.subject.to_string(), managed::wrap(&piece.subject.to_string(), None, &piece.body)?))
        };
        let (Some(first), Some(second)) = (part(&first), part(&second)) else { return Ok(()) };
        let own = tidy(&own.join("\n"));
        prop_assume!(managed::parts(&own).is_empty() && !own.contains("faber:"));
        let after = tidy(&after.join("\n"));
        prop_assume!(!after.contains("faber:"));
        let mut text = format!("{}{after}", managed::weave(&own, std::slice::from_ref(&first)));
        // An unclosed fence would hide the parts.
        prop_assume!(managed::parts(&text).len() == 1);
        for parts in [vec![second.clone()], vec![second.clone(), first.clone()], Vec::new(), vec![first]] {
            text = managed::weave(&text, &parts);
            prop_assume!(managed::parts(&text).len() == parts.len());
            prop_assert_eq!(managed::weave(&text, &parts), text.clone(), "it changes nothing twice");
            let kept = managed::own(&text, &managed::parts(&text));
            let lines = |text: &str| -> Vec<String> {
                text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
            };
            prop_assert_eq!(lines(&kept), lines(&format!("{own}{after}")));
        }
    }
}
