//! The table of general categories; see `crates/faber-tokens/src/categories.rs`.

use regex_syntax::hir::{Class, HirKind};
use unicode_normalization::char::canonical_combining_class;

use crate::Outcome;

const BLOCK: usize = 256;
const CATEGORIES: [&str; 29] = [
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co",
];
const ALPHABETIC_MARK: u8 = 0x20;
const COMBINING: u8 = 0x40;

pub(crate) fn table() -> Outcome<Vec<u8>> {
    let mut properties = vec![0; 0x11_0000];
    for (number, name) in (0..).zip(CATEGORIES).skip(1) {
        for c in characters(&format!(r"\p{{{name}}}"))? {
            properties[c as usize] = number;
        }
    }
    for c in characters(r"[\p{M}&&\p{Alphabetic}]")? {
        properties[c as usize] |= ALPHABETIC_MARK;
    }
    for c in characters(r"\p{M}")? {
        if canonical_combining_class(c) != 0 {
            properties[c as usize] |= COMBINING;
        }
    }
    let mut distinct: Vec<&[u8]> = Vec::new();
    let mut table = Vec::new();
    for block in properties.chunks(BLOCK) {
        let known = distinct.iter().position(|it| *it == block);
        let number = known.unwrap_or_else(|| {
            distinct.push(block);
            distinct.len() - 1
        });
        table.push(u8::try_from(number)?);
    }
    table.extend(distinct.concat());
    Ok(table)
}

fn characters(class: &str) -> Outcome<Vec<char>> {
    match regex_syntax::parse(class)?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            Ok(class.iter().flat_map(|range| range.start()..=range.end()).collect())
        }
        HirKind::Literal(literal) => Ok(str::from_utf8(&literal.0)?.chars().collect()),
        _ => Err(format!("{class} is no class of characters").into()),
    }
}
