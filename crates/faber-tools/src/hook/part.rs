use std::collections::HashMap;

use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Loaded;
use faber_core::markdown::{closes, opens};
use faber_core::render::block::BundleLine;
use faber_core::resolve::catalog::Context;
use faber_core::source::Span;
use faber_session::hook::LineRanges;
use faber_session::session::Workspace;

const BEST: [usize; 2] = [1600, 3200];
const LEAST: usize = 120;
pub(super) const GAP: &str = "[…]";

pub(super) struct Rest {
    pub text: String,
    pub numbers: Vec<Option<usize>>,
}

pub(super) fn matching_rest(
    assembly: &Assembly,
    context: &Context,
    given: &LineRanges,
    workspace: &Workspace,
) -> Option<Rest> {
    let best =
        |bytes| assembly.matching_lines(context, bytes, &workspace.sources, &workspace.caches);
    let lines = BEST.into_iter().map(best).find(|lines| !lines.is_empty())?;
    let rest = Rest::of(&new_chunks(&lines, given));
    (rest.text.len() >= LEAST).then_some(rest)
}

pub(super) fn whole_rest(
    context: &Context,
    given: &LineRanges,
    workspace: &Workspace,
) -> Option<Rest> {
    let sources = &workspace.sources;
    let lines = context.body.lines(sources);
    let lines: Vec<NumberedLine> =
        lines.iter().map(|line| line.text(sources).to_owned()).enumerate().collect();
    let mut new = new_chunks(&lines, given);
    let at = new.iter().position(|(chunk, _)| !chunk[0].1.starts_with('#'))?;
    let end = without_beginning(new[at].0, given);
    new[at].0 = &end;
    Some(Rest::of(&new))
}

type NumberedLine = (usize, String);

impl Rest {
    fn of(chunks: &[(&[NumberedLine], bool)]) -> Self {
        let mut rest = Self { text: String::new(), numbers: Vec::new() };
        for (at, (chunk, follows_gap)) in chunks.iter().enumerate() {
            let gap = follows_gap.then_some([GAP, ""]).into_iter().flatten();
            let own = (at > 0).then_some("").into_iter().chain(gap).map(|text| (None, text));
            let lines = chunk.iter().map(|(number, text)| (Some(*number), text.as_str()));
            for (number, line) in own.chain(lines) {
                rest.numbers.push(number);
                rest.text += line;
                rest.text.push('\n');
            }
        }
        rest
    }
}

/// Keeps the headings above new chunks. The flag marks a gap.
fn new_chunks<'a>(
    lines: &'a [NumberedLine],
    given: &LineRanges,
) -> Vec<(&'a [NumberedLine], bool)> {
    let level = |text: &str| text.bytes().take_while(|byte| *byte == b'#').count();
    let is_new =
        |(at, text): &NumberedLine| text.contains(char::is_alphanumeric) && !given.has(*at);
    let mut headings: Vec<&[NumberedLine]> = Vec::new();
    let (mut new, mut follows_gap) = (Vec::new(), false);
    for chunk in chunks(lines) {
        let depth = level(&chunk[0].1);
        if depth > 0 && chunk.len() == 1 {
            headings.retain(|above| level(&above[0].1) < depth);
            headings.push(chunk);
        } else if let Some(first) = chunk.iter().position(is_new) {
            for chunk in headings.drain(..).chain([from_item(chunk, first)]) {
                new.push((chunk, std::mem::take(&mut follows_gap)));
            }
        } else {
            follows_gap = !new.is_empty();
        }
    }
    new
}

fn from_item(chunk: &[NumberedLine], line: usize) -> &[NumberedLine] {
    let marks = |text: &str| {
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let marks: &[&str] =
            if number.len() < text.len() { &[". ", ") "] } else { &["- ", "* ", "+ "] };
        marks.iter().any(|mark| number.starts_with(mark))
    };
    let start = chunk[..=line].iter().rposition(|(_, text)| marks(text));
    &chunk[start.filter(|_| marks(&chunk[0].1)).unwrap_or(0)..]
}

fn without_beginning(chunk: &[NumberedLine], given: &LineRanges) -> Vec<NumberedLine> {
    let first = chunk[0].1.trim_start();
    let opening = if opens(first).is_some() { 1 } else { 2 * usize::from(first.starts_with('|')) };
    let (head, rest) = chunk.split_at(opening.min(chunk.len()));
    let end = rest.iter().skip_while(|(number, _)| given.has(*number));
    head.iter().chain(end).cloned().collect()
}

fn chunks(lines: &[NumberedLine]) -> impl Iterator<Item = &[NumberedLine]> {
    let mut fence = None;
    let kinds: Vec<Option<bool>> = lines
        .iter()
        .map(|(_, text)| {
            let own = text.trim_start();
            fence = match fence {
                Some(open) => Some(open).filter(|open| !closes(own, *open)),
                None => opens(own),
            };
            let is_blank = own.is_empty() && fence.is_none();
            (!is_blank).then(|| text.starts_with('#') && fence.is_none())
        })
        .collect();
    let mut start = 0;
    let ends = (1..=lines.len()).filter(move |&end| {
        end == kinds.len() || kinds[end - 1] != kinds[end] || kinds[end - 1] == Some(true)
    });
    let all = ends.map(move |end| &lines[std::mem::replace(&mut start, end)..end]);
    all.filter(|chunk| !chunk[0].1.trim().is_empty())
}

pub(super) fn shown(
    assembly: &Assembly,
    workspace: &Workspace,
    loaded: &Loaded,
    count: usize,
) -> LineRanges {
    let sources = &workspace.sources;
    let lines = assembly.catalog.contexts[&loaded.id].body.lines(sources);
    let numbers: HashMap<Span, usize> =
        lines.iter().enumerate().map(|(number, line)| (line.origin, number)).collect();
    let number = |line: &BundleLine| {
        let number = *numbers.get(&line.origin?)?;
        (lines[number].text(sources) == line.text).then_some(number)
    };
    let shown = assembly.bundle.blocks[loaded.block].lines.iter();
    shown.take(count).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chunks_that_were_not_given_are_left() {
        let text = "# A\n\nOne.\n\n## B\nTwo.\nThree.\n\n```sh\n# x\n\nls\n```\n\n## C\n\n- four\n- five\n\n[…]\n\n## D\n\nSix.";
        let lines: Vec<NumberedLine> = (0..).zip(text.lines().map(str::to_owned)).collect();
        let new = |given: &[usize]| {
            let given = given.iter().copied().collect();
            let new = new_chunks(&lines, &given).into_iter().flat_map(|(chunk, follows_gap)| {
                let gap = follows_gap.then_some("…");
                gap.into_iter().chain(chunk.iter().map(|(_, text)| &**text))
            });
            new.collect::<Vec<_>>().join("|")
        };
        let all = "# A|One.|## B|Two.|Three.|```sh|# x||ls|```|## C|- four|- five|…|## D|Six.";
        assert_eq!(new(&[]), all);
        assert_eq!(new(&[0, 2, 4, 5, 6, 14, 16, 17, 21, 23]), "# A|## B|```sh|# x||ls|```");
        let some = "# A|## B|Two.|Three.|…|## C|- five|…|## D|Six.";
        assert_eq!(new(&[2, 5, 8, 9, 11, 16]), some);
        assert_eq!(new(&(0..30).collect::<Vec<_>>()), "");
    }

    #[test]
    fn code_stays_whole() {
        let text = "````md\n```sh\n# x\n\nls\n```\n\n# y\n````\n\n```a``` is code.\n\n# B\n\n~~~\n```\n# z\n~~~";
        let lines: Vec<NumberedLine> = (0..).zip(text.lines().map(str::to_owned)).collect();
        let found: Vec<usize> = chunks(&lines).map(<[NumberedLine]>::len).collect();
        assert_eq!(found, [9, 1, 1, 4]);
    }
}
