use faber_core::assemble::InstructionKind;
use faber_core::budget::level::Level;
use faber_core::config::Amount;
use faber_core::parse::fields::FieldReader;
use faber_core::resolve::view::Principal;
use faber_core::rules::invalid_test;
use faber_core::source::Spanned;
use faber_core::yaml::{Entry, ScalarKind, Value};

use super::case::{Case, Expectation, Expected, Failing, SnapshotName};
use super::turns;

type ReadCaseField = fn(&mut Case, &Entry, &mut FieldReader<'_>);

pub(super) struct CaseField {
    pub(super) name: &'static str,
    pub(super) expects: bool,
    pub(super) read: ReadCaseField,
}

const fn asks(name: &'static str, read: ReadCaseField) -> CaseField {
    CaseField { name, expects: false, read }
}

const fn expects(name: &'static str, read: ReadCaseField) -> CaseField {
    CaseField { name, expects: true, read }
}

pub(super) const FIELDS: &[CaseField] = &[
    asks("role", |c, e, r| c.setup.job.role = text(e, r)),
    asks("request", |c, e, r| c.setup.job.request.text = text(e, r).unwrap_or_default()),
    asks("error", |c, e, r| c.setup.job.request.error = text(e, r).unwrap_or_default()),
    asks("files", |c, e, r| c.setup.job.request.files = files(e, r)),
    asks("with", |c, e, r| c.setup.job.request.with = texts(e, r)),
    asks("without", |c, e, r| c.setup.job.request.without = texts(e, r)),
    asks("task", |c, e, r| c.setup.job.instruction = instruction(c, e, r, InstructionKind::Task)),
    asks("flow", |c, e, r| c.setup.job.instruction = instruction(c, e, r, InstructionKind::Flow)),
    asks("platform", |c, e, r| c.setup.job.platform = text(e, r)),
    asks("team", |c, e, r| c.setup.team = text(e, r)),
    asks("workflow", |c, e, r| c.setup.workflow = text(e, r)),
    asks("environment", |c, e, r| c.setup.environment = text(e, r)),
    asks("as", |c, e, r| c.setup.principal = principal(e, r)),
    asks("date", |c, e, r| c.setup.date = r.date(e).map(|date| date.value)),
    asks("budget", budget),
    asks("model", |c, e, r| c.setup.job.model = text(e, r)),
    asks("answer", |c, e, r| c.answer = texts(e, r)),
    asks("answer_contains", |c, e, r| c.answer_contains = texts(e, r)),
    expects("selected", |c, e, r| each(c, e, r, Expectation::Selected)),
    expects("not_selected", |c, e, r| each(c, e, r, Expectation::NotSelected)),
    expects("catalogued", |c, e, r| each(c, e, r, Expectation::Catalogued)),
    expects("levels", levels),
    expects("full", |c, e, r| each(c, e, r, Expectation::Full)),
    expects("within", |c, e, r| {
        budget(c, e, r);
        c.within = Some(e.value.span);
    }),
    expects("relevance", relevance),
    expects("order", |c, e, r| pairs(c, e, r, Expectation::Before, "`selected`")),
    expects("max_tokens", |c, e, r| {
        let what = r.tokens(e, 1).map(|tokens| Expectation::MaxTokens(tokens.value));
        c.expected.extend(what.map(|what| Expected { what, span: e.value.span }));
    }),
    expects("contains", |c, e, r| each(c, e, r, Expectation::Contains)),
    expects("not_contains", |c, e, r| each(c, e, r, Expectation::NotContains)),
    expects("fails", |c, e, r| c.fails = r.word(e, &Failing::ALL)),
    expects("snapshot", |c, e, r| c.snapshot = snapshot(e, r)),
    expects("turns", |c, e, r| c.turns = turns::read(e, r)),
];

const LEVELS: [(&str, Level); 5] = [
    ("detailed", Level::Detailed),
    ("focused", Level::Focused),
    ("truncated", Level::Truncated),
    ("summary", Level::Summary),
    ("essence", Level::Essence),
];

fn text(entry: &Entry, reader: &mut FieldReader<'_>) -> Option<String> {
    reader.text(entry).map(|text| text.value)
}

fn texts(entry: &Entry, reader: &mut FieldReader<'_>) -> Vec<String> {
    reader.one_or_more(entry).into_iter().map(|text| text.value).collect()
}

fn files(entry: &Entry, reader: &mut FieldReader<'_>) -> Vec<String> {
    let files = texts(entry, reader).into_iter();
    files.map(|file| file.replace('\\', "/").trim_start_matches("./").to_owned()).collect()
}

fn budget(case: &mut Case, entry: &Entry, reader: &mut FieldReader<'_>) {
    if case.setup.job.budget.is_some() {
        let message = "`budget` and `within` cannot be used together";
        reader.found.push(invalid_test::RULE.at(entry.key_span, message));
    }
    case.setup.job.budget =
        Amount::read(&entry.value).filter(|budget| *budget != Amount::Tokens(0));
    if case.setup.job.budget.is_none() {
        let wanted = "tokens (`8000` or `32k`) or a share of the model's window (`60%`)";
        reader.wrong_type(entry, &entry.value, wanted);
    }
}

fn each(
    case: &mut Case,
    entry: &Entry,
    reader: &mut FieldReader<'_>,
    make: fn(String) -> Expectation,
) {
    for text in reader.one_or_more(entry) {
        if text.value.is_empty() {
            let message = format!("`{}` contains an empty text", entry.key);
            reader.found.push(invalid_test::RULE.at(text.span, message));
            continue;
        }
        case.expected.push(Expected { what: make(text.value), span: text.span });
    }
}

fn instruction(
    case: &Case,
    entry: &Entry,
    reader: &mut FieldReader<'_>,
    kind: InstructionKind,
) -> Option<(InstructionKind, String)> {
    if case.setup.job.instruction.is_some() {
        let message = "`task` and `flow` cannot be used together";
        reader.found.push(invalid_test::RULE.at(entry.key_span, message));
    }
    text(entry, reader).map(|name| (kind, name))
}

fn principal(entry: &Entry, reader: &mut FieldReader<'_>) -> Option<Principal> {
    let text = reader.text(entry)?;
    let principal = Principal::parse(&text.value);
    if principal.is_none() {
        let message = format!("no user name in `as: {}`", text.value);
        let found = invalid_test::RULE.at(text.span, message);
        reader.found.push(found.help("write `as: USER` or `as: USER:GROUP,GROUP`"));
    }
    principal
}

fn levels(case: &mut Case, entry: &Entry, reader: &mut FieldReader<'_>) {
    if reader.map(entry).is_none() {
        return;
    }
    for level in entry.value.entries() {
        if let Some(word) = reader.word(level, &LEVELS) {
            let what = Expectation::Level(level.key.clone(), word.value);
            case.expected.push(Expected { what, span: level.key_span });
        }
    }
}

fn relevance(case: &mut Case, entry: &Entry, reader: &mut FieldReader<'_>) {
    match &entry.value.value {
        Value::Map(entries) => {
            for least in entries {
                let Some(value) = reader.fraction(least) else { continue };
                if value > 0.0 {
                    let what = Expectation::Relevance(least.key.clone(), value);
                    case.expected.push(Expected { what, span: least.key_span });
                } else {
                    let message = "every context has a relevance of at least 0";
                    reader.found.push(invalid_test::RULE.at(least.value.span, message));
                }
            }
        }
        Value::Seq(_) => {
            pairs(case, entry, reader, Expectation::MoreRelevant, "`relevance: { ID: 0.5 }`");
        }
        Value::Scalar(_) => {
            let wanted = "a list of contexts, or a map of them to numbers";
            reader.wrong_type(entry, &entry.value, wanted);
        }
    }
}

fn pairs(
    case: &mut Case,
    entry: &Entry,
    reader: &mut FieldReader<'_>,
    make: fn(String, String) -> Expectation,
    single: &str,
) {
    let names = reader.list(entry);
    if let [only] = &names[..] {
        let message = "an order needs at least two contexts";
        let found = invalid_test::RULE.at(only.span, message);
        reader.found.push(found.help(format!("name two contexts or more, or write {single}")));
    }
    for pair in names.windows(2) {
        let what = make(pair[0].value.clone(), pair[1].value.clone());
        case.expected.push(Expected { what, span: pair[1].span });
    }
}

fn snapshot(entry: &Entry, reader: &mut FieldReader<'_>) -> Option<Spanned<SnapshotName>> {
    let span = entry.value.span;
    if let Some(is_kept) = entry.value.as_bool() {
        return is_kept.then_some(Spanned { value: SnapshotName::OfCase, span });
    }
    let is_text = entry.value.scalar().is_some_and(|scalar| scalar.kind == ScalarKind::Str);
    if !is_text {
        reader.wrong_type(entry, &entry.value, "`true` or a name");
        return None;
    }
    let name = reader.text(entry)?.value;
    let is_name = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_name) {
        let message = format!("invalid file name `{name}`");
        let found = invalid_test::RULE.at(span, message);
        reader.found.push(found.help("letters, digits, `-`, `_`, `.` and spaces are allowed"));
        return None;
    }
    Some(Spanned { value: SnapshotName::Named(name), span })
}
