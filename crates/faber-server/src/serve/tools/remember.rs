use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Tool, typed};
use crate::serve::answer::{ToolAnswer, line};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_core::resolve::catalog::content_hash;
use faber_tools::memory::known::Related;
use faber_tools::memory::remember::{Draft, Memory, NoteScope, Outcome, RememberData};
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "remember",
    title: "Propose a note",
    description: "Proposes a note for the memory of the workspace: a decision, a rule or a preference that \
        the user stated and that applies beyond this task. One statement per note, in a sentence that \
        makes sense on its own. A person approves it before it is used. Do not note secrets, the state of \
        the task, or your own guesses. If it is a duplicate, do nothing.",
    input: input::<RememberArgs>,
    output: output::<RememberData>,
    run,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RememberArgs {
    /// What to remember
    text: String,
    /// Where it applies: to a role, the whole workspace (default) or the team
    scope: Option<NoteScope>,
    /// Words for searching
    tags: Option<Vec<String>>,
    /// Its source: a conversation and its turn
    from: Option<String>,
    /// The role of the scope `area`; default: yours
    role: Option<String>,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: RememberArgs = typed(&TOOL, arguments)?;
    let role = state.role_or(args.role.as_ref());
    propose(state, role.as_ref(), |memory| {
        let from = args.from.iter().map(|from| memory.source(from)).collect::<Result<_, _>>()?;
        Ok(Draft {
            text: args.text.clone(),
            scope: args.scope.unwrap_or_default(),
            tags: args.tags.clone().unwrap_or_default(),
            from,
            ..Draft::default()
        })
    })
}

pub(super) fn propose(
    state: &ServerState,
    role: Option<&String>,
    draft: impl FnOnce(&Memory<'_>) -> Result<Draft, Error>,
) -> Result<ToolAnswer, Error> {
    let session = state.session()?;
    let library = state.library_of(role)?;
    let mut memory = Memory::new(&session, &library);
    if !state.allows(Scope::Historical) {
        memory = memory.without_history();
    }
    let draft = draft(&memory)?;
    let data = memory.remember(&draft, role.map(String::as_str))?;
    let mut text = match (&data.outcome, &data.known) {
        (Outcome::Known, Some(known)) => format!("Not written: duplicate of {}.", cite(known)),
        _ => format!("Proposed as {}. A person decides whether it is used.", line(&data.id)),
    };
    for contrary in &data.contradicts {
        let _ = write!(text, "\nContradicts {}: tell the user.", cite(contrary));
    }
    for finding in &data.findings {
        let _ = write!(text, "\nSecurity: {}", line(&finding.message));
    }
    let hash = content_hash(&draft.text);
    let answer = ToolAnswer::new(text, &data, &library.counter());
    Ok(answer.with_texts([(&*data.id, &*hash, false)]))
}

fn cite(related: &Related) -> String {
    format!("{} (\"{}\")", line(&related.id), line(&related.text))
}
