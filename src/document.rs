//! One context file of one layer, parsed.

use camino::Utf8PathBuf;

use crate::category::Category;
use crate::diagnostic::Diagnostic;
use crate::layer::LayerKind;
use crate::parse::frontmatter::{self, FrontMatter};
use crate::resolve::view::View;
use crate::source::{FileId, SourceMap, Span};

/// The identity of a context: `category/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId {
    /// Its category; ids sort by the category table first.
    pub category: Category,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for ContextId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.category, self.name)
    }
}

impl ContextId {
    /// Reads `category/name`.
    pub fn parse(text: &str) -> Option<Self> {
        let (category, name) = text.split_once('/')?;
        let category = Category::from_name(category)?;
        (!name.is_empty()).then(|| Self { category, name: name.to_owned() })
    }
}

impl serde::Serialize for ContextId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One place that contexts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Which step of the cascade.
    pub kind: LayerKind,
    /// The role, platform, team, workflow or user; none for the project and the organization.
    pub name: Option<String>,
    /// The folder that holds `contexts/`, from the workspace root; empty for the root itself.
    pub folder: Utf8PathBuf,
}

impl Layer {
    /// The folder that `/contexts/…` means in files of this layer, when that is a role's.
    pub fn role_root(&self) -> Option<&camino::Utf8Path> {
        (self.kind == LayerKind::Role).then_some(&*self.folder)
    }
}

/// A file that was found in a layer and read.
#[derive(Clone, Debug)]
pub struct Member {
    /// The file.
    pub file: FileId,
    /// Its layer, as an index into the layers of the run.
    pub layer: usize,
    /// The category of the folder that it lies in.
    pub folder: Option<Category>,
}

/// A parsed context file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub file: FileId,
    /// Its layer, as an index into the layers of the run.
    pub layer: usize,
    /// The kind of that layer.
    pub kind: LayerKind,
    /// Its own identity, before `extends` is followed.
    pub id: ContextId,
    /// Its front matter.
    pub front: FrontMatter,
    /// The bytes of its body.
    pub body: Span,
    /// The platform that it belongs to, for platform contexts.
    pub platform: Option<String>,
}

/// Parses one member. `None` when it cannot be told what it is; a finding says so. Nothing is said
/// about a file that `view` may not know of.
pub fn parse(
    sources: &SourceMap,
    layers: &[Layer],
    member: &Member,
    view: &View,
    found: &mut Vec<Diagnostic>,
) -> Option<Document> {
    let layer = &layers[member.layer];
    let mut own = Vec::new();
    let parsed =
        frontmatter::read(sources, member.file, frontmatter::Kind::Context).drain_into(&mut own);
    let source = sources.get(member.file);
    let stem = source.path.file_stem().unwrap_or_default();
    let category = category(sources, layer, member, &parsed.front, &mut own);
    let fields = &parsed.front.fields;
    if view.may_hear_of(fields) {
        found.append(&mut own);
    }
    let category = category?;
    let name = match &fields.name {
        Some(name) if !name.value.trim().is_empty() => name.value.trim().to_owned(),
        _ => category.strip_prefix(stem).to_owned(),
    };
    let of_overlay = || (layer.kind == LayerKind::Platform).then(|| layer.name.clone()).flatten();
    let platform = match (&fields.platform, category) {
        (Some(platform), _) => Some(platform.value.clone()),
        (None, Category::Platform) => of_overlay().or_else(|| Some(name.clone())),
        (None, _) => None,
    };
    Some(Document {
        file: member.file,
        layer: member.layer,
        kind: layer.kind,
        id: ContextId { category, name },
        body: Span::new(member.file, parsed.body, source.text.len()),
        front: parsed.front,
        platform,
    })
}

/// The folder decides; a flat file is told by its front matter, its prefix or its overlay.
fn category(
    sources: &SourceMap,
    layer: &Layer,
    member: &Member,
    front: &FrontMatter,
    found: &mut Vec<Diagnostic>,
) -> Option<Category> {
    let field = front.fields.category.as_ref();
    let declared = field.and_then(|field| Some((Category::from_name(&field.value)?, field.span)));
    if let Some(folder) = member.folder {
        if let Some((category, span)) = declared.filter(|&(category, _)| category != folder) {
            let folder_name = folder.row().directory;
            found.push(
                Diagnostic::error(
                    "category-mismatch",
                    span,
                    format!("a {category} lies in `{folder_name}`"),
                )
                .help(format!("the folder decides: write `{folder}`, or move the file"))
                .fix(span, folder.to_string()),
            );
        }
        return Some(folder);
    }
    let source = sources.get(member.file);
    let stem = source.path.file_stem().unwrap_or_default();
    let by_name = Category::from_prefix(stem).map(|(category, _)| category);
    let by_overlay = (layer.kind == LayerKind::Platform).then_some(Category::Platform);
    let category = declared.map(|(category, _)| category).or(by_name).or(by_overlay);
    if category.is_none() {
        let at = Span::start_of(member.file);
        found.push(
            Diagnostic::error("missing-category", at, "nothing says which category this context is of")
                .help("move it into a category's folder, add `category:` to its front matter or give its name a category's prefix"),
        );
    }
    category
}
