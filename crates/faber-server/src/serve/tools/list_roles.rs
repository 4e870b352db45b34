use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Tool, typed};
use crate::serve::answer::{AnswerBudget, ToolAnswer, quoted};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_output::text::counted;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::roles::{self, RoleSummary};
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "list_roles",
    title: "List the roles",
    description: "Lists the roles of the workspace with the number and the topics of their own contexts, and how many contexts all roles share. Use it to find roles other than your own; the argument `role` of the other tools takes their names. search_context with the scope `space` searches all of them at once.",
    input: input::<ListRolesArgs>,
    output: output::<Output>,
    run,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListRolesArgs {
    /// Default: 8000
    #[schemars(range(min = 200, max = 20000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    total: usize,
    has_more: bool,
    message: String,
    shared: usize,
    roles: Vec<RoleSummary>,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: ListRolesArgs = typed(&TOOL, arguments)?;
    state.ask(None, Scope::All, |library| answer(library, &args))
}

fn answer(index: &SearchIndex, args: &ListRolesArgs) -> Result<ToolAnswer, Error> {
    let counter = &index.counter();
    let mut room = AnswerBudget::new(args.max_tokens, counter)?;
    let all = roles::roles(index);
    let total = all.len();
    let mut listed = Vec::new();
    let mut lines = Vec::new();
    for role in all {
        let current = if role.current { " (yours)" } else { "" };
        let about = if role.topics.is_empty() { "" } else { "; topics: " };
        let topics: Vec<String> = role.topics.iter().map(|topic| quoted(topic)).collect();
        let (name, count) = (quoted(&role.name), counted(role.contexts, "own context"));
        let line = format!("- {name}{current}: {count}{about}{}", topics.join(", "));
        if !room.take(&line) {
            break;
        }
        listed.push(role);
        lines.push(line);
    }
    let has_more = listed.len() < total;
    let shared = roles::shared(index);
    let contexts = counted(shared, "shared context");
    let mut message = format!("{}, {contexts}.", counted(total, "role"));
    if has_more {
        message.push_str(" Ask with more max_tokens for the rest.");
    }
    let text = std::iter::once(message.clone()).chain(lines).collect::<Vec<_>>().join("\n");
    Ok(ToolAnswer::new(text, &Output { total, has_more, message, shared, roles: listed }, counter))
}
