//! Texts for property tests of excerpts.

use proptest::prelude::*;

pub(crate) fn markdown() -> impl Strategy<Value = String> {
    let words = "([a-z]{1,6}[.!,]? |`a[.] b` |[*]{2}x[.] y[*]{2} |\\[l[.] m\\][(]u[)] |é。){1,6}";
    let line = prop_oneof![
        3 => words,
        2 => "#{1,6} [a-z]{0,5}",
        2 => "( {0,4}|\t)([-*+]|[0-9][.)]) [a-z. ]{0,9}",
        1 => "[> ]{1,4}[a-z.]{0,6}",
        1 => " {0,4}:{3,4}( ?[a-z{]{0,3})",
        1 => "\\|[a-z |]{1,6}\\|\n\\|-\\|-\\|(\n\\| x \\| y \\|){0,3}",
        2 => " {0,4}(```|````|~~~)[a-z]{0,2}([.] `b`)?",
        1 => "(===|---|\\*\\*\\*|<!-- [a-z]{0,3}|-->|<pre>|</pre>|<div>|\\[a\\]: b\\. c)",
        2 => Just(String::new()),
        1 => "\\PC{0,9}",
        1 => any::<String>(),
    ];
    let ending = prop_oneof![9 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    prop::collection::vec((line, ending), 0..24)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}
