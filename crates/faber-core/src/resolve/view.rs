//! Who asks, when and for what: decides which documents are used.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::parse::fields::{Condition, ContextStatus, Fields, Visibility};

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Principal {
    pub user: Option<String>,
    pub groups: BTreeSet<String>,
    /// The author of the workspace, who can read all files anyway. Not settable from outside.
    pub is_author: bool,
    /// User and groups are those of a verified token, so that its teams are those among the groups. Not
    /// settable from outside.
    pub is_proven: bool,
}

impl Principal {
    /// Reads `USER[:GROUP,…]`; `None` without a user.
    pub fn parse(text: &str) -> Option<Self> {
        let (user, groups) = text.split_once(':').unwrap_or((text, ""));
        let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
        let user = Some(user.trim()).filter(|user| !user.is_empty())?;
        Some(Self {
            user: Some(user.to_owned()),
            groups: groups.map(str::to_owned).collect(),
            ..Self::default()
        })
    }

    /// Whether the principal may know of a document with this front matter.
    pub fn may_see(&self, fields: &Fields) -> bool {
        self.may_read(&Access::from(fields))
    }

    /// Whether the principal may know of something. The only place that decides it.
    pub fn may_read(&self, access: &Access<'_>) -> bool {
        if self.is_author {
            return true;
        }
        let private = access.visibility == Some(Visibility::Private);
        let owns = access.owner.is_some() && access.owner == self.user.as_deref();
        let member = access.groups.is_empty()
            || access.groups.iter().any(|group| self.groups.contains(*group));
        member && (!private || owns) && !access.is_unclear
    }
}

/// The keys that say who may see something.
pub const ACCESS_KEYS: [&str; 3] = ["owner", "visibility", "groups"];

/// Who may see something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access<'a> {
    owner: Option<&'a str>,
    groups: Vec<&'a str>,
    visibility: Option<Visibility>,
    /// Something of it cannot be read, so only the author of the workspace may.
    is_unclear: bool,
}

impl<'a> From<&'a Fields> for Access<'a> {
    fn from(fields: &'a Fields) -> Self {
        Self {
            owner: fields.owner.as_ref().map(|owner| owner.value.as_str()),
            groups: fields.groups.iter().map(|group| group.value.as_str()).collect(),
            visibility: fields.visibility.as_ref().map(|visibility| visibility.value),
            is_unclear: fields.access_unclear,
        }
    }
}

impl<'a> From<&'a Value> for Access<'a> {
    /// By `owner`, `groups` and `visibility` of a JSON object, as front matter has them.
    fn from(object: &'a Value) -> Self {
        let mut access = Self { is_unclear: !object.is_object(), ..Self::default() };
        let keys = object.as_object().into_iter().flat_map(|object| object.keys());
        // Such as `Owner`.
        let is_misspelt = |key: &String| {
            let lower = key.to_ascii_lowercase();
            lower != *key && ACCESS_KEYS.contains(&lower.as_str())
        };
        access.is_unclear |= keys.into_iter().any(is_misspelt);
        let set = |key: &str| object.get(key).filter(|value| !value.is_null());
        if let Some(owner) = set("owner") {
            access.owner = owner.as_str();
            access.is_unclear |= access.owner.is_none();
        }
        if let Some(word) = set("visibility") {
            let known = |(name, _): &&(&str, Visibility)| word.as_str() == Some(*name);
            access.visibility = Visibility::ALL.iter().find(known).map(|(_, known)| *known);
            access.is_unclear |= access.visibility.is_none();
        }
        if let Some(groups) = set("groups") {
            let groups = groups.as_array().map_or(std::slice::from_ref(groups), Vec::as_slice);
            access.groups = groups.iter().filter_map(Value::as_str).collect();
            access.is_unclear |= access.groups.len() < groups.len();
        }
        access
    }
}

/// What a principal has to be to see something: the restricting part of [`Access`], to be stored with
/// copies of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AccessRule {
    /// The only user who sees it, if it is private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// A principal is in one of these groups; empty for all principals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

impl AccessRule {
    /// Whether it restricts nothing.
    pub fn is_open(&self) -> bool {
        self.owner.is_none() && self.groups.is_empty()
    }

    /// Whether the principal may know of what this rule is about.
    pub fn allows(&self, principal: &Principal) -> bool {
        principal.may_read(&Access {
            owner: self.owner.as_deref(),
            groups: self.groups.iter().map(String::as_str).collect(),
            visibility: self.owner.is_some().then_some(Visibility::Private),
            is_unclear: false,
        })
    }
}

impl Access<'_> {
    /// The rule that allows whom this allows; none if only the author of the workspace may see it. Names with a zero
    /// byte, which a store cannot have, are of no reader.
    pub fn rule(&self) -> Option<AccessRule> {
        let is_private = self.visibility == Some(Visibility::Private);
        if self.is_unclear || is_private && self.owner.is_none() {
            return None;
        }
        let owner = self.owner.filter(|_| is_private).map(str::to_owned);
        if owner
            .as_deref()
            .into_iter()
            .chain(self.groups.iter().copied())
            .any(|it| it.contains('\0'))
        {
            return None;
        }
        let groups: BTreeSet<&str> = self.groups.iter().copied().collect();
        Some(AccessRule { owner, groups: groups.into_iter().map(str::to_owned).collect() })
    }

    /// Whether something of it cannot be read, which hides what it is about.
    pub fn is_unclear(&self) -> bool {
        self.is_unclear
    }

    fn is_internal(&self) -> bool {
        self.visibility == Some(Visibility::Internal)
    }
}

/// Everything that decides whether a document is used.
#[derive(Clone, Debug)]
pub struct View {
    pub date: Date,
    pub principal: Principal,
    /// Whether the user's own overlay is used: not with `--no-user` and not in CI.
    pub user_layer: bool,
    /// `settings.environment`.
    pub environment: Option<String>,
    pub platform: Option<String>,
    /// The configured team, or those of a proven principal.
    pub teams: Vec<String>,
    pub workflow: Option<String>,
    pub role: Option<String>,
    /// Whether the output leaves the organization, so that internal contexts are left out.
    pub leaves: bool,
}

/// Why a document or context is not used.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// `--without`.
    Without,
    /// It cannot be read.
    Invalid,
    /// It is a draft or deprecated.
    Status,
    /// Its last valid day is over.
    Expired,
    /// Its first valid day is in the future.
    NotYetValid,
    /// Its condition does not hold.
    When,
    /// A higher layer overrides it.
    Overridden,
    /// It says `load: never`.
    LoadNever,
    /// Another context replaces it.
    Superseded,
    /// It did not fit.
    OverBudget,
}

impl View {
    /// The teams as one text; none without a team.
    pub fn team(&self) -> Option<String> {
        (!self.teams.is_empty()).then(|| self.teams.join(", "))
    }

    /// As [`Principal::may_see`], and without internal documents if the output leaves the
    /// organization.
    pub fn may_see(&self, fields: &Fields) -> bool {
        self.may_read(&Access::from(fields))
    }

    /// The same for something that has no front matter.
    pub fn may_read(&self, access: &Access<'_>) -> bool {
        !(self.leaves && access.is_internal()) && self.principal.may_read(access)
    }

    /// Whether findings about a document with this front matter may be shown. A document with
    /// unreadable access is hidden from everyone, but the error must be reported.
    pub(crate) fn may_hear_of(&self, fields: &Fields) -> bool {
        fields.access_unclear || self.may_see(fields)
    }

    /// Why status, validity or condition exclude a document with this front matter; `None` if they
    /// do not.
    pub fn leaves_out(&self, fields: &Fields) -> Option<(Why, String)> {
        if let Some(field) = fields.use_unclear {
            return Some((Why::Invalid, format!("`{field}` cannot be read")));
        }
        match fields.status.as_ref().map(|status| status.value) {
            Some(ContextStatus::Draft) => return Some((Why::Status, "status draft".to_owned())),
            Some(ContextStatus::Deprecated) => {
                return Some((Why::Status, "status deprecated".to_owned()));
            }
            Some(ContextStatus::Rejected) => {
                return Some((Why::Status, "status rejected".to_owned()));
            }
            Some(ContextStatus::Approved) | None => {}
        }
        if let Some(to) = fields.valid_to.as_ref().filter(|to| to.value < self.date) {
            return Some((Why::Expired, format!("valid_to {}", to.value)));
        }
        if let Some(from) = fields.valid_from.as_ref().filter(|from| from.value > self.date) {
            return Some((Why::NotYetValid, format!("valid_from {}", from.value)));
        }
        let when = fields.when.as_ref()?;
        if let Some(failed) = when.all.iter().find(|condition| !self.holds(condition)) {
            return Some((Why::When, self.explain(failed)));
        }
        let failed =
            when.none.iter().find(|condition| self.holds(condition) || is_unclear(condition))?;
        Some((Why::When, format!("not {} {}", failed.key.value, failed.values.join(", "))))
    }

    fn values(&self, key: &str) -> &[String] {
        match key {
            "environment" => self.environment.as_slice(),
            "platform" => self.platform.as_slice(),
            "team" => &self.teams,
            "workflow" => self.workflow.as_slice(),
            "role" => self.role.as_slice(),
            _ => &[],
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        let values = self.values(&condition.key.value);
        condition.values.iter().any(|wanted| values.contains(wanted))
    }

    fn explain(&self, condition: &Condition) -> String {
        let key = &condition.key.value;
        if is_unclear(condition) {
            return format!("`{key}` has no valid condition");
        }
        let wanted = condition.values.join(" or ");
        match self.values(key) {
            [] => format!("{key} is not set, wanted {wanted}"),
            values => format!("{key} is {}, not {wanted}", values.join(" and ")),
        }
    }
}

/// Whether a condition cannot be evaluated, because it has no value or an unknown key. It then
/// holds neither as it is nor negated.
fn is_unclear(condition: &Condition) -> bool {
    condition.values.is_empty() || !Condition::KEYS.contains(&&*condition.key.value)
}
