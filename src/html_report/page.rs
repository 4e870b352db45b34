//! Renders an HTML page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::html_report::data::Page;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// In dependency order.
const SCRIPT: &str = concat!(
    "\"use strict\";(() => {\n",
    include_str!("page/base.js"),
    include_str!("page/budget.js"),
    include_str!("page/squarify.js"),
    include_str!("page/colors.js"),
    include_str!("page/treemap.js"),
    include_str!("page/table.js"),
    include_str!("page/candidates.js"),
    include_str!("page/text.js"),
    include_str!("page/layout.js"),
    include_str!("page/graph.js"),
    include_str!("page/extras.js"),
    include_str!("page/main.js"),
    "})();\n"
);

pub(crate) fn page(data: &Page<'_>) -> String {
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let json = serde_json::to_string(data).expect("the data formats have text keys only");
    let parts = [
        ("{policy}", policy.as_str()),
        ("{style}", STYLE),
        ("{data}", &harmless(&json)),
        ("{script}", SCRIPT),
    ];
    let mut text = String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + json.len());
    let mut rest = TEMPLATE;
    // Only in the template, never in data.
    for (mark, part) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(part);
        rest = after;
    }
    text.push_str(rest);
    text
}

fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// Escapes element ends, comments, and line ends of JavaScript.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stays_data() {
        let json = serde_json::to_string("</script><!--&\u{2028}\u{2029}é").unwrap();
        let safe = harmless(&json);
        assert_eq!(safe, r#""\u003c/script\u003e\u003c!--\u0026\u2028\u2029é""#);
        assert_eq!(
            serde_json::from_str::<String>(&safe).unwrap(),
            "</script><!--&\u{2028}\u{2029}é"
        );
    }

    #[test]
    fn a_digest_is_as_a_policy_has_it() {
        assert_eq!(digest(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn the_own_parts_end_nothing() {
        assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--") && !STYLE.contains("</"));
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("{policy}"));
        for mark in ["{policy}", "{style}", "{data}", "{script}"] {
            assert_eq!(TEMPLATE.matches(mark).count(), 1, "{mark}");
        }
    }
}
