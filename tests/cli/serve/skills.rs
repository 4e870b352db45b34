//! Skills over MCP.

use sha2::{Digest, Sha256};

use super::*;

fn skilled() -> TestProject {
    workspace()
        .file("contexts/playbooks/playbook-packing.md", "---\ndescription: Packs boxes\n---\n# Packing\n\nSee [weigh](resources/packing/scripts/a b.sh).\n")
        .file("contexts/playbooks/resources/packing/scripts/a b.sh", "echo 1\n")
        .bytes("contexts/playbooks/resources/packing/form.bin", &[0, 255])
}

fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().fold("sha256:".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}

fn names(list: &Value) -> Vec<String> {
    let skills = list["result"]["skills"].as_array().unwrap();
    skills.iter().map(|skill| skill["frontmatter"]["name"].as_str().unwrap().to_owned()).collect()
}

fn bytes(result: &Value) -> Vec<u8> {
    let content = &result["result"]["contents"][0];
    match content["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => match content["blob"].as_str() {
            Some("AP8=") => vec![0, 255],
            other => panic!("{other:?}"),
        },
    }
}

#[test]
fn skills_are_listed_with_digests_of_what_is_read() {
    let project = skilled();
    let mut session = Session::silent(&project, &[]);
    let capabilities = session.ask("initialize", &hello())["result"]["capabilities"].take();
    assert_eq!(
        capabilities["extensions"]["io.modelcontextprotocol/skills"],
        json!({"directoryRead": true})
    );
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let list = session.ask("skills/list", &json!({}));
    let expected = ["letters", "packing", "parcels", "role-clerk", "specialist-stamps", "strike"];
    assert_eq!(names(&list), expected);
    for skill in list["result"]["skills"].as_array().unwrap() {
        let got = session.ask("skills/get", &json!({"uri": skill["uri"]}));
        assert_eq!(got["result"]["skill"], *skill);
        let name = skill["frontmatter"]["name"].as_str().unwrap();
        assert_eq!(skill["uri"], format!("skill://{name}/SKILL.md"));
        for file in skill["resources"].as_array().unwrap() {
            let read = session.ask("resources/read", &json!({"uri": file["uri"]}));
            let bytes = bytes(&read);
            assert_eq!(file["digest"], digest(&bytes), "{file}");
            assert_eq!(file["size"], bytes.len());
            if file["uri"] == skill["uri"] {
                let text = String::from_utf8(bytes).unwrap();
                let front = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap().0;
                let front: Value = serde_yaml::from_str(front).unwrap();
                assert_eq!(skill["frontmatter"], front);
            }
        }
    }
    project.stdout(&["pack", "publish", "--output", "dist", "--at", "2026-01-15"]);
    let read = session.ask("resources/read", &json!({"uri": "skill://packing/SKILL.md"}));
    assert_eq!(bytes(&read), project.text("dist/skills/packing/SKILL.md").as_bytes());
    let project = project.bytes("contexts/playbooks/resources/packing/form.bin", &[0, 255, 0]);
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let got = session.ask("skills/get", &json!({"uri": "skill://packing/SKILL.md"}));
    assert!(got.to_string().contains(&digest(&[0, 255, 0])), "{got}");
    drop(project);
}

#[test]
fn folders_of_skills_are_read_and_what_is_unknown_is_an_error() {
    let project = skilled();
    let mut session = Session::start(&project, &[]);
    let mut below = |uri: &str| {
        let answer = session.ask("resources/directory/read", &json!({"uri": uri}));
        let entries = answer["result"]["resources"].as_array().cloned();
        let row = |entry: &Value| {
            format!("{} {}", entry["uri"].as_str().unwrap(), entry["mimeType"].as_str().unwrap())
        };
        entries.map_or_else(
            || answer["error"]["code"].to_string(),
            |all| all.iter().map(row).collect::<Vec<_>>().join("\n"),
        )
    };
    assert_eq!(
        below("skill://packing"),
        "skill://packing/SKILL.md text/markdown\nskill://packing/form.bin application/octet-stream\n\
         skill://packing/scripts inode/directory"
    );
    assert_eq!(below("skill://packing/scripts"), "skill://packing/scripts/a%20b.sh text/plain");
    for unknown in [
        "skill://packing/",
        "skill://packing/scripts/",
        "skill://packing/SKILL.md",
        "skill://x",
        "skill://",
        "file:///etc",
        "skill://packing/..",
    ] {
        assert_eq!(below(unknown), "-32602", "{unknown}");
    }
    for uri in [
        "skill://x/SKILL.md",
        "skill://packing/scripts/SKILL.md",
        "faber://context/standard/letters",
        "",
    ] {
        let answer = session.ask("skills/get", &json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    for uri in [
        "skill://packing/x",
        "skill://packing",
        "skill://packing/scripts/a b.sh",
        "skill://packing/%53KILL.md",
        "skill://packing/../packing/SKILL.md",
        "skill://packing/%ff",
    ] {
        let answer = session.ask("resources/read", &json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri} {answer}");
    }
    for (method, params) in [
        ("skills/get", json!({})),
        ("resources/directory/read", json!({"uri": 1})),
        ("skills/list", json!({"cursor": "x"})),
    ] {
        let answer = session.ask(method, &params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn a_client_gets_the_skills_that_it_may_see() {
    let key = ["AKIA", "Q3EGRZXVWN5TPLMB"].concat();
    let project = skilled()
        .file("contexts/patterns/pattern-key.md", &format!("# Key\n\nUse {key} there.\n"))
        .file("roles/boss/prompt.md", "---\ngroups: [board]\n---\n# Boss\n\nYou decide.\n");
    let names_for = |arguments: &[&str]| {
        names(&Session::start(&project, arguments).ask("skills/list", &json!({})))
    };
    let hidden = |names: &[String]| {
        names.iter().any(|name| name.contains("salaries") || name == "role-boss")
    };
    assert!(!hidden(&names_for(&[])));
    assert!(hidden(&names_for(&["--as", "bo:board"])));
    assert!(names_for(&["--as", "ada"]).contains(&"reference-diary".to_owned()));
    let organization = names_for(&["--allow-scope", "organization"]);
    assert!(organization.iter().all(|name| !name.starts_with("role-")), "{organization:?}");
    let clerk = names_for(&["--role", "clerk"]);
    assert!(
        clerk.contains(&"role-clerk".to_owned()) && clerk.contains(&"specialist-stamps".to_owned()),
        "{clerk:?}"
    );
    let mut session = Session::start(&project, &[]);
    let got = session.ask("skills/get", &json!({"uri": "skill://pattern-key/SKILL.md"}));
    let read = session.ask("resources/read", &json!({"uri": "skill://pattern-key/SKILL.md"}));
    assert!(!read.to_string().contains(&key) && !got.to_string().contains(&key));
    assert_eq!(got["result"]["skill"]["resources"][0]["digest"], digest(&bytes(&read)));
}

#[test]
fn a_skill_over_the_limits_is_not_served() {
    let folder = "contexts/playbooks/resources/packing";
    let project =
        (0..512).fold(skilled(), |project, at| project.file(&format!("{folder}/{at}.txt"), "x"));
    let list = Session::start(&project, &[]).ask("skills/list", &json!({}));
    assert!(!names(&list).contains(&"packing".to_owned()));
}
