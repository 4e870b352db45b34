//! Protocols: MCP and hooks for agents, LSP for editors.

pub mod hook;
pub mod lsp;
pub mod serve;
pub mod stdio;
