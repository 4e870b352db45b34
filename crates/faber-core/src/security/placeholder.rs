//! Placeholders in documentation.

use crate::word_list::words;

pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = words!(
        "example, placeholder, xxxx, changeme, change-me, change_me, redacted, foobar, ..., ****",
        "0000000",
        // Azurite's public key.
        "eby8vdm02xnocqflquwj",
    );
    let lower = value.to_ascii_lowercase();
    if WORDS.iter().any(|word| lower.contains(word)) || lower.split(SEPARATORS).any(is_stand_in) {
        return true;
    }
    let mut seen = [false; 256];
    lower.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let distinct = seen.iter().filter(|&&seen| seen).count();
    lower.len() >= 16 && distinct < 8
}

const SEPARATORS: &[char] = &['-', '_', '.', ':', '/', '+', '=', ' ', '{', '<', '[', '('];

fn is_stand_in(part: &str) -> bool {
    let letters = part.trim_end_matches(|char: char| !char.is_ascii_alphabetic());
    ["your", "fake", "dummy", "sample", "insert", "replace"]
        .iter()
        .any(|word| letters.starts_with(word))
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Half of it `123456` or `abcdef`, or some `a1b2c3`.
pub(super) fn is_orderly(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let runs = value.as_bytes().chunk_by(|&first, &second| {
        second.checked_sub(first) == Some(1) || (first, second) == (b'9', b'0')
    });
    let in_runs: usize = runs.map(<[u8]>::len).filter(|&length| length >= 6).sum();
    in_runs * 2 >= value.len() || lower.contains("a1b2c3d4e5f6g7")
}

/// `a1b2c3d4e5f6`, possibly backwards.
pub(super) fn is_in_sequence(value: &str) -> bool {
    let is_sequence = |first: u8, count: u8| {
        let places = value.bytes().map(|byte| byte.to_ascii_lowercase().wrapping_sub(first));
        let places: Vec<u8> = places.filter(|&place| place < count).collect();
        let mut steps = places.windows(2).map(|pair| (pair[1] + count - pair[0]) % count);
        let first = steps.next().unwrap_or(1);
        [1, count - 1].contains(&first) && steps.all(|step| step == first)
    };
    is_sequence(b'a', 26) && is_sequence(b'0', 10)
}

/// `0xTokenContractAddress`
pub(super) fn is_named(value: &str) -> bool {
    let letters = value.trim_start_matches("0x");
    let lower = letters.to_ascii_lowercase();
    letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && ["token", "secret", "password", "apikey"].iter().any(|name| lower.contains(name))
}

const NAMES: &[&str] = words!(
    "password, passwort, passphrase, passwd, pass, pwd, pw, secret",
    "secrets, token, apikey, key, credential, credentials",
);
const AROUND: &[&str] = &[
    "a", "an", "the", "my", "our", "your", "some", "this", "that", "is", "it", "very", "super",
    "top", "so", "strong", "secure", "safe", "long", "random", "real", "new", "old", "api",
    "access", "auth", "db", "database", "user", "username", "admin", "root", "postgres", "mysql",
    "redis", "mongo", "rabbitmq", "app", "service", "server", "dev", "local", "test", "demo",
    "prod", "default", "goes", "here", "value", "guest",
];

/// Whole words: a random password may contain any.
pub(super) fn is_password(password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    let words = lower.trim_end_matches(|char: char| char.is_ascii_digit() || char == '!');
    let letters = words.chars().map(|char| match char {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '@' => 'a',
        '$' => 's',
        char => char,
    });
    let words = &*letters.collect::<String>();
    let known =
        ["p", "admin", "root", "postgres", "mysql", "test", "user", "guest", "dev", "local"];
    known.contains(&words)
        || matches!(words, "x-oauth-basic" | "oauth")
        || (words.len() <= 40 && NAMES.iter().any(|name| words.contains(name)) && is_made(words))
        || is_placeholder(password)
}

fn is_made(text: &str) -> bool {
    let mut ends = vec![false; text.len() + 1];
    ends[0] = true;
    for at in 0..text.len() {
        if !ends[at] || !text.is_char_boundary(at) {
            continue;
        }
        let rest = &text[at..];
        if rest.starts_with(['-', '_', '.', '+', ' ']) {
            ends[at + 1] = true;
        }
        let words = NAMES.iter().chain(AROUND).filter(|word| rest.starts_with(**word));
        words.for_each(|word| ends[at + word.len()] = true);
    }
    ends[text.len()]
}

pub(super) fn is_words(password: &str) -> bool {
    let words = password.trim_end_matches(|char: char| char.is_ascii_digit());
    let mut parts = words.split(['-', '_', '.', '+']);
    let is_word = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphabetic())
            && part.bytes().skip(1).filter(u8::is_ascii_uppercase).count() * 4 <= part.len()
    };
    password.len() <= words.len() + 4 && words.len() >= 3 && parts.all(is_word)
}

/// [Reserved](https://www.rfc-editor.org/rfc/rfc2606) and local names.
pub(super) fn is_host(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    if host.starts_with("[::1]") {
        return true;
    }
    let name = host.split(':').next().unwrap_or_default().trim_end_matches('.');
    let (rest, top) = name.rsplit_once('.').unwrap_or(("", name));
    let second = rest.rsplit('.').next().unwrap_or_default();
    let is_reserved = matches!(top, "example" | "invalid" | "test" | "localhost")
        || (second == "example" && matches!(top, "com" | "net" | "org"));
    let is_word = matches!(
        name,
        "" | "host" | "hostname" | "server" | "servername" | "domain" | "domain.com"
    ) || name.starts_with(['$', '{', '%'])
        || ["your", "my-", "my_"].iter().any(|word| name.starts_with(word));
    is_reserved || is_word || name.starts_with("127.") || name == "0.0.0.0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_that_name_themselves_are_placeholders() {
        for password in words!(
            "a-secret-password, my-password, mysecretpassword, db_password, password123, secret",
            "Super-Secret-Password, api_key, user-password-goes-here, p@ssw0rd, oauth2",
            "SuperSecretPassword123!, Password!, SuperSecretKey123, Sup3rS3cret!, MyP@$$w0rd",
        ) {
            assert!(is_password(password), "{password}");
        }
        for password in
            ["tiger-lily-9", "hunter2hunter", "passage", "h7Kq2x", "secretariat", "keypassX9f2"]
        {
            assert!(!is_password(password), "{password}");
        }
    }

    #[test]
    fn hosts_of_examples_are_known() {
        for host in words!(
            "localhost:5432, 127.0.0.1, [::1]:80, db.example.com, hostname, a.test, your-db.x.org",
        ) {
            assert!(is_host(host), "{host}");
        }
        for host in ["db.internal", "example.io", "notexample.com", "hosts", "10.0.0.1", "myapp.io"]
        {
            assert!(!is_host(host), "{host}");
        }
        assert!(is_words("letmein") && is_words("correct-horse1") && is_words("devPassword2024"));
        assert!(!is_words("h7Kq2x") && !is_words("QwRtZxPlK") && !is_words("12345678"));
    }
}
