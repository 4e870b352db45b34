//! What looks like a secret, by its name or by itself.

use std::ops::Range;

/// Whether a value under `key` is probably a secret. `number` says that the value is one: names of
/// counts such as `max_tokens` are told apart by that.
pub fn names_secret(key: &str, number: bool) -> bool {
    let words = words(key);
    let plain = words.concat();
    let names = ["password", "passwd", "passphrase", "secret", "credential", "apikey"];
    if names.iter().any(|name| plain.contains(name)) {
        return true;
    }
    let last = words.last().map(String::as_str);
    // `key` alone names all kinds of things; `access_key` and `sshKeys` do not.
    if words.len() > 1 && matches!(last, Some("key" | "keys")) {
        return true;
    }
    if ["authorization", "bearer", "pwd"].iter().any(|name| words.iter().any(|word| word == name)) {
        return true;
    }
    // What is left of `token` names a count when it is plural or only part of the name and a
    // number stands there: `max_tokens`, `token_limit`.
    let tokens = plain.replace("tokeniz", "");
    tokens.contains("token") && !(number && last != Some("token"))
}

/// Whether a variable of this name probably holds a secret.
pub(crate) fn variable_names_secret(name: &str) -> bool {
    let words = words(name);
    let plain = words.concat();
    let names = ["password", "passwd", "passphrase", "secret", "credential", "apikey", "token"];
    names.iter().any(|part| plain.contains(part))
        || words.iter().any(|word| matches!(&**word, "key" | "auth" | "pwd" | "pat"))
}

/// The password of the address whose `://` ends where `rest` begins, as a range of `rest`:
/// `user:pass@host` has one.
pub(crate) fn password_of_address(rest: &str) -> Option<Range<usize>> {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = name.len() + 1;
    (!password.is_empty()).then_some(start..start + password.len())
}

/// The parts of a name in any of the usual spellings, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut low = false;
    for char in name.chars() {
        if (char.is_uppercase() && low) || !char.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        low = char.is_lowercase() || char.is_numeric();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}
