//! Detects secrets by name and form.

use std::ops::Range;

use crate::word_list::words;

const ANYWHERE: [&str; 12] = *words!(
    "password, passwd, passphrase, passwort, kennwort, motdepasse, secret, credential, apikey",
    "connectionstring, webhookurl, mnemonic",
);
const WORDS: [&str; 3] = ["authorization", "bearer", "pwd"];
const LAST_WORDS: [&str; 6] = ["pass", "pw", "creds", "cred", "jwt", "cookie"];

/// `number`: it may be a count, as in `max_tokens`.
pub fn names_secret(key: &str, number: bool) -> bool {
    let words = words(key);
    let plain = words.concat();
    let last = words.last().map_or("", String::as_str);
    let is_count = number && last != "token";
    ANYWHERE.iter().any(|name| plain.contains(name))
        || words.iter().any(|word| WORDS.contains(&&**word))
        || (!number && LAST_WORDS.contains(&last))
        || (words.len() > 1 && matches!(last, "key" | "keys"))
        || (!is_count && plain.replace("tokeniz", "").contains("token"))
}

pub(crate) fn variable_names_secret(name: &str) -> bool {
    let words = words(name);
    let parts =
        ["auth", "dsn", "key", "otp", "pass", "pat", "pin", "salt", "session", "sk", "webhook"];
    names_secret(name, false)
        || words.concat().contains("token")
        || words.iter().any(|word| parts.contains(&&**word))
}

/// Such as `password=…`, `--token …`.
pub fn given_secrets(text: &str) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let (mut found, mut done) = (Vec::new(), 0);
    for (at, separator) in text.match_indices(['=', ':', ' ']) {
        if at < done {
            continue;
        }
        let before = &text[..at];
        let before = before.strip_suffix(['"', '\'']).unwrap_or(before);
        let name = before.char_indices().rev().take(MAX_NAME_CHARS);
        let name = name.take_while(|(_, char)| is_word(*char)).last();
        let name = &before[name.map_or(before.len(), |(start, _)| start)..];
        let is_flag = name.starts_with("--") && before.len() == at;
        let is_given = if separator == " " { is_flag } else { !name.is_empty() };
        if !is_given || !(names_secret(name, false) || variable_names_secret(name)) {
            continue;
        }
        let Some(value) = given(text, at + 1, separator) else { continue };
        done = value.end;
        found.push(value);
    }
    found
}

const MAX_NAME_CHARS: usize = 60;
const MAX_VALUE_CHARS: usize = 300;

fn given(text: &str, from: usize, separator: &str) -> Option<Range<usize>> {
    let rest = &text[from..];
    let end = rest.char_indices().nth(MAX_VALUE_CHARS).map_or(rest.len(), |(at, _)| at);
    let line = rest[..end].split('\n').next().unwrap_or_default();
    let mut rest = line.trim_start_matches([' ', '\t']);
    let is_quoted = rest.starts_with(['"', '\'']);
    rest = rest.trim_start_matches(['"', '\'']);
    let mut is_header = false;
    for scheme in ["Bearer ", "Basic ", "bearer ", "basic "] {
        if let Some(credentials) = rest.strip_prefix(scheme) {
            (rest, is_header) = (credentials.trim_start(), true);
        }
    }
    let ends = |c: char| c.is_whitespace() || "\"'`,;&)]}<>|".contains(c);
    let value = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let is_word = value.chars().all(|c| c.is_alphabetic() && c.is_lowercase());
    let is_prose = separator == ":" && is_word && !is_quoted && !is_header;
    let is_number = value.chars().all(|c| c.is_ascii_digit());
    if value.is_empty() || is_prose || is_number || value.starts_with(['$', '-', '*', '/']) {
        return None;
    }
    let start = from + (line.len() - rest.len());
    Some(start..start + value.len())
}

pub(crate) fn password_of_address(rest: &str) -> Option<Range<usize>> {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = name.len() + 1;
    (!password.is_empty()).then_some(start..start + password.len())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_names_of_secret_variables_are_known() {
        let secret = "SENTRY_DSN OP_SESSION_my SALT COOKIE SESSION_ID JWT BEARER DB_PW DB_PASS PASS \
            ROOT_PASS CONNECTION_STRING WEBHOOK_URL PIN OTP_SEED MNEMONIC STRIPE_SK AUTHORIZATION \
            CREDS NPM_CRED GITHUB_TOKEN GH_PAT AWS_SECRET_ACCESS_KEY DEPLOY_KEY";
        for name in secret.split(' ') {
            assert!(variable_names_secret(name), "{name}");
        }
        for name in ["REGION", "HOME", "PATH", "COMPASS_URL", "LANG", "SKILLS", "SPINNER", "TEAM"] {
            assert!(!variable_names_secret(name), "{name}");
        }
    }
}
