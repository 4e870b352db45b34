//! What can be typed to find something.

use clap::Args;

use super::{DataFormat, ROLE, ViewArgs};
use crate::cli::values;
use faber_core::category::Category;
use faber_core::config::Abstraction;
use faber_core::config::Purpose;
use faber_core::config::{Freshness, SearchMode};
use faber_tools::query::expand::Include;
use faber_tools::search::scope::Scope;

/// Where to look, for whom, and how closely to look whether the index is up to date.
#[derive(Clone, Debug, Args)]
pub struct Place {
    /// The role; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Look only there
    #[arg(short, long, value_parser = values::scope(), default_value = "all")]
    pub scope: Scope,
    /// How closely to look whether files have changed; default: `search.freshness`
    #[arg(long, value_parser = values::freshness())]
    pub freshness: Option<Freshness>,
    /// The viewer: user, date, platform and other conditions.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `faber search`.
#[derive(Debug, Args)]
pub struct Search {
    /// What to look for: words, an identifier, a question
    #[arg(value_name = "QUERY")]
    pub question: Vec<String>,
    /// Only contexts of this category
    #[arg(long, value_name = "NAME", value_parser = category)]
    pub category: Option<Category>,
    /// The most results, 1 to 10; default: `search.limit`, which is 5
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub limit: Option<u8>,
    /// What counts: words, meaning or both; default: `search.mode`
    #[arg(long, value_parser = values::mode())]
    pub mode: Option<SearchMode>,
    /// Print only the first N characters of each text (default 200)
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "200", require_equals = true)]
    pub preview: Option<usize>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// Where to look, for whom.
    #[command(flatten)]
    pub place: Place,
}

fn category(text: &str) -> Result<Category, String> {
    Category::from_name(text).or_else(|| Category::from_directory(text)).ok_or_else(|| {
        let names = faber_core::category::CATEGORIES.iter().map(|row| row.name);
        format!("there is {}", names.collect::<Vec<_>>().join(", "))
    })
}

/// `faber expand`.
#[derive(Debug, Args)]
pub struct Expand {
    /// What to print: an id as `search`, `query` and the catalog give it
    pub id: String,
    /// What of it
    #[arg(long, value_parser = values::include(), value_delimiter = ',', default_value = "detail")]
    pub include: Vec<Include>,
    /// The most tokens of all texts together
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// Where to look, for whom.
    #[command(flatten)]
    pub place: Place,
}

/// `faber catalog`.
#[derive(Debug, Args)]
pub struct Catalog {
    /// What is going to be done; what has most to do with it is named first
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub request: Option<String>,
    /// The most tokens of the catalog as text
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_tokens: usize,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// Where to look, for whom.
    #[command(flatten)]
    pub place: Place,
}

/// `faber index`.
#[derive(Debug, Args)]
pub struct IndexCommand {
    /// What to do; a search does all of it by itself
    #[arg(value_enum, default_value_t = IndexWhat::Status)]
    pub what: IndexWhat,
    /// The role; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// The viewer: user, date, platform and other conditions.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// What to do with the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum IndexWhat {
    /// Bring it up to date, and say what it has
    Status,
    /// Rebuild it
    Build,
    /// Remove it
    Clear,
}

/// `faber query`.
#[derive(Debug, Args)]
pub struct Query {
    /// What one wants to know
    #[arg(value_name = "TEXT")]
    pub question: Vec<String>,
    /// What for; default: `query.purpose`, which is `answer`
    #[arg(long, value_parser = values::purpose())]
    pub purpose: Option<Purpose>,
    /// The most tokens of the answer as Markdown; default: `query.max_tokens`, which is 2000
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// The number of tokens that is enough; default: the maximum
    #[arg(long, value_name = "N")]
    pub target_tokens: Option<usize>,
    /// How detailed; default: `query.abstraction`, which is `adaptive`
    #[arg(long, value_parser = values::abstraction())]
    pub abstraction: Option<Abstraction>,
    /// Say what each belief is derived from
    #[arg(long)]
    pub derivations: bool,
    /// Say what contradicts each belief
    #[arg(long)]
    pub contradictions: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: QueryFormat,
    /// Where to look, for whom.
    #[command(flatten)]
    pub place: Place,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum QueryFormat {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
    /// A section for a system prompt
    Markdown,
}
