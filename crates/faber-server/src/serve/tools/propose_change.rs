use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::remember::propose;
use super::schemas::{input, output};
use super::tool::{Tool, typed};
use crate::serve::answer::ToolAnswer;
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_tools::memory::remember::{Draft, RememberData};

pub(super) const TOOL: Tool = Tool {
    name: "propose_change",
    title: "Propose a change of a context",
    description: "Proposes a sentence for a context that is wrong or lacks something, with the reason. A person reviews it before anything changes. Read the context with get_context_details first. \
        For knowledge that fits no context use remember.",
    input: input::<ProposeChangeArgs>,
    output: output::<RememberData>,
    run,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProposeChangeArgs {
    /// The id of the context, such as `standard/security`
    id: String,
    /// The text to add or change
    text: String,
    /// Why
    reason: Option<String>,
    /// The role of the context; default: yours
    role: Option<String>,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: ProposeChangeArgs = typed(&TOOL, arguments)?;
    let role = state.role_or(args.role.as_ref());
    propose(state, role.as_ref(), |memory| {
        memory.check_context(&args.id)?;
        Ok(Draft {
            text: args.text.clone(),
            changes: Some(args.id.clone()),
            reason: args.reason.clone(),
            ..Draft::default()
        })
    })
}
