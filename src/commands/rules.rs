//! `faber rules`.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::RulesArgs;
use crate::commands::output;
use faber_core::diagnostic::Severity;
use faber_core::error::Error;
use faber_core::rule::{Group, Rule};
use faber_core::rules::{RULES, find, of_group};
use faber_output::streams::{ExitStatus, Streams};

/// `faber rules --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RulesData {
    /// `faber.rules/1`.
    pub schema: &'static str,
    /// The rules that were asked for, by group.
    pub rules: Vec<RuleData>,
}

/// One rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RuleData {
    /// Its name.
    pub rule: &'static str,
    /// What it is about.
    pub group: &'static str,
    /// Its default severity.
    pub severity: Severity,
    /// Whether it can be fixed: `none`, `safe` or `unsafe`.
    pub fix: &'static str,
    /// What it finds, in a line.
    pub summary: &'static str,
    /// What it finds, why it matters, examples and how to fix them, as Markdown.
    pub documentation: &'static str,
}

pub(crate) fn run(args: &RulesArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let named = args.rule.as_deref();
    let group = Group::ALL.iter().find(|(_, name, _)| named == Some(name));
    let rules: Vec<&Rule> = match (group, named) {
        (Some((group, ..)), _) => of_group(*group).collect(),
        (None, Some(name)) => vec![find(name).ok_or_else(|| {
            let known = RULES.iter().map(|rule| rule.code);
            Error::unknown_unless_close("rule", name, known, || {
                "`faber rules` lists all rules".to_owned()
            })
        })?],
        (None, None) => RULES.to_vec(),
    };
    let all = rules.iter().copied().map(data).collect();
    let data = RulesData { schema: "faber.rules/1", rules: all };
    output::print(&data, args.format, streams, |_| match &rules[..] {
        [rule] if group.is_none() => explained(rule, "#"),
        rules => table(rules),
    })
}

fn data(rule: &Rule) -> RuleData {
    RuleData {
        rule: rule.code,
        group: rule.group.name(),
        severity: rule.severity,
        fix: rule.fix.name(),
        summary: rule.summary,
        documentation: rule.documentation,
    }
}

fn table(all: &[&Rule]) -> String {
    let severity = |rule: &Rule| match rule.exception {
        Some(other) => format!("{}/{}", rule.severity.name(), other.name()),
        None => rule.severity.name().to_owned(),
    };
    let width = all.iter().map(|rule| rule.code.len()).max().unwrap_or_default();
    let wide = all.iter().map(|rule| severity(rule).len()).max().unwrap_or_default().max(8);
    let mut out = format!("  {:width$}  {:wide$}  fix     meaning\n", "rule", "severity");
    for &(group, name, title) in Group::ALL {
        let mut rules = all.iter().filter(|rule| rule.group == group).peekable();
        if rules.peek().is_none() {
            continue;
        }
        let _ = writeln!(out, "\n{title} ({name})");
        for rule in rules {
            let fix = if rule.fix == faber_core::rule::Fix::None { "" } else { rule.fix.name() };
            let code = rule.code;
            let line =
                format!("  {code:width$}  {:wide$}  {fix:6}  {}", severity(rule), rule.summary);
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

fn explained(rule: &Rule, level: &str) -> String {
    let mut out = format!("{level} {}\n\n", rule.code);
    let fix = match rule.fix.name() {
        "none" => "no fix".to_owned(),
        fix => format!("{fix} fix"),
    };
    let mut summary = rule.summary.chars();
    let first: String = summary.next().into_iter().flat_map(char::to_uppercase).collect();
    let _ = writeln!(out, "{first}{}.", summary.as_str());
    let severity = match rule.exception {
        Some(other) => format!("{}, sometimes {}", rule.severity.name(), other.name()),
        None => rule.severity.name().to_owned(),
    };
    let _ = writeln!(out, "\n*{} · {severity} · {fix}*\n", rule.group.title());
    let mut in_code = false;
    for line in rule.documentation.lines() {
        in_code ^= line.starts_with("```");
        let deeper = if line.starts_with("##") && !in_code { &level[1..] } else { "" };
        let _ = writeln!(out, "{deeper}{line}");
    }
    out
}

pub fn reference() -> String {
    let mut out = String::from(
        "# Rules\n\nThe rules of `faber validate`, followed by those of imports, exports and tests. This page is generated; `faber rules` lists all rules and `faber rules RULE` prints one.\n",
    );
    for &(group, name, title) in Group::ALL {
        let rules: Vec<&Rule> = of_group(group).collect();
        if rules.is_empty() {
            continue;
        }
        let about = match group {
            Group::Exchange => "Reported by `faber import` and `faber export`; not configurable.",
            Group::Tests => "Reported by `faber test`; not configurable.",
            _ => &format!("The group is called `{name}` on command lines."),
        };
        let _ = write!(out, "\n## {title}\n\n{about}\n\n");
        out.push_str("| Rule | Severity | Fix | Finds |\n|---|---|---|---|\n");
        for rule in &rules {
            let (code, fix) = (rule.code, rule.fix.name());
            let summary = rule.summary;
            let _ = writeln!(
                out,
                "| [{code}](#{code}) | {} | {fix} | {summary} |",
                rule.severity.name()
            );
        }
        for rule in rules {
            let _ = write!(out, "\n{}", explained(rule, "###"));
        }
    }
    out
}
