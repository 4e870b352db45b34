//! `access.user` and `access.groups`: a workspace decides only if the user does not.

use super::environment::overrides;
use crate::diagnostic::Reported;
use crate::resolve::view::Principal;
use crate::source::SourceMap;
use crate::yaml::{Node, Value};

const KEYS: [&str; 2] = ["user", "groups"];

pub(crate) fn names_caller(node: &Node) -> bool {
    node.get("access").is_some_and(|access| KEYS.iter().any(|key| access.get(key).is_some()))
}

pub(crate) fn remove_caller(node: &mut Node) {
    let Value::Map(entries) = &mut node.value else { return };
    for entry in entries.iter_mut().filter(|entry| entry.key == "access") {
        if let Value::Map(access) = &mut entry.value.value {
            access.retain(|entry| !KEYS.contains(&&*entry.key));
        }
    }
    entries.retain(|entry| entry.key != "access" || !entry.value.entries().is_empty());
}

pub(crate) fn overrides_as(
    sources: &mut SourceMap,
    flags: &[(&'static str, String, String)],
    principal: Option<&Principal>,
) -> Reported<Node> {
    // Names in tokens need not be names of folders.
    let named = principal.filter(|principal| !principal.is_proven());
    let user = named.and_then(|it| it.user.as_ref()).map(|user| ("access.user", user));
    let groups = named.into_iter().flat_map(|it| &it.groups).map(|it| ("access.groups", it));
    let of_principal = user.into_iter().chain(groups);
    let of_principal = of_principal.map(|(key, value)| (key, value.clone(), "--as".to_owned()));
    let pairs: Vec<_> = flags.iter().cloned().chain(of_principal).collect();
    overrides(sources, &pairs)
}
