//! A parsed context file.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::category::{CATEGORIES, Category};
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::escape::Visible;
use crate::layer::LayerKind;
use crate::packs;
use crate::parse::frontmatter::{FrontMatter, Parsed};
use crate::parse::include;
use crate::rules::{category_mismatch, missing_category, unknown_category};
use crate::security;
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::strategy::Strategy;
use crate::suggest;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub kind: LayerKind,
    pub name: Option<String>,
    pub folder: Utf8PathBuf,
}

impl Layer {
    pub fn new(kind: LayerKind, name: Option<&str>, folder: impl Into<Utf8PathBuf>) -> Self {
        Self { kind, name: name.map(str::to_owned), folder: folder.into() }
    }

    pub fn pack(&self) -> Option<&str> {
        packs::of_path(&self.folder)
    }
}

#[derive(Clone, Debug)]
pub struct Member {
    pub file: FileId,
    pub layer: usize,
    pub folder: Option<Category>,
    pub role: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct Document {
    pub file: FileId,
    pub layer: usize,
    pub kind: LayerKind,
    pub id: ContextId,
    pub front: Arc<FrontMatter>,
    pub body: Span,
    pub may_include: bool,
    pub platform: Option<String>,
}

impl Document {
    pub fn strategy(&self) -> Strategy {
        let fields = &self.front.fields;
        let has_sections = || self.front.node.get("sections").is_some_and(|it| !it.is_null());
        match &fields.strategy {
            Some(strategy) => strategy.value,
            None if fields.extends.is_some() || has_sections() => Strategy::Merge,
            None => Strategy::Override,
        }
    }

    pub(crate) fn is_conditional_on(&self, key: &str, value: &str) -> bool {
        let conditions =
            self.front.fields.when.iter().flat_map(|when| when.all.iter().chain(&when.none));
        conditions.filter(|it| it.key.value == key).any(|it| it.values.iter().any(|it| it == value))
    }
}

/// `None`, with a finding, for an unknown category.
pub fn parse(
    sources: &SourceMap,
    layers: &[Layer],
    member: &Member,
    parsed: Parsed,
    found: &mut Vec<Diagnostic>,
) -> Option<Document> {
    let layer = &layers[member.layer];
    let source = sources.get(member.file);
    let stem = source.path.file_stem().unwrap_or_default();
    let declared = category(sources, layer, member, &parsed.front, found);
    let is_document = layer.kind == LayerKind::Custom && is_elsewhere(&source.path);
    let category = declared.or(is_document.then_some(Category::Reference))?;
    let fields = &parsed.front.fields;
    let name = match &fields.name {
        Some(name) if !name.value.trim().is_empty() => name.value.trim().to_owned(),
        _ if declared.is_none() => {
            let path = source.path.as_str();
            path.strip_suffix(".md").unwrap_or(path).to_owned()
        }
        _ => category.strip_prefix(stem).to_owned(),
    };
    let of_overlay = || (layer.kind == LayerKind::Platform).then(|| layer.name.clone()).flatten();
    if let Some(field) = &fields.name {
        found.extend(security::name::of_field(field));
    }
    let platform = match (&fields.platform, category) {
        (Some(platform), _) => Some(platform.value.clone()),
        (None, Category::Platform) => of_overlay().or_else(|| Some(name.clone())),
        (None, _) => None,
    };
    Some(Document {
        file: member.file,
        layer: member.layer,
        kind: if member.role.is_some() { LayerKind::Role } else { layer.kind },
        id: ContextId {
            role: member.role.clone(),
            ..ContextId::new(category, Visible(&name).code())
        },
        body: Span::new(member.file, parsed.body, source.text.len()),
        may_include: include::may_have_directives(&source.text),
        front: Arc::new(parsed.front),
        platform,
    })
}

pub(crate) fn id_of_path(
    path: &Utf8Path,
    folder: Option<Category>,
    layer: &Layer,
) -> Option<ContextId> {
    let stem = path.file_stem()?;
    let category = folder.or_else(|| implied(stem, layer))?;
    Some(ContextId::new(category, Visible(category.strip_prefix(stem)).code()))
}

fn implied(stem: &str, layer: &Layer) -> Option<Category> {
    let by_name = Category::from_prefix(stem).map(|(category, _)| category);
    by_name.or((layer.kind == LayerKind::Platform).then_some(Category::Platform))
}

fn is_elsewhere(path: &Utf8Path) -> bool {
    path.parent().is_none_or(|folder| folder.components().all(|part| part.as_str() != "contexts"))
}

fn category(
    sources: &SourceMap,
    layer: &Layer,
    member: &Member,
    front: &FrontMatter,
    found: &mut Vec<Diagnostic>,
) -> Option<Category> {
    let field = front.fields.category.as_ref();
    let declared = field.and_then(|field| Category::from_name(&field.value));
    if let Some(field) = field
        && declared.is_none_or(|declared| member.folder.is_some_and(|folder| folder != declared))
    {
        found.push(misplaced(field, declared, member.folder));
    }
    if member.folder.is_some() {
        return member.folder;
    }
    let source = sources.get(member.file);
    let stem = source.path.file_stem().unwrap_or_default();
    let category = declared.or_else(|| implied(stem, layer));
    let is_flat = source.path.parent().and_then(Utf8Path::file_name) == Some("contexts");
    let is_custom = layer.kind == LayerKind::Custom && !is_elsewhere(&source.path);
    if category.is_none() && (is_flat || is_custom) {
        let at = Span::start_of(member.file);
        found.push(
            missing_category::RULE.at(at, "this context has no category")
                .help("move it into a category's folder, add `category:` to its front matter or give its name a category's prefix"),
        );
    }
    category
}

fn misplaced(
    field: &Spanned<String>,
    declared: Option<Category>,
    folder: Option<Category>,
) -> Diagnostic {
    let (name, span) = (&field.value, field.span);
    let names = CATEGORIES.iter().map(|row| row.name);
    match (declared, folder) {
        (Some(declared), Some(folder)) => {
            let message = format!(
                "category `{declared}` does not match the folder `{}`",
                folder.row().directory
            );
            category_mismatch::RULE
                .at(span, message)
                .help(format!("the folder decides: write `{folder}`, or move the file"))
                .fix(span, folder.to_string())
        }
        (_, Some(folder)) => unknown_category::RULE
            .at(span, format!("unknown category `{name}`"))
            .exceptional()
            .help(format!("the folder decides: write `{folder}`, or give the field another name")),
        (_, None) => {
            let help = suggest::help(
                suggest::closest(name, names.clone()),
                format!("write one of {}", names.collect::<Vec<_>>().join(", ")),
            );
            unknown_category::RULE.at(span, format!("unknown category `{name}`")).help(help)
        }
    }
}
