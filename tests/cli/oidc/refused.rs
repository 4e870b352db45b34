//! Requests that an OIDC server refuses.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::{Value, json};

use super::testing::SigningKey;
use super::{AUDIENCE, Realm, now};
use crate::project::TestProject;
use crate::server::Server;

/// Signed with the public key as HMAC secret.
fn confused(realm: &Realm, secret: &str) -> String {
    let encode = |text: String| URL_SAFE_NO_PAD.encode(text);
    let header = json!({"alg": "HS256", "kid": "first"}).to_string();
    let signed = format!("{}.{}", encode(header), encode(realm.claims("alice", &[]).to_string()));
    let code = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(code))
}

#[test]
fn bad_tokens_are_refused() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let server = Server::start(&project, &realm, &[]);
    let with = |name: &str, value: Value| {
        let mut claims = realm.claims("alice", &[]);
        claims[name] = value;
        realm.key.token(&claims)
    };
    let good = realm.token("alice", &[]);
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let unsigned = json!({"alg": "none"});
    let (headless, _) = realm
        .key
        .token_with(&unsigned, &realm.claims("alice", &[]))
        .rsplit_once('.')
        .map(own)
        .unwrap();
    let flipped: String =
        if signature.starts_with('A') { "B" } else { "A" }.to_owned() + &signature[1..];
    let other = SigningKey::ec("first").token(&realm.claims("alice", &[]));
    let unknown = SigningKey::ec("second").token(&realm.claims("alice", &[]));
    let cases = [
        (with("exp", json!(now() - 65)), "the token has expired"),
        (with("nbf", json!(now() + 65)), "the token is not valid yet"),
        (with("aud", json!("https://other.example/mcp")), "the token is for another audience"),
        (with("aud", Value::Null), "the token is for another audience"),
        (with("iss", json!("https://id.example")), "the token is from another issuer"),
        (
            with("sub", json!("alice:admins")),
            "the token names a user with characters that no name has",
        ),
        (format!("{headless}."), "only rs256 and es256 are accepted"),
        (confused(&realm, &realm.key.public().to_string()), "only rs256 and es256 are accepted"),
        (
            confused(&realm, realm.key.public()["n"].as_str().unwrap()),
            "only rs256 and es256 are accepted",
        ),
        (format!("{signed}.{flipped}"), "the signature of the token is not valid"),
        (format!("{signed}."), "the signature of the token is not valid"),
        (other, "the signature of the token is not valid"),
        (unknown, "the signature of the token is not valid"),
        ("garbage".to_owned(), "the token is not a signed jwt"),
        ("a.b.c".to_owned(), "the header of the token cannot be read"),
        (format!("{good}{}", "A".repeat(20_000)), "the token is too long"),
    ];
    for (token, reason) in cases {
        let answer = server.hello(&token);
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert_eq!(answer.status, 401, "{reason}: {answer:?}");
        assert!(
            challenge.contains(&format!("error_description=\"{reason}\"")),
            "{reason}: {challenge}"
        );
        assert!(answer.body.to_lowercase().contains(reason), "{reason}: {answer:?}");
    }
    assert_eq!(realm.issuer.request_count(), 1, "unknown keys do not make it ask again");
    assert_eq!(server.hello(&good).status, 200);
    assert_eq!(server.hello(&with("exp", json!(now() - 55))).status, 200, "clocks differ");
    assert_eq!(server.hello(&with("nbf", json!(now() + 55))).status, 200, "clocks differ");
    let large = server.hello(&"A".repeat(1024 * 1024));
    assert!([0, 401, 431].contains(&large.status), "{large:?}");
    assert_eq!(server.hello(&good).status, 200);
}

#[test]
fn a_token_is_good_until_it_expires() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let server = Server::start(&project, &realm, &[]);
    let mut claims = realm.claims("alice", &[]);
    // Valid for 2 s: clocks may differ by 60 s.
    claims["exp"] = json!(now() - 58);
    let token = realm.key.token(&claims);
    assert_eq!(server.hello(&token).status, 200);
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(server.hello(&token).status, 401);
}

fn own((head, tail): (&str, &str)) -> (String, String) {
    (head.to_owned(), tail.to_owned())
}

#[test]
fn a_client_without_a_token_learns_where_to_get_one() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let server = Server::start(&project, &realm, &[]);
    let origin = format!("http://{}", server.address);
    let path = "/.well-known/oauth-protected-resource";
    let challenge = format!(r#"bearer resource_metadata="{origin}{path}/mcp""#);
    for lines in ["", "Authorization: Basic YTpi\r\n", "Authorization: Bearer \r\n"] {
        let answer = server.request("POST /mcp", lines, "{}");
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some(&*challenge)));
    }
    let two = format!("Authorization: Bearer {0}\r\n", realm.token("alice", &[])).repeat(2);
    assert_eq!(server.request("POST /mcp", &two, "{}").status, 401);
    for path in [path.to_owned(), format!("{path}/mcp")] {
        let answer = server.request(&format!("GET {path}"), "", "");
        let metadata: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(metadata["resource"], format!("{origin}/mcp"));
        assert_eq!(metadata["authorization_servers"], json!([realm.issuer.url]));
        assert_eq!(server.request(&format!("POST {path}"), "", "{}").status, 405);
    }
    assert_eq!(server.request(&format!("GET {path}/other"), "", "").status, 401);
}

#[test]
fn a_token_for_one_server_is_no_good_at_another() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    let (first, second) = (
        Server::with(&project, &["--oidc", &realm.issuer.url]),
        Server::with(&project, &["--oidc", &realm.issuer.url]),
    );
    let mut claims = realm.claims("alice", &[]);
    claims["aud"] = format!("http://{}/mcp", first.address).into();
    let token = realm.key.token(&claims);
    assert_eq!((first.hello(&token).status, second.hello(&token).status), (200, 401));
}

#[test]
fn an_issuer_that_is_away_at_the_start_is_said() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    realm.issuer.set_down(true);
    let mut server = Server::start(&project, &realm, &[]);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut server.err, &mut line).unwrap();
    assert!(line.starts_with("warning: no keys from the issuer http://127.0.0.1"), "{line}");
    let answer = server.hello(&realm.token("alice", &[]));
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("15")));
}

#[test]
fn a_slow_issuer_delays_those_alone_whose_tokens_it_must_verify() {
    let (realm, project) = (Realm::new(), TestProject::with_role());
    realm.issuer.set_delay(Duration::from_millis(700));
    let server = Server::start(&project, &realm, &[]);
    let begin = Instant::now();
    assert_eq!(server.hello("garbage").status, 401);
    assert!(begin.elapsed() < Duration::from_millis(1300), "{:?}", begin.elapsed());
    assert_eq!(server.hello(&realm.token("alice", &[])).status, 200);
}

#[test]
fn beyond_this_machine_everything_is_named() {
    let project = TestProject::with_role().file("cert.pem", "none").file("key.pem", "none");
    let serve = |arguments: &[&str]| {
        let run = project.run(&[&["serve"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        run.stderr
    };
    let (open, oidc) = (["--http", "0.0.0.0:0"], ["--oidc", "https://id.example"]);
    let with = |more: &[&str]| serve(&[&open[..], &oidc[..], more].concat());
    assert!(serve(&open).contains("reachable from other machines"));
    assert!(with(&[]).contains("unencrypted"));
    assert!(with(&["--behind-proxy", "10.0.0.1"]).contains("URL of the server"));
    let url = ["--url", "http://faber.example"];
    assert!(with(&[&["--behind-proxy", "10.0.0.1"], &url[..]].concat()).contains("is not the URL"));
    assert!(with(&["--behind-proxy", "proxy"]).contains("is not the address of a proxy"));
    assert!(
        with(&["--tls-cert", "cert.pem", "--tls-key", "key.pem"]).contains("the file has none")
    );
    assert!(with(&["--tls-cert", "gone.pem", "--tls-key", "key.pem"]).contains("gone.pem"));
    assert!(with(&["--as", "alice"]).contains("`--as` has no effect"));
    let local = ["--http", "127.0.0.1:0"];
    let alone = serve(&[&local[..], &["--audience", AUDIENCE]].concat());
    assert!(alone.contains("need `--oidc`"), "{alone}");
    let plain = serve(&[&local[..], &["--oidc", "http://id.example"]].concat());
    assert!(plain.contains("is not the address of an issuer"), "{plain}");
    assert!(serve(&oidc).contains("--http"));
}
