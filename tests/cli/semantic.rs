//! Selection by similarity.

use std::collections::BTreeMap;

use crate::pelican::{DATE, bundle, entry, ids, pelican, reasons};
use crate::project::TestProject;

fn project() -> TestProject {
    pelican()
        .file(
            "contexts/playbooks/playbook-bikes.md",
            "---\ndescription: Repair a cargo bike\n---\n# Bikes\n\n## Change a flat tyre\n",
        )
        .file(
            "contexts/specialists/specialist-routes.md",
            "---\nkeywords: [detour]\ntags: [bike]\n---\n# Routes\n\nBy tyre.\n",
        )
        .file("contexts/patterns/pattern-secret.md", "---\nload: never\n---\n# Repair bikes\n")
        .file(
            "roles/issue-manager/contexts/platforms/platform-bike.md",
            "---\nload: on-demand\n---\n# Repair bikes\n",
        )
}

fn with(semantic: &str) -> TestProject {
    let config = project().text(".faber/config.yml");
    let config = format!("{config}selection: {{ {semantic} }}\n");
    project().file(".faber/config.yml", &config)
}

const REQUEST: [&str; 2] = ["--request", "How do I repair a bike?"];

#[test]
fn similar_contexts_are_suggested_first() {
    let project = with("semantic: suggest");
    let data = bundle(&project, &REQUEST);
    let catalogued = ids(&data, "catalogued");
    assert_eq!(catalogued[0], "playbook/bikes", "{catalogued:?}");
    let reason = &entry(&data, "catalogued", "playbook/bikes")["reasons"][0];
    assert_eq!(reason["kind"], "semantic");
    let detail = reason["detail"].as_str().unwrap();
    assert!(detail.starts_with("0.") && detail.ends_with(" for `repair`, `bike`"), "{detail}");
    for id in ["platform/bike", "platform/github", "pattern/migrations"] {
        assert!(entry(&data, "catalogued", id).get("reasons").is_none(), "{id}");
    }
    assert!(ids(&data, "excluded").contains(&"pattern/secret"));
    assert!(!ids(&data, "contexts").contains(&"playbook/bikes"));
    let text = data["bundle"].as_str().unwrap();
    let first = text.lines().find(|line| line.starts_with("- `")).unwrap();
    assert_eq!(first, "- `playbook/bikes`: Repair a cargo bike");
    let arguments = ["assemble", "issue-manager", "--at", DATE, "--report"];
    project
        .run(&[&arguments[..], &REQUEST].concat())
        .said(&["1 relevant, but not loaded playbook/bikes semantic: 0.", "for `repair`, `bike`"]);
    let arguments = ["explain", "playbook/bikes", "--role", "issue-manager", "--at", DATE];
    let explained = project.stdout(&[&arguments[..], &REQUEST].concat());
    assert!(
        explained.contains("suggested: resembles the request; listed in the catalog"),
        "{explained}"
    );
}

#[test]
fn the_catalog_is_in_the_order_of_likeness() {
    let project = with("most: 0");
    let data = bundle(&project, &REQUEST);
    let catalogued = ids(&data, "catalogued");
    assert_eq!(catalogued[..2], ["playbook/bikes", "specialist/routes"]);
    assert!(entry(&data, "catalogued", "playbook/bikes").get("reasons").is_none());
    let place = |id: &str| catalogued.iter().position(|one| *one == id).unwrap();
    assert!(place("platform/bike") > place("specialist/routes"), "{catalogued:?}");
}

#[test]
fn similar_meaning_is_suggested_without_a_common_word() {
    let config = "search: { weights: { semantic: 1, keyword: 0 } }\n";
    let project = with("semantic: suggest, threshold: 0.25");
    let config = project.text(".faber/config.yml") + config;
    let data =
        bundle(&project.file(".faber/config.yml", &config), &["--request", "My bicycle is broken"]);
    assert_eq!(ids(&data, "catalogued")[0], "playbook/bikes");
    let reason = &entry(&data, "catalogued", "playbook/bikes")["reasons"][0];
    let detail = reason["detail"].as_str().unwrap();
    assert!(detail.starts_with("0.") && detail.ends_with(" by meaning"), "{detail}");
}

#[test]
fn similar_contexts_are_loaded_by_default() {
    let project = project();
    let data = bundle(&project, &REQUEST);
    assert_eq!(reasons(&data, "playbook/bikes"), ["semantic"]);
    assert!(!ids(&data, "contexts").contains(&"platform/bike"));
    assert!(data["bundle"].as_str().unwrap().contains("## Change a flat tyre"));
    let data = bundle(&project, &["--request", "A detour by bike"]);
    assert_eq!(reasons(&data, "specialist/routes"), ["keyword"]);
    let data = bundle(&project, &[&REQUEST[..], &["--without", "playbook/bikes"]].concat());
    assert_eq!(entry(&data, "excluded", "playbook/bikes")["reason"], "without");
}

#[test]
fn a_context_related_to_a_similar_one_takes_only_what_all_others_leave() {
    let with = |related: &str| {
        let parts = "Order the spare part of the tyre. ".repeat(40);
        let text =
            format!("---\ndescription: Repair a cargo bike\n{related}---\n# Bikes\n\n{parts}\n");
        let locks = format!("# Locks\n\n{}\n", "Shelf nine. ".repeat(20));
        project()
            .file("contexts/playbooks/playbook-bikes.md", &text)
            .file("contexts/references/reference-locks.md", &locks)
    };
    let (alone, related) = (with(""), with("related: [reference/locks]\n"));
    assert_eq!(reasons(&bundle(&related, &REQUEST), "reference/locks"), ["related"]);
    let mut loaded = Vec::new();
    for budget in (300..1500).step_by(50) {
        let levels = |project: &TestProject| -> BTreeMap<String, String> {
            let budget = budget.to_string();
            let data = bundle(project, &[&REQUEST[..], &["--budget", &budget]].concat());
            let contexts = data["contexts"].as_array().unwrap().iter();
            contexts.map(|it| (it["id"].to_string(), it["level"].to_string())).collect()
        };
        let mut contexts = levels(&related);
        loaded.push(contexts.remove("\"reference/locks\"").is_some());
        if loaded.ends_with(&[true]) {
            assert_eq!(contexts, levels(&alone), "{budget}");
            assert!(contexts.values().all(|level| level == "\"detailed\""), "{budget}");
        }
    }
    assert!(loaded.is_sorted() && loaded.contains(&true) && !loaded[0], "{loaded:?}");
    for parts in ["contexts", "contexts,catalog"] {
        let small = [&REQUEST[..], &["--budget", "300", "--parts", parts]].concat();
        let said = related.stdout(&[&["explain", "reference/locks"][..], &small].concat());
        assert!(said.contains("and not everything fits in full"), "{said}");
    }
}

#[test]
fn a_request_that_names_one_of_siblings_loads_no_other() {
    let text = |of: &str| format!("# Repair {of} bikes\n\nHow to repair a bike: the tyre first.\n");
    let project = project()
        .file("contexts/playbooks/playbook-steel-bike.md", &text("steel"))
        .file("contexts/playbooks/playbook-carbon-bike.md", &text("carbon"));
    let loaded = |request: &str| -> Vec<String> {
        let data = bundle(&project, &["--request", request]);
        ids(&data, "contexts").iter().map(|id| (*id).to_owned()).collect()
    };
    let is_loaded = |ids: &[String], id: &str| ids.iter().any(|one| one == id);
    let both = loaded("How do I repair a bike?");
    assert!(is_loaded(&both, "playbook/steel-bike") && is_loaded(&both, "playbook/carbon-bike"));
    let request = "How do I repair a carbon bike?";
    let one = loaded(request);
    assert!(is_loaded(&one, "playbook/carbon-bike") && !is_loaded(&one, "playbook/steel-bike"));
    let explain = ["explain", "playbook/steel-bike", "--role", "issue-manager", "--at", DATE];
    let said = project.stdout(&[&explain[..], &["--request", request]].concat());
    let verdict = "not loaded: excluded by `playbook/carbon-bike`, which the request names";
    assert!(said.contains(verdict), "{said}");
    let ask = ["--request", request, "--without", "playbook/carbon-bike"];
    assert!(ids(&bundle(&project, &ask), "contexts").contains(&"playbook/steel-bike"));
}

#[test]
fn only_what_loads_takes_a_place() {
    let mut project = TestProject::with_role();
    for (n, name) in ["carbon-bike", "steel-bike", "wooden-bike", "sheds"].iter().enumerate() {
        let text = format!("# Repair a bike\n\n{}\n", "A bike has tyres.\n\n".repeat(n + 1));
        project = project.file(&format!("contexts/playbooks/playbook-{name}.md"), &text);
    }
    for n in 1..=20 {
        let other = format!("# Canteen {n}\n\nTea is at {n} o'clock.\n");
        project = project.file(&format!("contexts/patterns/pattern-c{n}.md"), &other);
    }
    let project = project.file(".faber/config.yml", "selection: { most: 2 }\n");
    let loaded = |ask: &[&str]| {
        let data = project.json(&[&["assemble", "--format", "json"][..], ask].concat());
        let contexts = data["contexts"].as_array().unwrap().iter();
        contexts.map(|it| it["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let ask = ["--request", "repair the tyres of a carbon bike"];
    assert_eq!(loaded(&ask), ["playbook/carbon-bike", "playbook/sheds"]);
    let without = [&ask[..], &["--without", "playbook/carbon-bike"]].concat();
    assert_eq!(loaded(&without), ["playbook/steel-bike", "playbook/wooden-bike"]);
}

#[test]
fn what_the_security_check_leaves_out_excludes_nothing_and_takes_no_place() {
    let text =
        |more: &str| format!("# Repair bikes\n\nHow to repair a bike: the tyre first.{more}\n");
    let mut project = TestProject::with_role()
        .file(".faber/config.yml", "selection: { most: 1 }\n")
        .file("contexts/playbooks/playbook-carbon-bike.md", &text(" Wait \u{202e}twice."))
        .file("contexts/playbooks/playbook-steel-bike.md", &text(""));
    for n in 1..=20 {
        let other = format!("# Canteen {n}\n\nTea is at {n} o'clock.\n");
        project = project.file(&format!("contexts/patterns/pattern-c{n}.md"), &other);
    }
    for request in
        ["How do I repair a carbon bike?", "How do I repair a bike with a tyre? Wait twice"]
    {
        let data = project.json(&["assemble", "--format", "json", "--request", request]);
        assert_eq!(ids(&data, "contexts"), ["playbook/steel-bike"], "{request}");
        assert_eq!(entry(&data, "excluded", "playbook/carbon-bike")["reason"], "insecure");
        let steel = ["explain", "playbook/steel-bike", "--request", request];
        assert!(!project.stdout(&steel).contains("not loaded"), "{request}");
    }
}

#[test]
fn of_contexts_with_the_same_text_one_is_loaded() {
    let text = "# Repair bikes\n\nHow to repair a bike: the tyre first.\n";
    let project = project()
        .file("contexts/playbooks/playbook-bikes.md", text)
        .file("contexts/playbooks/playbook-shed-bikes.md", text);
    let request = ["--request", "How do I repair a bike?"];
    let data = bundle(&project, &request);
    let loaded = ids(&data, "contexts");
    assert!(loaded.contains(&"playbook/bikes") && !loaded.contains(&"playbook/shed-bikes"));
    let explain = ["explain", "playbook/shed-bikes", "--role", "issue-manager", "--at", DATE];
    let said = project.stdout(&[&explain[..], &request].concat());
    let verdict = "not loaded: excluded by `playbook/bikes`, which has the same text";
    assert!(said.contains(verdict), "{said}");
    let asked = [&request[..], &["--with", "playbook/shed-bikes"]].concat();
    assert!(ids(&bundle(&project, &asked), "contexts").contains(&"playbook/shed-bikes"));
}

#[test]
fn what_is_for_other_files_does_not_load_for_its_words() {
    let text = "---\nglobs: [\"bikes/**\"]\n---\n# Repair bikes\n\nThe tyre of a bike first.\n";
    let project = project().file("contexts/playbooks/playbook-shed.md", text);
    let request = ["--request", "How do I repair the tyre of a bike?"];
    for (file, is_there) in [(None, true), (Some("bikes/a.md"), true), (Some("cars/a.md"), false)] {
        let file: Vec<&str> = file.into_iter().flat_map(|file| ["--file", file]).collect();
        let data = bundle(&project, &[&request[..], &file].concat());
        assert_eq!(ids(&data, "contexts").contains(&"playbook/shed"), is_there, "{file:?}");
    }
    let explain = ["explain", "playbook/shed", "--role", "issue-manager", "--at", DATE];
    let said = project.stdout(&[&explain[..], &request, &["--file", "cars/a.md"]].concat());
    assert!(said.contains("not loaded: excluded by its globs"), "{said}");
}

#[test]
fn a_weak_match_loads_if_it_takes_little_of_the_room() {
    let guide = format!("# Bikes of old\n\n{}", "They were of iron, and heavy.\n".repeat(150));
    let project = project().file("contexts/playbooks/playbook-old.md", &guide);
    let explain = |budget: &str| {
        let explain = ["explain", "playbook/old", "--role", "issue-manager", "--at", DATE];
        project.stdout(&[&explain[..], &REQUEST, &["--budget", budget]].concat())
    };
    let said = explain("1600");
    let (_, verdict) = said.split_once("not loaded: longer than the ").unwrap();
    let (share, rest) = verdict.split_once(' ').unwrap();
    assert!(rest.starts_with("tokens that its relevance allows; listed in the catalog"), "{said}");
    let limit =
        format!("It only resembles the request: at this relevance it may take {share} tokens");
    assert!(said.contains(&limit), "{said}");
    for budget in ["4000", "16000"] {
        assert!(explain(budget).contains("included in full"), "{budget}: {}", explain(budget));
    }
    let best = bundle(&project, &[&REQUEST[..], &["--budget", "1600"]].concat());
    assert_eq!(entry(&best, "contexts", "playbook/bikes")["level"], "detailed");
}

#[test]
fn explain_names_the_setting_that_leaves_a_similar_context_out() {
    let mut project = TestProject::with_role();
    for n in 1..=8 {
        let text = format!("# Guide {n}\n\nRotate the keys of service {n}, then restart it.\n");
        project = project.file(&format!("contexts/references/reference-g{n}.md"), &text);
    }
    for n in 1..=30 {
        let other = format!("# Canteen {n}\n\nTea is at {n} o'clock.\n");
        project = project.file(&format!("contexts/patterns/pattern-c{n}.md"), &other);
    }
    let ask = ["--request", "rotate the keys"];
    let data = project.json(&[&["explain", "--format", "json"][..], &ask].concat());
    let is_out = |it: &&serde_json::Value| it["tokens"] == 0 && it["category"] == "reference";
    let out: Vec<_> = data["candidates"].as_array().unwrap().iter().filter(is_out).collect();
    assert_eq!(out.len(), 2, "{data}");
    for candidate in out {
        let id = candidate["id"].as_str().unwrap();
        let said = project.stdout(&[&["explain", id][..], &ask].concat());
        let verdict = "not loaded: 6 others come first (`selection.most`)";
        assert!(said.contains(verdict) && !said.contains("below the threshold"), "{said}");
        let least = candidate["least_relevance"].as_f64().unwrap();
        assert!(least < candidate["relevance"].as_f64().unwrap(), "{candidate}");
        assert!(least.to_string().len() <= "0.123".len(), "scores are rounded: {least}");
    }
}

#[test]
fn a_cut_text_gets_the_room_that_is_left() {
    let part = |n: usize| format!("## Part {n}\n\n{}\n", "Ships sail over the sea. ".repeat(20));
    let parts: String = (0..40).map(part).collect();
    let text = format!("# Sailing\n\n{parts}\n## Land\n\nTo repair a bike, ask ashore.\n");
    for (path, id, file) in [
        ("contexts/standards/standards-sailing.md", "standard/sailing", "a.md"),
        ("contexts/playbooks/playbook-sailing.md", "playbook/sailing", "ships/a.md"),
    ] {
        let globs = "---\nglobs: [ships/**]\n---\n";
        let front = if id.starts_with("playbook") { globs } else { "" };
        let project = project().file(path, &format!("{front}{text}"));
        let arguments = [&REQUEST[..], &["--budget", "3000", "--file", file]].concat();
        let data = bundle(&project, &arguments);
        let sailing = entry(&data, "contexts", id);
        assert_eq!(sailing["level"], "focused", "{sailing}");
        let text = data["bundle"].as_str().unwrap();
        assert!(text.contains("ask ashore") && text.matches("## Part ").count() > 9, "{text}");
        let used = data["report"]["summary"]["total_used"].as_u64().unwrap();
        assert!((2700..=3000).contains(&used), "{used} tokens");
    }
}

#[test]
fn standards_of_a_folder_at_hand_come_before_texts_that_resemble_the_request() {
    let guide = format!("# Repair bikes\n\n{}", "To repair a bike, take the tools.\n".repeat(150));
    let rules = format!("# Ships\n\n{}", "They sail in summer, over the sea.\n".repeat(90));
    let project = project().file("contexts/playbooks/playbook-guide.md", &guide).file(
        "contexts/standards/standards-ships.md",
        &format!("---\nglobs: [ships/**]\n---\n{rules}"),
    );
    let arguments = [&REQUEST[..], &["--budget", "2400", "--file", "ships/a.md"]].concat();
    let data = bundle(&project, &arguments);
    let entries = [("standard/ships", true), ("playbook/guide", false)];
    for (id, is_full) in entries {
        let level = &entry(&data, "contexts", id)["level"];
        assert_eq!(level == "detailed", is_full, "{id}: {level}");
    }
}

#[test]
fn the_threshold_decides() {
    let loaded = |threshold: &str| {
        let project = with(&format!("semantic: load, threshold: {threshold}"));
        let data = bundle(&project, &REQUEST);
        ids(&data, "contexts")
            .iter()
            .filter(|id| id.contains("bike") || id.contains("routes"))
            .count()
    };
    assert_eq!((loaded("0, relative: 0.1"), loaded("0"), loaded("1")), (2, 1, 0));
}

#[test]
fn nothing_is_suggested_without_a_request_or_a_wish() {
    for (project, arguments) in
        [(with("semantic: suggest"), &[][..]), (project(), &[]), (with("semantic: off"), &REQUEST)]
    {
        let data = bundle(&project, arguments);
        assert!(!ids(&data, "contexts").contains(&"playbook/bikes"));
        let catalogued = data["catalogued"].as_array().unwrap();
        assert!(catalogued.iter().all(|entry| entry.get("reasons").is_none()));
    }
}

#[test]
fn suggestions_change_nothing_that_a_prompt_cache_keeps() {
    let project = with("semantic: suggest");
    let stable = |request: &str| {
        let data = bundle(&project, &["--order", "cache", "--request", request]);
        let lines: Vec<String> =
            data["bundle"].as_str().unwrap().lines().map(str::to_owned).collect();
        let catalog = lines.iter().position(|line| line == "# Catalog").unwrap();
        (data["report"]["stable_prefix_tokens"].clone(), lines[..catalog].to_vec())
    };
    assert_eq!(stable("repair a bike"), stable("paint a wall"));
}

#[test]
fn everything_is_loaded_up_front_while_it_is_little() {
    let project = with("upfront: auto");
    let data = bundle(&project, &[]);
    for id in ["playbook/bikes", "specialist/routes", "pattern/migrations", "reference/depots"] {
        assert_eq!(reasons(&data, id), ["always"], "{id}");
        let detail = &entry(&data, "contexts", id)["reasons"][0]["detail"];
        assert_eq!(detail, "selection.upfront: auto");
    }
    assert_eq!(reasons(&data, "troubleshooting/rate-limits"), ["always"]);
    assert_eq!(ids(&data, "catalogued"), ["platform/bike", "platform/github"]);
    assert!(ids(&data, "excluded").contains(&"pattern/secret"));
    assert!(data["contexts"].as_array().unwrap().iter().all(|one| one["level"] == "detailed"));
}

#[test]
fn too_much_for_up_front_changes_nothing() {
    let never = project().stdout(&["assemble", "issue-manager", "--at", DATE]);
    let small = with("upfront: auto, hybrid_threshold: 100");
    assert_eq!(small.stdout(&["assemble", "issue-manager", "--at", DATE]), never);
    let tight = ["assemble", "issue-manager", "--at", DATE, "--budget", "400"];
    assert_eq!(with("upfront: auto").stdout(&tight), project().stdout(&tight));
}

#[test]
fn contexts_named_after_other_languages_than_those_of_the_files_do_not_load() {
    let text = "# Comparing tokens\n\nCompare tokens in constant time.\n";
    let project = ["python-tokens", "kotlin-tokens", "tokens"].iter().fold(
        TestProject::new().file("roles/engineer/prompt.md", "# Engineer\n"),
        |project, name| {
            let path = format!("contexts/references/reference-{name}.md");
            project.file(&path, &format!("{text}\nSee {name}.\n"))
        },
    );
    let loaded = |request: &str, files: &[&str]| {
        let request = ["assemble", "engineer", "--format", "json", "--request", request];
        let files = files.iter().flat_map(|file| ["--file", file]);
        let arguments: Vec<&str> = request.into_iter().chain(files).collect();
        ids(&project.json(&arguments), "contexts")
            .into_iter()
            .map(|id| id.trim_start_matches("reference/").to_owned())
            .collect::<Vec<_>>()
    };
    let request = "compare the tokens in constant time";
    let (python, kotlin, none) = ("python-tokens", "kotlin-tokens", "tokens");
    assert_eq!(loaded(request, &["auth.py"]), [python, none]);
    for files in [&[][..], &["Makefile"], &["auth.py", "Auth.kt"]] {
        assert_eq!(loaded(request, files), [kotlin, python, none], "{files:?}");
    }
    let request = format!("{request}, as in Kotlin");
    assert_eq!(loaded(&request, &["auth.py"]), [kotlin]);
}
