//! A file that is there, as an export leaves it.

use super::managed;
use super::piece::{tidy, with_front};
use super::target::{Output, Target};
use crate::config;
use crate::parse::fence::{self, Split};
use crate::parse::frontmatter::{self, Kind};
use crate::source::SourceMap;
use crate::yaml::Entry;

/// `before` with the parts and the front matter of `output`; none when somebody else wrote it.
///
/// A file is faber's to write when it has a part that faber wrote, when several may share it, or
/// when it says word for word what is exported, so that nothing is lost: it was imported from there,
/// which `original` tells too where the words are not the same.
pub fn updated(before: &str, output: &Output, target: Target, original: bool) -> Option<String> {
    let body = fence::body(before);
    let text = &before[body..];
    let parts = managed::parts(text);
    let own = tidy(&managed::own(text, &parts));
    let is_exported = output.parts.iter().any(|(_, part)| {
        managed::parts(part).iter().any(|it| tidy(&part[it.inner.clone()]) == own)
    });
    if parts.is_empty() && (original || is_exported) && !own.is_empty() {
        return Some(output.fresh());
    }
    let is_shared = output.front.is_empty() && matches!(fence::split(before), Split::None { .. });
    if parts.is_empty() && !is_shared && !own.is_empty() {
        return None;
    }
    let woven = managed::weave(text.trim_start_matches(['\n', '\r']), &output.parts);
    if is_shared {
        return Some(format!("{}{woven}", &before[..body]));
    }
    let front = format!("{}{}", output.front, config::verbatim(&others(before, output, target)));
    Some(with_front(&front, &woven))
}

/// What the front matter of `before` has that is neither the target's nor in the new one.
fn others(before: &str, output: &Output, target: Target) -> Vec<Entry> {
    let entries = |text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("file.md".into(), text.to_owned());
        frontmatter::read(&sources, file, Kind::Context).value.front.node.entries().to_vec()
    };
    let new = entries(&output.fresh());
    let is_new = |key: &str| new.iter().any(|entry| entry.key == key);
    let mut others = entries(before);
    others.retain(|it| !is_new(&it.key) && it.key != "title" && !target.keys().contains(&&*it.key));
    others
}

/// `before` without what faber wrote; none when nothing is left.
pub fn without_parts(before: &str) -> Option<String> {
    let body = fence::body(before);
    let rest = managed::weave(&before[body..], &[]);
    (!rest.trim().is_empty()).then(|| format!("{}{rest}", &before[..body]))
}
