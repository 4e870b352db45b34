//! Shared stores; skipped without PostgreSQL (`.ci/postgres run cargo test`).

use std::sync::atomic::{AtomicU32, Ordering};

use crate::project::TestProject;

fn database() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var("FABER_TEST_POSTGRES") else {
        println!("skipped: no PostgreSQL; `.ci/postgres run cargo test` starts one");
        return None;
    };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("faber_cli_{}_{number}", std::process::id());
    let address = faber_store::StoreAddress::parse(&server, &[]).unwrap();
    faber_store::Store::connect(&address).unwrap().create_database(&name).unwrap();
    Some(format!("{}/{name}", server.rsplit_once('/').unwrap().0))
}

const KEYS: &str = "# Rotation\n\nRotate API keys every 90 days.\n";
const SALES: &str = "---\ngroups: [sales]\n---\n# Discounts\n\nNever more than 30 percent.\n";

fn workspace(url: &str) -> TestProject {
    TestProject::new()
        .env("FABER_STORE_URL", url)
        .file("contexts/standards/standard-keys.md", KEYS)
        .file("contexts/standards/standard-discounts.md", SALES)
}

fn pushed() -> Option<(String, TestProject)> {
    let url = database()?;
    let project = workspace(&url);
    let run = project.run(&["store", "init"]);
    assert!(
        run.code == 0 && run.stderr.contains("knowledge, audit, retention, visible, vectors"),
        "{}",
        run.stderr
    );
    let run = project.run(&["store", "push", "--space", "acme/orbit", "--revision", "r1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("pushed acme/orbit at r1: 2 added"), "{}", run.stderr);
    Some((url, project))
}

#[test]
fn a_store_answers_where_there_is_no_workspace() {
    let Some((url, _project)) = pushed() else { return };
    let elsewhere = TestProject::empty().env("FABER_STORE_URL", &url);
    let data = elsewhere.json(&["search", "rotate keys", "--format", "json", "--store"]);
    assert_eq!(data["results"][0]["id"], "@space:acme/orbit/standard/keys");
    let one = ["--space", "acme/orbit", "--store"];
    let text = elsewhere.stdout(&[&["search", "rotate keys"][..], &one].concat());
    assert!(text.contains("Rotate API keys"), "{text}");
    let text = elsewhere.stdout(&[&["query", "how often are keys rotated"][..], &one].concat());
    assert!(text.contains("every 90 days"), "{text}");
    let text = elsewhere.stdout(&["expand", "@space:acme/orbit/standard/keys#rotation", "--store"]);
    assert!(text.contains("every 90 days"), "{text}");
    let text = elsewhere.stdout(&[&["expand", "standard/keys"][..], &one].concat());
    assert!(text.contains("every 90 days"), "{text}");
    let text = elsewhere.stdout(&["catalog", "--store"]);
    assert!(text.contains("1 standard; topics: keys") && !text.contains("discounts"), "{text}");
    let text = elsewhere.stdout(&["store", "status"]);
    assert!(text.contains("acme/orbit, 2 items in 2 passages, r1"), "{text}");
    let data = elsewhere.json(&["store", "status", "--format", "json"]);
    assert_eq!(
        (&data["schema"], &data["spaces"][0]["items"]),
        (&"faber.store/1".into(), &2.into())
    );
}

#[test]
fn a_push_names_what_it_leaves_out() {
    let Some((_, project)) = pushed() else { return };
    let project =
        project.bytes("contexts/standards/standard-bytes.md", b"# A\n\n\xff\xfe alpha\n").file(
            "contexts/standards/standard-status.md",
            "---\nstatus: x\nowner: [a\n---\n# C\n\nc\n",
        );
    let run = project.run(&["store", "push", "--space", "acme/orbit"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&[
        "left out: contexts/standards/standard-bytes.md:3:1: error[not-utf8]",
        "left out: contexts/standards/standard-status.md:",
        "2 unchanged",
    ]);
    assert_eq!(run.stderr.matches("left out: ").count(), 2, "{}", run.stderr);
    let run = project.run(&["search", "keys", "--space", "acme/none", "--store"]);
    run.refused(2, &["no space `acme/none` that you may see"]);
}

#[test]
fn a_store_answers_as_the_workspace_does() {
    let Some((_, project)) = pushed() else { return };
    for (principal, question) in [
        ("ann", "rotate keys"),
        ("bob:sales", "discounts in percent"),
        ("ann", "discounts in percent"),
    ] {
        let ask = ["search", question, "--as", principal, "--format", "json"];
        let own = project.json(&ask);
        let stored = project.json(&[&ask[..], &["--space", "acme/orbit", "--store"]].concat());
        assert_eq!(own, stored, "{principal}: {question}");
        let is_hidden = !stored.to_string().contains("30 percent");
        assert_eq!(is_hidden, principal == "ann", "{principal}: {question}");
    }
}

#[test]
fn the_workspace_answers_while_the_store_is_away() {
    let project = workspace("postgres://faber@127.0.0.1:1/none");
    let run = project.run(&["search", "rotate keys", "--format", "json", "--store"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("the store is not available (127.0.0.1:1/none: "),
        "{}",
        run.stderr
    );
    let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(data["results"][0]["id"], "standard/keys");
    assert!(data["store_away"].as_str().unwrap().starts_with("127.0.0.1:1/none: "));
    let run = project.run(&["query", "rotate keys", "--store"]);
    assert!(run.code == 0 && run.stderr.contains("answered from this workspace"), "{}", run.stderr);
    for command in [&["query", "rotate keys"][..], &["catalog"], &["expand", "standard/keys"]] {
        let run = project.run(&[command, &["--format", "json", "--store"]].concat());
        let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let why = data["store_away"].as_str().unwrap_or_default();
        assert!(why.starts_with("127.0.0.1:1/none: "), "{command:?}: {data}");
        let own = project.json(&[command, &["--format", "json"]].concat());
        assert_eq!(own.get("store_away"), None, "{command:?}");
    }
    let elsewhere = TestProject::empty();
    let run = elsewhere.run(&["search", "keys", "--store=postgres://faber@127.0.0.1:1/none"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the store is not available"), "{}", run.stderr);
    let run = project.run(&["store", "push", "--space", "acme/orbit"]);
    assert!(run.code == 2 && run.stderr.contains("the store is not available"), "{}", run.stderr);
}

#[test]
fn a_store_is_named_by_the_user_alone() {
    let project = TestProject::new()
        .file(".faber/config.yml", "store: { url: 'postgres://evil.example/x' }\n")
        .file("contexts/standards/standard-keys.md", KEYS);
    let run = project.run(&["search", "keys", "--store"]);
    assert!(run.code == 2 && run.stderr.contains("no store configured"), "{}", run.stderr);
    let mut command = project.faber(&["validate"]);
    let output = command.env("FABER_STORE_URL", "postgres://u:hush@h/x").output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("FABER_STORE_URL"));
    let run = project.run(&["validate"]);
    assert!(run.stdout.contains("only read from the user's own configuration"), "{}", run.stdout);
    let run = project.run(&["search", "--store", "keys"]);
    assert!(run.stderr.contains("`--store keys` is not the address of a store"), "{}", run.stderr);
    let run = project.run(&["search", "keys", "--space", "acme/orbit"]);
    assert!(run.code == 2 && run.stderr.contains("--store"), "{}", run.stderr);
    let run = project.run(&["store", "push", "--space", "acme", "--store=postgres://h/x"]);
    assert!(run.stderr.contains("invalid space `acme`"), "{}", run.stderr);
    let run = project.run(&["search", "keys", "--store=postgres://h/x?sslmode=maybe"]);
    assert!(run.stderr.contains("unknown `sslmode` `maybe`"), "{}", run.stderr);
    for address in ["postgre://u:hush@h/x", "postgres://u:p@hush@h/x", "host=h password=hush"] {
        let run = project.run(&["search", "keys", &format!("--store={address}")]);
        assert!(run.code == 2 && !run.stderr.contains("hush"), "{}", run.stderr);
    }
    let revision = "--revision=\u{1b}[31mred";
    let run = project.run(&["store", "push", "--space=a/b", revision, "--store=postgres://h/x"]);
    assert!(run.code == 2 && run.stderr.contains("the revision"), "{}", run.stderr);
}

#[test]
fn source_files_are_copied_and_never_overwritten() {
    let Some((url, _project)) = pushed() else { return };
    let elsewhere = TestProject::empty()
        .env("FABER_STORE_URL", &url)
        .file("copy/contexts/standards/standard-keys.md", "# Mine\n");
    let pull = ["store", "pull", "copy", "--space", "acme/orbit", "--as"];
    let run = elsewhere.run(&[&pull[..], &["bob:sales"]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("already exists with different content"), "{}", run.stderr);
    assert!(run.stderr.contains("1 file written, 0 unchanged, 1 conflict\n"), "{}", run.stderr);
    assert_eq!(elsewhere.text("copy/contexts/standards/standard-keys.md"), "# Mine\n");
    assert_eq!(elsewhere.text("copy/contexts/standards/standard-discounts.md"), SALES);
    let other = TestProject::empty().env("FABER_STORE_URL", &url);
    let run = other.run(&[&pull[..], &["ann"]].concat());
    assert_eq!((run.code, other.files().len()), (0, 1), "{}", run.stderr);
}

#[test]
fn spaces_are_dropped_and_persons_forgotten() {
    let Some((url, project)) = pushed() else { return };
    let private = "---\nowner: bob\nvisibility: private\n---\n# Plan\n\nBob buys wolframite.\n";
    let project = project.file(".faber/history/plan.md", private);
    let run = project.run(&["store", "push", "--space", "acme/orbit", "--revision", "r2"]);
    assert!(run.stderr.contains("1 added, 0 changed, 0 removed, 2 unchanged"), "{}", run.stderr);
    assert!(!run.stderr.contains("of another workspace"), "{}", run.stderr);
    let other = TestProject::new()
        .env("FABER_STORE_URL", &url)
        .file("contexts/standards/standard-tea.md", "# Tea\n\nSteep it.\n");
    let run = other.run(&["store", "push", "--space", "acme/orbit"]);
    assert!(
        run.stderr.contains("check that the space belongs to this workspace"),
        "{}",
        run.stderr
    );
    assert_eq!(project.run(&["store", "push", "--space", "acme/orbit"]).code, 0);
    let ask = ["search", "wolframite", "--as", "bob", "--store"];
    assert!(project.stdout(&ask).contains("wolframite"));
    let data = project.json(&["store", "forget", "--owner", "bob", "--format", "json"]);
    assert_eq!(
        (&data["items"], &data["documents"], &data["left"]),
        (&1.into(), &1.into(), &0.into())
    );
    assert!(!project.run(&ask).stdout.contains("wolframite"));
    let run = project.run(&["store", "forget"]);
    assert_eq!(run.code, 2);
    let run = project.run(&["store", "drop", "--space", "acme/orbit"]);
    assert!(run.code == 0 && run.stderr.contains("removed acme/orbit, 2 items"), "{}", run.stderr);
    let run = project.run(&["store", "drop", "--space", "acme/orbit"]);
    assert!(run.code == 2 && run.stderr.contains("no space `acme/orbit`"), "{}", run.stderr);
}

fn call(session: &str, principal: &str, id: &str) -> String {
    format!(
        "{{\"schema\":\"faber.audit/1\",\"time\":\"2026-01-15T09:00:00.000Z\",\"session\":\"{session}\",\
         \"principal\":\"{principal}\",\"tool\":\"search_context\",\"results\":[\"{id}\"],\"outcome\":\"ok\"}}\n"
    )
}

#[test]
fn lines_of_logs_come_to_the_store_once() {
    let Some((_, project)) = pushed() else { return };
    let twice = call("s1", "ann:eng", "standard/keys#rotation");
    let first = format!("{twice}{twice}not a line\n");
    let project = project.file(".faber/state/audit.jsonl", &first);
    let ship = ["audit", "ship"];
    assert!(project.run(&ship).stderr.contains("shipped 2 lines to"), "equal lines are two calls");
    assert!(project.run(&ship).stderr.contains("shipped 0 lines"), "none comes twice");
    let later = call("s1", "bob", "standard/tea") + &call("s2", "ann:eng", "standard/keys");
    let project =
        project.file(".faber/state/audit.1.jsonl", &first).file(".faber/state/audit.jsonl", &later);
    let run = project.run(&ship);
    assert!(
        run.stderr.contains("shipped 2 lines") && run.stderr.contains("2 skipped"),
        "{}",
        run.stderr
    );
    let text = project.stdout(&["audit", "who-saw", "standard/keys"]);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(
        text.contains("2026-01-15T09:00:00.000Z  ann:eng  search_context  standard/keys\n"),
        "{text}"
    );
    let of_space = call("s3", "eve", "@space:acme/orbit/standard/keys")
        + &call("s3", "eve", "@space:acme/small/standard/keys#rotation");
    let project = project.file(".faber/state/audit.jsonl", &(later + &of_space));
    project.run(&ship);
    for (id, lines) in [
        ("standard/keys", 5),
        ("standard/keys#rotation", 5),
        ("standard/keys#other", 2),
        ("standard/key", 0),
        ("@space:acme/orbit/standard/keys", 1),
        ("@space:acme/small/standard/keys", 1),
    ] {
        let run = project.run(&["audit", "who-saw", id]);
        assert_eq!(run.stdout.lines().count(), lines, "{id}");
        let is_partial = run.stderr.contains("`faber audit who-saw standard/keys` also has those");
        assert_eq!(is_partial, id.starts_with('@'), "{id}: {}", run.stderr);
    }
    let data = project.json(&["audit", "of", "ann", "--format", "json"]);
    assert_eq!(data["calls"].as_array().unwrap().len(), 3);
    assert_eq!(data["calls"][0]["session"], "s1");
    let data = project.json(&["stats", "--format", "json", "--store"]);
    assert_eq!(data["tools"][0]["calls"], 6, "{data}");
    let data = project.json(&["store", "forget", "--principal", "ann", "--format", "json"]);
    assert_eq!((&data["audit_lines"], &data["left"]), (&3.into(), &0.into()));
    assert_eq!(project.run(&["audit", "of", "ann"]).stderr, "no calls\n");
    assert!(project.run(&ship).stderr.contains("shipped 0 lines"));
}

#[test]
fn tools_of_a_server_ask_the_store() {
    let Some((url, project)) = pushed() else { return };
    let ask = |store: &str| {
        let mut lines = String::new();
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_context","arguments":{"query":"rotate keys"}}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"expand_context","arguments":{"id":"@space:acme/orbit/standard/keys"}}}"#,
        ] {
            lines += message;
            lines.push('\n');
        }
        let serve = ["serve", "--as", "ann", &format!("--store={store}")];
        project.run_with_input(&serve, &lines)
    };
    let run = ask(&url);
    assert!(run.code == 0 && run.stdout.contains("@space:acme/orbit/standard/keys"), "{run:?}");
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    let run = ask("postgres://faber@127.0.0.1:1/none");
    assert!(run.stdout.contains("The shared store is not available"), "{run:?}");
    assert!(run.stdout.contains("\"store_away\":\"The shared store is not available"), "{run:?}");
    let unknown = run.stdout.lines().find(|line| line.contains("\"id\":3")).unwrap();
    let away = "unknown id `@space:acme/orbit/standard/keys`";
    assert!(unknown.contains(away) && unknown.contains("The shared store is not"), "{unknown}");
    let run = project.run(&["serve", "--allow-scope", "team", "--store"]);
    assert!(
        run.code == 2 && run.stderr.contains("`--allow-scope` cannot be used"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_server_ships_what_is_new() {
    let Some((_, project)) = pushed() else { return };
    let log = ".faber/state/audit.jsonl";
    let first = call("s1", "ann", "standard/keys");
    let project = project.file(log, &(first.clone() + &call("s2", "bob", "standard/keys")));
    assert!(project.run(&["audit", "ship"]).stderr.contains("shipped 2 lines to"));
    let calls = |project: &TestProject, user: &str| {
        let data = project.json(&["audit", "of", user, "--format", "json"]);
        data["calls"].as_array().unwrap().len()
    };
    let serve = |project: &TestProject, user: &str| {
        let mut command = project.faber(&["serve", "--as", "ann", "--store"]);
        let input = std::process::Stdio::piped();
        let mut server = command.stdin(input).stdout(std::process::Stdio::null()).spawn().unwrap();
        let begun = std::time::Instant::now();
        while calls(project, user) == 0 && begun.elapsed().as_secs() < 20 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        server.kill().unwrap();
        server.wait().unwrap();
    };
    let changed = call("s2", "eve", "standard/keys");
    let project = project.file(log, &(first.clone() + &changed + &call("s3", "cid", "y")));
    serve(&project, "cid");
    assert_eq!(["ann", "bob", "eve"].map(|user| calls(&project, user)), [1, 1, 0]);
    let Some(url) = database() else { return };
    let project = project.env("FABER_STORE_URL", &url);
    assert_eq!(project.run(&["store", "init"]).code, 0);
    let project = project.file(log, &(first + &changed + &call("s4", "dee", "z").repeat(2)));
    serve(&project, "dee");
    assert_eq!(["ann", "eve"].map(|user| calls(&project, user)), [1, 1]);
}

#[test]
fn a_store_keeps_entries_for_as_long_as_the_user_says() {
    let Some((_, project)) = pushed() else { return };
    let run = project.run(&["store", "prune"]);
    assert!(run.code == 2 && run.stderr.contains("`store.keep_days` is not set"), "{}", run.stderr);
    let days = "store: { keep_days: { history: 30, memories: 30, audit: 1 } }\n";
    let project = project.file(".faber/config.yml", days);
    assert_eq!(project.run(&["store", "prune"]).code, 2);
    let old = "---\nupdated: 2020-01-01\n---\n# Plan\n\nBuy wolframite.\n";
    let lines = call("s1", "ann", "standard/keys").replace("2026", "2020");
    let project = project
        .file(".faber/config.yml", "")
        .file(".faber/history/plan.md", old)
        .file(".faber/state/audit.jsonl", &lines);
    let push = ["store", "push", "--space", "acme/orbit"];
    assert!(project.run(&push).stderr.contains("1 added"));
    assert!(project.run(&["audit", "ship"]).stderr.contains("shipped 1 line"));
    let project = project.file("../home/.config/faber/config.yml", days);
    let run = project.run(&["store", "prune"]);
    assert!(
        run.stderr.contains("0 parts of conversations, 1 note, 1 line of audit logs"),
        "{}",
        run.stderr
    );
    assert!(!project.run(&["search", "wolframite", "--store"]).stdout.contains("wolframite"));
    let run = project.run(&push);
    assert!(run.stderr.contains("skipped 1 of history and memories"), "{}", run.stderr);
    assert!(project.run(&["audit", "ship"]).stderr.contains("shipped 0 lines"));
}
