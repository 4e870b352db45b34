//! Finds code in Markdown approximately, by line.

use std::ops::Range;

use super::window;
use crate::word_list::words;

pub(super) struct Code {
    fences: Vec<(Range<usize>, bool)>,
}

pub(super) fn fence(line: &str) -> Option<(&str, &str)> {
    let marker = |byte: u8| matches!(byte, b' ' | b'\t' | b'>' | b'*'..=b'+' | b'-'..=b'.' | b')');
    let start = line.bytes().position(|byte| !marker(byte) && !byte.is_ascii_digit())?;
    let start = &line[start..];
    let first = start.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let rest = start.trim_start_matches(first);
    let run = &start[..start.len() - rest.len()];
    let info = first == '~' || !rest.contains('`');
    (run.len() >= 3 && info).then_some((run, rest.trim()))
}

impl Code {
    pub(super) fn new(text: &str) -> Self {
        let mut fences = Vec::new();
        let mut open: Option<(&str, usize, bool)> = None;
        for (at, line) in window::lines(text) {
            let end = at + line.len();
            match (fence(line), open) {
                (Some((run, info)), None) => open = Some((run, end, is_prose(info))),
                (Some((run, "")), Some((opened, start, prose))) if run.starts_with(opened) => {
                    fences.push((start..at, prose));
                    open = None;
                }
                _ => {}
            }
        }
        if let Some((_, start, prose)) = open {
            fences.push((start..text.len(), prose));
        }
        Self { fences }
    }

    pub(super) fn fenced(&self, at: usize) -> bool {
        self.block(at).is_some_and(|prose| !prose)
    }

    pub(super) fn in_block(&self, at: usize) -> bool {
        self.block(at).is_some()
    }

    fn block(&self, at: usize) -> Option<bool> {
        let next = self.fences.partition_point(|(range, _)| range.start <= at);
        let (range, prose) = &self.fences[next.checked_sub(1)?];
        range.contains(&at).then_some(*prose)
    }
}

/// Not text for models.
const PROGRAMS: &[&str] = words!(
    "asm, astro, awk, bash, bat, batch, bicep, c, c#, c++, clj, clojure, cmake, cmd, console, cpp",
    "cs, csharp, css, csv, cts, cue, cypher, d, dart, diff, docker, dockerfile, dot, dotenv",
    "elixir, elm, env, erb, erl, erlang, ex, exs, f#, fish, fs, fsharp, gherkin, gitignore, glsl",
    "go, golang, gradle, graphql, groovy, haskell, hbs, hcl, hlsl, hs, html, http, ini, java",
    "javascript, jinja, jinja2, jl, jq, js, json, json5, jsonc, jsonl, jsx, julia, kotlin, kql, kt",
    "kusto, latex, less, lisp, lua, make, makefile, matlab, mermaid, mjs, mts, nginx, nix, objc",
    "objective-c, ocaml, pascal, perl, php, pl, plantuml, postgres, postgresql, powershell, prisma",
    "prolog, promql, properties, proto, protobuf, ps1, pseudocode, puml, pwsh, py, py3, pycon",
    "python, python3, ql, r, rb, regex, rego, rs, ruby, rust, sass, scala, scheme, scss, sh, shell",
    "shell-session, shellscript, solidity, sparql, sql, starlark, svelte, svg, swift, tcl",
    "terraform, tex, tf, toml, ts, tsx, twig, typescript, v, vb, verilog, vim, vue, wasm, wat",
    "wgsl, xml, xsl, yaml, yml, zig, zsh",
);

fn is_prose(info: &str) -> bool {
    let language = info.split([' ', '{', ',', ':']).find(|word| !word.is_empty());
    let language = language.unwrap_or_default().trim_matches(['.', '}']).to_ascii_lowercase();
    PROGRAMS.binary_search(&&*language).is_err()
}

/// Spans of several lines do not count.
pub(super) fn in_span(text: &str, at: usize) -> bool {
    let before = window::line_before(text, at, 400);
    if !before.contains('`') {
        return false;
    }
    let mut rest = before;
    while let Some(open) = rest.find('`') {
        let inner = rest[open..].trim_start_matches('`');
        let count = rest.len() - open - inner.len();
        let Some(length) = closing(inner, count) else {
            return closing(window::line_after(text, at, 400), count).is_some();
        };
        rest = &inner[length + count..];
    }
    false
}

fn closing(text: &str, count: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|start| at + start) {
        let length = text[start..].bytes().take_while(|&byte| byte == b'`').count();
        if length == count {
            return Some(start);
        }
        at = start + length;
    }
    None
}

pub(super) fn in_quotes(text: &str, start: usize, end: usize) -> bool {
    let before = window::line_before(text, start, 200);
    let after = window::line_after(text, end.max(start), 200);
    if opens_quote(before) && after.contains('"') {
        return true;
    }
    if before.ends_with('\'') && after.contains('\'') {
        return true;
    }
    let pairs = [('“', '”'), ('„', '“'), ('«', '»'), ('‘', '’'), ('「', '」'), ('『', '』')];
    pairs.iter().any(|&(open, close)| {
        let opened =
            before.rfind(open).is_some_and(|at| !before[at + open.len_utf8()..].contains(close));
        opened && after.contains(close)
    })
}

fn opens_quote(before: &str) -> bool {
    let mut is_open = false;
    for (at, _) in before.match_indices('"') {
        let last = before[..at].trim_end_matches('\\').chars().next_back();
        let is_start = last.is_none_or(|char| !char.is_alphanumeric());
        let is_spaced = before[at + 1..].starts_with(char::is_whitespace);
        is_open = !is_open && is_start && !is_spaced;
    }
    is_open
}

const ATTACKS: &[&str] =
    &["inject", "attack", "malicious", "jailbreak", "adversar", "untrusted", "hostile"];

/// Columns of a table that is about attacks.
const COLUMNS: &[&str] = &["threat", "payload", "defence", "defense", "mitigat", "countermeasure"];

const MAX_TABLE_BYTES: usize = 4000;

fn is_in_table_of_attacks(text: &str, at: usize) -> bool {
    let above = window::before(text, at, MAX_TABLE_BYTES);
    let rows = above.lines().rev().take_while(|line| line.trim_start().starts_with('|'));
    let Some(header) = rows.last().map(str::to_lowercase) else { return false };
    [ATTACKS, COLUMNS].iter().any(|words| words.iter().any(|stem| header.contains(stem)))
}

pub(super) fn in_example(text: &str, at: usize) -> bool {
    let line = window::line_before(text, at, 200).trim_start();
    let is_quote = line.starts_with(['>', '|']);
    if !is_quote && !line.starts_with(['-', '*', '+']) {
        return false;
    }
    names_attack(window::before(text, at, 240))
        || (is_quote && names_attack(window::after(text, at, 320)))
        || line.starts_with('|') && is_in_table_of_attacks(text, at)
}

/// The text shortly before speaks of attacks.
pub(super) fn is_about_attacks(text: &str, at: usize) -> bool {
    names_attack(window::before(text, at, 400))
}

fn names_attack(text: &str) -> bool {
    let lower = text.to_lowercase();
    ATTACKS.iter().any(|stem| lower.contains(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_quotations_enclose_what_is_in_them() {
        let at = |text: &str, test: fn(&str, usize) -> bool| test(text, text.find('x').unwrap());
        for text in ["`x`", "a ``b ` x`` c", "`a` `x y`"] {
            assert!(at(text, in_span), "{text}");
        }
        for text in ["`x", "`a` x `b`", "``a`` x ` b", "``` x `` y"] {
            assert!(!at(text, in_span), "{text}");
        }
        let quoted = |text: &str, at: usize| in_quotes(text, at, at + 1);
        for text in ["say \"a x b\"", "(\"x\")", "{\\\"x\\\"}", "“a x”", "'x'", "5\" and \"x\""]
        {
            assert!(at(text, quoted), "{text}");
        }
        for text in ["5\" a x 6\"", "\"a\" x \"b\"", "“a” x “b”", "\"x"] {
            assert!(!at(text, quoted), "{text}");
        }
    }

    #[test]
    fn languages_are_sorted() {
        assert!(PROGRAMS.is_sorted());
        assert!(is_prose("") && is_prose("x") && is_prose("prompt"));
        assert!(
            !is_prose("Rust,no_run") && !is_prose("{.python .numberLines}") && !is_prose("ts:a.ts")
        );
    }
}
