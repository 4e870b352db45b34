//! JUnit XML. Reproducible, without times.

use std::fmt::Write;

use faber_core::escape::{lines, xml};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    pub name: String,
    pub cases: Vec<TestCase>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    pub name: String,
    /// File and line, from 1.
    pub place: Option<(String, usize)>,
    pub ending: CaseResult,
    pub output: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseResult {
    Passed,
    Skipped,
    Failed(CaseProblem),
    Error(CaseProblem),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseProblem {
    pub kind: String,
    pub message: String,
    pub text: String,
}

pub fn document(name: &str, suites: &[Suite]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = suites.iter().flat_map(|suite| &suite.cases);
    let _ = writeln!(out, "<testsuites name=\"{}\" {}>", escaped(name), counts(all));
    for suite in suites {
        let (name, counts) = (escaped(&suite.name), counts(suite.cases.iter()));
        let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts}>");
        suite.cases.iter().for_each(|case| write_case(&mut out, &suite.name, case));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts<'a>(cases: impl Iterator<Item = &'a TestCase>) -> String {
    let [mut tests, mut failures, mut errors, mut skipped] = [0; 4];
    for case in cases {
        tests += 1;
        match case.ending {
            CaseResult::Passed => {}
            CaseResult::Skipped => skipped += 1,
            CaseResult::Failed(_) => failures += 1,
            CaseResult::Error(_) => errors += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

fn write_case(out: &mut String, suite: &str, case: &TestCase) {
    let (suite, name) = (escaped(suite), escaped(&case.name));
    let _ = write!(out, "    <testcase classname=\"{suite}\" name=\"{name}\"");
    if let Some((file, line)) = &case.place {
        let _ = write!(out, " file=\"{}\" line=\"{line}\"", escaped(file));
    }
    let mut inner = String::new();
    match &case.ending {
        CaseResult::Passed => {}
        CaseResult::Skipped => inner.push_str("      <skipped/>\n"),
        CaseResult::Failed(trouble) => write_trouble(&mut inner, "failure", trouble),
        CaseResult::Error(trouble) => write_trouble(&mut inner, "error", trouble),
    }
    if !case.output.is_empty() {
        let _ = writeln!(inner, "      <system-out>{}</system-out>", text(&case.output));
    }
    if inner.is_empty() {
        return out.push_str("/>\n");
    }
    let _ = writeln!(out, ">\n{inner}    </testcase>");
}

fn write_trouble(out: &mut String, tag: &str, trouble: &CaseProblem) {
    let (kind, message) = (escaped(&trouble.kind), escaped(&trouble.message));
    let text = text(&trouble.text);
    let _ = writeln!(out, "      <{tag} type=\"{kind}\" message=\"{message}\">{text}</{tag}>");
}

fn escaped(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

fn text(text: &str) -> String {
    xml(&lines(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_becomes_markup() {
        let trouble = |message: &str| CaseProblem {
            kind: "selected".to_owned(),
            message: message.to_owned(),
            text: format!("{message}\n]]></failure>\u{1b}[31m"),
        };
        let case = |name: &str, ending| {
            let (name, output) = (name.to_owned(), String::new());
            TestCase { name, place: None, ending, output }
        };
        let suite = Suite {
            name: "tests/a&b.yml".to_owned(),
            cases: vec![
                TestCase {
                    place: Some(("a.yml".to_owned(), 3)),
                    ..case("\"x\"\ty", CaseResult::Passed)
                },
                case("b", CaseResult::Failed(trouble("a < b\n\"c\""))),
                case("c", CaseResult::Error(trouble("no"))),
                case("d", CaseResult::Skipped),
                TestCase { output: "<&\n>".to_owned(), ..case("e", CaseResult::Passed) },
            ],
        };
        insta::assert_snapshot!(document("faber", &[suite]), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="faber" tests="5" failures="1" errors="1" skipped="1">
          <testsuite name="tests/a&amp;b.yml" tests="5" failures="1" errors="1" skipped="1">
            <testcase classname="tests/a&amp;b.yml" name="&quot;x&quot;&#9;y" file="a.yml" line="3"/>
            <testcase classname="tests/a&amp;b.yml" name="b">
              <failure type="selected" message="a &lt; b&#10;&quot;c&quot;">a &lt; b
        "c"
        ]]&gt;&lt;/failure&gt;\u{1b}[31m</failure>
            </testcase>
            <testcase classname="tests/a&amp;b.yml" name="c">
              <error type="selected" message="no">no
        ]]&gt;&lt;/failure&gt;\u{1b}[31m</error>
            </testcase>
            <testcase classname="tests/a&amp;b.yml" name="d">
              <skipped/>
            </testcase>
            <testcase classname="tests/a&amp;b.yml" name="e">
              <system-out>&lt;&amp;
        &gt;</system-out>
            </testcase>
          </testsuite>
        </testsuites>
        "#);
    }
}
