//! Reads promptfoo results, `benchmark.json` and `grading.json` of skills, and JSON Lines.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde_json::Value;

use faber_core::error::{Error, json_problem};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    pub run: u32,
    pub score: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    pub verdicts: Vec<Verdict>,
    pub errors: usize,
}

pub(crate) const RUN_KEY: &str = "faber_run";

/// # Errors
///
/// [`Error::Usage`] for unknown formats, and verdicts without run.
pub fn read(path: &Utf8Path, text: &str) -> Result<Results, Error> {
    let results = match serde_json::from_str::<Value>(text) {
        Ok(value) if value["results"].is_object() => promptfoo(&value["results"]["results"]),
        Ok(value) if value["results"].is_array() => promptfoo(&value["results"]),
        Ok(value) if value["runs"].is_array() => benchmark(&value["runs"]),
        Ok(value) if value["expectations"].is_array() => grading(path, &value),
        Ok(value) if value["run"].is_number() => line(&value).map(Into::into),
        _ => lines(text),
    };
    results.map_err(|message| {
        let help = "give results of promptfoo, `benchmark.json` or `grading.json` of a tool for skills, or lines \
                    such as {\"run\": 1, \"score\": 0.5}";
        Error::usage(format!("cannot read `{path}`: {message}"), help)
    })
}

impl From<Verdict> for Results {
    fn from(verdict: Verdict) -> Self {
        Self { verdicts: vec![verdict], errors: 0 }
    }
}

fn run(value: &Value) -> Option<u32> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u32::try_from(number).ok()
}

fn score(value: f64) -> Result<f64, String> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(format!("the score {value} is not between 0 and 1"))
    }
}

fn promptfoo(results: &Value) -> Result<Results, String> {
    let mut read = Results::default();
    for result in results.as_array().ok_or("it has no results")? {
        let test = &result["testCase"];
        let places = [&test["metadata"], &result["metadata"], &test["vars"], &result["vars"]];
        let number = places.into_iter().find_map(|place| run(&place[RUN_KEY]));
        let number = number.ok_or_else(|| {
            format!(
                "a result has no `{RUN_KEY}`, so it is not of a file that `faber trial plan` wrote"
            )
        })?;
        if result["failureReason"].as_u64() == Some(2) {
            read.errors += 1;
            continue;
        }
        let success = result["success"].as_bool().map(|success| f64::from(u8::from(success)));
        let value = result["score"].as_f64().or(success).ok_or("a result has no score")?;
        read.verdicts.push(Verdict { run: number, score: value.clamp(0.0, 1.0) });
    }
    Ok(read)
}

fn benchmark(runs: &Value) -> Result<Results, String> {
    let mut read = Results::default();
    for one in runs.as_array().into_iter().flatten() {
        let number = run(&one["eval_id"]).ok_or("a run has no `eval_id`")?;
        let rate = one["result"]["pass_rate"].as_f64().ok_or("a run has no `result.pass_rate`")?;
        read.verdicts.push(Verdict { run: number, score: score(rate)? });
    }
    Ok(read)
}

fn grading(path: &Utf8Path, value: &Value) -> Result<Results, String> {
    let folders = path.parent().into_iter().flat_map(Utf8Path::components).rev();
    let folders = folders.map(|part| part.as_str());
    let of_eval = folders.clone().find_map(|part| part.strip_prefix("eval-")?.parse().ok());
    let number = of_eval
        .or_else(|| {
            let is_other = |c: char| !c.is_ascii_digit();
            folders.clone().find_map(|part| part.trim_start_matches(is_other).parse().ok())
        })
        .ok_or("no folder in its path has the id of an eval, such as `eval-1/grading.json`")?;
    let all = value["expectations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let passed: Option<Vec<f64>> = all
        .iter()
        .map(|one| one["passed"].as_bool().map(|passed| f64::from(u8::from(passed))))
        .collect();
    match passed {
        Some(passed) if !passed.is_empty() => {
            Ok(Verdict { run: number, score: super::statistics::mean(&passed) }.into())
        }
        _ => Err("it has no expectations with `passed`".to_owned()),
    }
}

fn lines(text: &str) -> Result<Results, String> {
    let mut read = Results::default();
    for (at, text) in text.lines().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let verdict = serde_json::from_str::<Value>(text).map_err(|error| json_problem(&error));
        let verdict = verdict.and_then(|value| line(&value));
        read.verdicts.push(verdict.map_err(|message| format!("line {}: {message}", at + 1))?);
    }
    if read.verdicts.is_empty() { Err("it is empty".to_owned()) } else { Ok(read) }
}

fn line(value: &Value) -> Result<Verdict, String> {
    let number = run(&value["run"]).ok_or("`run` must be the number of a run")?;
    let passed = value["pass"].as_bool().map(|passed| f64::from(u8::from(passed)));
    let value = value["score"].as_f64().or(passed).ok_or("`score` or `pass` is missing")?;
    Ok(Verdict { run: number, score: score(value)? })
}

pub(crate) fn by_run(verdicts: &[Verdict]) -> BTreeMap<u32, (f64, usize)> {
    let mut scores: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for verdict in verdicts {
        scores.entry(verdict.run).or_default().push(verdict.score);
    }
    let mean = |scores: Vec<f64>| (super::statistics::mean(&scores), scores.len());
    scores.into_iter().map(|(run, scores)| (run, mean(scores))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, text: &str) -> String {
        match read(path.into(), text) {
            Ok(read) => {
                let each = read.verdicts.iter().map(|it| format!("{}={}", it.run, it.score));
                format!("{} errors {}", each.collect::<Vec<_>>().join(" "), read.errors)
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn results_of_each_tool_are_read() {
        let promptfoo = r#"{"results": {"version": 3, "results": [
            {"testCase": {"metadata": {"faber_run": 7}}, "success": true, "score": 0.5, "failureReason": 0},
            {"testCase": {"vars": {"faber_run": "8"}}, "success": false},
            {"vars": {"faber_run": 9}, "success": false, "failureReason": 2}]}}"#;
        assert_eq!(shown("r.json", promptfoo), "7=0.5 8=0 errors 1");
        let benchmark = r#"{"runs": [{"eval_id": 3, "result": {"pass_rate": 0.75}}]}"#;
        assert_eq!(shown("benchmark.json", benchmark), "3=0.75 errors 0");
        let grading = r#"{"expectations": [{"passed": true}, {"passed": false}]}"#;
        assert_eq!(shown("w/eval-12/run-3/grading.json", grading), "12=0.5 errors 0");
        assert_eq!(shown("w1/case12/run/grading.json", grading), "12=0.5 errors 0");
        let lines = "{\"run\": 1, \"pass\": true}\n\n{\"run\": 2, \"score\": 0.25}\n";
        assert_eq!(shown("r.jsonl", lines), "1=1 2=0.25 errors 0");
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        for (text, reason) in [
            ("", "it is empty"),
            ("{\"run\": 1, \"score\": 2}", "the score 2 is not between 0 and 1"),
            ("{\"run\": 1}\n{", "line 1: `score` or `pass` is missing"),
            ("{\"results\": [{\"vars\": {}}]}", "a result has no `faber_run`"),
            ("{\"run\": 1, \"pass\": true}\nnonsense", "line 2: invalid JSON"),
        ] {
            let shown = shown("r.json", text);
            assert!(shown.contains(reason), "{text}: {shown}");
            assert!(!shown.contains("column"), "{text}: {shown}");
        }
    }
}
