use crate::serve::state::ServerState;
use crate::serve::{prompts, resources};
use faber_core::error::Error;

pub(super) fn complete(
    state: &ServerState,
    argument: &str,
    typed: &str,
) -> Result<Vec<String>, Error> {
    let names: Vec<String> = match argument {
        "role" => prompts::list(state)?.into_iter().map(|role| role.name).collect(),
        "id" => resources::names(state)?.into_iter().map(|(id, _)| id).collect(),
        _ => return Ok(Vec::new()),
    };
    let typed = typed.to_lowercase();
    let place = |name: &str| name.to_lowercase().find(&typed);
    let mut found: Vec<(bool, String)> =
        names.into_iter().filter_map(|name| place(&name).map(|place| (place > 0, name))).collect();
    found.sort();
    Ok(found.into_iter().map(|(_, name)| name).collect())
}
