//! Values that are secrets by the name that they are given to: `password: …`, `API_KEY=…`.

use super::secret::{Secret, TOKENS, is_placeholder, random};
use super::window;
use crate::secret::names_secret;

/// The fewest bytes of a value that can be told from a word, and the most that one has.
const LENGTHS: std::ops::RangeInclusive<usize> = 10..=200;

/// The value that is given to the name around `start..end`, if it was drawn at random.
pub(super) fn value(text: &str, start: usize, end: usize) -> Option<Secret> {
    let from = window::word_start(text, start);
    let rest = window::line_after(text, end, 300);
    let tail = rest.bytes().take_while(|&byte| window::is_word(byte)).count();
    let key = text.get(from..end + tail)?;
    let rest = &rest[tail..];
    let after = rest.trim_start_matches(['"', '\'', '`', '*', ']', ' ', '\t']);
    let after = after.strip_prefix(':').or_else(|| after.strip_prefix('='))?;
    let after = after.trim_start_matches(['=', '>', ' ', '\t', '"', '\'', '`', '*']);
    let after = ["Bearer ", "Basic ", "token "]
        .iter()
        .find_map(|scheme| after.strip_prefix(scheme))
        .unwrap_or(after);
    let stop = |char: char| char.is_whitespace() || "\"'`,;)]}<>|".contains(char);
    let value = after.split(stop).next().unwrap_or_default();
    let at = end + tail + (rest.len() - after.len());
    let taken = TOKENS.iter().any(|token| value.starts_with(token.prefix));
    if taken
        || value.starts_with("eyJ")
        || !LENGTHS.contains(&value.len())
        || !names_secret(key, false)
    {
        return None;
    }
    // Badges have short tokens in their addresses that let nobody in.
    let badge = text[..from].ends_with(['?', '&']) && value.len() < 16;
    // References to a secret, calls and paths are what should stand there.
    let reference = value.contains(['$', '{', '(', '[', '\\', '%', '*'])
        || value.contains("::")
        || value.contains("://")
        || value.starts_with(['.', '/', '~'])
        || value.matches('.').count() > 1;
    let orderly = ["123456", "abcdef"].iter().any(|row| value.to_ascii_lowercase().contains(row));
    if badge || reference || orderly || is_placeholder(value) || !random(value) || is_uuid(value) {
        return None;
    }
    Some(Secret { start: at, end: at + value.len(), kind: "a secret value", hint: 0 })
}

/// Whether `value` is a UUID; those are names far more often than secrets.
fn is_uuid(value: &str) -> bool {
    let parts: Vec<_> = value.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}
