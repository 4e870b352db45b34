//! Errors that clients see.

use super::*;

#[test]
fn a_broken_configuration_is_shown_to_the_client() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let project = project.file(".faber/config.yml", "settings: { role: clerk }\nsearch: [\n");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let failed = session.call("search_context", &json!({"query": "letters"}));
    let listed = session.ask("resources/list", &json!({}));
    for said in [text(&failed), listed["error"]["message"].as_str().unwrap()] {
        let place = "invalid-config at .faber/config.yml:2";
        assert!(said.contains(place) && said.contains("this `[` is not closed"), "{said}");
    }
    drop(project);
}

#[test]
fn help_names_arguments_of_tools() {
    let project = TestProject::with_role()
        .file("roles/cook/prompt.md", "# Cook\n\nYou cook.\n")
        .file("contexts/standards/standards-none.md", "# None\n\nAlone.\n");
    let mut session = Session::start(&project, &[]);
    let failed = session.call("assemble_prompt", &json!({"request": "x"}));
    assert_eq!(
        text(&failed),
        "the workspace has several roles\npass `role`; list_roles returns them"
    );
    for (arguments, said) in [
        (
            json!({"query": "x", "limit": "3"}),
            "`limit` must be a number from 1 to 10, not the string \"3\"",
        ),
        (json!({"query": "x", "scope": "organisation"}), "\ndid you mean `organization`?"),
        (json!({"query": "x", "role": null, "cursor": true}), "`cursor` must be a string"),
    ] {
        let failed = session.call("search_context", &arguments);
        assert!(text(&failed).contains(said), "{failed}");
    }
    let loose = json!({"query": "x", "limit": 3.0, "scope": null});
    assert_ne!(session.call("search_context", &loose)["isError"], true);
    let none = session.call(
        "expand_context",
        &json!({"id": "standard/none", "include": ["contradictions", "related"], "role": "cook"}),
    );
    assert_eq!(text(&none), "\"standard/none\" has no contradictions and no related contexts.");
    let files = session.call("assemble_prompt", &json!({"role": "cook", "files": "a"}));
    assert!(text(&files).contains("`files` must be a list"), "{files}");
    let wrong = json!({"id": "standard/none", "include": ["related", "evidance"]});
    let wrong = session.call("expand_context", &wrong);
    assert!(text(&wrong).contains("not the string \"evidance\""), "{wrong}");
    assert!(text(&wrong).contains("did you mean `evidence`?"), "{wrong}");
    let long = json!({"role": "cook", "request": "z ".repeat(30_000), "budget": 20_000});
    let long = session.call("assemble_prompt", &long);
    let advice = "; shorten them, as the largest budget is 20000";
    assert!(text(&long).ends_with(advice), "{long}");
}

#[test]
fn a_cursor_is_of_one_list() {
    let project = super::workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    for (tool, first, other) in [
        ("search_context", json!({"query": "letters", "limit": 1}), json!({"query": "parcels"})),
        ("list_contexts", json!({"limit": 1}), json!({"category": "standard"})),
    ] {
        let cursor = session.call(tool, &first)["structuredContent"]["next_cursor"].take();
        let mut next = first.clone();
        next["cursor"] = cursor.clone();
        next["limit"] = 2.into();
        assert_eq!(session.call(tool, &next)["isError"], false);
        let mut next = other.clone();
        next["cursor"] = cursor;
        let refused = session.call(tool, &next);
        assert!(text(&refused).contains("is of another request"), "{refused}");
        next["cursor"] = "from-1".into();
        let refused = session.call(tool, &next);
        assert!(text(&refused).contains("the cursor `from-1` is invalid"), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_name_is_one_line() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-evil\nx.md", "# T \u{202e} evil\n\nText zeb.\n");
    let run = project.run(&["assemble", "--request", "zeb"]);
    run.refused(2, &["bidi-control", "[contexts/standards/standards-evil\\nx.md:1:"]);
    let mut session = Session::start(&project, &[]);
    let refused = session.call("assemble_prompt", &json!({"request": "zeb"}));
    let said = text(&refused);
    assert!(said.contains("bidi-control at contexts/standards/standards-evil\\nx.md:1"), "{said}");
}

#[test]
fn the_configured_limit_of_results_is_no_error_of_the_client() {
    let project = workspace().file(".faber/config.yml", "search: { limit: 50 }\n");
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let found = session.call("search_context", &json!({"query": "letters"}));
    assert_eq!(found["isError"], false, "{found}");
}

#[test]
fn what_only_the_user_can_change_is_said_at_the_start() {
    let project = workspace();
    let refused = project.run(&["serve", "--platform", "nope"]);
    refused.refused(2, &["unknown platform `nope`"]);
    let (code, said) = Session::start(&project, &["--team", "nope"]).end();
    assert!(code == Some(0) && said.contains("unknown-overlay"), "{said}");
}

#[test]
fn ids_of_results_are_those_of_contexts_to_include() {
    let project = workspace()
        .file("roles/cook/prompt.md", "# Cook\n\nYou cook.\n")
        .file("roles/cook/contexts/standards/standards-soup.md", "# Soup\n\n## Salt\n\nLast.\n");
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let soup = "@role:cook/standard/soup";
    for (role, id, loaded) in [
        ("clerk", "specialist/stamps#rare-ones", "specialist/stamps"),
        ("clerk", "@role:clerk/specialist/stamps", "specialist/stamps"),
        ("cook", soup, "standard/soup"),
        ("cook", "@role:cook/standard/soup#salt", "standard/soup"),
        ("clerk", soup, soup),
    ] {
        let arguments = json!({"role": role, "request": "x", "with": [id]});
        let made = session.call("assemble_prompt", &arguments);
        let contexts = made["structuredContent"]["contexts"].as_array();
        let contexts = contexts.unwrap_or_else(|| panic!("{id}: {made}"));
        assert!(contexts.iter().any(|context| context["id"] == loaded), "{id}: {made}");
    }
}
