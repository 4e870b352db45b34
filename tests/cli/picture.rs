//! `faber explain --html`.

use serde_json::Value;

use crate::pelican::{DATE, pelican};
use crate::project::TestProject;

const HEAD: [&str; 5] = ["explain", "--at", DATE, "--request", "A refund needs the VAT number"];

#[track_caller]
fn page(project: &TestProject, arguments: &[&str]) -> String {
    project.stdout(&[&HEAD, arguments, &["--html", "-"]].concat())
}

#[track_caller]
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_has_what_explain_says() {
    let project = pelican();
    let data = data(&page(&project, &[]));
    let explained = project.json(&[&HEAD[..], &["--json"]].concat());
    for key in ["role", "platform", "team", "request", "findings", "report"] {
        assert_eq!(data["explain"][key], explained[key], "{key}");
    }
    let rows = |data: &Value| -> Vec<Value> {
        let mut rows = data["candidates"].as_array().unwrap().clone();
        for row in &mut rows {
            row["settings"].as_array_mut().unwrap().retain(|one| !one["declared_at"].is_null());
        }
        rows
    };
    assert_eq!(rows(&data["explain"]), rows(&explained));
}

#[test]
fn the_lines_of_a_page_are_those_of_the_bundle() {
    let project = pelican();
    let data = data(&page(&project, &[]));
    let lines = data["lines"]["lines"].as_array().unwrap();
    let said = project.json(&[
        "explain",
        "--at",
        DATE,
        "--request",
        HEAD[4],
        "--line",
        "1-100000",
        "--json",
    ]);
    let said = said["lines"].as_array().unwrap();
    assert_eq!(lines.len(), said.len());
    let at = |list: &str, position: &Value| match position.as_u64() {
        Some(position) => data["lines"][list][usize::try_from(position).unwrap()].clone(),
        None => Value::Null,
    };
    for (line, said) in lines.iter().zip(said) {
        assert_eq!(line[0], said["text"]);
        assert_eq!(at("parts", &line[1]), said["part"]);
        assert_eq!(at("contexts", &line[2]), said["context"]);
        let file = at("files", &line[3]);
        assert_eq!(file[0], said["origin"]["path"]);
        assert_eq!(file[1], said["origin"]["layer"]);
        assert_eq!(line[4], said["origin"]["line"]);
    }
}

#[test]
fn the_graph_of_a_page_is_that_of_the_role() {
    let project = pelican();
    let data = data(&page(&project, &[]));
    let graph = project.json(&["graph", "--at", DATE, "--format", "json"]);
    assert_eq!(data["graph"]["nodes"], graph["nodes"]);
    let edges = data["graph"]["edges"].as_array().unwrap();
    assert_eq!(edges.len(), graph["edges"].as_array().unwrap().len());
    let id = |at: &Value| {
        data["graph"]["nodes"][usize::try_from(at.as_u64().unwrap()).unwrap()]["id"].clone()
    };
    for (edge, said) in edges.iter().zip(graph["edges"].as_array().unwrap()) {
        assert_eq!((id(&edge[0]), id(&edge[1])), (said["from"].clone(), said["to"].clone()));
    }
}

#[test]
fn nothing_in_a_context_ends_the_data() {
    let text = "# X\n\n</script><script>alert(1)</script> <!-- <img src=x onerror=alert(2)> {script} {data}\n";
    let project = pelican().file("contexts/standards/standards-x.md", text);
    let project = project.file("in.txt", "</SCRIPT >\u{2028}");
    let page = page(&project, &["--with", "standard/x", "--input", "in.txt"]);
    assert_eq!(page.matches("</script>").count(), 2, "its own two");
    assert!(!page.contains("<img") && !page.contains('\u{2028}') && !page.contains("</SCRIPT"));
    let data = data(&page);
    let lines = data["lines"]["lines"].as_array().unwrap();
    assert!(
        lines.iter().any(|line| line[0].as_str().unwrap().contains("</script><script>alert(1)"))
    );
    assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("unsafe"));
}

#[test]
fn a_page_is_the_same_each_time_and_needs_nothing_else() {
    let project = pelican();
    let first = page(&project, &[]);
    assert_eq!(first, page(&project, &[]));
    assert_eq!(first, page(&project.env("RAYON_NUM_THREADS", "1"), &["--no-cache"]));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let own = first.replace("http://www.w3.org/2000/svg", "");
        let (head, rest) = own.split_once("id=\"data\">").unwrap();
        let script = rest.split_once("</script>").unwrap().1;
        assert!(!head.contains(outside) && !script.contains(outside), "{outside}");
    }
}

#[test]
fn a_context_lines_and_another_run_are_shown_too() {
    let project = pelican();
    let focus = data(&page(&project, &["standards-titles.md"]));
    assert_eq!(focus["focus"], "standard/titles");
    assert!(focus["explain"]["candidates"].as_array().unwrap().len() > 5);
    assert_eq!(data(&page(&project, &["--line", "2-4"]))["range"], serde_json::json!([2, 4]));
    let compared = data(&page(&project, &["--what-if", "budget=300"]));
    assert_eq!(compared["explain"]["what_if"]["asked"], serde_json::json!(["budget=300"]));
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let project = pelican().file("page.html", "old");
    let run = project.run(&[&HEAD[..], &["--html", "page.html"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert_eq!(project.text("page.html"), page(&project, &[]));
    let project = project.file("page.html", "old");
    project
        .run(&[&HEAD[..], &["--html", "page.html", "--line", "99999"]].concat())
        .refused(2, &["the bundle has no line 99999"]);
    project
        .run(&[&HEAD[..], &["standard/nothing", "--html", "page.html"]].concat())
        .refused(2, &["unknown context `standard/nothing`"]);
    assert_eq!(project.text("page.html"), "old");
    project.run(&[&HEAD[..], &["--html", "no/page.html"]].concat()).refused(2, &["cannot write"]);
    project
        .run(&[&HEAD[..], &["--html", "x", "--json"]].concat())
        .refused(2, &["cannot be used with"]);
}

#[test]
fn hidden_contexts_are_not_in_a_page() {
    let secret = "---\nvisibility: private\nowner: rafa\nkeywords: [refund]\n---\n# Secret\n";
    let project = pelican().file("contexts/references/reference-secret.md", secret);
    assert!(!page(&project, &[]).to_lowercase().contains("reference/secret"));
    assert!(page(&project, &["--as", "rafa"]).contains("reference/secret"));
}
