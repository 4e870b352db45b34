use std::ops::Range;

use camino::Utf8PathBuf;

use faber_core::config::{self, ConfigSource};
use faber_core::error::Error;
use faber_core::line;
use faber_core::packs::declare::{Declarations, DeclaredPack, PackSource};
use faber_core::source::SourceMap;
use faber_core::yaml::{Node, Value};

const BY_HAND: &str =
    " by hand, then run `faber pack update`, with `--user` for your own configuration";

/// A pack of the name keeps its other fields.
///
/// # Errors
///
/// If the text cannot be edited safely.
pub fn with_pack(text: &str, pack: &PackRequest<'_>) -> Result<String, Error> {
    let name = pack.name;
    let mut known = declarations(text, false).packs;
    known.retain(|known| known.name.value == name);
    let former = known.pop();
    let text = if former.is_some() { without_pack(text, name)? } else { text.to_owned() };
    let (_, node) = parsed(&text);
    let line = pack.line(former.as_ref());
    let ending = line::ending(&text);
    let in_file = |new: String| new.replace('\n', ending);
    let new = match node.get("packs") {
        _ if let Some((at, comment)) = empty_packs(&text) => {
            let (before, after) = (&text[..at.start], &text[at.end..]);
            format!("{before}{}{after}", in_file(format!("packs:{comment}\n  {line}\n")))
        }
        None => {
            let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{}", in_file(format!("{end}packs:\n  {line}\n")))
        }
        Some(packs) if packs.entries().is_empty() => return Err(by_hand(&line)),
        Some(packs) => {
            let last = packs.entries().last().map_or(packs, |entry| &entry.value);
            let first = packs.entries()[0].key_span.start as usize;
            let indent = &text[line_start(&text, first)..first];
            if indent.is_empty() || !indent.bytes().all(|byte| byte == b' ') {
                return Err(by_hand(&line));
            }
            let at = line_end(&text, value_end(&text, last));
            let break_before = if text[..at].ends_with('\n') { "" } else { "\n" };
            let new = in_file(format!("{break_before}{indent}{line}\n"));
            format!("{}{new}{}", &text[..at], &text[at..])
        }
    };
    let (before, after) = (declared(&text), declared(&new));
    let is_added = after.last().is_some_and(|(last, _)| last == name);
    let others: Vec<_> = after.into_iter().filter(|(other, _)| other != name).collect();
    let is_safe = is_added && others == before && is_same_else(&text, &new);
    is_safe.then_some(new).ok_or_else(|| by_hand(&line))
}

/// # Errors
///
/// If it is not declared, or the text cannot be edited safely.
pub fn without_pack(text: &str, name: &str) -> Result<String, Error> {
    let (_, node) = parsed(text);
    let whole = node.entries().iter().find(|entry| entry.key == "packs");
    let packs = whole.map(|entry| entry.value.entries()).unwrap_or_default();
    let Some(entry) = packs.iter().find(|entry| entry.key == name) else {
        let known = packs.iter().map(|entry| entry.key.as_str()).filter(|key| *key != "allow");
        return Err(Error::unknown("pack", name, known));
    };
    let key = entry.key_span.start as usize;
    let line = line_start(text, key);
    let end = line_end(text, value_end(text, &entry.value));
    let is_only = packs.len() == 1;
    let start = whole.filter(|_| is_only).map_or(line, |entry| entry.key_span.start as usize);
    let new = format!("{}{}", &text[..start], &text[end..]);
    let mut expected = declared(text);
    expected.retain(|(other, _)| other != name);
    let is_plain = text[line..key].bytes().all(|byte| byte == b' ');
    let is_safe = is_plain && declared(&new) == expected && is_same_else(text, &new);
    is_safe.then_some(new).ok_or_else(|| {
        let message = format!("cannot remove `{name}` from `packs` safely");
        Error::usage(message, format!("remove its lines from the configuration{BY_HAND}"))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceForm {
    Git,
    Folder,
    Skills,
}

#[derive(Clone, Copy, Debug)]
pub struct PackRequest<'a> {
    pub name: &'a str,
    pub source: &'a str,
    pub form: SourceForm,
    pub reference: Option<&'a str>,
    pub path: Option<&'a str>,
    pub files: &'a [Utf8PathBuf],
}

impl PackRequest<'_> {
    fn line(&self, former: Option<&DeclaredPack>) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let key = match self.form {
            SourceForm::Git => "git",
            SourceForm::Folder => "path",
            SourceForm::Skills => "skills",
        };
        let mut fields = vec![format!("{key}: {}", quoted(self.source))];
        let former = former.filter(|_| self.form == SourceForm::Git);
        let (mut reference, mut path) = (self.reference, self.path);
        if let Some(PackSource::Git { reference: known, path: folder, .. }) =
            former.map(|former| &former.source)
        {
            reference = reference.or(known.as_deref());
            path = path.or(Some(folder.as_str()).filter(|folder| !folder.is_empty()));
        }
        let signed_by = former.and_then(|former| former.signed_by.as_deref());
        let optional = [("ref", reference), ("path", path), ("signed_by", signed_by)];
        let optional = optional.into_iter().filter_map(|(key, value)| Some((key, value?)));
        fields.extend(optional.map(|(key, value)| format!("{key}: {}", quoted(value))));
        if !self.files.is_empty() {
            let files: Vec<String> = self.files.iter().map(|file| quoted(file.as_str())).collect();
            let files = match &files[..] {
                [file] => file.clone(),
                files => format!("\n      {},\n    ", files.join(",\n      ")),
            };
            fields.push(format!("files: [{files}]"));
        }
        format!("{}: {{ {} }}", self.name, fields.join(", "))
    }
}

fn empty_packs(text: &str) -> Option<(Range<usize>, &str)> {
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end();
        let (value, comment) = line.split_at(line.find(" #").unwrap_or(line.len()));
        let value = value.strip_prefix("packs:").map(str::trim);
        if value.is_some_and(|value| ["", "{}", "~", "null"].contains(&value)) {
            let rest = text[start + whole.len()..].lines();
            let mut rest =
                rest.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
            let is_empty = rest.next().is_none_or(|next| !next.starts_with([' ', '\t']));
            return is_empty.then_some((start..start + whole.len(), comment));
        }
        start += whole.len();
    }
    None
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn by_hand(line: &str) -> Error {
    let message = "faber cannot edit the form of `packs` in the configuration";
    let help = "write `packs:` without braces, one pack a line and indented; for this one add";
    Error::usage(message, format!("{help} `{line}`{BY_HAND}"))
}

fn value_end(text: &str, value: &Node) -> usize {
    fn last(node: &Node) -> u32 {
        let inner = match &node.value {
            Value::Map(entries) => entries.last().map(|entry| last(&entry.value)),
            Value::Seq(items) => items.last().map(last),
            Value::Scalar(_) => None,
        };
        node.span.end.max(inner.unwrap_or(0))
    }
    let end = last(value) as usize;
    let rest = &text[end..];
    let after = rest.trim_start_matches([']', '}', ',', ' ', '\r', '\n']);
    rest[..rest.len() - after.len()].rfind([']', '}']).map_or(end, |at| end + at + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    let before = at.saturating_sub(1);
    text[before..].find('\n').map_or(text.len(), |end| before + end + 1)
}

fn parsed(text: &str) -> (SourceMap, Node) {
    let mut sources = SourceMap::default();
    let file = sources.add("config.yml".into(), text.to_owned());
    let node = config::read(&sources, file, ConfigSource::Workspace).value;
    (sources, node)
}

fn declared(text: &str) -> Vec<(String, PackSource)> {
    let pair = |pack: DeclaredPack| (pack.name.value, pack.source);
    declarations(text, false).packs.into_iter().map(pair).collect()
}

fn is_same_else(one: &str, other: &str) -> bool {
    let rest = |text: &str| {
        let mut node = parsed(text).1;
        if let Value::Map(entries) = &mut node.value {
            entries.retain(|entry| entry.key != "packs");
        }
        node.to_json()
    };
    rest(one) == rest(other)
}

pub(crate) fn declarations(text: &str, is_users: bool) -> Declarations {
    let mut declarations = Declarations::default();
    let (sources, node) = parsed(text);
    declarations.add(&node, &sources, is_users, &mut Vec::new());
    declarations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> Option<String> {
        let wanted = PackRequest {
            name: "acme",
            source: "https://git.example.com/a.git",
            form: SourceForm::Git,
            reference: Some("v2"),
            path: None,
            files: &[],
        };
        with_pack(text, &wanted).ok()
    }

    const LINE: &str = "acme: { git: \"https://git.example.com/a.git\", ref: \"v2\" }\n";

    #[test]
    fn a_pack_is_added_and_all_else_stays() {
        let fresh = format!("packs:\n  {LINE}");
        assert_eq!(added(""), Some(fresh.clone()));
        let settings = "# mine\nsettings: { team: a }";
        assert_eq!(added(settings), Some(format!("{settings}\n{fresh}")));
        let other = "packs:\n    b:\n        path: ../b # note\n\n# end\nroles: [x]\n";
        let expected =
            format!("packs:\n    b:\n        path: ../b # note\n    {LINE}\n# end\nroles: [x]\n");
        assert_eq!(added(other), Some(expected));
        let older = "packs:\n  acme: { git: \"https://x.example/a\" }\n  b: { path: x }\n";
        assert_eq!(added(older), Some(format!("packs:\n  b: {{ path: x }}\n  {LINE}")));
        let key = "signed_by: \"ssh-ed25519 AAAA\"";
        let signed = older.replace(" }\n  b", &format!(", ref: v1, path: p, {key} }}\n  b"));
        let kept = LINE.replace(" }", &format!(", path: \"p\", {key} }}"));
        assert_eq!(added(&signed), Some(format!("packs:\n  b: {{ path: x }}\n  {kept}")));
        let windows = |text: &str| text.replace('\n', "\r\n");
        for text in [settings.replace('}', "}\n").as_str(), other] {
            assert_eq!(added(&windows(text)), added(text).as_deref().map(windows));
        }
        assert_eq!(added("packs: { b: { path: x } }\n"), None);
        for empty in ["packs:\n", "packs: {}\n", "packs:", "packs: ~\n"] {
            assert_eq!(added(empty), Some(fresh.clone()), "{empty}");
        }
        let empty = "a: 1\npacks: # none\n# end\n";
        assert_eq!(added(empty), Some(format!("a: 1\npacks: # none\n  {LINE}# end\n")));
    }

    #[test]
    fn a_pack_is_removed_and_all_else_stays() {
        let text =
            "a: 1\npacks:\n  b: { path: x }\n  acme:\n    path: y\n  c: { path: z }\n# end\n";
        let expected = "a: 1\npacks:\n  b: { path: x }\n  c: { path: z }\n# end\n";
        assert_eq!(without_pack(text, "acme").unwrap(), expected);
        let lines = "packs:\n  b: { path: \".\", files: [\n      \"x\",\n      \"y\",\n    ] }\n  c: { path: z }\n";
        assert_eq!(without_pack(lines, "b").unwrap(), "packs:\n  c: { path: z }\n");
        let only = "a: 1\npacks:\n  b: { path: x }\nroles: [r]\n";
        assert_eq!(without_pack(only, "b").unwrap(), "a: 1\nroles: [r]\n");
        let noted = only.replace("packs:\n", "packs:\n  # packs of the team\n");
        assert_eq!(without_pack(&noted, "b").unwrap(), "a: 1\nroles: [r]\n");
        assert!(without_pack(only, "acme").is_err());
        assert!(without_pack("packs: { b: { path: x }, c: { path: y } }\n", "b").is_err());
    }
}
