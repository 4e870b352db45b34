//! Writes a plan as plain bundles, or for evaluation tools.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::plan::{PlannedTrial, TrialRun};
use super::verdicts::RUN_KEY;

pub fn files(trial: &PlannedTrial, format: TrialFormat) -> BTreeMap<Utf8PathBuf, String> {
    let bundles = trial.bundles.iter();
    let mut files: BTreeMap<Utf8PathBuf, String> =
        bundles.map(|(id, bundle)| (bundle_path(*id), bundle.clone())).collect();
    let plan = serde_json::to_value(&trial.plan).unwrap_or_default();
    files.insert(PLAN.into(), pretty(&plan));
    files.extend(match format {
        TrialFormat::Files => None,
        TrialFormat::Promptfoo => Some((PROMPTFOO.into(), pretty(&promptfoo(trial)))),
        TrialFormat::Evals => Some((EVALS.into(), pretty(&evals(trial)))),
    });
    files
}

pub const FILES: [&str; 2] = [PROMPTFOO, EVALS];

const PROMPTFOO: &str = "promptfooconfig.json";
const EVALS: &str = "evals/evals.json";

pub fn bundle_path(run: u32) -> Utf8PathBuf {
    format!("runs/{run}.md").into()
}

pub const PLAN: &str = "trial.json";

faber_core::named_enum! {
    /// The tool that a trial is written for.
    pub enum TrialFormat {
        /// Only the bundles, and a `trial.json` that describes them
        Files = "files",
        /// A configuration of promptfoo
        Promptfoo = "promptfoo",
        /// `evals.json`, the format of tools for skills
        Evals = "evals",
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn promptfoo(trial: &PlannedTrial) -> Value {
    let test = |run: &TrialRun| {
        let assert = |kind: &str, text: &String| json!({"type": kind, "value": literal(text)});
        let contains = run.answer_contains.iter().map(|text| assert("icontains", text));
        let rubric = run.answer.iter().map(|text| assert("llm-rubric", text));
        let bundle = trial.bundles.get(&run.id).map(|bundle| literal(bundle));
        json!({
            "description": described(run),
            "metadata": { RUN_KEY: run.id },
            "vars": { RUN_KEY: run.id, "bundle": bundle },
            "assert": contains.chain(rubric).collect::<Vec<_>>(),
        })
    };
    json!({
        "description": "faber trial",
        "prompts": ["{{bundle}}"],
        "providers": [],
        "tests": trial.plan.runs.iter().map(test).collect::<Vec<_>>(),
    })
}

/// promptfoo renders Nunjucks templates in values.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('{', Some('{' | '%' | '#')) => out.push_str("{{ \"{\" }}"),
            ('#', Some('}')) => {
                chars.next();
                out.push_str("{{ \"#}\" }}");
            }
            _ => out.push(c),
        }
    }
    out
}

fn described(run: &TrialRun) -> String {
    match &run.without {
        Some(without) => format!("{} · without {without}", run.case),
        None => run.case.clone(),
    }
}

fn evals(trial: &PlannedTrial) -> Value {
    let eval = |run: &TrialRun| {
        let contains =
            run.answer_contains.iter().map(|text| format!("The answer contains \"{text}\""));
        let expectations: Vec<String> = contains.chain(run.answer.iter().cloned()).collect();
        json!({
            "id": run.id,
            "name": described(run),
            "prompt": trial.bundles.get(&run.id),
            "expected_output": expectations.join("; "),
            "files": [],
            "expectations": expectations,
        })
    };
    json!({
        "skill_name": "faber-trial",
        "evals": trial.plan.runs.iter().map(eval).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_templates_are_literal() {
        for (text, expected) in [
            ("a { b } }} %}", "a { b } }} %}"),
            ("{{x}}", "{{ \"{\" }}{x}}"),
            ("{{{x}}}", "{{ \"{\" }}{{ \"{\" }}{x}}}"),
            ("{% if %}{# c #}", "{{ \"{\" }}% if %}{{ \"{\" }}# c {{ \"#}\" }}"),
            ("{#}", "{{ \"{\" }}{{ \"#}\" }}"),
        ] {
            assert_eq!(literal(text), expected);
        }
    }
}
