//! `faber schema`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema as JsonSchemaDocument};
use serde::Serialize;

use crate::cli::args::Schema;
use crate::commands::catalog::CatalogData;
use crate::commands::diff::DiffData;
use crate::commands::encoder::EncoderData;
use crate::commands::export::ExportData;
use crate::commands::hook::replay::HookReplayData;
use crate::commands::hook::status::HookStatusData;
use crate::commands::import::ImportData;
use crate::commands::index::IndexData;
use crate::commands::list::ListData;
use crate::commands::pack::effects::PackUpdateData;
use crate::commands::pack::list::PackListData;
use crate::commands::pack::publish::PackPublishData;
use crate::commands::pack::report::PackReportData;
use crate::commands::rules::RulesData;
use crate::commands::search::SearchData;
use crate::commands::show::ShowData;
#[cfg(feature = "store")]
use crate::commands::store::audit::AuditReportData;
#[cfg(feature = "store")]
use crate::commands::store::manage::{ForgottenData, StoreStatusData};
use crate::commands::suggest::SuggestData;
use crate::commands::tokens::TokensData;
use crate::commands::trial::TrialData;
use crate::commands::tune::TuneData;
use crate::emit::format::json::FindingsData;
use faber_core::assemble::figures::Figures;
use faber_core::config;
use faber_core::error::Error;
use faber_core::packs::lock;
use faber_lint::testing::data::TestData;
use faber_lint::trial::evidence::Evidence;
use faber_lint::trial::plan::TrialPlan;
use faber_output::json::BundleData;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::audit::figures::StatsData;
use faber_tools::explain::data::ExplainData;
use faber_tools::graph::data::GraphData;
use faber_tools::memory::decide::DecideData;
use faber_tools::memory::extract::ExtractData;
use faber_tools::memory::remember::RememberData;
use faber_tools::memory::review::ReviewData;
use faber_tools::query::data::QueryData;
use faber_tools::query::expand::ExpandData;

/// `faber config show --format json`.
#[derive(Debug, Serialize, JsonSchema)]
struct ConfigData {
    /// `faber.config/1`.
    schema: &'static str,
    /// Every value in force, by key.
    values: Vec<ConfigValue>,
}

/// One value of the configuration.
#[derive(Debug, Serialize, JsonSchema)]
struct ConfigValue {
    /// Its dotted key.
    key: String,
    /// The value; secrets are redacted.
    value: serde_json::Value,
    /// Where it comes from, with `--origin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<ConfigOrigin>,
}

/// Where a value comes from.
#[derive(Debug, Serialize, JsonSchema)]
struct ConfigOrigin {
    /// A file, or `built-in defaults`, `environment` or `command line`.
    path: String,
    /// The line in that file.
    line: Option<usize>,
}

/// The name of a format with the generator of its schema.
type SchemaRow = (&'static str, fn() -> JsonSchemaDocument);

pub const SCHEMAS: &[SchemaRow] = &[
    #[cfg(feature = "store")]
    ("audit-report", written::<AuditReportData>),
    ("bundle", written::<BundleData>),
    ("catalog", written::<CatalogData>),
    ("config", written::<ConfigData>),
    ("config-file", || read(config::json_schema())),
    ("decide", written::<DecideData>),
    ("diff", written::<DiffData>),
    ("encoder", written::<EncoderData>),
    ("evidence", written::<Evidence>),
    ("expand", written::<ExpandData>),
    ("explain", written::<ExplainData>),
    ("export", written::<ExportData>),
    ("extract", written::<ExtractData>),
    ("findings", written::<FindingsData>),
    #[cfg(feature = "store")]
    ("forgotten", written::<ForgottenData>),
    ("graph", written::<GraphData>),
    ("hook-replay", written::<HookReplayData>),
    ("hook-status", written::<HookStatusData>),
    ("import", written::<ImportData>),
    ("index", written::<IndexData>),
    ("list", written::<ListData>),
    ("lock", || read(lock::json_schema())),
    ("pack-publish", written::<PackPublishData>),
    ("pack-report", written::<PackReportData>),
    ("pack-update", written::<PackUpdateData>),
    ("packs", written::<PackListData>),
    ("query", written::<QueryData>),
    ("remember", written::<RememberData>),
    ("report", written::<Figures>),
    ("review", written::<ReviewData>),
    ("rules", written::<RulesData>),
    ("search", written::<SearchData>),
    ("show", written::<ShowData>),
    ("stats", written::<StatsData>),
    #[cfg(feature = "store")]
    ("store", written::<StoreStatusData>),
    ("suggest", written::<SuggestData>),
    ("test", written::<TestData>),
    ("tokens", written::<TokensData>),
    ("trial", written::<TrialPlan>),
    ("trial-results", written::<TrialData>),
    ("tune", written::<TuneData>),
];

/// Serialization: a field that is left out when empty is not required.
fn written<T: JsonSchema>() -> JsonSchemaDocument {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The schema of a file that faber reads.
fn read(schema: serde_json::Value) -> JsonSchemaDocument {
    JsonSchemaDocument::try_from(schema).expect("a schema is an object")
}

/// The schema of a format, as text.
///
/// # Errors
///
/// [`Error::Unknown`] for an unknown format.
///
/// # Panics
///
/// Never: a schema has text keys only.
pub fn text(name: &str) -> Result<String, Error> {
    let found = SCHEMAS.iter().find(|(known, _)| *known == name);
    let known = SCHEMAS.iter().map(|(name, _)| *name);
    let (_, schema) = found.ok_or_else(|| Error::unknown("format", name, known))?;
    let text = serde_json::to_string_pretty(&schema()).expect("a schema has text keys only");
    Ok(text + "\n")
}

/// # Errors
///
/// As [`text`].
pub fn run(args: &Schema, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match &args.name {
        Some(name) => streams.print(&text(name)?)?,
        None => {
            for (name, _) in SCHEMAS {
                streams.print(&format!("{name}\n"))?;
            }
        }
    }
    Ok(ExitStatus::Done)
}
