//! Reads `packs` of a configuration.

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::Diagnostic;
use crate::packs::MAX_PACKS;
use crate::packs::names::is_name;
use crate::paths::normalize;
use crate::rules::invalid_config;
use crate::source::{SourceMap, Span, Spanned};
use crate::yaml::{Entry, Node};

pub const NAME_HELP: &str =
    "a name has at most 64 lower-case letters, digits and hyphens; `allow` is reserved";
pub const URL_HELP: &str =
    "write `https://HOST/PATH`, `ssh://HOST/PATH`, `USER@HOST:PATH` or a path such as `./DIR`";
const HAS_SECRET: &str = "an address with a user or password would be in version control";
const SIGNED_BY_HELP: &str = "write the line of a `.pub` file of SSH, or what `gpg --armor --export KEY` prints; or remove it to \
     use unsigned commits";
const GPG: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const SSH: [&str; 3] = ["ssh-", "ecdsa-", "sk-"];
pub const REFERENCE_HELP: &str = "name a branch, tag, commit or version range";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackSource {
    Git {
        url: String,
        /// Default: `HEAD`.
        reference: Option<String>,
        path: Utf8PathBuf,
    },
    Skills(String),
    Folder(Utf8PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPack {
    pub name: Spanned<String>,
    pub source: PackSource,
    pub files: Vec<Utf8PathBuf>,
    pub signed_by: Option<String>,
    pub is_users: bool,
}

impl PackSource {
    pub fn address(&self) -> &str {
        match self {
            Self::Git { url, .. } | Self::Skills(url) => url,
            Self::Folder(path) => path.as_str(),
        }
    }

    pub fn is_at(&self, other: &Self) -> bool {
        let place = |source: &Self| match source {
            Self::Git { url, path, .. } => {
                let url = url.trim_end_matches('/').trim_end_matches(".git");
                Some((url.to_owned(), path.clone()))
            }
            Self::Skills(_) | Self::Folder(_) => None,
        };
        place(self).is_some_and(|own| Some(own) == place(other))
    }

    pub fn is_local(&self) -> bool {
        match self {
            Self::Git { url, .. } => is_local(url),
            Self::Skills(url) => is_loopback(url),
            Self::Folder(_) => true,
        }
    }
}

impl DeclaredPack {
    /// Determines what is fetched. Trust is a hash of these lines.
    pub fn declaration(&self) -> String {
        let name = &self.name.value;
        let signed_by = self.signed_by.as_deref().unwrap_or_default().escape_debug();
        match &self.source {
            PackSource::Git { url, reference, path } => {
                let reference = reference.as_deref().unwrap_or_default();
                format!("{name}\tgit\t{url}\t{reference}\t{path}\t{signed_by}\n")
            }
            PackSource::Skills(url) => format!("{name}\tskills\t{url}\n"),
            PackSource::Folder(path) => {
                let parts = [name.as_str(), "path", path.as_str()];
                let parts = parts.into_iter().chain(self.files.iter().map(|it| it.as_str()));
                parts.collect::<Vec<_>>().join("\t") + "\n"
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    pub packs: Vec<DeclaredPack>,
    pub allow: Vec<AllowedSources>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedSources {
    pub patterns: Vec<String>,
    /// As `path:line`.
    pub place: String,
}

impl Declarations {
    pub fn add(
        &mut self,
        config: &Node,
        sources: &SourceMap,
        is_users: bool,
        found: &mut Vec<Diagnostic>,
    ) {
        let Some(node) = config.get("packs") else { return };
        let (allow, packs): (Vec<&Entry>, Vec<&Entry>) =
            node.entries().iter().partition(|entry| entry.key == "allow");
        for entry in allow {
            let items = entry.value.items().unwrap_or_default().iter();
            let patterns = items.filter_map(Node::as_str).map(str::to_owned).collect();
            self.allow.push(AllowedSources { patterns, place: sources.place(entry.key_span) });
        }
        for entry in packs {
            if self.packs.len() >= MAX_PACKS {
                let message = format!("only the first {MAX_PACKS} packs are used");
                found.push(*refused(entry.key_span, message, "use fewer packs"));
                break;
            }
            match read(entry, is_users) {
                Ok(pack) => {
                    self.packs.retain(|known| known.name.value != pack.name.value);
                    self.packs.push(pack);
                }
                Err(finding) => found.push(*finding),
            }
        }
    }

    pub fn refusing(&self, address: &str) -> Option<&AllowedSources> {
        let mut lists = self.allow.iter();
        lists.find(|list| !list.patterns.iter().any(|pattern| matches(pattern, address)))
    }
}

fn refused(span: Span, message: String, help: &str) -> Box<Diagnostic> {
    Box::new(invalid_config::RULE.at(span, message).help(help))
}

fn read(entry: &Entry, is_users: bool) -> Result<DeclaredPack, Box<Diagnostic>> {
    let name = Spanned { value: entry.key.clone(), span: entry.key_span };
    if !is_name(&name.value) {
        return Err(refused(name.span, format!("invalid pack name `{}`", name.value), NAME_HELP));
    }
    let field = |key: &str| {
        let node = entry.value.get(key)?;
        Some(Spanned { value: node.as_str()?.to_owned(), span: node.span })
    };
    if let Some(url) = field("skills") {
        if let Some(other) = entry.value.entries().iter().find(|other| other.key != "skills") {
            let message = format!("`{}` cannot be used with `skills`", other.key);
            return Err(refused(other.key_span, message, "remove it"));
        }
        check_site(&url.value).map_err(|why| refused(url.span, why, "write `https://HOST`"))?;
        let source = PackSource::Skills(url.value);
        return Ok(DeclaredPack { name, source, files: Vec::new(), signed_by: None, is_users });
    }
    let mut files = Vec::new();
    for file in entry.value.get("files").and_then(Node::items).unwrap_or_default() {
        let text = file.as_str().unwrap_or_default();
        match normalize(Utf8Path::new(""), text) {
            Some(path) if field("git").is_none() && !path.as_str().is_empty() => files.push(path),
            _ => {
                let message = format!("`{text}` is not a file of a pack");
                let help = "`files` are paths below the folder `path`, without `git`";
                return Err(refused(file.span, message, help));
            }
        }
    }
    let source = match (field("git"), field("path")) {
        (Some(url), path) => {
            check_url(&url.value).map_err(|why| refused(url.span, why, URL_HELP))?;
            let path = path.unwrap_or(Spanned { value: String::new(), span: url.span });
            let Some(below) = normalize(Utf8Path::new(""), &path.value) else {
                let message = format!("`{}` leads out of the repository", path.value);
                return Err(Box::new(invalid_config::RULE.at(path.span, message)));
            };
            let reference = field("ref");
            if let Some(reference) = reference.as_ref().filter(|it| !is_reference(&it.value)) {
                let message = format!("invalid ref `{}`", reference.value);
                return Err(refused(reference.span, message, REFERENCE_HELP));
            }
            let reference = reference.map(|reference| reference.value);
            PackSource::Git { url: url.value, reference, path: below }
        }
        (None, Some(path)) => {
            let of_git = |other: &&Entry| matches!(&*other.key, "ref" | "signed_by");
            if let Some(other) = entry.value.entries().iter().find(of_git) {
                let message = format!("`{}` cannot be used without `git`", other.key);
                return Err(refused(other.key_span, message, "remove it, or add `git: URL`"));
            }
            PackSource::Folder(path.value.into())
        }
        (None, None) => {
            let message = format!("the pack `{}` has no source", name.value);
            let help = "add `git: URL`, `path: FOLDER` or `skills: URL`";
            return Err(refused(name.span, message, help));
        }
    };
    let signed_by = entry.value.get("signed_by");
    let is_key = |key: &&str| is_gpg_key(key) || is_ssh_key(key);
    let key = signed_by.and_then(Node::as_str).filter(is_key);
    if let Some(node) = signed_by.filter(|_| key.is_none()) {
        let message = "`signed_by` is not a public key of SSH or GPG".to_owned();
        return Err(refused(node.span, message, SIGNED_BY_HELP));
    }
    let signed_by = key.map(str::to_owned);
    Ok(DeclaredPack { name, source, files, signed_by, is_users })
}

pub fn is_gpg_key(key: &str) -> bool {
    key.trim_start().starts_with(GPG)
}

fn is_ssh_key(key: &str) -> bool {
    // In Base64, the length of the name of the algorithm.
    let is_blob = |rest: &str| rest.trim_start().starts_with("AAAA");
    SSH.iter().any(|kind| key.starts_with(kind))
        && key.split_once(' ').is_some_and(|(_, rest)| is_blob(rest))
}

/// # Errors
///
/// A reason.
pub fn check_site(url: &str) -> Result<(), String> {
    if url.contains(|c: char| c.is_whitespace() || c.is_control() || "?#\\".contains(c)) {
        return Err(format!("invalid address `{url}`"));
    }
    if is_loopback(url) {
        return Ok(());
    }
    let rest = url.strip_prefix("https://").ok_or("skills are fetched over `https` only")?;
    match rest.split('/').next().unwrap_or_default() {
        "" => Err(format!("`{url}` names no host")),
        host if host.contains('@') => Err(HAS_SECRET.to_owned()),
        _ => Ok(()),
    }
}

pub fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|c| c.is_ascii_digit());
    host.is_some_and(|host| {
        let rests = ["127.0.0.1", "localhost", "[::1]"].map(|own| host.strip_prefix(own));
        let mut rests = rests.into_iter().flatten();
        rests.any(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
    })
}

pub fn is_reference(text: &str) -> bool {
    let range = text.strip_prefix(['^', '~']).unwrap_or(text);
    let is_bad = |c: char| c.is_whitespace() || c.is_control() || "~^:?[\\".contains(c);
    !range.is_empty()
        && !range.starts_with(['-', '/'])
        && !range.contains(is_bad)
        && !range.contains("..")
        && !range.contains("@{")
}

/// # Errors
///
/// A reason.
pub fn check_url(url: &str) -> Result<(), String> {
    if url.starts_with('-') || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(format!("invalid address `{url}`"));
    }
    if is_local(url) {
        return Ok(());
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        // `USER@HOST:PATH`, not `ext::COMMAND`.
        let host = url.split_once(':').filter(|(_, path)| !path.starts_with(':'));
        let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '\\']);
        return match host {
            Some((host, path)) if !host.contains('@') && path.contains('@') => {
                Err(HAS_SECRET.to_owned())
            }
            Some((host, path)) if is_host(host) && !path.is_empty() => Ok(()),
            _ => Err(format!("`{url}` is not an address of a repository")),
        };
    };
    if !matches!(scheme, "https" | "ssh") {
        return Err(format!("packs are not fetched over `{scheme}`"));
    }
    let host = rest.split('/').next().unwrap_or_default();
    match host.rsplit_once('@') {
        _ if host.is_empty() || host.starts_with('-') => Err(format!("`{url}` names no host")),
        Some((user, _)) if user.contains(':') || scheme == "https" => Err(HAS_SECRET.to_owned()),
        _ => Ok(()),
    }
}

pub fn is_local(url: &str) -> bool {
    url.starts_with(['/', '.', '~']) || url.starts_with("file:///")
}

fn matches(pattern: &str, address: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| address.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_list::words;
    use crate::yaml;

    fn declared(text: &str) -> (Declarations, Vec<String>) {
        let mut sources = SourceMap::default();
        let file = sources.add("config.yml".into(), text.to_owned());
        let node = yaml::parse_text(text, file).unwrap();
        let (mut all, mut found) = (Declarations::default(), Vec::new());
        all.add(&node, &sources, false, &mut found);
        (all, found.into_iter().map(|finding| finding.message).collect())
    }

    #[test]
    fn a_signature_is_never_ignored() {
        const NO_KEY: &str = "`signed_by` is not a public key of SSH or GPG";
        for (fields, message) in [
            ("path: ../x, signed_by: k", "`signed_by` cannot be used without `git`"),
            ("path: ../x, ref: v1", "`ref` cannot be used without `git`"),
            ("git: ../x, signed_by: ''", NO_KEY),
            ("git: ../x, signed_by: [k]", NO_KEY),
            ("git: ../x, signed_by: ~", NO_KEY),
            ("git: ../x, signed_by: k", NO_KEY),
            ("git: ../x, signed_by: 'ssh-ed25519 nonsense'", NO_KEY),
        ] {
            let (all, messages) = declared(&format!("packs: {{ x: {{ {fields} }} }}\n"));
            assert_eq!((all.packs.len(), messages), (0, vec![message.to_owned()]), "{fields}");
        }
        let (all, _) = declared("packs: { x: { git: ../x, ref: v1, signed_by: ssh-rsa AAAA } }\n");
        assert_eq!(all.packs[0].signed_by.as_deref(), Some("ssh-rsa AAAA"));
    }

    #[test]
    fn a_policy_holds_after_too_many_packs() {
        let packs = (0..=MAX_PACKS).map(|at| format!("  p{at}: {{ path: ./x }}\n"));
        let packs = packs.collect::<Vec<_>>().concat();
        let (all, messages) = declared(&format!("packs:\n{packs}  allow: [./y]\n"));
        assert_eq!((all.packs.len(), messages.len()), (MAX_PACKS, 1));
        assert!(all.refusing("./x").is_some());
    }

    #[test]
    fn addresses_that_could_run_something_or_hold_secrets_are_refused() {
        for url in [
            "https://git.example.com/acme/context.git",
            "ssh://git@git.example.com/acme/context.git",
            "git@git.example.com:acme/context.git",
            "../context.git",
            "/srv/context.git",
            "file:///srv/context.git",
        ] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
        for url in words!(
            "ext::sh -c id, ext::id, fd::17/foo, git://host/x, http://host/x, -oProxyCommand=id",
            "--upload-pack=id, https://user:pass@host/x, https://token@host/x",
            "user:pass@host:x.git, https://, ssh://-oProxyCommand=id/x, file://host/x, context, ",
            "https://host/a b, https://host/\u{7}",
        ) {
            assert!(check_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn sites_are_of_https_or_of_this_machine() {
        for url in [
            "https://example.com",
            "https://example.com/docs/",
            "http://127.0.0.1:80",
            "http://localhost/x",
            "http://[::1]:8080",
        ] {
            assert_eq!(check_site(url), Ok(()), "{url}");
        }
        for url in words!(
            "http://example.com, https://, https://u@x.example, https://x.example?a",
            "http://localhost.example.com, http://127.0.0.1@x.example/",
            "http://127.0.0.1:80@x.example/, file:///etc, -x, https://a b",
        ) {
            assert!(check_site(url).is_err(), "{url}");
        }
    }

    #[test]
    fn references_are_names_of_git_or_ranges() {
        for text in ["v2", "main", "feature/x", "^1.2", "~1", "a1b2c3", "1.x"] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["", "-x", "--upload-pack=x", "a b", "a..b", "a:b", "a@{1}", "HEAD~1", "/x"] {
            assert!(!is_reference(text), "{text}");
        }
    }

    #[test]
    fn a_star_of_a_source_policy_stands_for_anything() {
        assert!(matches("https://git.example.com/acme/*", "https://git.example.com/acme/x.git"));
        assert!(matches("*", "x") && matches("a*b*c", "a1b2c") && matches("abc", "abc"));
        assert!(!matches("abc", "abcd") && !matches("a*c", "ab") && !matches("b*", "abc"));
        assert!(!matches("ab*ba", "aba"));
    }
}
