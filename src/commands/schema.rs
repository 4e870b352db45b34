//! `faber schema`.

use crate::cli::args::Schema;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
#[cfg(test)]
use tests::{read, written};

/// Deriving the schemas at run time would enlarge the program by a megabyte.
macro_rules! schemas {
    ($($(#[$feature:meta])? $name:literal => $generate:expr,)+) => {
        const SCHEMAS: &[(&str, &str)] = &[$(
            $(#[$feature])?
            ($name, include_str!(concat!("../../docs/schemas/", $name, ".json"))),
        )+];

        #[cfg(test)]
        const GENERATORS: &[fn() -> schemars::Schema] = &[$($(#[$feature])? $generate,)+];
    };
}

schemas! {
    #[cfg(feature = "store")]
    "audit-report" => written::<super::store::audit::AuditReportData>,
    "bundle" => written::<faber_output::json::BundleData>,
    "catalog" => written::<super::catalog::CatalogData>,
    "config" => written::<tests::ConfigData>,
    "config-file" => || read(faber_core::config::json_schema()),
    "decide" => written::<faber_tools::memory::decide::DecideData>,
    "diff" => written::<super::diff::DiffData>,
    "encoder" => written::<super::encoder::EncoderData>,
    "evidence" => written::<faber_lint::trial::evidence::Evidence>,
    "expand" => written::<faber_tools::query::expand::ExpandData>,
    "explain" => written::<faber_tools::explain::data::ExplainData>,
    "export" => written::<super::export::ExportData>,
    "extract" => written::<faber_tools::memory::extract::ExtractData>,
    "findings" => written::<crate::emit::format::json::FindingsData>,
    #[cfg(feature = "store")]
    "forgotten" => written::<super::store::manage::ForgottenData>,
    "graph" => written::<faber_tools::graph::data::GraphData>,
    "hook-replay" => written::<super::hook::replay::HookReplayData>,
    "hook-status" => written::<super::hook::status::HookStatusData>,
    "import" => written::<super::import::ImportData>,
    "index" => written::<super::index::IndexData>,
    "list" => written::<super::list::ListData>,
    "lock" => || read(faber_core::packs::lock::json_schema()),
    "pack-publish" => written::<super::pack::publish::PackPublishData>,
    "pack-report" => written::<super::pack::report::PackReportData>,
    "pack-update" => written::<super::pack::effects::PackUpdateData>,
    "packs" => written::<super::pack::list::PackListData>,
    "query" => written::<faber_tools::query::data::QueryData>,
    "remember" => written::<faber_tools::memory::remember::RememberData>,
    "report" => written::<faber_output::json::ReportData<'_>>,
    "review" => written::<faber_tools::memory::review::ReviewData>,
    "rules" => written::<super::rules::RulesData>,
    "search" => written::<super::search::SearchData>,
    "show" => written::<super::show::ShowData>,
    "stats" => written::<faber_session::audit::figures::StatsData>,
    #[cfg(feature = "store")]
    "store" => written::<super::store::manage::StoreStatusData>,
    "suggest" => written::<super::suggest::SuggestData>,
    "test" => written::<faber_lint::testing::data::TestData>,
    "tokens" => written::<super::tokens::TokensData>,
    "trial" => written::<faber_lint::trial::plan::TrialPlan>,
    "trial-results" => written::<super::trial::TrialData>,
    "tune" => written::<super::tune::TuneData>,
}

pub(crate) fn text(name: &str) -> Result<&'static str, Error> {
    let found = SCHEMAS.iter().find(|(known, _)| *known == name);
    Ok(found.ok_or_else(|| Error::unknown("format", name, names()))?.1)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

pub(crate) fn run(args: &Schema, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match &args.schema {
        Some(name) => streams.print(text(name)?)?,
        None => streams.print(&names().flat_map(|name| [name, "\n"]).collect::<String>())?,
    }
    Ok(ExitStatus::Done)
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, Schema};
    use serde::Serialize;

    use super::{GENERATORS, SCHEMAS};

    /// `faber config show --format json`.
    #[derive(Serialize, JsonSchema)]
    pub(super) struct ConfigData {
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

    /// For serialization: fields omitted when empty are not required.
    pub(super) fn written<T: JsonSchema>() -> Schema {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
    }

    pub(super) fn read(schema: serde_json::Value) -> Schema {
        Schema::try_from(schema).expect("a schema is an object")
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "it compares and writes files of the repository")]
    fn the_committed_schemas_are_those_of_the_types() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
        for ((name, _), generate) in SCHEMAS.iter().zip(GENERATORS) {
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
