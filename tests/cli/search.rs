//! `search`, `query`, `expand` and `index`.

use std::time::Duration;

use serde_json::Value;

use crate::pelican::ids;
use crate::project::TestProject;

fn project() -> TestProject {
    TestProject::with_role()
        .file(".faber/config.yml", "settings:\n  team: mail\n")
        .file(
            "contexts/standards/standard-security.md",
            "---\nconfidence: 0.9\nupdated: 2026-01-02\nowner: ann\n---\n# Security\n\nLead.\n\n\
             ## Data protection\n\nPersonal data is encrypted at rest.\n\n## Passwords\n\n\
             Passwords are hashed with argon2.\n",
        )
        .file("contexts/references/reference-stamps.md", "# Stamps\n\nA stamp costs 85 cents.\n")
        .file(
            ".faber/overlays/organization/contexts/standards/company-reviews.md",
            "# Reviews\n\nEvery change needs two approvals.\n",
        )
        .file(
            ".faber/overlays/teams/mail/contexts/playbooks/playbook-sorting.md",
            "---\nderived_from: [standard/security, a talk with the post office]\n\
             contradicts: [reference/stamps]\n---\n# Sorting\n\nSort letters by country first.\n",
        )
        .file("roles/clerk/tasks/frank.md", "# Frank\n\nFrank a letter with the machine.\n")
        .file(
            ".faber/history/2026-01-02-outage.md",
            "---\nowner: bob\nupdated: 2026-01-02\n---\n# Outage\n\nThe franking machine was offline.\n",
        )
        .file(
            ".faber/history/talk.jsonl",
            "{\"role\":\"user\",\"content\":\"Where do parcels go?\"}\n\
             {\"role\":\"assistant\",\"content\":\"To counter seven.\"}\n",
        )
}

impl TestProject {
    fn data(&self, arguments: &[&str]) -> Value {
        self.json(&[arguments, &["--format", "json"]].concat())
    }

    fn found(&self, arguments: &[&str]) -> Vec<String> {
        let data = self.data(&[&["search"], arguments].concat());
        ids(&data, "results").into_iter().map(str::to_owned).collect()
    }
}

#[test]
fn everything_that_is_known_is_found() {
    let project = project();
    for (question, id) in [
        ("personal data encrypted", "standard/security"),
        ("how many approvals", "standard/company-reviews"),
        ("sort by country", "playbook/sorting"),
        ("frank a letter", "task/frank"),
        ("machine offline outage", "history/2026-01-02-outage"),
        ("where do parcels go", "history/talk.jsonl#1"),
    ] {
        assert_eq!(project.found(&["--mode", "keyword", question])[0], id, "{question}");
        assert_eq!(project.found(&[question])[0], id, "{question}");
    }
    assert_eq!(
        project.found(&["--mode", "keyword", "company_reviews"])[0],
        "standard/company-reviews"
    );
    assert!(project.found(&["--mode", "keyword", "zebra"]).is_empty());
    let run = project.run(&["search", "--mode", "keyword", "zebra"]);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", "no results\n"));
}

#[test]
fn a_hit_says_what_it_is_and_where() {
    let project = project();
    let data = project.data(&["search", "--mode", "keyword", "argon2"]);
    let hit = &data["results"][0];
    assert_eq!(data["schema"], "faber.search/1");
    assert_eq!(hit["id"], "standard/security");
    assert!(hit["content"].as_str().unwrap().ends_with("Passwords are hashed with argon2."));
    let source = &hit["source"];
    assert_eq!(source["path"], "contexts/standards/standard-security.md");
    assert_eq!((&source["line"], &source["title"]), (&6.into(), &"Security".into()));
    assert_eq!((&source["type"], &source["scope"]), (&"document".into(), &"space".into()));
    assert_eq!(
        (&source["contributed_by"], &source["created_at"]),
        (&"ann".into(), &"2026-01-02".into())
    );
    let score = hit["relevance_score"].as_f64().unwrap();
    assert!(score > 0.0 && score <= 1.0);
    let data = project.data(&["search", "--mode", "keyword", "--preview=20", "argon2"]);
    assert_eq!(data["results"][0]["content"], Value::Null);
    assert_eq!(data["results"][0]["preview"], "# Security Lead. ##…");
    let types = ["history/talk.jsonl#1", "history/2026-01-02-outage"]
        .map(|id| project.data(&["expand", id])["source"]["type"].clone());
    assert_eq!(types, ["conversation", "memory"]);
}

#[test]
fn a_hit_is_the_best_of_the_small_sections_of_a_passage() {
    let filler = "Use utf8mb4. ".repeat(120);
    let text = format!(
        "# MySQL\n\n## Hosts\n\nRead from replicas.\n\n## Deadlocks\n\nError 1213 ends one.\n\n\
         ### Retry\n\nAt most thrice.\n\n## Ports\n\nUse 3306.\n\n## Charset\n\n{filler}\n"
    );
    let project = project().file("contexts/playbooks/mysql.md", &text);
    let best = "## Deadlocks\n\nError 1213 ends one.\n\n### Retry\n\nAt most thrice.";
    let id = "playbook/mysql#deadlocks";
    let data = project.data(&["search", "mysql error 1213"]);
    assert_eq!(
        (&data["results"][0]["id"], &data["results"][0]["content"]),
        (&id.into(), &best.into())
    );
    assert_eq!(project.run(&["expand", id]).stdout, format!("{best}\n"));
    let data = project.data(&["query", "mysql error 1213"]);
    assert_eq!(
        (&data["beliefs"][0]["id"], &data["beliefs"][0]["content"]),
        (&id.into(), &best.into())
    );
    assert_eq!(project.found(&["mysql replicas"])[0], "playbook/mysql#hosts");
}

#[test]
fn files_of_a_skill_are_found_with_it() {
    let fields = "# Fields\n\nA checkbox is a quokka.\n";
    let project = |front: &str| {
        let skill = format!("---\nname: forms\n{front}---\nSee [fields](ref/fields.md).\n");
        TestProject::new()
            .file(".claude/skills/forms/SKILL.md", &skill)
            .file(".claude/skills/forms/ref/fields.md", fields)
            .file(".claude/skills/forms/ref/inner/SKILL.md", "---\nname: inner\n---\nX.\n")
            .file(".claude/skills/forms/ref/inner/other.md", "A wombat.\n")
    };
    let id = "playbook/forms/ref/fields.md";
    for import in [&["import", ".", "--in-place"][..], &["import", "."]] {
        let open = project("description: Fills forms\n");
        open.run(import);
        let data = open.data(&["search", "--mode", "keyword", "quokka"]);
        let hit = &data["results"][0];
        assert_eq!(hit["id"], id, "{data}");
        assert!(hit["source"]["path"].as_str().unwrap().ends_with("forms/ref/fields.md"));
        assert_eq!(open.found(&["--mode", "keyword", "wombat"]), ["playbook/inner/other.md"]);
        assert_eq!(open.run(&["expand", id]).stdout, fields);
        let data = open.data(&["expand", id, "--include", "related"]);
        assert_eq!(data["related"][0]["id"], "playbook/forms");
        assert!(!open.run(&["catalog"]).stdout.contains(id));
        let hidden = project("visibility: private\nowner: ann\n");
        hidden.run(import);
        assert!(hidden.found(&["--mode", "keyword", "quokka"]).is_empty());
        assert_eq!(hidden.found(&["--mode", "keyword", "--as", "ann", "quokka"]), [id]);
    }
}

#[test]
fn scopes_categories_and_limits_narrow_a_search() {
    let project = project();
    let all = ["letters data approvals stamp franking parcels"];
    let scoped =
        |scope: &str| project.found(&[&["--mode", "keyword", "--scope", scope], &all[..]].concat());
    assert_eq!(scoped("organization"), ["standard/company-reviews"]);
    assert_eq!(scoped("team"), ["playbook/sorting"]);
    assert_eq!(scoped("area"), ["task/frank"]);
    assert_eq!(scoped("historical").len(), 2);
    assert!(scoped("space").contains(&"reference/stamps".to_owned()));
    assert_eq!(scoped("all").len(), 5);
    assert_eq!(project.found(&["-n", "2", all[0]]).len(), 2);
    let category = project.found(&["--category", "playbook", all[0]]);
    assert_eq!(category, ["playbook/sorting"]);
    let alone = TestProject::with_role().run(&["search", "--scope", "team", "x"]);
    assert!(alone.code == 2 && alone.stderr.contains("--team"), "{}", alone.stderr);
    let run = project.run(&["search", "--scope", "galaxy", "x"]);
    assert!(run.code == 2 && run.stderr.contains("organization"), "{}", run.stderr);
    assert_eq!(project.run(&["search", " "]).code, 2);
    assert_eq!(project.run(&["search", "-n", "51", "x"]).code, 2);
}

#[test]
fn without_a_role_the_question_is_about_all_of_them() {
    let project = project()
        .file("roles/porter/prompt.md", "# Porter\n")
        .file(
            "roles/porter/contexts/standards/standard-trolleys.md",
            "# Trolleys\n\nOil the wheels.\n",
        )
        .file("roles/apprentice/prompt.md", "# Apprentice\n")
        .file("roles/apprentice/agent.yml", "name: apprentice\nextends: clerk\n");
    assert_eq!(project.found(&["oil wheels"])[0], "@role:porter/standard/trolleys");
    assert_eq!(project.found(&["frank letter"])[0], "@role:clerk/task/frank");
    let text = project.stdout(&["search", "frank letter"]);
    assert!(text.contains("roles/clerk/tasks/frank.md:1  role\n"), "{text}");
    assert_eq!(project.found(&["--role", "porter", "oil wheels"])[0], "standard/trolleys");
    assert!(
        !project
            .found(&["--role", "clerk", "oil wheels"])
            .contains(&"standard/trolleys".to_owned())
    );
    let text = project.run(&["expand", "@role:porter/standard/trolleys"]).stdout;
    assert_eq!(text, "# Trolleys\n\nOil the wheels.\n");
    let run = project.run(&["search", "--scope", "area", "oil"]);
    assert!(run.code == 2 && run.stderr.contains("--role"), "{}", run.stderr);
}

#[test]
fn of_equal_texts_that_of_the_requested_role_is_found() {
    let same = "# Same\n\nThe kiwi rule holds here.\n";
    let project = TestProject::new()
        .file("roles/c/prompt.md", "# C\n")
        .file("roles/d/prompt.md", "# D\n")
        .file("roles/c/contexts/references/reference-r.md", same)
        .file("roles/d/contexts/references/reference-r.md", same);
    for scope in ["all", "area", "space"] {
        let found = project.found(&["kiwi rule", "--role", "c", "--scope", scope]);
        assert_eq!(found, ["reference/r"], "{scope}");
    }
    assert_eq!(project.found(&["kiwi rule"]), ["@role:c/reference/r"]);
}

#[test]
fn a_scope_without_anything_visible_is_an_error() {
    let secret = "---\ngroups: [eng]\n---\n# S\n\nThe papaya.\n";
    let project = TestProject::with_role()
        .file(".faber/overlays/organization/contexts/references/reference-s.md", secret);
    for command in ["search", "query", "catalog"] {
        let words: &[&str] = if command == "catalog" { &[] } else { &["papaya"] };
        let ask = [&[command], words, &["--scope", "organization"]].concat();
        let as_alice = [&ask[..], &["--as", "alice"]].concat();
        project.run(&as_alice).refused(2, &["no visible contexts in the scope `organization`"]);
        let text = project.stdout(&[&ask[..], &["--as", "alice:eng"]].concat());
        let visible =
            if command == "catalog" { "Organization: 1 reference" } else { "reference/s" };
        assert!(text.contains(visible), "{command}: {text}");
    }
    let unknown = ["search", "papaya", "--scope", "team", "--team", "nosuch"];
    project.run(&unknown).refused(2, &["no visible contexts in the scope `team` (`nosuch`)"]);
}

#[test]
fn search_finds_resolved_texts() {
    let project = project().file(
        ".faber/overlays/organization/contexts/standards/standard-security.md",
        "---\nstrategy: merge\nsections: { Passwords: override }\n---\n# Security\n\n## Passwords\n\nPasskeys replace passwords.\n",
    );
    assert!(project.found(&["--mode", "keyword", "argon2"]).is_empty(), "it is overridden");
    let data = project.data(&["search", "--mode", "keyword", "passkeys"]);
    let content = data["results"][0]["content"].as_str().unwrap();
    assert!(content.contains("encrypted at rest") && content.contains("Passkeys"), "{content}");
    assert_eq!(data["results"][0]["source"]["scope"], "organization");
    for scope in ["organization", "space"] {
        assert_eq!(
            project.found(&["--mode", "keyword", "--scope", scope, "passkeys"]),
            ["standard/security"]
        );
    }
}

#[test]
fn a_context_without_text_answers_with_its_description_or_not_at_all() {
    let project = project()
        .file(
            "contexts/references/reference-zeppelins.md",
            "---\ndescription: Zeppelins carry letters\n---\n",
        )
        .file("contexts/references/reference-zeppelin-index.md", "---\ntags: [zeppelin]\n---\n")
        .file("contexts/references/reference-post.md", "# Post\n\nA zeppelin leaves at noon.\n");
    let answer = project.stdout(&["query", "zeppelin"]);
    for text in ["leaves at noon", "Zeppelins carry letters"] {
        assert!(answer.contains(text), "{answer}");
    }
    assert!(!answer.contains("zeppelin-index"), "{answer}");
}

#[test]
fn hidden_contexts_leave_no_trace() {
    let bare = project();
    let hiding = project()
        .file(
            "contexts/standards/standard-board.md",
            "---\nvisibility: private\nowner: eve\n---\n# Board\n\nApprovals of the board, data, approvals.\n",
        )
        .file(
            "contexts/standards/standard-old.md",
            "---\nvalid_to: 2001-01-01\n---\n# Old\n\nApprovals of yore.\n",
        );
    for arguments in [
        &["search", "approvals of the board", "--format", "json"][..],
        &["search", "approvals", "--mode", "keyword", "--format", "json"],
        &["query", "approvals of the board", "--format", "json"],
    ] {
        assert_eq!(hiding.run(arguments).stdout, bare.run(arguments).stdout, "{arguments:?}");
    }
    let unknown = |id: &str| hiding.run(&["expand", id]).stderr.replace(id, "ID");
    assert_eq!(unknown("standard/board"), unknown("standard/bored"));
    let seen = hiding.found(&["--as", "eve", "approvals of the board"]);
    assert_eq!(seen[0], "standard/board");
    assert!(!hiding.found(&["approvals of the board"]).contains(&"standard/board".to_owned()));
}

#[test]
fn the_index_follows_every_change() {
    let project = project();
    let path = "contexts/references/reference-stamps.md";
    assert_eq!(project.found(&["--mode", "keyword", "cents"]), ["reference/stamps"]);
    std::thread::sleep(Duration::from_millis(130));
    let words =
        ["amber", "beige", "coral", "denim", "ebony", "fawn", "gold", "hazel", "ivory", "jade"];
    let mut before = "cents";
    for word in words {
        std::fs::write(project.path(path), format!("# Stamps\n\nA {word} stamp.\n")).unwrap();
        assert_eq!(project.found(&["--mode", "keyword", word]), ["reference/stamps"]);
        assert!(project.found(&["--mode", "keyword", before]).is_empty(), "{before}");
        before = word;
    }
    std::fs::rename(project.path(path), project.path("contexts/references/reference-seals.md"))
        .unwrap();
    assert_eq!(project.found(&["--mode", "keyword", "jade"]), ["reference/seals"]);
    std::fs::remove_file(project.path("contexts/references/reference-seals.md")).unwrap();
    assert!(project.found(&["--mode", "keyword", "jade"]).is_empty());
    let folders = std::fs::read_dir(project.path(".faber/cache/search")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("g-")).count(), 1);
}

#[test]
fn answers_do_not_depend_on_the_index() {
    let project = project();
    let ask = ["search", "letters and data", "--format", "json"];
    let first = project.run(&ask).stdout;
    std::thread::sleep(Duration::from_millis(130));
    let plain = project.run(&[&ask[..], &["--no-cache"]].concat()).stdout;
    assert_eq!(first, plain);
    for freshness in ["auto", "trust", "verify"] {
        assert_eq!(project.run(&[&ask[..], &["--freshness", freshness]].concat()).stdout, first);
    }
    let folder = project.path(".faber/cache/search");
    let parts = || -> Vec<std::path::PathBuf> {
        let entries = walkdir::WalkDir::new(&folder).sort_by_file_name().into_iter();
        let paths = entries.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
        paths.filter(|path| path.file_name().is_some_and(|name| name != "lock")).collect()
    };
    assert!(parts().len() >= 2, "{:?}", parts());
    for at in 0..parts().len() {
        for share in 0..8 {
            let path = parts().swap_remove(at);
            let mut bytes = std::fs::read(&path).unwrap();
            let place = (bytes.len() - 1) * share / 7;
            if share % 2 == 0 {
                bytes[place] ^= 0x40;
            } else {
                bytes.truncate(place);
            }
            std::fs::write(&path, &bytes).unwrap();
            let run = project.run(&ask);
            assert_eq!((run.code, &*run.stdout), (0, &*first), "{}", run.stderr);
            assert!(run.stderr.contains("rebuilding"), "{path:?} {share}: {}", run.stderr);
        }
    }
    let cleared = project.data(&["index", "clear"]);
    assert_eq!((&cleared["schema"], &cleared["items"]), (&"faber.index/1".into(), &0.into()));
    assert!(!folder.exists());
    assert_eq!(project.run(&ask).stdout, first);
}

#[test]
fn many_at_once_answer_alike() {
    let project = project();
    let ask = ["search", "letters and data", "--format", "json"];
    let expected = project.run(&[&ask[..], &["--no-cache"]].concat()).stdout;
    let running: Vec<_> = (0..16)
        .map(|_| {
            let mut command = project.faber(&ask);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for process in running {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[test]
fn headings_without_text_are_expanded_with_their_description() {
    let text = "---\ndescription: Steps of a delivery\n---\n# Delivery\n\n## Load\n";
    let project = project().file("contexts/playbooks/playbook-delivery.md", text);
    let expand = |id: &str| project.run(&["expand", id]).stdout;
    let whole = "Steps of a delivery\n\n# Delivery\n\n## Load\n";
    assert_eq!(expand("playbook/delivery"), whole);
}

#[test]
fn a_unit_is_expanded_with_what_it_rests_on() {
    let project = project();
    let include = "detail,derivation,evidence,contradictions,related";
    let data = project.data(&["expand", "playbook/sorting", "--include", include]);
    assert_eq!(data["content"], "# Sorting\n\nSort letters by country first.\n");
    assert_eq!(data["derivation"][0]["source"], "standard/security");
    assert_eq!(data["derivation"][0]["confidence"], 0.9);
    assert_eq!(data["derivation"][1]["source"], "a talk with the post office");
    assert_eq!(data["evidence"][0]["id"], "standard/security");
    assert_eq!(data["contradictions"][0]["essence"], "A stamp costs 85 cents.");
    let data = project.data(&["expand", "reference/stamps", "--include", "contradictions"]);
    assert_eq!(data["contradictions"][0]["id"], "playbook/sorting");
    assert!(data.get("content").is_none());
    let section = project.run(&["expand", "standard/security#passwords"]).stdout;
    assert_eq!(section, "## Passwords\n\nPasswords are hashed with argon2.\n");
    let data = project.data(&["expand", "playbook/sorting"]);
    let printed = project.stdout(&["expand", "playbook/sorting"]);
    let counted = project.run_with_input(&["tokens", "-"], &printed).stdout;
    assert_eq!(counted.trim(), data["tokens"].to_string());
    let catalog = project.stdout(&["catalog", "--format", "json"]);
    let (_, entry) = catalog.split_once("\"playbook/sorting\"").unwrap();
    assert!(entry.contains(&format!("\"tokens\": {}", data["tokens"])), "{catalog}");
    let data = project.data(&["expand", "standard/security", "--max-tokens", "12"]);
    assert_eq!((&data["truncated"], &data["estimated"]), (&true.into(), &false.into()));
    assert!(data["tokens"].as_u64().unwrap() <= 12);
    project.run(&["expand", "standard/security", "--scope", "space"]).said(&[]);
    let run = project.run(&["expand", "standard/security", "--scope", "team"]);
    run.refused(2, &["not in the scope `team`", "its own is `space`"]);
    let run = project.run(&["expand", "standard/security", "--max-tokens", "1"]);
    let least = run.stderr.split("--max-tokens ").nth(1).and_then(|rest| rest.split('`').next());
    let least: usize = least.unwrap().parse().unwrap();
    run.refused(3, &["the budget of 1 token is too small"]);
    for (most, code) in [(least - 1, 3), (least, 0)] {
        let most = most.to_string();
        let run = project.run(&["expand", "standard/security", "--max-tokens", &most]);
        assert_eq!((run.code, run.stdout.lines().count() > 3), (code, code == 0), "{}", run.stdout);
    }
    let run = project.run(&["expand", "standard/secruity"]);
    assert!(run.code == 2 && run.stderr.contains("standard/security"), "{}", run.stderr);
}

#[test]
fn a_query_answers_within_its_tokens() {
    let project = project();
    let data = project.data(&[
        "query",
        "how is personal data protected",
        "--derivations",
        "--contradictions",
    ]);
    assert_eq!(data["beliefs"][0]["id"], "standard/security");
    assert_eq!(data["beliefs"][0]["confidence"], 0.9);
    let run = project.run(&["query", "letters data stamps", "--max-tokens", "5"]);
    let least = run.stderr.split("--max-tokens ").nth(1).and_then(|rest| rest.split('`').next());
    run.refused(3, &["the budget of 5 tokens is too small"]);
    for most in [least.unwrap(), "60", "120", "400"] {
        let arguments =
            ["query", "letters data stamps", "--max-tokens", most, "--format", "markdown"];
        let text = project.run(&arguments).stdout;
        let counted = project.run_with_input(&["tokens", "-"], &text).stdout;
        let counted: u64 = counted.split_whitespace().next().unwrap().parse().unwrap();
        assert!(counted > 0 && counted <= most.parse().unwrap(), "{counted} > {most}: {text}");
        assert!(text.contains("id: `") || text.contains("-   `"), "{most}: {text}");
    }
    let budget = project.run(&["query", "letters data stamps", "--budget", "5"]);
    assert_eq!(budget, run);
    let run = project.run(&["query", "x", "--max-tokens", "10", "--target-tokens", "20"]);
    run.refused(2, &["use `--target-tokens 10` or less"]);
    project.run(&["query", "x", "--target-tokens", "0"]).refused(2, &["write at least 1"]);
}

#[test]
fn an_excerpt_uses_its_tokens() {
    let rows: Vec<String> = (10..60).map(|at| format!("| 10.27.{at}.0 | /21 | - |")).collect();
    let head = "# Blocks\n\n| block | mask | subnet set |\n|---|---|---|\n";
    let text = head.to_owned() + &rows.join("\n");
    let project = project().file("contexts/references/reference-blocks.md", &text);
    let data =
        project.data(&["query", "which subnet set has block 10.27.31.0?", "--max-tokens", "400"]);
    let first = &data["beliefs"][0];
    assert_eq!(first["level"], "focused", "{data}");
    assert!((360..=400).contains(&data["total_tokens"].as_u64().unwrap()), "{data}");
}

#[test]
fn query_has_a_sentence_for_each_passage_only_with_v() {
    let project = project();
    let text = project.stdout(&["query", "frank a letter"]);
    assert!(text.contains("tokens\n") && !text.contains("is included"), "{text}");
    let text = project.stdout(&["query", "frank a letter", "-v"]);
    assert!(text.contains("task/frank` is included in full"), "{text}");
}

#[test]
fn search_and_query_agree_on_what_is_not_known() {
    let project = project();
    let words: Vec<String> = (0..40).map(|at| format!("qzx{at}v")).collect();
    let far = format!("{} stamp", words.join(" "));
    let unknown = "No text contains: qzx0v, qzx1v, qzx2v, qzx3v, qzx4v.\n";
    let status = format!("No relevant passages found. {unknown}");
    assert_eq!(project.stdout(&["query", &far]), status);
    let found = project.stdout(&["search", &far]);
    let status = format!("No relevant passages found; these are the closest. {unknown}");
    assert!(found.starts_with(&status) && found.contains("reference/stamps"), "{found}");
}

#[test]
fn each_of_several_questions_is_answered() {
    let mut project = project();
    for (at, what) in ["mail", "post", "web", "office", "night"].into_iter().enumerate() {
        let text = format!(
            "# {what} {at}\n\nThe {what} counter {at} of users hashes passwords with salt {at}.\n"
        );
        project = project.file(&format!("contexts/references/reference-{what}.md"), &text);
    }
    let parts = ["which counter of users hashes passwords with salt,", "and how is a stamp paid?"];
    let both = parts.join(" ");
    let found = project.data(&["search", &both]);
    for part in parts {
        let alone = project.data(&["search", part]);
        let best = &alone["results"][0];
        assert!(found["results"].as_array().unwrap()[..2].contains(best), "{part}: {found}");
    }
    let data = project.data(&["query", &both, "--max-tokens", "120"]);
    assert!(ids(&data, "beliefs").contains(&"reference/stamps"), "{data}");
    assert_eq!(project.data(&["search", "stamps of Kafka"])["unknown"][0], "Kafka");
    let text = project.stdout(&["query", "stamps of Kafka"]);
    assert!(text.starts_with("No text contains: Kafka.\n"), "{text}");
}

#[test]
fn repetitions_come_after_others() {
    let same = "# Franking\n\nThe franking machine prints a stamp on each letter.\n";
    let project = TestProject::with_role()
        .file("contexts/references/reference-franking.md", same)
        .file("contexts/playbooks/playbook-franking.md", same)
        .file("contexts/references/reference-prints.md", "# Prints\n\nA machine prints maps.\n");
    let found = project.found(&["franking machine prints"]);
    assert_eq!(found[1..], ["reference/prints", "reference/franking"]);
}

#[test]
fn names_with_signs_are_words_of_their_own() {
    let project = TestProject::with_role()
        .file("contexts/references/reference-a.md", "# A\n\nWe write csharp with dotnet.\n")
        .file("contexts/references/reference-b.md", "# B\n\nWe write C++20 with cmake.\n")
        .file("contexts/references/reference-c.md", "# C\n\nWe write C with make, and a net.\n")
        .file("contexts/references/reference-d.md", "# D\n\nWe read 6 papers about IL-10.\n")
        .file("contexts/references/reference-e.md", "# E\n\nWe read 10 papers about IL6.\n");
    let first = |words: &str| project.found(&["--mode", "keyword", words])[0].clone();
    for (words, id) in
        [("C#", "a"), (".NET", "a"), ("C++", "b"), ("cpp", "b"), ("IL-6", "e"), ("IL10", "d")]
    {
        assert_eq!(first(words), format!("reference/{id}"), "{words}");
    }
}

#[test]
fn previews_and_groups_show_what_was_asked_for() {
    let section = |at: usize| format!("## Part {at}\n\n{}\n\n", "Stamps are printed. ".repeat(90));
    let project = TestProject::with_role().file(
        "contexts/references/reference-stamps.md",
        &format!("# Stamps\n\n{}", (0..9).map(section).collect::<String>()),
    );
    let preview = project.stdout(&["search", "--preview=400", "--limit", "1", "stamps printed"]);
    let shown: usize = preview.lines().filter(|line| line.contains("printed")).map(str::len).sum();
    assert!(shown > 350, "{preview}");
    let project = project.file(".faber/config.yml", "previews: { reference: 60, catalog: 30 }\n");
    let data = project.data(&["search", "--preview", "--limit", "1", "stamps printed"]);
    let shown = data["results"][0]["preview"].as_str().unwrap().chars().count();
    assert!((50..=60).contains(&shown), "{data}");
    let project = project.file(
        "contexts/references/reference-letters.md",
        "---\ndescription: How a letter gets to another town\n---\n# Letters\n",
    );
    assert!(
        project
            .stdout(&["catalog"])
            .contains("`reference/letters`: How a letter gets to another …\n")
    );
    let data = project.data(&["search", "--group", "stamps printed"]);
    assert_eq!(data["results"].as_array().unwrap().len(), 1);
    assert_eq!(data["results"][0]["passages"].as_array().unwrap().len(), 5);
}

#[test]
fn tasks_and_history_are_seen_as_contexts_are() {
    let project = project()
        .file(
            "contexts/standards/standard-plan.md",
            "---\nvisibility: private\nowner: eve\n---\n# Plan\n",
        )
        .file(
            "tasks/numbat.md",
            "---\nderived_from: [standard/plan, standard/security, standard/security]\n---\n# Numbat\n",
        )
        .file("tasks/draft.md", "---\nstatus: draft\n---\n# Numbat draft\n")
        .file(
            ".faber/history/old.md",
            "---\nvalid_to: 2001-01-01\n---\n# Old numbat\n",
        );
    assert_eq!(project.found(&["--mode", "keyword", "numbat"]), ["task/numbat"]);
    let data = project.data(&["expand", "task/numbat", "--include", "derivation"]);
    let derivation = data["derivation"].as_array().unwrap();
    assert_eq!(derivation.len(), 1, "{derivation:?}");
    assert_eq!(derivation[0]["source"], "standard/security");
}

#[test]
fn equal_texts_are_found_in_their_own_categories() {
    let text = "# Same\n\nThe cassowary rule.\n";
    let project =
        project().file("contexts/standards/same.md", text).file("contexts/patterns/same.md", text);
    for category in ["standard", "pattern"] {
        let found = project.found(&["--mode", "keyword", "--category", category, "cassowary"]);
        assert_eq!(found, [format!("{category}/same")]);
    }
}

#[test]
fn trust_is_not_given_to_what_is_known_to_be_past() {
    let project = project();
    assert!(project.found(&["--mode", "keyword", "newt"]).is_empty());
    std::thread::sleep(Duration::from_millis(130));
    project.found(&["stamps"]);
    let path = project.path("contexts/references/reference-newt.md");
    std::fs::write(path, "# Newt\n").unwrap();
    // Too recent to be cached.
    assert_eq!(project.found(&["--mode", "keyword", "newt"]), ["reference/newt"]);
    let trusting = ["--freshness", "trust", "--mode", "keyword", "newt"];
    assert_eq!(project.found(&trusting), ["reference/newt"]);
}

#[test]
fn a_configuration_that_cannot_be_read_answers_nothing() {
    let project = project().file(".faber/config.yml", "search: {limit: 3\nfoo: [");
    for command in ["search", "query"] {
        let run = project.run(&[command, "letters"]);
        assert_eq!((run.code, &*run.stdout), (2, ""));
        assert!(run.stderr.contains("invalid-config"), "{}", run.stderr);
    }
}

#[test]
fn search_results_cannot_control_a_terminal() {
    let project = project().file(
        "contexts/references/reference-steer.md",
        "# Steer\u{1b}]0;x\u{7}\n\nWombat \u{1b}[31m red.\n",
    );
    let shown = project.run(&["search", "wombat", "--color", "always"]).stdout;
    let shown = shown.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
    let shown = shown.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", "");
    assert!(
        shown.contains("Wombat") && !shown.contains('\u{1b}') && !shown.contains('\u{7}'),
        "{shown:?}"
    );
}

#[test]
#[cfg(unix)]
fn the_lock_is_no_way_out_of_the_workspace() {
    let project =
        project().dir("outside").symlink(".faber/cache/search/lock", "../../../outside/made");
    assert_eq!(project.run(&["search", "letters"]).code, 0);
    assert!(!project.path("outside/made").exists());
}
