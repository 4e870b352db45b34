//! The budget as a bar of sections.

use faber_core::assemble::figures::Figures;
use faber_output::table::{Column, DisplayOptions, grouped, plain, table};

const MAX_WIDTH: usize = 100;

struct BarSegment {
    name: &'static str,
    tokens: usize,
    glyph: char,
    color: u8,
}

fn segments(figures: &Figures, look: DisplayOptions) -> Vec<BarSegment> {
    let segment = |name, tokens, (glyph, letter, color)| BarSegment {
        name,
        tokens,
        glyph: if look.unicode { glyph } else { letter },
        color,
    };
    let context = figures.context;
    let conversation = figures.conversation;
    let mut segments = vec![
        segment("role prompt", context.system, ('█', 'P', 34)),
        segment("user overlay", context.profile, ('#', 'U', 35)),
        segment("contexts", context.location, ('▓', 'C', 32)),
        segment("related", context.related, ('▒', 'R', 36)),
        segment("catalog", context.catalog, ('░', 'L', 33)),
        segment("history", conversation.history, ('+', 'H', 37)),
        segment("request", conversation.message, ('=', 'Q', 31)),
    ];
    segments.retain(|segment| segment.tokens > 0);
    segments
}

pub(crate) fn bar(figures: &Figures, look: DisplayOptions) -> String {
    let DisplayOptions { width, color, unicode, .. } = look;
    let segments = segments(figures, look);
    let free = if unicode { '·' } else { '.' };
    let paint = |glyph: char, count: usize, number: u8| {
        let cells = glyph.to_string().repeat(count);
        if color && count > 0 { format!("\u{1b}[{number}m{cells}\u{1b}[0m") } else { cells }
    };
    let room = width.min(MAX_WIDTH).saturating_sub(2).max(1);
    let tokens: Vec<usize> = segments.iter().map(|segment| segment.tokens).collect();
    let cells = cells(&tokens, figures.summary.limit, room);
    let mut text = String::from("[");
    text.extend(segments.iter().zip(&cells).map(|(it, &count)| paint(it.glyph, count, it.color)));
    text.push_str(&free.to_string().repeat(room - cells.iter().sum::<usize>()));
    text.push_str("]\n");
    for line in legend(figures, &segments, free, width).lines() {
        let glyph = line.chars().next();
        match segments.iter().find(|segment| Some(segment.glyph) == glyph).filter(|_| color) {
            Some(segment) => {
                text.push_str(&paint(segment.glyph, 1, segment.color));
                text.push_str(&line[segment.glyph.len_utf8()..]);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn legend(figures: &Figures, segments: &[BarSegment], free: char, width: usize) -> String {
    let row = |glyph: char, name: &str, tokens: usize| {
        vec![glyph.to_string(), name.to_owned(), grouped(tokens)]
    };
    let used = segments.iter().map(|segment| row(segment.glyph, segment.name, segment.tokens));
    let left = figures.summary.limit.saturating_sub(figures.summary.total_used);
    let rows: Vec<Vec<String>> = used.chain([row(free, "free", left)]).collect();
    let columns = [Column::new(""), Column::new(""), Column::figures("")];
    table(&columns, &rows, 0, width)
}

pub(crate) fn headline(figures: &Figures) -> String {
    let summary = figures.summary;
    plain(&format!(
        "{} of {} tokens ({} %), {} more reserved for the answer",
        grouped(summary.total_used),
        grouped(summary.limit),
        summary.utilization_percent,
        number(figures.response.reserved)
    ))
}

fn number(figure: u64) -> String {
    grouped(usize::try_from(figure).unwrap_or(usize::MAX))
}

fn cells(tokens: &[usize], limit: usize, room: usize) -> Vec<usize> {
    let mut cells = Vec::with_capacity(tokens.len());
    let (mut sum, mut end) = (0_usize, 0_usize);
    for &tokens in tokens {
        sum += tokens;
        let exact = (sum as u128 * room as u128 + limit as u128 / 2) / limit.max(1) as u128;
        let exact = usize::try_from(exact).unwrap_or(room);
        let next = exact.max(end + usize::from(tokens > 0)).min(room);
        cells.push(next.max(end) - end);
        end = next.max(end);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::assemble::figures::{ContextTokens, Summary};

    #[test]
    fn a_terminal_without_unicode_gets_letters() {
        let summary = Summary { limit: 40, total_used: 30, ..Summary::default() };
        let context = ContextTokens { system: 10, location: 20, ..ContextTokens::default() };
        let figures = Figures { context, summary, ..Figures::default() };
        let look = DisplayOptions { width: 22, color: false, everything: false, unicode: false };
        let drawn = bar(&figures, look);
        assert_eq!(drawn.lines().next(), Some("[PPPPPCCCCCCCCCC.....]"));
        assert!(drawn.is_ascii(), "{drawn}");
        let drawn = bar(&figures, DisplayOptions { unicode: true, ..look });
        assert_eq!(drawn.lines().next(), Some("[█████▓▓▓▓▓▓▓▓▓▓·····]"));
    }

    #[test]
    fn every_segment_is_seen_and_none_runs_over() {
        assert_eq!(cells(&[50, 0, 25], 100, 20), [10, 0, 5]);
        assert_eq!(cells(&[1, 1, 1], 100_000, 10), [1, 1, 1]);
        assert_eq!(cells(&[90, 20], 100, 10), [9, 1]);
        assert_eq!(cells(&[3, 4], 0, 5), [5, 0]);
    }
}
