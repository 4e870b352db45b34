//! Scans YAML that is being written.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct YamlPlace<'a> {
    /// For a value, its own key is last.
    pub(super) keys: Vec<&'a str>,
    pub(super) is_key: bool,
    pub(super) begun: &'a str,
    pub(super) quote: Option<char>,
}

/// `None` in comments, block scalars and complete values.
pub(super) fn place(text: &str) -> Option<YamlPlace<'_>> {
    let mut scanner = Scanner::default();
    let (above, last) = text.rsplit_once('\n').unwrap_or(("", text));
    for line in above.lines() {
        if scanner.is_inside() || !line.trim().is_empty() {
            scanner.line(line);
        }
    }
    scanner.line(last);
    scanner.place()
}

#[derive(Debug, Default)]
struct Scanner<'a> {
    block: Vec<(usize, &'a str)>,
    flow: Vec<(char, Option<&'a str>)>,
    scalar: Option<usize>,
    is_key: bool,
    quote: Option<char>,
    token: &'a str,
    complete: Option<&'a str>,
    is_elsewhere: bool,
}

impl<'a> Scanner<'a> {
    fn is_inside(&self) -> bool {
        !self.flow.is_empty() || self.quote.is_some()
    }

    fn line(&mut self, line: &'a str) {
        self.is_elsewhere = false;
        if self.is_inside() {
            self.scan(line);
            return;
        }
        let mut rest = line.trim_start();
        let mut indent = line.len() - rest.len();
        if self.scalar.is_some_and(|around| indent > around) {
            self.is_elsewhere = true;
            return;
        }
        (self.scalar, self.complete) = (None, None);
        let mut around = indent;
        let mut is_item = false;
        let item = |rest: &'a str| {
            rest.strip_prefix('-').filter(|item| item.is_empty() || item.starts_with(' '))
        };
        while let Some(item) = item(rest) {
            self.block.retain(|(of, _)| *of <= indent);
            self.is_elsewhere |= item.is_empty();
            is_item = true;
            around = indent;
            indent += rest.len() - item.trim_start().len();
            rest = item.trim_start();
        }
        if !is_item {
            self.block.retain(|(of, _)| *of < indent);
        }
        let entry = entry(rest);
        if let Some((key, value)) = entry {
            self.block.push((indent, key));
            self.is_elsewhere |= value.is_empty();
            around = indent;
            rest = value;
        }
        self.is_key = entry.is_none() && !is_item;
        if !self.is_key && rest.trim_start().starts_with(['|', '>']) {
            self.scalar = Some(around);
            self.is_elsewhere = true;
        } else {
            self.scan(rest);
        }
    }

    fn scan(&mut self, text: &'a str) {
        let (mut start, mut before, mut is_escaped) = (0, ' ', false);
        for (at, c) in text.char_indices() {
            let next = text[at + c.len_utf8()..].chars().next();
            let own = text[start..at].trim();
            let is_flow = !self.flow.is_empty();
            let mut ends = true;
            match (self.quote, c) {
                (Some(_), _) if is_escaped => (is_escaped, ends) = (false, false),
                (Some('"'), '\\') => (is_escaped, ends) = (true, false),
                (Some('\''), '\'') if next == Some('\'') => (is_escaped, ends) = (true, false),
                (Some(quote), _) if c == quote => {
                    self.quote = None;
                    self.complete = Some(&text[start..at]);
                }
                (None, '"' | '\'') if own.is_empty() => self.quote = Some(c),
                (None, '[' | '{') if own.is_empty() => self.flow.push((c, None)),
                (None, ']' | '}') if is_flow => {
                    self.flow.pop();
                    self.complete = Some("");
                }
                (None, ',') if is_flow => {
                    self.complete = None;
                    self.set_key(None);
                }
                (None, ':') if self.complete.is_some() || next.is_none_or(char::is_whitespace) => {
                    let key = self.complete.take().unwrap_or(own);
                    self.set_key(Some(key));
                    self.is_elsewhere |= next.is_none();
                }
                (None, '#') if before.is_whitespace() => {
                    self.is_elsewhere = true;
                    return;
                }
                _ => ends = false,
            }
            before = c;
            if ends {
                start = at + c.len_utf8();
            }
        }
        self.token = &text[start..];
    }

    fn set_key(&mut self, key: Option<&'a str>) {
        if let Some((_, of)) = self.flow.last_mut() {
            *of = key;
        }
    }

    fn place(self) -> Option<YamlPlace<'a>> {
        if self.is_elsewhere || self.complete.is_some() {
            return None;
        }
        let is_key = self.flow.last().map_or(self.is_key, |(of, key)| *of == '{' && key.is_none());
        let begun = if self.quote.is_some() { self.token } else { self.token.trim_start() };
        let keys = self.block.iter().map(|(_, key)| *key);
        let keys = keys.chain(self.flow.iter().filter_map(|(_, key)| *key)).collect();
        Some(YamlPlace { keys, is_key, begun, quote: self.quote })
    }
}

fn entry(line: &str) -> Option<(&str, &str)> {
    if let Some(quote) = line.chars().next().filter(|c| ['"', '\''].contains(c)) {
        let (key, rest) = line[1..].split_once(quote)?;
        return Some((key, rest.trim_start().strip_prefix(':')?));
    }
    if line.starts_with(['[', '{', '#']) {
        return None;
    }
    let is_end = |at: &usize| line[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let at = line.match_indices(':').map(|(at, _)| at).find(is_end)?;
    Some((line[..at].trim_end(), &line[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_keys_around_it() {
        let shown = |text: &str| {
            place(text).map(|it| {
                let quote = it.quote.map(String::from).unwrap_or_default();
                let key = if it.is_key { "?" } else { "" };
                format!("{} {key}{quote}{}", it.keys.join("."), it.begun)
            })
        };
        for (text, expected) in [
            ("", " ?"),
            ("na", " ?na"),
            ("a: 1\n\nb", " ?b"),
            ("a: x", "a x"),
            ("a:\n  b", "a ?b"),
            ("a:\n  b:\n    c: 1\n  d: x", "a.d x"),
            ("a:\n  b: 1\n\n  ", "a ?"),
            ("a:\n- x\n- y", "a y"),
            ("a:\n-\n- y", "a y"),
            ("a:\n  - b: 1\n    c", "a ?c"),
            ("a:\n  - b: 1\n  - c: x", "a.c x"),
            ("a:\n  - |\n    t\n  - x", "a x"),
            ("a: [x, y", "a y"),
            ("a: [\"x", "a \"x"),
            ("a: ['it''s, x', 'y", "a 'y"),
            ("a: [\n\n  x,\n  y", "a y"),
            ("a: { b", "a ?b"),
            ("a: { b: { c: x", "a.b.c x"),
            ("a: { b: [x], c", "a ?c"),
            ("a: { \"b c\": x", "a.b c x"),
            ("a: {b: 1}\nc: x", "c x"),
            ("\"a b\":\n  'c", "a b ?'c"),
            ("a: >\n  t: u\n\nb: x", "b x"),
            ("a: it's\nb: x", "b x"),
            ("a: \"x\\\" [\"\nb: x", "b x"),
            ("a: # [\nb: x", "b x"),
            ("a: b:c", "a b:c"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text:?}");
        }
        for none in [
            "a:",
            "a: { b:",
            "a:\n  -",
            "# a",
            "a: b # c",
            "a: |\n  x",
            "a: [x]",
            "a: \"x\"",
            "a: {b: 'c' ",
        ] {
            assert_eq!(shown(none), None, "{none:?}");
        }
    }
}
