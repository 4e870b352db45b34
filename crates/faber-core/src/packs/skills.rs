//! Skills published by a site: Agent Skills discovery 0.2.0.

use serde_json::Value;

use super::lock::sha256_digits;

pub const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const MAX_SKILLS: usize = 1000;
pub const MAX_NAME_BYTES: usize = 64;

/// <https://github.com/cloudflare/agent-skills-discovery-rfc>. Also the `path` in locks.
pub const FOLDER: &str = ".well-known/agent-skills";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedSkill {
    pub name: String,
    pub form: SkillForm,
    pub url: String,
    pub digest: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillForm {
    Text,
    Archive,
}

pub fn index_url(site: &str) -> String {
    format!("{}/{FOLDER}/index.json", site.trim_end_matches('/'))
}

/// # Errors
///
/// A reason.
pub fn read_index(text: &[u8], url: &str) -> Result<Vec<IndexedSkill>, String> {
    let index: Value =
        serde_json::from_slice(text).map_err(|error| format!("it is not JSON: {error}"))?;
    match index.get("$schema").and_then(Value::as_str) {
        Some(SCHEMA) => {}
        Some(other) => return Err(format!("unknown schema `{other}`")),
        None => return Err("it has no `$schema`: version 0.1.0 has no digests".to_owned()),
    }
    let skills = index.get("skills").and_then(Value::as_array).ok_or("`skills` is missing")?;
    if skills.len() > MAX_SKILLS {
        return Err(format!("it has more than {MAX_SKILLS} skills"));
    }
    let mut all: Vec<IndexedSkill> = Vec::new();
    for skill in skills {
        let field = |key: &str| skill.get(key).and_then(Value::as_str).unwrap_or_default();
        let form = match field("type") {
            "skill-md" => SkillForm::Text,
            "archive" => SkillForm::Archive,
            _ => continue,
        };
        let name = field("name");
        if !is_skill_name(name) || all.iter().any(|known| known.name == name) {
            return Err(format!("invalid or duplicate skill name `{name}`"));
        }
        let digest = sha256_digits(field("digest"));
        let digest = digest.ok_or_else(|| format!("the skill `{name}` has no `sha256:` digest"))?;
        let at = resolved(url, field("url"));
        let at = at.ok_or_else(|| format!("the skill `{name}` has no `https` URL"))?;
        all.push(IndexedSkill { name: name.to_owned(), form, url: at, digest: digest.to_owned() });
    }
    Ok(all)
}

pub fn is_skill_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.split('-').all(|word| !word.is_empty() && word.chars().all(is_plain))
}

/// Must be `https` or on the host of `base`.
fn resolved(base: &str, reference: &str) -> Option<String> {
    if reference.is_empty() || reference.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let (scheme, rest) = base.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let site = format!("{scheme}://{host}");
    let reference = reference.split('#').next().unwrap_or_default();
    let has_scheme = reference.split(['/', '?']).next().is_some_and(|first| first.contains(':'));
    let absolute = if has_scheme {
        reference.to_owned()
    } else if let Some(other) = reference.strip_prefix("//") {
        format!("{scheme}://{other}")
    } else {
        let (reference, query) = reference.split_at(reference.find('?').unwrap_or(reference.len()));
        let whole = match reference.strip_prefix('/') {
            Some(_) => reference.to_owned(),
            None => format!("{}/{reference}", path.rsplit_once('/').map_or("", |(above, _)| above)),
        };
        format!("{site}/{}{query}", without_dots(&whole))
    };
    let is_of_site = absolute.strip_prefix(&site).is_some_and(|rest| rest.starts_with('/'));
    let host = absolute.strip_prefix("https://").and_then(|rest| rest.split(['/', '?']).next());
    let is_secure = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
    (is_of_site || is_secure).then_some(absolute)
}

fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.com/.well-known/agent-skills/index.json";

    fn index(schema: &str, skill: &str) -> Result<Vec<IndexedSkill>, String> {
        read_index(format!("{{\"$schema\": \"{schema}\", \"skills\": [{skill}]}}").as_bytes(), URL)
    }

    fn skill(name: &str, form: &str, url: &str, digest: &str) -> String {
        format!(
            "{{\"name\": \"{name}\", \"type\": \"{form}\", \"url\": \"{url}\", \"digest\": \"{digest}\"}}"
        )
    }

    #[test]
    fn an_index_has_skills_with_digests() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let good = index(SCHEMA, &skill("pdf", "archive", "pdf.tar.gz", &digest)).unwrap();
        let url = "https://example.com/.well-known/agent-skills/pdf.tar.gz".to_owned();
        let (name, digest_of) = ("pdf".to_owned(), "a".repeat(64));
        assert_eq!(good, [IndexedSkill { name, form: SkillForm::Archive, url, digest: digest_of }]);
        assert_eq!(index(SCHEMA, &skill("pdf", "video", "x", "")), Ok(Vec::new()));
        for bad in [
            skill("PDF", "skill-md", "x", &digest),
            skill("../pdf", "skill-md", "x", &digest),
            skill("pdf", "skill-md", "x", "sha256:abc"),
            skill("pdf", "skill-md", "", &digest),
            skill("pdf", "skill-md", "http://example.com/x", &digest),
            skill("pdf", "skill-md", "file:///etc/passwd", &digest),
            [skill("pdf", "skill-md", "x", &digest), skill("pdf", "skill-md", "y", &digest)]
                .join(","),
        ] {
            assert!(index(SCHEMA, &bad).is_err(), "{bad}");
        }
        assert!(index("https://schemas.agentskills.io/discovery/0.3.0/schema.json", "").is_err());
        assert!(read_index(b"{\"skills\": []}", URL).unwrap_err().contains("0.1.0"));
        assert!(read_index(b"<html>", URL).is_err());
    }

    #[test]
    fn references_are_resolved_against_the_index() {
        for (reference, expected) in [
            ("a/SKILL.md", "https://example.com/.well-known/agent-skills/a/SKILL.md"),
            ("../a", "https://example.com/.well-known/a"),
            ("../../../../a", "https://example.com/a"),
            ("/a/b?c=d#e", "https://example.com/a/b?c=d"),
            ("//cdn.example.com/a", "https://cdn.example.com/a"),
            ("https://cdn.example.com/a", "https://cdn.example.com/a"),
        ] {
            assert_eq!(resolved(URL, reference).as_deref(), Some(expected), "{reference}");
        }
        let local = "http://127.0.0.1:80/index.json";
        assert_eq!(resolved(local, "a").as_deref(), Some("http://127.0.0.1:80/a"));
        for (base, reference) in [
            (local, "http://127.0.0.1:81/a"),
            (local, "//127.0.0.1:81/a"),
            (URL, "http://127.0.0.1/a"),
            (URL, "ftp://example.com/a"),
            (URL, "https://user@example.org/a"),
            (URL, "https:///a"),
            (URL, "a b"),
        ] {
            assert_eq!(resolved(base, reference), None, "{reference}");
        }
    }
}
