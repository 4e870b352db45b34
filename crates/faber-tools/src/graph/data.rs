//! The data format of graphs. Field names are a promise to programs.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::category::Category;
use faber_core::layer::LayerKind;
use faber_core::resolve::view::Why;

/// `faber graph --format json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphData {
    /// `faber.graph/1`.
    pub schema: &'static str,
    /// The role of the view; none for all roles.
    pub role: Option<String>,
    /// The nodes, by kind and id.
    pub nodes: Vec<NodeData>,
    /// The edges, by their ends and kind. Both ends are nodes.
    pub edges: Vec<EdgeData>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// A role.
    Role,
    /// A task.
    Task,
    /// A flow.
    Flow,
    /// A layer with a document.
    Layer,
    /// A context.
    Context,
    /// An included file that is not a context.
    File,
}

impl NodeKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Role => "role",
            Self::Task => "task",
            Self::Flow => "flow",
            Self::Layer => "layer",
            Self::Context => "context",
            Self::File => "file",
        }
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeData {
    /// `role:NAME`, `layer:FOLDER`, `category/name`, `task/NAME`, `flow/NAME` or `file:PATH`. In a graph
    /// of all roles, what one role alone has begins with `@role:NAME/`.
    pub id: String,
    /// Its kind.
    pub kind: NodeKind,
    /// Its name in a drawing.
    pub label: String,
    /// Its path from the workspace root: a folder, or the lowest file of a context.
    pub path: String,
    /// The category of a context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Of a layer, or the highest layer of a context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerKind>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why a context is not used; none if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Why>,
}

/// How two nodes are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// A layer of a role.
    Layer,
    /// A layer has the lowest document of a context.
    Defines,
    /// A layer has an overlay of a context.
    Overlays,
    /// A role extends a role; or a layer has a document under another name that extends a context.
    Extends,
    /// A prompt has a rule with keywords.
    Keyword,
    /// A prompt has a rule with errors.
    Error,
    /// A prompt has a rule with platforms.
    Platform,
    /// A context names another one as related.
    Related,
    /// A text includes another one.
    Include,
    /// A text names another one.
    Link,
    /// Another context replaces it.
    SupersededBy,
}

impl EdgeKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Defines => "defines",
            Self::Overlays => "overlays",
            Self::Extends => "extends",
            Self::Keyword => "keyword",
            Self::Error => "error",
            Self::Platform => "platform",
            Self::Related => "related",
            Self::Include => "include",
            Self::Link => "link",
            Self::SupersededBy => "superseded-by",
        }
    }
}

/// An edge. There is one for each kind between the same two nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeData {
    /// The id of the referring node.
    pub from: String,
    /// The id of the target node.
    pub to: String,
    /// How they are related.
    pub kind: EdgeKind,
    /// The terms of a rule, or the strategy of an overlay that names one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// `path:line` of the first reference; a path alone for whole files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}
