//! `faber serve --http` with hostile or slow clients.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::project::TestProject;
use crate::server::{Server, read};

const TOKEN: &str = "Authorization: Bearer open-sesame\r\n";
const POST: &str = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
    Accept: application/json, text/event-stream\r\n";

fn start(project: &TestProject) -> Server {
    let mut command = project.faber(&["serve", "--http", "127.0.0.1:0"]);
    command.env("FABER_HTTP_TOKEN", "open-sesame");
    Server::spawn(command)
}

#[test]
fn a_port_in_use_is_named() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let run = TestProject::with_role().run(&["serve", "--http", &address]);
    run.refused(2, &[&address, "help: choose another port"]);
}

#[test]
fn host_and_origin_name_the_server_once() {
    let project = TestProject::with_role();
    let server = start(&project);
    let own = server.address.clone();
    let port = own.rsplit(':').next().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let status = |headers: &str| server.send(&format!("{POST}{TOKEN}{headers}"), &ping).status;
    for good in [
        format!("Host: {own}\r\n"),
        format!("Host: LocalHost:{port}\r\nOrigin: http://localhost:{port}\r\n"),
    ] {
        assert!(![0, 401, 403].contains(&status(&good)), "{good}");
    }
    for bad in [
        String::new(),
        format!("Host: evil.example@{own}\r\n"),
        format!("Host: {own}\r\nHost: {own}\r\n"),
        format!("Host: {own}\r\nHost: evil.example\r\n"),
        format!("Host: evil.example, {own}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: {own}\r\nOrigin: http://{own}\r\nOrigin: http://evil.example\r\n"),
        format!("Host: {own}\r\nOrigin: http://evil.example@{own}\r\n"),
        format!("Host: {own}\r\nOrigin: null\r\n"),
    ] {
        let status = status(&bad);
        assert!([400, 403].contains(&status), "{bad}: {status}");
    }
}

#[test]
fn invalid_messages_get_errors_of_the_protocol() {
    let project = TestProject::with_role();
    let server = start(&project);
    for (body, code) in [
        ("hello", -32700),
        ("", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,", -32700),
        ("[]", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"id\":7,\"method\":\"ping\"}", -32600),
    ] {
        let headers = format!("{POST}{TOKEN}Host: {}\r\n", server.address);
        let answer = server.send(&headers, body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(answer.head.contains("content-type: application/json"), "{body}: {answer:?}");
        let data: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((&data["jsonrpc"], &data["error"]["code"]), (&json!("2.0"), &json!(code)));
    }
}

#[test]
fn a_client_may_accept_any_type() {
    let project = TestProject::with_role();
    let server = start(&project);
    let session = server.initialize(TOKEN).session();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}).to_string();
    let status = |accept: &str| {
        let lines = format!(
            "{TOKEN}Mcp-Session-Id: {session}\r\nContent-Type: application/json\r\nAccept: {accept}\r\n"
        );
        server.request("POST /mcp", &lines, &ping).status
    };
    assert_eq!(status("*/*"), 200);
    assert_eq!(status("text/html, */*;q=0.8"), 200);
    assert_eq!(status("text/html"), 406);
}

#[test]
fn sessions_are_few() {
    let project = TestProject::with_role();
    let server = start(&project);
    let named = |session: &str| format!("{TOKEN}Mcp-Session-Id: {session}\r\n");
    let first = server.initialize(TOKEN).session();
    let second = server.initialize(TOKEN).session();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let mut last = String::new();
    for _ in 0..63 {
        assert_eq!(server.ask(&named(&first), &ping).status, 200);
        last = server.initialize(TOKEN).session();
    }
    assert_eq!(server.ask(&named(&second), &ping).status, 404);
    for used in [&first, &last] {
        assert_eq!(server.ask(&named(used), &ping).status, 200);
    }
}

#[test]
fn ended_sessions_do_not_count() {
    let project = TestProject::with_role();
    let server = start(&project);
    let named = |session: &str| format!("{TOKEN}Mcp-Session-Id: {session}\r\n");
    let first = server.initialize(TOKEN).session();
    for _ in 0..64 {
        let other = server.initialize(TOKEN).session();
        assert_eq!(server.request("DELETE /mcp", &named(&other), "").status, 202);
    }
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(server.ask(&named(&first), &ping).status, 200);
}

#[test]
fn silent_connections_block_no_other() {
    let project = TestProject::with_role();
    let server = start(&project);
    let begin = Instant::now();
    let mut unfinished = server.connect();
    let host = &server.address;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{TOKEN}Content-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{"
    );
    unfinished.write_all(head.as_bytes()).unwrap();
    let silent: Vec<TcpStream> = (0..300)
        .map(|at| {
            let mut stream = server.connect();
            let _ = stream.write_all(if at % 2 == 0 { b"POST /mcp" } else { b"" });
            stream
        })
        .collect();
    assert_eq!(server.initialize(TOKEN).status, 200);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert_eq!(read(unfinished).status, 408);
    drop(silent);
}

#[test]
fn skills_are_served_on_a_port_too() {
    let letters = "---\ndescription: Sorts letters\n---\n# Letters\n\nBy town.\n";
    let project = TestProject::with_role().file("contexts/standards/standards-letters.md", letters);
    let server = start(&project);
    let session = format!("{TOKEN}Mcp-Session-Id: {}\r\n", server.initialize(TOKEN).session());
    let ask = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params});
        let answer = server.ask(&session, &message);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };
    let list = ask("skills/list", json!({}));
    assert!(
        list.contains("skill://letters/SKILL.md") && list.contains("skill://role-clerk/SKILL.md"),
        "{list}"
    );
    let read = ask("resources/read", json!({"uri": "skill://letters/SKILL.md"}));
    assert!(read.contains("description: Sorts letters"), "{read}");
    assert!(
        ask("resources/directory/read", json!({"uri": "skill://letters"}))
            .contains("text/markdown")
    );
    assert!(ask("skills/get", json!({"uri": "skill://x/SKILL.md"})).contains("-32602"));
}

#[test]
fn a_session_on_a_port_hears_of_changes() {
    let project = TestProject::with_role();
    let server = start(&project);
    let session = format!("{TOKEN}Mcp-Session-Id: {}\r\n", server.initialize(TOKEN).session());
    let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(server.ask(&session, &message).status, 202);
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "prompts/list", "params": {}});
    assert_eq!(server.ask(&session, &message).status, 200);
    let mut stream = server.connect();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{session}\r\n",
        server.host
    );
    stream.write_all(head.as_bytes()).unwrap();
    let project = project.file("roles/driver/prompt.md", "# Driver\n\nYou drive.\n");
    let changed = "notifications/prompts/list_changed";
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains(changed)));
    drop(project);
}
