//! Arguments of `faber new`.

use clap::builder::{EnumValueParser, StringValueParser};
use clap::{Args, ValueEnum};

use super::common::{NAMED, ROLE};
use super::search::category_names;
use crate::cli::values;
use faber_core::category::Category;

#[derive(Debug, Args)]
pub struct New {
    /// What to create
    #[arg(value_parser = values::with_tip(EnumValueParser::<NewKind>::new(), new_context))]
    pub kind: NewKind,
    /// Its name; for an overlay the id of the context to change
    pub name: String,
    /// The category of a context
    #[arg(long, value_name = "NAME", value_parser = values::suggested(StringValueParser::new(), category_names()))]
    pub category: Option<String>,
    /// The role that a context, task, flow or platform belongs to
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// The overlay: organization, platforms/NAME, roles/NAME, teams/NAME, workflows/NAME or users/NAME
    #[arg(long, value_name = "LAYER", value_hint = NAMED)]
    pub layer: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NewKind {
    /// A role with its prompt
    Role,
    /// A context of a category
    Context,
    /// A file that changes a context from a higher layer
    Overlay,
    /// A task of a role
    Task,
    /// A flow of a role
    Flow,
    /// The context of a platform
    Platform,
}

/// Suggests `faber new context` for the name of a category.
fn new_context(name: &str, _: &mut clap::Error) -> Option<String> {
    let is_category = Category::from_name(name).is_some();
    is_category.then(|| format!("write `faber new context NAME --category {name}`"))
}
