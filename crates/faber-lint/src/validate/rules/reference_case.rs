use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::validate::check::LintContext;
use faber_core::category::Category;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::parse::references::{self, Reference};
use faber_core::paths::normalize;
use faber_core::resolve::index::{ReferenceOrigin, candidates};
use faber_core::rules::reference_case::RULE;
use faber_core::rules::{dangling_reference, dangling_related};
use faber_core::source::Span;

pub(crate) fn claim(whole: &LintContext<'_>, found: &mut [Diagnostic]) {
    let is_dangling = |found: &&mut Diagnostic| {
        [&dangling_reference::RULE, &dangling_related::RULE].contains(&found.rule())
    };
    let mut dangling = found.iter_mut().filter(is_dangling).peekable();
    if dangling.peek().is_none() {
        return;
    }
    let names = Spellings::new(whole);
    for dangling in dangling {
        let span = dangling.primary.span;
        let (text, span) = unquoted(whole.sources.text(span), span);
        let path = text.split('#').next().unwrap_or(text).trim_end();
        let Some(right) = names.respelled(path, span) else { continue };
        let span = Span { end: span.start + u32::try_from(path.len()).unwrap_or_default(), ..span };
        let finding = RULE
            .at(dangling.primary.span, format!("`{path}` is spelled `{right}`"))
            .help(format!("write `{right}`"))
            .fix(span, right);
        let is_minor = dangling.severity() != Severity::Error;
        *dangling = if is_minor { finding.exceptional() } else { finding };
    }
}

fn unquoted(text: &str, span: Span) -> (&str, Span) {
    let inner = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)));
    inner.map_or((text, span), |inner| {
        (inner, Span { start: span.start + 1, end: span.end - 1, ..span })
    })
}

struct Spellings<'a> {
    whole: &'a LintContext<'a>,
    homes: Vec<camino::Utf8PathBuf>,
    paths: BTreeMap<String, &'a Utf8Path>,
    files: BTreeMap<String, Vec<&'a Document>>,
    ids: BTreeMap<String, Vec<&'a Document>>,
}

impl<'a> Spellings<'a> {
    fn new(whole: &'a LintContext<'a>) -> Self {
        let (mut files, mut ids) = (BTreeMap::new(), BTreeMap::new());
        for document in &whole.survey.documents {
            let name = whole.sources.path(document.file).file_name().unwrap_or_default();
            let of_name: &mut Vec<_> = files.entry(name.to_lowercase()).or_default();
            of_name.push(document);
            let of_id: &mut Vec<_> = ids.entry(document.id.to_string().to_lowercase()).or_default();
            of_id.push(document);
        }
        let paths = whole.survey.files.iter().map(|entry| whole.sources.path(entry.file));
        let paths = paths.map(|path| (path.as_str().to_lowercase(), path)).collect();
        let roles = whole.config.roles.iter();
        let homes = roles.filter_map(|home| normalize(Utf8Path::new(""), &home.value)).collect();
        Self { whole, homes, paths, files, ids }
    }

    fn respelled(&self, text: &str, span: Span) -> Option<String> {
        let path = self.whole.sources.original_path(span.file);
        let role_root = self.whole.survey.role_root(path);
        let right = match references::parse(text).0 {
            Reference::Name { name } => self.name(name, role_root)?,
            Reference::Id { category, name, .. } => {
                let id = self.id(category, name, role_root)?;
                recased(text, &id.name)?
            }
            Reference::Other => match references::parse(&text.to_lowercase()).0 {
                Reference::Id { pack: None, category, name } => {
                    self.id(category, name, role_root)?.to_string()
                }
                _ => return None,
            },
            reference => {
                let from = ReferenceOrigin { path, role_root };
                let paths = candidates(&reference, from, role_root, &self.homes)?;
                let mut there = paths.iter().filter_map(|path| {
                    let there = self.paths.get(&path.as_str().to_lowercase())?;
                    (*there != path).then_some(there)
                });
                recased(text, there.next()?.as_str())?
            }
        };
        (right != text).then_some(right)
    }

    fn name(&self, name: &str, role_root: Option<&Utf8Path>) -> Option<String> {
        let lower = name.to_lowercase();
        let stem = lower.strip_suffix(".md").unwrap_or(&lower);
        let file = format!("{stem}.md");
        let documents = self.files.get(&file).into_iter().flatten();
        let mut reachable = documents.filter(|document| self.reaches(document, role_root));
        if let Some(document) = reachable.next() {
            let path = self.whole.sources.path(document.file);
            let own = if stem == lower { path.file_stem() } else { path.file_name() };
            return own.map(str::to_owned);
        }
        let (category, rest) = Category::from_prefix(stem)?;
        let id = self.id(category, rest, role_root)?;
        let prefix = stem.len() - rest.len();
        let ending = if stem == lower { "" } else { ".md" };
        Some(format!("{}{}{ending}", &stem[..prefix], id.name))
    }

    fn id(
        &self,
        category: Category,
        name: &str,
        role_root: Option<&Utf8Path>,
    ) -> Option<&ContextId> {
        let id = ContextId::new(category, name);
        let documents = self.ids.get(&id.to_string().to_lowercase())?.iter();
        let mut reachable = documents.filter(|document| self.reaches(document, role_root));
        reachable.next().map(|document| &document.id)
    }

    fn reaches(&self, document: &Document, role_root: Option<&Utf8Path>) -> bool {
        let layer = &self.whole.survey.layers[document.layer];
        let Some(root) = role_root else { return true };
        let lineage = self.whole.survey.lineage_at(root);
        lineage.is_none_or(|lineage| match layer.kind {
            LayerKind::Role => lineage.roles.iter().any(|role| role.root == layer.folder),
            LayerKind::RoleOverlay => layer.name.as_ref() == Some(&lineage.role().name),
            _ => true,
        })
    }
}

fn recased(text: &str, right: &str) -> Option<String> {
    let same = |a: char, b: char| a == b || a.to_lowercase().eq(b.to_lowercase());
    let pairs = text.chars().rev().zip(right.chars().rev()).take_while(|&(a, b)| same(a, b));
    let (own, other) =
        pairs.fold((0, 0), |(own, other), (a, b)| (own + a.len_utf8(), other + b.len_utf8()));
    let name = Utf8Path::new(right).file_name().unwrap_or(right);
    (other >= name.len())
        .then(|| format!("{}{}", &text[..text.len() - own], &right[right.len() - other..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_correct_spelling_comes_from_the_file() {
        let path = "roles/r/contexts/standards/standards-a.md";
        let right = |text| recased(text, path);
        assert_eq!(
            right("/contexts/Standards/standards-A.md").unwrap(),
            "/contexts/standards/standards-a.md"
        );
        assert_eq!(right("../Standards/Standards-a.md").unwrap(), "../standards/standards-a.md");
        assert_eq!(right("./x.md"), None);
        assert_eq!(recased("standard/Ümlaut", "ümlaut").unwrap(), "standard/ümlaut");
    }
}
