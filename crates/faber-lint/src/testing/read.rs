use std::collections::BTreeMap;

use faber_core::diagnostic::{Diagnostic, Reported, Severity};
use faber_core::parse::fields::FieldReader;
use faber_core::rules::{duplicate_test, invalid_test, not_a_test, unknown_test_key};
use faber_core::source::{FileId, SourceMap, Span, Spanned};
use faber_core::suggest;
use faber_core::yaml::{self, Entry, Node, Value};

use super::case::{Case, Setup};
use super::fields::{CaseField, FIELDS};

const KEYS: [&str; 2] = ["cases", "defaults"];
const ALTERNATIVES: [[&str; 2]; 2] = [["task", "flow"], ["budget", "within"]];

pub(crate) fn read(sources: &SourceMap, file: FileId, role: Option<&str>) -> Reported<Vec<Case>> {
    let mut reading = CaseFile { sources, file, role, found: Vec::new() };
    let value = match yaml::parse_text(&sources.get(file).text, file) {
        Ok(node) => reading.cases(&node),
        Err(error) => {
            let message = format!("the cases cannot be read: {}", error.message);
            reading.found.push(invalid_test::RULE.at(error.span, message));
            Vec::new()
        }
    };
    Reported { value, diagnostics: reading.found }
}

struct CaseFile<'a> {
    sources: &'a SourceMap,
    file: FileId,
    role: Option<&'a str>,
    found: Vec<Diagnostic>,
}

impl CaseFile<'_> {
    fn cases(&mut self, node: &Node) -> Vec<Case> {
        match &node.value {
            Value::Seq(items) => self.list(items, &[]),
            Value::Map(entries) => self.map(entries),
            Value::Scalar(_) if node.is_null() => Vec::new(),
            Value::Scalar(_) => {
                let message = format!("cases must be a list, not {}", node.type_name());
                let found = invalid_test::RULE.at(node.span, message);
                self.found.push(found.help("begin each case with `- name: …`"));
                Vec::new()
            }
        }
    }

    fn map(&mut self, entries: &[Entry]) -> Vec<Case> {
        let value = |key: &str| entries.iter().find(|e| e.key == key).map(|e| &e.value);
        let (cases, defaults) = (value("cases"), value("defaults"));
        let of_case = |key: &str| key == "name" || FIELDS.iter().any(|field| field.name == key);
        let meant =
            |entry: &Entry| of_case(&entry.key) || suggest::closest(&entry.key, KEYS).is_some();
        if cases.is_none() && !entries.iter().any(meant) {
            let at = Span::start_of(self.file);
            let found = not_a_test::RULE.at(at, "this file has no `cases`");
            self.found.push(found.help("add `cases`, or move the file to another folder"));
            return Vec::new();
        }
        for entry in entries.iter().filter(|entry| !KEYS.contains(&&*entry.key)) {
            let message = format!("unknown key `{}` in a test file", entry.key);
            let found = unknown_test_key::RULE.at(entry.key_span, message);
            let otherwise = if entry.key == "name" {
                "begin each case with `- name: …`".to_owned()
            } else if of_case(&entry.key) {
                format!("write it below `defaults`, or in a case: `{}: …`", entry.key)
            } else {
                "the keys are `cases` and `defaults`".to_owned()
            };
            let close = suggest::closest(&entry.key, KEYS);
            self.found.push(found.help(suggest::help(close, otherwise)));
        }
        let defaults = defaults.map(|node| self.defaults(node)).unwrap_or_default();
        match cases.map(|node| (node, node.items())) {
            Some((_, Some(items))) => self.list(items, defaults),
            Some((node, None)) => {
                let message = format!("`cases` takes a list, not {}", node.type_name());
                self.found.push(invalid_test::RULE.at(node.span, message));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    fn defaults<'n>(&mut self, node: &'n Node) -> &'n [Entry] {
        if !matches!(node.value, Value::Map(_)) {
            let message = format!("`defaults` takes a map, not {}", node.type_name());
            self.found.push(invalid_test::RULE.at(node.span, message));
        }
        let entries = node.entries();
        for entry in entries {
            if entry.key == "name" {
                let message = "names of cases must be unique";
                self.found.push(invalid_test::RULE.at(entry.key_span, message));
            } else if field(&entry.key).is_none() {
                self.found.push(unknown(entry));
            }
        }
        entries
    }

    fn list(&mut self, items: &[Node], defaults: &[Entry]) -> Vec<Case> {
        let mut names: BTreeMap<String, Span> = BTreeMap::new();
        let mut cases = Vec::new();
        for item in items {
            let errors = self.errors();
            let Some(case) = self.case(item, defaults) else { continue };
            let name = case.name.clone();
            if let Some(first) = names.insert(name.value, name.span) {
                let message = format!("duplicate case name `{}`", case.name.value);
                let found = duplicate_test::RULE.at(name.span, message);
                self.found.push(found.related(first, "the other one"));
            }
            if self.errors() == errors {
                cases.push(case);
            }
        }
        cases
    }

    fn errors(&self) -> usize {
        self.found.iter().filter(|found| found.severity() == Severity::Error).count()
    }

    fn case(&mut self, node: &Node, defaults: &[Entry]) -> Option<Case> {
        let name = self.name(node)?;
        let mut case = Case {
            name,
            path: self.sources.path(self.file).to_owned(),
            setup: Setup::default(),
            expected: Vec::new(),
            within: None,
            fails: None,
            snapshot: None,
            turns: Vec::new(),
            answer: Vec::new(),
            answer_contains: Vec::new(),
        };
        case.setup.job.role = self.role.map(str::to_owned);
        let own = node.entries();
        let has = |key: &str| own.iter().any(|entry| entry.key == key);
        let replaced = |key: &str| {
            let alternatives = ALTERNATIVES.iter().filter(|keys| keys.contains(&key));
            alternatives.flatten().any(|key| has(key))
        };
        let inherited = defaults.iter().filter(|entry| {
            let field = field(&entry.key);
            field.is_some_and(|field| !(field.expects && has("fails")))
                && !has(&entry.key)
                && !replaced(&entry.key)
        });
        for entry in inherited.chain(own) {
            let overrides = defaults.iter().any(|default| default.key == entry.key);
            match field(&entry.key) {
                _ if entry.key == "name" => {}
                None => self.found.push(unknown(entry)),
                Some(field) => self.field(field, entry, overrides, &mut case),
            }
        }
        self.refuse_both(&case);
        Some(case)
    }

    fn field(&mut self, field: &CaseField, entry: &Entry, overrides: bool, case: &mut Case) {
        let empty = match &entry.value.value {
            Value::Seq(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            Value::Scalar(_) => false,
        };
        if empty && field.expects && !overrides {
            let message = format!("`{}` is empty, so it checks nothing", entry.key);
            self.found.push(invalid_test::RULE.at(entry.value.span, message));
        }
        let mut reader = FieldReader { sources: self.sources, found: &mut self.found };
        (field.read)(case, entry, &mut reader);
    }

    fn refuse_both(&mut self, case: &Case) {
        self.refuse_next_to_turns(case);
        let Some(fails) = &case.fails else { return };
        if !case.expected.is_empty() || case.within.is_some() || case.snapshot.is_some() {
            let message = "a case with `fails` cannot have other expectations";
            let found = invalid_test::RULE.at(fails.span, message);
            self.found.push(found.help("split it into two cases"));
        }
    }

    fn refuse_next_to_turns(&mut self, case: &Case) {
        let Some(first) = case.turns.first() else { return };
        let job = &case.setup.job;
        let request = &job.request;
        let has_request = !request.text.is_empty() || !request.error.is_empty();
        let has_names = !request.with.is_empty() || !request.without.is_empty();
        let has_more = has_names || !request.files.is_empty() || job.instruction.is_some();
        let expects = !case.expected.is_empty() || case.fails.is_some() || case.snapshot.is_some();
        if has_request || has_more || expects {
            let message = "a case with `turns` cannot have its own request or expectations";
            let found = invalid_test::RULE.at(first.span, message);
            self.found.push(found.help("move them into the turns, or split the case"));
        }
    }

    fn name(&mut self, node: &Node) -> Option<Spanned<String>> {
        let name = node.get("name");
        let text = name.and_then(Node::as_str).map(str::trim).filter(|text| !text.is_empty());
        if let (Some(name), Some(text)) = (name, text) {
            let value = text.split_whitespace().collect::<Vec<_>>().join(" ");
            return Some(Spanned { value, span: name.span });
        }
        let (span, message) = match (&node.value, name) {
            (_, Some(name)) => (name.span, "the name of a case is a text".to_owned()),
            (Value::Map(_), None) => (node.span, "a case needs a `name`".to_owned()),
            _ => (node.span, format!("a case must be a map, not {}", node.type_name())),
        };
        let found = invalid_test::RULE.at(span, message);
        self.found.push(found.help("begin each case with `- name: …`"));
        None
    }
}

fn field(name: &str) -> Option<&'static CaseField> {
    FIELDS.iter().find(|field| field.name == name)
}

/// An error: a misspelt expectation is never checked.
fn unknown(entry: &Entry) -> Diagnostic {
    let message = format!("unknown key `{}` in a case", entry.key);
    let names = || FIELDS.iter().map(|field| field.name).chain(["name"]);
    let keys = format!("the keys are `{}`", names().collect::<Vec<_>>().join("`, `"));
    let help = suggest::help(suggest::closest(&entry.key, names()), keys);
    unknown_test_key::RULE.at(entry.key_span, message).help(help)
}

#[cfg(test)]
mod tests {
    use faber_core::assemble::InstructionKind;

    use super::*;
    use crate::testing::case::{Expectation, Failing};

    fn cases(text: &str) -> (Vec<Case>, Vec<String>) {
        let mut sources = SourceMap::default();
        let file = sources.add("tests/a.yml".into(), text.to_owned());
        let read = read(&sources, file, Some("clerk"));
        let found = read.diagnostics.iter();
        (read.value, found.map(|one| faber_output::emit::concise(one, &sources)).collect())
    }

    #[test]
    fn a_case_has_what_it_says_and_else_what_the_defaults_say() {
        let (cases, found) = cases(
            "defaults: { date: 2026-01-15, flow: weekly, selected: [a], max_tokens: 2k }\n\
             cases:\n- name: one\n  request: x\n- { name: two, task: sort, selected: [], role: r }\n\
             - { name: three, fails: 3 }\n",
        );
        assert_eq!(found, [""; 0]);
        let [one, two, three] = &cases[..] else { panic!("{cases:?}") };
        assert_eq!(one.setup.job.role.as_deref(), Some("clerk"));
        assert_eq!(one.setup.job.instruction, Some((InstructionKind::Flow, "weekly".to_owned())));
        assert_eq!(one.expected[0].what, Expectation::Selected("a".to_owned()));
        assert_eq!(one.expected[1].what, Expectation::MaxTokens(2000));
        assert_eq!(two.setup.job.role.as_deref(), Some("r"));
        assert_eq!(two.setup.job.instruction, Some((InstructionKind::Task, "sort".to_owned())));
        assert_eq!(two.expected.len(), 1);
        assert_eq!(three.fails.as_ref().map(|fails| fails.value), Some(Failing::Status(3)));
        assert!(three.expected.is_empty() && three.setup.date.is_some());
    }

    #[test]
    fn a_case_without_checks_is_an_error() {
        let (cases, found) = cases(
            "- { name: a, selectd: [x] }\n- { name: b, order: [x] }\n- { name: c, contains: '' }\n\
             - { name: d, selected: [] }\n- { name: e, selected: }\n- { name: f, fails: no }\n\
             - { name: g, levels: { x: full } }\n- { name: h }\n- { name: h }\n- { request: x }\n",
        );
        assert_eq!(cases.iter().map(|case| &*case.name.value).collect::<Vec<_>>(), ["h"]);
        let lines: Vec<_> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
        let places = ["1:14", "2:22", "3:24", "4:24", "5:22", "6:21", "7:27", "9:11", "10:3"];
        assert_eq!(lines, places.map(|place| format!("tests/a.yml:{place}")), "{found:#?}");
    }

    #[test]
    fn files_of_other_programs_are_distinguished_from_misspelled_ones() {
        let rules = |text: &str| -> Vec<String> {
            let found = cases(text).1;
            found.iter().map(|line| line.split(['[', ']']).nth(1).unwrap().to_owned()).collect()
        };
        let nothing: Vec<String> = Vec::new();
        assert_eq!(rules("services: { db: {} }\n"), ["not-a-test"]);
        assert_eq!(rules("case: [{ name: x }]\n"), ["unknown-test-key"]);
        assert_eq!(rules("name: x\nselected: [a]\n"), ["unknown-test-key"; 2]);
        assert_eq!(rules("cases: { name: x }\n"), ["invalid-test"]);
        assert_eq!(rules("# nothing\n"), nothing);
        for text in ["x\n", "- x\n", "- - x\n", "a: b: c\n", "[", "- name: [x]\n"] {
            assert_eq!(rules(text), ["invalid-test"], "{text}");
        }
    }
}
