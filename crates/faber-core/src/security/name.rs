//! Names with line breaks, invisible characters or markup.

use camino::Utf8Path;

use crate::diagnostic::Diagnostic;
use crate::escape::Visible;
use crate::rules::invalid_name;
use crate::source::{FileId, Span, Spanned};

fn strange(name: &str) -> Option<char> {
    name.chars().find(|char| char.is_control() || "`<>".contains(*char))
}

pub(crate) fn of_field(name: &Spanned<String>) -> Option<Diagnostic> {
    let text = name.value.trim();
    let separator = || text.chars().find(|char| matches!(char, '/' | '\\'));
    let unseen = crate::unseen::runs(text);
    let unseen = || unseen.first().and_then(|run| text[run.clone()].chars().next());
    let char = strange(text).or_else(separator).or_else(unseen)?;
    let message = format!("a name with {}: `{}`", describe(char), Visible(text).code());
    Some(invalid_name::RULE.at(name.span, message).help("use letters, digits, hyphens and spaces"))
}

pub(crate) fn of_path(file: FileId, path: &Utf8Path) -> Option<Diagnostic> {
    let char = strange(path.as_str())?;
    let message = format!("a path with {}: `{}`", describe(char), Visible(path.as_str()).code());
    Some(invalid_name::RULE.at(Span::start_of(file), message).help("rename the file"))
}

fn describe(char: char) -> String {
    match char {
        '\n' | '\r' => "a line break".to_owned(),
        '`' => "a backtick".to_owned(),
        '<' | '>' | '/' | '\\' => format!("`{char}`"),
        _ => format!("the character {}", char.escape_unicode()),
    }
}
