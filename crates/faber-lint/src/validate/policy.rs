use std::collections::{BTreeMap, BTreeSet};

use faber_core::assemble::insecure::Severities;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::rule::{Group, Rule};
use faber_core::rules::{self, lowered_security_rule, unknown_config_key};
use faber_core::source::Span;
use faber_core::suggest;
use faber_core::yaml::Node;

#[derive(Clone, Debug, Default)]
pub struct Policy {
    severities: BTreeMap<&'static str, Option<Severity>>,
    select: Option<BTreeSet<&'static str>>,
    ignore: BTreeSet<&'static str>,
}

impl Policy {
    /// # Errors
    ///
    /// [`Error::Unknown`] for an unknown name, [`Error::Usage`] if `ignore` has a security rule or
    /// `select` has only blank names.
    pub fn typed(select: &[String], ignore: &[String]) -> Result<Self, Error> {
        let select = if select.is_empty() { None } else { Some(named(select)?) };
        if select.as_ref().is_some_and(BTreeSet::is_empty) {
            // An empty shell variable would let everything pass.
            let help = "name rules or groups, or leave it out; `faber rules` lists them";
            return Err(Error::usage("`--select` names no rule", help));
        }
        let ignore = named(ignore)?;
        if let Some(rule) = ignore.iter().find(|name| is_security(name)) {
            let message = format!("`{rule}` is a security rule and cannot be ignored here");
            let help = format!("set `validate.rules.{rule}: off` in your own configuration");
            return Err(Error::usage(message, help));
        }
        Ok(Self { severities: BTreeMap::new(), select, ignore })
    }

    pub fn configure(&mut self, severities: Severities<'_>, found: &mut Vec<Diagnostic>) {
        fn rules_of(validate: Option<&Node>) -> Option<&Node> {
            validate.and_then(|node| node.get("rules"))
        }
        let (rules, own) = (rules_of(severities.merged), rules_of(severities.own));
        for entry in rules.map(Node::entries).unwrap_or_default() {
            let Some(rule) = find(&entry.key) else {
                let message = format!("unknown rule `{}`", entry.key);
                let unknown = unknown_config_key::RULE.at(entry.key_span, message);
                let known = rules::of_validate().map(|rule| rule.code);
                let close = suggest::closest(&entry.key, known);
                found.push(unknown.help(suggest::help(close, "`faber rules` lists them")));
                continue;
            };
            let severity = match entry.value.as_str() {
                Some("error") => Some(Severity::Error),
                Some("warning") => Some(Severity::Warning),
                Some("hint") => Some(Severity::Hint),
                Some("off") => None,
                _ => continue,
            };
            let is_own = own.is_some_and(|own| own.get(&entry.key).is_some());
            if !is_own && rule.code == lowered_security_rule::RULE.code {
                // Otherwise a workspace could hide that it lowers rules.
                continue;
            }
            let is_lower = severity.is_none_or(|severity| severity > rule.severity);
            if !is_own && is_lower && rule.group == Group::Security {
                found.push(lowered(entry.key_span, rule, severity));
            }
            self.severities.insert(rule.code, severity);
        }
    }

    pub(crate) fn is_on(&self, rule: &str) -> bool {
        self.severities.get(rule).is_none_or(Option::is_some)
    }

    pub fn apply(&self, found: &mut Vec<Diagnostic>) {
        found.retain_mut(|found| {
            match self.severities.get(found.code()) {
                Some(Some(severity)) => found.configure(*severity),
                Some(None) => return false,
                None => {}
            }
            !self.ignore.contains(found.code())
                && self.select.as_ref().is_none_or(|select| select.contains(found.code()))
        });
    }
}

fn lowered(at: Span, rule: &Rule, severity: Option<Severity>) -> Diagnostic {
    let to = severity.map_or("off", Severity::name);
    let message = format!("the workspace sets the security rule `{}` to `{to}`", rule.code);
    lowered_security_rule::RULE.at(at, message).help(
        "this report follows it; `assemble`, `export` and `serve` do not. \
         If you do not trust the workspace, remove the line and check again",
    )
}

pub fn find(code: &str) -> Option<&'static Rule> {
    rules::of_validate().find(|rule| rule.code == code)
}

pub(crate) fn is_security(rule: &str) -> bool {
    find(rule).is_some_and(|rule| rule.group == Group::Security)
}

fn named(names: &[String]) -> Result<BTreeSet<&'static str>, Error> {
    let mut codes = BTreeSet::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if let Some(rule) = find(name) {
            codes.insert(rule.code);
            continue;
        }
        let of_group: Vec<&Rule> =
            rules::of_validate().filter(|rule| rule.group.name() == name).collect();
        if of_group.is_empty() {
            let all = rules::of_validate();
            let groups: BTreeSet<&str> = all.map(|rule| rule.group.name()).collect();
            let listed = || {
                let groups: Vec<String> = groups.iter().map(|group| format!("`{group}`")).collect();
                format!("`faber rules` lists all rules; their groups are {}", groups.join(", "))
            };
            let known = rules::of_validate().map(|rule| rule.code).chain(groups.iter().copied());
            let known = known.filter(|_| !name.eq_ignore_ascii_case("all"));
            return Err(Error::unknown_unless_close("rule", name, known, listed));
        }
        codes.extend(of_group.iter().map(|rule| rule.code));
    }
    Ok(codes)
}
