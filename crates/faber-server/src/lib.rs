//! Protocol servers: the Model Context Protocol for agents, the Language Server Protocol for
//! editors.

pub mod ends;
pub mod lsp;
pub mod serve;
