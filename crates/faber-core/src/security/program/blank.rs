//! A program without its comments, messages and documents.

use std::ops::Range;

use super::Language;
use crate::word_list::words;

/// Of the same length as the original.
pub(crate) struct Blanked<'a> {
    pub(super) text: String,
    /// Documents that the program passes on, with the start of the command that does.
    pub(super) documents: Vec<(usize, Range<usize>)>,
    original: &'a str,
}

/// Run the text of their last argument.
const RUNS_TEXT: &[&str] = words!(
    "-c, -lc, -ec, -ic, -xc, -lic, -command, -encodedcommand, eval, ssh, exec, sh, bash, iex, trap, -e",
);

impl<'a> Blanked<'a> {
    pub(super) fn new(original: &'a str, language: Language) -> Self {
        let mut blanked =
            Self { text: String::with_capacity(original.len()), documents: Vec::new(), original };
        match language {
            Language::Shell | Language::PowerShell => blanked.shell(language),
            _ => blanked.other(language),
        }
        debug_assert_eq!(blanked.text.len(), original.len());
        blanked
    }

    fn shell(&mut self, language: Language) {
        let mut until: Option<(String, bool, usize, usize)> = None;
        let mut at = 0;
        let mut command = 0;
        for line in self.original.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let trimmed = line.trim();
            if let Some((end, runs, command, from)) = &until {
                if trimmed == end {
                    self.documents.push((*command, *from..start));
                    self.blank(line);
                    until = None;
                } else if *runs {
                    self.text.push_str(line);
                } else {
                    self.blank(line);
                }
                continue;
            }
            if !self.original[..start].trim_end_matches(['\n', '\r']).ends_with('\\') {
                command = start;
            }
            let is_comment = trimmed.starts_with('#')
                || (language == Language::PowerShell
                    && (trimmed.starts_with("::")
                        || trimmed.to_ascii_lowercase().starts_with("rem ")));
            if is_comment {
                self.blank(line);
                continue;
            }
            if language == Language::PowerShell && trimmed.starts_with("<#") {
                if !trimmed.contains("#>") {
                    until = Some(("#>".to_owned(), false, command, at));
                }
                self.blank(line);
                continue;
            }
            if let Some(end) = document_end(line).filter(|_| language == Language::Shell) {
                until = Some((end, runs_input(trimmed), command, at));
            }
            self.without_texts(line);
        }
    }

    /// Strings that hold a whole command line are messages or patterns, unless a shell runs them.
    fn without_texts(&mut self, line: &str) {
        let mut rest = line;
        while let Some(open) = rest.find(['"', '\'']) {
            let quote = &rest[open..=open];
            let inner = &rest[open + 1..];
            let Some(length) = closing(inner, quote) else { break };
            let content = &inner[..length];
            self.text.push_str(&rest[..=open]);
            let before = rest[..open].trim_end_matches(['$', '@']).trim_end();
            let before = before.rsplit([' ', '\t', '(', ';', '|', '&']).next().unwrap_or_default();
            let runs = RUNS_TEXT.contains(&&*before.to_ascii_lowercase())
                || quote == "\"" && (content.contains("$(") || content.contains('`'))
                || is_of_ssh(&rest[..open]);
            let is_command = ["|", "&&", "; ", "\\n"].iter().any(|mark| content.contains(mark));
            if is_command && !runs {
                self.blank(content);
            } else {
                self.text.push_str(content);
            }
            self.text.push_str(quote);
            rest = &inner[length + 1..];
        }
        self.text.push_str(rest);
    }

    fn other(&mut self, language: Language) {
        let mut until: Option<&str> = None;
        for line in self.original.split_inclusive('\n') {
            let trimmed = line.trim();
            if let Some(end) = until {
                if trimmed.contains(end) {
                    until = None;
                }
                self.blank(line);
                continue;
            }
            let is_comment = match language {
                Language::Braces => trimmed.starts_with("//") || trimmed.starts_with('*'),
                _ => trimmed.starts_with('#'),
            };
            if is_comment {
                self.blank(line);
                continue;
            }
            let opens = match language {
                Language::Braces if trimmed.starts_with("/*") => Some("*/"),
                Language::Python => ["\"\"\"", "'''"].into_iter().find(|quotes| {
                    trimmed.matches(*quotes).count() % 2 == 1
                        || trimmed.starts_with(*quotes) && !trimmed.contains('=')
                }),
                Language::Ruby if trimmed.starts_with("=begin") => Some("=end"),
                _ => None,
            };
            let Some(end) = opens else {
                self.text.push_str(line);
                continue;
            };
            let is_whole = match language {
                Language::Braces => trimmed.contains(end),
                Language::Python => trimmed.matches(end).count() % 2 == 0,
                _ => false,
            };
            if !is_whole {
                until = Some(end);
            }
            self.blank(line);
        }
    }

    fn blank(&mut self, text: &str) {
        self.text.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }

    /// Lines with their continuations.
    pub(super) fn statements(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
            for line in rest.split_inclusive('\n') {
                at += line.len();
                if !line.trim_end().ends_with(['\\', '|']) {
                    break;
                }
            }
            Some((start, &self.text[start..at]))
        })
    }
}

fn closing(text: &str, quote: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find(quote).map(|at| from + at) {
        let escapes = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if quote == "'" || escapes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

fn is_of_ssh(before: &str) -> bool {
    let command = before.rsplit([';', '|', '&']).next().unwrap_or_default();
    command.split_whitespace().next() == Some("ssh")
}

fn document_end(line: &str) -> Option<String> {
    let (before, after) = line.split_once("<<")?;
    if after.starts_with('<') || before.trim_start().starts_with('#') || before.ends_with('$') {
        return None;
    }
    let word = after.trim_start_matches('-').trim_start();
    let word = word.strip_prefix(['"', '\'', '\\']).unwrap_or(word);
    let is_part = |char: &char| char.is_alphanumeric() || *char == '_';
    let word: String = word.chars().take_while(is_part).collect();
    let is_name = word.starts_with(|char: char| char.is_alphabetic() || char == '_');
    is_name.then_some(word)
}

fn runs_input(command: &str) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let first = command.split_whitespace().find(|word| *word != "sudo").unwrap_or_default();
    crate::security::remote::is_shell(&name(first)) || first == "ssh"
}
