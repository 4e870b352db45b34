use serde_json::Value;

use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::resolve::view::Access;
use faber_core::rules::invalid_message::RULE;
use faber_core::source::Span;
use faber_core::workspace::survey::FileKind;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    if input.entry.kind != FileKind::Conversation {
        return;
    }
    let (mut broken, mut unclear) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in input.text().split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let text = line.trim_start_matches('\u{feff}');
        match serde_json::from_str::<Value>(text) {
            _ if text.trim().is_empty() => {}
            Ok(value) if !value.is_object() => broken.push(start..end),
            Ok(value) if Access::from(&value).is_unclear() => unclear.push(start..end),
            Ok(_) => {}
            Err(_) => broken.push(start..end),
        }
        start += line.len();
    }
    let problems = [
        (
            broken,
            "is not a JSON object",
            "write one JSON object per line, with `role` and `content`",
        ),
        (
            unclear,
            "has access fields that cannot be read",
            "write `owner` as a text, `groups` as a list and `visibility` as in front matter",
        ),
    ];
    for (lines, problem, help) in problems {
        let Some(first) = lines.first() else { continue };
        let more = match lines.len() - 1 {
            0 => String::new(),
            1 => "; 1 more line".to_owned(),
            more => format!("; {more} more lines"),
        };
        let span = Span::new(input.entry.file, first.start, first.end);
        found.push(RULE.at(span, format!("the line {problem}{more}")).help(help));
    }
}
