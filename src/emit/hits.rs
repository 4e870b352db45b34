//! Search results as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use faber_core::escape::{Visible, lines};
use faber_core::terms::pieces::{is_stop, pieces, stem_of};
use faber_core::terms::query;
use faber_core::terms::words::Normalizer;
use faber_output::table::{fold, shortened};
use faber_session::settings::Settings;
use faber_tools::search::found::Found;
use unicode_width::UnicodeWidthStr;

const SHOWN: usize = 3;
const WIDTH: usize = 100;
const RESERVED_WIDTH: usize = 8;
const MIN_TITLE_WIDTH: usize = 12;
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const MATCH: &str = "\u{1b}[1;31m";
const RESET: &str = "\u{1b}[0m";

pub(crate) fn hits(found: &[Found], question: &str, settings: &Settings) -> String {
    let terms = query::terms(question);
    let terms: BTreeSet<String> =
        terms.iter().flat_map(query::Term::stems).map(str::to_owned).collect();
    let painter = Painter {
        normalizer: Normalizer::default(),
        terms,
        color: settings.color_stdout,
        width: settings.stdout_width.unwrap_or(WIDTH).saturating_sub(4).max(20),
    };
    let mut out = String::new();
    for (at, hit) in found.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let (bold, dim, reset) = if painter.color { (BOLD, DIM, RESET) } else { ("", "", "") };
        let source = &hit.source;
        let id = Visible(&hit.id).to_string();
        let mut title = Visible(&source.title).to_string();
        if let Some(width) = settings.stdout_width {
            let room = width.saturating_sub(id.width() + RESERVED_WIDTH);
            title = if room < MIN_TITLE_WIDTH { String::new() } else { shortened(&title, room) };
        }
        let head = format!("{bold}{id}{reset}  {:.2}  {title}", hit.relevance_score);
        let _ = writeln!(out, "{}", head.trim_end());
        let _ = writeln!(
            out,
            "    {dim}{}:{}  {}{reset}",
            Visible(&source.path),
            source.line,
            source.scope.word(source.layer)
        );
        if let Some(passages) = hit.passages.as_ref().filter(|passages| !passages.is_empty()) {
            let ids: Vec<String> = passages.iter().map(|id| Visible(id).to_string()).collect();
            let _ = writeln!(out, "    {dim}also {}{reset}", ids.join(", "));
        }
        let shown = match &hit.content {
            Some(content) => painter.best_lines(&lines(content)),
            None => fold(&lines(&hit.preview), painter.width),
        };
        for line in shown {
            let _ = writeln!(out, "    {}", painter.paint(&line));
        }
    }
    out
}

struct Painter {
    normalizer: Normalizer<'static>,
    terms: BTreeSet<String>,
    color: bool,
    width: usize,
}

impl Painter {
    fn is_match(&self, word: &str) -> bool {
        !is_stop(word) && self.terms.contains(&stem_of(word, &self.normalizer))
    }

    fn matches(&self, line: &str) -> usize {
        let words = pieces(line).into_iter().map(|piece| &line[piece.bytes]);
        let stems =
            words.filter(|word| self.is_match(word)).map(|word| stem_of(word, &self.normalizer));
        stems.collect::<BTreeSet<_>>().len()
    }

    fn best_lines(&self, text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let counts: Vec<usize> = lines.iter().map(|line| self.matches(line)).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        let best = counts.iter().position(|count| *count == most).unwrap_or(0);
        let start = best.saturating_sub(1).min(lines.len().saturating_sub(SHOWN));
        lines[start..].iter().take(SHOWN).map(|line| self.cut(line)).collect()
    }

    fn cut(&self, line: &str) -> String {
        let line = line.trim_end();
        if line.chars().count() <= self.width {
            return line.to_owned();
        }
        let found =
            pieces(line).into_iter().find(|piece| self.is_match(&line[piece.bytes.clone()]));
        let at = found.map_or(0, |piece| line[..piece.bytes.start].chars().count());
        let start = at.saturating_sub(self.width / 3);
        let start = if at < self.width * 2 / 3 { 0 } else { start };
        let shown: String = line.chars().skip(start).take(self.width - 2).collect();
        let more = start + self.width - 2 < line.chars().count();
        format!(
            "{}{}{}",
            if start > 0 { "…" } else { "" },
            shown.trim(),
            if more { "…" } else { "" }
        )
    }

    fn paint(&self, line: &str) -> String {
        if !self.color {
            return line.to_owned();
        }
        let mut out = String::new();
        let mut end = 0;
        for piece in pieces(line).into_iter().filter(|piece| !piece.joined) {
            if self.is_match(&line[piece.bytes.clone()]) {
                out.push_str(&line[end..piece.bytes.start]);
                let _ = write!(out, "{MATCH}{}{RESET}", &line[piece.bytes.clone()]);
                end = piece.bytes.end;
            }
        }
        out.push_str(&line[end..]);
        out
    }
}
