//! One line of the audit log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::bound::{self, MAX_NAME, cut};

const SCHEMA: &str = "faber.audit/1";
/// Limit for reading; faber writes at most half.
pub(crate) const MAX_LINE: usize = 512 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "schema", rename = "faber.audit/1")]
pub struct AuditEntry {
    /// Empty in old logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[serde(serialize_with = "milliseconds")]
    pub time: Timestamp,
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    pub tool: String,
    #[serde(default)]
    pub arguments: Value,
    #[serde(default)]
    pub results: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_results: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub saved: u64,
    #[serde(default)]
    pub tokens: u64,
    #[serde(default)]
    pub milliseconds: f64,
    #[serde(flatten)]
    pub outcome: CallOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Contexts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<TokenSplit>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", content = "error")]
pub enum CallOutcome {
    #[default]
    #[serde(rename = "ok")]
    Answered,
    #[serde(rename = "error")]
    Failed(Option<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contexts {
    pub loaded: u64,
    pub used: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenSplit {
    pub limit: u64,
    pub context: u64,
    pub history: u64,
    pub history_full: u64,
    pub message: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ParsedEntry {
    Entry(Box<AuditEntry>),
    Foreign,
    Broken,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn milliseconds<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

pub(crate) fn schema_of(json: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Tagged {
        schema: String,
    }
    serde_json::from_slice(json).ok().map(|Tagged { schema }| schema)
}

impl AuditEntry {
    /// # Panics
    ///
    /// Never: JSON keys are strings.
    pub fn line(&self) -> String {
        let (results, more) = bound::ids(&self.results);
        let (mut hashes, _) = bound::ids(&self.hashes);
        hashes.truncate(results.len());
        let (shortened, _) = bound::ids(&self.shortened);
        let name = |text: &str| cut(text, MAX_NAME);
        let line = Self {
            id: name(&self.id),
            session: name(&self.session),
            principal: self.principal.as_deref().map(name),
            tool: name(&self.tool),
            arguments: bound::arguments(&self.arguments),
            results,
            more_results: self.more_results.saturating_add(more),
            hashes,
            shortened,
            milliseconds: thousandths(self.milliseconds).max(0.0),
            outcome: match &self.outcome {
                CallOutcome::Answered => CallOutcome::Answered,
                CallOutcome::Failed(code) => CallOutcome::Failed(code.as_deref().map(name)),
            },
            relevance: self.relevance.map(share),
            ..*self
        };
        serde_json::to_string(&line).expect("the keys of JSON are text") + "\n"
    }

    pub fn parse(line: &[u8]) -> ParsedEntry {
        match schema_of(line) {
            None => return ParsedEntry::Broken,
            Some(schema) if schema != SCHEMA => return ParsedEntry::Foreign,
            Some(_) => {}
        }
        let Ok(mut entry) = serde_json::from_slice::<Self>(line) else {
            return ParsedEntry::Broken;
        };
        entry.milliseconds = entry.milliseconds.max(0.0);
        entry.relevance = entry.relevance.map(|score| score.clamp(0.0, 1.0));
        ParsedEntry::Entry(Box::new(entry))
    }
}

/// JSON has no infinity and NaN; they become 0.
fn thousandths(number: f64) -> f64 {
    if number.is_finite() { (number.clamp(-1e12, 1e12) * 1000.0).round() / 1000.0 } else { 0.0 }
}

fn share(score: f64) -> f64 {
    if score.is_finite() { (score.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn entry() -> AuditEntry {
        AuditEntry {
            id: "7f".to_owned(),
            time: "2026-01-15T10:20:30.5Z".parse().unwrap(),
            session: "s1".to_owned(),
            principal: Some("alice:eng".to_owned()),
            tool: "search_context".to_owned(),
            arguments: json!({ "query": "a\nb", "limit": 5 }),
            results: vec!["role/a".to_owned(), "role/b".to_owned()],
            hashes: vec!["blake3:0a".to_owned()],
            shortened: vec!["role/b".to_owned()],
            saved: 90,
            tokens: 812,
            milliseconds: 12.34567,
            relevance: Some(0.912_345_6),
            ..AuditEntry::default()
        }
    }

    #[test]
    fn a_line_says_what_was_asked_and_answered() {
        assert_eq!(
            entry().line(),
            concat!(
                r#"{"schema":"faber.audit/1","id":"7f","time":"2026-01-15T10:20:30.500Z","session":"s1","#,
                r#""principal":"alice:eng","tool":"search_context","#,
                r#""arguments":{"query":"a\nb","limit":5},"results":["role/a","role/b"],"#,
                r#""hashes":["blake3:0a"],"shortened":["role/b"],"saved":90,"#,
                r#""tokens":812,"milliseconds":12.346,"outcome":"ok","relevance":0.9123}"#,
                "\n"
            )
        );
    }

    #[test]
    fn lines_of_other_versions_are_distinguished_from_broken_ones() {
        let parse = |text: &str| AuditEntry::parse(text.as_bytes());
        let whole = entry().line();
        assert!(matches!(parse(&whole), ParsedEntry::Entry(_)));
        assert!(matches!(parse(whole.trim_end()), ParsedEntry::Entry(_)));
        assert!(matches!(
            parse(&whole.replace("\"tokens\"", "\"new\":{},\"tokens\"")),
            ParsedEntry::Entry(_)
        ));
        let failed = parse(&whole.replace("\"ok\"", "\"error\""));
        assert!(
            matches!(failed, ParsedEntry::Entry(it) if it.outcome == CallOutcome::Failed(None))
        );
        assert_eq!(parse(&whole.replace("audit/1", "audit/2")), ParsedEntry::Foreign);
        assert_eq!(parse(r#"{"schema":"faber.audit/2","time":3}"#), ParsedEntry::Foreign);
        for broken in [
            &whole[..whole.len() - 2],
            "",
            "null",
            "[]",
            "{}",
            r#"{"schema":"faber.audit/1"}"#,
            &whole.replace("2026", "20x6"),
            &whole.replace("\"ok\"", "\"maybe\""),
            &whole.replace("12.346", "1e999"),
        ] {
            assert_eq!(parse(broken), ParsedEntry::Broken, "{broken}");
        }
        assert_eq!(AuditEntry::parse(b"\xff\xfe\n"), ParsedEntry::Broken);
    }

    #[test]
    fn numbers_that_json_lacks_do_not_break_a_line() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            let line = AuditEntry { milliseconds: odd, relevance: Some(odd), ..entry() }.line();
            let ParsedEntry::Entry(read) = AuditEntry::parse(line.as_bytes()) else {
                panic!("{line}")
            };
            assert!(read.milliseconds == 0.0 && read.relevance == Some(0.0), "{line}");
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            (any::<char>(), 0..4000_usize)
                .prop_map(|(c, times)| c.to_string().repeat(times).into()),
            (0..300_usize).prop_map(|items| vec![1; items].into()),
        ];
        leaf.prop_recursive(10, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("\\PC{0,12}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_entry_is_one_line_and_comes_back(
            (session, tool, code) in (any::<String>(), any::<String>(), any::<Option<String>>()),
            (principal, arguments) in (any::<Option<String>>(), json_value()),
            results in prop::collection::vec(any::<String>(), 0..20),
            (second, millis) in (-60_000_000_000_i64..250_000_000_000, any::<f64>()),
            (tokens, relevance) in (any::<u64>(), any::<Option<f64>>()),
        ) {
            let entry = AuditEntry {
                time: Timestamp::from_second(second).unwrap(),
                session, principal, tool, arguments, tokens, relevance,
                hashes: results.clone(),
                shortened: results.clone(),
                saved: tokens,
                results,
                milliseconds: millis,
                outcome: code.map_or(CallOutcome::Answered, |code| CallOutcome::Failed(Some(code))),
                contexts: Some(Contexts { loaded: tokens, used: tokens / 2 }),
                split: Some(TokenSplit { limit: tokens, ..TokenSplit::default() }),
                ..AuditEntry::default()
            };
            let line = entry.line();
            prop_assert!(line.len() < MAX_LINE / 2);
            prop_assert_eq!(line.matches(['\n', '\r']).count(), 1);
            prop_assert!(line.ends_with('\n'));
            let ParsedEntry::Entry(read) = AuditEntry::parse(line.as_bytes()) else {
                return Err(TestCaseError::fail(line));
            };
            prop_assert_eq!((read.time, read.tokens), (entry.time, entry.tokens));
            prop_assert_eq!((read.contexts, read.split), (entry.contexts, entry.split));
            prop_assert!(read.hashes.len() <= read.results.len());
            prop_assert_eq!(read.results.len() as u64 + read.more_results, entry.results.len() as u64);
            prop_assert_eq!(read.line(), line);
        }
    }
}
