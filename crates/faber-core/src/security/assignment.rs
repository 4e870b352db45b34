//! Secrets recognized by their names: `password: …`, `API_KEY=…`.

use std::borrow::Cow;

use super::placeholder::{is_named, is_orderly, is_password};
use super::secret::{Secret, TOKENS, is_random, random};
use super::{blob, window};
use crate::secret::names_secret;
use crate::word_list::words;

/// Shorter values may be words.
const LENGTHS: std::ops::RangeInclusive<usize> = 10..=200;

pub(super) fn value(text: &str, start: usize, end: usize) -> Option<Secret> {
    let from = window::word_start(text, start);
    let rest = window::line_after(text, end, 300);
    let tail = rest.bytes().take_while(|&byte| window::is_word(byte)).count();
    let key = text.get(from..end + tail)?;
    let rest = &rest[tail..];
    let lead = window::line_before(text, from, 120);
    let after = given(lead, key, rest)?;
    let after = after.trim_start_matches(['=', '>', ' ', '\t', '"', '\'', '`', '*']);
    let credentials =
        ["Bearer ", "Basic ", "token "].iter().find_map(|scheme| after.strip_prefix(scheme));
    let is_header = credentials.is_some() || key.eq_ignore_ascii_case("bearer");
    let after = credentials.unwrap_or(after);
    let stop = |char: char| char.is_whitespace() || "\"'`,;)]}<>|".contains(char);
    let value = after.split(stop).next().unwrap_or_default();
    let at = end + tail + (rest.len() - after.len());
    let taken = TOKENS.iter().any(|token| value.starts_with(token.prefix));
    if taken
        || value.starts_with("eyJ")
        || !LENGTHS.contains(&value.len())
        || !names_secret(key, false)
        || is_public(key)
        || (is_contract(value) && key.to_ascii_lowercase().contains("token"))
    {
        return None;
    }
    // Tokens of badges grant no access.
    let badge = text[..from].ends_with(['?', '&']) && value.len() < 16;
    let reference = value.contains(['{', '(', '[', '\\', '*'])
        || value.starts_with(['$', '%'])
        || value.contains("::")
        || value.contains("://")
        || value.starts_with(['.', '/', '~'])
        || value.matches('.').count() > 1;
    let drawn = match key.to_ascii_lowercase() {
        _ if is_header => value.len() >= 16 && is_random(value, CHOSEN),
        // Chosen passwords have a lower entropy.
        key if key.contains("pass") || key.contains("pwd") => {
            let value = decoded(value);
            is_random(&value, CHOSEN) || is_chosen(&key, &value)
        }
        _ => random(decoded(value).as_ref()),
    };
    let lower = value.to_ascii_lowercase();
    let orderly = ["123456", "abcdef", "abc123"].iter().any(|row| lower.contains(row));
    let orderly = orderly || is_orderly(value);
    if badge || reference || orderly || is_password(value) || is_named(value) {
        return None;
    }
    // A UUID is a key only where the name says so.
    let keys = ["api_key", "apikey", "api-key", "secret_key", "access_key", "_token", "auth_token"];
    let is_key = keys.iter().any(|name| key.to_ascii_lowercase().ends_with(name));
    if if is_uuid(value) { !is_key } else { !drawn } {
        return None;
    }
    Some(Secret { start: at, end: at + value.len(), kind: "a secret value", hint: 0 })
}

/// Whether a person could have chosen it: letters of both cases, with digits and signs inside.
/// Examples have them only at the end; names in programs have no signs.
fn is_chosen(key: &str, value: &str) -> bool {
    let is_own = ["password", "passwd", "passphrase", "passwort", "kennwort", "pass", "pwd"]
        .iter()
        .any(|name| key.ends_with(name));
    let inner = value.trim_end_matches(|char: char| !char.is_ascii_alphabetic());
    is_own
        && value.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/')
        && inner.contains(|char: char| char.is_ascii_punctuation() && !"_.".contains(char))
        && inner.bytes().any(|byte| byte.is_ascii_digit())
        && inner.bytes().any(|byte| byte.is_ascii_uppercase())
        && inner.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A token may be a currency.
fn is_contract(value: &str) -> bool {
    let digits = value.strip_prefix("0x").filter(|digits| digits.len() == 40);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_public(key: &str) -> bool {
    const PUBLIC: &[&str] = words!(
        "publickey, publishablekey, csrf, xsrf, pagetoken, continuationtoken, tokenaddress",
        "tokenmint",
    );
    let letters = key.bytes().filter(u8::is_ascii_alphabetic).map(|byte| byte.to_ascii_lowercase());
    let letters = String::from_utf8(letters.collect()).unwrap_or_default();
    PUBLIC.iter().any(|name| letters.contains(name))
}

/// Bits of entropy per character.
const CHOSEN: f64 = 2.75;

fn given<'t>(lead: &str, key: &str, rest: &'t str) -> Option<&'t str> {
    if (key.starts_with("--") || key.eq_ignore_ascii_case("bearer")) && rest.starts_with(' ') {
        let value = rest.trim_start_matches(' ');
        return (!value.starts_with(['-', ':', '='])).then_some(value);
    }
    let after = rest.trim_start_matches(['"', '\'', '`', '*', ']', ' ', '\t']);
    // `machine a login b password c`
    let netrc = || rest.strip_prefix(' ').filter(|_| key == "password" && lead.contains("login "));
    after.strip_prefix(':').or_else(|| after.strip_prefix('=')).or_else(netrc)
}

fn decoded(value: &str) -> Cow<'_, str> {
    let text = String::from_utf8(blob::from_base64(value)).unwrap_or_default();
    let text = text.trim_end_matches('\0');
    let is_plain = text.len() >= value.len() / 2
        && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_plain { Cow::Owned(text.to_owned()) } else { Cow::Borrowed(value) }
}

/// Without dashes, only version 1 from 1998 to 2056.
fn is_uuid(value: &str) -> bool {
    let parts: Vec<_> = value.split('-').map(str::len).collect();
    let is_of_time = || {
        parts == [32]
            && value[12..].starts_with("11")
            && value[16..].starts_with(['8', '9', 'a', 'b', 'A', 'B'])
    };
    value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
        && (parts == [8, 4, 4, 4, 12] || is_of_time())
}
