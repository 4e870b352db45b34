use memchr::memmem;

use crate::validate::check::DocumentInput;
use crate::validate::sizes::{SizeEstimate, compare_estimate, tokens};
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::{Block, BlockKind, Lines, blocks};
use faber_core::rules::section_too_large::RULE;
use faber_core::source::Span;
use faber_core::tokens::estimate;
use faber_output::table::figure;

pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let limit = tokens(input.whole.config.budget.limits(None, None).sections.location);
    let is_over = |bytes: usize| compare_estimate(estimate(bytes), limit) == SizeEstimate::Over;
    let body = input.body();
    let mut before = 0;
    let ends = memmem::find_iter(body.as_bytes(), b"\n#").chain([body.len()]);
    let far = ends.fold(false, |far, at| {
        let gap = at - before;
        before = at;
        far || is_over(gap)
    });
    if !far {
        return;
    }
    let lines = Lines::new(body);
    let mut section = HeadedText { heading: None, bytes: 0 };
    let end = [None];
    let all = blocks(body);
    for block in all.iter().map(Some).chain(end) {
        match block {
            Some(Block { kind: BlockKind::Heading { .. }, .. }) | None => {
                if is_over(section.bytes) {
                    found.push(finding(input, &lines, &section, limit));
                }
                section = HeadedText { heading: block, bytes: 0 };
            }
            Some(Block { kind: BlockKind::Fence | BlockKind::IndentedCode, .. }) => {}
            Some(block) => section.bytes += bytes(&lines, block),
        }
    }
}

struct HeadedText<'b> {
    heading: Option<&'b Block>,
    bytes: usize,
}

fn bytes(lines: &Lines<'_>, block: &Block) -> usize {
    lines.range(block.lines.end - 1).end - lines.range(block.lines.start).start
}

fn finding(
    input: &DocumentInput<'_>,
    lines: &Lines<'_>,
    section: &HeadedText<'_>,
    limit: usize,
) -> Diagnostic {
    let (size, limit) = (figure(estimate(section.bytes)), figure(limit));
    let body = input.document.body;
    let Some(heading) = section.heading else {
        let message =
            format!("about {size} tokens without a heading; `budget.sections.location` is {limit}");
        return RULE.at(Span::start_of(body.file), message).help("divide it with headings");
    };
    let range = lines.range(heading.lines.start);
    let start = body.start as usize;
    let span = Span::new(body.file, start + range.start, start + range.end);
    let text = match &heading.kind {
        BlockKind::Heading { text, .. } => text.as_str(),
        _ => "",
    };
    let message = format!(
        "`{text}` has about {size} tokens and no subheading; `budget.sections.location` is {limit}"
    );
    RULE.at(span, message).help("divide it with headings")
}
