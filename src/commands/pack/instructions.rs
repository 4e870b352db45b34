//! MCP servers and other files of packs before and after a change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::effects::{ChangeKind, FileChange, ServerChange};
use faber_core::packs;
use faber_core::workspace::survey::FileKind;
use faber_core::yaml::Node;
use faber_lint::validate::Linter;
use faber_output::text::unified_diff;

pub(super) fn files([before, after]: [&Linter; 2]) -> Vec<FileChange> {
    let changes = changes(texts(before), texts(after)).into_iter();
    let change = |(file, kind, [was, is]): (String, ChangeKind, [String; 2])| {
        let unified = unified_diff(&was, &is, &format!("a/{file}"), &format!("b/{file}"));
        FileChange { file, kind, unified }
    };
    changes.map(change).collect()
}

pub(super) fn servers([before, after]: [&Linter; 2]) -> Vec<ServerChange> {
    let changes = changes(definitions(before), definitions(after)).into_iter();
    changes.map(|((pack, server), kind, _)| ServerChange { pack, server, kind }).collect()
}

fn changes<K: Ord + Clone>(
    mut before: BTreeMap<K, String>,
    mut after: BTreeMap<K, String>,
) -> Vec<(K, ChangeKind, [String; 2])> {
    let keys: BTreeSet<K> = before.keys().chain(after.keys()).cloned().collect();
    let change = |key: K| {
        let pair = [before.remove(&key), after.remove(&key)];
        let kind = ChangeKind::between(pair[0].as_ref(), pair[1].as_ref())?;
        Some((key, kind, pair.map(Option::unwrap_or_default)))
    };
    keys.into_iter().filter_map(change).collect()
}

fn texts(linter: &Linter) -> BTreeMap<String, String> {
    let sources = &linter.workspace.sources;
    let is_shown = |kind: FileKind| match kind {
        FileKind::Prompt
        | FileKind::Task
        | FileKind::Flow
        | FileKind::Agent
        | FileKind::Partial
        | FileKind::Config => true,
        FileKind::Context | FileKind::Readme | FileKind::Note | FileKind::Conversation => false,
    };
    let files = linter.survey.files.iter().filter(|entry| is_shown(entry.kind));
    let text = files.filter_map(|entry| {
        let path = sources.path(entry.file);
        let pack = packs::of_path(path)?;
        let below = path.strip_prefix(packs::folder(pack)).ok()?;
        Some((format!("{pack}:{below}"), sources.get(entry.file).text.to_string()))
    });
    text.collect()
}

fn definitions(linter: &Linter) -> BTreeMap<(String, String), String> {
    let mut found: BTreeMap<(String, String), String> = BTreeMap::new();
    for (&at, config) in &linter.survey.configs {
        let layer = &linter.survey.layers[at];
        let Some(pack) = layer.pack() else { continue };
        for server in config.get("mcp_servers").map(Node::entries).unwrap_or_default() {
            let text = found.entry((pack.to_owned(), server.key.clone())).or_default();
            let _ = writeln!(text, "{}: {}", layer.folder, server.value.to_json());
        }
    }
    found
}
