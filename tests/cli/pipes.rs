//! faber in pipelines.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::pelican::pelican;
use crate::project::{Run, TestProject};

#[test]
fn a_reader_that_has_read_enough_is_a_normal_end() {
    let body = "A line that is long enough to fill what lies between two programs.\n".repeat(4_000);
    let project = TestProject::with_role()
        .file("contexts/standards/standards-long.md", &format!("# Long\n\n{body}"));
    let arguments = ["assemble", "--budget", "1000000"];
    let mut command = project.faber(&arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(line, "# Clerk\n");
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_reader_that_is_gone_is_a_normal_end_for_every_command() {
    let project = pelican();
    for arguments in [
        &["assemble", "issue-manager"][..],
        &["assemble", "issue-manager", "--format", "json"],
        &["show", "standard/titles"],
        &["diff", "issue-manager"],
        &["list", "contexts"],
        &["config", "show"],
        &["schema"],
        &["schema", "bundle"],
        &["explain", "--html", "-", "--request", "A refund"],
        &["graph", "--format", "html"],
        &["export", "cursor", "--dry-run"],
    ] {
        let mut command = project.faber(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("standard output"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_reader_that_is_gone_hides_no_findings() {
    let broken = "---\nkeywords: [\n---\n# Broken\n";
    let project = pelican().file("contexts/standards/standard-broken.md", broken);
    for arguments in [&["validate"][..], &["validate", "--format", "json", "--no-cache"]] {
        let mut command = project.faber(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{arguments:?}");
    }
}

#[test]
fn messages_are_not_in_the_bundle() {
    let bad = pelican().file("contexts/c.md", "# C\n");
    let good = pelican();
    let arguments = ["assemble", "issue-manager", "--report", "-v"];
    let (a, b) = (bad.run(&arguments), good.run(&arguments));
    assert_eq!(a.stdout, b.stdout);
    assert!(a.stderr.contains("contexts/c.md") && a.stderr.contains("selected"), "{}", a.stderr);
}

#[test]
fn nothing_is_coloured_in_a_pipe_unless_asked() {
    let project = pelican().file("contexts/c.md", "# C\n");
    let output = |arguments: &[&str], more: &[&str]| {
        let mut command = project.faber(&[arguments, more].concat());
        command.env_remove("NO_COLOR").output().unwrap()
    };
    let run = |more: &[&str]| {
        let out = output(&["diff", "issue-manager"], more).stdout;
        let err = output(&["show", "nothing"], more).stderr;
        (out.contains(&0x1b), err.contains(&0x1b))
    };
    assert_eq!(run(&[]), (false, false));
    assert_eq!(run(&["--color", "never"]), (false, false));
    assert_eq!(run(&["--color", "always"]), (true, true));
}

#[test]
fn a_request_from_standard_input() {
    let project = pelican();
    let run =
        project.run_with_input(&["assemble", "issue-manager", "--request", "-"], "A refund\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("# Billing") && run.stdout.ends_with("# Request\n\nA refund\n"));
}

#[test]
fn a_diff_from_standard_input() {
    let project = pelican();
    let arguments = ["assemble", "issue-manager", "--input", "-", "--request", "Review this"];
    let run = project.run_with_input(&arguments, "-refund\n+tariff\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("-refund\n+tariff\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("# Billing"), "an input is not matched");
}

#[test]
fn standard_input_is_read_once() {
    let project = pelican();
    for arguments in [
        &["--request", "-", "--error", "-"][..],
        &["--request", "-", "--input", "-"],
        &["--input", "-", "--input", "-"],
    ] {
        let arguments = [&["assemble", "issue-manager"], arguments].concat();
        project.run_with_input(&arguments, "text").refused(2, &["only once"]);
    }
}

#[test]
fn empty_standard_input_is_noted_and_left_out() {
    let project = pelican();
    let ask = ["assemble", "issue-manager", "--request", "Review this"];
    let bare = project.stdout(&ask);
    for option in ["--input", "--error"] {
        let ask = [&ask[..], &[option, "-"]].concat();
        for empty in ["", "\n"] {
            let run = project.run_with_input(&ask, empty);
            assert_eq!((run.code, &run.stdout), (0, &bare), "{option}");
            assert_eq!(run.stderr, "note: standard input is empty\n");
        }
        assert_eq!(project.run_with_input(&[&ask[..], &["-q"]].concat(), "").stderr, "");
    }
    let run = project.run(&["assemble", "issue-manager", "--request", " "]);
    assert_eq!((run.code, &*run.stderr), (0, "note: `--request` is empty\n"));
}

#[test]
fn standard_input_that_is_no_text() {
    let project = pelican();
    let mut command = project.faber(&["assemble", "issue-manager", "--request", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"\xff\xfe").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("standard input is UTF-16, not UTF-8")
    );
}

#[cfg(unix)]
#[test]
fn pipes_that_the_user_names_are_read() {
    let project = TestProject::with_role();
    for (command, expected) in [
        ("tokens PIPE", "2"),
        ("assemble --request x --input PIPE", "# Input: "),
        ("assemble --history PIPE", "hello"),
        ("explain --request x --input PIPE --what-if budget=2000", "unchanged"),
    ] {
        let input = if command.contains("history") {
            r#"{"role": "user", "content": "hello"}"#
        } else {
            "abc"
        };
        let faber = env!("CARGO_BIN_EXE_faber");
        let command = command.replace("PIPE", "/dev/fd/3");
        let script = format!("(echo '{input}' | {faber} {command} 3<&0 </dev/null)");
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &script]).current_dir(project.path("")).output().unwrap();
        let (out, err) =
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap()).into();
        assert!(output.status.success() && out.contains(expected), "{command}: {out}{err}");
    }
}

#[test]
fn tables_are_not_wrapped_in_pipes() {
    let id = "standard/the-words-of-the-letters-that-the-office-writes-to-other-offices";
    let path = format!("contexts/{}.md", id.replace("standard/", "standards/standards-"));
    let project = TestProject::with_role().file(&path, "# Letters\n\nSort them.\n");
    let is_on_one_line = |columns: Option<&str>| {
        let mut command = project.faber(&["explain"]);
        match columns {
            Some(columns) => command.env("COLUMNS", columns),
            None => command.env_remove("COLUMNS"),
        };
        let run = Run::from(command.output().unwrap());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout.lines().any(|line| line.starts_with(id) && line.contains("always"))
    };
    assert!(is_on_one_line(None) && is_on_one_line(Some("0")));
    assert!(!is_on_one_line(Some("60")));
}

#[test]
fn short_findings_have_colors_too() {
    let mut project = TestProject::with_role();
    for at in 0..20 {
        let path = format!("contexts/standards/standards-{at}.md");
        project =
            project.file(&path, &format!("---\nupdated: soon {at}\n---\n# A {at}\n\nB {at}.\n"));
    }
    let text = project.run(&["validate", "--color", "always"]).stdout;
    let mark = "standards-7.md:2:10: \u{1b}[1;31merror[bad-date]\u{1b}[0m `updated` is not a date";
    assert!(text.contains(mark), "{text:?}");
    assert!(!project.run(&["validate"]).stdout.contains('\u{1b}'));
}
