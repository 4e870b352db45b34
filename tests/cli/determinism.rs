//! Equal inputs give equal bytes, on any number of threads.

use crate::pelican::{DATE, pelican, pelican_backwards};
use crate::project::TestProject;

fn everything(project: &TestProject, variables: &[(&str, &str)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let formats = ["markdown", "json", "xml", "text"];
    let run = |format: &&str| {
        let arguments = [
            "assemble",
            "issue-manager",
            "--at",
            DATE,
            "--request",
            "refund the tariff",
            "--format",
            format,
            "--report",
        ];
        let mut command = project.faber(&arguments);
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success());
        (output.stdout, output.stderr)
    };
    formats.iter().map(run).collect()
}

fn crowded(project: TestProject) -> TestProject {
    let mut project = project.file("contexts/c.md", "# C\n").file("contexts/notes/d.md", "# D\n");
    for at in 0..60 {
        let text =
            format!("---\nkeywords: [refund]\nnam: x\n---\n# Number {at}\n\nText of {at}.\n");
        project = project.file(&format!("contexts/specialists/specialist-n{at}.md"), &text);
    }
    project
}

#[test]
fn every_run_is_the_same() {
    let project = crowded(pelican());
    let first = everything(&project, &[]);
    assert_eq!(everything(&project, &[]), first);
    for variables in [
        [("LANG", "C"), ("LC_ALL", "C")],
        [("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")],
        [("LANG", "de_DE.ISO-8859-1"), ("LC_COLLATE", "sv_SE.UTF-8")],
        [("RAYON_NUM_THREADS", "1"), ("TZ", "Pacific/Auckland")],
        [("RAYON_NUM_THREADS", "16"), ("TZ", "America/Lima")],
    ] {
        assert_eq!(everything(&project, &variables), first, "{variables:?}");
    }
}

#[test]
fn another_place_and_another_order_are_the_same() {
    let (here, there) = (crowded(pelican()), crowded(pelican_backwards()));
    assert_ne!(here.path(""), there.path(""));
    assert_eq!(everything(&here, &[]), everything(&there, &[]));
}

#[test]
fn no_path_of_the_machine_leaks() {
    let project = crowded(pelican());
    let path = project.path("").to_str().unwrap().to_owned();
    for (stdout, stderr) in everything(&project, &[]) {
        assert!(!String::from_utf8(stdout).unwrap().contains(&path));
        assert!(!String::from_utf8(stderr).unwrap().contains(&path));
    }
    for arguments in [
        &["show", "standard/titles", "--blame"][..],
        &["diff", "issue-manager"],
        &["list", "contexts"],
        &["list", "layers", "--role", "issue-manager", "--format", "json"],
        &["config", "show", "--origin"],
    ] {
        assert!(!project.stdout(arguments).contains(&path), "{arguments:?}");
    }
}

#[test]
fn the_date_is_an_input() {
    let project = pelican();
    let on = |date| project.stdout(&["assemble", "issue-manager", "--at", date]);
    assert_eq!(on("2026-03-01"), on("2031-12-24"));
    project.run(&["assemble", "--at", "yesterday"]).refused(2, &["--at", "yesterday"]);
}
