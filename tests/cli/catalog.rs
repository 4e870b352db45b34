use faber_core::tokens::{self, Encoding};
use serde_json::Value;

use crate::project::TestProject;

fn project() -> TestProject {
    TestProject::new()
        .file(
            ".faber/config.yml",
            "settings: { organization: acme, team: mail }\naccess: { user: ann }\n",
        )
        .file("roles/clerk/prompt.md", "# Clerk\n")
        .file("roles/clerk/contexts/playbooks/playbook-stamps.md", "# Stamps\n\nBuy stamps.\n")
        .file("roles/courier/prompt.md", "# Courier\n")
        .file("roles/courier/contexts/playbooks/playbook-routes.md", "# Routes\n\nGo around.\n")
        .file("contexts/standards/standard-tone.md", "---\ntags: [letters]\n---\n# Tone\n")
        .file("contexts/patterns/pattern-never.md", "---\nload: never\n---\n# Never\n")
        .file(
            "contexts/specialists/specialist-customs.md",
            "---\nkeywords: [tariff, Letters]\nessence: What customs want to know\n---\n# Customs\n",
        )
        .file(
            "contexts/references/reference-dogs.md",
            "---\ntags: [letters]\ndescription: Feeding dogs and cats\n---\n# Animals\n",
        )
        .file(
            ".faber/overlays/organization/contexts/playbooks/playbook-reviews.md",
            "---\nkeywords: [approval]\n---\n# Reviews\n\nTwo of them. Always.\n",
        )
        .file(
            ".faber/overlays/teams/mail/contexts/playbooks/playbook-secret.md",
            "---\nvisibility: private\nowner: bob\nkeywords: [zeppelin]\n---\n# Secret\n\nA zeppelin.\n",
        )
}

fn catalog(project: &TestProject, arguments: &[&str]) -> Value {
    project.json(&[&["catalog", "--format", "json"], arguments].concat())
}

fn entries(data: &Value) -> Vec<&str> {
    let scopes = data["scopes"].as_array().unwrap().iter();
    let entries = scopes.flat_map(|scope| scope["entries"].as_array().unwrap());
    entries.map(|entry| entry["id"].as_str().unwrap()).collect()
}

fn count(text: &str) -> usize {
    tokens::count(Encoding::O200kBase, text)
}

#[test]
fn without_a_role_all_of_them_are_listed() {
    let project = project();
    let data = catalog(&project, &[]);
    let all = entries(&data);
    assert_eq!(
        all,
        [
            "playbook/reviews",
            "@role:clerk/playbook/stamps",
            "@role:courier/playbook/routes",
            "reference/dogs",
            "specialist/customs",
        ]
    );
    for id in all {
        project.stdout(&["expand", id]);
    }
    let human = project.stdout(&["catalog"]);
    assert!(human.contains("\n- `@role:courier/playbook/routes`: Go around.\n"), "{human}");
}

#[test]
fn data_says_what_is_there_and_what_is_not_listed() {
    let project = project();
    let whole = catalog(&project, &["--role", "clerk"]);
    assert_eq!(whole["schema"], "faber.catalog/1");
    let scopes = whole["scopes"].as_array().unwrap();
    let names: Vec<_> = scopes.iter().map(|one| (&one["scope"], &one["name"])).collect();
    let (acme, clerk) = (Value::from("acme"), Value::from("clerk"));
    assert_eq!(
        names,
        [
            (&"area".into(), &clerk),
            (&"organization".into(), &acme),
            (&"space".into(), &Value::Null)
        ]
    );
    let space = &scopes[2];
    let counts =
        serde_json::json!({ "standard": 1, "specialist": 1, "pattern": 1, "reference": 1 });
    assert_eq!((&space["counts"], &space["not_listed"]), (&counts, &0.into()));
    let dogs = &space["entries"][0];
    assert_eq!(
        (&dogs["id"], &dogs["essence"]),
        (&"reference/dogs".into(), &"Feeding dogs and cats".into())
    );
    assert_eq!(dogs["tokens"], count("# Animals\n"));
    assert_eq!(whole["tokens"], count(&project.stdout(&["catalog", "--role", "clerk"])));
    let less = whole["tokens"].as_u64().unwrap() - 10;
    let less = catalog(&project, &["--role", "clerk", "--max-tokens", &less.to_string()]);
    let not_listed = less["scopes"].as_array().unwrap().iter();
    let not_listed: u64 = not_listed.map(|scope| scope["not_listed"].as_u64().unwrap()).sum();
    let listed = entries(&less).len() as u64;
    assert!(listed < 4 && listed + not_listed == 4, "{less}");
}

#[test]
fn no_catalog_is_larger_than_it_may_be() {
    let mut project = project();
    for at in 0..40 {
        let text =
            format!("---\nkeywords: [parcel {at}, weight]\n---\n# Parcel {at}\n\nLift it — 🐘.\n");
        project = project.file(&format!("contexts/playbooks/playbook-parcel-{at}.md"), &text);
    }
    let (mut least, mut before) = (None, (false, 0));
    for limit in [0, 20, 40, 60, 70, 80, 90, 100, 120, 150, 200, 300, 500, 800, 2000] {
        let run = project.run(&["catalog", "--max-tokens", &limit.to_string()]);
        if run.code != 0 {
            assert!(least.is_none());
            run.refused(3, &[&format!("the budget of {limit} tokens is too small")]);
            continue;
        }
        least = least.or(Some(limit));
        assert!(count(&run.stdout) <= limit, "{limit}: {}", run.stdout);
        let listed = run.stdout.lines().filter(|line| line.starts_with("- `")).count();
        let has = (run.stdout.contains("; topics: "), listed);
        assert!(has >= before, "{limit}: {}", run.stdout);
        let rest = 45 - listed;
        let rest = match (rest, listed) {
            (0, _) => String::new(),
            (rest, 0) => format!("- {rest} on demand, not listed\n"),
            (rest, _) => format!("- and {rest} more\n"),
        };
        assert!(run.stdout.ends_with(&rest), "{limit}: {}", run.stdout);
        before = has;
    }
    assert_eq!(before, (true, 45));
    assert!(least.is_some_and(|least| least <= 100), "{least:?}");
}

#[test]
fn relevant_contexts_come_first() {
    let project = project();
    let first = |request: &str| {
        let text = project.stdout(&["catalog", "--request", request]);
        text.lines().find(|line| line.starts_with("- `")).unwrap().to_owned()
    };
    assert_eq!(
        first("a tariff for parcels"),
        "- `specialist/customs`: What customs want to know (for: tariff, Letters)"
    );
    assert_eq!(first("my puppy is hungry"), "- `reference/dogs`: Feeding dogs and cats");
    assert_eq!(first(" "), first("the"));
}

#[test]
fn contexts_are_counted_by_their_own_kinds() {
    let file = |name: &str| {
        format!(".faber/overlays/organization/contexts/references/reference-{name}.md")
    };
    let project = project()
        .file(&file("a"), "---\nkind: policy\n---\n# A\n\nOne.\n")
        .file(&file("b"), "---\nkind: Policy\n---\n# B\n\nTwo.\n");
    let text = project.stdout(&["catalog"]);
    assert!(text.contains("- Organization (acme): 2 policies, 1 playbook"), "{text}");
    let data = catalog(&project, &[]);
    let acme = data["scopes"].as_array().unwrap().iter().find(|one| one["name"] == "acme").unwrap();
    assert_eq!((&acme["kinds"]["policy"], &acme["counts"]["playbook"]), (&2.into(), &1.into()));
}

#[test]
fn no_scope_fills_the_catalog_alone() {
    let mut project = project();
    for at in 0..30 {
        let file = format!(".faber/overlays/organization/contexts/playbooks/playbook-many-{at}.md");
        project = project.file(&file, &format!("---\nkeywords: [many {at}]\n---\n# Many {at}\n"));
    }
    let text = project.stdout(&["catalog", "--max-tokens", "210"]);
    let line = |id: &str| text.lines().position(|line| line.contains(id));
    assert!(line("reference/dogs").is_some() && text.contains("more\n"), "{text}");
}

#[test]
fn a_scope_lists_all_that_belongs_to_it() {
    let project = project().file(
        ".faber/overlays/teams/mail/contexts/specialists/specialist-customs.md",
        "---\nstrategy: append\n---\nAsk the team.\n",
    );
    let scoped = |scope: &str| catalog(&project, &["--role", "clerk", "--scope", scope]);
    assert_eq!(entries(&scoped("team")), ["specialist/customs"]);
    assert_eq!(
        entries(&scoped("space")),
        [
            "@role:courier/playbook/routes",
            "playbook/stamps",
            "reference/dogs",
            "specialist/customs"
        ]
    );
    assert_eq!(entries(&scoped("area")), ["playbook/stamps"]);
    assert_eq!(scoped("historical")["scopes"], serde_json::json!([]));
    let noted = project.file(".faber/history/outage.md", "# Outage\n\nThe scale was off.\n");
    let text = noted.stdout(&["catalog", "--role", "clerk", "--scope", "historical"]);
    assert!(text.contains("- History: 1 entry\n") && text.contains("`history/outage`"), "{text}");
    let data = catalog(&noted, &["--role", "clerk", "--scope", "historical"]);
    assert_eq!(data["historical"][0]["id"], "history/outage");
    let project = self::project();
    let run = project.run(&["catalog", "--scope", "historical"]);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", "no contexts in this scope\n"));
    project.run(&["catalog", "--scope", "area"]).refused(2, &["needs a role"]);
}

#[test]
fn hidden_contexts_leave_no_trace() {
    let project = project();
    for arguments in [&[][..], &["--role", "clerk"], &["--request", "zeppelin"]] {
        for format in ["human", "json"] {
            let text = project
                .stdout(&[&["catalog", "--format", format], arguments].concat())
                .to_lowercase();
            assert!(!text.contains("secret") && !text.contains("team"), "{text}");
            assert!(!text.contains("zeppelin"), "{text}");
        }
    }
    let text = project.stdout(&["catalog", "--as", "bob"]);
    assert!(text.contains("- Team (mail): 1 playbook; topics: zeppelin\n"), "{text}");
    assert!(text.contains("`playbook/secret`: A zeppelin."), "{text}");
}

#[test]
fn lines_say_when_the_role_loads_a_context() {
    let project = project().file(
        "roles/clerk/prompt.md",
        "# Clerk\n\n| Keywords | Context |\n|---|---|\n| kennel, bone | reference-dogs.md |\n",
    );
    let text = project.stdout(&["catalog", "--role", "clerk"]);
    let line = "- `reference/dogs`: Feeding dogs and cats (for: kennel, bone)\n";
    assert!(text.contains(line), "{text}");
    let data = catalog(&project, &["--role", "clerk"]);
    let all = data["scopes"].as_array().unwrap().iter();
    let mut all = all.flat_map(|scope| scope["entries"].as_array().unwrap());
    let dogs = all.find(|entry| entry["id"] == "reference/dogs").unwrap();
    assert_eq!(dogs["triggers"], "for: kennel, bone");
}

#[test]
fn a_history_alone_has_a_catalog() {
    let project = TestProject::with_role().file(".faber/history/n.md", "# N\n\nA note.\n");
    let text = project.stdout(&["catalog"]);
    assert!(text.contains("- History: 1 entry\n"), "{text}");
}

#[test]
fn an_empty_workspace_has_no_catalog() {
    let run = TestProject::with_role().run(&["catalog"]);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", "no contexts in this scope\n"));
}
