mod assemble_prompt;
mod expand_context;
mod get_context;
mod get_context_details;
mod list_contexts;
mod list_roles;
mod propose_change;
mod remember;
mod schemas;
mod search_context;
mod tool;

pub(crate) use assemble_prompt::assembled;
pub use tool::Tool;

use crate::serve::state::ServerState;

pub const TOOLS: [Tool; 7] = [
    search_context::TOOL,
    get_context::TOOL,
    expand_context::TOOL,
    list_contexts::TOOL,
    get_context_details::TOOL,
    assemble_prompt::TOOL,
    list_roles::TOOL,
];

/// These need `allow_write`.
pub const WRITING: [Tool; 2] = [remember::TOOL, propose_change::TOOL];

pub fn offered(state: &ServerState) -> impl Iterator<Item = &'static Tool> {
    let gives_prompts = state.gives_prompts();
    let writing = WRITING.iter().filter(|_| state.allows_write());
    let is_offered = move |tool: &&Tool| gives_prompts || tool.name != assemble_prompt::TOOL.name;
    TOOLS.iter().filter(is_offered).chain(writing)
}

pub fn writes(tool: &Tool) -> bool {
    WRITING.iter().any(|writing| writing.name == tool.name)
}
