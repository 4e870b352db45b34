use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::references;
use faber_core::parse::references::scan::FoundReference;
use faber_core::prompt::Placeholders;
use faber_core::rules::unknown_placeholder::RULE;
use faber_core::source::Span;
use faber_core::suggest;
use faber_core::workspace::survey::FileKind;

const MAX_NAME_BYTES: usize = 40;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    for pattern in &input.entry.patterns {
        let is_path = is_path(pattern);
        for (at, name) in placeholders(&pattern.text) {
            let close = suggest::closest(name, Placeholders::NAMES);
            let is_slip = close.is_some() && (is_path || input.entry.kind == FileKind::Prompt);
            let is_wrong = is_slip || (is_path && pattern.load);
            let is_prompt = input.entry.kind == FileKind::Prompt;
            if Placeholders::NAMES.contains(&name) || !(is_wrong || is_prompt) {
                continue;
            }
            let help = match close {
                Some(close) => format!("did you mean `{{{close}}}`?"),
                None => "write `{detected}`, `{configured}`, `{role-name}` or the name itself"
                    .to_owned(),
            };
            let message = format!("unknown placeholder `{{{name}}}`");
            let finding = RULE.at(place(input, pattern, at, name), message).help(help);
            found.push(if is_wrong { finding } else { finding.exceptional() });
        }
    }
}

fn is_path(pattern: &FoundReference) -> bool {
    let plain = pattern.text.replace(['{', '}'], "");
    pattern.text.contains(['/', '.']) && references::is_context(&plain)
}

fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('{').filter_map(move |(at, _)| {
        let rest = &text[at + 1..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = rest.bytes().take(MAX_NAME_BYTES + 1).take_while(|byte| is_part(byte)).count();
        let closes = rest[length..].starts_with('}') && !rest[length..].starts_with("}}");
        let is_other = text[..at].ends_with(['$', '{', '%', '#']);
        let is_name = rest.starts_with(|c: char| c.is_ascii_alphabetic());
        (is_name && closes && !is_other).then(|| (at, &rest[..length]))
    })
}

fn place(input: &FileInput<'_>, pattern: &FoundReference, at: usize, name: &str) -> Span {
    let Span { file, .. } = pattern.span;
    let range = pattern.span.range();
    if input.text()[range.clone()] == *pattern.text {
        Span::new(file, range.start + at, range.start + at + name.len() + 2)
    } else {
        pattern.span
    }
}
