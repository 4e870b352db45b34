use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, MatchKind};
use rayon::prelude::*;

use crate::validate::check::LintContext;
use crate::validate::rules::undeclared_tool::bare_server;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::fence;
use faber_core::rules::unused_tool::RULE;
use faber_core::source::{FileId, Spanned};
use faber_core::workspace::survey::{FileEntry, FileKind};

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let documents = &whole.survey.documents;
    let with_tools: Vec<&Document> =
        documents.iter().filter(|it| !it.front.fields.required_tools.is_empty()).collect();
    let tools = with_tools.iter().flat_map(|it| &it.front.fields.required_tools);
    let names: BTreeSet<&str> = tools.map(name).filter(|it| !it.is_empty()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let matcher = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(&names);
    let Some(matcher) = matcher.ok().filter(|_| !names.is_empty()) else { return };
    let used = |entry: &FileEntry| match entry.kind {
        FileKind::Config | FileKind::Agent | FileKind::Note | FileKind::Conversation => None,
        _ => {
            let text = &whole.sources.get(entry.file).text;
            Some((entry.file, named(&matcher, &text[fence::body(text)..])))
        }
    };
    let used: Vec<(FileId, BTreeSet<usize>)> =
        whole.survey.files.par_iter().filter_map(used).collect();
    let by_file: BTreeMap<FileId, &BTreeSet<usize>> =
        used.iter().map(|(file, used)| (*file, used)).collect();
    let anywhere: BTreeSet<&str> =
        used.iter().flat_map(|(_, used)| used).map(|&at| names[at]).collect();
    for document in with_tools {
        let names_none = by_file.get(&document.file).is_none_or(|used| used.is_empty());
        if names_none && speaks_of_server(whole, document) {
            continue;
        }
        for tool in &document.front.fields.required_tools {
            let name = name(tool);
            if !name.is_empty() && !anywhere.contains(name) {
                let message = format!("nothing uses `{}`", tool.value);
                found.push(RULE.at(tool.span, message).help("remove it, or say when to use it"));
            }
        }
    }
}

fn name(tool: &Spanned<String>) -> &str {
    let name = tool.value.rsplit("__").next().unwrap_or_default();
    let name = name.rsplit([':', '.', '/']).next().unwrap_or_default().trim();
    if name.contains('*') { "" } else { name }
}

fn named(matcher: &AhoCorasick, text: &str) -> BTreeSet<usize> {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    let hits = matcher.find_iter(text).filter(|hit| {
        let before = hit.start().checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(hit.end());
        !before.is_some_and(is_word) && !after.is_some_and(|byte| is_word(byte) || *byte == b'_')
    });
    hits.map(|hit| hit.pattern().as_usize()).collect()
}

fn speaks_of_server(whole: &LintContext<'_>, document: &Document) -> bool {
    let text = whole.sources.text(document.body).to_lowercase();
    let server = document.front.fields.mcp_server.as_ref();
    let server = server.map(|server| bare_server(&server.value).to_lowercase());
    let tells = |word: &str| text.contains(word);
    tells("mcp") || (tells("tool") && server.is_some_and(|server| tells(&server)))
}
