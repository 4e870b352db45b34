//! Announcements and completions.

use super::*;

impl Session {
    fn notified(&mut self, method: &str) -> Value {
        loop {
            let message: Value = serde_json::from_str(&self.line()).unwrap();
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }
}

const LIST: &str = "# Stamps\n\nOnly new ones.\n";

#[test]
fn a_client_hears_of_changes_of_what_it_has_listed() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    session.ask("prompts/list", &json!({}));
    session.ask("resources/list", &json!({}));
    let project = project.file("roles/driver/prompt.md", "# Driver\n\nYou drive.\n");
    session.notified("notifications/prompts/list_changed");
    let project = project.file("contexts/standards/standard-stamps.md", LIST);
    session.notified("notifications/resources/list_changed");
    let listed = session.ask("resources/list", &json!({})).to_string();
    assert!(listed.contains("faber://context/standard/stamps"), "{listed}");
    drop(project);
}

#[test]
fn a_client_hears_of_changes_of_resources_that_it_has_subscribed_to() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let letters = json!({"uri": "faber://context/standard/letters"});
    let parcels = json!({"uri": "faber://context/standard/parcels"});
    for uri in [&letters, &parcels] {
        assert_eq!(session.ask("resources/subscribe", uri)["result"], json!({}));
    }
    assert_eq!(session.ask("resources/unsubscribe", &letters)["result"], json!({}));
    let hidden = json!({"uri": "faber://context/reference/salaries"});
    let refused = session.ask("resources/subscribe", &hidden);
    assert_eq!(refused["error"]["code"], -32002, "{refused}");
    let project = project
        .file("contexts/standards/standard-letters.md", "# Letters\n\nBy street.\n")
        .file("contexts/standards/standard-parcels.md", "# Parcels\n\nBy weight.\n");
    assert_eq!(session.notified("notifications/resources/updated"), parcels);
    drop(project);
}

#[test]
fn a_client_without_a_session_listens() {
    let project = workspace();
    let mut session = Session::silent(&project, &["--role", "clerk"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let uri = "faber://context/standard/stamps";
    let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri]});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
        "params": {"notifications": wanted, "_meta": meta}});
    session.send(&request.to_string());
    let accepted = session.notified("notifications/subscriptions/acknowledged");
    assert_eq!(accepted["notifications"], wanted, "{accepted}");
    // It is acknowledged before the lists are read.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let project = project.file("contexts/standards/standard-stamps.md", LIST);
    session.notified("notifications/resources/list_changed");
    assert_eq!(session.notified("notifications/resources/updated")["uri"], uri);
    drop(project);
}

#[test]
fn names_of_roles_and_ids_are_completed() {
    let project = workspace().file("roles/driver/prompt.md", "# Driver\n\nYou drive.\n");
    let mut session = Session::start(&project, &["--as", "bob"]);
    let mut complete = |reference: Value, name: &str, value: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        session.ask("completion/complete", &params)
    };
    let prompt = json!({"type": "ref/prompt", "name": "clerk"});
    let template = json!({"type": "ref/resource", "uri": "faber://context/{+id}"});
    let values = |answer: Value| answer["result"]["completion"]["values"].clone();
    assert_eq!(values(complete(prompt.clone(), "role", "")), json!(["clerk", "driver"]));
    assert_eq!(values(complete(prompt.clone(), "role", "D")), json!(["driver"]));
    assert_eq!(values(complete(prompt, "request", "x")), json!([]));
    let letters = values(complete(template.clone(), "id", "let"));
    assert_eq!(letters, json!(["standard/letters"]), "the beginning or a part");
    assert_eq!(values(complete(template, "id", "salar")), json!([]), "hidden ones are not");
    let other = complete(json!({"type": "ref/resource", "uri": "file:///x"}), "id", "");
    assert_eq!(other["error"]["code"], -32602, "{other}");
}

#[test]
fn a_prompt_continues_a_conversation() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let history = json!([
        {"role": "user", "content": "Where do parcels go?"},
        {"role": "assistant", "content": "To shelf nine."},
        {"role": "user", "content": "And a rare stamp?"},
    ]);
    let result = session.call("assemble_prompt", &json!({ "history": history }));
    let prompt = text(&result);
    assert!(prompt.contains("To shelf nine."), "{prompt}");
    assert!(prompt.contains("Rare stamps go to the safe"), "the last message selects: {prompt}");
    let wrong = session.call("assemble_prompt", &json!({"history": [history[0], {"role": 3}]}));
    assert!(text(&wrong).contains("`history:2:1`"), "{}", text(&wrong));
}

#[test]
fn the_list_of_tools_is_short() {
    let project = workspace();
    let mut session = Session::start(&project, &["--allow-write"]);
    let listed = session.ask("tools/list", &json!({}))["result"].to_string();
    let run = project.run_with_input(&["tokens", "--format", "json"], &listed);
    let data: Value = serde_json::from_str(&run.stdout).unwrap();
    let tokens = data["files"][0]["tokens"].as_u64().or(data["total"].as_u64()).unwrap();
    assert!(tokens < 4000, "{tokens} tokens");
}
