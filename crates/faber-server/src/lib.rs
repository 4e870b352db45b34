//! Protocols: the Model Context Protocol and hooks for agents, the Language Server Protocol for
//! editors.

pub mod ends;
pub mod hook;
pub mod lsp;
pub mod serve;
