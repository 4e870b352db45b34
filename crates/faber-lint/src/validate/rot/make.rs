use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::claim::{MakeTarget, Mention};
use super::manifest::{self, Absent, Judgement, TargetCheck};
use faber_core::file_text::FileText;
use faber_core::paths::normalize;
use faber_core::rules::missing_make_target::RULE;
use faber_core::suggest;
use faber_core::world::Kind;
use faber_session::discover::repository::Repository;

const FILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

const MAX_INCLUDED: usize = 50;
const MAX_EXPANDED_BYTES: usize = 64 * 1024;

pub(super) type Makefiles = BTreeMap<Utf8PathBuf, MakeTargets>;

#[derive(Debug, Default)]
pub(super) struct MakeTargets {
    names: BTreeSet<String>,
    patterns: Vec<(String, String)>,
    is_open: bool,
    included: usize,
}

impl TargetCheck<'_, Makefiles> {
    pub(super) fn look(&mut self, mention: &Mention, target: &MakeTarget) -> Judgement {
        let read = || -> Option<Makefiles> {
            let found = manifest::read(self.repository, FILES)?;
            let targets = |(folder, text): (Utf8PathBuf, FileText)| {
                let mut targets = MakeTargets::default();
                targets.add(self.repository, &folder, &text);
                (folder, targets)
            };
            Some(found.into_iter().map(targets).collect())
        };
        let Some(all) = self.known.get_or_init(read) else { return Judgement::Unknown };
        let folder = target.folder.as_ref().or(mention.folder.as_ref());
        let folder = folder.and_then(|folder| normalize("".into(), folder));
        let named = folder
            .and_then(|folder| all.get(&folder))
            .map_or_else(|| all.values().collect::<Vec<_>>(), |named| vec![named]);
        let is_there = |folder: &Utf8PathBuf| {
            self.repository.kind(&folder.join(&target.name)) != Kind::Missing
        };
        let name = target.name.as_str();
        if named.iter().any(|it| it.names.contains(name)) {
            return Judgement::Present;
        }
        let is_known =
            |other: &String| named.iter().any(|it| it.names.contains(other) || it.is_open);
        if !target.others.is_empty() && !target.others.iter().any(is_known) {
            return Judgement::Unknown;
        }
        let Some(left) = self.left.checked_sub(1) else { return Judgement::Unknown };
        self.left = left;
        if named.is_empty() || named.iter().any(|it| it.may_make(name)) || all.keys().any(is_there)
        {
            return Judgement::Unknown;
        }
        let known = named.iter().flat_map(|it| &it.names).map(String::as_str);
        let close = self.guesses.take().then(|| suggest::closest(name, known)).flatten();
        let otherwise = "use an existing target of the makefile, or add this one";
        Judgement::Absent(Absent {
            rule: &RULE,
            span: mention.span,
            name: name.to_owned(),
            message: format!("no makefile of the repository has a target `{name}`"),
            help: suggest::help(close, otherwise),
            files: FILES,
            defines: |line| Some(line.split_once(':')?.0.trim()),
        })
    }
}

impl MakeTargets {
    fn may_make(&self, name: &str) -> bool {
        let matches = |(before, after): &(String, String)| {
            name.len() > before.len() + after.len()
                && name.starts_with(before.as_str())
                && name.ends_with(after.as_str())
        };
        self.is_open || self.patterns.iter().any(matches)
    }

    fn add(&mut self, repository: &Repository, folder: &Utf8Path, text: &str) {
        let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
        let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
        for line in joined.lines() {
            if line.starts_with('\t') {
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim();
            let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            if matches!(word, "include" | "-include" | "sinclude") {
                self.include(repository, folder, rest);
            } else if word == "define" || line.contains("$(eval") || line.contains("$(call") {
                self.is_open = true;
            } else if let Some((name, value)) = assignment(line) {
                variables.insert(name, value);
            } else if let Some(left) = targets(line) {
                for target in expanded(left, &variables).split_whitespace() {
                    self.target(&target.replace("\\:", ":"));
                }
                if let Some(phony) = line.strip_prefix(".PHONY:") {
                    let phony = expanded(phony, &variables);
                    self.names.extend(phony.split_whitespace().map(str::to_owned));
                }
            }
        }
    }

    fn include(&mut self, repository: &Repository, folder: &Utf8Path, names: &str) {
        for name in names.split_whitespace() {
            let path = normalize(folder, name).filter(|_| !name.contains(['$', '*', '?']));
            self.included += 1;
            let text = path.filter(|_| self.included <= MAX_INCLUDED);
            match text.and_then(|path| repository.read(&path)) {
                Some(text) => self.add(repository, folder, &text),
                None => self.is_open = true,
            }
        }
    }

    fn target(&mut self, target: &str) {
        if target == ".DEFAULT" || target == "%" {
            self.is_open = true;
        } else if let Some((before, rest)) = target.split_once(['%', '$']) {
            let after = rest.rsplit([')', '}', '%']).next().unwrap_or_default();
            self.is_open |= before.is_empty() && after.is_empty();
            self.patterns.push((before.to_owned(), after.to_owned()));
        } else {
            self.names.insert(target.to_owned());
        }
    }
}

fn targets(line: &str) -> Option<&str> {
    let mut colons = line.match_indices(':').map(|(at, _)| &line[..at]);
    colons.find(|left| !left.ends_with('\\'))
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (left, value) = line.split_once('=')?;
    let name = left.trim_end_matches([':', '?', '+', '!']).trim();
    let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then(|| (name, value.trim()))
}

fn expanded(text: &str, variables: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        let end = match reference.as_bytes().get(1) {
            Some(b'(') => reference.find(')'),
            Some(b'{') => reference.find('}'),
            _ => None,
        };
        let value = end.and_then(|end| variables.get(reference[2..end].trim()));
        let value = value.filter(|value| !value.contains('$') && out.len() < MAX_EXPANDED_BYTES);
        match (end, value) {
            (Some(end), Some(value)) => {
                out.push_str(value);
                rest = &reference[end + 1..];
            }
            (Some(end), None) => {
                out.push_str(&reference[..=end]);
                rest = &reference[end + 1..];
            }
            (None, _) => {
                out.push_str(reference);
                return out;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_by_their_values() {
        let variables = BTreeMap::from([("OUT", "bin"), ("ALL", "$(OUT)/a")]);
        for (text, expected) in [
            ("$(OUT)/x ${OUT}/y z", "bin/x bin/y z"),
            ("$(ALL) $(NO)", "$(ALL) $(NO)"),
            ("$@ $(OUT", "$@ $(OUT"),
        ] {
            assert_eq!(expanded(text, &variables), expected);
        }
    }
}
