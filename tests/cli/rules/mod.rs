//! Every rule of `validate` by example: what it finds and where, and what comes near and is fine.
//!
//! A new rule adds to the table of its group one case that it finds and one near miss.

mod configuration;
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

use std::collections::BTreeSet;

use crate::project::TestProject;

/// A workspace, and what one rule finds in it.
pub(crate) struct Case {
    rule: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What cannot be said by text files.
    prepare: fn(TestProject) -> TestProject,
    arguments: &'static [&'static str],
    /// Where, as `path:line:column`; nowhere for a near miss.
    at: &'static [&'static str],
}

type Files = &'static [(&'static str, &'static str)];

/// The rule finds something at these places and nowhere else.
const fn bad(rule: &'static str, files: Files, at: &'static [&'static str]) -> Case {
    assert!(!at.is_empty());
    Case { rule, files, prepare: |project| project, arguments: &[], at }
}

/// The rule finds nothing.
const fn good(rule: &'static str, files: Files) -> Case {
    Case { rule, files, prepare: |project| project, arguments: &[], at: &[] }
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

    /// Looks at the workspace and compares. Findings of other rules do not matter.
    fn check(&self) -> Result<(), String> {
        let project =
            TestProject::new().file("contexts/standards/standards-base.md", "# Base\n\nX.\n");
        let files = self.files.iter();
        let project = files.fold(project, |project, (path, text)| project.file(path, text));
        let project = (self.prepare)(project);
        let arguments = [&["validate", "--format", "json"], self.arguments].concat();
        let run = project.run(&arguments);
        let data: serde_json::Value = serde_json::from_str(&run.stdout)
            .map_err(|_| format!("{}: exit {}: {}", self.rule, run.code, run.stderr))?;
        let all = data["findings"].as_array().unwrap();
        let own = all.iter().filter(|found| found["rule"] == self.rule);
        let places: Vec<String> = own
            .map(|found| {
                let path = found["path"].as_str().unwrap();
                format!("{path}:{}:{}", found["line"], found["column"])
            })
            .collect();
        if places == self.at {
            return Ok(());
        }
        let others: Vec<_> = all.iter().map(|found| found["rule"].to_string()).collect();
        Err(format!("{}: {places:?}, not {:?}; found {}", self.rule, self.at, others.join(" ")))
    }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    let tables: [&[Case]; 11] = [
        front_matter::CASES,
        references::CASES,
        role::CASES,
        platforms::CASES,
        layers::CASES,
        selection::CASES,
        freshness::CASES,
        security::CASES,
        files::CASES,
        configuration::CASES,
        meta::CASES,
    ];
    tables.into_iter().flatten()
}

#[test]
fn rules_find_what_they_are_for_and_leave_near_misses_alone() {
    let wrong: Vec<String> = cases().filter_map(|case| case.check().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules whose findings only commands that assemble make; `summarizer.rs` tests this one.
const ELSEWHERE: [&str; 1] = ["summarizer-failed"];

#[test]
fn every_rule_has_a_case_and_a_near_miss() {
    let data = TestProject::empty().json(&["rules", "--format", "json"]);
    let rules = data["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].as_str().unwrap());
    let rules: BTreeSet<&str> = rules.filter(|rule| !ELSEWHERE.contains(rule)).collect();
    let with = |is_bad: bool| -> BTreeSet<&str> {
        cases().filter(|case| case.at.is_empty() != is_bad).map(|case| case.rule).collect()
    };
    let (cases, near_misses) = (with(true), with(false));
    let missing: Vec<_> = rules.difference(&cases).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
    let missing: Vec<_> = rules.difference(&near_misses).collect();
    assert!(missing.is_empty(), "no near miss for {missing:?}");
}
