//! Property tests of the scan.

use proptest::prelude::*;

use super::scan;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap};
use crate::word_list::words;

pub(super) fn scan_at(path: &str, text: &str) -> Vec<(&'static str, (usize, usize), String)> {
    let (sources, file, found) = scanned(path, text);
    let place = |finding: &Diagnostic| {
        let position = sources.get(file).position(finding.primary.span.start);
        (position.line, position.column)
    };
    found.iter().map(|finding| (finding.code(), place(finding), finding.message.clone())).collect()
}

pub(super) fn scanned(path: &str, text: &str) -> (SourceMap, FileId, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let file = sources.add(path.into(), text.to_owned());
    let mut found = Vec::new();
    scan(file, path.into(), text, None, &mut found);
    (sources, file, found)
}

fn fixed(text: &str, found: &[Diagnostic]) -> String {
    let mut edits: Vec<_> = found.iter().flat_map(|finding| &finding.fix).collect();
    edits.sort_by_key(|edit| edit.span);
    assert!(edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{edits:?}");
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.range(), &edit.replacement);
    }
    text
}

fn piece() -> impl Strategy<Value = String> {
    let known = words!(
        "ignore , previous , instructions, <!--, -->, \u{200b}, \u{200d}, \u{202e}, \u{e0061}",
        "\u{fe0f}, \u{1f600}, \u{1f3f4}, \u{ad}, \r, \n, \u{430}, pass, \u{5d0}, \u{200f}",
        "\u{2028}, curl , https://, | sh, `, ```\n, sk-, AKIA, -----BEGIN PRIVATE KEY-----, \\x69",
        "&#, %6, token: , eyJh, <p style=\", display:none, >, [//]: # (, \", 忽略, 指令, \u{3164}",
        "\u{feff}, \0, =, aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM, @, :, user, \u{915}",
        "\u{17b4}",
    );
    prop_oneof![
        4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[ -~]{0,12}",
    ]
}

proptest! {
    #[test]
    fn any_text_is_scanned_and_spans_lie_on_characters(
        text in proptest::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat()),
    ) {
        let (_, _, found) = scanned("a.md", &text);
        for finding in &found {
            let spans = finding.fix.iter().map(|edit| edit.span).chain([finding.primary.span]);
            for span in spans {
                prop_assert!(text.get(span.range()).is_some(), "{finding:?}");
            }
            prop_assert!(!finding.message.contains('\n'));
        }
    }

    #[test]
    fn fixing_twice_changes_nothing(
        text in proptest::collection::vec(piece(), 0..30).prop_map(|pieces| pieces.concat()),
    ) {
        let mut text = text;
        let mut rounds = 0;
        loop {
            let found = scanned("a.md", &text).2;
            if found.iter().all(|finding| finding.fix.is_empty()) {
                break;
            }
            rounds += 1;
            prop_assert!(rounds <= 8, "{text:?}");
            text = fixed(&text, &found);
        }
    }

    #[test]
    fn names_of_any_kind_are_scanned(name in "\\PC{0,30}") {
        let (_, _, found) = scanned(&name, "");
        prop_assert!(found.iter().all(|finding| finding.fix.is_empty()));
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    let patterns = words!(
        "<!--, ignore , curl | , [, `, <p style=, \u{200b}a, \u{430}a, eyJh, &#x1, ://a:b@",
        "password=, -----BEGIN PRIVATE KEY-----, a\u{fe0f}, \", \\x6, 忽略以上, $(base64 -d, ]: # (",
        " hidden, ![a](http, <style>, \n<script>, <template>a, <img , send .env to , </context>",
        "\n# request\n, i n s t r u c t, snoitcurtsni, &#x61;b, &zwnj;, a**b, a<!-- -->, a<!--",
        "a<b , \u{ff49}, \u{2066}\u{5d0}, e\u{301}, npx https://, curl -o a && a;, no longer ",
        "ignore what , =\"a b c d e f \", ](x \", ![a b c d e f, ]: x \", {#, <!a , <?, %%a, ```, ```a b c d e f g",
        "# ai: , <system_note>, [SYSTEM , a-b , a1b2 , | ignore , ⓐⓑ, ⠁⠃, nutzer , nicht mehr , 用户, \n\n\n",
    );
    for pattern in patterns {
        // Quadratic work would take minutes for all of them.
        let text = pattern.repeat((32 << 10) / pattern.len());
        scanned("a.md", &text);
        let entry = format!("- \"{}\"\n", pattern.replace(['"', '\\', '\n'], "x"));
        scanned("a.md", &format!("---\n{}---\n", entry.repeat((16 << 10) / entry.len())));
    }
}
