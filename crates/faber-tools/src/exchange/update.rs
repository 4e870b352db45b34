use std::borrow::Cow;

use super::managed;
use super::piece::{tidy, with_front};
use super::target::{OutputFile, ToolTarget};
use crate::front_edit;
use faber_core::line;
use faber_core::markdown::Lines;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::rules::invalid_frontmatter;
use faber_core::source::SourceMap;
use faber_core::yaml::Entry;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportRefusal {
    Foreign,
    Marks,
    FrontMatter,
}

impl ExportRefusal {
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Foreign => (
                "was not written by faber; not overwritten",
                "import it first, or move it away, so that no text is lost",
            ),
            Self::Marks => (
                "has a `faber:` marker without its counterpart, or in a code block",
                "fix or remove the lines with `faber: begin` and `faber: end`",
            ),
            Self::FrontMatter => (
                "has front matter that cannot be changed without losing some of it",
                "fix it, or move the file away",
            ),
        }
    }
}

/// Keeps line ends. `original` allows other wording in imported files.
pub(crate) fn updated(
    before: &str,
    output: &OutputFile,
    target: ToolTarget,
    original: bool,
) -> Result<String, ExportRefusal> {
    let plain = plain(before);
    let after = updated_plain(&plain, output, target, original)?;
    Ok(if after == plain { before.to_owned() } else { in_ends_of(before, &after) })
}

fn plain(text: &str) -> Cow<'_, str> {
    if line::ending(text) == "\n" { text.into() } else { text.replace("\r\n", "\n").into() }
}

fn in_ends_of(file: &str, plain: &str) -> String {
    plain.replace('\n', line::ending(file))
}

fn updated_plain(
    before: &str,
    output: &OutputFile,
    target: ToolTarget,
    original: bool,
) -> Result<String, ExportRefusal> {
    let split = fence::split(before);
    if matches!(split, Split::Unclosed(_)) {
        return Err(ExportRefusal::FrontMatter);
    }
    let body = fence::body(before);
    let text = &before[body..];
    if !managed::is_whole(text) {
        return Err(ExportRefusal::Marks);
    }
    let parts = managed::parts(text);
    let own = tidy(&managed::own(text, &parts));
    let is_said = output.parts.iter().any(|(_, part)| {
        managed::parts(part).iter().any(|it| tidy(&part[it.inner.clone()]) == own)
    });
    let is_shared = output.front.is_empty();
    let is_copy = || parts.is_empty() && is_said && says_no_more(before, output, target);
    let takes_over = !own.is_empty() && (original || is_copy());
    if parts.is_empty() && !is_shared && !own.is_empty() && !takes_over {
        return Err(ExportRefusal::Foreign);
    }
    let kept = if takes_over { "" } else { text.trim_start_matches(['\n', '\r']) };
    let woven = managed::weave(kept, &output.parts);
    let after = match split {
        _ if is_shared && !original => format!("{}{woven}", &before[..body]),
        Split::Closed(_) => {
            let others = others(before, output, target).ok_or(ExportRefusal::FrontMatter)?;
            with_front(&format!("{}{others}", output.front), &woven)
        }
        _ => with_front(&output.front, &woven),
    };
    if is_readable(&after, output) { Ok(after) } else { Err(ExportRefusal::Marks) }
}

fn is_readable(after: &str, output: &OutputFile) -> bool {
    let text = &after[fence::body(after)..];
    let mut found: Vec<String> = managed::parts(text).into_iter().map(|part| part.id).collect();
    let mut wanted: Vec<&String> = output.parts.iter().map(|(id, _)| id).collect();
    found.sort();
    wanted.sort();
    managed::is_whole(text) && found.iter().eq(wanted)
}

fn says_no_more(before: &str, output: &OutputFile, target: ToolTarget) -> bool {
    let new = entries(&output.fresh());
    entries(before).iter().all(|entry| {
        let same = new.iter().find(|new| new.key == entry.key);
        same.map_or(!target.keys().contains(&&*entry.key), |new| {
            new.value.to_json() == entry.value.to_json()
        })
    })
}

fn entries(text: &str) -> Vec<Entry> {
    front_edit::read(text).front.node.entries().to_vec()
}

fn others(before: &str, output: &OutputFile, target: ToolTarget) -> Option<String> {
    let Split::Closed(fences) = fence::split(before) else { return Some(String::new()) };
    let mut sources = SourceMap::default();
    let file = sources.add("file.md".into(), before.to_owned());
    let read = frontmatter::read(&sources, file, FrontKind::Context);
    let spoiled = read.diagnostics.iter().any(|found| {
        let fixed = found.rule() == &invalid_frontmatter::RULE && !found.fix.is_empty();
        !fixed && frontmatter::is_structural(found.rule())
    });
    if spoiled {
        return None;
    }
    let new = entries(&output.fresh());
    let is_ours =
        |key: &str| target.keys().contains(&key) || new.iter().any(|entry| entry.key == key);
    let yaml = &before[fences.yaml..fences.yaml_end];
    let lines = Lines::new(yaml);
    let entries = read.value.front.node.entries().iter();
    let starts: Vec<(usize, bool)> = entries
        .map(|it| (lines.at(it.key_span.range().start - fences.yaml), is_ours(&it.key)))
        .collect();
    let mut kept = String::new();
    let mut ours = false;
    for line in 0..lines.len() {
        let shown = lines.text(line);
        let start = starts.iter().find(|(start, _)| *start == line);
        ours = start.map_or(ours, |(_, is_ours)| *is_ours);
        let is_comment = start.is_none() && shown.starts_with('#');
        if is_comment || (!ours && !shown.trim().is_empty()) {
            kept.push_str(shown);
            kept.push('\n');
        }
    }
    Some(kept)
}

pub(crate) fn without_parts(
    before: &str,
    target: ToolTarget,
) -> Result<Option<String>, ExportRefusal> {
    let rest = without_parts_plain(&plain(before), target)?;
    Ok(rest.map(|rest| in_ends_of(before, &rest)))
}

fn without_parts_plain(before: &str, target: ToolTarget) -> Result<Option<String>, ExportRefusal> {
    let body = fence::body(before);
    if !managed::is_whole(&before[body..]) {
        return Err(ExportRefusal::Marks);
    }
    let rest = managed::weave(&before[body..], &[]);
    if !rest.trim().is_empty() {
        return Ok(Some(format!("{}{rest}", &before[..body])));
    }
    let nothing = OutputFile { path: "file.md".into(), front: String::new(), parts: Vec::new() };
    let others = others(before, &nothing, target).ok_or(ExportRefusal::FrontMatter)?;
    Ok((!others.is_empty()).then(|| with_front(&others, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> OutputFile {
        let part = managed::wrap("standard/a", None, "New.\n").unwrap();
        OutputFile {
            path: ".cursor/rules/a.mdc".into(),
            front: "description: new\nglobs:\nalwaysApply: true\n".to_owned(),
            parts: vec![("standard/a".to_owned(), part)],
        }
    }

    fn update(before: &str) -> Result<String, ExportRefusal> {
        updated(before, &output(), ToolTarget::Cursor, false)
    }

    #[test]
    fn front_matter_of_others_stays_line_by_line() {
        let part = &output().parts[0].1;
        let before = format!(
            "---\n# mine\ndescription: old # too\nglobs:\n  - x\nmyKey: keep # why\ntitle: Mine\nmap:\n  a: 1\n---\n\n{part}"
        );
        let after = update(&before).unwrap();
        let expected = "---\ndescription: new\nglobs:\nalwaysApply: true\n# mine\nmyKey: keep # why\ntitle: Mine\nmap:\n  a: 1\n---\n";
        assert!(after.starts_with(expected), "{after}");
        assert_eq!(update(&after).unwrap(), after);
        let left = without_parts(&after, ToolTarget::Cursor).unwrap().unwrap();
        assert_eq!(left, "---\n# mine\nmyKey: keep # why\ntitle: Mine\nmap:\n  a: 1\n---\n");
        assert_eq!(without_parts(&output().fresh(), ToolTarget::Cursor), Ok(None));
    }

    #[test]
    fn a_file_keeps_its_line_ends() {
        let windows = |text: &str| text.replace('\n', "\r\n");
        let fresh = windows(&output().fresh());
        assert_eq!(update(&fresh).unwrap(), fresh, "it is up to date");
        let old = windows(
            &output().fresh().replace("New.", "Old.").replace("---\n\n", "---\n\nMine.\n\n"),
        );
        let after = update(&old).unwrap();
        assert_eq!(after, old.replace("Old.", "New."));
        let left = without_parts(&after, ToolTarget::Cursor).unwrap().unwrap();
        assert!(left.ends_with("\r\n\r\nMine.\r\n") && left == windows(&plain(&left)), "{left:?}");
    }

    #[test]
    fn updates_that_could_lose_text_are_refused() {
        let part = &output().parts[0].1;
        assert_eq!(update("Somebody's.\n"), Err(ExportRefusal::Foreign));
        assert_eq!(update("---\ndescription: mine\n---\nNew.\n"), Err(ExportRefusal::Foreign));
        assert!(
            update("---\nmyKey: 1\nalwaysApply: true\n---\nNew.\n").unwrap().contains("myKey: 1")
        );
        assert_eq!(update(&format!("---\na: 1\ntext\n\n{part}")), Err(ExportRefusal::FrontMatter));
        assert_eq!(
            update(&format!("---\nprose of mine\n---\n\n{part}")),
            Err(ExportRefusal::FrontMatter)
        );
        assert_eq!(
            update(&format!("---\na: 1\na: 2\n---\n\n{part}")),
            Err(ExportRefusal::FrontMatter)
        );
        assert_eq!(
            update(&format!("<!-- faber: begin standard/b -->\nx\n{part}")),
            Err(ExportRefusal::Marks)
        );
        assert_eq!(update(&format!("```\nMine.\n{part}```\n")), Err(ExportRefusal::Foreign));
    }
}
