//! Findings and near misses of every rule. Snapshots have the full findings.

mod configuration;
mod evidence;
mod exchange;
mod files;
mod freshness;
mod front_matter;
mod layers;
mod meta;
mod platforms;
mod references;
mod role;
mod security;
mod selection;
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::project::TestProject;

pub(crate) struct Case {
    rule: &'static str,
    files: &'static [(&'static str, &'static str)],
    prepare: fn(TestProject) -> TestProject,
    command: &'static [&'static str],
    arguments: &'static [&'static str],
    /// As `path:line:column`; empty for a near miss.
    at: &'static [&'static str],
}

type Files = &'static [(&'static str, &'static str)];

const fn bad(rule: &'static str, files: Files, at: &'static [&'static str]) -> Case {
    assert!(!at.is_empty());
    Case { at, ..good(rule, files) }
}

const fn good(rule: &'static str, files: Files) -> Case {
    let prepare = |project| project;
    Case { rule, files, prepare, command: &["validate"], arguments: &[], at: &[] }
}

impl Case {
    const fn prepared(mut self, prepare: fn(TestProject) -> TestProject) -> Self {
        self.prepare = prepare;
        self
    }

    const fn with(mut self, arguments: &'static [&'static str]) -> Self {
        self.arguments = arguments;
        self
    }

    const fn by(mut self, command: &'static [&'static str]) -> Self {
        self.command = command;
        self
    }

    fn project(&self) -> TestProject {
        let project =
            TestProject::new().file("contexts/standards/standards-base.md", "# Base\n\nX.\n");
        let files = self.files.iter();
        let project = files.fold(project, |project, (path, text)| project.file(path, text));
        (self.prepare)(project)
    }

    fn found(&self, project: &TestProject) -> Result<Vec<Value>, String> {
        let arguments = [self.command, &["--format", "json"], self.arguments].concat();
        let run = project.run(&arguments);
        let data: Value = serde_json::from_str(&run.stdout)
            .map_err(|_| format!("{}: exit {}: {}", self.rule, run.code, run.stderr))?;
        let all = data["findings"].as_array().unwrap();
        let own: Vec<Value> =
            all.iter().filter(|found| found["rule"] == self.rule).cloned().collect();
        let places: Vec<String> = own
            .iter()
            .map(|found| {
                let path = found["path"].as_str().unwrap();
                format!("{path}:{}:{}", found["line"], found["column"])
            })
            .collect();
        if places == self.at {
            return Ok(own);
        }
        let others: Vec<_> = all.iter().map(|found| found["rule"].to_string()).collect();
        Err(format!("{}: {places:?}, not {:?}; found {}", self.rule, self.at, others.join(" ")))
    }

    fn shown(&self) -> Result<String, String> {
        let project = self.project();
        let found = self.found(&project)?;
        let heads =
            found.iter().map(|it| format!("{}[{}]", it["severity"].as_str().unwrap(), self.rule));
        let of_rule = |format: &'static str| {
            let own = ["-v", "--select", self.rule, "--format", format];
            project.run(&[self.command, &own, self.arguments].concat()).stdout
        };
        let is_validate = self.command == ["validate"];
        let human = if is_validate { of_rule("human") } else { String::new() };
        let heading = format!("{}\n\n", self.rule);
        let blocks: Vec<_> = human.split(&heading).skip(1).map(str::trim_end).collect();
        if !is_validate || blocks.len() < found.len() {
            return Ok(heads.zip(&found).map(|(head, it)| head + "\n" + &described(it)).collect());
        }
        let mut out: String = heads
            .zip(blocks)
            .flat_map(|(head, block)| [head, "\n".into(), block.into(), "\n".into()])
            .collect();
        let sarif: Value = serde_json::from_str(&of_rule("sarif")).unwrap();
        for result in sarif["runs"][0]["results"].as_array().unwrap() {
            let changes = &result["fixes"][0]["artifactChanges"][0]["replacements"];
            for change in changes.as_array().into_iter().flatten() {
                let (from, text) = (&change["deletedRegion"], &change["insertedContent"]["text"]);
                let [line, column] = ["startLine", "startColumn"].map(|key| &from[key]);
                let [to_line, to_column] = ["endLine", "endColumn"].map(|key| &from[key]);
                let _ = writeln!(out, "fix: {line}:{column}-{to_line}:{to_column} becomes {text}");
            }
        }
        Ok(visible(&out))
    }
}

fn visible(text: &str) -> String {
    let is_drawn = |char: char| char.is_ascii() || "│─╭╮╰╯┬·×⚠☞…→".contains(char);
    let escaped = |char: char| {
        if is_drawn(char) { char.to_string() } else { char.escape_unicode().to_string() }
    };
    text.chars().map(escaped).collect()
}

fn described(found: &Value) -> String {
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    let place =
        |at: &Value| format!("{}:{}:{}", at["path"].as_str().unwrap(), at["line"], at["column"]);
    let mut out = format!("  {}: {}\n", place(found), text("message"));
    for label in found["related"].as_array().unwrap() {
        let _ = writeln!(out, "  {}: {}", place(label), label["message"].as_str().unwrap());
    }
    if !found["help"].is_null() {
        let _ = writeln!(out, "  help: {}", text("help"));
    }
    out
}

fn check(group: &str, cases: &[Case]) {
    let (mut shown, mut wrong) = (String::new(), Vec::new());
    for case in cases {
        match case.shown() {
            Ok(text) if text.is_empty() => {}
            Ok(text) => {
                let _ = writeln!(shown, "{text}");
            }
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if cfg!(target_os = "linux") {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(group, shown));
    }
}

macro_rules! groups {
    ($($name:ident),* $(,)?) => {
        const GROUPS: &[&[Case]] = &[$($name::CASES),*];

        $(
            #[test]
            fn $name() {
                check(stringify!($name), $name::CASES);
            }
        )*
    };
}

groups![
    front_matter,
    references,
    role,
    platforms,
    layers,
    selection,
    freshness,
    evidence,
    security,
    files,
    configuration,
    meta,
    exchange,
    tests,
];

/// Only while assembling; see `summarizer.rs`.
const ELSEWHERE: [&str; 1] = ["summarizer-failed"];

#[test]
fn every_rule_has_a_case_and_a_near_miss() {
    let data = TestProject::empty().json(&["rules", "--format", "json"]);
    let rules = data["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].as_str().unwrap());
    let rules: BTreeSet<&str> = rules.filter(|rule| !ELSEWHERE.contains(rule)).collect();
    let with = |is_bad: bool| -> BTreeSet<&str> {
        GROUPS
            .iter()
            .copied()
            .flatten()
            .filter(|case| case.at.is_empty() != is_bad)
            .map(|case| case.rule)
            .collect()
    };
    let (cases, near_misses) = (with(true), with(false));
    let missing: Vec<_> = rules.difference(&cases).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
    let missing: Vec<_> = rules.difference(&near_misses).collect();
    assert!(missing.is_empty(), "no near miss for {missing:?}");
}
