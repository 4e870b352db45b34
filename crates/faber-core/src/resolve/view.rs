//! Decides by principal, date and purpose which documents are used.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folder_access::FolderAccess;
use crate::parse::fields::{Condition, ContextStatus, Fields, Visibility};
pub use crate::parse::{ACCESS_KEYS, mentions_access};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Principal {
    pub user: Option<String>,
    pub groups: BTreeSet<String>,
    is_author: bool,
    is_proven: bool,
}

impl Principal {
    pub fn new(user: Option<String>, groups: BTreeSet<String>) -> Self {
        Self { user, groups, ..Self::default() }
    }

    /// From a verified token; teams are groups.
    pub fn proven(user: Option<String>, groups: BTreeSet<String>) -> Self {
        Self { is_proven: true, ..Self::new(user, groups) }
    }

    /// Reads all files anyway. Never a user of bundles.
    pub fn author() -> Self {
        Self { is_author: true, ..Self::default() }
    }

    pub fn is_proven(&self) -> bool {
        self.is_proven
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (user, groups) = text.split_once(':').unwrap_or((text, ""));
        let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
        let user = Some(user.trim()).filter(|user| !user.is_empty())?;
        Some(Self::new(Some(user.to_owned()), groups.map(str::to_owned).collect()))
    }

    /// If groups are declared, one must be the team.
    pub fn may_be_in(&self, team: &str) -> bool {
        let declares_groups = self.is_proven || !self.groups.is_empty();
        !declares_groups || self.groups.contains(team)
    }

    pub fn may_see(&self, fields: &Fields) -> bool {
        self.may_read(&Access::from(fields))
    }

    /// All access checks end here.
    pub fn may_read(&self, access: &Access<'_>) -> bool {
        if self.is_author {
            return true;
        }
        let private = access.visibility == Some(Visibility::Private);
        let owns = access.owner.is_some() && access.owner == self.user.as_deref();
        let is_member = access.groups.is_empty() || self.is_in(access.groups.iter().copied());
        let folder_groups = access.folder_groups;
        let is_of_folder =
            folder_groups.is_empty() || self.is_in(folder_groups.iter().map(String::as_str));
        is_member && is_of_folder && (!private || owns) && !access.is_unclear
    }

    fn is_in<'g>(&self, mut groups: impl Iterator<Item = &'g str>) -> bool {
        groups.any(|group| self.groups.contains(group))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access<'a> {
    owner: Option<&'a str>,
    groups: Vec<&'a str>,
    folder_groups: &'a [String],
    visibility: Option<Visibility>,
    is_unclear: bool,
}

impl<'a> From<&'a Fields> for Access<'a> {
    fn from(fields: &'a Fields) -> Self {
        let folder = Self::from(&fields.folder);
        Self {
            owner: fields.owner.as_ref().map(|owner| owner.value.as_str()),
            groups: fields.groups.iter().map(|group| group.value.as_str()).collect(),
            visibility: fields.visibility.as_ref().map(|visibility| visibility.value),
            is_unclear: fields.access_unclear || folder.is_unclear,
            ..folder
        }
    }
}

impl<'a> From<&'a FolderAccess> for Access<'a> {
    fn from(folder: &'a FolderAccess) -> Self {
        Self {
            folder_groups: folder.groups(),
            is_unclear: *folder == FolderAccess::Unclear,
            ..Self::default()
        }
    }
}

impl<'a> From<&'a Value> for Access<'a> {
    fn from(object: &'a Value) -> Self {
        let mut access = Self { is_unclear: !object.is_object(), ..Self::default() };
        let keys = object.as_object().into_iter().flat_map(|object| object.keys());
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
            access.visibility = word.as_str().and_then(Visibility::from_name);
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

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AccessRule {
    /// The only user with access, if private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Empty for everyone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

impl AccessRule {
    pub fn is_open(&self) -> bool {
        self.owner.is_none() && self.groups.is_empty()
    }

    pub fn allows(&self, principal: &Principal) -> bool {
        principal.may_read(&Access {
            owner: self.owner.as_deref(),
            groups: self.groups.iter().map(String::as_str).collect(),
            visibility: self.owner.is_some().then_some(Visibility::Private),
            ..Access::default()
        })
    }
}

impl Access<'_> {
    /// `None` if only the author has access, or a name has a zero byte: stores cannot contain one.
    pub fn rule(&self) -> Option<AccessRule> {
        let is_private = self.visibility == Some(Visibility::Private);
        if self.is_unclear || is_private && self.owner.is_none() {
            return None;
        }
        let owner = self.owner.filter(|_| is_private).map(str::to_owned);
        let groups = self.all_groups()?;
        if owner.as_deref().into_iter().chain(groups.iter().copied()).any(|it| it.contains('\0')) {
            return None;
        }
        Some(AccessRule { owner, groups: groups.into_iter().map(str::to_owned).collect() })
    }

    fn all_groups(&self) -> Option<BTreeSet<&str>> {
        let own: BTreeSet<&str> = self.groups.iter().copied().collect();
        let of_folder: BTreeSet<&str> = self.folder_groups.iter().map(String::as_str).collect();
        if own.is_empty() || of_folder.is_empty() {
            return Some(&own | &of_folder);
        }
        Some(&own & &of_folder).filter(|both| !both.is_empty())
    }

    pub fn is_unclear(&self) -> bool {
        self.is_unclear
    }
}

#[derive(Clone, Debug)]
pub struct View {
    pub date: Date,
    pub principal: Principal,
    pub user_layer: bool,
    pub environment: Option<String>,
    pub platform: Option<String>,
    pub teams: Vec<String>,
    pub workflow: Option<String>,
    pub role: Option<String>,
    pub is_external_output: bool,
}

/// Why a document or context is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// `--without`.
    Without,
    /// It cannot be read.
    Invalid,
    /// It is a draft or deprecated.
    Status,
    /// It has expired.
    Expired,
    /// Its first valid day is in the future.
    NotYetValid,
    /// Its condition is not met.
    When,
    /// A higher layer overrides it.
    Overridden,
    /// It says `load: never`.
    LoadNever,
    /// Another context replaces it.
    Superseded,
    /// It did not fit.
    OverBudget,
    /// It has a security error, and nothing requires it.
    Insecure,
}

impl View {
    pub fn team(&self) -> Option<String> {
        (!self.teams.is_empty()).then(|| self.teams.join(", "))
    }

    pub fn may_see(&self, fields: &Fields) -> bool {
        self.may_read(&Access::from(fields))
    }

    pub fn may_read(&self, access: &Access<'_>) -> bool {
        let is_internal = access.visibility == Some(Visibility::Internal);
        !(self.is_external_output && is_internal) && self.principal.may_read(access)
    }

    /// Unreadable access hides a document, but must be reported.
    pub fn may_report(&self, fields: &Fields) -> bool {
        let may_know = fields.access_unclear && self.may_read(&Access::from(&fields.folder));
        may_know || self.may_see(fields)
    }

    pub fn leaves_out(&self, fields: &Fields) -> Option<(Why, String)> {
        if let Some(field) = fields.use_unclear {
            return Some((Why::Invalid, format!("`{field}` cannot be read")));
        }
        let status = fields.status.as_ref().map(|status| status.value);
        if let Some(status) = status.filter(|status| *status != ContextStatus::Approved) {
            return Some((Why::Status, format!("status {}", status.name())));
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
            return format!("invalid condition `{key}`");
        }
        let wanted = condition.values.join(" or ");
        match self.values(key) {
            [] => format!("{key} is not set, expected {wanted}"),
            values => format!("{key} is {}, not {wanted}", values.join(" and ")),
        }
    }
}

fn is_unclear(condition: &Condition) -> bool {
    condition.values.is_empty() || !Condition::KEYS.contains(&&*condition.key.value)
}

#[cfg(test)]
mod tests;
