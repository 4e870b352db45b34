use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::{self, BlockKind, Lines};
use faber_core::parse::fence;
use faber_core::rule::Group;
use faber_core::rules::merge_conflict::RULE;
use faber_core::source::Span;

const MARKERS: [&str; 3] = ["<<<<<<<", "=======", ">>>>>>>"];

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let (file, text) = (input.entry.file, input.text());
    if !text.contains(MARKERS[2]) {
        return;
    }
    let is_marker = |line: &str, marker: &str| {
        line.strip_prefix(marker)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
    };
    let lines = Lines::new(text);
    let first = lines.at(fence::body(text));
    let blocks = markdown::blocks(&text[fence::body(text)..]);
    let is_code = |line: usize| {
        let line = line.checked_sub(first);
        blocks.iter().any(|block| {
            matches!(block.kind, BlockKind::Fence | BlockKind::IndentedCode)
                && line.is_some_and(|line| block.lines.contains(&line))
        })
    };
    let (mut open, mut passed) = (0, 0);
    for line in 0..lines.len() {
        let shown = lines.text(line);
        // Agents write edits as `<<<<<<< SEARCH`.
        let is_edit = shown.trim_end().ends_with(" SEARCH");
        if is_marker(shown, MARKERS[0]) && !is_edit && !is_code(line) {
            (open, passed) = (line, 1);
        } else if passed > 0 && is_marker(shown, MARKERS[passed]) {
            passed += 1;
        }
        if passed == MARKERS.len() {
            passed = 0;
            let (start, end) = (lines.range(open), lines.range(line));
            let end = Span::new(file, end.start, end.end);
            let finding = RULE
                .at(Span::new(file, start.start, start.end), "unresolved merge conflict")
                .related(end, "ends here");
            found.push(finding.help("keep one side, or combine both, and delete the markers"));
        }
    }
}

pub(crate) fn claim(found: &mut Vec<Diagnostic>) {
    let conflicts = found.iter().filter(|it| it.rule() == &RULE);
    let conflicts: Vec<(Span, Span)> =
        conflicts.map(|it| (it.primary.span, it.related[0].span)).collect();
    found.retain(|it| {
        let at = it.primary.span;
        let is_inside = |(start, end): &(Span, Span)| {
            start.file == at.file && start.start <= at.start && at.start <= end.end
        };
        it.rule() == &RULE || it.rule().group == Group::Security || !conflicts.iter().any(is_inside)
    });
}
