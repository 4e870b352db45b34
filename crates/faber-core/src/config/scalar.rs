//! Scalars of a configuration.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::source::Spanned;
use crate::yaml::{Node, Scalar, ScalarKind};

pub(super) fn text(node: &Node) -> Option<Spanned<String>> {
    let text = node.as_str().filter(|text| !text.is_empty())?;
    Some(Spanned { value: text.to_owned(), span: node.span })
}

pub fn comma_separated(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

pub(super) fn names(node: Option<&Node>) -> Vec<Spanned<String>> {
    let mut names = texts(node);
    if let Some(Spanned { value, span }) = node.and_then(text) {
        let name = |name: &str| Spanned { value: name.to_owned(), span };
        names.extend(comma_separated(&value).map(name));
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.value.clone()));
    names
}

pub(super) fn map<T>(
    node: Option<&Node>,
    read: impl Fn(&Node) -> Option<T>,
) -> BTreeMap<String, T> {
    let entries = node.map(Node::entries).unwrap_or_default().iter();
    entries.filter_map(|entry| Some((entry.key.clone(), read(&entry.value)?))).collect()
}

pub(super) fn texts(node: Option<&Node>) -> Vec<Spanned<String>> {
    node.and_then(Node::items).unwrap_or_default().iter().filter_map(text).collect()
}

pub const TOO_LARGE: &str = "the number of tokens is too large";

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Amount {
    Tokens(u64),
    /// From 0 to 100.
    Percent(f64),
}

impl Amount {
    pub fn percent(percent: f64) -> Option<Self> {
        (0.0..=100.0).contains(&percent).then_some(Self::Percent(percent))
    }

    pub fn of(self, whole: u64) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::Percent(percent) => share(whole, percent),
        }
    }

    pub fn read(node: &Node) -> Option<Self> {
        match whole(node) {
            Some(tokens) => Some(Self::Tokens(tokens)),
            None => node.as_str()?.parse().ok(),
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tokens(tokens) => write!(f, "{tokens}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl std::str::FromStr for Amount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = without_separators(text);
        let text = text.as_ref();
        let amount = match text.strip_suffix('%') {
            Some(text) => finite(text.trim_end()).and_then(Self::percent),
            None => tokens(text).map(Self::Tokens),
        };
        let is_number = || {
            let digits = text.trim_end_matches(['k', 'K', 'm', 'M']);
            digits.len() > 12 && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let usage = "write tokens (`8000` or `32k`) or a share of the model's window (`60%`)";
        amount.ok_or_else(|| if is_number() { TOO_LARGE } else { usage })
    }
}

fn without_separators(text: &str) -> Cow<'_, str> {
    let mut groups = text.split(['_', ' ', '\u{a0}']);
    let is_first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
    let digits = |group: &str| group.trim_end_matches(['k', 'K', 'm', 'M']).len();
    if is_first && groups.clone().next().is_some() && groups.all(|group| digits(group) == 3) {
        return Cow::Owned(text.replace(['_', ' ', '\u{a0}'], ""));
    }
    Cow::Borrowed(text)
}

fn tokens(text: &str) -> Option<u64> {
    let (text, zeros) = match text.strip_suffix(['k', 'K']) {
        Some(text) => (text, 3),
        None => text.strip_suffix(['m', 'M']).map_or((text, 0), |text| (text, 6)),
    };
    let (whole, decimals) = match text.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (text, ""),
    };
    if whole.is_empty() || decimals.len() > zeros {
        return None;
    }
    digits(&format!("{whole}{decimals:0<zeros$}"))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a window is far below 2^53 tokens, and the percentage is between 0 and 100"
)]
fn share(whole: u64, percent: f64) -> u64 {
    (whole as f64 * percent.clamp(0.0, 100.0) / 100.0).floor() as u64
}

pub(super) fn whole(node: &Node) -> Option<u64> {
    match node.scalar()?.kind {
        ScalarKind::Int(value) => u64::try_from(value).ok(),
        ScalarKind::Str => digits(node.as_str()?),
        _ => None,
    }
}

pub(super) fn small(node: &Node) -> Option<u32> {
    u32::try_from(whole(node)?).ok()
}

pub(super) fn size(node: &Node) -> Option<usize> {
    whole(node).map(|size| usize::try_from(size).unwrap_or(usize::MAX))
}

pub(super) fn word<T: Copy + Default>(node: Option<&Node>, known: &[(&str, T)]) -> T {
    let text = node.and_then(Node::as_str).unwrap_or_default();
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).unwrap_or_default()
}

pub(super) fn number(node: &Node) -> Option<f64> {
    match node.scalar()?.kind {
        ScalarKind::Str => finite(node.as_str()?),
        _ => node.as_float().filter(|value| value.is_finite()),
    }
}

pub(super) fn truth(node: &Node) -> Option<bool> {
    match node.as_str()? {
        "true" => Some(true),
        "false" => Some(false),
        _ => node.as_bool(),
    }
}

/// As YAML, but `null` and `~` are text.
pub(super) fn classify(text: &str) -> Scalar {
    let kind = match text {
        "true" => ScalarKind::Bool(true),
        "false" => ScalarKind::Bool(false),
        _ => match (text.parse(), finite(text)) {
            (Ok(whole), _) => ScalarKind::Int(whole),
            (Err(_), Some(number)) => ScalarKind::Float(number),
            (Err(_), None) => ScalarKind::Str,
        },
    };
    Scalar { text: text.to_owned(), kind }
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn finite(text: &str) -> Option<f64> {
    let numeric = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let begins = text.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
    if !begins || !text.bytes().all(numeric) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::testing::workspace;
    use super::*;

    fn amount(text: &str) -> Option<Amount> {
        let (_, node, _) = workspace(&format!("conversation: {{ x: {text} }}\n"));
        Amount::read(node.get("conversation").unwrap().get("x").unwrap())
    }

    #[test]
    fn amounts_are_tokens_or_hundredths() {
        assert_eq!(amount("4000"), Some(Amount::Tokens(4000)));
        assert_eq!(amount("'4000'"), Some(Amount::Tokens(4000)));
        assert_eq!(amount("12.5 %"), Some(Amount::Percent(12.5)));
        for wrong in [
            "-1", "101%", "inf%", "1.5", "~", "[]", "''", "'%'", "k", "1.k", ".5k", "1.2345k",
            "1.5.k", "+1.5k", "4 k", "4kk", "4g", "nan",
        ] {
            assert_eq!(amount(wrong), None, "{wrong}");
        }
        assert_eq!(
            (amount("32k"), amount("'1M'")),
            (Some(Amount::Tokens(32_000)), Some(Amount::Tokens(1_000_000)))
        );
        assert_eq!(
            (amount("1.5k"), amount("0.125M")),
            (Some(Amount::Tokens(1_500)), Some(Amount::Tokens(125_000)))
        );
        for grouped in ["8_000", "8 000", "'8\u{a0}000'", "0_008_000"] {
            assert_eq!(amount(grouped), Some(Amount::Tokens(8_000)), "{grouped}");
        }
        assert_eq!(["'8_00'", "'8000_000'", "_800"].map(amount), [None; 3]);
        assert_eq!(amount("18446744073709552k"), None);
        assert_eq!(Amount::Percent(12.5).of(1001), 125);
        assert_eq!([-5.0, f64::NAN, 1e300].map(Amount::percent), [None; 3]);
        assert_eq!([-5.0, f64::NAN, 1e300].map(|it| Amount::Percent(it).of(9)), [0, 0, 9]);
    }

    #[test]
    fn text_becomes_what_yaml_would_make_of_it() {
        assert_eq!(classify("8000").kind, ScalarKind::Int(8000));
        assert_eq!(classify("true").kind, ScalarKind::Bool(true));
        assert_eq!(classify("0.5").kind, ScalarKind::Float(0.5));
        for text in ["", "~", "inf", "1e999", "0x10", "60%", "+", "1.2.3"] {
            assert_eq!(classify(text).kind, ScalarKind::Str, "{text}");
        }
    }
}
