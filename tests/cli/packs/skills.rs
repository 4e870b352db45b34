//! Skills from a local web server.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::remote::project;
use crate::project::TestProject;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX: &str = "/.well-known/agent-skills/index.json";
const SKILL: &str = "---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n\nOpen it.\n";

type Answers = Arc<Mutex<BTreeMap<String, (String, Vec<u8>)>>>;

struct Site {
    port: u16,
    answers: Answers,
}

impl Site {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Answers::default();
        let shared = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answers = Arc::clone(&shared);
                std::thread::spawn(move || answer(stream, &answers));
            }
        });
        Self { port, answers }
    }

    fn with_skill(text: &str) -> Self {
        let site = Self::new();
        site.publish(text);
        site
    }

    fn publish(&self, text: &str) {
        self.put("/pdf/SKILL.md", text.as_bytes());
        self.index(&entry("pdf", "skill-md", "/pdf/SKILL.md", text.as_bytes()));
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn put(&self, path: &str, body: &[u8]) {
        self.say(path, "200 OK", body);
    }

    fn say(&self, path: &str, head: &str, body: &[u8]) {
        let length = format!("{head}\r\nContent-Length: {}", body.len());
        self.answers.lock().unwrap().insert(path.to_owned(), (length, body.to_vec()));
    }

    fn index(&self, skills: &str) {
        let index = format!("{{\"$schema\": \"{SCHEMA}\", \"skills\": [{skills}]}}");
        self.put(INDEX, index.as_bytes());
    }
}

fn entry(name: &str, form: &str, url: &str, bytes: &[u8]) -> String {
    let mut digest = String::new();
    for byte in Sha256::digest(bytes) {
        write!(digest, "{byte:02x}").unwrap();
    }
    let description = "x";
    format!(
        "{{\"name\": \"{name}\", \"type\": \"{form}\", \"description\": \"{description}\", \"url\": \"{url}\", \"digest\": \"sha256:{digest}\"}}"
    )
}

fn answer(mut stream: TcpStream, answers: &Answers) {
    let mut buffer = [0; 4096];
    let read = stream.read(&mut buffer).unwrap_or(0);
    let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    if path == "/endless" {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        return;
    }
    let found = answers.lock().unwrap().get(&path).cloned();
    let missing = ("404 Not Found\r\nContent-Length: 0".to_owned(), Vec::new());
    let (head, body) = found.unwrap_or(missing);
    let _ = stream.write_all(format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes());
    let _ = stream.write_all(&body);
}

#[track_caller]
fn add(project: &TestProject, site: &Site) -> String {
    project.stdout(&["pack", "add", "web", &site.url(), "--skills"])
}

#[track_caller]
fn refused(site: &Site, words: &[&str]) {
    let project = project();
    project.run(&["pack", "add", "web", &site.url(), "--skills"]).refused(2, words);
    assert!(!project.path("faber.lock").exists() && !project.path(".faber/config.yml").exists());
}

#[test]
fn skills_of_a_site_are_contexts_and_pinned() {
    let site = Site::with_skill(SKILL);
    let project = project();
    assert!(add(&project, &site).contains("\n  playbook/pdf\n"));
    let config = std::fs::read_to_string(project.path(".faber/config.yml")).unwrap();
    assert!(config.contains(&format!("web: {{ skills: \"{}\" }}", site.url())), "{config}");
    let lock = std::fs::read_to_string(project.path("faber.lock")).unwrap();
    assert!(lock.contains("path: .well-known/agent-skills\n    ref: HEAD\n"), "{lock}");
    assert!(lock.contains("skills/pdf/SKILL.md: sha256:"), "{lock}");
    let blame = project.stdout(&["show", "playbook/pdf", "--blame"]);
    assert!(blame.contains("web@") && blame.contains(":skills/pdf/SKILL.md:5"), "{blame}");
    assert!(project.stdout(&["pack", "verify"]).contains("1 file matches faber.lock"));
    assert_eq!(project.run(&["pack", "outdated"]).code, 2, "not trusted, and on this machine");
    project.stdout(&["trust"]);
    assert_eq!(project.run(&["pack", "outdated"]).code, 0);
    site.publish(&SKILL.replace("Open it.", "Close it."));
    assert_eq!(project.run(&["pack", "outdated"]).code, 1);
    let shown = project.stdout(&["pack", "update"]);
    assert!(shown.contains("-Open it.") && shown.contains("+Close it."), "{shown}");
    assert_eq!(project.run(&["pack", "outdated"]).code, 0);
}

#[test]
fn an_archive_brings_the_files_of_a_skill() {
    let gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (path, text) in [("./SKILL.md", SKILL), ("./scripts/x.py", "print(1)\n")] {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    let archive = archive.into_inner().unwrap().finish().unwrap();
    let site = Site::new();
    site.put("/.well-known/agent-skills/pdf.tar.gz", &archive);
    site.index(&entry("pdf", "archive", "pdf.tar.gz", &archive));
    let project = project();
    assert!(add(&project, &site).contains("\n  playbook/pdf\n"));
    assert!(project.stdout(&["pack", "verify"]).contains("2 files match faber.lock"));
    site.index("");
    project.stdout(&["trust"]);
    let updated = project.stdout(&["pack", "update"]);
    assert!(updated.contains("removed 1 context") && updated.contains("\n  playbook/pdf\n"));
}

#[test]
fn without_a_network_the_store_is_enough() {
    let site = Site::with_skill(SKILL);
    let project = project();
    add(&project, &site);
    project.stdout(&["trust"]);
    site.answers.lock().unwrap().clear();
    assert!(project.stdout(&["show", "playbook/pdf"]).contains("Open it."));
    project.stdout(&["pack", "update", "--locked"]);
    project.run(&["pack", "update"]).refused(2, &["answers with status 404"]);
    std::fs::remove_dir_all(project.path("../home/.cache/faber/packs")).unwrap();
    project.run(&["pack", "update", "--locked"]).refused(2, &["answers with status 404"]);
    site.publish(SKILL);
    project.stdout(&["pack", "update", "--locked"]);
    site.publish("---\nname: pdf\n---\n# Other\n");
    std::fs::remove_dir_all(project.path("../home/.cache/faber/packs")).unwrap();
    project.run(&["pack", "update", "--locked"]).refused(2, &["differ from faber.lock"]);
    site.publish(SKILL);
    project.stdout(&["pack", "update", "--locked"]);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{closed}");
    project.run(&["pack", "add", "gone", &url, "--skills"]).refused(2, &["curl", "connect"]);
}

#[test]
fn what_a_site_may_not_do_is_refused() {
    let site = Site::with_skill(SKILL);
    site.put("/pdf/SKILL.md", b"# Other\n");
    refused(&site, &["does not match the index"]);

    let site = Site::new();
    refused(&site, &["answers with status 404"]);
    site.put(INDEX, b"<html>");
    refused(&site, &["it is not JSON"]);
    site.put(INDEX, b"{\"$schema\": \"https://schemas.agentskills.io/discovery/9/schema.json\"}");
    refused(&site, &["unknown schema"]);
    site.put(INDEX, b"{\"skills\": []}");
    refused(&site, &["it has no `$schema`"]);
    site.put(INDEX, &vec![b' '; 2 << 20]);
    refused(&site, &["curl"]);

    let other = Site::with_skill(SKILL);
    let head = format!("302 Found\r\nLocation: {}{INDEX}", other.url());
    site.say(INDEX, &head, b"");
    refused(&site, &["redirects to"]);
    for url in [format!("{}/pdf/SKILL.md", other.url()), "file:///etc/passwd".to_owned()] {
        site.index(&entry("pdf", "skill-md", &url, SKILL.as_bytes()));
        refused(&site, &["has no `https` URL"]);
    }
    site.index(&entry("pdf", "skill-md", "/endless", SKILL.as_bytes()));
    refused(&site, &["curl"]);
    site.index(&entry("../x", "skill-md", "/pdf/SKILL.md", SKILL.as_bytes()));
    refused(&site, &["invalid or duplicate skill name"]);
    site.put("/pdf.zip", b"PK, but not really");
    site.index(&entry("pdf", "archive", "/pdf.zip", b"PK, but not really"));
    refused(&site, &["it is damaged"]);
}

#[test]
fn addresses_are_checked_and_sites_of_this_machine_need_trust() {
    let site = Site::with_skill(SKILL);
    let config = format!("packs:\n  web: {{ skills: \"{}\" }}\n", site.url());
    let cloned = project().file(".faber/config.yml", &config);
    cloned
        .run(&["pack", "update"])
        .refused(2, &["is a site on this machine, and the workspace is not trusted"]);
    for url in ["http://example.com", "file:///srv", "https://user@example.com"] {
        let run = project().run(&["pack", "add", "web", url, "--skills"]);
        assert_eq!(run.code, 2, "{url}: {}", run.stdout);
        let config = format!("packs:\n  web: {{ skills: \"{url}\" }}\n");
        let run = project().file(".faber/config.yml", &config).run(&["validate"]);
        assert!(run.stdout.contains("invalid-config"), "{url}: {}", run.stdout);
    }
}
