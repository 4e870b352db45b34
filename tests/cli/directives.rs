//! Load rules in prompts.

use serde_json::Value;

use crate::project::TestProject;

fn lighthouse(rules: &str) -> TestProject {
    TestProject::new()
        .file("roles/keeper/prompt.md", &format!("# Keeper\n\nYou mind a lighthouse.\n\n{rules}\n"))
        .file("contexts/specialists/specialist-lamp.md", "# Lamp\n\nTrim the wick.\n")
        .file("contexts/specialists/specialist-fog.md", "# Fog\n\nSound the horn.\n")
        .file("contexts/patterns/pattern-rota.md", "# Rota\n\nFour hours each.\n")
        .file("contexts/troubleshooting/troubleshooting-gear.md", "# Gear\n\nOil the gear.\n")
}

fn assembled(project: &TestProject, arguments: &[&str]) -> Value {
    let mut all = vec!["assemble", "keeper", "--format", "json"];
    all.extend(arguments);
    let run = project.run(&all);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn text(project: &TestProject, arguments: &[&str]) -> String {
    assembled(project, arguments)["bundle"].as_str().expect("a text").to_owned()
}

fn kinds(data: &Value, id: &str) -> Vec<String> {
    let contexts = data["contexts"].as_array().expect("contexts");
    let context = contexts.iter().find(|context| context["id"] == id);
    let reasons = context.and_then(|context| context["reasons"].as_array());
    let kind = |reason: &Value| reason["kind"].as_str().expect("a kind").to_owned();
    reasons.into_iter().flatten().map(kind).collect()
}

#[test]
fn an_order_without_condition_is_carried_out_and_left_out() {
    let project = lighthouse(
        "## Work\n\n1. Always load `/contexts/specialists/specialist-lamp.md`\n\
         2. Load all: `/contexts/patterns/*.md`\n3. Be brief.\n",
    );
    let data = assembled(&project, &["--request", "Good evening"]);
    assert_eq!(kinds(&data, "specialist/lamp"), ["prompt"]);
    assert_eq!(kinds(&data, "pattern/rota"), ["prompt"]);
    assert_eq!(kinds(&data, "specialist/fog"), [""; 0]);
    let bundle = data["bundle"].as_str().unwrap();
    assert!(bundle.contains("## Work\n\n1. Be brief.\n"), "{bundle}");
    let kept = text(&project, &["--keep-directives", "--request", "Good evening"]);
    assert!(kept.contains("1. Always load") && kept.contains("Trim the wick"), "{kept}");
}

#[test]
fn an_order_that_is_not_carried_out_stays() {
    let project = lighthouse(
        "- Load `specialist-fog.md` and `specialist-wreck.md`\n- Load `specialist-lamp.md`\n",
    );
    let data = assembled(&project, &["--without", "specialist/lamp"]);
    let bundle = data["bundle"].as_str().unwrap();
    assert!(bundle.contains("- Load `specialist-fog.md` and `specialist-wreck.md`"), "{bundle}");
    assert!(bundle.contains("- Load `specialist-lamp.md`"), "{bundle}");
    let found = data["findings"].as_array().unwrap();
    assert!(found.iter().any(|found| found["rule"] == "dangling-reference"), "{found:?}");
    let optional = lighthouse("## Wrecks (if present)\n\n- Load `specialist-wreck.md`\n");
    let data = assembled(&optional, &[]);
    assert!(data["bundle"].as_str().unwrap().contains("- Load `specialist-wreck.md`"));
    assert!(!data["findings"].to_string().contains("dangling-reference"));
}

#[test]
fn the_catalog_has_rules_that_have_not_fired() {
    let rules = "| Error | Guide |\n|---|---|\n| GearJammedError | troubleshooting-gear.md |\n\n\
        | Keywords | Context |\n|---|---|\n| fog, mist | specialist-fog.md |\n";
    let project = lighthouse(rules);
    let bundle = text(&project, &[]);
    assert!(!bundle.contains("| GearJammedError"), "{bundle}");
    assert!(
        bundle.contains("- `troubleshooting/gear`: Oil the gear. (on: GearJammedError)"),
        "{bundle}"
    );
    assert!(bundle.contains("- `specialist/fog`: Sound the horn. (for: fog, mist)"), "{bundle}");
    let place = |id: &str| bundle.find(&format!("- `{id}`")).expect("a line");
    assert!(place("troubleshooting/gear") < place("specialist/fog"));
    assert!(place("specialist/fog") < place("pattern/rota"));
    let run = project.run(&["assemble", "keeper", "--format", "text", "--request", "Good evening"]);
    assert!(run.stdout.contains("| GearJammedError | troubleshooting-gear.md |"), "{}", run.stdout);
}

#[test]
fn a_list_about_an_error_stays_whole_until_it_happens() {
    let project = lighthouse(
        "On gear error:\n1. Load `/contexts/troubleshooting/troubleshooting-gear.md`\n\
         2. Follow its steps\n",
    );
    let whole = "On gear error:\n1. Load `/contexts/troubleshooting/troubleshooting-gear.md`\n2. Follow its steps";
    assert!(text(&project, &["--request", "Good evening"]).contains(whole));
    let project = lighthouse(
        "On gear error:\n1. Load `/contexts/troubleshooting/troubleshooting-gear.md`\n2. Ring\n",
    );
    let fired = text(&project, &["--request", "Good evening", "--error", "GearError: stuck"]);
    assert!(
        fired.contains("On gear error:\n\n1. Ring\n") && fired.contains("Oil the gear"),
        "{fired}"
    );
}

#[test]
fn a_part_alone_comes_without_the_rules_of_the_prompt() {
    let project = lighthouse("- \"fog\" → Load `specialist-fog.md`\n");
    let arguments = ["--request", "Good evening", "--parts", "request"];
    assert_eq!(text(&project, &arguments), "# Request\n\nGood evening\n");
    assert_eq!(text(&project, &["--parts", "error"]), "");
    let none = ["assemble", "--parts", "error,request"];
    project.run(&none).said(&["note: the bundle is empty: no error, no request"]);
}

#[test]
fn directives_stay_in_the_prompt_if_the_catalog_only_counts_their_targets() {
    let rows: Vec<String> =
        (0..300).map(|at| format!("| word{at}x | reference-r{at}.md |\n")).collect();
    let rules = format!("| Keywords | Context |\n|---|---|\n{}", rows.concat());
    let mut project = lighthouse(&rules);
    for at in 0..300 {
        let path = format!("contexts/references/reference-r{at}.md");
        project = project.file(&path, &format!("# R{at}\n\nText {at}.\n"));
    }
    let lost = |budget: &str| {
        let bundle = text(&project, &["--budget", budget, "--request", "Good evening"]);
        assert!(bundle.contains("more; `faber list contexts` lists all"), "{bundle}");
        let is_lost = |at: &usize| {
            let row = format!("| word{at}x | reference-r{at}.md |");
            !bundle.contains(&row) && !bundle.contains(&format!("- `reference/r{at}`"))
        };
        (0..300).filter(is_lost).count()
    };
    assert_eq!(lost("16000"), 0);
    assert!((1..300).contains(&lost("1500")));
}

#[test]
fn directives_without_a_catalog_leave_no_room_unused_and_no_bundle_without_contexts() {
    let project = TestProject::new();
    project.run(&["init"]).said(&["next: faber assemble"]);
    let mut loaded = false;
    for budget in (200..560).step_by(5) {
        let budget = budget.to_string();
        let request = ["--request", "plan", "--budget", &budget, "--format", "json"];
        let run = project.run(&[&["explain"], &request[..]].concat());
        let data: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let number = |value: &Value| value.as_u64().expect("a number");
        let summary = &data["report"]["summary"];
        let free = number(&summary["limit"]) - number(&summary["total_used"]);
        let all = data["candidates"].as_array().expect("candidates").iter();
        let has_texts = all.clone().any(|one| one["tokens"] != 0);
        loaded |= has_texts;
        assert_eq!(loaded, has_texts, "{budget}");
        for context in all.filter(|one| one["left_out"][0]["reason"] == "over-budget") {
            let offers = context["packing"]["offers"].as_array().expect("forms");
            let least = offers.iter().map(|offer| number(&offer["tokens"])).min();
            assert!(least.is_some_and(|least| free < least + 16), "{budget}: {}", context["id"]);
        }
    }
}

#[test]
fn an_exception_keeps_a_rule_from_firing() {
    let project = lighthouse("- \"fog\" → Load `specialist-fog.md`, but not for drills\n");
    let fog =
        |request: &str| kinds(&assembled(&project, &["--request", request]), "specialist/fog");
    assert_eq!(fog("Fog ahead"), ["keyword"]);
    assert_eq!(fog("A fog drill"), [""; 0]);
    assert!(text(&project, &["--request", "Fog ahead"]).contains("but not for drills"));
}

#[test]
fn a_status_code_is_no_line_number() {
    let project = lighthouse("- On 401: load `troubleshooting-gear.md`\n");
    let gear =
        |error: &str| kinds(&assembled(&project, &["--error", error]), "troubleshooting/gear");
    assert_eq!(gear("HTTP 401 Unauthorized"), ["error"]);
    assert_eq!(gear("panicked at lamp.rs:401"), [""; 0]);
}

#[test]
fn triggers_are_listed_with_their_places() {
    let project = lighthouse("- \"fog\" → Load `specialist-fog.md`, but not for drills\n").file(
        "contexts/troubleshooting/troubleshooting-lens.md",
        "---\nerrors: [LensError]\n---\n# Lens\n\nWipe it.\n",
    );
    let run = project.run(&["list", "triggers", "--role", "keeper"]);
    insta::assert_snapshot!(run.stdout, @r"
    phrase     kind       context               declared at
    fog        keyword    specialist/fog        roles/keeper/prompt.md:5
    drills     exclusion  specialist/fog        roles/keeper/prompt.md:5
    LensError  error      troubleshooting/lens  contexts/troubleshooting/troubleshooting-lens.md:2
    ");
    let run = project.run(&["list", "triggers", "--role", "keeper", "--format", "json"]);
    let data: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(data["triggers"][0]["kind"], "keyword");
    assert_eq!(data["triggers"][1]["kind"], "exclusion");
    assert_eq!(data["triggers"][1]["line"], 5);
}

#[test]
fn an_exception_that_is_met_is_explained() {
    let project = lighthouse("- \"fog\" → Load `specialist-fog.md`, but not for drills\n");
    let run =
        project.run(&["explain", "specialist/fog", "--role", "keeper", "--request", "A fog drill"]);
    let expected = "excluded by `drills` at roles/keeper/prompt.md:5";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
}

#[test]
fn an_exception_may_come_first() {
    let project = lighthouse(
        "- not drills, fog → Load `specialist-fog.md`\n\n\
         Load `specialist-lamp.md` when the request mentions:\n\n- not drills\n- oil\n",
    );
    let fog = |request| kinds(&assembled(&project, &["--request", request]), "specialist/fog");
    let lamp = |request| kinds(&assembled(&project, &["--request", request]), "specialist/lamp");
    assert_eq!((fog("Fog tonight"), lamp("Oil")), (vec!["keyword".into()], vec!["keyword".into()]));
    assert_eq!((fog("Fog for drills"), lamp("Oil for drills")), (vec![], vec![]));
}

#[test]
fn keywords_in_a_list_below_stay_with_their_sentence() {
    for rules in [
        "If the user mentions any of the following, load `specialist-fog.md`:\n\n- fog\n- mist",
        "- `specialist-fog.md` — load when:\n  - fog\n  - mist",
        "Keywords for `specialist-fog.md`:\n- fog\n- mist",
    ] {
        let project = lighthouse(rules);
        let ask = ["--request", "Good evening"];
        let without = [&ask[..], &["--without", "specialist/fog"]].concat();
        let role = [&ask[..], &["--parts", "role"]].concat();
        for arguments in [&without, &role] {
            let bundle = text(&project, arguments);
            assert!(bundle.contains(rules), "{arguments:?}: {bundle}");
        }
        let bundle = text(&project, &ask);
        assert!(!bundle.contains("- mist") && bundle.contains("(for: fog, mist)"), "{bundle}");
    }
}

#[test]
fn the_catalog_has_all_keywords_of_rules_that_are_left_out() {
    let many: Vec<String> = (0..30).map(|at| format!("fog bank {at}")).collect();
    let row = format!("| {} | specialist-fog.md |", many.join(", "));
    for order in ["sequence", "cache"] {
        let project = lighthouse(&format!("| Keywords | Context |\n|---|---|\n{row}"));
        let bundle = text(&project, &["--request", "Good evening", "--order", order]);
        assert!(!bundle.contains(&row), "{bundle}");
        assert!(bundle.contains(&format!("(for: {})", many.join(", "))), "{bundle}");
    }
}

#[test]
fn a_word_above_a_load_is_a_keyword() {
    let project = lighthouse(
        "- Fog\n  - Load `specialist-fog.md`\n- Basics\n  - Load `specialist-lamp.md`\n",
    );
    let data = assembled(&project, &["--request", "Good evening"]);
    assert_eq!(kinds(&data, "specialist/fog"), [""; 0]);
    assert_eq!(kinds(&data, "specialist/lamp"), ["prompt"]);
    let data = assembled(&project, &["--request", "Fog tonight"]);
    assert_eq!(kinds(&data, "specialist/fog"), ["keyword"]);
}

#[test]
fn a_load_of_the_prompt_selects() {
    let project = lighthouse("- Load `specialist-fog.md`\n");
    let run = project.run(&["explain", "specialist/fog", "--role", "keeper"]);
    let row = run.stdout.lines().find(|line| line.contains("`Load` in the prompt"));
    assert!(row.is_some_and(|row| row.ends_with("roles/keeper/prompt.md:5")), "{}", run.stdout);
}

#[test]
fn a_pattern_in_a_prompt_is_matched_against_files() {
    let project = lighthouse("When editing `*.log` files, load `specialist-fog.md`.\n");
    let data = assembled(&project, &["--request", "Check the log", "--file", "old/may.log"]);
    assert_eq!(kinds(&data, "specialist/fog"), ["files"]);
    let data = assembled(&project, &["--request", "Check the log"]);
    assert_eq!(kinds(&data, "specialist/fog"), [""; 0]);
    assert!(data["bundle"].as_str().unwrap().contains("files: *.log"), "{data}");
    let run = project.run(&["list", "triggers", "--role", "keeper"]);
    let listed = run.stdout.lines().nth(1);
    assert_eq!(listed, Some("*.log   files  specialist/fog  roles/keeper/prompt.md:5"));
}

#[test]
fn an_error_text_is_matched_word_for_word() {
    let project = lighthouse(
        "| Error | Context |\n|---|---|\n| Lamp: Oil not found | troubleshooting-gear.md |\n\n\
         When the bearings are failing, load `specialist-fog.md`.\n",
    );
    let found = |error: &str| {
        let data = assembled(&project, &["--request", "Hm", "--error", error]);
        (kinds(&data, "troubleshooting/gear").len(), kinds(&data, "specialist/fog").len())
    };
    assert_eq!(found("panic: Lamp: oil not found (tank 2)"), (1, 0));
    assert_eq!(found("found the lamp"), (0, 0));
    assert_eq!(found("the bearings are failing"), (0, 1));
    assert_eq!(found("bearings failing"), (0, 1));
}

#[test]
fn a_name_with_a_typing_error_is_reported() {
    let project = lighthouse(
        "| Keywords | Context |\n|---|---|\n| mist | fogg |\n| wick | specialist-lamp.md |\n",
    );
    let run = project.run(&["validate", "--select", "unread-rule"]);
    assert!(run.stdout.contains("did you mean `specialist/fog`?"), "{}", run.stdout);
}

#[test]
fn a_misspelled_comment_in_a_prompt_is_reported_when_it_is_assembled() {
    let project = lighthouse("<!-- faber: inclde /contexts/standards/x.md -->\n");
    let run = project.run(&["assemble", "keeper", "--request", "x"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["unknown directive in a comment", "did you mean `<!-- faber: include "]);
}

#[test]
fn a_variable_for_a_server_is_not_missed_by_runs_that_start_none() {
    let config = "mcp_servers: { post: { command: post, env: { A: \"${NOT_SET}\" } } }\n";
    let project = lighthouse("").file(".faber/config.yml", config);
    let run = project.run(&["assemble", "keeper", "--request", "x", "--budget", "1.5k"]);
    assert_eq!((run.code, run.stderr.contains("NOT_SET")), (0, false), "{}", run.stderr);
    let run = project.run(&["validate", "-v", "--select", "unset-variable"]);
    assert!(run.stdout.contains("NOT_SET"), "{}", run.stdout);
}

#[test]
fn a_small_budget_keeps_the_platform_before_what_the_prompt_loads() {
    let words = "moor ".repeat(60);
    let project = lighthouse("- Load all: `/contexts/standards/*.md`\n")
        .file(".faber/config.yml", "platforms: { keeper: harbor }\n")
        .file(
            "contexts/platforms/platform-harbor.md",
            &format!("---\nessence: {words}\n---\n# Harbor\n\n{}\n", "Call first.\n".repeat(90)),
        )
        .file("contexts/standards/standards-rope.md", "# Rope\n\nCoil it.\n")
        .file("contexts/standards/standards-oil.md", "# Oil\n\nKeep it dry.\n");
    let (mut both, mut alone) = (0, 0);
    for budget in (80..400).step_by(10) {
        let budget = budget.to_string();
        let run = project.run(&["assemble", "keeper", "--format", "json", "-b", &budget]);
        if run.code == 0 {
            let data: Value = serde_json::from_str(&run.stdout).expect("JSON");
            let has = |id: &str| !kinds(&data, id).is_empty();
            let standards = usize::from(has("standard/rope")) + usize::from(has("standard/oil"));
            both += usize::from(has("platform/harbor") && standards > 0);
            alone += usize::from(has("platform/harbor") && standards == 0);
        }
    }
    assert!(both > 0 && alone > 0, "{both} {alone}");
}

#[test]
fn what_a_keyword_asks_for_comes_before_half_a_room_of_what_always_loads() {
    let mut project = lighthouse("- Load all: `/contexts/standards/*.md`\n")
        .file(
            "contexts/specialists/specialist-tide.md",
            "---\nkeywords: [tide]\n---\n# Tide\n\nRead the table.\n",
        )
        .file(
            "contexts/playbooks/playbook-watch.md",
            &format!("---\nload: always\n---\n# Watch\n\n{}\n", "Look out.\n".repeat(20)),
        );
    for at in 0..8 {
        let path = format!("contexts/standards/standards-s{at}.md");
        project = project.file(&path, &format!("# S{at}\n\n{}\n", "Coil the rope.\n".repeat(6)));
    }
    for budget in (150..600).step_by(25) {
        let asked = ["--request", "What about the tide?", "--budget", &budget.to_string()];
        let data = assembled(&project, &asked);
        assert_eq!(kinds(&data, "specialist/tide")[0], "keyword", "{budget}");
    }
}

#[test]
fn a_small_table_stays_in_the_prompt_when_there_is_no_room_for_a_catalog() {
    let rules = "| Keywords | Context |\n|---|---|\n\
                 | wick | specialist-lamp.md |\n| rota | pattern-rota.md |\n\
                 | gear | troubleshooting-gear.md |\n";
    let standard = format!("# Rope\n\n{}\n", "Coil it and keep it dry.\n".repeat(12));
    let project = lighthouse(rules).file("contexts/standards/standards-rope.md", &standard);
    for budget in (180..400).step_by(20) {
        let text = text(&project, &["--request", "Good evening", "--budget", &budget.to_string()]);
        for (word, id) in [("wick", "lamp"), ("rota", "rota"), ("gear", "gear")] {
            assert!(
                text.contains(&format!("| {word} |")) || text.contains(&format!("/{id}`")),
                "{text}"
            );
        }
    }
}

#[test]
fn a_table_that_is_preferred_makes_no_bundle_fail() {
    let rules = "| Keywords | Context |\n|---|---|\n\
                 | wick | specialist-lamp.md |\n| rota | pattern-rota.md |\n";
    let required = format!("---\nrequired: true\n---\n# Rope\n\n{}\n", "Coil it.\n\n".repeat(40));
    let project = lighthouse(rules).file("contexts/standards/standards-rope.md", &required);
    let run = |budget: usize| {
        let budget = budget.to_string();
        project.run(&["assemble", "keeper", "--request", "Good evening", "-b", &budget]).code
    };
    let least = (60..400).step_by(5).find(|&budget| run(budget) == 0).expect("it fits");
    for budget in (least..least + 120).step_by(5) {
        assert_eq!(run(budget), 0, "{budget} after {least}");
    }
}

#[test]
fn a_task_that_is_carried_out_is_not_asked_for() {
    let project = lighthouse("## Tasks\n\n- Load `/tasks/trim.md`\n- Load `/tasks/ring.md`\n")
        .file("roles/keeper/tasks/trim.md", "# Trim\n\nTrim it.\n")
        .file("tasks/ring.md", "# Ring\n\nRing it.\n");
    let lines = |arguments: &[&str]| {
        let text = text(&project, arguments);
        ["trim", "ring"].map(|task| text.contains(&format!("- Load `task/{task}`")))
    };
    assert_eq!(lines(&[]), [true, true]);
    assert_eq!(lines(&["--task", "trim"]), [false, true]);
    assert_eq!(lines(&["--task", "ring"]), [true, false]);
    assert_eq!(lines(&["--task", "trim", "--keep-directives"]), [true, true]);
    assert_eq!(lines(&["--task", "trim", "--order", "cache"]), [true, true]);
}
