//! JSON of bundles and diagnostics. Field names are a stable interface.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Loaded;
use faber_core::assemble::figures::Figures;
use faber_core::assemble::needs::McpNeed;
use faber_core::budget::extract;
use faber_core::budget::level::{Level, Section};
use faber_core::category::Category;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::layer::LayerKind;
use faber_core::render::block::{BundleBlock, bundle_lines, text_of};
use faber_core::render::catalog::Scope;
use faber_core::resolve::catalog::{Context, Excluded, content_hash};
use faber_core::select::reason::Reason;
use faber_core::source::SourceMap;
use faber_core::strategy::Strategy;
use faber_core::tokens;

/// `faber assemble --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BundleData {
    /// `faber.bundle/1`.
    pub schema: &'static str,
    /// The role.
    pub role: String,
    /// The active platform.
    pub platform: Option<String>,
    /// The active team.
    pub team: Option<String>,
    /// The request.
    pub request: String,
    /// Contexts in the bundle, in order.
    pub contexts: Vec<ContextData>,
    /// Catalogued contexts.
    pub catalogued: Vec<CataloguedData>,
    /// Unused contexts and documents.
    pub excluded: Vec<Excluded>,
    /// Findings.
    pub findings: Vec<FindingData>,
    /// MCP servers and tools that the loaded contexts need.
    pub mcp: Vec<McpNeed>,
    /// The text that `--format markdown` prints.
    pub bundle: String,
    /// The figures.
    pub report: Figures,
}

/// `faber assemble --report json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportData<'a> {
    /// `faber.report/1`.
    schema: &'static str,
    #[serde(flatten)]
    figures: &'a Figures,
}

pub fn report(figures: &Figures) -> ReportData<'_> {
    ReportData { schema: "faber.report/1", figures }
}

/// A context that is in the bundle.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContextData {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its category.
    pub category: Category,
    /// Always `selected`.
    pub state: &'static str,
    /// Its level of detail.
    pub level: Level,
    /// Whose budget it takes.
    pub section: Section,
    /// Its tokens in the bundle, including faber's line above it.
    pub tokens: usize,
    /// The tokens of its full text.
    pub full_tokens: usize,
    /// Its priority in the budget, 1 is highest.
    pub priority: i64,
    /// Whether it is required.
    pub required: bool,
    /// Why it is selected.
    pub reasons: Vec<Reason>,
    /// The layers that contribute, lowest first.
    pub layers: Vec<LayerKind>,
    /// The documents that contribute, lowest first.
    pub sources: Vec<SourceData>,
    /// BLAKE3 of its full text.
    pub content_hash: String,
    /// First and last line in `bundle`, from 1.
    pub bundle_lines: [usize; 2],
    /// Its text at this level.
    pub text: String,
    /// Its front matter, merged.
    pub front_matter: serde_json::Value,
}

/// A document that contributes to a context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceData {
    /// From the workspace root.
    pub path: String,
    /// Its layer.
    pub layer: LayerKind,
    /// How it was combined with lower layers.
    pub strategy: Option<Strategy>,
}

/// A catalogued context.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CataloguedData {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its category.
    pub category: Category,
    /// Its scope.
    pub scope: Scope,
    /// Its size, estimated.
    pub tokens: usize,
    /// Always true: see `tokens`.
    pub estimated: bool,
    /// Its description.
    pub essence: String,
    /// Why it was selected and did not fit, or why it is suggested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingData {
    /// The rule.
    pub rule: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// The file, from the workspace root.
    pub path: String,
    /// First line, from 1.
    pub line: usize,
    /// First column in characters, from 1.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// Column after the last character.
    pub end_column: usize,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Further places.
    pub related: Vec<RelatedData>,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether there is a safe fix.
    pub fixable: bool,
}

/// A further place of a finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedData {
    /// The file, from the workspace root.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The message at this place.
    pub message: String,
}

pub fn finding(diagnostic: &Diagnostic, sources: &SourceMap) -> FindingData {
    let span = diagnostic.primary.span;
    let file = sources.get(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    let related = diagnostic.related.iter().map(|label| {
        let file = sources.get(label.span.file);
        let position = file.position(label.span.start);
        RelatedData {
            path: file.path.to_string(),
            line: position.line,
            column: position.column,
            message: label.message.clone(),
        }
    });
    FindingData {
        rule: diagnostic.code(),
        severity: diagnostic.severity(),
        message: diagnostic.message.clone(),
        path: file.path.to_string(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        start: span.start,
        end: span.end,
        related: related.collect(),
        help: diagnostic.help.clone(),
        fixable: !diagnostic.fix.is_empty(),
    }
}

pub fn sources_of(context: &Context, sources: &SourceMap) -> Vec<SourceData> {
    let data = context.sources.iter().map(|source| SourceData {
        path: sources.original_path(source.file).to_string(),
        layer: source.layer,
        strategy: source.strategy,
    });
    data.collect()
}

pub fn bundle(assembly: &Assembly, sources: &SourceMap, findings: &[Diagnostic]) -> BundleData {
    let blocks = &assembly.bundle.blocks;
    let lines = bundle_lines(blocks);
    let bundle: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let mut next = 1;
    let starts = blocks.iter().map(|block| {
        next += block.lines.len();
        next - block.lines.len()
    });
    let starts: Vec<usize> = starts.collect();
    let contexts = assembly.bundle.loaded.iter().map(|loaded| {
        let context = &assembly.catalog.contexts[&loaded.id];
        context_data(loaded, context, &blocks[loaded.block], starts[loaded.block], sources)
    });
    let catalogued = assembly.bundle.catalogued.iter().map(|catalogued| {
        let context = &assembly.catalog.contexts[&catalogued.entry.id];
        CataloguedData {
            id: context.id.clone(),
            category: context.id.category,
            scope: catalogued.entry.scope,
            tokens: tokens::estimate(context.body.bytes()),
            estimated: true,
            essence: extract::essence(context, sources),
            reasons: catalogued.reasons.clone(),
        }
    });
    BundleData {
        schema: "faber.bundle/1",
        role: assembly.role.clone(),
        platform: assembly.pack.platform.as_ref().map(|platform| platform.name.clone()),
        team: assembly.pack.view.team(),
        request: assembly.job.request.text.clone(),
        contexts: contexts.collect(),
        catalogued: catalogued.collect(),
        excluded: assembly.bundle.excluded.clone(),
        findings: findings.iter().map(|found| finding(found, sources)).collect(),
        mcp: assembly.bundle.needs.clone(),
        bundle,
        report: assembly.bundle.figures.clone(),
    }
}

fn context_data(
    loaded: &Loaded,
    context: &Context,
    block: &BundleBlock,
    start: usize,
    sources: &SourceMap,
) -> ContextData {
    let whole = context.body.text(sources);
    let text = match loaded.level {
        Level::Detailed => whole.clone(),
        _ => text_of(&block.lines),
    };
    // The empty line after a block belongs to no context.
    let last = start + block.lines.len().saturating_sub(2);
    let cited = |source: SourceData| SourceData {
        path: sources.cited(source.path.as_str().into()).into_string(),
        ..source
    };
    ContextData {
        id: context.id.clone(),
        category: context.id.category,
        state: "selected",
        level: loaded.level,
        section: loaded.section,
        tokens: loaded.tokens,
        full_tokens: loaded.full_tokens,
        priority: loaded.priority,
        required: context.front.fields.required,
        reasons: loaded.reasons.clone(),
        layers: context.layers(),
        sources: sources_of(context, sources).into_iter().map(cited).collect(),
        content_hash: content_hash(&whole),
        bundle_lines: [start, last],
        text,
        front_matter: context.front.node.to_json(),
    }
}
