use serde_json::{Map, Value, json};

use faber_core::assemble::{ResolvedPack, needs};
use faber_core::category::{Category, Load};
use faber_core::config::Launch;
use faber_core::resolve::catalog::Context;
use faber_core::select::choose::load_of;
use faber_core::source::Span;
use faber_session::session::Workspace;

const SERVERS: &str = "mcpServers";

/// Hashes of what faber wrote.
const RECORD: &str = "x-faber";

pub struct MergedServers {
    pub text: String,
    pub conflicts: Vec<String>,
}

pub struct NeededServer {
    pub name: String,
    pub at: Span,
    pub launch: Result<Launch, &'static str>,
}

pub fn needed(workspace: &Workspace, resolved: &ResolvedPack) -> Vec<NeededServer> {
    let platform = resolved.pack.platform.as_ref().map(|platform| &platform.name);
    let is_used = |context: &&Context| {
        let is_foreign =
            context.id.category == Category::Platform && context.platform.as_ref() != platform;
        !is_foreign && load_of(context) != Load::Never
    };
    let (config, sources) = (&workspace.config, &workspace.sources);
    let used = resolved.catalog.contexts.values().filter(is_used);
    let named = used.filter_map(|context| needs::server(context, config, sources));
    let servers = named.map(|named| {
        let launch = match config.mcp_servers.get(&named.value) {
            None => Err("not configured"),
            Some(server) if !server.enabled => Err("disabled"),
            Some(server) => Ok(server.launch.clone()),
        };
        NeededServer { name: named.value, at: named.span, launch }
    });
    servers.collect()
}

/// Changes only what faber wrote.
///
/// # Errors
///
/// The problem with `before`.
pub fn merge(before: Option<&str>, servers: &[(String, Launch)]) -> Result<MergedServers, String> {
    let root = match before.filter(|text| !text.trim().is_empty()) {
        Some(text) => match serde_json::from_str(text) {
            Ok(Value::Object(root)) => root,
            Ok(_) => return Err("it is not a JSON object".to_owned()),
            Err(error) => return Err(format!("it is not valid JSON: {error}")),
        },
        None => Map::new(),
    };
    let mut all = match root.get(SERVERS) {
        Some(Value::Object(all)) => all.clone(),
        Some(_) => return Err(format!("`{SERVERS}` is not an object")),
        None => Map::new(),
    };
    let known = root.get(RECORD).and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut record, mut conflicts) = (Map::new(), Vec::new());
    let is_own = |name: &String, entry: &Value| known.get(name) == Some(&hash(entry));
    for (name, launch) in servers {
        let kind = launch.url.as_ref().map(|_| launch.transport.as_deref().unwrap_or("http"));
        let entry = entry(launch, kind);
        match all.get(name) {
            Some(old) if is_own(name, old) || *old == entry => {}
            Some(_) => {
                conflicts.push(name.clone());
                continue;
            }
            None => {}
        }
        record.insert(name.clone(), hash(&entry));
        all.insert(name.clone(), entry);
    }
    let is_needed = |name: &String| servers.iter().any(|(needed, _)| needed == name);
    all.retain(|name, entry| is_needed(name) || !is_own(name, entry));
    let mut after = root.clone();
    if !all.is_empty() || root.contains_key(SERVERS) {
        after.insert(SERVERS.to_owned(), Value::Object(all));
    }
    if record.is_empty() {
        after.shift_remove(RECORD);
    } else {
        after.insert(RECORD.to_owned(), Value::Object(record));
    }
    let text = match before {
        Some(text) if after == root => text.to_owned(),
        _ => format!("{:#}\n", Value::Object(after)),
    };
    Ok(MergedServers { text, conflicts })
}

fn hash(entry: &Value) -> Value {
    let hash = blake3::hash(entry.to_string().as_bytes()).to_hex();
    hash[..16].into()
}

pub(crate) fn entry(launch: &Launch, kind: Option<&str>) -> Value {
    let mut entry = json!({});
    if let Some(kind) = kind {
        entry["type"] = json!(kind);
    }
    if let Some(url) = &launch.url {
        entry["url"] = json!(url);
        if !launch.headers.is_empty() {
            entry["headers"] = json!(launch.headers);
        }
    } else {
        let (command, args) = command(launch);
        entry["command"] = json!(command);
        if !args.is_empty() {
            entry["args"] = json!(args);
        }
        if !launch.env.is_empty() {
            entry["env"] = json!(launch.env);
        }
    }
    if let Some(timeout) = launch.timeout_ms {
        entry["timeout"] = json!(timeout);
    }
    entry
}

pub(crate) fn command(launch: &Launch) -> (String, Vec<String>) {
    let version = |mark: char| {
        launch.version.as_ref().map(|version| format!("{mark}{version}")).unwrap_or_default()
    };
    let mut args = launch.args.clone();
    let mut by_npx = |what: String| {
        args.splice(0..0, ["-y".to_owned(), what]);
        ("npx".to_owned(), args.clone())
    };
    if let Some(package) = &launch.package {
        return by_npx(format!("{package}{}", version('@')));
    }
    if let Some(repository) = &launch.repository {
        return by_npx(format!("github:{repository}{}", version('#')));
    }
    if let Some(path) = &launch.path {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        let runner = match extension {
            Some("js" | "mjs" | "cjs") => "node",
            Some("py") => "python3",
            _ => return (path.clone(), args),
        };
        args.insert(0, path.clone());
        return (runner.to_owned(), args);
    }
    (launch.command.clone().unwrap_or_default(), args)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(launch: &Launch) -> String {
        let merged = merge(None, &[("own".to_owned(), launch.clone())]).unwrap();
        let root: Value = serde_json::from_str(&merged.text).unwrap();
        root[SERVERS]["own"].to_string()
    }

    #[test]
    fn every_source_becomes_a_command_or_an_address() {
        let text = |text: &str| Some(text.to_owned());
        let npm = Launch {
            source: text("npm"),
            package: text("@acme/tracker"),
            version: text("^1.0.0"),
            env: [("KEY".to_owned(), "${KEY}".to_owned())].into(),
            timeout_ms: Some(5000),
            ..Launch::default()
        };
        assert_eq!(
            of(&npm),
            r#"{"command":"npx","args":["-y","@acme/tracker@^1.0.0"],"env":{"KEY":"${KEY}"},"timeout":5000}"#
        );
        let github =
            Launch { repository: text("acme/tracker"), version: text("v2"), ..Launch::default() };
        assert_eq!(of(&github), r#"{"command":"npx","args":["-y","github:acme/tracker#v2"]}"#);
        let local = Launch { path: text("tools/server.py"), ..Launch::default() };
        assert_eq!(of(&local), r#"{"command":"python3","args":["tools/server.py"]}"#);
        let url = Launch { url: text("https://e.org/mcp"), ..Launch::default() };
        assert_eq!(of(&url), r#"{"type":"http","url":"https://e.org/mcp"}"#);
    }

    fn merged(before: &str, servers: &[(&str, &str)]) -> (Value, Vec<String>) {
        let launch =
            |command: &str| Launch { command: Some(command.to_owned()), ..Launch::default() };
        let servers: Vec<_> =
            servers.iter().map(|(name, run)| ((*name).to_owned(), launch(run))).collect();
        let merged = merge(Some(before), &servers).unwrap();
        let again = merge(Some(&merged.text), &servers).unwrap();
        assert_eq!(again.text, merged.text);
        (serde_json::from_str(&merged.text).unwrap(), merged.conflicts)
    }

    #[test]
    fn other_entries_stay() {
        let before = r#"{"x":1,"mcpServers":{"other":{"command":"o"}}}"#;
        let (first, conflicts) = merged(before, &[("own", "c")]);
        assert_eq!(first[SERVERS], json!({"other": {"command": "o"}, "own": {"command": "c"}}));
        assert_eq!((&first["x"], conflicts.len()), (&json!(1), 0));
        let (second, _) = merged(&first.to_string(), &[("own", "d"), ("new", "n")]);
        assert_eq!(second[SERVERS]["own"]["command"], "d", "it is faber's own");
        let (none, _) = merged(&second.to_string(), &[]);
        assert_eq!(none, serde_json::from_str::<Value>(before).unwrap());
        let mut edited = second;
        edited[SERVERS]["own"]["timeout"] = json!(1);
        let (kept, conflicts) = merged(&edited.to_string(), &[("own", "e"), ("other", "x")]);
        assert_eq!(conflicts, ["own", "other"]);
        assert_eq!(kept[SERVERS]["own"], edited[SERVERS]["own"]);
        assert_eq!(kept[SERVERS]["other"], edited[SERVERS]["other"]);
        assert_eq!(kept.get(RECORD), None);
        let (equal, _) = merged(r#"{"mcpServers":{"own":{"command":"c"}}}"#, &[("own", "c")]);
        assert_eq!(merged(&equal.to_string(), &[("own", "d")]).1, [""; 0], "it became faber's own");
        for bad in ["[]", "{", r#"{"mcpServers":[]}"#] {
            assert!(merge(Some(bad), &[]).is_err(), "{bad}");
        }
    }
}
