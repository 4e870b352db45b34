//! Summaries by the user's command.
#![cfg(unix)]

use crate::project::TestProject;

const ASK: [&str; 5] = ["assemble", "clerk", "--budget", "700", "--no-cache"];

fn project(command: &str) -> TestProject {
    let paragraph = "Letters are sorted by country, then by language, then by the day of arrival. ";
    let part = |n: u32| format!("## Part {n}\n\n{}\n\n", paragraph.repeat(3));
    let long = (1..30).map(part).collect::<Vec<_>>().concat();
    TestProject::with_role()
        .file("contexts/standards/standard-order.md", &format!("# Order\n\n{long}"))
        .file("../home/.config/faber/config.yml", &format!("budget:\n  summarizer: {command:?}\n"))
}

fn calls(project: &TestProject) -> usize {
    std::fs::read_to_string(project.path("calls")).map_or(0, |calls| calls.lines().count())
}

#[test]
fn the_command_gets_the_text_and_its_answer_is_the_summary() {
    let project = project("cat > given; head -1 given; echo 'Sort by country.'");
    let run = project.run(&[&ASK[..], &["--report", "json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("# Order\nSort by country.\n"), "{}", run.stdout);
    assert!(run.stdout.contains("[Shortened to a summary; `faber show standard/order` prints all"));
    assert!(project.text("given").contains("\n## Part 29\n"), "all of the text");
    let report: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    let summarized =
        serde_json::json!([{ "id": "standard/order", "text": "# Order\nSort by country." }]);
    assert_eq!(report["summarized"], summarized);
}

#[test]
fn an_answer_is_wanted_once() {
    let project = project("echo call >> calls; cat > given; echo 'Sort by country.'");
    let ask = &ASK[..4];
    let first = project.stdout(ask);
    assert_eq!(calls(&project), 1);
    assert_eq!(project.stdout(ask), first);
    project.stdout(&[ask, &["--request", "Sort this"]].concat());
    assert_eq!(calls(&project), 1, "another request, the same text");
    let text = project.text("contexts/standards/standard-order.md");
    let project =
        project.file("contexts/standards/standard-order.md", &(text + "## More\n\nMore.\n"));
    project.stdout(ask);
    assert_eq!(calls(&project), 2, "another text");
}

#[test]
fn the_summarizer_is_not_called_needlessly() {
    let project = project("echo call >> calls; echo 'Short.'");
    project.stdout(&["assemble", "clerk"]);
    assert_eq!(calls(&project), 0);
    let text = project.text("contexts/standards/standard-order.md");
    let own = format!("---\nsummary: Sorted in three steps.\n---\n{text}");
    let project = project.file("contexts/standards/standard-order.md", &own);
    assert!(project.stdout(&ASK).contains("Sorted in three steps."));
    assert_eq!(calls(&project), 0);
}

#[test]
fn without_an_answer_an_extract_takes_its_place() {
    let failures = [
        ("echo no model of this name >&2; exit 3", "exit status: 3: no model of this name"),
        ("cat > given", "the answer is empty"),
        ("printf '\\377'", "the answer is not UTF-8"),
    ];
    for (command, why) in failures {
        let run = project(command).run(&ASK);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.said(&["summarizer-failed", "standard/order", why]);
        assert!(run.stdout.contains("[Shortened to a summary;"), "{}", run.stdout);
        assert!(run.stdout.contains("## Part 1\n"), "an extract: {}", run.stdout);
    }
}

#[test]
fn an_answer_that_does_not_fit_is_not_taken() {
    let project = project("head -c 4000 given | tr a-z A-Z; cat > given; cat given given");
    let run = project.run(&ASK);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("PART 2"), "{}", run.stdout);
}

#[test]
fn a_workspace_does_not_name_a_command() {
    let project = TestProject::with_role()
        .file("contexts/standards/standard-order.md", "# Order\n\nBy country.\n")
        .file(
            "roles/clerk/prompt.md",
            "---\nbudget:\n  summarizer: touch evil\n  total: 1000\n---\n# Clerk\n",
        );
    project.run(&["assemble", "clerk", "--budget", "40"]);
    assert!(!project.path("evil").exists());
}

#[test]
fn equal_texts_are_summarized_once() {
    let project = project("echo call >> calls; cat > given; echo 'Sort by country.'");
    let text = project.text("contexts/standards/standard-order.md");
    let project = project.file("contexts/standards/standard-other.md", &text);
    let run = project.run(&["assemble", "clerk", "--budget", "1000", "--no-cache"]);
    assert_eq!(run.stdout.matches("Sort by country.").count(), 2, "{}", run.stdout);
    assert_eq!(calls(&project), 1);
    project.stdout(&["explain", "--budget", "1000", "--what-if", "budget=900", "--no-cache"]);
    assert_eq!(calls(&project), 2, "once for both of what is compared");
}

#[test]
fn a_command_that_never_ends_its_output_is_not_waited_for() {
    let begun = std::time::Instant::now();
    for (command, why) in [
        ("yes", "it prints more than 256 KiB"),
        ("sleep 60 & cat > given; echo Short.", "its output does not end"),
    ] {
        let run = project(command).run(&ASK);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.said(&["summarizer-failed", why]);
    }
    assert!(begun.elapsed().as_secs() < 30, "neither was waited for");
}
