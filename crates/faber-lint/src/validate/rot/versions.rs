use std::cmp::Ordering;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::claim::{Mention, ShellWord, VersionClaim, has_word};
use super::manifest::toml_values;
use super::tone::Tone;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::tool_version_mismatch::RULE;
use faber_session::discover::repository::Repository;

const TOOLS: [(&str, &[&str], &[&str]); 8] = [
    ("Node.js", &["Node.js", "NodeJS", "Node", "node"], &["node", "nodejs"]),
    ("Python", &["Python", "python", "CPython"], &["python"]),
    ("Rust", &["Rust", "rustc", "MSRV"], &["rust"]),
    ("Go", &["Go", "Golang"], &["go", "golang"]),
    ("Ruby", &["Ruby"], &["ruby"]),
    ("Java", &["Java", "JDK"], &["java"]),
    ("pnpm", &["pnpm"], &["pnpm"]),
    ("Yarn", &["Yarn"], &["yarn"]),
];

const CHOOSERS: [(&str, &[&str], &str); 5] = [
    ("fnm", &["install", "use"], "Node.js"),
    ("nvm", &["install", "use"], "Node.js"),
    ("pyenv", &["global", "install", "local"], "Python"),
    ("rbenv", &["global", "install", "local"], "Ruby"),
    ("rustup", &["default", "install"], "Rust"),
];

const NEEDS: &str = "build built environment install language minimum msrv must need needs pinned \
    prerequisite prerequisites require required requirement requirements requires runs \
    runtime setup stack supported target targets tech toolchain use uses version";

const OTHERS: &str = "added available before below deprecates feature features from introduced \
    introduces prior since syntax than upgrade upgrading";

pub(super) fn of_prose<'a>(line: &'a str, heading: &str) -> Vec<(ShellWord<'a>, VersionClaim)> {
    if !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let claims: Vec<_> =
        TOOLS.iter().filter_map(|(tool, names, _)| of_tool(line, tool, names)).collect();
    if claims.is_empty() {
        return claims;
    }
    let has = |text: &str, list: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| has_word(list, word))
    };
    let lower = line.to_lowercase();
    let is_need = has(&lower, NEEDS) || has(&heading.to_lowercase(), NEEDS);
    if is_need && !has(&lower, OTHERS) { claims } else { Vec::new() }
}

fn of_tool<'a>(
    line: &'a str,
    tool: &'static str,
    names: &[&str],
) -> Option<(ShellWord<'a>, VersionClaim)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '@');
    let mut claims = names.iter().flat_map(|name| {
        line.match_indices(name).filter_map(|(at, name)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let is_alone = !before.ends_with(is_word) && after.starts_with([' ', ':', '*', '@']);
            // "in Node 18" is not about this repository.
            let is_about = before.ends_with("in ") || before.ends_with("In ");
            let version = (is_alone && !is_about).then(|| version_after(after)).flatten()?;
            let (length, version, is_least) = version;
            let is_least =
                is_least || before.ends_with("minimum ") || before.ends_with("at least ");
            let word = ShellWord { at, text: &line[at..at + name.len() + length] };
            Some((word, VersionClaim { tool, version, is_least }))
        })
    });
    let first = claims.next()?;
    claims.next().is_none().then_some(first)
}

fn version_after(text: &str) -> Option<(usize, Vec<u32>, bool)> {
    let marks = |c: char| " :*@v^~=>≥".contains(c);
    let rest = text.trim_start_matches(marks);
    let lead = &text[..text.len() - rest.len()];
    let lead_word = ["version ", "Version "].iter().find_map(|word| rest.strip_prefix(word));
    let rest = lead_word.unwrap_or(rest).trim_start_matches(marks);
    let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let written = rest[..digits].trim_end_matches('.');
    let after = &rest[written.len()..];
    let version = numbers(written)?;
    // `3.9-3.12` is a list, `3.x` no version.
    let next = after.trim_start_matches([' ', '*']);
    let is_list = after.starts_with(['-', '–', '/', '%'])
        || [",", "and ", "or ", "|", "–", "-", "to "].iter().any(|mark| {
            next.strip_prefix(mark)
                .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        });
    let is_word = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if is_list || is_word || lead.len() > 8 {
        return None;
    }
    let later =
        ["+", "or later", "or newer", "or higher", "or above", "or greater", "and up", "and later"];
    let is_least =
        lead.contains(['>', '≥', '^', '~']) || later.iter().any(|it| next.starts_with(it));
    let end = text.len() - after.len();
    Some((end, version, is_least))
}

pub(super) fn of_command(line: &str) -> Option<(ShellWord<'_>, VersionClaim)> {
    let mut words = line.split_whitespace();
    let (program, verb, value) = (words.next()?, words.next()?, words.next()?);
    let chooser =
        CHOOSERS.iter().find(|(name, verbs, _)| *name == program && verbs.contains(&verb));
    let (_, _, tool) = chooser?;
    let version = numbers(value.trim_start_matches('v'))?;
    let at = line.find(value)?;
    Some((ShellWord { at, text: value }, VersionClaim { tool, version, is_least: false }))
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    let parts = text.split('.').take(3).map(|part| part.parse().ok());
    parts.collect::<Option<Vec<u32>>>().filter(|parts| parts[0] < 1000)
}

#[derive(Clone, Debug, Default)]
struct Fact {
    source: Utf8PathBuf,
    written: String,
    ranges: Vec<VersionRange>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct VersionRange {
    exactly: Option<Vec<u32>>,
    least: Option<Vec<u32>>,
    below: Option<Vec<u32>>,
}

type FactsByTool = BTreeMap<&'static str, Vec<Fact>>;

pub(super) struct VersionCheck<'a> {
    repository: &'a Repository,
    of_folders: BTreeMap<Utf8PathBuf, FactsByTool>,
}

impl<'a> VersionCheck<'a> {
    pub(super) fn new(repository: &'a Repository) -> Self {
        Self { repository, of_folders: BTreeMap::new() }
    }

    pub(super) fn look(
        &mut self,
        mention: &Mention,
        claim: &VersionClaim,
        homes: &[Utf8PathBuf],
    ) -> Option<Diagnostic> {
        if !matches!(mention.tone, Tone::Plain | Tone::Making | Tone::Generated) {
            return None;
        }
        let mut roots = vec![self.repository.workspace().to_owned(), Utf8PathBuf::new()];
        roots.dedup();
        let homes = homes.iter().filter(|home| !roots.contains(home));
        let facts = homes.map(|home| self.facts(home, claim.tool)).find(|it| !it.is_empty());
        let facts = facts.unwrap_or_else(|| {
            roots.iter().flat_map(|root| self.facts(root, claim.tool)).collect()
        });
        let agrees = |fact: &Fact| fact.ranges.iter().any(|range| range.agrees(claim));
        if facts.iter().any(agrees) {
            return None;
        }
        let Fact { source, written, .. } = facts.first()?;
        let version: Vec<String> = claim.version.iter().map(ToString::to_string).collect();
        let more = if claim.is_least { " or later" } else { "" };
        let message = format!(
            "{} {}{more} contradicts `{source}`, which has `{written}`",
            claim.tool,
            version.join(".")
        );
        let help = "use the version of the repository, or refer to that file";
        Some(RULE.at(mention.span, message).help(help))
    }

    fn facts(&mut self, folder: &Utf8Path, tool: &str) -> Vec<Fact> {
        if !self.of_folders.contains_key(folder) {
            self.of_folders.insert(folder.to_owned(), facts(self.repository, folder));
        }
        self.of_folders[folder].get(tool).cloned().unwrap_or_default()
    }
}

impl VersionRange {
    fn agrees(&self, claim: &VersionClaim) -> bool {
        let version = &claim.version;
        let is_below = |limit: &Vec<u32>| match shared(version, limit) {
            Ordering::Less => true,
            Ordering::Equal => version.len() < limit.len(),
            Ordering::Greater => false,
        };
        let is_least = |least: &Vec<u32>| shared(version, least) != Ordering::Less;
        let is_exactly = |pin: &Vec<u32>| match shared(pin, version) {
            Ordering::Equal => true,
            Ordering::Greater => claim.is_least,
            Ordering::Less => false,
        };
        self.exactly.as_ref().is_none_or(is_exactly)
            && self.least.as_ref().is_none_or(is_least)
            && self.below.as_ref().is_none_or(is_below)
    }

    fn read(text: &str) -> Option<Self> {
        let mut range = Self::default();
        let spaced = text.replace(',', " ");
        let mut words = spaced.split_whitespace();
        while let Some(word) = words.next() {
            let digits = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
            let (operator, written) = word.split_at(digits);
            let written = if written.is_empty() { words.next()? } else { written };
            let stars = written.trim_end_matches(['.', 'x', '*', 'X']);
            let version = numbers(stars.split(['-', '+']).next()?)?;
            let next = |at: usize| {
                let mut next: Vec<u32> = version.iter().copied().take(at + 1).collect();
                next.resize(at + 1, 0);
                next[at] += 1;
                next
            };
            match operator {
                ">=" | ">" => range.least = Some(version),
                "<" => range.below = Some(version),
                "<=" => range.below = Some(next(version.len() - 1)),
                "^" => {
                    range.below =
                        Some(next(version.iter().position(|part| *part > 0).unwrap_or(0)));
                    range.least = Some(version);
                }
                "~" | "~=" => {
                    range.below = Some(next(version.len().saturating_sub(2)));
                    range.least = Some(version);
                }
                "" | "=" | "==" | "v" => range.exactly = Some(version),
                _ => return None,
            }
        }
        (range != Self::default()).then_some(range)
    }
}

fn shared(one: &[u32], other: &[u32]) -> Ordering {
    let length = one.len().min(other.len());
    one[..length].cmp(&other[..length])
}

fn facts(repository: &Repository, folder: &Utf8Path) -> FactsByTool {
    let mut facts = ToolVersions { by_tool: BTreeMap::new() };
    let read = |name: &str| {
        let path = folder.join(name);
        let text = repository.read(&path)?;
        Some((path, text))
    };
    for (file, name) in [
        (".nvmrc", "node"),
        (".node-version", "node"),
        (".python-version", "python"),
        (".ruby-version", "ruby"),
        (".java-version", "java"),
        (".go-version", "go"),
    ] {
        if let Some((path, text)) = read(file) {
            let lines = text.lines().map(without_comment).filter(|line| !line.is_empty());
            facts.add(name, &path, &lines.collect::<Vec<_>>().join(" || "));
        }
    }
    if let Some((path, text)) = read(".tool-versions") {
        for line in text.lines() {
            let mut words = without_comment(line).split_whitespace();
            if let Some(name) = words.next() {
                facts.add(name, &path, &words.collect::<Vec<_>>().join(" || "));
            }
        }
    }
    if let Some((path, text)) = read("package.json") {
        facts.add_package(&path, &text);
    }
    for file in
        ["rust-toolchain", "rust-toolchain.toml", "mise.toml", "Cargo.toml", "pyproject.toml"]
    {
        if let Some((path, text)) = read(file) {
            facts.add_toml(&path, &text);
        }
    }
    if let Some((path, text)) = read("go.mod") {
        let version = text.lines().find_map(|line| line.strip_prefix("go "));
        facts.add("go", &path, &version.map(|it| format!(">={it}")).unwrap_or_default());
    }
    facts.by_tool
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or(line).trim()
}

struct ToolVersions {
    by_tool: FactsByTool,
}

impl ToolVersions {
    /// Unknown syntax, such as `lts/*`, agrees with everything.
    fn add(&mut self, name: &str, source: &Utf8Path, written: &str) {
        let tool = TOOLS.iter().find(|(_, _, names)| names.contains(&name));
        let Some((tool, _, _)) = tool else { return };
        let written = written.trim();
        if written.is_empty() {
            return;
        }
        let parts = written.split("||").map(|part| {
            let part = part.trim();
            let part = part.strip_prefix(name).map_or(part, |rest| rest.trim_start_matches('-'));
            VersionRange::read(part).unwrap_or_default()
        });
        let (source, written) = (source.to_owned(), written.to_owned());
        let fact = Fact { ranges: parts.collect(), source, written };
        self.by_tool.entry(tool).or_default().push(fact);
    }

    fn add_package(&mut self, path: &Utf8Path, text: &str) {
        let Ok(manifest) = serde_json::from_str::<Value>(text) else { return };
        for section in ["engines", "volta"] {
            for (name, version) in manifest[section].as_object().into_iter().flatten() {
                self.add(name, path, version.as_str().unwrap_or_default());
            }
        }
        if let Some((name, version)) =
            manifest["packageManager"].as_str().and_then(|manager| manager.split_once('@'))
        {
            self.add(name, path, version);
        }
    }

    fn add_toml(&mut self, path: &Utf8Path, text: &str) {
        if path.file_name() == Some("rust-toolchain") && !text.contains('[') {
            self.add("rust", path, text.lines().next().unwrap_or_default());
            return;
        }
        for (section, key, value) in toml_values(text) {
            match (section, key) {
                ("toolchain", "channel") => self.add("rust", path, value),
                ("package" | "workspace.package", "rust-version") => {
                    self.add("rust", path, &format!(">={value}"));
                }
                ("project", "requires-python") | ("tool.poetry.dependencies", "python") => {
                    self.add("python", path, value);
                }
                ("tools", name) => self.add(name, path, value),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_where_a_line_asks_for_it() {
        let shown = |line: &str| {
            let claims = of_prose(line, "");
            let text = |(word, claim): &(ShellWord<'_>, VersionClaim)| {
                format!("{}{}", word.text, if claim.is_least { " least" } else { "" })
            };
            claims.iter().map(text).collect::<Vec<_>>().join("; ")
        };
        let cases = [
            ("Requires Node.js 18+ and Python >= 3.9.", "Node.js 18 least; Python >= 3.9 least"),
            ("Use Go 1.21 or later", "Go 1.21 least"),
            ("The toolchain is Rust 1.70.", "Rust 1.70"),
            ("Requires Python 3.9, 3.10 or 3.11", ""),
            ("Use match, available since Python 3.10", ""),
            ("Python 3.9 is fine", ""),
            ("use JavaScript 5 and Node 18 tests", "Node 18"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn a_claim_is_compared_with_pins_and_ranges() {
        let agrees = |claim: &str, range: &str| {
            let is_least = claim.ends_with('+');
            let version = numbers(claim.trim_end_matches('+')).unwrap();
            VersionRange::read(range).unwrap().agrees(&VersionClaim {
                tool: "x",
                version,
                is_least,
            })
        };
        for (claim, range) in [
            ("18", "18.17.0"),
            ("18+", "20"),
            ("18", ">=16"),
            ("3", "==3.11.*"),
            ("18.2", "^18.1"),
            ("3.9", ">=3.9,<4"),
            ("20", "v20.1"),
            ("18+", ">=18.3"),
        ] {
            assert!(agrees(claim, range), "{claim} {range}");
        }
        for (claim, range) in [
            ("18", "20.1"),
            ("22+", "20"),
            ("18+", ">=20"),
            ("19", "^18.1"),
            ("4", ">=3.9 <4"),
            ("3.9", ">= 3.10"),
        ] {
            assert!(!agrees(claim, range), "{claim} {range}");
        }
        assert_eq!(VersionRange::read("lts/hydrogen"), None);
    }
}
