//! Finds paths, commands and tool versions.

use camino::Utf8Path;
use faber_core::markdown::percent_decoded;
use faber_core::parse::fence;
use faber_core::source::{FileId, Span};

use super::claim::{Claim, Mention, PathClaim, ShellWord};
use super::release_notes::ReleaseHeadings;
use super::shell::{self, ShellClaim};
use super::tone::{self, Tone};
use super::versions;

const MAX_ADDRESS_BYTES: usize = 500;

const MAX_LEAD_BYTES: usize = 400;

fn end_of(line: &str) -> &str {
    let start = line.len().saturating_sub(MAX_LEAD_BYTES);
    let start = (start..=line.len()).find(|&at| line.is_char_boundary(at)).unwrap_or(line.len());
    &line[start..]
}

fn start_of(line: &str) -> &str {
    let end = (0..=MAX_LEAD_BYTES.min(line.len())).rfind(|&at| line.is_char_boundary(at));
    &line[..end.unwrap_or(0)]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceLanguage {
    Shell,
    /// Only lines after a prompt are commands.
    Session,
    Unnamed,
    Other,
}

struct MentionReader {
    file: FileId,
    mentions: Vec<Mention>,
    code: Option<(String, FenceLanguage)>,
    folder: Option<String>,
    is_continued: bool,
    is_input: bool,
    in_comment: bool,
    heading: String,
    level: usize,
    /// Level of a section with `git clone`, whose paths may be of the clone.
    cloned: Option<usize>,
    lead: String,
    releases: ReleaseHeadings,
}

pub(super) fn read(file: FileId, path: &Utf8Path, text: &str) -> Vec<Mention> {
    let mut reader = MentionReader {
        file,
        mentions: Vec::new(),
        code: None,
        folder: None,
        is_continued: false,
        is_input: false,
        in_comment: false,
        heading: String::new(),
        level: 0,
        cloned: None,
        lead: String::new(),
        releases: ReleaseHeadings::default(),
    };
    let mut at = fence::body(text);
    for line in text[at..].split_inclusive('\n') {
        reader.line(at, line.trim_end());
        at += line.len();
    }
    if reader.releases.are_release_notes(path) { Vec::new() } else { reader.mentions }
}

impl MentionReader {
    fn line(&mut self, at: usize, line: &str) {
        let text = line.trim_start_matches([' ', '\t', '>']);
        if line.contains("git clone ") || line.contains("gh repo clone ") {
            self.cloned = Some(self.level.max(2));
        }
        if let Some((end, code)) = &self.code {
            if text.starts_with(&**end) && text.trim_start_matches(&end[..1]).is_empty() {
                self.code = None;
            } else {
                let code = *code;
                self.code_line(at + line.len() - text.len(), text, code);
            }
            return;
        }
        if let Some((end, code)) = opened(text) {
            self.code = Some((end, code));
            (self.folder, self.is_continued, self.is_input) = (None, false, false);
            return;
        }
        if self.in_comment || text.starts_with("<!--") {
            self.in_comment = !text.contains("-->");
            return;
        }
        self.prose(at, line);
        if text.starts_with('#') {
            end_of(text).clone_into(&mut self.heading);
            self.level = text.len() - text.trim_start_matches('#').len();
            self.cloned.take_if(|section| self.level <= *section);
            self.lead.clear();
            self.releases.add(text);
        } else if text.is_empty() {
            if !self.lead.ends_with(':') {
                self.lead.clear();
            }
        } else if !is_item(text) {
            end_of(text).clone_into(&mut self.lead);
        }
    }

    fn tone(&self, before: &str, after: &str) -> Tone {
        let above = [&*self.heading, &*words_of(&self.lead)].map(tone::of_line);
        let above = above.into_iter().max().unwrap_or(Tone::Plain);
        let above = if above <= Tone::Generated { Tone::Plain } else { above };
        tone::of_parts(before, after).max(above)
    }

    fn push(
        &mut self,
        folder: Option<String>,
        at: usize,
        word: ShellWord<'_>,
        (tone, claim): (Tone, Claim),
    ) {
        let is_link = matches!(&claim, Claim::Path(path) if path.is_link);
        let is_of_clone = self.cloned.is_some() && !is_link;
        let tone = if is_of_clone { tone.max(Tone::Conditional) } else { tone };
        let start = at + word.at;
        let span = Span::new(self.file, start, start + word.text.len());
        self.mentions.push(Mention { span, tone, claim, folder });
    }

    fn code_line(&mut self, at: usize, text: &str, code: FenceLanguage) {
        let prompted = text.strip_prefix("$ ").or_else(|| text.strip_prefix("% "));
        let is_continued = std::mem::replace(&mut self.is_continued, text.ends_with('\\'));
        if code == FenceLanguage::Other || self.is_input || is_continued {
            return;
        }
        if code == FenceLanguage::Session && prompted.is_none() {
            return;
        }
        self.is_input = text.contains("<<");
        let line = prompted.unwrap_or(text);
        let at = at + text.len() - line.len();
        let mut folder = self.folder.take();
        let mut claims = shell::claims(line, &mut folder);
        self.folder = folder;
        if code == FenceLanguage::Unnamed && prompted.is_none() {
            shell::doubt_sentences(&mut claims);
        }
        let version = versions::of_command(line);
        let version = version.map(|(word, claim)| (word, Claim::Version(claim)));
        if claims.is_empty() && version.is_none() {
            return;
        }
        let comment = line.find(" #").map_or("", |start| &line[start..]);
        let tone = self.tone(comment, "");
        for ShellClaim { word, claim, folder } in claims {
            self.push(folder, at, word, (tone, claim));
        }
        if let Some((word, claim)) = version {
            self.push(None, at, word, (tone, claim));
        }
    }

    fn prose(&mut self, at: usize, line: &str) {
        let has_code = line.contains('`') || line.contains("](");
        if !has_code && !line.bytes().any(|byte| byte.is_ascii_digit()) {
            return;
        }
        let words = words_of(line);
        let found = versions::of_prose(&words, &self.heading);
        if !has_code && found.is_empty() {
            return;
        }
        let of_line = self.tone(&words, "");
        // What `x.py` generates does not make it generated.
        let tone_of = |reader: &Self, at: usize| match of_line {
            Tone::Generated => reader.tone(end_of(&words[..at]), start_of(&words[at..])),
            tone => tone,
        };
        for span in code_spans(line).into_iter().filter(|span| !is_label(line, span)) {
            let tone = tone_of(self, span.at);
            if span.text.contains(char::is_whitespace) {
                for ShellClaim { word, claim, folder } in shell::claims(span.text, &mut None) {
                    let word = ShellWord { at: span.at + word.at, ..word };
                    self.push(folder, at, word, (tone, claim));
                }
            } else if let Some(path) = PathClaim::read(span.text) {
                self.push(None, at, span, (tone, Claim::Path(path)));
            }
        }
        for (word, path) in links(line) {
            let tone = tone_of(self, word.at);
            self.push(None, at, word, (tone, Claim::Path(path)));
        }
        for (word, claim) in found {
            self.push(None, at, word, (of_line, Claim::Version(claim)));
        }
    }
}

fn is_item(text: &str) -> bool {
    let is_numbered = || {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < text.len() && rest.starts_with(['.', ')'])
    };
    text.starts_with(['-', '*', '+', '|']) || is_numbered()
}

fn opened(text: &str) -> Option<(String, FenceLanguage)> {
    let mark = ['`', '~'].into_iter().find(|mark| text.starts_with(&mark.to_string().repeat(3)))?;
    let info = text.trim_start_matches(mark);
    if mark == '`' && info.contains('`') {
        return None;
    }
    let end = text[..text.len() - info.len()].to_owned();
    let language = info.trim().split([' ', ',', '{']).next().unwrap_or_default();
    let code = match language.to_lowercase().as_str() {
        "bash" | "sh" | "shell" | "zsh" | "fish" => FenceLanguage::Shell,
        "" => FenceLanguage::Unnamed,
        "console" | "shell-session" | "shellsession" | "terminal" => FenceLanguage::Session,
        _ => FenceLanguage::Other,
    };
    Some((end, code))
}

fn code_spans(line: &str) -> Vec<ShellWord<'_>> {
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let count = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        let from = start + count;
        let delimiter = &rest[start..from];
        let Some(length) = rest[from..].find(delimiter) else { break };
        let at = line.len() - rest.len() + from;
        spans.push(ShellWord { at, text: &line[at..at + length] });
        rest = &rest[from + length + count..];
    }
    spans
}

/// An import changes the target, not the label.
fn is_label(line: &str, span: &ShellWord<'_>) -> bool {
    let (before, after) = (&line[..span.at], &line[span.at + span.text.len()..]);
    before.trim_end_matches('`').ends_with('[') && after.trim_start_matches('`').starts_with("](")
}

fn words_of(line: &str) -> String {
    let mut out = line.to_owned();
    let targets = targets(line).map(|(at, target)| ShellWord { at, text: target });
    for span in code_spans(line).into_iter().chain(targets) {
        out.replace_range(span.at..span.at + span.text.len(), &" ".repeat(span.text.len()));
    }
    out
}

fn targets(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.match_indices("](").filter_map(|(mark, _)| {
        let from = mark + 2;
        let near = line.as_bytes()[from..].iter().take(MAX_ADDRESS_BYTES);
        let end = near.into_iter().position(|byte| b") \t".contains(byte))?;
        Some((from, &line[from..from + end]))
    })
}

fn links(line: &str) -> Vec<(ShellWord<'_>, PathClaim)> {
    let mut links = Vec::new();
    for (from, target) in targets(line) {
        let written = target.trim_matches(['<', '>']);
        if written.is_empty() || written.contains(':') || written.starts_with(['#', '/', '@', '{'])
        {
            continue;
        }
        let (path, anchor) = match written.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor.to_owned())),
            None => (written, None),
        };
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let path = percent_decoded(path).unwrap_or_else(|| path.to_owned());
        if let Some(claim) = PathClaim::read(&path) {
            let at = from + usize::from(target.starts_with('<'));
            let claim = PathClaim { is_link: true, anchor, ..claim };
            links.push((ShellWord { at, text: written }, claim));
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::source::SourceMap;

    fn paths(text: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let shown = |mention: Mention| match mention.claim {
            Claim::Path(path) => Some(format!("{:?} {}", mention.tone, path.path)),
            _ => None,
        };
        read(file, "a.md".into(), text).into_iter().filter_map(shown).collect()
    }

    #[test]
    fn paths_after_a_clone_may_be_of_it() {
        let text = "# A\n\n`src/a.rs`\n\n## B\n\n```console\ngit clone https://x.y/z.git\n```\n\n### C\n\n\
            `src/b.rs` and [d](src/d.md)\n\n## E\n\n`src/e.rs`\n";
        assert_eq!(
            paths(text),
            ["Plain src/a.rs", "Conditional src/b.rs", "Plain src/d.md", "Plain src/e.rs"]
        );
    }

    #[test]
    fn paths_are_read_from_code_links_and_shells() {
        let text = "---\nx: `a/b.md`\n---\nSee `./src/a.rs:10`, `docs/`, [`b/b.md`](../b.md#c) and `x y/z`.\n\n\
            For example:\n\n- `src/e.rs`\n\n```sh\ncd web && ./run/go.sh\n```\n\n```rust\n// src/no.rs\n```\n\
            <!-- `c/d.md` -->\n";
        assert_eq!(
            paths(text),
            [
                "Plain src/a.rs",
                "Plain docs",
                "Plain ../b.md",
                "Doubtful src/e.rs",
                "Doubtful run/go.sh"
            ]
        );
    }
}
