//! Attribute lists: `{#id}`, `{: #id .class key=value }`.

pub fn without_attributes(heading: &str) -> (&str, Option<&str>) {
    let same = (heading, None);
    let Some(rest) = heading.strip_suffix('}') else { return same };
    let Some(open) = rest.rfind('{') else { return same };
    let title = rest[..open].trim_end();
    if title.is_empty() || title.ends_with(['\\', '{']) {
        return same;
    }
    parse(&rest[open + 1..]).map_or(same, |id| (title, id))
}

pub fn attribute_id(inner: &str) -> Option<&str> {
    parse(inner)?
}

#[expect(clippy::option_option, reason = "a list need not have an id")]
fn parse(inner: &str) -> Option<Option<&str>> {
    if inner.contains('}') {
        return None;
    }
    let mut rest = inner.strip_prefix(':').unwrap_or(inner).trim();
    let (mut id, mut is_list) = (None, false);
    while let Some(first) = rest.chars().next() {
        let end = end_of_attribute(rest)?;
        let attribute = &rest[..end];
        match first {
            '#' if end > 1 => id = Some(&attribute[1..]),
            '.' if end > 1 => {}
            _ if attribute.find('=').is_some_and(|at| at > 0) => {}
            _ => return None,
        }
        is_list = true;
        rest = rest[end..].trim_start();
    }
    is_list.then_some(id)
}

fn end_of_attribute(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, char) in text.char_indices() {
        match (quote, char) {
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, _) if char.is_whitespace() => return Some(at),
            _ => {}
        }
    }
    quote.is_none().then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_of_attributes_is_taken_off() {
        for (heading, title, id) in [
            ("A {#a}", "A", Some("a")),
            ("A { #a }", "A", Some("a")),
            ("A{: #a .b }", "A", Some("a")),
            ("A {.b title='c d'}", "A", None),
            ("A {:.no_toc}", "A", None),
        ] {
            assert_eq!(without_attributes(heading), (title, id));
        }
        for same in [
            "A", "A {}", "A {b}", "A {# b}", "A #{b}", "{#a}", "{#a} A", "A {a='b}", "A {{#b}}",
            "A \\{#a}",
        ] {
            assert_eq!(without_attributes(same), (same, None));
        }
    }
}
