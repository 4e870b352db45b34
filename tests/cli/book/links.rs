//! Links between documents, and the table of contents.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{chapters, repository};

const BESIDE: [&str; 4] = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"];

struct Links {
    targets: Vec<String>,
    anchors: Vec<String>,
}

impl Links {
    fn read(text: &str) -> Self {
        let mut links = Self { targets: Vec::new(), anchors: Vec::new() };
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    links.targets.push(dest_url.to_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = slug(&heading.take().unwrap_or_default());
                    let again = links.anchors.iter().filter(|known| **known == anchor).count();
                    links.anchors.push(match again {
                        0 => anchor,
                        again => format!("{anchor}-{again}"),
                    });
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        links
    }
}

fn slug(heading: &str) -> String {
    let dashes = heading.trim().to_lowercase().replace(' ', "-");
    dashes.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    Some(normal)
}

fn documents() -> BTreeMap<PathBuf, Links> {
    let all = chapters().into_iter().chain(BESIDE.map(str::to_owned));
    let all = all.chain(["docs/SUMMARY.md".to_owned()]);
    let read = |path: String| {
        let text = std::fs::read_to_string(repository().join(&path)).unwrap();
        (PathBuf::from(path), Links::read(&text.replace("\r\n", "\n")))
    };
    all.map(read).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let documents = documents();
    let mut dead = Vec::new();
    for (from, links) in &documents {
        for target in links.targets.iter().filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                Some(from.clone())
            } else {
                normal(&from.parent().unwrap().join(file))
            };
            let there = path.as_ref().is_some_and(|path| repository().join(path).exists());
            let inside = !from.starts_with("docs")
                || path.as_ref().is_some_and(|path| path.starts_with("docs"));
            let known = anchor.is_empty()
                || path
                    .and_then(|path| documents.get(&path))
                    .is_some_and(|links| links.anchors.iter().any(|known| known == anchor));
            if !(there && inside && known) {
                dead.push(format!("{}: {target}", from.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let text = std::fs::read_to_string(repository().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<String> =
        Links::read(&text).targets.iter().map(|page| format!("docs/{page}")).collect();
    listed.sort();
    assert_eq!(listed, chapters());
}

#[test]
fn anchors_are_those_of_forges() {
    let links = Links::read("# What is `planned`, and *why*?\n\n## A\n\n## A\n\n[b](c.md#d)\n");
    assert_eq!(links.anchors, ["what-is-planned-and-why", "a", "a-1"]);
    assert_eq!(links.targets, ["c.md#d"]);
    assert_eq!(normal(Path::new("docs/../a/./b")), Some("a/b".into()));
    assert_eq!(normal(Path::new("docs/../../a")), None);
}
