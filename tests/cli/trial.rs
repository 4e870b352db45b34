use serde_json::{Value, json};

use crate::project::TestProject;

const EVIDENCE: &str = ".faber/evidence.json";
const FILE: &str = "contexts/specialists/specialist-plan.md";

fn project() -> TestProject {
    TestProject::with_role()
        .file(FILE, "---\nkeywords: [plan]\n---\n# Plans\n\nSmall steps.\n")
        .file(
            "tests/a.yml",
            "- name: one\n  request: Plan it\n  answer_contains: step\n- name: two\n  request: A plan of a move\n  answer: It is short\n",
        )
}

fn plan(project: &TestProject, arguments: &[&str]) -> Value {
    let all = [&["trial", "plan", "--context", "specialist/plan"], arguments].concat();
    let run = project.run(&all);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&project.text("trial/trial.json")).unwrap()
}

fn lines(plan: &Value, with: f64, without: f64) -> String {
    let line = |run: &Value| {
        let score = if run.get("without").is_some() { without } else { with };
        json!({"run": run["id"], "score": score}).to_string() + "\n"
    };
    plan["runs"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_plan_has_each_case_with_and_without_the_context() {
    let project = project();
    let data = plan(&project, &[]);
    let schema = project.json(&["schema", "trial"]);
    jsonschema::validate(&schema, &data).unwrap();
    let runs = data["runs"].as_array().unwrap();
    assert_eq!((runs.len(), data["pairs"].as_array().unwrap().len()), (4, 2));
    for run in runs {
        let bundle = project.text(&format!("trial/{}", run["bundle"].as_str().unwrap()));
        assert_eq!(bundle.contains("Small steps."), run.get("without").is_none(), "{bundle}");
    }
    assert_eq!(plan(&project, &[]), data);
    for name in ["plan", "specialist-plan.md", FILE] {
        project.stdout(&["trial", "plan", "--context", name]);
        let named: Value = serde_json::from_str(&project.text("trial/trial.json")).unwrap();
        assert_eq!(named, data, "{name}");
    }
    let cases = "- name: two\n  request: A plan of a move\n  answer: It is short\n";
    let project = project.file("tests/a.yml", cases);
    plan(&project, &[]);
    assert_eq!(std::fs::read_dir(project.path("trial/runs")).unwrap().count(), 2);
}

#[test]
fn a_run_lacks_one_context_and_none_with_a_similar_name() {
    let cases =
        "- { name: one, request: Plan it, with: specialist-my-plan, answer: It is short }\n";
    let other = "---\nload: on-demand\n---\nBig steps.\n";
    let project = project()
        .file("contexts/specialists/specialist-my-plan.md", other)
        .file("tests/a.yml", cases);
    let data = plan(&project, &[]);
    assert_eq!(data["pairs"].as_array().unwrap().len(), 1, "{data}");
    for run in data["runs"].as_array().unwrap() {
        let bundle = project.text(&format!("trial/{}", run["bundle"].as_str().unwrap()));
        assert!(bundle.contains("Big steps."), "{bundle}");
    }
}

#[test]
fn files_for_tools_name_the_runs() {
    let project = project();
    let data = plan(&project, &["--format", "promptfoo"]);
    let config: Value = serde_json::from_str(&project.text("trial/promptfooconfig.json")).unwrap();
    let test = &config["tests"][0];
    assert_eq!(test["metadata"]["faber_run"], data["runs"][0]["id"]);
    assert_eq!(test["assert"], json!([{"type": "icontains", "value": "step"}]));
    assert_eq!(config["tests"][2]["assert"][0]["type"], "llm-rubric");
    assert!(test["vars"]["bundle"].as_str().unwrap().contains("Small steps."));
    let written = project.text("trial/promptfooconfig.json");
    let edited = written.replace("\"providers\": []", "\"providers\": [\"echo\"]");
    let project = project.file("trial/promptfooconfig.json", &edited);
    for more in [&[][..], &["--format", "promptfoo"]] {
        let run = project.run(&[&["trial", "plan"], more].concat());
        run.refused(2, &["promptfooconfig.json` was edited", "--output"]);
        assert_eq!(project.text("trial/promptfooconfig.json"), edited);
    }
    let project = project.file("trial/promptfooconfig.json", &written);
    plan(&project, &["--format", "evals"]);
    let evals: Value = serde_json::from_str(&project.text("trial/evals/evals.json")).unwrap();
    assert_eq!(evals["evals"][1]["id"], data["runs"][1]["id"]);
    assert_eq!(evals["evals"][2]["expectations"], json!(["It is short"]));
    assert!(evals["evals"][0]["prompt"].as_str().unwrap().contains("Small steps."));
    assert!(!project.path("trial/promptfooconfig.json").exists(), "of the plan before");
}

#[test]
fn results_are_printed_and_kept() {
    let project = project();
    let data = plan(&project, &[]);
    let project = project.file("r.jsonl", &lines(&data, 1.0, 0.5));
    let read = ["trial", "read", "r.jsonl", "--at", "2026-01-15"];
    let dry = project.stdout(&[&read[..], &["--dry-run"]].concat());
    assert!(!project.path(EVIDENCE).exists());
    assert_eq!(project.stdout(&read), dry);
    assert!(dry.contains("specialist/plan      2     4       +0.50  +0.50 … +0.50"), "{dry}");
    let results = project.json(&[&read[..], &["--format", "json"]].concat());
    jsonschema::validate(&project.json(&["schema", "trial-results"]), &results).unwrap();
    let kept: Value = serde_json::from_str(&project.text(EVIDENCE)).unwrap();
    jsonschema::validate(&project.json(&["schema", "evidence"]), &kept).unwrap();
    assert_eq!(kept["contexts"], results["contexts"]);
    let before = project.text(EVIDENCE);
    let piped = ["trial", "read", "-", "--at", "2026-01-15"];
    let run = project.run_with_input(&piped, &lines(&data, 1.0, 0.5));
    assert_eq!((run.code, run.stdout), (0, dry));
    assert_eq!(project.text(EVIDENCE), before);
}

#[test]
fn validate_reports_what_harms_until_its_text_changes() {
    let case = |at: u8| format!("- name: c{at}\n  request: Plan {at}\n  answer: x\n");
    let project = project().file("tests/a.yml", &(0..5).map(case).collect::<String>());
    let data = plan(&project, &[]);
    let project = project.file("r.jsonl", &lines(&data, 0.0, 0.5));
    project.stdout(&["trial", "read", "r.jsonl", "--at", "2026-01-15"]);
    let check = || project.run(&["validate", "--select", "evidence", "--format", "concise"]).stdout;
    assert!(check().contains(":1:1: warning[harmful] answers are worse"), "{}", check());
    let text = project.text(FILE);
    std::fs::write(project.path(FILE), text + "More.\n").unwrap();
    let words = "hint[no-evidence] `specialist/plan` has changed since its trial of 2026-01-15";
    assert!(check().contains(words), "{}", check());
}

#[test]
fn two_versions_of_a_workspace_are_compared() {
    let project = project()
        .file("old/.faber/config.yml", "{}\n")
        .file("old/roles/clerk/prompt.md", "# R\n\nBe brief.\n");
    let run = project.run(&["trial", "plan", "--against", "old"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let data: Value = serde_json::from_str(&project.text("trial/trial.json")).unwrap();
    assert_eq!(data["pairs"][0]["context"], "(pack)");
    let project = project.file("r.jsonl", &lines(&data, 1.0, 0.5));
    let table = project.run(&["trial", "read", "r.jsonl"]).stdout;
    assert!(table.contains("(pack)") && table.contains("+0.50"), "{table}");
    let prompt = project.text("roles/clerk/prompt.md");
    let context = project.text(FILE);
    let project = project
        .file("old/roles/clerk/prompt.md", &prompt)
        .file("old/contexts/specialists/specialist-plan.md", &context);
    let run = project.run(&["trial", "plan", "--against", "old", "--output", "new"]);
    run.refused(2, &["not compared: same bundle in both versions", "nothing to compare"]);
}

#[test]
fn mistakes_are_usage_errors() {
    let project = project();
    let data = plan(&project, &[]);
    let project = project
        .file("other.jsonl", "{\"run\": 1, \"score\": 1}\n")
        .file("half.jsonl", lines(&data, 1.0, 1.0).lines().next().unwrap())
        .file("broken/trial.json", "{}")
        .file("full/x", "x")
        .file("ok.jsonl", &lines(&data, 1.0, 1.0));
    for (arguments, words) in [
        (&["trial", "read", "other.jsonl"][..], "the plan has no run 1"),
        (&["trial", "read", "half.jsonl"], "no pair was judged"),
        (&["trial", "read", "no.jsonl"], "cannot read"),
        (&["trial", "read", "tests/a.yml"], "cannot read `tests/a.yml`: line 1"),
        (&["trial", "read", "-", "-"], "standard input can be read only once"),
        (&["trial", "read", "ok.jsonl", "--plan", "broken/trial.json"], "missing field `schema`"),
        (&["trial", "plan", "--output", "full"], "was not written by `faber trial plan`"),
        (&["trial", "plan", "--context", "specialist/plans"], "did you mean `specialist/plan`?"),
        (&["trial", "plan", "--against", "."], "is this workspace"),
    ] {
        project.run(arguments).refused(2, &[words]);
    }
    let unjudged = "- name: one\n  request: Plan it\n";
    let project = project.file("tests/a.yml", unjudged);
    project.run(&["trial", "plan", "--output", "other"]).said(&[
        "note: 1 case has no `answer` or `answer_contains`; its 2 runs cannot be judged\n",
    ]);
    let project = project.file(EVIDENCE, "x");
    project.run(&["trial", "read", "ok.jsonl"]).refused(2, &["cannot read `.faber/evidence.json`"]);
    assert_eq!(project.text(EVIDENCE), "x");
}

#[test]
fn results_need_a_plan() {
    let run = project().run(&["trial", "read", "results.jsonl"]);
    run.refused(2, &["no plan at `trial/trial.json`", "run `faber trial plan` first"]);
}
