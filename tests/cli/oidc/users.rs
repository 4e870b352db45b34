//! Requests see only contexts of their user.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{AUDIENCE, Realm, now};
use crate::project::TestProject;
use crate::server::{Server, read};

fn context(access: &str, title: &str) -> String {
    format!("---\ndescription: {title} rules\n{access}---\n# {title}\n\nAbout {title}.\n")
}

fn project() -> TestProject {
    let file = |name: &str| format!("contexts/standards/standards-{name}.md");
    TestProject::with_role()
        .file(".faber/config.yml", "access: { user: alice, groups: [eng, sales] }\n")
        .file(&file("open"), &context("", "Openness"))
        .file(&file("engines"), &context("groups: [eng]\n", "Engines"))
        .file(&file("sales"), &context("groups: [sales]\n", "Selling"))
        .file(&file("diary"), &context("owner: alice\nvisibility: private\n", "Diary"))
        .env("FABER_ACCESS_USER", "alice")
}

fn seen(server: &Server, token: &str) -> Vec<&'static str> {
    let session = server.hello(token).session();
    let answer = server.call(token, &session, "list_contexts", &json!({}));
    assert_eq!(answer.status, 200, "{answer:?}");
    let all = ["diary", "engines", "open", "sales"];
    all.into_iter().filter(|name| answer.body.contains(&format!("standard/{name}"))).collect()
}

#[test]
fn each_request_is_answered_as_the_user_of_its_token() {
    let (realm, project) = (Realm::new(), project());
    let server = Server::start(&project, &realm, &[]);
    let (alice, bob) = (realm.token("alice", &["eng"]), realm.token("bob", &["sales", "x"]));
    for _ in 0..2 {
        assert_eq!(seen(&server, &alice), ["diary", "engines", "open"]);
        assert_eq!(seen(&server, &bob), ["open", "sales"]);
    }
    // The key has users and groups.
    assert_eq!(seen(&server, &realm.token("alice", &[])), ["diary", "open"]);
    assert_eq!(seen(&server, &realm.token("carol", &["eng"])), ["engines", "open"]);
    let session = server.hello(&bob).session();
    for (tool, arguments) in [
        ("get_context_details", json!({"ids": ["standard/diary"]})),
        ("expand_context", json!({"id": "standard/diary"})),
        ("search_context", json!({"query": "diary engines"})),
        ("get_context", json!({"topic": "diary"})),
        ("assemble_prompt", json!({"role": "clerk", "with": ["standard/engines"]})),
    ] {
        let body = server.call(&bob, &session, tool, &arguments).body;
        assert!(!body.contains("About Diary") && !body.contains("About Engines"), "{tool}: {body}");
    }
    let log = project.text(".faber/state/audit.jsonl");
    for principal in ["alice:eng", "bob:sales,x", "\"alice\"", "carol:eng"] {
        assert!(log.contains(principal), "{principal}: {log}");
    }
    assert!(!log.contains("alice:eng,sales"), "{log}");
}

#[test]
fn many_users_at_once_see_what_each_of_them_may() {
    let (realm, project) = (Realm::new(), project());
    let server = Server::start(&project, &realm, &[]);
    let users: Vec<(String, &[&str], &[&str])> = (0..72)
        .map(|number| match number % 4 {
            0 => (format!("user{number}"), &["eng"][..], &["engines", "open"][..]),
            1 => (format!("user{number}"), &["sales"][..], &["open", "sales"][..]),
            2 => ("alice".to_owned(), &["x"][..], &["diary", "open"][..]),
            _ => {
                (format!("user{number}"), &["eng", "sales"][..], &["engines", "open", "sales"][..])
            }
        })
        .collect();
    let (server, realm) = (&server, &realm);
    std::thread::scope(|scope| {
        for part in users.chunks(18) {
            scope.spawn(move || {
                for (user, groups, expected) in part {
                    assert_eq!(seen(server, &realm.token(user, groups)), *expected, "{user}");
                }
            });
        }
    });
    let log = project.text(".faber/state/audit.jsonl");
    assert_eq!(log.lines().filter(|line| line.contains("list_contexts")).count(), 72);
    assert_eq!(log.matches(r#""principal":"alice:x""#).count(), 18);
}

#[test]
fn requests_without_sessions_have_their_own_user_too() {
    let (realm, project) = (Realm::new(), project());
    let server = Server::start(&project, &realm, &[]);
    let version = "2026-07-28";
    let lines = format!(
        "MCP-Protocol-Version: {version}\r\nMcp-Method: tools/call\r\nMcp-Name: list_contexts\r\n"
    );
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let params = json!({"name": "list_contexts", "arguments": {}, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let body = |token: &str| server.post(token, &lines, &message).body;
    let (alice, bob) = (realm.token("alice", &["eng"]), realm.token("bob", &[]));
    for _ in 0..2 {
        let (hers, his) = (body(&alice), body(&bob));
        assert!(hers.contains("standard/diary") && hers.contains("standard/engines"), "{hers}");
        assert!(his.contains("standard/open") && !his.contains("diary"), "{his}");
    }
}

#[test]
fn a_session_belongs_to_its_user() {
    let (realm, project) = (Realm::new(), project());
    let server = Server::start(&project, &realm, &[]);
    let (alice, bob) = (realm.token("alice", &["eng"]), realm.token("bob", &["eng"]));
    let session = server.hello(&alice).session();
    let line = format!("Mcp-Session-Id: {session}\r\n");
    let ask = |token: &str| server.call(token, &session, "list_contexts", &json!({})).status;
    assert_eq!((ask(&alice), ask(&bob)), (200, 404));
    let stream = format!("Authorization: Bearer {bob}\r\nAccept: text/event-stream\r\n{line}");
    assert_eq!(server.request("GET /mcp", &stream, "").status, 404);
    assert_eq!(server.request("DELETE /mcp", &stream, "").status, 404);
    let newer = realm.token("alice", &[]);
    assert_eq!((ask(&newer), ask(&alice)), (200, 200));
    assert!(!server.call(&newer, &session, "list_contexts", &json!({})).body.contains("engines"));
}

#[test]
fn one_user_cannot_end_the_sessions_of_another() {
    let (realm, project) = (Realm::new(), project());
    let server = Server::start(&project, &realm, &[]);
    let (alice, bob) = (realm.token("alice", &[]), realm.token("bob", &[]));
    let hers = server.hello(&alice).session();
    let his = server.hello(&bob).session();
    for _ in 0..16 {
        server.hello(&bob);
    }
    let ask = |token: &str, session: &str| {
        server.call(token, session, "list_contexts", &json!({})).status
    };
    assert_eq!((ask(&alice, &hers), ask(&bob, &his)), (200, 404));
}

#[test]
fn claims_are_found_where_the_user_says() {
    let (realm, project) = (Realm::new(), project());
    let config = format!(
        "serve:\n  oidc:\n    issuer: {}\n    audience: {AUDIENCE}\n    user_claim: preferred_username\n    \
         groups_claim: realm_access.roles\n    scope: faber\n",
        realm.issuer.url
    );
    let project = project.file("../home/.config/faber/config.yml", &config);
    let server = Server::with(&project, &[]);
    let mut claims = realm.claims("6f1c", &["sales"]);
    claims["preferred_username"] = "alice".into();
    claims["realm_access"] = json!({"roles": ["eng"]});
    claims["scope"] = "openid faber".into();
    assert_eq!(seen(&server, &realm.key.token(&claims)), ["diary", "engines", "open"]);
    claims["scope"] = "openid".into();
    let answer = server.hello(&realm.key.token(&claims));
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    assert_eq!(answer.status, 403);
    assert!(challenge.contains(r#"error="insufficient_scope""#), "{challenge}");
    assert!(challenge.contains(r#"scope="faber""#), "{challenge}");
}

#[test]
fn the_compose_file_starts_a_server() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/team");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let compose: Value = serde_yaml::from_str(&text("compose.yml")).unwrap();
    let service = &compose["services"]["faber"];
    let command = service["command"].as_array().unwrap();
    let arguments: Vec<&str> = command.iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(arguments[..3], ["serve", "--http", "0.0.0.0:8321"]);
    assert_eq!(arguments[3..5], ["--behind-proxy", "172.30.0.2"]);
    let (realm, project) = (Realm::new(), project());
    let config = text("faber.yml").replace("https://id.team.test/realms/team", &realm.issuer.url);
    assert!(config.contains(&realm.issuer.url));
    let project = project.file("../home/.config/faber/config.yml", &config);
    let more = [&["--behind-proxy", "127.0.0.1"], &arguments[5..]].concat();
    let server = Server::with(&project, &more);
    assert_eq!(server.host, "faber.team.test");
    let keycloak: Value = serde_json::from_str(&text("realm.json")).unwrap();
    let mapper = &keycloak["clients"][0]["protocolMappers"][0]["config"];
    let mut claims = realm.claims("6f1c", &["eng"]);
    claims["aud"] = json!(["account", mapper["included.custom.audience"]]);
    claims["preferred_username"] = "alice".into();
    assert_eq!(seen(&server, &realm.key.token(&claims)), ["diary", "engines", "open"]);
}

#[test]
fn the_teams_of_a_user_are_its_groups_with_an_overlay() {
    let realm = Realm::new();
    let of_team =
        |team: &str| format!(".faber/overlays/teams/{team}/contexts/standards/standards-{team}.md");
    let project = project()
        .file(&of_team("web"), &context("", "Web pages"))
        .file(&of_team("data"), &context("", "Tables"))
        .file("contexts/standards/standards-both.md", &context("when: { team: data }\n", "Both"))
        .file(".faber/config.yml", "settings: { team: web }\n");
    let sees = |server: &Server, token: &str| {
        let session = server.hello(token).session();
        let body = server.call(token, &session, "list_contexts", &json!({})).body;
        ["web", "data", "both"].map(|name| body.contains(&format!("standard/{name}")))
    };
    let token = |groups: &[&str]| realm.token("alice", groups);
    let server = Server::start(&project, &realm, &[]);
    assert_eq!(sees(&server, &token(&["web"])), [true, false, false]);
    assert_eq!(sees(&server, &token(&["data", "eng"])), [false, true, true]);
    assert_eq!(sees(&server, &token(&["data", "web"])), [true, true, true]);
    assert_eq!(sees(&server, &token(&["eng", "..", "teams"])), [false, false, false]);
    let server = Server::start(&project, &realm, &["--team", "data"]);
    assert_eq!(sees(&server, &token(&["data", "web"])), [false, true, true]);
    let refused = server.hello(&token(&["web"]));
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("not a member"), "{refused:?}");
}

#[test]
fn a_stream_ends_with_its_token() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let server = Server::start(&project, &realm, &[]);
    let mut claims = realm.claims("alice", &[]);
    claims["exp"] = json!(now() - 58);
    let token = realm.key.token(&claims);
    let session = server.hello(&token).session();
    let begun = Instant::now();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
        server.host
    );
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(read(stream).status, 200);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(server.hello(&token).status, 401);
}
