//! Quality of the ten best results.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

const DEPTH: usize = 10;

pub(crate) fn measure(folder: &Path) {
    let made = tempfile::tempdir().expect("a temporary folder");
    let docs = lay_out(&read(&folder.join("docs.jsonl")), made.path());
    let queries = read(&folder.join("queries.jsonl"));
    let judged = judged(&read(&folder.join("qrels.jsonl")));
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    for mode in ["keyword", "semantic", "hybrid"] {
        let mut sums = (0.0, 0.0);
        let (mut count, mut silent) = (0_u32, 0);
        for query in &queries {
            let Some(gains) = judged.get(&text(query, "id")) else { continue };
            let found = ask(made.path(), &text(query, "text"), mode);
            let found: Vec<f64> = found
                .iter()
                .map(|path| docs.get(path).and_then(|doc| gains.get(doc)).copied().unwrap_or(0.0))
                .collect();
            silent += u32::from(found.is_empty());
            count += 1;
            sums.0 += ndcg(&found, gains.values().copied().collect());
            sums.1 += recall(&found, gains.len());
        }
        let mean = |sum: f64| sum / f64::from(count.max(1));
        println!("| {name} | {mode} | {:.4} | {:.4} | {silent} |", mean(sums.0), mean(sums.1));
    }
}

fn lay_out(docs: &[Value], root: &Path) -> BTreeMap<String, String> {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write(".faber/config.yml", "");
    let mut paths = BTreeMap::new();
    for doc in docs {
        let id = text(doc, "id");
        let name: String =
            id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = format!("contexts/references/d{name}.md");
        let title = text(doc, "title");
        let heading = if title.is_empty() { title } else { format!("# {title}\n\n") };
        write(&path, &format!("{heading}{}\n", text(doc, "text")));
        assert!(paths.insert(path, id).is_none(), "two documents would be the file d{name}.md");
    }
    paths
}

fn judged(qrels: &[Value]) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut judged: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for qrel in qrels {
        let score = qrel["score"].as_f64().expect("a score is a number");
        if score > 0.0 {
            let of_query = judged.entry(text(qrel, "query_id")).or_default();
            of_query.insert(text(qrel, "doc_id"), score);
        }
    }
    judged
}

fn ask(workspace: &Path, question: &str, mode: &str) -> Vec<String> {
    let arguments =
        ["search", "--format", "json", "--limit", "10", "--group", "--mode", mode, "--", question];
    let data = super::data(workspace, &arguments);
    let results = data["results"].as_array().expect("results are a list");
    results.iter().map(|result| text(&result["source"], "path")).collect()
}

/// Relative to the ideal.
fn ndcg(found: &[f64], mut ideal: Vec<f64>) -> f64 {
    ideal.sort_by(|a, b| b.total_cmp(a));
    let gain = |gains: &[f64]| -> f64 {
        let places = (2_u32..).map(|place| f64::from(place).log2());
        gains.iter().take(DEPTH).zip(places).map(|(gain, discount)| gain / discount).sum()
    };
    gain(found) / gain(&ideal)
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn recall(found: &[f64], all: usize) -> f64 {
    found.iter().take(DEPTH).filter(|gain| **gain > 0.0).count() as f64 / all as f64
}

fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn text(value: &Value, field: &str) -> String {
    match &value[field] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
