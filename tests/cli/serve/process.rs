//! Port, log and shutdown.

use super::*;

#[test]
fn a_server_on_a_port_wants_its_token() {
    let project = workspace().env("FABER_HTTP_TOKEN", "open-sesame");
    let mut command = project.faber(&["serve", "--http", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address =
        line.trim().strip_prefix("serving http://").unwrap().strip_suffix("/mcp").unwrap();
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello()}).to_string();
    let status = |extra: &str, host: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{extra}Connection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        answer.split_whitespace().nth(1).unwrap().to_owned()
    };
    let token = "Authorization: Bearer open-sesame\r\n";
    assert_eq!(status(token, address), "200");
    assert_eq!(status("", address), "401", "no token");
    assert_eq!(status("Authorization: Bearer open\r\n", address), "401", "another token");
    assert_eq!(status(token, "example.org"), "403", "a name that was made to lead here");
    let page = format!("{token}Origin: http://example.org\r\n");
    assert_eq!(status(&page, address), "403", "a page of somewhere else");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn calls_are_written_down() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk", "--as", "eve:board"]);
    session.call("assemble_prompt", &json!({"request": "stamps"}));
    session.call("search_context", &json!({"query": "letters", "limit": 2}));
    session.call("expand_context", &json!({"id": "nothing"}));
    session.ask("resources/read", &json!({"uri": "faber://context/standard/letters"}));
    session.ask("tools/list", &json!({}));
    session.end();
    let log = project.text(".faber/state/audit.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let tools: Vec<&str> = lines.iter().map(|line| line["tool"].as_str().unwrap()).collect();
    let expected = ["assemble_prompt", "search_context", "expand_context", "resources/read"];
    assert_eq!(tools, expected, "calls are, lists are not");
    for line in &lines {
        assert_eq!(
            (&line["session"], &line["principal"]),
            (&lines[0]["session"], &json!("eve:board"))
        );
        assert!(line["time"].as_str().unwrap().ends_with('Z') && line["milliseconds"].is_number());
    }
    assert_eq!(lines[1]["arguments"], json!({"query": "letters", "limit": 2}));
    assert_eq!(lines[1]["results"].as_array().unwrap().len(), 2);
    assert!(
        lines[1]["tokens"].as_u64().unwrap() > 10 && lines[1]["relevance"].as_f64().unwrap() > 0.1
    );
    assert_eq!(
        (&lines[2]["outcome"], &lines[2]["error"]),
        (&json!("error"), &json!("faber::unknown"))
    );
    assert!(
        lines[0]["contexts"]["used"].as_u64().unwrap()
            < lines[0]["contexts"]["loaded"].as_u64().unwrap()
    );
    assert_eq!(project.text(".faber/state/.gitignore"), "*\n");
    let stats = project.json(&["stats", "--format", "json"]);
    assert_eq!(stats["sessions"], 1, "{stats}");
}

#[test]
fn cancelled_calls_leave_the_queue() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let ask = |id: u32| {
        let arguments = json!({"request": format!("stamps and letters {id}")});
        let params = json!({"name": "assemble_prompt", "arguments": arguments});
        let cancel = json!({"requestId": id});
        [
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}),
        ]
    };
    let lines: Vec<String> = (1000..1400).flat_map(ask).map(|it| it.to_string()).collect();
    session.send(&lines.join("\n"));
    assert_eq!(session.call("list_roles", &json!({}))["isError"], false);
    session.end();
    let log = project.text(".faber/state/audit.jsonl");
    let calls = log.lines().filter(|line| line.contains("assemble_prompt")).count();
    assert!(calls < 200, "{calls} of 400 cancelled calls were answered");
}

#[test]
fn calls_are_refused_when_a_required_log_cannot_be_written() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk", "--audit-required"]);
    let letters = json!({"query": "letters"});
    assert_eq!(session.call("search_context", &letters)["isError"], false);
    std::fs::remove_dir_all(project.path(".faber/state")).unwrap();
    std::fs::write(project.path(".faber/state"), "in the way").unwrap();
    let refused = session.call("search_context", &letters);
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(
        text(&refused).contains("audit.jsonl") && !text(&refused).contains("Sort"),
        "{refused}"
    );
    session.end();
    project.run(&["serve", "--audit-required"]).refused(2, &["audit.jsonl"]);
    let session = Session::start(&project, &["--role", "clerk"]);
    let (code, said) = session.end();
    assert_eq!(code, Some(0));
    assert!(said.contains("calls are not logged"), "{said}");
    let off = workspace().file(".faber/config.yml", "audit: false\n");
    off.run(&["serve", "--audit-required"]).refused(2, &["`audit` is off"]);
    let mut session = Session::start(&off, &["--role", "clerk"]);
    session.call("search_context", &letters);
    session.end();
    assert!(!off.path(".faber/state").exists());
}

#[test]
fn editing_a_file_does_not_change_the_principal() {
    let project = workspace();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    let diary = json!({"id": "reference/diary"});
    assert_eq!(session.call("expand_context", &diary)["isError"], true);
    let project = project.file(".faber/config.yml", "access: { user: ada }\n");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(session.call("expand_context", &diary)["isError"], true);
    session.end();
    let mut session = Session::start(&project, &["--role", "clerk"]);
    assert_eq!(session.call("expand_context", &diary)["isError"], false, "but from the start");
}

#[test]
fn a_workspace_that_is_gone_is_not_another_one() {
    let project = workspace()
        .file("inner/.faber/config.yml", "audit: false\n")
        .file("inner/roles/clerk/prompt.md", "# Inner\n");
    let mut session = Session::start(&project, &["-C", "inner"]);
    std::fs::remove_dir_all(project.path("inner/.faber")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    let found = session.call("search_context", &json!({"query": "letters"}));
    assert!(text(&found).starts_with("no faber workspace in"), "{found}");
    assert!(!project.path("inner/.faber").exists(), "and nothing of it comes back");
}

#[test]
fn a_port_of_all_machines_is_refused() {
    let project = workspace();
    project.run(&["serve", "--http", "0.0.0.0:0"]).refused(2, &["reachable from other machines"]);
    project.run(&["serve", "--http", "here"]).refused(2, &["not an address with a port"]);
    TestProject::empty().run(&["serve"]).refused(2, &["no faber workspace"]);
}

#[cfg(unix)]
#[test]
fn a_server_ends_on_a_signal() {
    for signal in ["-INT", "-TERM"] {
        let project = workspace();
        let mut session = Session::start(&project, &[]);
        let id = session.child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(session.child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn a_client_that_goes_away_in_the_middle_is_a_normal_end() {
    let project = workspace();
    for keeps_input in [false, true] {
        let mut session = Session::start(&project, &[]);
        for id in 100..140 {
            session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string());
        }
        let Session { mut child, input, output, .. } = session;
        drop(output);
        let input = Some(input).filter(|_| keeps_input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        drop(input);
    }
}
