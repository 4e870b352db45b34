mod client;
#[cfg(unix)]
mod editor;
mod folders;
mod fuzz;

use serde_json::{Value, json};

use crate::packs::remote::Remote;
use crate::project::TestProject;
use client::{Client, frame};

const PROMPT: &str =
    "# Clerk\n\n| Keywords | Context |\n|---|---|\n| stamp | specialist-stamps.md |\n";
const STAMPS: &str = "---\ndescription: Which stamps go on which letters\ntags: [post]\n---\n\
    # Stamps\n\n## Inland\n\nOne stamp. See `playbook/seal`.\n\n## Abroad\n\nTwo stamps.\n";
const SEAL: &str = "---\nrelated:\n  - specialist/stamps\n---\n# Seal\n\nFold, wax, press.\n";

const STAMPS_PATH: &str = "contexts/specialists/specialist-stamps.md";
const SEAL_PATH: &str = "contexts/playbooks/playbook-seal.md";
const PROMPT_PATH: &str = "roles/clerk/prompt.md";

fn project() -> TestProject {
    TestProject::new()
        .file(PROMPT_PATH, PROMPT)
        .file("roles/clerk/agent.yml", "name: clerk\nplatforms: [post]\ndefault_platform: post\n")
        .file("contexts/platforms/platform-post.md", "# Post\n\nLetters go by post.\n")
        .file(STAMPS_PATH, STAMPS)
        .file(SEAL_PATH, SEAL)
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|action| action["title"].as_str().unwrap()).collect()
}

/// Applies a completion item or code action.
fn edited(text: &str, edit: &Value) -> String {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let at = |place: &Value| {
        let lines = text.split_inclusive('\n').take(number(&place["line"]));
        lines.map(str::len).sum::<usize>() + number(&place["character"])
    };
    let (start, end) = (at(&edit["range"]["start"]), at(&edit["range"]["end"]));
    format!("{}{}{}", &text[..start], edit["newText"].as_str().unwrap(), &text[end..])
}

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}

#[test]
fn findings_are_those_of_texts_as_they_are_in_the_editor() {
    let project = project();
    let mut client = Client::start(&project);
    client.open(PROMPT_PATH, PROMPT);
    client.settle(PROMPT_PATH);
    assert!(!client.rules(PROMPT_PATH).iter().any(|(rule, _)| rule == "dangling-reference"));
    client.change(PROMPT_PATH, Some([4, 21, 4, 27]), "labels");
    client.wait_for(PROMPT_PATH, "dangling-reference", true);
    let found = client.published[&client.uri(PROMPT_PATH)].clone();
    let found = found.iter().find(|it| it["code"] == "dangling-reference").unwrap();
    let at = json!({
        "start": { "line": 4, "character": 10 },
        "end": { "line": 4, "character": 30 },
    });
    assert_eq!(
        (&found["range"], &found["severity"], &found["source"]),
        (&at, &json!(1), &json!("faber"))
    );
    client.open(
        "contexts/specialists/specialist-labels.md",
        "---\ndescription: Labels\n---\n# Labels\n\nGlue.\n",
    );
    client.wait_for(PROMPT_PATH, "dangling-reference", false);
    client.close("contexts/specialists/specialist-labels.md");
    client.wait_for(PROMPT_PATH, "dangling-reference", true);
    client.close(PROMPT_PATH);
    client.wait_for(PROMPT_PATH, "dangling-reference", false);
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn columns_are_counted_as_was_agreed_on() {
    let text = "# Clerk\n\n| Keywords | Context |\n|---|---|\n| 😀é | specialist-none.md |\n";
    for (offered, start) in
        [(json!(["utf-16"]), 8), (json!(["utf-8", "utf-16"]), 11), (Value::Null, 8)]
    {
        let project = project();
        let mut client = Client::silent(&project);
        let mut hello = client::hello(&client.uri(""));
        hello["capabilities"]["general"] = json!({ "positionEncodings": offered });
        let told = client.ask("initialize", hello);
        let kind = if start == 11 { "utf-8" } else { "utf-16" };
        assert_eq!(told["capabilities"]["positionEncoding"], kind);
        client.notify("initialized", json!({}));
        client.open(PROMPT_PATH, text);
        client.wait_for(PROMPT_PATH, "dangling-reference", true);
        let found = &client.published[&client.uri(PROMPT_PATH)];
        let found = found.iter().find(|it| it["code"] == "dangling-reference").unwrap();
        assert_eq!(found["range"]["start"], json!({ "line": 4, "character": start }));
        client.change(PROMPT_PATH, Some([4, start + 11, 4, start + 15]), "stamps");
        client.wait_for(PROMPT_PATH, "dangling-reference", false);
    }
}

#[test]
fn places_lead_to_what_they_name_and_back() {
    let project = project();
    let mut client = Client::start(&project);
    let targets = |answer: &Value| -> Vec<String> {
        let uris = answer.as_array().unwrap().iter().map(|it| it["uri"].as_str().unwrap());
        uris.map(|uri| uri.rsplit('/').next().unwrap().to_owned()).collect()
    };
    client.open(STAMPS_PATH, STAMPS);
    let mut define = |path: &str, at| client.ask_at("textDocument/definition", path, at);
    assert_eq!(targets(&define(PROMPT_PATH, (4, 15))), ["specialist-stamps.md"]);
    assert_eq!(targets(&define(SEAL_PATH, (2, 8))), ["specialist-stamps.md"]);
    assert_eq!(targets(&define(STAMPS_PATH, (8, 22))), ["playbook-seal.md"]);
    assert_eq!(targets(&define("roles/clerk/agent.yml", (2, 20))), ["platform-post.md"]);
    assert_eq!(define(STAMPS_PATH, (8, 2)), Value::Null);
    let found = client.ask_at("textDocument/references", STAMPS_PATH, (4, 2));
    assert_eq!(targets(&found), ["playbook-seal.md", "prompt.md"]);
    let own = "roles/clerk/contexts/specialists/specialist-ink.md";
    client.open(own, "# Ink\n\nBlue.\n");
    client
        .open("roles/smith/prompt.md", &format!("# Smith\n\nLoad `@role:clerk{}`.\n", &own[11..]));
    client.open("roles/smith/contexts/specialists/specialist-ink.md", "# Ink\n\nSoot.\n");
    client.change("roles/clerk/agent.yml", None, "name: clerk\n");
    let found = client.ask_at("textDocument/references", own, (0, 2));
    assert_eq!(found[0]["uri"], client.uri("roles/smith/prompt.md"), "{found}");
    let other = "roles/smith/contexts/specialists/specialist-ink.md";
    let found = client.ask_at("textDocument/references", other, (0, 2));
    assert_eq!(found, json!([]), "of the other role");
    let links = client.ask(
        "textDocument/documentLink",
        json!({ "textDocument": { "uri": client.uri(SEAL_PATH) } }),
    );
    assert_eq!(links[0]["target"], client.uri(STAMPS_PATH));
}

#[test]
fn contexts_that_are_left_out_can_be_looked_up() {
    let draft = "contexts/standards/standards-draft.md";
    let prompt = "# Clerk\n\nLoad `standards-draft.md` and `standard/draft`.\n";
    let project = project()
        .file(draft, "---\nstatus: draft\n---\n# Draft\n\n## Part\n\nSoon.\n")
        .file(PROMPT_PATH, prompt);
    let mut client = Client::start(&project);
    for at in [(2, 10), (2, 35)] {
        let found = client.ask_at("textDocument/definition", PROMPT_PATH, at);
        assert_eq!(found[0]["uri"], client.uri(draft), "{found}");
        let told = client.ask_at("textDocument/hover", PROMPT_PATH, at);
        let told = told["contents"]["value"].as_str().unwrap();
        assert!(told.contains(" — left out: status draft") && told.contains("Soon."), "{told}");
    }
    let told = client.ask_at("textDocument/hover", draft, (0, 0));
    assert_eq!(told["contents"]["value"], "**`standard/draft`** — left out: status draft");
    let found = client.ask_at("textDocument/references", draft, (3, 2));
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    client.open(PROMPT_PATH, "# Clerk\n\nLoad `standards-draft.md#");
    let items = client.ask_at("textDocument/completion", PROMPT_PATH, (2, 25));
    assert_eq!(labels(&items), ["Draft", "Part"]);
    client.change(PROMPT_PATH, None, "# Clerk\n\nLoad `");
    let items = client.ask_at("textDocument/completion", PROMPT_PATH, (2, 6));
    let item = items.as_array().unwrap().iter().find(|it| it["label"] == "standard/draft");
    assert_eq!(item.unwrap()["detail"], "left out: status draft");
}

#[test]
fn a_context_of_a_pack_of_another_form_leads_to_the_file_in_the_pack() {
    let skill = "---\nname: pdf\ndescription: Reads PDF.\n---\n\n# PDF\n\nOpen it.\n";
    let project = project()
        .file(".faber/config.yml", "packs:\n  acme: { path: shared/acme }\n")
        .file("shared/acme/skills/pdf/SKILL.md", skill)
        .file(SEAL_PATH, "---\nrelated:\n  - acme:playbook/pdf\n---\n# Seal\n\nPress.\n");
    let mut client = Client::start(&project);
    let found = client.ask_at("textDocument/definition", SEAL_PATH, (2, 8));
    assert_eq!(found[0]["uri"], client.uri("shared/acme/skills/pdf/SKILL.md"), "{found}");
}

#[test]
fn places_lead_into_packs() {
    let remote = Remote::new();
    let style = "contexts/standards/standards-style.md";
    let reviewer = "# Reviewer\n\nYou review.\n";
    remote.commit(&[(style, "# Style\n\nLong names.\n"), ("roles/reviewer/prompt.md", reviewer)]);
    let own = "---\nrelated: [acme:standard/style]\n---\n# Own\n\nSee `acme:standard/style`.\n";
    let own_path = "contexts/standards/standards-own.md";
    let project = project()
        .file("roles/clerk/agent.yml", "name: clerk\nextends: \"@acme:reviewer\"\n")
        .file("roles/reviewer/prompt.md", reviewer)
        .file(own_path, own);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let stored = |path: &str| {
        let path = project.stored(path).canonicalize().unwrap();
        json!([format!("file://{}", path.to_str().unwrap())])
    };
    let mut client = Client::start(&project);
    let mut define = |path: &str, at| {
        let answer = client.ask_at("textDocument/definition", path, at);
        answer.as_array().unwrap().iter().map(|it| it["uri"].clone()).collect::<Value>()
    };
    assert_eq!(define(own_path, (1, 14)), stored(style));
    assert_eq!(define(own_path, (5, 10)), stored(style));
    assert_eq!(define("roles/clerk/agent.yml", (1, 14)), stored("roles/reviewer/prompt.md"));
}

#[test]
fn hovering_shows_no_secret_and_nothing_unseen() {
    let token = concat!("gh", "p_", "a8Kd03mXq72LwZp5RtY19vBnC46sJhE0uFgT");
    let text = format!("---\ndescription: Has {token}\n---\n# Stamps\n\nOne \u{202e}of {token}.\n");
    let project = project().file(STAMPS_PATH, &text);
    let mut client = Client::start(&project);
    for (path, at) in [(PROMPT_PATH, (4, 15)), (SEAL_PATH, (2, 8))] {
        let told = client.ask_at("textDocument/hover", path, at);
        let shown = told["contents"]["value"].as_str().unwrap();
        assert!(shown.contains("# Stamps") && shown.contains("****"), "{shown}");
        assert!(!shown.contains("a8Kd03mXq72LwZp5") && !shown.contains('\u{202e}'), "{shown}");
    }
}

#[test]
fn hovering_describes_contexts_and_fields() {
    let project = project().file(
        ".faber/overlays/organization/contexts/specialists/specialist-stamps.md",
        "---\nstrategy: append\n---\nAsk for change.\n",
    );
    let mut client = Client::start(&project);
    let mut hover = |path: &str, at| {
        let told = client.ask_at("textDocument/hover", path, at);
        told["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let context = hover(PROMPT_PATH, (4, 15));
    for part in [
        "**`specialist/stamps`** — project → organization — ",
        "tokens",
        "Which stamps",
        "Ask for change.",
    ] {
        assert!(context.contains(part), "{part}: {context}");
    }
    assert!(hover(SEAL_PATH, (1, 2)).starts_with("**`related`** — "));
    assert!(hover(SEAL_PATH, (4, 3)).starts_with("**`playbook/seal`** — project — "));
    assert_eq!(hover(SEAL_PATH, (6, 3)), "");
}

#[test]
fn completion_knows_names_fields_words_headings_and_rules() {
    let project = project();
    let mut client = Client::start(&project);
    let mut at_end = |path: &str, text: &str| -> Vec<String> {
        client.open(path, text);
        let line = u32::try_from(text.lines().count() - 1).unwrap();
        let column = u32::try_from(text.lines().last().unwrap().len()).unwrap();
        let items = client.ask_at("textDocument/completion", path, (line, column));
        client.close(path);
        if items.is_null() {
            Vec::new()
        } else {
            labels(&items).iter().map(|it| (*it).to_owned()).collect()
        }
    };
    let mut has = |path: &str, text: &str, wanted: &[&str]| {
        let all = at_end(path, text);
        for wanted in wanted {
            assert!(all.iter().any(|label| label == wanted), "{text:?}: {wanted} in {all:?}");
        }
    };
    has(SEAL_PATH, "---\nsta", &["status: ", "strategy: "]);
    has(SEAL_PATH, "---\nstatus: ", &["draft", "approved", "deprecated"]);
    has(SEAL_PATH, "---\nrelated:\n  - spec", &["specialist/stamps", "specialist-stamps.md"]);
    has(SEAL_PATH, "---\ntags: [p", &["post"]);
    has(SEAL_PATH, "---\nwhen:\n  pl", &["platform: "]);
    has(SEAL_PATH, "# S\n\nSee `/con", &["/contexts/specialists/specialist-stamps.md"]);
    has(SEAL_PATH, "# S\n\nSee [x](../specialists/specialist-stamps.md#", &["inland", "abroad"]);
    has(SEAL_PATH, "# S\n\nSee `specialist-stamps.md#", &["Inland", "Abroad"]);
    has(SEAL_PATH, "# S\n\nSee specialist-", &["specialist/stamps", "specialist-stamps.md"]);
    has(SEAL_PATH, "---\nname: x\n\nca", &["category: "]);
    has(PROMPT_PATH, "# S\n\n| a | ", &["specialist-stamps.md"]);
    has(".faber/config.yml", "bu", &["budget: ", "custom_contexts: "]);
    has(".faber/config.yml", "budget:\n  sections:\n    ", &["system: "]);
    has(".faber/config.yml", "budget:\n  packing: ", &["optimal", "greedy"]);
    has(".faber/config.yml", "audit: { enabled: ", &["true", "false"]);
    has(".faber/config.yml", "validate:\n  rules: { dead-anchor: ", &["error", "off"]);
    has(PROMPT_PATH, "---\nbudget:\n  ", &["context: "]);
    has(SEAL_PATH, "# S\n\n<!-- faber: allow ", &["unclosed-fence", "near-duplicate"]);
    has(SEAL_PATH, "# S\n\n<!-- faber: include ", &["/contexts/specialists/specialist-stamps.md"]);
    has("roles/clerk/agent.yml", "name: clerk\ndefault_platform: ", &["post"]);
    has("roles/clerk/agent.yml", "name: clerk\nag", &["agent_type: "]);
    has(".faber/config.yml", "custom_contexts:\n  - ", &["playbook/seal"]);
    let overlay = ".faber/overlays/organization/contexts/specialists/specialist-stamps.md";
    has(overlay, "---\nsections:\n  ", &["Inland: ", "Abroad: "]);
    assert_eq!(at_end(".faber/config.yml", "store:\n  "), [""; 0], "only of the user");
    assert_eq!(at_end(SEAL_PATH, "---\nname: x\n---\n# S\n\n"), [""; 0]);
    assert_eq!(at_end(SEAL_PATH, "---\n\nnote: x\n\nca"), [""; 0], "no front matter");
}

#[test]
fn completion_writes_yaml_and_links_that_hold() {
    let project = project().file(
        "roles/clerk/contexts/standards/standards-own.md",
        "---\ntags: [\"a: b\"]\n---\n# Own\n",
    );
    let mut client = Client::start(&project);
    let mut edit = |path: &str, marked: &str, label: &str| {
        let text = marked.replace('^', "");
        client.open(path, &text);
        let before = &marked[..marked.find('^').unwrap()];
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let at = (u32::try_from(line).unwrap(), u32::try_from(column).unwrap());
        let items = client.ask_at("textDocument/completion", path, at);
        client.close(path);
        let items = items.as_array().unwrap_or_else(|| panic!("{marked:?}"));
        let item = items.iter().find(|item| item["label"] == label);
        let item = item.unwrap_or_else(|| panic!("{marked:?}: {items:?}"));
        edited(&text, &item["textEdit"])
    };
    let role = "@role:clerk/contexts/standards/standards-own.md";
    for (path, marked, label, expected) in [
        (
            SEAL_PATH,
            "---\nrelated: [\"sp^\"]\n---\n",
            "specialist/stamps",
            "\"specialist/stamps\"]",
        ),
        (SEAL_PATH, "---\nrelated: ['sp^]\n---\n", "specialist/stamps", "['specialist/stamps']"),
        (SEAL_PATH, "---\nrelated: [@^]\n---\n", role, &format!("[\"{role}\"]")),
        ("roles/clerk/prompt.md", "---\ntags: [^]\n---\n", "a: b", "tags: [\"a: b\"]\n"),
        (SEAL_PATH, "---\nca^: x\n---\n", "category: ", "---\ncategory: x\n---\n"),
        (SEAL_PATH, "---\nca^tego: x\n---\n", "category: ", "---\ncategory: x\n---\n"),
        (SEAL_PATH, "---\nwhen: { pl^ }\n---\n", "platform: ", "when: { platform:  }"),
        (SEAL_PATH, "---\nstatus: dr^\n---\n", "draft", "status: draft\n"),
        (".faber/config.yml", "platforms: { clerk: po^ }\n", "post", "{ clerk: post }"),
        (".faber/config.yml", "platforms: { \"cl^\": x }\n", "clerk: ", "{ \"clerk\": x }"),
        (
            ".faber/config.yml",
            "validate:\n  rules: { dead-a^ }\n",
            "dead-anchor: ",
            "{ dead-anchor:  }",
        ),
        (SEAL_PATH, "# S\n\n[x](#A^)\n\n## A b\n\n## A b\n", "a-b-1", "[x](#a-b-1)"),
    ] {
        let text = edit(path, marked, label);
        assert!(text.contains(expected), "{marked:?}: {text:?}");
    }
}

#[test]
fn findings_can_be_fixed_and_allowed() {
    let project = project();
    let mut client = Client::start(&project);
    let text = "---\ndescription: x\ntags: agile\ncategory: pattern\n---\n# Stamps\n\n```\nopen\n";
    client.open(STAMPS_PATH, text);
    client.wait_for(STAMPS_PATH, "wrong-field-type", true);
    let actions = client.actions(STAMPS_PATH, (2, 3));
    let fix =
        actions.iter().find(|it| it["title"].as_str().unwrap().starts_with("Fix `wrong")).unwrap();
    assert_eq!((&fix["kind"], &fix["isPreferred"]), (&json!("quickfix"), &json!(true)));
    let edit = &fix["edit"]["changes"][client.uri(STAMPS_PATH)][0];
    assert_eq!((&edit["newText"], &edit["range"]["start"]["line"]), (&json!("["), &json!(2)));
    let allow = actions.iter().find(|it| it["title"] == "Allow `wrong-field-type` here").unwrap();
    let edit = &allow["edit"]["changes"][client.uri(STAMPS_PATH)][0];
    assert_eq!(edit["newText"], "# faber: allow wrong-field-type: say why\n");
    let all = actions.iter().find(|it| it["kind"] == "source.fixAll.faber").unwrap();
    let edit = &all["edit"]["changes"][client.uri(STAMPS_PATH)][0];
    assert!(edit["newText"].as_str().unwrap().contains("[agile]"), "{edit}");
    client.change(STAMPS_PATH, Some([2, 0, 2, 0]), "# faber: allow wrong-field-type: say why\n");
    client.wait_for(STAMPS_PATH, "wrong-field-type", false);
    assert!(
        titles(&client.actions(STAMPS_PATH, (3, 3))).iter().all(|it| !it.contains("wrong-field"))
    );
    for (comment, with_reason) in [
        ("<!-- faber: allow dead-anchor -->", "<!-- faber: allow dead-anchor: say why -->"),
        ("<!-- faber: allow dead-anchor: -->", "<!-- faber: allow dead-anchor: say why -->"),
    ] {
        let text = format!("# Stamps\n\n{comment}\nSee [x](#none).\n");
        client.change(STAMPS_PATH, None, &text);
        client.wait_for(STAMPS_PATH, "allow-without-reason", true);
        let actions = client.actions(STAMPS_PATH, (2, 2));
        assert_eq!(titles(&actions), ["Add a reason"]);
        let edit = &actions[0]["edit"]["changes"][client.uri(STAMPS_PATH)][0];
        assert!(edited(&text, edit).contains(with_reason), "{edit}");
    }
    client.change(STAMPS_PATH, None, "# Stamps\n\n<!-- faber: allow dead-anchor: x -->\nOne.\n");
    client.wait_for(STAMPS_PATH, "unused-allow", true);
    let actions = client.actions(STAMPS_PATH, (2, 2));
    assert!(titles(&actions).iter().all(|title| !title.starts_with("Allow")), "{actions:?}");
}

#[test]
fn files_that_are_used_in_place_have_actions() {
    let text = "# A\r\n\r\nSee [b](#b).\r\n\r\n<!-- faber: allow stale: x -->\r\nEnd.\r\n";
    let config = "packs:\n  here: { path: \".\", files: [AGENTS.md] }\n";
    let project = project().file("AGENTS.md", text).file(".faber/config.yml", config);
    let mut client = Client::start(&project);
    client.open("AGENTS.md", text);
    client.wait_for("AGENTS.md", "unused-allow", true);
    let mut edits = |line| {
        let actions = client.actions("AGENTS.md", (line, 5));
        let edit = |it: &Value| edited(text, &it["edit"]["changes"][client.uri("AGENTS.md")][0]);
        actions.iter().map(edit).collect::<Vec<_>>()
    };
    let allow = "<!-- faber: allow dead-anchor: say why -->\r\nSee";
    assert_eq!(edits(2)[0], text.replace("See", allow));
    assert!(edits(4)[0].ends_with("(#b).\r\n\r\nEnd.\r\n"));
}

#[test]
fn symbols_and_hints_show_the_sections_and_the_size() {
    let project = project();
    let mut client = Client::start(&project);
    let document = json!({ "textDocument": { "uri": client.uri(STAMPS_PATH) } });
    let symbols = client.ask("textDocument/documentSymbol", document);
    assert_eq!((&symbols[0]["name"], symbols.as_array().unwrap().len()), (&json!("Stamps"), 1));
    let below: Vec<_> =
        symbols[0]["children"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(below, ["Inland", "Abroad"]);
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let params = json!({ "textDocument": { "uri": client.uri(STAMPS_PATH) }, "range": range });
    let hints = client.ask("textDocument/inlayHint", params.clone());
    assert_eq!(hints[0]["position"], json!({ "line": 0, "character": 3 }));
    assert!(hints[0]["label"].as_str().unwrap().ends_with(" tokens"), "{hints}");
    client.open("contexts/partials/long.md", &"word ".repeat(500));
    client.open(STAMPS_PATH, "# Stamps\n\n<!-- faber: include ../partials/long.md -->\n");
    let hints = client.ask("textDocument/inlayHint", params);
    let told = client.ask_at("textDocument/hover", STAMPS_PATH, (0, 0));
    let told = told["contents"]["value"].as_str().unwrap();
    assert!(told.ends_with(hints[0]["label"].as_str().unwrap()), "{told}: {hints}");
    client.open(STAMPS_PATH, STAMPS);
    let found = client.ask("workspace/symbol", json!({ "query": "splst" }));
    assert_eq!(
        (&found[0]["name"], found.as_array().unwrap().len()),
        (&json!("specialist/stamps"), 1)
    );
}

#[test]
fn hidden_contexts_are_not_shown() {
    let hidden =
        "---\nvisibility: private\nowner: anna\ndescription: Locks\n---\n# Locks\n\nThe key.\n";
    let project = project()
        .file("contexts/specialists/specialist-locks.md", hidden)
        .file("contexts/partials/safe.md", hidden)
        .file(STAMPS_PATH, "# Stamps\n\n<!-- faber: include ../partials/safe.md -->\n");
    let mut client = Client::start(&project);
    for method in ["hover", "definition"] {
        let told = client.ask_at(&format!("textDocument/{method}"), STAMPS_PATH, (2, 30));
        assert_eq!(told, Value::Null, "a partial");
    }
    for (begun, hidden) in [("safe.md#", "Locks"), ("", "../partials/safe.md")] {
        let line = format!("<!-- faber: include ../partials/{begun}");
        client.open(SEAL_PATH, &line);
        let at = (0, u32::try_from(line.len()).unwrap());
        let items = client.ask_at("textDocument/completion", SEAL_PATH, at);
        assert!(!labels(&items).contains(&hidden), "{items}");
        client.close(SEAL_PATH);
    }
    let text = "---\nrelated:\n  - specialist/locks\n  - spec";
    client.open(SEAL_PATH, text);
    assert_eq!(client.ask_at("textDocument/hover", SEAL_PATH, (2, 8)), Value::Null);
    assert_eq!(client.ask_at("textDocument/definition", SEAL_PATH, (2, 8)), Value::Null);
    let items = client.ask_at("textDocument/completion", SEAL_PATH, (3, 8));
    assert!(!labels(&items).iter().any(|label| label.contains("locks")), "{items}");
    assert_eq!(client.ask("workspace/symbol", json!({ "query": "locks" })), json!([]));
}

#[test]
fn changes_on_disk_are_seen() {
    let project = project();
    let mut client = Client::start(&project);
    client.settle(PROMPT_PATH);
    let project = project.file(PROMPT_PATH, &PROMPT.replace("stamps", "labels"));
    client.wait_for(PROMPT_PATH, "dangling-reference", true);
    let project = project.file("contexts/specialists/specialist-labels.md", "# Labels\n\nGlue.\n");
    client.wait_for(PROMPT_PATH, "dangling-reference", false);
    let path = "contexts/standards/standards-make.md";
    project.git(&["init", "-q"]);
    let project = project.file("Makefile", "all:\n").file(path, "# Make\n\nRun `make test`.\n");
    project.git(&["add", "."]);
    client.open(path, "# Make\n\nRun `make test`.\n");
    client.wait_for(path, "missing-make-target", true);
    let _project = project.file("Makefile", "test:\n");
    client.wait_for(path, "missing-make-target", false);
}

#[test]
fn findings_are_sent_again_for_a_file_that_is_opened_again() {
    let project = project().file(PROMPT_PATH, &PROMPT.replace("stamps", "labels"));
    let mut client = Client::start(&project);
    for _ in 0..2 {
        client.open(PROMPT_PATH, &PROMPT.replace("stamps", "labels"));
        client.wait_for(PROMPT_PATH, "dangling-reference", true);
        client.close(PROMPT_PATH);
        client.settle(PROMPT_PATH);
        client.published.clear();
    }
}

#[test]
fn each_file_belongs_to_the_nearest_workspace() {
    let project = project()
        .file("inner/.faber/config.yml", "roles: [roles]\n")
        .file("inner/roles/smith/prompt.md", "# Smith\n\nSee `specialist-stamps.md`.\n")
        .file("outside.txt", "");
    let mut client = Client::start(&project);
    let path = "inner/roles/smith/prompt.md";
    client.open(path, "# Smith\n\n- Load `specialist-stamps.md`\n");
    client.wait_for(path, "dangling-reference", true);
    assert!(client.rules(PROMPT_PATH).iter().all(|(rule, _)| rule != "dangling-reference"));
    client.close(path);
    client.wait_for(path, "dangling-reference", false);
    let uri = "file:///nowhere/at/all/x.md";
    let item =
        json!({ "uri": uri, "languageId": "markdown", "version": 1, "text": "`/contexts/no.md`" });
    client.notify("textDocument/didOpen", json!({ "textDocument": item }));
    let asked =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 3 } });
    assert_eq!(client.ask("textDocument/hover", asked), Value::Null);
    assert!(!client.published.contains_key(uri));
}

#[test]
fn nonsense_is_refused_and_the_server_goes_on() {
    let project = project();
    let mut client = Client::silent(&project);
    let code = |client: &mut Client, id: Value| client.answer(&id)["error"]["code"].clone();
    let id = client.request("textDocument/hover", json!({}));
    assert_eq!(code(&mut client, json!(id)), -32002, "before it is initialized");
    client.send_raw(&frame("{"));
    assert_eq!(code(&mut client, Value::Null), -32700);
    client.send_raw(&frame("{\"jsonrpc\":\"2.0\",\"id\":\"x\"}"));
    assert_eq!(code(&mut client, json!("x")), -32600);
    let id = client.request("initialize", json!({ "capabilities": 3 }));
    assert_eq!(code(&mut client, json!(id)), -32602);
    let hello = client::hello(&client.uri(""));
    client.ask("initialize", hello.clone());
    let id = client.request("initialize", hello);
    assert_eq!(code(&mut client, json!(id)), -32600, "twice");
    let id = client.request("textDocument/rename", json!({}));
    assert_eq!(code(&mut client, json!(id)), -32601);
    for params in
        [json!({}), json!({ "textDocument": { "uri": client.uri(SEAL_PATH) } }), json!([])]
    {
        let id = client.request("textDocument/hover", params);
        assert_eq!(code(&mut client, json!(id)), -32602);
    }
    for method in ["textDocument/didOpen", "textDocument/didChange", "$/cancelRequest", "$/unknown"]
    {
        client.notify(method, json!({ "x": 1 }));
    }
    client.change("nowhere.md", Some([9, 9, 1, 1]), "x");
    let far = client.ask_at("textDocument/hover", SEAL_PATH, (999, 999));
    assert_eq!(far, Value::Null);
    assert_eq!(client.ask("shutdown", Value::Null), Value::Null);
    let id = client.request("textDocument/hover", json!({}));
    assert_eq!(code(&mut client, json!(id)), -32600, "behind its end");
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(), Some(0));
}

#[test]
fn a_request_that_is_taken_back_is_refused() {
    let project = project();
    let mut client = Client::start(&project);
    let asked = json!({ "query": "" });
    let all: Vec<i64> =
        (0..200).map(|_| client.request("workspace/symbol", asked.clone())).collect();
    let last = *all.last().unwrap();
    client.notify("$/cancelRequest", json!({ "id": last }));
    client.notify("$/cancelRequest", json!({ "id": 9999 }));
    let answer = client.answer(&json!(last));
    assert!(answer["error"]["code"] == -32800 || answer["result"].is_array(), "{answer}");
    assert!(client.answer(&json!(all[0]))["result"].is_array());
}

#[test]
fn the_exit_status_depends_on_a_shutdown_request() {
    let project = project();
    let mut client = Client::start(&project);
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(), Some(1), "without a shutdown");
    assert_eq!(Client::start(&project).end(), (Some(0), String::new()));
    let mut broken = Client::start(&project);
    broken.send_raw("hello\r\n\r\n");
    assert_eq!(broken.ended(), Some(2));
    let run = project.run_with_input(&["lsp"], "hello\n");
    run.refused(2, &["cannot read standard input: a header has no `:`", "help: editors start"]);
}
