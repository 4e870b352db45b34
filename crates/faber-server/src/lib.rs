//! Protocols: MCP and hooks for agents, LSP for editors.

pub mod ends;
pub mod hook;
pub mod lsp;
pub mod serve;
