//! The data format of graphs. Field names are stable.

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

faber_core::named_enum! {
    /// The kind of a node.
    pub enum NodeKind {
        /// A role.
        Role = "role",
        /// A task.
        Task = "task",
        /// A flow.
        Flow = "flow",
        /// A layer with a document.
        Layer = "layer",
        /// A context.
        Context = "context",
        /// An included file that is not a context.
        File = "file",
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
    /// The layer, or the highest layer of a context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerKind>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why a context is not used; none if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Why>,
}

faber_core::named_enum! {
    /// How two nodes are related.
    pub enum EdgeKind {
        /// A layer of a role.
        Layer = "layer",
        /// A layer has the lowest document of a context.
        Defines = "defines",
        /// A layer has an overlay of a context.
        Overlays = "overlays",
        /// A role extends a role; or a layer has a document under another name that extends a context.
        Extends = "extends",
        /// A prompt has a rule with keywords.
        Keyword = "keyword",
        /// A prompt has a rule with errors.
        Error = "error",
        /// A prompt has a rule with platforms.
        Platform = "platform",
        /// A context names another one as related.
        Related = "related",
        /// A text includes another one.
        Include = "include",
        /// A text names another one.
        Link = "link",
        /// Another context replaces it.
        SupersededBy = "superseded-by",
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
