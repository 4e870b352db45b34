//! Arguments of search commands.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueHint};

use super::common::{CONTEXT, DataArgs, DataFormat, ROLE, ViewArgs};
#[cfg(feature = "store")]
use super::store::SharedArgs;
use crate::cli::values;
use faber_core::category::{CATEGORIES, Category};
use faber_core::config::{Abstraction, Freshness, Purpose, SearchMode};
use faber_tools::query::expand::Include;
use faber_tools::search::scope::Scope;

#[derive(Clone, Debug, Args)]
pub struct LookupArgs {
    /// The role; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Use only contexts of this scope
    #[arg(short, long, value_parser = values::parser(Scope::WORDS), default_value = "all")]
    pub scope: Scope,
    /// How to check whether files have changed; default: `search.freshness`
    #[arg(long, value_parser = values::parser(Freshness::WORDS))]
    pub freshness: Option<Freshness>,
    #[command(flatten)]
    pub view: ViewArgs,
    #[cfg(feature = "store")]
    #[command(flatten)]
    pub shared: SharedArgs,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Words, an identifier or a question; `-` reads standard input
    #[arg(value_name = "QUERY")]
    pub question: Vec<String>,
    /// Only contexts of this category
    #[arg(long, value_name = "NAME", value_parser = values::suggested(category, category_names()))]
    pub category: Option<Category>,
    /// Maximum number of results, 1 to 50; default: `search.limit`, which is 5
    #[arg(short = 'n', long, value_parser = values::limit, allow_negative_numbers = true)]
    pub limit: Option<u8>,
    /// Search by words, meaning or both; default: `search.mode`
    #[arg(long, value_parser = values::parser(SearchMode::WORDS))]
    pub mode: Option<SearchMode>,
    /// Combine the passages of a text into one result
    #[arg(long)]
    pub group: bool,
    /// Print only the first N characters of each text (default: `previews` of the configuration)
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = preview)]
    pub preview: Option<Option<usize>>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    #[command(flatten)]
    pub place: LookupArgs,
}

/// Otherwise, `--preview` would take the first word of a query.
fn preview(text: &str) -> Result<usize, String> {
    let help = "not a number of characters; without one, write `--preview` after the query";
    text.parse().map_err(|_| help.to_owned())
}

pub(super) fn category(text: &str) -> Result<Category, String> {
    Category::from_name(text)
        .or_else(|| Category::from_directory(text))
        .ok_or_else(|| format!("available: {}", category_names().join(", ")))
}

pub(super) fn category_names() -> Vec<&'static str> {
    CATEGORIES.iter().map(|row| row.name).collect()
}

#[derive(Debug, Args)]
pub struct Expand {
    /// An id from `search`, `query` or the catalog
    #[arg(value_hint = CONTEXT)]
    pub id: String,
    /// What to print
    #[arg(long, value_parser = values::parser(Include::WORDS), value_delimiter = ',', default_value = "detail")]
    pub include: Vec<Include>,
    /// Maximum tokens of all texts together
    #[arg(long, alias = "budget", value_name = "N", value_parser = values::tokens::<u64>, allow_negative_numbers = true)]
    pub max_tokens: Option<u64>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    #[command(flatten)]
    pub place: LookupArgs,
}

#[derive(Clone, Debug, Args)]
pub struct CatalogArgs {
    /// List the contexts that are most relevant to this request first; `-` reads standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub request: Option<String>,
    /// Maximum tokens of the catalog as text
    #[arg(long, alias = "budget", value_name = "N", default_value_t = 1000, value_parser = values::tokens::<usize>, allow_negative_numbers = true)]
    pub max_tokens: usize,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    #[command(flatten)]
    pub place: LookupArgs,
}

#[derive(Debug, Args)]
pub struct IndexCommand {
    /// What to do (searches update the index automatically)
    #[arg(value_enum, default_value_t = IndexWhat::Status)]
    pub what: IndexWhat,
    /// The role; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum IndexWhat {
    /// Bring the index up to date, as each search does, and print its size
    Status,
    /// Rebuild the index
    Build,
    /// Remove the index
    Clear,
}

#[derive(Debug, Subcommand)]
pub enum EncoderCommand {
    /// Convert a model and use it: all-MiniLM-L6-v2, or another small uncased BERT
    Add {
        /// A wheel with the model, a directory, or its `model.safetensors`
        #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
        source: Utf8PathBuf,
    },
    /// Show the encoder
    List {
        /// The output format
        #[arg(short, long, value_enum, default_value_t)]
        format: DataFormat,
    },
    /// Remove the encoder
    Remove,
}

#[derive(Debug, Args)]
pub struct QueryArgs {
    /// The question; `-` reads standard input
    #[arg(value_name = "TEXT")]
    pub question: Vec<String>,
    /// The purpose of the answer; default: `query.purpose`, which is `answer`
    #[arg(long, value_parser = values::parser(Purpose::WORDS))]
    pub purpose: Option<Purpose>,
    /// Maximum tokens of the answer as Markdown; default: `query.max_tokens`, which is 2000
    #[arg(long, alias = "budget", value_name = "N", value_parser = values::tokens::<usize>, allow_negative_numbers = true)]
    pub max_tokens: Option<usize>,
    /// Stop when the answer has this many tokens; default: the maximum
    #[arg(long, value_name = "N", value_parser = values::target_tokens, allow_negative_numbers = true)]
    pub target_tokens: Option<usize>,
    /// The level of detail; default: `query.abstraction`, which is `adaptive`
    #[arg(long, value_parser = values::parser(Abstraction::WORDS))]
    pub abstraction: Option<Abstraction>,
    /// Print the sources of each passage
    #[arg(long)]
    pub derivations: bool,
    /// Print what contradicts each passage
    #[arg(long)]
    pub contradictions: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: QueryFormat,
    #[command(flatten)]
    pub place: LookupArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum QueryFormat {
    /// Text for people
    #[default]
    Human,
    /// JSON for programs
    Json,
    /// A section for a system prompt
    Markdown,
}
