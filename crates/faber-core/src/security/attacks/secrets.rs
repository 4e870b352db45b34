use super::scan_at;

/// Concatenated, so secret scanners do not report this file.
#[test]
fn secrets_are_found_and_not_printed() {
    let body = "wJ4rX8tK2mQ9vB6nZ3pL7sD5fG1hC0yTeUiOaW";
    let upper = "Q3EGRT5ZLM7XWP2K";
    let attacks: &[(&str, String, (usize, usize))] = &[
        ("AWS", format!("key: AKIA{upper}\n"), (1, 6)),
        ("GitHub", format!("ghp_{}", &body[..36]), (1, 1)),
        ("GitHub, fine-grained", format!("a github_pat_{body}"), (1, 3)),
        ("GitHub, server", format!("`ghs_{}`", &body[..36]), (1, 2)),
        ("GitLab", format!("glpat-{}", &body[..20]), (1, 1)),
        ("Slack", format!("xoxb-123-456-{}", &body[..24]), (1, 1)),
        (
            "Slack hook",
            format!("https://hooks.slack.com/services/T0AB/B0CD/{}", &body[..24]),
            (1, 9),
        ),
        ("Stripe", format!("sk_live_{}", &body[..24]), (1, 1)),
        ("OpenAI", format!("x sk-{body}"), (1, 3)),
        ("OpenAI, project", format!("sk-proj-{body}"), (1, 1)),
        ("Anthropic", format!("sk-ant-api03-{body}"), (1, 1)),
        ("Google", format!("AIza{}", &body[..35]), (1, 1)),
        ("npm", format!("//r/:_authToken=npm_{}", &body[..36]), (1, 17)),
        ("Hugging Face", format!("hf_{}", &body[..34]), (1, 1)),
        ("letters", ["hf_kWmNoPqRsTuVwXyZaBcDe", "FgHjKxWvUtSrQ"].concat(), (1, 1)),
        ("token web", format!("eyJhbGciOiJFUzI1NiJ9.eyJpZCI6{}.{body}", &body[..20]), (1, 1)),
        (
            "private key",
            format!(
                "k: |\n  -----BEGIN RSA PRIVATE KEY-----\n  {body}\n  -----END RSA PRIVATE KEY-----\n"
            ),
            (2, 3),
        ),
        (
            "private key, its beginning",
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", &body[..18]),
            (1, 1),
        ),
        ("private key in a string", format!("\"-----BEGIN PRIVATE KEY-----\\n{body}\\n\""), (1, 2)),
        ("address", "https://deploy:h7Kq2x@git.example.net/a".to_owned(), (1, 16)),
        ("database", "postgres://app:tiger-lily-9@db.internal/x".to_owned(), (1, 16)),
        ("database of a team", "mysql2://app:a-secret-Kq7xZ@db.acme.io/x".to_owned(), (1, 14)),
        ("password for this machine", "redis://app:Kq7xZ9pw@localhost/0".to_owned(), (1, 13)),
        ("password", format!("password: {}\n", &body[..16]), (1, 11)),
        ("variable", format!("export API_KEY=\"{}\"", &body[..24]), (1, 17)),
        ("JSON", format!("{{\"client_secret\": \"{}\"}}", &body[..20]), (1, 20)),
        ("header", format!("Authorization: Bearer {}", &body[..24]), (1, 23)),
        (
            "header of digits",
            "curl -H 'Authorization: Bearer 7f3k9d2m5x8q1w4z'".to_owned(),
            (1, 32),
        ),
        ("bearer", format!("send Bearer {}", &body[..24]), (1, 13)),
        ("chosen password", ["password=hun", "ter2hunter2"].concat(), (1, 10)),
        ("chosen password with words", ["password: Herbst", "-2031-Laub"].concat(), (1, 11)),
        ("chosen password with signs", ["ADMIN_PASSWORD=w8K", "$mQ2!vR"].concat(), (1, 16)),
        ("database password", format!("DB_PASS={}", &body[..14]), (1, 9)),
        ("argument", format!("run --password {}", &body[..14]), (1, 16)),
        ("argument token", format!("run --token {}", &body[..24]), (1, 13)),
        ("Azure", format!("AccountName=a;AccountKey={body}+/{body}==;x"), (1, 26)),
        ("SendGrid", format!("SG.{}.{body}", &body[..22]), (1, 1)),
        ("Twilio", format!("id SK{}", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"), (1, 4)),
        ("Discord", format!("bot MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.{}", &body[..28]), (1, 5)),
        (
            "Discord hook",
            format!("https://discord.com/api/webhooks/198622483471925248/{body}"),
            (1, 9),
        ),
        ("Telegram", format!("bot110201543:AA{}", &body[..33]), (1, 14)),
        ("Doppler", format!("dp.st.prd.{body}x9"), (1, 1)),
        ("GitLab runner", format!("glrt-{}", &body[..20]), (1, 1)),
        ("xAI", format!("xai-{body}{body}"), (1, 1)),
    ];
    for (name, text, place) in attacks {
        let found = scan_at("a.md", text);
        let hits: Vec<_> = found.iter().filter(|finding| finding.0 == "secret").collect();
        assert_eq!(hits.len(), 1, "{name}: {found:#?}");
        assert_eq!(found.len(), 1, "{name}: {found:#?}");
        assert_eq!(hits[0].1, *place, "{name}");
        for finding in &found {
            assert!(!finding.2.contains(&body[2..10]) && !finding.2.contains("h7Kq2x"), "{name}");
        }
    }
}

#[test]
fn a_secret_in_the_name_of_a_file_is_found() {
    let token = ["ghp", "_wJ4rX8tK2mQ9vB6nZ3pL7sD5fG1hC0yTeU"].concat();
    let found = scan_at(&format!("contexts/standards/standards-{token}.md"), "# A\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].2.starts_with("in the name of the file: a GitHub token"), "{found:?}");
}

#[test]
fn tokens_of_more_services_are_found() {
    let body = "wJ4rX8tK2mQ9vB6nZ3pL7sD5fG1hC0yTeUiOaW";
    let attacks: &[(&str, String, (usize, usize))] = &[
        ("Figma", format!("figd_{body}-x"), (1, 1)),
        ("Postman", format!("PMAK-{0}-{0}2d", "0a1b2c3d4e5f60718293a4b5"), (1, 1)),
        ("Google client", format!("GOCSPX-{}", &body[..28]), (1, 1)),
        ("Entra", format!("a1B8Q~{}", &body[..34]), (1, 1)),
        ("Mailgun", format!("key-{}", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"), (1, 1)),
        ("netrc", format!("machine a.example login b password {}", &body[..20]), (1, 36)),
        ("UUID of a key", "MAIL_API_KEY=5f0c6a3e-7b12-41ec-a8a3-0242ac120002".to_owned(), (1, 14)),
        ("word in a token", format!("ghp_{}yOUr{}", &body[..18], &body[..14]), (1, 1)),
    ];
    for (name, text, place) in attacks {
        let found = scan_at("a.md", text);
        assert_eq!(found.len(), 1, "{name}: {found:#?}");
        assert_eq!((found[0].0, found[0].1), ("secret", *place), "{name}");
    }
}
