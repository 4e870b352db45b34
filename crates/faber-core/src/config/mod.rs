//! Every source is a file of the [`SourceMap`], so the span of a value is its origin.

mod budget;
mod environment;
mod expand;
pub mod hook;
mod json_schema;
mod merge;
mod models;
pub mod quote;
mod read;
mod scalar;
mod schema;
mod search;
mod secret;
mod servers;
mod shared;
mod show;
mod typed;

pub use budget::{Budget, Limits, Packing, SectionLimits, Sections};
pub use environment::{environment, overrides};
pub(crate) use environment::{names_caller, overrides_as, remove_caller};
pub use expand::{expand, variable_names};
pub use json_schema::json_schema;
pub use merge::{identity, merge};
pub use models::{Model, Models};
pub(crate) use read::read_known;
pub use read::{check, read};
pub use scalar::{Amount, TOO_LARGE, comma_separated};
pub use schema::{
    ConfigSource, DEFAULTS, ENVIRONMENT, is_command_line, is_pseudo, keys_below, words_at,
};
pub use search::{
    Abstraction, Freshness, Purpose, QueryConfig, SearchConfig, SearchMode, Weights, check_search,
};
pub use secret::without_secrets;
pub use servers::{Launch, check_servers, set_launches};
pub use shared::{AuditConfig, AuditLimits, KeepDays, OidcConfig, ServeConfig, StoreConfig};
pub use show::{part, show, show_json, verbatim};
#[cfg(test)]
pub(crate) use typed::ConversationConfig;
pub use typed::{
    AccessConfig, Config, ConfigSettings, Order, Overlays, Previews, PublishConfig,
    SelectionConfig, Semantic, Upfront, typed,
};

use crate::source::SourceMap;
use crate::yaml::{self, Node, YamlCache};

/// # Panics
///
/// Never: a test reads them.
pub fn defaults(sources: &mut SourceMap, known: Option<&YamlCache>) -> Node {
    let file = sources.add(DEFAULTS.into(), include_str!("defaults.yml").to_owned());
    let source = sources.get(file);
    let node = yaml::parse_known(source, file, source.text.len(), known);
    node.expect("the built-in defaults are YAML")
}

#[cfg(test)]
mod testing {
    use super::{Config, ConfigSource, defaults, merge, read, typed};
    use crate::diagnostic::Diagnostic;
    use crate::source::SourceMap;
    use crate::yaml::Node;

    pub(super) const SAMPLE: &str = r#"
platforms: { secret-manager: vault }
settings: { team: "no", organization: "a: b #c\n" }
mcp_servers:
  tracker:
    command: run
    args: [--auth, "${GITHUB_TOKEN}"]
    env: { API_KEY: abc, REGION: 012 }
specialist_config:
  any:
    list: [{ a: 1.10, b: [x, [y, ~]] }, [], {}]
    max_tokens: 5
    secrets: { deep: [s1, s2] }
validate: { rules: { secret: off } }
"#;

    pub(super) fn workspace(text: &str) -> (SourceMap, Node, Vec<Diagnostic>) {
        of_kind(text, ConfigSource::Workspace)
    }

    pub(super) fn of_kind(text: &str, kind: ConfigSource) -> (SourceMap, Node, Vec<Diagnostic>) {
        let mut sources = SourceMap::default();
        let file = sources.add(".faber/config.yml".into(), text.to_owned());
        let read = read(&sources, file, kind);
        (sources, read.value, read.diagnostics)
    }

    pub(super) fn config(text: &str) -> Config {
        let (sources, node) = over_defaults(text);
        typed(&node, &sources)
    }

    pub(super) fn over_defaults(text: &str) -> (SourceMap, Node) {
        let (mut sources, node, found) = workspace(text);
        assert_eq!(found, []);
        let base = defaults(&mut sources, None);
        (sources, merge(base, node))
    }

    pub(super) fn rules<'a>(
        sources: &'a SourceMap,
        found: &[Diagnostic],
    ) -> Vec<(&'static str, &'a str)> {
        found.iter().map(|one| (one.code(), sources.text(one.primary.span))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_sound() {
        let mut sources = SourceMap::default();
        let node = defaults(&mut sources, None);
        let file = sources.find(DEFAULTS.into()).unwrap();
        let checked = read(&sources, file, ConfigSource::Workspace);
        assert_eq!((checked.diagnostics, &checked.value), (Vec::new(), &node));
        assert_eq!(node.get("roles").and_then(Node::items).map(<[_]>::len), Some(2));
    }
}
