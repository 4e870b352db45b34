//! Checks each needle in a text.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use crate::diagnostic::Findings;
use crate::escape::clip;
use crate::rule::Rule;
use crate::rules::{
    encoded_blob, hidden_instruction, injection_phrase, remote_execution, secret as secret_rule,
};
use crate::source::{FileId, Span};

mod structure;

use super::code::{self, Code};
use super::disguise::{Disguise, undisguised};
use super::needles::{NEEDLES, Needle, PARTS};
use super::{
    acts, assignment, blob, conceal, fixed, flow, heading, hidden, markup, negation, numbers,
    order, phrase, remote, secret, send, window,
};
use crate::parse::fence;

struct ContentScan<'a, 'f> {
    file: FileId,
    text: &'a str,
    found: &'f mut Findings,
    code: OnceCell<Code>,
    /// Sorted; nothing else is reported within.
    secrets: Vec<(usize, usize)>,
    /// Ends of the types of reported `data:` URLs.
    data: Vec<usize>,
    /// End of the last one checked, as are `shell`, `phrase` and `raw`.
    comment: usize,
    /// Avoids repeated searches, as does `close`.
    open_comment: bool,
    shell: usize,
    phrase: usize,
    open: [usize; PARTS.len()],
    close: Option<(String, Option<usize>)>,
    raw: usize,
    controlled: OnceCell<Vec<&'a str>>,
    tools: OnceCell<HashSet<usize>>,
    comparisons: usize,
    /// Ranges with a finding about text for models.
    reported: Vec<Range<usize>>,
}

const EXAMPLE_HELP: &str = "delete it; if it is an example, put it in backticks";

/// Each takes linear time.
const MAX_COMPARISONS: usize = 64;

pub(super) fn scan(file: FileId, text: &str, found: &mut Findings) {
    let mut pass = ContentScan {
        file,
        text,
        found,
        code: OnceCell::new(),
        secrets: Vec::new(),
        data: Vec::new(),
        comment: 0,
        open_comment: false,
        shell: 0,
        phrase: 0,
        open: [0; PARTS.len()],
        close: None,
        raw: 0,
        controlled: OnceCell::new(),
        tools: OnceCell::new(),
        comparisons: MAX_COMPARISONS,
        reported: Vec::new(),
    };
    NEEDLES.find(text, |needle, start, end| pass.look(needle, start, end));
    if pass.shell > 0 {
        pass.flows();
    }
    pass.templates();
    pass.headings();
    pass.images();
    pass.addresses();
    pass.escapes();
    pass.numbers();
    pass.runs();
    pass.places();
    pass.joined();
    pass.messages();
    pass.costumes();
}

impl ContentScan<'_, '_> {
    fn look(&mut self, needle: Needle, start: usize, end: usize) {
        if !self.text.is_char_boundary(start) || !self.text.is_char_boundary(end) {
            return;
        }
        match needle {
            Needle::Token(row) => self.secret(secret::token(self.text, start, row)),
            Needle::PrivateKey => self.secret(secret::private_key(self.text, start)),
            Needle::WebToken => self.secret(secret::web_token(self.text, start)),
            Needle::Assignment => self.secret(assignment::value(self.text, start, end)),
            Needle::Verb => {
                let end = phrase::verb(self.text, start, end);
                self.phrase(start, self.not_forbidden(start, end), None);
            }
            Needle::Fixed(row) => {
                let needle = self.text[start..end].to_ascii_lowercase();
                let end = fixed::fixed(self.text, start, end, row);
                let end = end.filter(|_| !(markup::is_tool(&needle) && self.is_markup(start)));
                let conceals = || fixed::conceals(self.text, start, &needle, row);
                self.phrase(start, end, end.and_then(|_| conceals()));
            }
            Needle::Comment => self.comment(start, end),
            Needle::Definition => self.definition(start, end),
            Needle::Style => self.element(start, hidden::style(self.text, start, end)),
            Needle::Hidden => self.element(start, hidden::attribute(self.text, start, end)),
            Needle::Source => self.shell(start),
            Needle::Data => self.data(start, end),
            Needle::SendVerb => self.send(start, end),
            Needle::Raw => self.raw(start, end),
            Needle::Image => self.image(start, hidden::source(self.text, end)),
            Needle::Disguised(disguise) => self.disguised(start, disguise),
            Needle::Open(row) => self.open[row] += usize::from(self.is_tag(start, end)),
            Needle::Close(row) => self.close(row, start, end),
            Needle::Conceal(row) => {
                self.phrase(start, conceal::phrase(self.text, start, end, row), Some(start));
            }
            Needle::Unaware(row) => {
                self.act(start, acts::unaware(self.text, start, end, row), true);
            }
            Needle::Void(row) => self.act(start, acts::void(self.text, start, end, row), false),
        }
    }

    fn report(&mut self, rule: &'static Rule, range: Range<usize>, message: String, help: &str) {
        let span = Span::new(self.file, range.start, range.end);
        let found = rule.at(span, message).help(help);
        if rule == &hidden_instruction::RULE || rule == &injection_phrase::RULE {
            self.reported.push(range);
        }
        if rule.code == secret_rule::RULE.code {
            // Output must redact it.
            self.found.push_always(found);
        } else {
            self.found.push(found);
        }
    }

    fn is_markup(&self, start: usize) -> bool {
        let tools = || markup::tools(self.text, |at| self.is_code(at));
        self.tools.get_or_init(tools).contains(&start)
    }

    fn code(&self) -> &Code {
        self.code.get_or_init(|| Code::new(self.text))
    }

    fn is_code(&self, at: usize) -> bool {
        code::in_span(self.text, at) || self.code().in_block(at)
    }

    fn is_program(&self, at: usize) -> bool {
        code::in_span(self.text, at) || self.code().fenced(at)
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
        self.report(&secret_rule::RULE, secret.start..secret.end, message, help);
    }

    fn not_forbidden(&self, start: usize, end: Option<usize>) -> Option<usize> {
        end.filter(|_| !negation::forbids_item(self.text, start))
    }

    /// Also in link titles, which readers do not see. `conceals` is the start of an order to keep
    /// something from the user.
    fn phrase(&mut self, start: usize, end: Option<usize>, conceals: Option<usize>) {
        let Some(end) = end.filter(|_| start >= self.phrase && start >= self.comment) else {
            return;
        };
        let words = clip(&self.text[start..end]);
        if hidden::is_title(self.text, start) {
            self.phrase = end;
            let message = format!("the title of a link addresses the model: `{words}`");
            let help = "delete the title, or move it into the text";
            return self.report(&hidden_instruction::RULE, start..end, message, help);
        }
        if self.is_program(start) {
            return;
        }
        if hidden::in_tag(self.text, start) {
            self.phrase = end;
            let message = format!("an attribute addresses the model: `{words}`");
            let help = "delete the attribute, or move it into the text";
            return self.report(&hidden_instruction::RULE, start..end, message, help);
        }
        let lead = window::before(self.text, start, 120);
        let is_quoted =
            code::in_quotes(self.text, start, end) || code::in_example(self.text, start);
        if is_quoted || phrase::is_mentioned(lead) {
            return;
        }
        self.phrase = end;
        let (purpose, help) = if conceals.is_some() {
            let help = "delete it, or say what the user sees instead; if it is an example, put it in backticks";
            ("keep something from the user", help)
        } else {
            ("override the prompt", EXAMPLE_HELP)
        };
        let start = conceals.unwrap_or(start);
        let words = clip(&self.text[start..end]);
        let message = format!("`{words}` reads like an attempt to {purpose}");
        self.report(&injection_phrase::RULE, start..end, message, help);
    }

    /// Of the sentence around the needle.
    fn act(&mut self, needle: usize, sentence: Option<Range<usize>>, conceals: bool) {
        let Some(Range { start, end }) = sentence.filter(|_| !self.is_program(needle)) else {
            return;
        };
        if !code::in_quotes(self.text, needle, needle) {
            self.phrase(start, Some(end), conceals.then_some(start));
        }
    }

    fn comment(&mut self, start: usize, end: usize) {
        if start < self.comment || self.open_comment {
            return;
        }
        let Some(length) = memchr::memmem::find(&self.text.as_bytes()[end..], b"-->") else {
            self.open_comment = true;
            return self.unclosed(start, end, "a comment");
        };
        let close = end + length;
        let whole = start..close + 3;
        let content = &self.text[end..close];
        if self.is_program(start) {
            return;
        }
        if hidden::is_provenance(content) && !self.code().in_block(start) {
            self.comment = whole.end;
            let message = format!(
                "a comment looks like the mark of another context: `{}`",
                clip(content.trim())
            );
            let help = "bundles mark contexts with such comments; delete it";
            return self.report(&injection_phrase::RULE, whole, message, help);
        }
        let Some(words) = order::instruction(content) else { return };
        self.comment = whole.end;
        let message = format!("a comment addresses the model: `{}`", clip(words));
        let help = "models see comments, readers do not; move it into the text, or delete it";
        self.report(&hidden_instruction::RULE, whole, message, help);
    }

    fn definition(&mut self, start: usize, end: usize) {
        if start < self.comment {
            return;
        }
        let Some(range) = hidden::definition(self.text, start, end) else { return };
        let Some(words) = order::instruction(&self.text[end..range.end]) else { return };
        if self.code().fenced(start) {
            return;
        }
        let message = format!("a comment addresses the model: `{}`", clip(words));
        self.comment = range.end;
        let help = "models see link definitions, readers do not; move it into the text";
        self.report(&hidden_instruction::RULE, range, message, help);
    }

    fn element(&mut self, at: usize, found: Option<hidden::Element>) {
        let Some(element) = found else { return };
        if self.is_program(at) || self.is_panel(&element) || hidden::is_empty(self.text, &element) {
            return;
        }
        let message = format!("an element is hidden by `{}`", clip(element.how));
        let help = "models see it, readers do not; show it, or delete it";
        self.report(&hidden_instruction::RULE, element.tag, message, help);
    }

    fn is_panel(&mut self, element: &hidden::Element<'_>) -> bool {
        if element.how != "hidden" || self.comparisons == 0 {
            return false;
        }
        let controlled = self.controlled.get_or_init(|| hidden::controlled(self.text));
        if controlled.is_empty() {
            return false;
        }
        self.comparisons -= 1;
        hidden::is_panel(self.text, element, controlled)
    }

    fn shell(&mut self, start: usize) {
        if start < self.shell {
            return;
        }
        let line = remote::line(self.text, start);
        self.shell = line.end;
        let shell = &self.text[line.clone()];
        let Some(what) = remote::classify(shell) else { return };
        if remote::is_refused(window::line_before(self.text, start, 80)) {
            return;
        }
        let from = line.end - shell.trim_start().len();
        let range = from..line.start + shell.trim_end().len();
        let help = "download it to a file, check it, then run it";
        self.report(&remote_execution::RULE, range, what.to_owned(), help);
    }

    /// Like [`shell`](Self::shell), over several lines.
    fn flows(&mut self) {
        let mut found = Vec::new();
        flow::find(self.text, self.code(), |range, what| found.push((range, what)));
        let help = "download it to a file, check it, then run it";
        for (range, what) in found {
            self.report(&remote_execution::RULE, range, what.to_owned(), help);
        }
    }

    fn data(&mut self, start: usize, end: usize) {
        let Some(length) = blob::active_data(self.text, start, end) else { return };
        if self.is_program(start) && blob::is_readable(self.text, start + length) {
            return;
        }
        self.data.push(start + length);
        let kind = clip(&self.text[start..start + length]);
        let message = format!("`{kind}` is a URL that contains code");
        let help = "put the content into a file";
        self.report(&encoded_blob::RULE, start..start + length, message, help);
    }

    fn is_in_url(&self, at: usize) -> bool {
        let next = self.data.partition_point(|&end| end <= at);
        let Some(last) = next.checked_sub(1) else { return false };
        let parameters = window::after(self.text, self.data[last], 80);
        let content = parameters.find(";base64,").map(|length| self.data[last] + length + 8);
        content == Some(at)
    }

    fn unclosed(&mut self, start: usize, end: usize, what: &str) {
        if self.is_code(start) || code::in_quotes(self.text, start, end) {
            return;
        }
        let message = format!("{what} is never closed, so readers do not see what follows");
        self.report(&hidden_instruction::RULE, start..end, message, "close it, or delete it");
    }

    fn send(&mut self, start: usize, end: usize) {
        if start < self.comment || start < self.phrase {
            return;
        }
        // A row of a table is one text.
        let is_row = window::line_before(self.text, start, 400).trim_start().starts_with('|');
        let line = start + window::line_after(self.text, start, 400).len();
        let text = if is_row { &self.text[..line.max(end)] } else { self.text };
        let end = send::sentence(text, start, end);
        let Some(end) = self.not_forbidden(start, end) else { return };
        let is_shown =
            code::in_quotes(self.text, start, end) || is_row && code::in_example(self.text, start);
        if self.is_program(start) || is_shown {
            return;
        }
        self.phrase = end;
        let words = clip(&self.text[start..end]);
        let message = format!("`{words}` asks to send user data elsewhere");
        self.report(&injection_phrase::RULE, start..end, message, EXAMPLE_HELP);
    }

    fn raw(&mut self, start: usize, end: usize) {
        if start < self.comment || start < self.raw || self.is_code(start) {
            return;
        }
        let text = self.text;
        let mut close = self.close.take();
        let element = hidden::raw(text, start, end, |name| {
            let known = close.as_ref().filter(|(known, at)| {
                known.eq_ignore_ascii_case(name) && at.is_none_or(|at| at >= end)
            });
            if known.is_none() {
                close = Some((name.to_owned(), end_tag(text, end, name)));
            }
            close.as_ref().and_then(|(_, at)| *at)
        });
        let close_at = close.as_ref().and_then(|(_, at)| *at);
        self.close = close;
        let Some(element) = element else { return };
        self.raw = element.open + element.content.len();
        let name = text[start..end].to_ascii_lowercase();
        let name = name.trim_end_matches('>');
        let is_fallback = hidden::NOT_DRAWN.contains(&name);
        if element.unclosed && name != "<template" && !is_fallback {
            self.raw = text.len();
            return self.unclosed(start, end, &format!("`{name}>`"));
        }
        if name == "<style" && self.hides(start, &element) {
            let message = "a style sheet hides elements of the page".to_owned();
            let help = "models see them, readers do not; show them, or delete them";
            return self.report(&hidden_instruction::RULE, start..element.open, message, help);
        }
        let words = if is_fallback {
            order::in_note(element.content).filter(|_| close_at.is_some())
        } else {
            order::instruction(element.content)
        };
        if let Some(words) = words {
            self.comment = element.open + element.content.len();
            let message = format!("`{name}>` holds a text for the model: `{}`", clip(words));
            let help = "models see it, readers do not; move it into the text, or delete it";
            self.report(&hidden_instruction::RULE, start..element.open, message, help);
        }
    }

    fn hides(&mut self, start: usize, sheet: &hidden::Raw<'_>) -> bool {
        let rest = if self.comparisons == 0 {
            ["&#"; 2]
        } else {
            [&self.text[..start], &self.text[sheet.open + sheet.content.len()..]]
        };
        self.comparisons = self.comparisons.saturating_sub(1);
        hidden::sheet_hides(sheet.content, rest)
    }

    fn is_tag(&self, start: usize, end: usize) -> bool {
        let next = self.text[end..].chars().next();
        next.is_some_and(|char| char == '>' || char.is_whitespace()) && !self.is_code(start)
    }

    fn close(&mut self, row: usize, start: usize, end: usize) {
        if start < self.comment || !self.is_tag(start, end) {
            return;
        }
        if self.open[row] > 0 {
            self.open[row] -= 1;
            return;
        }
        let message =
            format!("`{}>` closes an element that is not open in this file", PARTS[row].1);
        let help = "it would end a part of the prompt; delete it, or put it in backticks";
        self.report(&injection_phrase::RULE, start..end, message, help);
    }

    fn headings(&mut self) {
        for range in heading::forged(self.text, fence::body(self.text)) {
            if self.code().in_block(range.start) {
                continue;
            }
            let heading = clip(&self.text[range.clone()]);
            let message = format!("`{heading}` is a heading of the bundle itself");
            let help = "in a bundle, the text below it would not look like part of this context; rename it";
            self.report(&injection_phrase::RULE, range, message, help);
        }
    }

    fn templates(&mut self) {
        for needle in ["<|", "<｜"] {
            for at in window::find_all(self.text, needle) {
                self.phrase(at, markup::template(self.text, at, at + needle.len()), None);
            }
        }
    }

    /// Displaying a URL that a model completes leaks data.
    fn images(&mut self) {
        for at in window::find_all(self.text, "![") {
            self.image(at, hidden::carrier(self.text, at));
        }
    }

    fn image(&mut self, start: usize, address: Option<Range<usize>>) {
        let Some(address) = address.filter(|_| !self.is_code(start)) else { return };
        let shown = clip(&self.text[address.clone()]);
        let message = format!("showing this image sends the data in its URL: `{shown}`");
        let help = "write the address out, or delete the image";
        self.report(&hidden_instruction::RULE, start..address.end, message, help);
    }

    fn disguised(&mut self, start: usize, disguise: Disguise) {
        if start < self.phrase || self.is_code(start) {
            return;
        }
        let before = window::line_before(self.text, start, 200);
        let line = start - before.len()..start + window::line_after(self.text, start, 200).len();
        let said = undisguised(&self.text[line.clone()], disguise);
        if !hidden::overrules(&said) {
            return;
        }
        self.phrase = line.end;
        let message = format!("in disguise, this line says `{}`", clip(said.trim()));
        self.report(&injection_phrase::RULE, line, message, EXAMPLE_HELP);
    }

    fn addresses(&mut self) {
        for at in window::find_all(self.text, "://") {
            self.secret(secret::address(self.text, at + 3));
            if let Some(end) = send::completed(self.text, at).filter(|_| !self.is_code(at)) {
                let words = clip(&self.text[at..end]);
                let message = format!("this URL asks for user data: `{words}`");
                let help = "write the address out, or delete it";
                self.report(&injection_phrase::RULE, at..end, message, help);
            }
        }
    }

    fn numbers(&mut self) {
        for (range, text) in numbers::find(self.text) {
            let message = format!("character codes that spell `{}`", clip(&text));
            let help = "write the characters themselves";
            self.report(&encoded_blob::RULE, range, message, help);
        }
        for at in window::find_all(self.text, "8Q~") {
            self.secret(secret::entra(self.text, at));
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
            let blob::Escapes { end, count, text } = blob::escapes(self.text, at);
            done = end;
            if count >= blob::MIN_ESCAPES {
                let message = format!("{count} escapes in a row: `{}`", clip(&text));
                let help = "write the characters themselves";
                self.report(&encoded_blob::RULE, at..end, message, help);
            }
        }
    }

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
            if self.is_in_url(run.start) {
                continue;
            }
            let Some((encoding, decoded)) = blob::classify(self.text, &run) else { continue };
            let is_data = |text: &String| text.starts_with("{\"") && !hidden::overrules(text);
            if decoded.as_ref().is_some_and(is_data) {
                continue;
            }
            let message = match &decoded {
                Some(text) => format!("encoded text that decodes to `{}`", clip(text)),
                None => format!("{} characters of {encoding} cannot be read", run.length),
            };
            let help = "write it as plain text, or move it to a separate file";
            self.report(&encoded_blob::RULE, run.start..run.end, message, help);
        }
    }
}

fn end_tag(text: &str, from: usize, name: &str) -> Option<usize> {
    let name = name.trim_end_matches('>');
    let mut closes = memchr::memmem::find_iter(&text.as_bytes()[from..], b"</").map(|at| from + at);
    closes.find(|at| {
        let bytes = text.as_bytes().get(at + 2..at + 2 + name.len());
        bytes.is_some_and(|bytes| bytes.eq_ignore_ascii_case(name.as_bytes()))
    })
}
