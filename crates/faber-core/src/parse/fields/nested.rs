//! Fields that are maps: `when`, `sections`, `confidence`.

use std::collections::BTreeMap;

use crate::parse::rules::{RuleKind, SelectionRule};
use crate::rules::condition_never_true;
use crate::strategy::{SectionAction, SectionRule, Strategy};
use crate::suggest;
use crate::yaml::{Entry, Value};

use super::reader::list_of;
use super::{Condition, Conditions, Confidence, FieldReader};

pub(super) fn when(entry: &Entry, reader: &mut FieldReader<'_>) -> Option<Conditions> {
    reader.map(entry)?;
    let mut when = Conditions::default();
    for inner in entry.value.entries() {
        if inner.key != "not" {
            when.all.push(condition(inner, reader));
        } else if reader.map(inner).is_some() {
            let negated = inner.value.entries().iter();
            when.none.extend(negated.map(|inner| condition(inner, reader)));
        } else {
            when.all.push(Condition { key: inner.spanned_key(), values: Vec::new() });
        }
    }
    Some(when)
}

fn condition(entry: &Entry, reader: &mut FieldReader<'_>) -> Condition {
    if !Condition::KEYS.contains(&&*entry.key) {
        let message = format!("unknown condition `{}`, so this condition is never true", entry.key);
        let close = suggest::closest(&entry.key, Condition::KEYS);
        let help =
            suggest::help(close, format!("known conditions are {}", list_of(&Condition::KEYS)));
        reader.found.push(condition_never_true::RULE.at(entry.key_span, message).help(help));
    }
    let nodes = entry.value.items().unwrap_or(std::slice::from_ref(&entry.value));
    let mut values = Vec::new();
    let mut is_read = true;
    for node in nodes.iter().filter(|node| !node.is_null()) {
        if let Some(text) = node.as_str() {
            values.push(text.trim().to_owned());
        } else {
            reader.wrong_type(entry, node, "text, or a list of text");
            is_read = false;
        }
    }
    if !is_read {
        values.clear();
    }
    let key = entry.spanned_key();
    Condition { key, values }
}

pub(super) fn sections(entry: &Entry, reader: &mut FieldReader<'_>) -> Vec<SectionRule> {
    let [one, two, three] = Strategy::ALL.map(|(name, value)| (name, SectionAction::Apply(value)));
    let known = [one, two, three, ("remove", SectionAction::Remove)];
    if reader.map(entry).is_none() {
        return Vec::new();
    }
    let inner = entry.value.entries().iter().filter(|inner| !inner.value.is_null());
    let rules = inner.filter_map(|inner| {
        let action = reader.word(inner, &known)?.value;
        let heading = inner.spanned_key();
        Some(SectionRule { heading, action })
    });
    rules.collect()
}

pub(super) fn confidence(entry: &Entry, reader: &mut FieldReader<'_>) -> Option<Confidence> {
    if !matches!(entry.value.value, Value::Map(_)) {
        return reader.fraction(entry).map(Confidence::Overall);
    }
    let inner = entry.value.entries().iter().filter(|inner| !inner.value.is_null());
    let components: BTreeMap<_, _> =
        inner.filter_map(|inner| Some((inner.key.clone(), reader.fraction(inner)?))).collect();
    (!components.is_empty()).then_some(Confidence::Components(components))
}

pub(super) fn rules(entry: &Entry, reader: &mut FieldReader<'_>) -> Vec<SelectionRule> {
    if entry.value.is_null() || reader.map(entry).is_none() {
        return Vec::new();
    }
    let kind = if entry.key == "errors" { RuleKind::Error } else { RuleKind::Keyword };
    let inner = entry.value.entries().iter().filter(|inner| !inner.value.is_null());
    inner
        .map(|inner| SelectionRule {
            kind,
            terms: reader.list(inner),
            except: Vec::new(),
            target: inner.spanned_key(),
            optional: false,
        })
        .collect()
}
