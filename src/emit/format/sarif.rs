//! SARIF 2.1.0, within the limits of GitHub code scanning.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde_json::{Value, json};

use faber_core::diagnostic::{Diagnostic, Edit, Label, Severity};
use faber_core::rule::Rule;
use faber_core::rules;
use faber_core::security::redact::Redactor;
use faber_core::source::{SourceMap, Span};
use faber_lint::validate::{baseline, fix};

use super::FindingSet;
use faber_core::escape::uri;

/// Maximum results per run; GitHub rejects files with more.
pub(crate) const MAX_RESULTS: usize = 25_000;
const ROOT: &str = "SRCROOT";
/// Maximum characters of a text on GitHub.
const MAX_TEXT: usize = 1024;

pub(crate) fn sarif(findings: &FindingSet<'_>) -> (Value, usize) {
    let mut kept: Vec<(usize, &Diagnostic)> = findings.found.iter().enumerate().collect();
    kept.sort_by_key(|(at, found)| (found.severity(), *at));
    let left_out = kept.len().saturating_sub(MAX_RESULTS);
    kept.truncate(MAX_RESULTS);
    kept.sort_by_key(|(at, _)| *at);
    let redactor = Redactor::new(findings.sources, findings.secrets);
    let mut again: BTreeMap<(&str, String, String), usize> = BTreeMap::new();
    let results: Vec<Value> = kept
        .into_iter()
        .map(|(_, found)| {
            let path = findings.sources.path(found.primary.span.file).to_string();
            let key = (found.code(), path, baseline::hash(found, findings.sources, &redactor));
            let nth = again.entry(key.clone()).or_insert(0);
            *nth += 1;
            let mut result = result(&findings.placed(found), findings, &format!("{}:{nth}", key.2));
            if fix::is_fixable(found, true) && !tells_secret(found, &redactor) {
                result["fixes"] = json!([fix_of(found, findings)]);
            }
            result
        })
        .collect();
    let rules: Vec<Value> = rules::of_validate().map(descriptor).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "faber",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            // A local path would make equal findings differ.
            "originalUriBaseIds": { ROOT: {
                "description": { "text": "The root of the repository." },
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    (document, left_out)
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.code,
        "name": rule.code,
        "shortDescription": { "text": clip(rule.summary) },
        "fullDescription": { "text": clip(rule.summary) },
        "help": { "text": clip(rule.documentation), "markdown": rule.documentation },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.group.name()] },
    })
}

fn result(found: &Diagnostic, findings: &FindingSet<'_>, fingerprint: &str) -> Value {
    let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let text = clip(&format!("{}{help}", found.message));
    let mut result = json!({
        "ruleId": found.code(),
        "level": level(found.severity()),
        "message": { "text": text },
        "locations": [location(found.primary.span, findings)],
        "partialFingerprints": { "faber/v1": fingerprint },
    });
    if let Some(index) = rules::of_validate().position(|rule| rule == found.rule()) {
        result["ruleIndex"] = json!(index);
    }
    if !found.related.is_empty() {
        let related = found.related.iter().enumerate();
        let related: Vec<Value> =
            related.map(|(id, label)| related_location(id, label, findings)).collect();
        result["relatedLocations"] = json!(related);
    }
    result
}

/// A redacted fix would destroy the secret.
fn tells_secret(found: &Diagnostic, redactor: &Redactor) -> bool {
    found.fix.iter().any(|edit| redactor.redact(&edit.replacement) != edit.replacement)
}

fn related_location(id: usize, label: &Label, findings: &FindingSet<'_>) -> Value {
    let mut related = location(label.span, findings);
    related["id"] = json!(id);
    related["message"] = json!({ "text": clip(&label.message) });
    related
}

fn location(span: Span, findings: &FindingSet<'_>) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": artifact(span, findings),
        "region": region(span, findings.sources),
    }})
}

fn artifact(span: Span, findings: &FindingSet<'_>) -> Value {
    let path = findings.path(span.file);
    if Utf8Path::new(&path).is_absolute() {
        // Windows paths begin with a drive, not a slash.
        let slash = if path.starts_with('/') { "" } else { "/" };
        return json!({ "uri": format!("file://{slash}{}", uri(&path)) });
    }
    json!({ "uri": uri(&path), "uriBaseId": ROOT })
}

fn region(span: Span, sources: &SourceMap) -> Value {
    let file = sources.get(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn fix_of(found: &Diagnostic, findings: &FindingSet<'_>) -> Value {
    let replacement = |edit: &Edit| {
        json!({
            "deletedRegion": region(edit.span, findings.sources),
            "insertedContent": { "text": edit.replacement },
        })
    };
    let replacements: Vec<Value> = found.fix.iter().map(replacement).collect();
    let text = found.help.as_deref().unwrap_or(&found.message);
    json!({
        "description": { "text": clip(text) },
        "artifactChanges": [{
            "artifactLocation": artifact(found.fix[0].span, findings),
            "replacements": replacements,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    }
}

fn clip(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT - 1).chain(['…']).collect()
}
