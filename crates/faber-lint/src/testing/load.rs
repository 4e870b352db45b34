use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::diagnostic::{Diagnostic, Reported};
use faber_core::rules::{duplicate_test, invalid_test};
use faber_core::source::Span;
use faber_core::world::{DirEntry, Kind, read_all};
use faber_session::session::Workspace;

use super::case::Case;
use super::{read, snapshot};

const FOLDER: &str = "tests";

fn is_case_file(entry: &DirEntry) -> bool {
    let is_yaml = matches!(Utf8Path::new(&entry.name).extension(), Some("yml" | "yaml"));
    is_yaml && !entry.name.starts_with('.') && entry.kind != Kind::Folder
}

pub fn load(workspace: &mut Workspace) -> Reported<Vec<Case>> {
    let mut places: Vec<(Utf8PathBuf, Option<String>)> = Vec::new();
    let (roles, homes) = (workspace.role_names(), workspace.role_homes());
    let before = workspace.found.len();
    let mut add = |folder: Utf8PathBuf, role: Option<&String>, workspace: &mut Workspace| {
        let entries = workspace.list(&folder);
        let cases = entries.iter().filter(|entry| is_case_file(entry));
        places.extend(cases.map(|entry| (folder.join(&entry.name), role.cloned())));
    };
    add(Utf8PathBuf::from(FOLDER), None, workspace);
    for home in homes {
        workspace.list(&home);
        for role in &roles {
            add(home.join(role).join(FOLDER), Some(role), workspace);
        }
    }
    let mut found = workspace.found.split_off(before);
    let paths: Vec<_> = places.iter().map(|(path, _)| path.clone()).collect();
    let ids = read_all(&workspace.files, &paths, &mut workspace.sources, &mut found);
    let mut cases = Vec::new();
    for ((_, role), file) in places.into_iter().zip(ids) {
        let Some(file) = file else { continue };
        let read = read::read(&workspace.sources, file, role.as_deref());
        cases.extend(read.drain_into(&mut found));
    }
    refuse_shared_snapshots(&mut cases, &mut found);
    Reported { value: cases, diagnostics: found }
}

fn refuse_shared_snapshots(cases: &mut Vec<Case>, found: &mut Vec<Diagnostic>) {
    let mut taken: BTreeMap<String, Span> = BTreeMap::new();
    cases.retain(|case| {
        let Some(name) = &case.snapshot else { return true };
        let path = snapshot::path(case, &name.value);
        if path.file_stem().is_none_or(str::is_empty) || path.file_name() == Some(".md") {
            let finding = invalid_test::RULE.at(name.span, "the case's name cannot be a file name");
            found.push(finding.help("name the snapshot: `snapshot: NAME`"));
            return false;
        }
        match taken.insert(lower(&path), name.span) {
            None => true,
            Some(first) => {
                let message = format!("two cases have the snapshot `{path}`");
                let finding =
                    duplicate_test::RULE.at(name.span, message).related(first, "the other one");
                found.push(finding.help("name one of them: `snapshot: NAME`"));
                false
            }
        }
    });
}

fn lower(path: &Utf8Path) -> String {
    path.as_str().to_lowercase()
}
