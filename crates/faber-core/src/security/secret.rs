//! Secrets recognized by their format.

use super::placeholder::{self, is_placeholder};
use super::window;
use crate::secret::password_of_address;
use crate::word_list::words;

#[derive(Clone, Copy, Debug)]
pub(super) struct Secret {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    /// At most four; 0 for passwords.
    pub(super) hint: usize,
}

pub(super) struct TokenShape {
    pub(super) prefix: &'static str,
    kind: &'static str,
    length: usize,
    more: &'static str,
}

macro_rules! tokens {
    ($($kind:literal, $length:literal, $more:expr => $($prefix:literal)+;)+) => {
        &[$($(TokenShape { prefix: $prefix, kind: $kind, length: $length, more: $more }),+),+]
    };
}

/// Of case in a name.
const MAX_CHANGES: usize = 8;

const DASHES: &str = "-_.";
const BASE64: &str = "-_.+/=";

/// Lengths are documented or observed minimums.
pub(super) const TOKENS: &[TokenShape] = tokens! {
    "an AWS access key", 16, "" => "AKIA" "ASIA";
    "a GitHub token", 30, "" => "ghp_" "gho_" "ghu_" "ghs_" "ghr_";
    "a GitHub token", 30, DASHES => "github_pat_";
    "a GitLab token", 18, DASHES => "glpat-" "glrt-" "gldt-" "glrtr-";
    "a Slack token", 20, DASHES => "xoxb-" "xoxp-" "xoxa-" "xoxr-" "xoxs-" "xapp-" "xoxe";
    "an address of a Slack webhook", 20, DASHES => "hooks.slack.com/services/T";
    "a Stripe key", 16, "" => "sk_live_" "rk_live_";
    "a Stripe key", 24, "" => "whsec_";
    "an Anthropic key", 24, DASHES => "sk-ant-";
    "an OpenAI key", 24, DASHES => "sk-proj-";
    "an OpenAI key", 32, DASHES => "sk-";
    "a Google key", 35, DASHES => "AIza";
    "a Google token", 30, DASHES => "ya29.";
    "an npm token", 36, "" => "npm_";
    "a PyPI token", 30, DASHES => "pypi-AgE";
    "a Hugging Face token", 30, "" => "hf_" "api_org_";
    "a Groq key", 40, "" => "gsk_";
    "a DigitalOcean token", 40, "" => "dop_v1_";
    "a Shopify token", 30, "" => "shpat_" "shpca_" "shppa_";
    "a SendGrid key", 40, DASHES => "SG.";
    "a Twilio key", 32, "" => "SK";
    "an address of a Discord webhook", 40, DASHES =>
        "discord.com/api/webhooks/" "discordapp.com/api/webhooks/";
    "a Doppler token", 40, DASHES => "dp.pt." "dp.st." "dp.ct." "dp.sa.";
    "an xAI key", 40, "" => "xai-";
    "a Linear key", 30, "" => "lin_api_";
    "a Grafana token", 30, DASHES => "glsa_";
    "a Docker token", 20, DASHES => "dckr_pat_" "dckr_oat_";
    "a Vault token", 24, DASHES => "hvs.";
    "an Atlassian token", 40, DASHES => "ATATT3";
    "an age key", 50, "" => "AGE-SECRET-KEY-1";
    "a Supabase token", 40, "" => "sbp_";
    "an address of a Teams webhook", 30, DASHES => "webhook.office.com/webhookb2/";
    "a GitLab token", 30, DASHES => "glptt-";
    "a GitLab token", 40, DASHES => "glagent-";
    "a Google client secret", 28, DASHES => "GOCSPX-";
    "an AWS Bedrock key", 60, BASE64 => "ABSK";
    "a Databricks token", 32, DASHES => "dapi";
    "a Notion token", 40, "" => "ntn_";
    "a Figma token", 36, DASHES => "figd_";
    "a Postman key", 50, DASHES => "PMAK-";
    "a New Relic key", 27, "" => "NRAK-";
    "a PostHog key", 40, "" => "phx_";
    "a Perplexity key", 40, "" => "pplx-";
    "a Replicate token", 37, "" => "r8_";
    "a Tavily key", 28, DASHES => "tvly-";
    "a Pinecone key", 50, DASHES => "pcsk_";
    "a LangSmith key", 40, DASHES => "lsv2_pt_" "lsv2_sk_";
    "a Brevo key", 60, DASHES => "xkeysib-" "xsmtpsib-";
    "a Supabase key", 30, DASHES => "sb_secret_";
    "a Sentry token", 60, BASE64 => "sntrys_";
    "a Sentry token", 60, "" => "sntryu_";
    "a PlanetScale token", 30, DASHES => "pscale_tkn_" "pscale_oauth_";
    "a PlanetScale password", 30, DASHES => "pscale_pw_";
    "a Pulumi token", 40, "" => "pul-";
    "a RubyGems key", 40, "" => "rubygems_";
    "a Vault token", 60, DASHES => "hvb.";
    "a Vercel token", 30, DASHES => "vercel_blob_rw_";
    "a Linear token", 40, "" => "lin_oauth_";
    "a Dynatrace token", 80, DASHES => "dt0c01." "dt0s01.";
    "a Grafana token", 60, BASE64 => "glc_eyJ";
    "a Fly token", 80, BASE64 => "fm2_";
    "a Render key", 28, "" => "rnd_";
    "a Shopify secret", 30, "" => "shpss_";
    "a Together key", 40, DASHES => "tgp_v1_";
    "a Cerebras key", 44, "" => "csk-";
    "a Firecrawl key", 32, "" => "fc-";
    "a Mailgun key", 32, "" => "key-";
    "a Square token", 56, DASHES => "EAAA";
    "a Plaid token", 36, DASHES => "access-production-";
    "a Braintree token", 16, "$" => "access_token$production$";
    "a Cloudflare key", 160, DASHES => "v1.0-";
    "a NuGet key", 43, "" => "oy2";
    "a bcrypt hash", 56, "$./" => "$2a$" "$2b$" "$2y$";
};

pub(super) const NAMES: &[&str] = words!(
    "passw, passphrase, secret, credential, apikey, api_key, api-key, token, _key, authorization",
    "pwd:, pwd=, _pass, pass:, pass=, cookie, creds, accountkey, accesskey, bearer, kennwort",
);

pub(super) fn token(text: &str, start: usize, row: usize) -> Option<Secret> {
    let token = &TOKENS[row];
    let bytes = text.as_bytes();
    // Needles ignore case; `sk-` may end a word.
    let joined = |byte: u8| window::is_word(byte) && (byte != b'-' || token.prefix.len() < 4);
    let cut = start > 0 && joined(bytes[start - 1]);
    if cut || !text[start..].starts_with(token.prefix) {
        return None;
    }
    let from = start + token.prefix.len();
    let slashes = token.prefix.contains('/');
    let allowed = |byte: &u8| match byte {
        b'/' if slashes => true,
        _ => byte.is_ascii_alphanumeric() || token.more.as_bytes().contains(byte),
    };
    let rest = window::after(text, from, 400);
    let length = rest.bytes().take_while(|byte| allowed(byte)).count();
    let body = rest[..length].trim_end_matches(['.', '-', '_', '/']);
    let digits = body.bytes().any(|byte| byte.is_ascii_digit());
    let letters = body.bytes().any(|byte| byte.is_ascii_alphabetic());
    let upper = body.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let fits = match token.prefix {
        "AKIA" | "ASIA" => upper && body.len() == token.length,
        "SK" | "fc-" | "key-" | "dapi" | "pul-" => {
            let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
            digits
                && body.len() - body.matches('-').count() * 2 == token.length
                && body.bytes().all(hexadecimal)
        }
        "sk-" | "rnd_" | "EAAA" | "oy2" | "csk-" | "xoxe" => digits && random(body),
        "SG." => digits && body.contains('.') && random(body),
        // Some have letters only.
        "hf_" => digits && letters || body.len() == 34 && changes_of_case(body) > MAX_CHANGES,
        _ => digits && letters,
    };
    if !fits || body.len() < token.length || is_placeholder(body) || placeholder::is_orderly(body) {
        return None;
    }
    let end = from + body.len();
    Some(Secret { start, end, kind: token.kind, hint: token.prefix.len().min(4) })
}

fn changes_of_case(body: &str) -> usize {
    let is_upper = |byte: u8| byte.is_ascii_uppercase();
    body.as_bytes().windows(2).filter(|pair| is_upper(pair[0]) != is_upper(pair[1])).count()
}

fn is_short_token(value: &str) -> bool {
    let row = TOKENS.iter().find(|row| row.prefix.len() > 3 && value.starts_with(row.prefix));
    row.is_some_and(|row| value.len() < row.prefix.len() + row.length)
}

pub(super) fn short_token(text: &str, at: usize) -> Option<Secret> {
    let start = window::word_start(text, at);
    let mut rows = TOKENS.iter().enumerate().filter(|(_, row)| row.prefix.len() < 4);
    rows.find_map(|(row, _)| token(text, start, row))
}

pub(super) fn private_key(text: &str, start: usize) -> Option<Secret> {
    let header = window::line_after(text, start, 80);
    let length = header.get(10..)?.find("-----")? + 15;
    if !header[..length].contains("PRIVATE KEY") {
        return None;
    }
    let from = start + length;
    let mut body = window::after(text, from, 600);
    loop {
        body =
            body.trim_start_matches(|char: char| char.is_whitespace() || "\"'`>|".contains(char));
        if let Some(rest) = body.strip_prefix("\\n").or_else(|| body.strip_prefix("\\r")) {
            body = rest;
        } else if let Some((_, rest)) =
            body.split_once('\n').filter(|(line, _)| line.contains(": "))
        {
            body = rest;
        } else {
            break;
        }
    }
    let key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let length = body.bytes().take_while(key).count();
    // `MIIEvgIBADANBgkqhkiG9w0BAQEFAASC` begins all keys of a kind.
    let is_cut = length <= 40 && ["...", "…"].iter().any(|dots| body[length..].starts_with(dots));
    if length < 16 || is_cut || is_placeholder(&body[..length]) {
        return None;
    }
    // Keys are shorter than 16 KiB.
    let rest = window::after(text, from, 16 << 10);
    let end = rest.find("-----END").and_then(|at| {
        let tail = &rest[at + 8..];
        Some(at + 8 + tail.find("-----")? + 5)
    });
    let end = end.map_or(start + header.len(), |at| from + at);
    Some(Secret { start, end, kind: "a private key", hint: 0 })
}

pub(super) fn jointed(text: &str, at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    let count = |from: usize, most: usize| {
        let rest = &bytes[from.min(bytes.len())..];
        rest.iter().take(most).take_while(|&&byte| window::is_word(byte)).count()
    };
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    let is_joint = match bytes[at] {
        b'.' => next == b'.' || window::is_word(next),
        _ => next == b'A' && text[..at].ends_with(|char: char| char.is_ascii_digit()),
    };
    if !is_joint {
        return None;
    }
    let start = window::word_start(text, at);
    let name = &text[start..at];
    if bytes[at] == b'.' {
        if name == "SG" {
            let row = TOKENS.iter().position(|row| row.prefix == "SG.")?;
            return token(text, start, row);
        }
        let rest = &text[at + 1..];
        let hexadecimal = || rest.bytes().take(64).filter(u8::is_ascii_hexdigit).count() == 64;
        if name.len() == 17 && name.starts_with("pat") && hexadecimal() {
            return Some(Secret { start, end: at + 65, kind: "an Airtable token", hint: 3 });
        }
        if name.len() == 14 && rest.starts_with("atlasv1.") && count(at + 9, 100) >= 60 {
            let end = at + 9 + count(at + 9, 100);
            return Some(Secret { start, end, kind: "a Terraform token", hint: 0 });
        }
        // Discord: user ID in base64, time, signature.
        let middle = count(at + 1, 8);
        let first = (24..=28).contains(&name.len()) && name.starts_with(['M', 'N', 'O']);
        if !first || !(6..=7).contains(&middle) || bytes.get(at + 1 + middle) != Some(&b'.') {
            return None;
        }
        let last = count(at + middle + 2, 60);
        let end = at + middle + 2 + last;
        let fits = (27..=40).contains(&last) && random(&text[start..end]);
        return fits.then_some(Secret { start, end, kind: "a Discord token", hint: 0 });
    }
    // Telegram: bot number, two fixed characters, 33 others.
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_bot = (8..=10).contains(&digits);
    let length = if is_bot { count(at + 1, 40) } else { 0 };
    let fits =
        length == 35 && text[at + 1..].starts_with("AA") && !is_placeholder(&text[at + 1..at + 36]);
    fits.then_some(Secret { start: at + 1, end: at + 36, kind: "a Telegram token", hint: 0 })
}

/// Of Microsoft Entra: `8Q~` after three characters.
pub(super) fn entra(text: &str, at: usize) -> Option<Secret> {
    let start = at.checked_sub(3).filter(|&start| text.is_char_boundary(start))?;
    let is_part = |byte: &u8| window::is_word(*byte) || matches!(byte, b'.' | b'~');
    let length = window::after(text, start, 48).bytes().take_while(is_part).count();
    let fits = (37..=40).contains(&length) && random(&text[at + 3..start + length]);
    let joined = start > 0 && is_part(&text.as_bytes()[start - 1]);
    fits.then_some(Secret { start, end: start + length, kind: "a Microsoft Entra secret", hint: 0 })
        .filter(|_| !joined)
}

const KNOWN_PAYLOAD: &str = "eyJzdWIiOiIxMjM0NTY3ODkwI";

/// Three base64 parts, two of them objects.
pub(super) fn web_token(text: &str, start: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    if start > 0 && window::is_word(bytes[start - 1]) {
        return None;
    }
    let rest = window::after(text, start, 4096);
    let part = |byte: u8| window::is_word(byte);
    let length = rest.bytes().take_while(|&byte| part(byte) || byte == b'.').count();
    let whole = rest[..length].trim_end_matches('.');
    let mut parts = whole.split('.');
    let (head, payload, sign) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = head.starts_with("eyJ") && payload.starts_with("eyJ") && head.len() >= 16;
    if !fits || payload.len() < 16 || sign.len() < 16 || payload.starts_with(KNOWN_PAYLOAD) {
        return None;
    }
    let end = start + head.len() + payload.len() + sign.len() + 2;
    Some(Secret { start, end, kind: "a JSON web token", hint: 3 })
}

/// The `://` ends at `end`.
pub(super) fn address(text: &str, end: usize) -> Option<Secret> {
    let rest = window::line_after(text, end, 200);
    let stop = |char: char| char.is_whitespace() || "\"'`<>()|,;".contains(char);
    let rest = rest.split(stop).next().unwrap_or_default();
    let range = password_of_address(rest)?;
    let (user, password) = (&rest[..range.start - 1], &rest[range.clone()]);
    // `[user[:password]@]host`
    let password = password.trim_matches(['[', ']']);
    let host = rest[range.end + 1..].split(['/', '?', '#']).next().unwrap_or_default();
    let dull = placeholder::is_password(password)
        || password.eq_ignore_ascii_case(user)
        || user == "public"
        || is_short_token(password)
        || password.chars().count() < 4
        || (password.contains('%') && password.ends_with('%'))
        || password.contains(['$', '{', '*', '['])
        || password.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        || (placeholder::is_host(host) && placeholder::is_words(password));
    if dull {
        return None;
    }
    let (start, end) = (end + range.start, end + range.end);
    Some(Secret { start, end, kind: "the password of an address", hint: 0 })
}

/// Alternates between cases and digits, unlike words and versions.
pub(super) fn random(value: &str) -> bool {
    is_random(value, 3.0)
}

/// `least`: bits of entropy per character.
pub(super) fn is_random(value: &str, least: f64) -> bool {
    let parts = value.split(['-', '_', '.', ':', '/', '@']);
    let Some(value) = parts.max_by_key(|part| part.len()).filter(|part| part.len() >= 10) else {
        return false;
    };
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let classes: Vec<u8> = value.bytes().map(class).collect();
    let changes = classes
        .windows(2)
        .filter(|pair| pair[0] != 0 && pair[1] != 0 && pair[0] != pair[1] && *pair != [3, 2]);
    let digits = classes.contains(&1);
    let letters = classes.contains(&2) || classes.contains(&3);
    digits
        && letters
        && !is_written(value)
        && !placeholder::is_in_sequence(value)
        && changes.count() >= (value.len() / 8).max(3)
        && entropy(value) >= least
}

fn is_written(value: &str) -> bool {
    let words = value.trim_end_matches(|char: char| char.is_ascii_digit());
    let begun = words.bytes().skip(1).filter(u8::is_ascii_uppercase).count() + 1;
    words.bytes().all(|byte| byte.is_ascii_alphabetic()) && words.len() >= 5 * begun
}

fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / total);
    shares.map(|share| -share * share.log2()).sum()
}
