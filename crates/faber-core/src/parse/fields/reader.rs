//! Reads typed values and reports those of other types.

use jiff::civil::Date;

use crate::config::{self, Amount};
use crate::diagnostic::Diagnostic;
use crate::rules::{bad_date, wrong_field_type};
use crate::source::{SourceMap, Span, Spanned};
use crate::suggest;
use crate::yaml::{Entry, Node, Scalar, ScalarKind, Value};

pub struct FieldReader<'a> {
    pub sources: &'a SourceMap,
    pub found: &'a mut Vec<Diagnostic>,
}

impl FieldReader<'_> {
    /// Numbers and booleans keep their spelling (`version: 1.10`).
    pub fn text(&mut self, entry: &Entry) -> Option<Spanned<String>> {
        self.expected(entry, spanned_text(&entry.value), "text")
    }

    pub fn list(&mut self, entry: &Entry) -> Vec<Spanned<String>> {
        if let Some(items) = entry.value.items() {
            let mut texts = Vec::new();
            for item in items.iter().filter(|item| !item.is_null()) {
                match spanned_text(item) {
                    Some(text) => texts.push(text),
                    None => self.wrong_type(entry, item, "text in its list"),
                }
            }
            return texts;
        }
        let Some(text) = spanned_text(&entry.value) else {
            self.wrong_type(entry, &entry.value, "a list");
            return Vec::new();
        };
        let mut diagnostic = wrong_type(entry, &entry.value, "a list");
        let written = self.sources.text(text.span);
        if let Some((before, after)) = list_marks(entry, written) {
            let Span { file, .. } = text.span;
            let range = text.span.range();
            diagnostic = diagnostic
                .help(format!("write `{}: {before}{written}{after}`", entry.key))
                .fix(Span::new(file, range.start, range.start), before)
                .fix(Span::new(file, range.end, range.end), after);
        } else if written.contains(',') {
            let help = "write `[ITEM, ITEM]`, with quotes around items that contain commas";
            diagnostic = diagnostic.help(help);
        }
        self.found.push(diagnostic);
        vec![text]
    }

    pub(crate) fn words(&mut self, entry: &Entry) -> Vec<Spanned<String>> {
        let Some(text) = entry.value.as_str() else { return self.list(entry) };
        super::globs::located(&entry.value, text, self.sources)
    }

    pub(crate) fn config(&mut self, entry: &Entry) -> Option<Node> {
        let node = Node::nest(&entry.key, entry.value.clone());
        let checked = config::check(node, config::ConfigSource::Environment).drain_into(self.found);
        checked.get(&entry.key).cloned()
    }

    pub fn one_or_more(&mut self, entry: &Entry) -> Vec<Spanned<String>> {
        match spanned_text(&entry.value) {
            Some(text) => vec![text],
            None => self.list(entry),
        }
    }

    pub(crate) fn boolean(&mut self, entry: &Entry) -> Option<bool> {
        if let Some(value) = entry.value.as_bool() {
            return Some(value);
        }
        let mut diagnostic = wrong_type(entry, &entry.value, "`true` or `false`");
        let word = entry.value.as_str().unwrap_or_default().to_lowercase();
        let meant = match &*word {
            "yes" | "on" | "y" | "true" => Some("true"),
            "no" | "off" | "n" | "false" => Some("false"),
            _ => None,
        };
        if let Some(meant) = meant {
            let help = format!("write `{}: {meant}`", entry.key);
            diagnostic = diagnostic.help(help).fix(entry.value.span, meant);
        }
        self.found.push(diagnostic);
        None
    }

    pub fn integer(&mut self, entry: &Entry, least: i64, most: i64) -> Option<Spanned<i64>> {
        let value = entry.value.as_int().filter(|value| (least..=most).contains(value));
        if value.is_none() {
            let wanted = format!("a whole number from {least} to {most}");
            self.wrong_type(entry, &entry.value, &wanted);
        }
        Some(Spanned { value: value?, span: entry.value.span })
    }

    pub fn tokens(&mut self, entry: &Entry, least: u64) -> Option<Spanned<u64>> {
        let value = match Amount::read(&entry.value) {
            Some(Amount::Tokens(tokens)) if tokens >= least => Some(tokens),
            _ => None,
        };
        let value = self.expected(entry, value, "tokens (`8000` or `32k`)")?;
        Some(Spanned { value, span: entry.value.span })
    }

    pub fn fraction(&mut self, entry: &Entry) -> Option<f64> {
        let value = entry.value.as_float().filter(|value| (0.0..=1.0).contains(value));
        self.expected(entry, value, "a number from 0 to 1")
    }

    pub fn date(&mut self, entry: &Entry) -> Option<Spanned<Date>> {
        let text = self.expected(entry, spanned_text(&entry.value), "a date")?;
        let day = text.value.split(['T', ' ']).next().unwrap_or_default();
        let value = civil_date(day);
        if value.is_none() {
            let message = format!("`{}` is not a date: `{}`", entry.key, text.value);
            let help = missing_day(day).unwrap_or_else(|| "write a date as `YYYY-MM-DD`".into());
            self.found.push(bad_date::RULE.at(text.span, message).help(help));
        }
        Some(Spanned { value: value?, span: text.span })
    }

    pub fn word<T: Copy>(
        &mut self,
        entry: &Entry,
        known: &[(&'static str, T)],
    ) -> Option<Spanned<T>> {
        let text = spanned_text(&entry.value);
        let row =
            known.iter().find(|(name, _)| text.as_ref().is_some_and(|text| text.value == *name));
        if row.is_none() {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            self.unknown_word(entry, &names);
        }
        Some(Spanned { value: row?.1, span: entry.value.span })
    }

    pub fn map(&mut self, entry: &Entry) -> Option<()> {
        let is_map = matches!(entry.value.value, Value::Map(_));
        self.expected(entry, is_map.then_some(()), "a map")
    }

    pub(crate) fn unknown_word(&mut self, entry: &Entry, known: &[&'static str]) {
        let list = list_of(known);
        let Some(word) = entry.value.as_str() else {
            return self.wrong_type(entry, &entry.value, &format!("one of {list}"));
        };
        let message = format!("`{}` cannot be `{}`", entry.key, word.trim());
        let help = match suggest::closest(word.trim(), known.iter().copied()) {
            Some(name) => format!("did you mean `{name}`? It can be {list}"),
            None => format!("it can be {list}"),
        };
        let span = entry.value.span;
        self.found.push(wrong_field_type::RULE.at(span, message).help(help));
    }

    fn expected<T>(&mut self, entry: &Entry, value: Option<T>, wanted: &str) -> Option<T> {
        if value.is_none() {
            self.wrong_type(entry, &entry.value, wanted);
        }
        value
    }

    pub fn wrong_type(&mut self, entry: &Entry, node: &Node, wanted: &str) {
        self.found.push(wrong_type(entry, node, wanted));
    }
}

fn wrong_type(entry: &Entry, node: &Node, wanted: &str) -> Diagnostic {
    let shown = match node.scalar() {
        Some(Scalar { text, kind: ScalarKind::Int(_) | ScalarKind::Float(_) }) => {
            format!("`{text}`")
        }
        _ => node.type_name().to_owned(),
    };
    let message = format!("`{}` takes {wanted}, not {shown}", entry.key);
    wrong_field_type::RULE.at(node.span, message)
}

pub(in crate::parse) fn misspelled(
    found: Diagnostic,
    entry: &Entry,
    node: &Node,
    name: &str,
) -> Diagnostic {
    let found = found.exceptional().help(format!("did you mean `{name}`?"));
    if node.get(name).is_none() { found.fix(entry.key_span, name) } else { found }
}

fn spanned_text(node: &Node) -> Option<Spanned<String>> {
    let value = node.as_str()?.trim().to_owned();
    Some(Spanned { value, span: node.span })
}

/// Items may contain commas, or a fix could widen access.
const KEEP_COMMAS: [&str; 3] = ["contradicts", "derived_from", "groups"];

fn list_marks(entry: &Entry, written: &str) -> Option<(&'static str, &'static str)> {
    let text = entry.value.as_str()?;
    let quoted = written.starts_with(['"', '\'']);
    if written.contains(['\n', '\r']) || text.ends_with('\n') || written.is_empty() {
        None
    } else if written.contains(',') && !quoted {
        let is_split = !KEEP_COMMAS.contains(&&*entry.key) && written.split(',').all(is_plain);
        is_split.then_some(("[", "]"))
    } else if quoted || !written.contains(['[', ']', '{', '}', ':']) {
        Some(("[", "]"))
    } else if written.contains('\'') {
        None
    } else {
        Some(("['", "']"))
    }
}

fn is_plain(item: &str) -> bool {
    let item = item.trim();
    item.starts_with(char::is_alphanumeric)
        && item.chars().all(|c| c.is_alphanumeric() || " -_./+".contains(c))
        && !item.eq_ignore_ascii_case("null")
}

fn civil_date(text: &str) -> Option<Date> {
    if is_date_shaped(text) { text.parse().ok() } else { None }
}

fn is_date_shaped(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

pub fn missing_day(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    if !is_date_shaped(text) || text.parse::<Date>().is_ok() {
        return None;
    }
    let (year, month) = (&text[..4], text[5..7].parse::<usize>().ok()?);
    let day = text[8..].trim_start_matches('0');
    Some(match month.checked_sub(1).and_then(|month| MONTHS.get(month)) {
        Some(name) if !day.is_empty() => format!("{year} has no {name} {day}"),
        Some(_) => "days are counted from 1".to_owned(),
        None => format!("there is no month {month}"),
    })
}

pub(super) fn list_of(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
