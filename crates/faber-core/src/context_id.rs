//! Identities of contexts.

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::category::Category;

/// `category/name`, or `@role:NAME/category/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId {
    pub category: Category,
    pub name: Arc<str>,
    /// `None` for roles of the run.
    pub role: Option<Arc<str>>,
}

impl std::fmt::Display for ContextId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(role) = &self.role {
            write!(f, "@role:{role}/")?;
        }
        write!(f, "{}/{}", self.category, self.name)
    }
}

impl ContextId {
    /// Archives of macOS have decomposed names.
    pub fn new(category: Category, name: impl Into<Arc<str>>) -> Self {
        let name: Arc<str> = name.into();
        let name = if name.is_ascii() { name } else { name.nfc().collect::<String>().into() };
        Self { category, name, role: None }
    }

    pub fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("@role:") {
            let (role, id) = rest.split_once('/')?;
            return Some(Self { role: Some(role.into()), ..Self::parse(id)? });
        }
        let (category, name) = text.split_once('/')?;
        let category = Category::from_name(category)?;
        (!name.is_empty()).then(|| Self::new(category, name))
    }
}

impl serde::Serialize for ContextId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
