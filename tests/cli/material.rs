//! Error texts and inputs.

use serde_json::Value;

use crate::project::{Run, TestProject};

const ASK: [&str; 3] = ["assemble", "clerk", "--at=2026-01-15"];

fn log(count: usize) -> String {
    let line = |n: usize| ["line ", &n.to_string(), " says that the letter was opened.\n"].concat();
    (1..=count).map(line).collect()
}

fn project(count: usize) -> TestProject {
    let long = log(count);
    let specialist = format!("---\nkeywords: [stamp]\n---\n# Stamps\n\n{long}");
    TestProject::with_role()
        .file("contexts/standards/standards-tone.md", &format!("# Tone\n\n{long}"))
        .file("contexts/specialists/specialist-stamps.md", &specialist)
        .file("letters.log", &log(3000))
}

#[track_caller]
fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[track_caller]
fn places(text: &str, wanted: &[&str]) -> Vec<usize> {
    let place =
        |wanted: &&str| text.find(wanted).unwrap_or_else(|| panic!("no {wanted} in {text}"));
    wanted.iter().map(place).collect()
}

#[test]
fn logs_and_diffs_are_read_as_tools_write_them() {
    let bad = "warning: `caf.log` has invalid UTF-8; 2 places replaced with U+FFFD\n";
    let globbed = "---\nglobs: ['*.rs']\n---\n# Rust\n\nBe borrowed.\n";
    let diff = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n";
    let colored: String = diff.lines().flat_map(|line| ["\u{1b}[1m", line, "\u{1b}[m\n"]).collect();
    let project = TestProject::with_role()
        .file("contexts/specialists/specialist-rust.md", globbed)
        .file("plain.diff", diff)
        .file("color.diff", &colored)
        .file("bom.diff", &format!("\u{feff}{diff}"))
        .bytes("caf.log", b"caf\xe9 \xff open\n")
        .bytes("caf.jsonl", b"{\"role\": \"user\", \"content\": \"caf\xe9\"}\n")
        .bytes("wide.log", b"\xff\xfea\0\n\0");
    let with = |input| project.stdout(&[&ASK[..], &["--request", "x", "--input", input]].concat());
    let plain = with("plain.diff");
    assert!(plain.contains("Be borrowed."), "{plain}");
    for input in ["color.diff", "bom.diff"] {
        assert_eq!(with(input), plain.replace("plain.diff", input));
    }
    for command in ["assemble", "explain"] {
        let run = project.run(&[command, "--request", "x", "--input", "caf.log"]);
        assert_eq!((run.code, &*run.stderr), (0, bad), "{command}");
    }
    assert!(with("caf.log").contains("caf\u{fffd} \u{fffd} open\n"));
    for (option, heading) in [("--request", "Request"), ("--error", "Error")] {
        let run =
            project.run_with_input(&["assemble", option, "-"], "\u{feff}\u{1b}[31mhi\u{1b}[0m\n");
        let block = format!("# {heading}\n\n");
        let text = run.stdout.split(&block).nth(1).unwrap();
        assert_eq!(text.lines().find(|line| !line.starts_with('`')), Some("hi"), "{text}");
        assert_eq!(run.stderr, "");
    }
    for (option, file, why) in [
        ("--input", "wide.log", "it is UTF-16, not UTF-8"),
        ("--history", "caf.jsonl", "it is not UTF-8 (line 1, column 33)"),
    ] {
        project.run(&["assemble", option, file]).refused(2, &[why]);
    }
}

#[test]
fn the_error_is_between_inputs_and_request_in_every_format() {
    let project = TestProject::with_role().file("a.diff", "+a letter\n");
    let head = [&ASK[..], &["--input", "a.diff", "--request", "Sort it"]].concat();
    for format in ["markdown", "xml", "text", "json", "anthropic", "openai"] {
        let more = ["--error", "E42: no stamp", "--model", "gpt-4o", "--format", format];
        let text = project.stdout(&[&head[..], &more].concat());
        let text = match format {
            "json" => {
                let data: Value = serde_json::from_str(&text).unwrap();
                data["bundle"].as_str().unwrap().to_owned()
            }
            _ => text,
        };
        assert!(places(&text, &["+a letter", "E42: no stamp", "Sort it"]).is_sorted(), "{text}");
    }
    let run =
        project.run_with_input(&[&head[..], &["--error", "-"]].concat(), "\n```\nE42\n```\n\n");
    assert!(run.stdout.ends_with("# Error\n\n````\n```\nE42\n```\n````\n\n# Request\n\nSort it\n"));
    let blank = project.stdout(&[&head[..], &["--error", " \n"]].concat());
    assert!(!blank.contains("# Error"), "{blank}");
    let named = project.file("e1.txt", "E42\n").run(&[&head[..], &["--error", "e1.txt"]].concat());
    named.said(&["`e1.txt` is used as the text of the error; `--error - < e1.txt` reads the file"]);
}

#[test]
fn a_diff_of_any_size_gives_a_bundle_within_the_budget() {
    let project = project(10);
    for budget in ["200", "250", "1000", "16000"] {
        for format in ["json", "xml", "text"] {
            let ask =
                [&ASK[..], &["--request", "Sort it", "-b", budget, "--format", format]].concat();
            let run = project.run_with_input(&[&ask[..], &["--input", "-"]].concat(), &log(3000));
            assert_eq!(run.code, 0, "{}", run.stderr);
            let again = project.run_with_input(&[&ask[..], &["--input", "-"]].concat(), &log(3000));
            assert_eq!(run, again);
            let text = match format {
                "json" => {
                    let data = json(&run);
                    let summary = &data["report"]["summary"];
                    assert!(summary["total_used"].as_u64() <= summary["limit"].as_u64());
                    let material = &data["report"]["material"][0];
                    assert_eq!(material["name"], "standard input");
                    assert!(material["tokens"].as_u64() < material["full_tokens"].as_u64());
                    data["bundle"].as_str().unwrap().to_owned()
                }
                _ => run.stdout.clone(),
            };
            assert!(text.contains(" lines left out]\n") && text.contains("You sort letters."));
            assert!(text.contains("Sort it"));
        }
    }
    let ask =
        [&ASK[..], &["--input", "letters.log", "--request", "Sort it", "-b", "1000"]].concat();
    let text = project.stdout(&ask);
    let quoted = text.split("```\n").nth(1).unwrap();
    let (head, tail) = quoted.split_once('[').unwrap();
    let (count, tail) = tail.split_once(" lines left out]\n").unwrap();
    assert!(log(3000).starts_with(head) && log(3000).ends_with(tail), "{quoted}");
    let kept = head.lines().count() + tail.lines().count();
    assert_eq!(kept + count.parse::<usize>().unwrap(), 3000);
    assert!(head.len() > 500 && head.len().abs_diff(tail.len()) < 100, "{quoted}");
}

#[test]
fn material_leaves_contexts_half_of_the_room_and_takes_what_they_do_not_need() {
    let sizes = |count: usize| {
        let ask = ["--input", "letters.log", "--request", "Sort the stamp", "-b", "4000"];
        let run = project(count).run(&[&ASK[..], &ask, &["--format", "json"]].concat());
        let report = json(&run)["report"].clone();
        let of = |part: &str, key: &str| report[part][key].as_u64().unwrap();
        (of("context", "location"), of("conversation", "message"))
    };
    let (contexts, message) = sizes(90);
    assert!((1500..2300).contains(&message) && contexts > 1700, "{message} beside {contexts}");
    for few in [10, 900] {
        let (contexts, message) = sizes(few);
        assert!(message > 3000 && contexts > 50, "{message} beside {contexts}");
    }
}

#[test]
fn small_material_stays_whole_and_required_contexts_come_first() {
    let required = format!("---\nrequired: true\ntruncatable: false\n---\n# Post\n\n{}", log(60));
    let project = project(10).file("contexts/standards/standards-post.md", &required);
    let ask = ["--input", "letters.log", "--error", "E42: no stamp", "--request", "Sort it"];
    let head = [&ASK[..], &ask, &["--format", "json"]].concat();
    for budget in ["750", "1200"] {
        let data = json(&project.run(&[&head[..], &["-b", budget]].concat()));
        let bundle = data["bundle"].as_str().unwrap();
        assert!(bundle.contains("E42: no stamp") && bundle.contains("line 60 says"), "{bundle}");
    }
    let run = project.run(&[&head[..], &["-b", "300"]].concat());
    run.refused(3, &["standard/post"]);
    let needed = run
        .stderr
        .split("the budget to at least ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    json(&project.run(&[&head[..], &["-b", needed]].concat()));
}

#[test]
fn a_line_of_any_length_is_cut_within() {
    let project = TestProject::with_role().file("a.json", &"\"é\",".repeat(40_000));
    let text = project.stdout(&[&ASK[..], &["--input", "a.json", "-b", "2000"]].concat());
    assert!(text.contains(" characters left out]\n") && text.matches("é").count() > 200);
}

#[test]
fn one_line_says_what_the_request_did_not_get_and_what_would_hold_it() {
    let project = project(80);
    let ask = [&ASK[..], &["--request", "Sort the stamp", "--input", "letters.log"]].concat();
    for order in ["sequence", "cache"] {
        let ask = [&ask[..], &["--order", order]].concat();
        let run = project.run(&[&ask[..], &["-b", "1000"]].concat());
        let note = run.stderr.lines().find(|line| line.starts_with("note: ")).unwrap();
        assert!(
            note.contains(" of 2 selected contexts") && note.contains("specialist/stamps"),
            "{note}"
        );
        assert!(note.contains("letters.log shortened"), "{note}");
        let budget = note.split("--budget ").nth(1).unwrap().split('`').next().unwrap();
        let run = project.run(&[&ask[..], &["-b", budget, "--format", "json"]].concat());
        assert_eq!(run.stderr, "");
        let data = json(&run);
        assert_eq!(data["report"]["degraded"].as_array().unwrap().len(), 0);
        assert!(data["bundle"].as_str().unwrap().contains("line 1500 says"));
    }
    let quiet = project.run(&[&ask[..], &["-b", "1000", "-q"]].concat());
    assert_eq!((quiet.code, &*quiet.stderr), (0, ""));
    let other = |budget| project.run(&[&ASK[..], &["--request", "Sort it", "-b", budget]].concat());
    other("40").said(&["1 of 1 selected contexts left out (standard/tone)"]);
    let one = "1 of 1 selected contexts shortened (standard/tone); `--budget ";
    other("300").said(&[one, "` includes it in full"]);
    let small = project.run(&[&ask[..], &["--model", "gpt-4"]].concat());
    small.said(&["letters.log shortened; it does not fit the model's window in full"]);
}

#[test]
fn a_context_that_holds_itself_down_is_no_shortfall() {
    let capped = format!("---\nkeywords: [stamp]\nmax_tokens: 60\n---\n# Stamps\n\n{}", log(20));
    let project = project(5).file("contexts/specialists/specialist-stamps.md", &capped);
    let ask =
        |more: &[&str]| project.run(&[&ASK[..], &["--request", "Sort the stamp"], more].concat());
    let run = ask(&[]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    for (budget, what) in [
        ("60", "left out (specialist/stamps, standard/tone)"),
        ("70", "shortened or left out (standard/tone, specialist/stamps)"),
    ] {
        let budget_note = "`--budget 200` includes them in full or up to `max_tokens`";
        ask(&["--budget", budget]).said(&[&format!("{what}; {budget_note}")]);
    }
}

#[test]
fn the_default_budget_follows_the_window_and_budgets_have_units() {
    let project = TestProject::with_role();
    let limit = |more: &[&str]| {
        let data = json(&project.run(&[&ASK[..], more, &["--format", "json"]].concat()));
        data["report"]["summary"]["limit"].as_u64().unwrap()
    };
    assert_eq!(limit(&[]), 16_000);
    assert_eq!(limit(&["--model", "gpt-4o"]), 16_000);
    assert_eq!(limit(&["--model", "gpt-5"]), 40_000);
    assert_eq!(limit(&["-b", "32k"]), 32_000);
    assert_eq!(limit(&["--model", "gpt-4o", "-b", "25%"]), 32_000);
    let share = project.run(&[&ASK[..], &["-b", "60%"]].concat());
    share.refused(2, &["a budget in percent needs a model", "--model NAME"]);
    let lowered = project.run(&[&ASK[..], &["--model", "gpt-5", "-b", "100%"]].concat());
    lowered.said(&["note: budget lowered to 3", "the window of `gpt-5` leaves no more"]);
    for grouped in ["4_000", "4 000"] {
        assert_eq!(limit(&["-b", grouped]), 4_000);
    }
    for wrong in ["k", "-5", "101%", "many"] {
        let run = project.run(&[&ASK[..], &[&*format!("--budget={wrong}")]].concat());
        run.refused(
            2,
            &["write tokens (`8000` or `32k`) or a share of the model's window (`60%`)"],
        );
    }
    let project = TestProject::with_role()
        .file(".faber/config.yml", "budget: { context: 5k, conversation: 1k }\n")
        .env("FABER_BUDGET_CONVERSATION", "2k");
    let data = json(&project.run(&[&ASK[..], &["--format", "json"]].concat()));
    assert_eq!(data["report"]["summary"]["limit"], 7000);
}

#[test]
fn answers_have_room_for_code() {
    let ask = [&ASK[..], &["--request", "Sort it", "--format"]].concat();
    let answer = |project: &TestProject, more: &[&str], key: &str| {
        let body = json(&project.run(&[&ask[..], more].concat()));
        body[key].as_u64().unwrap()
    };
    let project = TestProject::with_role();
    let claude = ["anthropic", "--model", "claude-sonnet-4-5"];
    assert_eq!(answer(&project, &claude, "max_tokens"), 8192);
    let openai = ["openai", "--model", "gpt-4"];
    let used = json(&project.run(
        &[&ASK[..], &["--request", "Sort it", "--format", "json", "--model", "gpt-4"]].concat(),
    ));
    let left = answer(&project, &openai, "max_completion_tokens");
    assert!(left < 8192 && left > 8000, "{left} of {}", used["report"]["summary"]);
    let project = project.file(".faber/config.yml", "budget: { response: 3k }\n");
    assert_eq!(answer(&project, &claude, "max_tokens"), 3000);
}

#[test]
fn parts_are_printed_one_by_one_and_take_no_budget() {
    let project = project(4)
        .file("contexts/references/reference-drawers.md", "---\ndescription: All drawers\n---\n# Drawers\n")
        .file("h.jsonl", "{\"role\":\"user\",\"content\":\"Monday came\"}\n{\"role\":\"assistant\",\"content\":\"Yes\"}\n")
        .file("a.diff", "+a letter\n");
    let ask = [
        "--request",
        "Sort the stamp",
        "--error",
        "E42",
        "--input",
        "a.diff",
        "--history",
        "h.jsonl",
    ];
    let ask = [&ASK[..], &ask].concat();
    let marks = [
        ("role", "You sort letters."),
        ("contexts", "line 4 says"),
        ("catalog", "All drawers"),
        ("history", "Monday came"),
        ("input", "+a letter"),
        ("error", "E42"),
        ("request", "Sort the stamp"),
    ];
    let whole = project.stdout(&ask);
    assert!(places(&whole, &marks.map(|(_, mark)| mark)).is_sorted(), "{whole}");
    for format in ["markdown", "xml", "json"] {
        for (part, _) in marks {
            let run = project.run(&[&ask[..], &["--format", format, "--parts", part]].concat());
            assert_eq!(run.code, 0, "{}", run.stderr);
            let text = match format {
                "json" => json(&run)["bundle"].as_str().unwrap().to_owned(),
                _ => run.stdout,
            };
            for (other, mark) in marks {
                assert_eq!(text.contains(mark), other == part, "{other} of {part}: {text}");
            }
        }
    }
    let two = project.stdout(&[&ask[..], &["--parts", "request,error"]].concat());
    assert_eq!(two, "# Error\n\n```\nE42\n```\n\n# Request\n\nSort the stamp\n");
    let tight = project.stdout(&[&ask[..], &["--parts", "request", "-b", "10"]].concat());
    assert_eq!(tight, "# Request\n\nSort the stamp\n");
    let catalog = project.stdout(&[&ask[..], &["--parts", "catalog"]].concat());
    assert!(
        places(&catalog, &["`specialist/stamps`", "`reference/drawers`"]).is_sorted(),
        "{catalog}"
    );
    project
        .run(&[&ask[..], &["--parts", "system"]].concat())
        .refused(2, &["unknown value `system`"]);
}

#[test]
fn a_body_has_only_the_parts_that_are_asked_for_and_something_to_answer() {
    let project = project(4);
    let ask = ["--request", "Sort the stamp", "--model", "gpt-4o", "--format"];
    let ask = [&ASK[..], &ask].concat();
    let body =
        json(&project.run(&[&ask[..], &["anthropic", "--parts", "contexts,request"]].concat()));
    let system = body["system"].to_string();
    assert!(system.contains("line 4 says") && !system.contains("You sort letters."), "{system}");
    let body = json(&project.run(&[&ask[..], &["openai", "--parts", "request"]].concat()));
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    let run = project.run(&[&ask[..], &["anthropic", "--parts", "role,contexts"]].concat());
    run.refused(2, &["no message to answer", "`--parts`"]);
}

#[test]
fn findings_in_files_that_the_bundle_does_not_use_take_one_line() {
    let project = project(4)
        .file("contexts/specialists/specialist-a.md", "---\nkeywords: { a: b }\n---\n# A\n")
        .file("contexts/specialists/specialist-b.md", "---\npriority: high\nlicence: X\n---\n# B\n")
        .file("contexts/specialists/specialist-c.md", "---\nlicence: X\n---\n# C\n");
    let ask = [&ASK[..], &["--request", "Sort the stamp"]].concat();
    let run = project.run(&ask);
    assert_eq!(run.stderr, "2 problems in other files; run `faber validate`\n");
    let all = project.run(&[&ask[..], &["-v"]].concat());
    all.said(&["specialist-a.md", "specialist-b.md"]);
    assert_eq!(project.run(&[&ask[..], &["-q"]].concat()).stderr, "");
    assert_eq!(all.stderr.matches("unknown field `licence`").count(), 1, "{}", all.stderr);
    let used = project.run(&[&ask[..], &["--with", "specialist/a"]].concat());
    used.said(&["specialist-a.md", "1 problem in another file; run `faber validate`"]);
    assert!(!used.stderr.contains("specialist-b.md"), "{}", used.stderr);
    let strict = project.run(&[&ask[..], &["--strict"]].concat());
    strict.refused(2, &["specialist-a.md", "specialist-b.md"]);
    let shown = project.run(&["show", "specialist/b"]);
    shown.said(&["specialist-b.md", "1 problem in another file"]);
    let explained = project.run(&["explain", "--request", "Sort the stamp"]);
    assert_eq!(explained.stderr, "2 problems in other files; run `faber validate`\n");
    let data = json(&project.run(&[&ask[..], &["--format", "json"]].concat()));
    assert_eq!(data["findings"].as_array().unwrap().len(), 4);
}

#[test]
fn an_empty_input_is_left_out_and_named() {
    let project =
        TestProject::with_role().file("empty.log", " \n").file("full.log", "It failed.\n");
    let inputs = ["assemble", "--request", "x", "--input", "empty.log", "--input", "full.log"];
    let run = project.run(&inputs);
    run.said(&["note: input `empty.log` is empty; left out"]);
    assert!(run.stdout.contains("full.log") && !run.stdout.contains("empty.log"), "{}", run.stdout);
    assert!(!run.stderr.contains("full.log"), "{}", run.stderr);
}
