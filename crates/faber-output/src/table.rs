//! Tables, wrapped to the terminal width.

use faber_core::escape::lines;
use faber_core::numbers;
use faber_session::settings::{Settings, Verbosity};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A non-breaking space, printed as a space.
const GLUE: char = '\u{a0}';
const GAP: usize = 2;
const MIN_COLUMN_WIDTH: usize = 12;
const NARROW: usize = 8;

#[derive(Clone, Copy, Debug)]
pub struct DisplayOptions {
    pub width: usize,
    pub color: bool,
    /// Instead of counts.
    pub everything: bool,
    pub unicode: bool,
}

impl DisplayOptions {
    pub fn new(settings: &Settings) -> Self {
        Self {
            width: settings.width,
            color: settings.color_stdout,
            everything: settings.verbosity == Verbosity::Verbose,
            unicode: settings.unicode,
        }
    }

    pub fn plain(width: usize) -> Self {
        Self { width, color: false, everything: false, unicode: true }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub heading: &'static str,
    pub right: bool,
    pub folds: bool,
}

impl Column {
    pub const fn new(heading: &'static str) -> Self {
        Self { heading, right: false, folds: false }
    }

    pub const fn figures(heading: &'static str) -> Self {
        Self { heading, right: true, folds: false }
    }

    pub const fn text(heading: &'static str) -> Self {
        Self { heading, right: false, folds: true }
    }
}

/// With thousands separators.
pub fn grouped(number: usize) -> String {
    figure(number).replace(' ', &GLUE.to_string())
}

/// [`grouped`], for running text.
pub fn figure(number: usize) -> String {
    numbers::grouped(number)
}

/// Escapes control characters.
pub fn plain(text: &str) -> String {
    lines(text).replace(GLUE, " ")
}

pub fn table(columns: &[Column], rows: &[Vec<String>], indent: usize, width: usize) -> String {
    let headings = headings(columns);
    let headed = headings.iter().any(|heading| !heading.is_empty());
    let rows: Vec<&Vec<String>> = headed.then_some(&headings).into_iter().chain(rows).collect();
    let widths = widths(columns, &rows, width.saturating_sub(indent), MIN_COLUMN_WIDTH);
    rows.iter().map(|row| drawn(columns, row, &widths, indent)).collect()
}

fn headings(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| column.heading.to_owned()).collect()
}

fn drawn(columns: &[Column], row: &[String], widths: &[usize], indent: usize) -> String {
    let cells: Vec<Vec<String>> =
        row.iter().zip(widths).map(|(cell, &width)| fold(cell, width)).collect();
    let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for line in 0..lines {
        let mut shown = " ".repeat(indent);
        for ((column, cell), &width) in columns.iter().zip(&cells).zip(widths) {
            let piece = cell.get(line).map_or("", String::as_str);
            let pad = " ".repeat(width.saturating_sub(piece.width()));
            let parts = if column.right { [&*pad, piece] } else { [piece, &*pad] };
            shown.extend(parts);
            shown.push_str(&" ".repeat(GAP));
        }
        text.push_str(plain(&shown).trim_end());
        text.push('\n');
    }
    text
}

/// If too wide, stacks cells.
pub fn fitting(columns: &[Column], rows: &[Vec<String>], width: usize) -> String {
    let headings = headings(columns);
    let all: Vec<&Vec<String>> = std::iter::once(&headings).chain(rows).collect();
    if has_room(&widths(columns, &all, width, MIN_COLUMN_WIDTH), &all, width) {
        return table(columns, rows, 0, width);
    }
    let room = width.saturating_sub(GAP);
    let columns = &columns[1..];
    let is_headed = headings.iter().any(|heading| !heading.is_empty());
    let rows = &all[1..];
    for rows in is_headed.then_some(&all[..]).into_iter().chain([rows]) {
        let below: Vec<Vec<String>> = rows.iter().map(|row| row[1..].to_vec()).collect();
        let below: Vec<&Vec<String>> = below.iter().collect();
        let widths = widths(columns, &below, room, NARROW);
        if has_room(&widths, &below, room) {
            return stacked(rows, width, |cells| drawn(columns, cells, &widths, GAP));
        }
    }
    stacked(rows, width, |cells| {
        let lines = flowing(cells, room).into_iter();
        lines.map(|line| " ".repeat(GAP) + &plain(&line) + "\n").collect()
    })
}

fn stacked(rows: &[&Vec<String>], width: usize, below: impl Fn(&[String]) -> String) -> String {
    let row = |row: &&Vec<String>| {
        let first = fold(&row[0], width).into_iter().map(|line| plain(&line) + "\n");
        first.chain([below(&row[1..])]).collect::<String>()
    };
    rows.iter().map(row).collect()
}

fn has_room(widths: &[usize], rows: &[&Vec<String>], width: usize) -> bool {
    let needed = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    let mut cells = rows.iter().flat_map(|row| row.iter().zip(widths));
    needed <= width && cells.all(|(cell, &width)| cell.split(' ').all(|word| word.width() <= width))
}

fn flowing(cells: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for cell in cells.iter().filter(|cell| !cell.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + GAP + cell.width() <= width => {
                line.push_str(&" ".repeat(GAP));
                line.push_str(cell);
            }
            _ => lines.extend(fold(cell, width)),
        }
    }
    lines
}

/// Narrows the widest wrapping column.
fn widths(columns: &[Column], rows: &[&Vec<String>], width: usize, least: usize) -> Vec<usize> {
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or(0);
    let word = |at: usize| {
        let words = rows.iter().flat_map(|row| row[at].split(' '));
        words.map(UnicodeWidthStr::width).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns.len()).map(widest).collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    let whole: Vec<usize> = (0..columns.len()).map(|at| word(at).max(least)).collect();
    for floors in [whole, vec![least; columns.len()]] {
        while widths.iter().sum::<usize>() + gaps > width {
            let folding = (0..columns.len()).filter(|&at| columns[at].folds);
            let above = folding.filter(|&at| widths[at] > floors[at]);
            let Some(at) = above.max_by_key(|&at| widths[at]) else { break };
            widths[at] -= 1;
        }
    }
    widths
}

pub fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept.trim_end().to_owned() + "…"
}

pub fn fold(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split([' ', '\n']).filter(|word| !word.is_empty()) {
        let mut used = lines[lines.len() - 1].width();
        if used > 0 && used + 1 + word.width() > width {
            lines.push(String::new());
            used = 0;
        }
        let mut line = lines.pop().unwrap_or_default();
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if used > 0 && used + wide > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += wide;
        }
        lines.push(line);
    }
    lines
}

pub fn folded(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut out = String::new();
    for line in text.lines() {
        if line.width() <= width {
            out.extend([line, "\n"]);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        for (at, part) in fold(line, width.saturating_sub(indent + GAP)).iter().enumerate() {
            let indent = if at == 0 { indent } else { indent + GAP };
            out.extend([" ".repeat(indent).as_str(), part.as_str(), "\n"]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_groups_of_three() {
        let shown = [0, 999, 1000, 1_234_567].map(|number| plain(&grouped(number)));
        assert_eq!(shown, ["0", "999", "1 000", "1 234 567"]);
    }

    #[test]
    fn long_lines_are_wrapped_at_spaces() {
        let text = "short\n  one two three four\n";
        assert_eq!(folded(text, Some(14)), "short\n  one two\n    three four\n");
        assert_eq!(folded(text, None), text);
    }

    #[test]
    fn words_are_not_broken_to_fit_a_table() {
        let columns = [Column::new("id"), Column::text("events")];
        let rows = [vec!["claude".to_owned(), "UserPromptSubmit, Stop".to_owned()]];
        assert_eq!(
            fitting(&columns, &rows, 25),
            "id      events\nclaude  UserPromptSubmit,\n        Stop\n"
        );
        assert_eq!(
            fitting(&columns, &rows, 22),
            "id\n  events\nclaude\n  UserPromptSubmit,\n  Stop\n"
        );
    }

    #[test]
    fn headings_take_room_too() {
        let columns = [Column::new("id"), Column::figures("characters"), Column::text("message")];
        let rows = [vec!["a".to_owned(), "1".to_owned(), "no such file".to_owned()]];
        assert_eq!(
            fitting(&columns, &rows, 28),
            "id  characters  message\na            1  no such file\n"
        );
        let stacked = "id\n  characters  message\na\n           1  no such file\n";
        assert_eq!(fitting(&columns, &rows, 27), stacked);
        assert_eq!(fitting(&columns, &rows, 18), "a\n  1  no such file\n");
    }

    #[test]
    fn in_a_narrow_table_the_first_cell_is_on_its_own_line() {
        let columns = [Column::new("id"), Column::figures("tokens"), Column::text("why")];
        let row = |id: &str, tokens: usize, why: &str| vec![id.into(), grouped(tokens), why.into()];
        let rows = [row("standard/a-long-name", 12345, "one two three"), row("a/b", 7, "six")];
        let text = fitting(&columns, &rows, 24);
        insta::assert_snapshot!(text, @r"
        id
          tokens  why
        standard/a-long-name
          12 345  one two three
        a/b
               7  six
        ");
        assert_eq!(fitting(&columns, &rows, 80), table(&columns, &rows, 0, 80));
    }

    #[test]
    fn cells_without_room_next_to_each_other_are_on_several_lines() {
        let columns = [Column::new("phrase"), Column::new("kind"), Column::new("context")];
        let rows = [["ship", "keyword", "a/deployment"], ["exit", "", "b/commands"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            fitting(&columns, &rows, 24),
            "phrase\n  kind     context\nship\n  keyword  a/deployment\nexit\n           b/commands\n"
        );
        assert_eq!(
            fitting(&columns, &rows, 22),
            "ship\n  keyword\n  a/deployment\nexit\n  b/commands\n"
        );
        assert_eq!(flowing(&rows[0], 9), ["ship", "keyword", "a/deploym", "ent"]);
    }

    #[test]
    fn only_columns_of_text_give_way() {
        let columns = [Column::new("id"), Column::figures("tokens"), Column::text("why")];
        let row = |id: &str, tokens: usize, why: &str| vec![id.into(), grouped(tokens), why.into()];
        let rows = [row("a/bc", 12345, "one two three four five"), row("表/x", 7, "six")];
        insta::assert_snapshot!(table(&columns, &rows, 2, 30), @r"
          id    tokens  why
          a/bc  12 345  one two three
                        four five
          表/x       7  six
        ");
        assert_eq!(fold("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(plain("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(shortened("表表表", 5), "表表…");
        assert_eq!([shortened("abc", 3), shortened("ab cd", 4)], ["abc", "ab…"]);
    }
}
