//! Limits per user and address.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::Realm;
use super::testing::SigningKey;
use crate::project::TestProject;
use crate::server::Server;

#[test]
fn a_user_may_ask_so_often() {
    let realm = Realm::new();
    let config = "serve: { requests_per_minute: 5 }\n";
    let project = TestProject::with_role().file("../home/.config/faber/config.yml", config);
    let server = Server::start(&project, &realm, &[]);
    let (alice, bob) = (realm.token("alice", &[]), realm.token("bob", &[]));
    for _ in 0..5 {
        assert_eq!(server.hello(&alice).status, 200);
    }
    let newer = realm.token("alice", &["eng"]);
    for token in [&alice, &newer] {
        let refused = server.hello(token);
        assert_eq!(refused.status, 429);
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=12).contains(&wait), "{wait}");
    }
    assert_eq!(server.hello(&bob).status, 200);
}

#[test]
fn a_user_may_send_so_much() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let server = Server::start(&project, &realm, &[]);
    let (alice, bob) = (realm.token("alice", &[]), realm.token("bob", &[]));
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "x": "x".repeat(4_000_000)});
    let statuses: Vec<u16> = (0..20).map(|_| server.post(&alice, "", &large).status).collect();
    assert!(statuses[0] != 429 && statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.hello(&bob).status, 200);
    let over = "x".repeat(5_000_000);
    assert_eq!(server.post(&bob, "", &json!(over)).status, 413);
}

#[test]
fn a_proxy_says_where_clients_are() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let behind = |proxy: &str| {
        let options = ["--behind-proxy", proxy, "--url", "https://faber.example"];
        Server::start(&project, &realm, &options)
    };
    let server = behind("127.0.0.1");
    let hello = |token: &str, from: &str| {
        server.hello_from(token, &format!("X-Forwarded-For: {from}\r\n")).status
    };
    let bad = SigningKey::ec("first").token(&realm.claims("alice", &[]));
    let (known, new) = (realm.token("bob", &[]), realm.token("carol", &[]));
    assert_eq!(hello(&known, "192.0.2.1"), 200);
    let statuses: Vec<u16> = (0..130).map(|_| hello(&bad, "192.0.2.1")).collect();
    assert!(statuses[..120].iter().all(|status| *status == 401), "{statuses:?}");
    assert!(statuses[120..].contains(&429), "{statuses:?}");
    // Forged addresses are ignored; others and known tokens are unaffected.
    assert_eq!(hello(&bad, "192.0.2.9, 192.0.2.1"), 429);
    assert_eq!(hello(&new, "192.0.2.1"), 429);
    assert_eq!((hello(&bad, "192.0.2.2"), hello(&new, "192.0.2.2")), (401, 200));
    assert_eq!((hello(&known, "192.0.2.1"), hello(&new, "192.0.2.1")), (200, 200));
    assert_eq!(behind("10.0.0.0/8").hello(&known).status, 0);
}

fn times(server: &Server, token: &str, count: usize) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let begin = Instant::now();
            assert_eq!(server.hello(token).status, 200);
            begin.elapsed()
        })
        .collect();
    times.sort();
    times
}

/// Depends on load. `cargo test -- --ignored --nocapture bad_tokens`
#[test]
#[ignore = "measures"]
fn a_thousand_bad_tokens_a_second_slow_no_one_down() {
    let realm = Realm::new();
    let config = "serve: { requests_per_minute: 100000 }\n";
    let project = TestProject::with_role().file("../home/.config/faber/config.yml", config);
    let server = Server::start(&project, &realm, &[]);
    let good = realm.token("alice", &[]);
    let bad = SigningKey::ec("first").token(&realm.claims("alice", &[]));
    times(&server, &good, 50);
    let alone = times(&server, &good, 400);
    let has_ended = AtomicBool::new(false);
    let (under, sent) = std::thread::scope(|scope| {
        let clients = [(); CLIENTS].map(|()| scope.spawn(|| flood(&server, &bad, &has_ended)));
        let under = times(&server, &good, 400);
        has_ended.store(true, Ordering::SeqCst);
        (under, clients.map(|client| client.join().unwrap()).iter().sum::<f64>())
    });
    let figures = |times: &[Duration]| (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("good requests alone: P50 and P95 {:?}", figures(&alone));
    println!("with {sent:.0} bad ones a second: {:?}", figures(&under));
    assert!(sent > 900.0 && under[200] < alone[200] * 2);
}

const CLIENTS: usize = 10;

fn flood(server: &Server, token: &str, has_ended: &AtomicBool) -> f64 {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Length: 0\r\n\r\n",
        server.host
    );
    let begin = Instant::now();
    let mut sent = 0_u32;
    let mut buffer = [0; 4096];
    while sent < 2_000 && !has_ended.load(Ordering::SeqCst) {
        let due = begin + Duration::from_millis(10) * sent;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        stream.write_all(request.as_bytes()).unwrap();
        let read = stream.read(&mut buffer).unwrap();
        let status = &buffer[..read.min(12)];
        assert!(status == b"HTTP/1.1 401" || status == b"HTTP/1.1 429", "{status:?}");
        sent += 1;
    }
    f64::from(sent) / begin.elapsed().as_secs_f64()
}
