use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::ambiguous_scalar::RULE;
use faber_core::yaml::{Node, ScalarKind, Value};

const TEXTS: [&str; 9] =
    ["name", "version", "tags", "keywords", "errors", "platform", "platforms", "owner", "groups"];

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let Some(node) = input.node() else { return };
    for entry in node.entries() {
        let is_text = TEXTS.contains(&&*entry.key);
        scalars(&entry.value, is_text, input, found);
    }
}

fn scalars(node: &Node, is_text: bool, input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    match &node.value {
        Value::Seq(items) => {
            for item in items {
                scalars(item, is_text, input, found);
            }
        }
        Value::Map(entries) => {
            for entry in entries {
                scalars(&entry.value, is_text || entry.key == "version", input, found);
            }
        }
        Value::Scalar(scalar) => {
            let written = input.whole.sources.text(node.span);
            if written != scalar.text {
                return;
            }
            let read_as = match scalar.kind {
                ScalarKind::Str => of_word(written),
                ScalarKind::Int(_) | ScalarKind::Float(_) if is_text => of_number(written),
                _ => None,
            };
            let Some(read_as) = read_as else { return };
            let message =
                format!("`{written}` is text to faber, but {read_as} to other YAML readers");
            let finding = RULE.at(node.span, message).help(format!("write `\"{written}\"`"));
            found.push(finding.fix(node.span, format!("\"{written}\"")));
        }
    }
}

fn of_word(text: &str) -> Option<String> {
    match text.to_lowercase().as_str() {
        "yes" | "on" => Some("`true`".to_owned()),
        "no" | "off" => Some("`false`".to_owned()),
        _ => None,
    }
}

fn of_number(text: &str) -> Option<String> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.split_once('.') {
        Some((whole, part)) if is_digits(whole) && is_digits(part) && part.ends_with('0') => {
            let kept = part.trim_end_matches('0');
            let dot = if kept.is_empty() { "" } else { "." };
            Some(format!("the number {whole}{dot}{kept}"))
        }
        None if is_digits(text) && text.len() > 1 && text.starts_with('0') => {
            Some("a number without its zero".to_owned())
        }
        _ => None,
    }
}
