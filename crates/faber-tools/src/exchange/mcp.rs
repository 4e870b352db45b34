//! MCP servers as `.mcp.json`, which Claude Code and other clients read.

use serde_json::{Map, Value, json};

use faber_core::config::Launch;

const SERVERS: &str = "mcpServers";

/// Merges `servers` into the text of a `.mcp.json`.
///
/// # Errors
///
/// The problem with `before`.
pub fn merge(before: Option<&str>, servers: &[(String, Launch)]) -> Result<String, String> {
    let mut root = match before.filter(|text| !text.trim().is_empty()) {
        Some(text) => match serde_json::from_str(text) {
            Ok(Value::Object(root)) => root,
            Ok(_) => return Err("it is not a JSON object".to_owned()),
            Err(error) => return Err(format!("it is not valid JSON: {error}")),
        },
        None => Map::new(),
    };
    let all = root.entry(SERVERS).or_insert_with(|| json!({}));
    let Value::Object(all) = all else {
        return Err(format!("`{SERVERS}` is not an object"));
    };
    let mut changed = false;
    for (name, launch) in servers {
        let entry = entry(launch);
        changed |= all.get(name) != Some(&entry);
        all.insert(name.clone(), entry);
    }
    match before {
        Some(text) if !changed => Ok(text.to_owned()),
        _ => Ok(format!("{:#}\n", Value::Object(root))),
    }
}

fn entry(launch: &Launch) -> Value {
    let mut entry = json!({});
    if let Some(url) = &launch.url {
        entry["type"] = json!(launch.transport.as_deref().unwrap_or("http"));
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
        entry(launch).to_string()
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

    #[test]
    fn other_entries_stay() {
        let launch = Launch { command: Some("c".to_owned()), ..Launch::default() };
        let servers = [("own".to_owned(), launch)];
        let before = r#"{"x":1,"mcpServers":{"other":{"command":"o"},"own":{"command":"old"}}}"#;
        let after = merge(Some(before), &servers).unwrap();
        let data: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(
            data.to_string(),
            r#"{"x":1,"mcpServers":{"other":{"command":"o"},"own":{"command":"c"}}}"#
        );
        assert_eq!(merge(Some(&after), &servers).unwrap(), after);
        let kept = r#"{"mcpServers":   {"own":{"command":"c"}}}"#;
        assert_eq!(merge(Some(kept), &servers).unwrap(), kept);
        for bad in ["[]", "{", r#"{"mcpServers":[]}"#] {
            assert!(merge(Some(bad), &servers).is_err(), "{bad}");
        }
    }
}
