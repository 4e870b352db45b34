//! `faber schema`.

use crate::cli::args::Schema;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

/// Schemas by format. Deriving them at run time would enlarge the program by a megabyte.
const SCHEMAS: &[(&str, &str)] = &[
    #[cfg(feature = "store")]
    ("audit-report", include_str!("../../docs/schemas/audit-report.json")),
    ("bundle", include_str!("../../docs/schemas/bundle.json")),
    ("catalog", include_str!("../../docs/schemas/catalog.json")),
    ("config", include_str!("../../docs/schemas/config.json")),
    ("config-file", include_str!("../../docs/schemas/config-file.json")),
    ("decide", include_str!("../../docs/schemas/decide.json")),
    ("diff", include_str!("../../docs/schemas/diff.json")),
    ("encoder", include_str!("../../docs/schemas/encoder.json")),
    ("evidence", include_str!("../../docs/schemas/evidence.json")),
    ("expand", include_str!("../../docs/schemas/expand.json")),
    ("explain", include_str!("../../docs/schemas/explain.json")),
    ("export", include_str!("../../docs/schemas/export.json")),
    ("extract", include_str!("../../docs/schemas/extract.json")),
    ("findings", include_str!("../../docs/schemas/findings.json")),
    #[cfg(feature = "store")]
    ("forgotten", include_str!("../../docs/schemas/forgotten.json")),
    ("graph", include_str!("../../docs/schemas/graph.json")),
    ("hook-replay", include_str!("../../docs/schemas/hook-replay.json")),
    ("hook-status", include_str!("../../docs/schemas/hook-status.json")),
    ("import", include_str!("../../docs/schemas/import.json")),
    ("index", include_str!("../../docs/schemas/index.json")),
    ("list", include_str!("../../docs/schemas/list.json")),
    ("lock", include_str!("../../docs/schemas/lock.json")),
    ("pack-publish", include_str!("../../docs/schemas/pack-publish.json")),
    ("pack-report", include_str!("../../docs/schemas/pack-report.json")),
    ("pack-update", include_str!("../../docs/schemas/pack-update.json")),
    ("packs", include_str!("../../docs/schemas/packs.json")),
    ("query", include_str!("../../docs/schemas/query.json")),
    ("remember", include_str!("../../docs/schemas/remember.json")),
    ("report", include_str!("../../docs/schemas/report.json")),
    ("review", include_str!("../../docs/schemas/review.json")),
    ("rules", include_str!("../../docs/schemas/rules.json")),
    ("search", include_str!("../../docs/schemas/search.json")),
    ("show", include_str!("../../docs/schemas/show.json")),
    ("stats", include_str!("../../docs/schemas/stats.json")),
    #[cfg(feature = "store")]
    ("store", include_str!("../../docs/schemas/store.json")),
    ("suggest", include_str!("../../docs/schemas/suggest.json")),
    ("test", include_str!("../../docs/schemas/test.json")),
    ("tokens", include_str!("../../docs/schemas/tokens.json")),
    ("trial", include_str!("../../docs/schemas/trial.json")),
    ("trial-results", include_str!("../../docs/schemas/trial-results.json")),
    ("tune", include_str!("../../docs/schemas/tune.json")),
];

pub(crate) fn text(name: &str) -> Result<&'static str, Error> {
    let found = SCHEMAS.iter().find(|(known, _)| *known == name);
    let known = SCHEMAS.iter().map(|(name, _)| *name);
    Ok(found.ok_or_else(|| Error::unknown("format", name, known))?.1)
}

pub(crate) fn run(args: &Schema, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match &args.name {
        Some(name) => streams.print(text(name)?)?,
        None => {
            for (name, _) in SCHEMAS {
                streams.print(&format!("{name}\n"))?;
            }
        }
    }
    Ok(ExitStatus::Done)
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, Schema as JsonSchemaDocument};
    use serde::Serialize;

    use super::*;
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
    use faber_core::packs::lock;
    use faber_lint::testing::data::TestData;
    use faber_lint::trial::evidence::Evidence;
    use faber_lint::trial::plan::TrialPlan;
    use faber_output::json::BundleData;
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
    #[derive(Serialize, JsonSchema)]
    struct ConfigData {
        /// `faber.config/1`.
        schema: &'static str,
        /// Every value in force, by key.
        values: Vec<ConfigValue>,
    }

    /// One value of the configuration.
    #[derive(Serialize, JsonSchema)]
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
    #[derive(Serialize, JsonSchema)]
    struct ConfigOrigin {
        /// A file, or `built-in defaults`, `environment` or `command line`.
        path: String,
        /// The line in that file.
        line: Option<usize>,
    }

    type SchemaRow = (&'static str, fn() -> JsonSchemaDocument);

    const GENERATORS: &[SchemaRow] = &[
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

    /// For serialization: fields that are omitted when empty are not required.
    fn written<T: JsonSchema>() -> JsonSchemaDocument {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
    }

    fn read(schema: serde_json::Value) -> JsonSchemaDocument {
        JsonSchemaDocument::try_from(schema).expect("a schema is an object")
    }

    /// `UPDATE_SCHEMAS=1 cargo test` writes them.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "it compares and writes files of the repository")]
    fn the_committed_schemas_are_those_of_the_types() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
        let names = |row: &(&'static str, &str)| row.0;
        let known: Vec<&str> = SCHEMAS.iter().map(names).collect();
        assert_eq!(known, GENERATORS.iter().map(|row| row.0).collect::<Vec<_>>());
        for (name, generate) in GENERATORS {
            let path = folder.join(format!("{name}.json"));
            let schema = serde_json::to_string_pretty(&generate()).unwrap() + "\n";
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                std::fs::write(&path, &schema).unwrap();
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == schema, "{} is old: run with UPDATE_SCHEMAS=1", path.display());
        }
    }
}
