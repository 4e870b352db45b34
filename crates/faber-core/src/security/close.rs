//! The pass over the strings that are looked at closely.

use std::cell::OnceCell;

use crate::diagnostic::Findings;
use crate::rule::Rule;
use crate::rules::{
    encoded_blob, hidden_instruction, injection_phrase, remote_execution, secret as secret_rule,
};
use crate::source::{FileId, Span};

use super::code::{self, Code};
use super::needles::{NEEDLES, Needle};
use super::{assignment, blob, hidden, phrase, remote, secret, shown};

/// The pass over one text.
struct Pass<'a, 'f> {
    file: FileId,
    text: &'a str,
    found: &'f mut Findings,
    code: OnceCell<Code>,
    /// Ranges of secrets, in order; what lies in one is nothing else.
    secrets: Vec<(usize, usize)>,
    /// Where the comments end that were looked at.
    comment: usize,
    /// Whether no comment ends behind here, so that none is looked for again.
    open_comment: bool,
    /// Where the shell lines end that were looked at.
    shell: usize,
    /// Where the phrases end that were reported.
    phrase: usize,
}

/// Scans `text`.
pub(super) fn scan(file: FileId, text: &str, found: &mut Findings) {
    let mut pass = Pass {
        file,
        text,
        found,
        code: OnceCell::new(),
        secrets: Vec::new(),
        comment: 0,
        open_comment: false,
        shell: 0,
        phrase: 0,
    };
    NEEDLES.find(text, |needle, start, end| pass.look(needle, start, end));
    pass.addresses();
    pass.escapes();
    pass.runs();
}

impl Pass<'_, '_> {
    fn look(&mut self, needle: Needle, start: usize, end: usize) {
        // A file name is scanned too, and a needle of other bytes may end inside of a character.
        if !self.text.is_char_boundary(start) || !self.text.is_char_boundary(end) {
            return;
        }
        match needle {
            Needle::Token(row) => self.secret(secret::token(self.text, start, row)),
            Needle::PrivateKey => self.secret(secret::private_key(self.text, start)),
            Needle::WebToken => self.secret(secret::web_token(self.text, start)),
            Needle::Assignment => self.secret(assignment::value(self.text, start, end)),
            Needle::Verb => self.phrase(start, phrase::verb(self.text, start, end)),
            Needle::Fixed(row) => self.phrase(start, phrase::fixed(self.text, start, end, row)),
            Needle::Comment => self.comment(start, end),
            Needle::Definition => self.definition(start, end),
            Needle::Style => self.element(start, hidden::style(self.text, start, end)),
            Needle::Hidden => self.element(start, hidden::attribute(self.text, start, end)),
            Needle::Source => self.shell(start),
            Needle::Data => self.data(start, end),
        }
    }

    fn report(&mut self, rule: &'static Rule, range: (usize, usize), message: String, help: &str) {
        let span = Span::new(self.file, range.0, range.1);
        let found = rule.at(span, message).help(help);
        if rule.code == secret_rule::RULE.code {
            // Whatever is printed must not show it.
            self.found.push_always(found);
        } else {
            self.found.push(found);
        }
    }

    fn fenced(&self, at: usize) -> bool {
        self.code.get_or_init(|| Code::new(self.text)).fenced(at)
    }

    fn secret(&mut self, secret: Option<secret::Secret>) {
        let Some(secret) = secret else { return };
        let known = self.secrets.iter().rev().take(8);
        if known.into_iter().any(|last| secret.start < last.1 && last.0 < secret.end) {
            return;
        }
        self.secrets.push((secret.start, secret.end));
        let mut message = format!("{} is written here", secret.kind);
        if secret.hint > 0 {
            let hint = &self.text[secret.start..secret.start + secret.hint];
            message = format!("{} (`{hint}…`) is written here", secret.kind);
        }
        let help = "revoke it, and use an environment variable instead: `${NAME}`";
        self.report(&secret_rule::RULE, (secret.start, secret.end), message, help);
    }

    /// A phrase counts where it is said and not where it is quoted or part of a program. In the
    /// title of a link nobody sees it.
    fn phrase(&mut self, start: usize, end: Option<usize>) {
        let Some(end) = end.filter(|_| start >= self.phrase && start >= self.comment) else {
            return;
        };
        let words = shown(&self.text[start..end]);
        if hidden::is_title(self.text, start) {
            self.phrase = end;
            let message = format!("the title of a link addresses the model: `{words}`");
            let help = "delete the title, or say it where readers see it";
            return self.report(&hidden_instruction::RULE, (start, end), message, help);
        }
        if code::in_span(self.text, start)
            || code::in_quotes(self.text, start)
            || self.fenced(start)
        {
            return;
        }
        self.phrase = end;
        let message = format!("`{words}` reads like an attempt to overrule the prompt");
        let help = "delete it; where it is an example, set it in backticks";
        self.report(&injection_phrase::RULE, (start, end), message, help);
    }

    fn comment(&mut self, start: usize, end: usize) {
        if start < self.comment || self.open_comment {
            return;
        }
        let Some(length) = memchr::memmem::find(&self.text.as_bytes()[end..], b"-->") else {
            self.open_comment = true;
            return;
        };
        let close = end + length;
        let whole = (start, close + 3);
        let content = &self.text[end..close];
        if code::in_span(self.text, start) || self.fenced(start) {
            return;
        }
        let Some(words) = hidden::instruction(content) else { return };
        self.comment = whole.1;
        let message = format!("a comment addresses the model: `{}`", shown(words));
        let help = "readers do not see comments and models do: say it in the text, or delete it";
        self.report(&hidden_instruction::RULE, whole, message, help);
    }

    fn definition(&mut self, start: usize, end: usize) {
        if start < self.comment {
            return;
        }
        let Some(range) = hidden::definition(self.text, start, end) else { return };
        let Some(words) = hidden::instruction(&self.text[end..range.1]) else { return };
        if self.fenced(start) {
            return;
        }
        let message = format!("a comment addresses the model: `{}`", shown(words));
        self.comment = range.1;
        let help = "readers do not see link definitions and models do: say it in the text";
        self.report(&hidden_instruction::RULE, range, message, help);
    }

    fn element(&mut self, at: usize, found: Option<hidden::Element>) {
        let Some(element) = found else { return };
        if code::in_span(self.text, at) || self.fenced(at) {
            return;
        }
        let message = format!("an element is hidden by `{}`", shown(element.how));
        let help = "readers do not see it and models do: show it, or delete it";
        self.report(&hidden_instruction::RULE, (element.start, element.end), message, help);
    }

    fn shell(&mut self, start: usize) {
        if start < self.shell {
            return;
        }
        let line = remote::line(self.text, start);
        self.shell = line.1;
        let Some(what) = remote::judge(&self.text[line.0..line.1]) else { return };
        let shell = &self.text[line.0..line.1];
        let from = line.0 + shell.len() - shell.trim_start().len();
        let range = (from, line.0 + shell.trim_end().len());
        let help = "fetch it to a file, check what it is, and run it then";
        self.report(&remote_execution::RULE, range, what.to_owned(), help);
    }

    fn data(&mut self, start: usize, end: usize) {
        let Some(length) = blob::active_data(self.text, start, end) else { return };
        let kind = shown(&self.text[start..start + length]);
        let message = format!("`{kind}` is an address that carries a program");
        let help = "put what it carries into a file";
        self.report(&encoded_blob::RULE, (start, start + length), message, help);
    }

    fn addresses(&mut self) {
        for at in memchr::memmem::find_iter(self.text.as_bytes(), "://") {
            self.secret(secret::address(self.text, at + 3));
        }
        for at in memchr::memchr2_iter(b'.', b':', self.text.as_bytes()) {
            self.secret(secret::jointed(self.text, at));
        }
    }

    fn escapes(&mut self) {
        let mut done = 0;
        for at in memchr::memchr3_iter(b'\\', b'%', b'&', self.text.as_bytes()) {
            if at < done {
                continue;
            }
            let (end, count, text) = blob::escapes(self.text, at);
            done = end;
            if count >= blob::MANY_ESCAPES {
                let message =
                    format!("{count} characters are written as numbers: `{}`", shown(&text));
                let help = "write the characters themselves";
                self.report(&encoded_blob::RULE, (at, end), message, help);
            }
        }
    }

    /// Runs of many letters and digits are tokens with a short prefix, or encoded text.
    fn runs(&mut self) {
        let runs = blob::find(self.text);
        for run in &runs {
            self.secret(secret::short_token(self.text, run.start));
        }
        self.secrets.sort_unstable();
        for run in runs {
            let next = self.secrets.partition_point(|secret| secret.1 <= run.start);
            if self.secrets.get(next).is_some_and(|secret| secret.0 < run.end) {
                continue;
            }
            let Some(run) = blob::judge(self.text, &run) else { continue };
            let message = match &run.decoded {
                Some(text) => format!("encoded text says `{}`", shown(text)),
                None => format!("{} characters of {} cannot be read", run.length, run.encoding),
            };
            let help = "say it in words, or put it into a file of its own";
            self.report(&encoded_blob::RULE, (run.start, run.end), message, help);
        }
    }
}
