use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::template_text::RULE;
use faber_core::source::Span;
use faber_core::workspace::survey::FileKind;

const PLACEHOLDERS: [&str; 36] = [
    "**Cost**: what becomes harder",
    "**Gain**: what becomes easier",
    "**Its word**: what others call it",
    "**The common one**: how it shows, and what to do instead",
    ": where it starts and where it ends",
    ": how it shows and how it is fixed",
    ": how work is done there\"",
    ": what always holds\"",
    ": what the reader can do with this that they could not do without",
    ": what this role is responsible for",
    ": which facts are looked up here",
    ": which problem it solves\"",
    "A case that looks alike and needs something else.",
    "A rule that can be checked, with its limit as a number.",
    "A rule with its reason, where the reason is not plain.",
    "A state that others can observe.",
    "From what beginning to what end.",
    "How the platform is reached, and what to do when it cannot be.",
    "How to see that it is fixed, and how to keep it so.",
    "How to undo it, and who needs to know.",
    "One action, with its command and what it shows when it worked.",
    "One sentence that says what exists when the task is done.",
    "The check that rules out most causes at once.",
    "The check that tells the remaining ones apart.",
    "The decision that follows from it.",
    "The exact message, or what a user sees.",
    "The first thing that an expert looks at.",
    "The shape of it, in words or a small example.",
    "The situation, and what goes wrong without this.",
    "What holds here in addition to the base.",
    "What must be true, and how to see that it is.",
    "What this role is for, and when to use another one.",
    "When a rule may be broken, and who decides.",
    "When this matters, in one sentence.",
    "Where these facts come from, and as of when.",
    "replace this sentence by what it is and for whom",
];

static MATCHER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(PLACEHOLDERS);
    matcher.expect("a few short sentences make a small automaton")
});

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    if matches!(input.entry.kind, FileKind::Config | FileKind::Note | FileKind::Conversation) {
        return;
    }
    let mut places = MATCHER.find_iter(input.text());
    let Some(first) = places.next() else { return };
    let message = match places.count() {
        0 => "text of the template was not replaced".to_owned(),
        more => format!("text of the template was not replaced, here and in {more} more places"),
    };
    let span = Span::new(input.entry.file, first.start(), first.end());
    found.push(RULE.at(span, message).help("write your own text, or remove the line"));
}
