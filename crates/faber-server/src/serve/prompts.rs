use rmcp::model::{Prompt, PromptArgument};

use crate::serve::answer::{self, TextAnswer};
use crate::serve::state::ServerState;
use crate::serve::tools;
use faber_core::config::Amount;
use faber_core::error::Error;
use faber_core::suggest;
use faber_session::audit::AnswerTrace;
use faber_session::job::AssembleRequest;

const ARGUMENTS: [(&str, &str); 3] = [
    ("request", "The task or question"),
    ("error", "Error text, such as a stack trace"),
    ("budget", "Maximum tokens of the prompt"),
];

pub(crate) fn list(state: &ServerState) -> Result<Vec<Prompt>, Error> {
    if !state.gives_prompts() {
        return Ok(Vec::new());
    }
    let mut workspace = state.session()?.workspace();
    let names = workspace.role_names();
    let prompts = names.into_iter().map(|name| {
        let lineage = workspace.lineage(&name).ok();
        let agent = lineage.and_then(|lineage| lineage.roles.into_iter().next()?.agent);
        let description = agent.and_then(|agent| agent.description);
        let description = description.map(|text| answer::line(&answer::short(&text.value)));
        let arguments = ARGUMENTS.map(|(name, description)| {
            PromptArgument::new(name).with_description(description).with_required(false)
        });
        Prompt::new(name, description, Some(arguments.to_vec()))
    });
    Ok(prompts.collect())
}

/// # Errors
///
/// For unknown roles, invalid arguments, and of assembling.
pub fn get(
    state: &ServerState,
    name: &str,
    arguments: &[(String, String)],
) -> Result<TextAnswer, Error> {
    let roles = list(state)?;
    if !roles.iter().any(|role| role.name == name) {
        return Err(Error::unknown("prompt", name, roles.iter().map(|role| role.name.as_str())));
    }
    let mut ask = AssembleRequest { role: Some(name.to_owned()), ..AssembleRequest::default() };
    for (argument, value) in arguments {
        match argument.as_str() {
            "request" => ask.request = Some(value.clone()),
            "error" => ask.error = Some(value.clone()),
            "budget" => {
                let Ok(budget @ Amount::Tokens(tokens)) = value.trim().parse() else {
                    let message = format!("`budget` is `{value}`");
                    return Err(Error::usage(message, "give a number of tokens, such as `8000`"));
                };
                let tokens = usize::try_from(tokens).unwrap_or(usize::MAX);
                answer::max_tokens("budget", Some(tokens), answer::MAX_TOKENS)?;
                ask.budget = Some(budget);
            }
            unknown => {
                let known = ARGUMENTS.map(|(name, _)| name);
                let close = suggest::closest(unknown, known);
                let help = suggest::help(close, format!("available: {}", known.join(", ")));
                return Err(Error::usage(format!("prompts have no argument `{unknown}`"), help));
            }
        }
    }
    let (assembly, workspace) = tools::assembled(state, &ask)?;
    let trace = AnswerTrace::of_assembly(&assembly, &workspace.sources);
    Ok(TextAnswer { text: assembly.bundle.text(), trace })
}
