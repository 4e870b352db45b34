//! Names of spaces.

use crate::error::StoreError;

/// The name of a space: `ORGANIZATION/NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpaceName(String);

impl SpaceName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Usage`] for another form.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        let is_part = |part: &str| {
            let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            !part.is_empty() && part.chars().all(is_allowed)
        };
        match text.split_once('/') {
            Some((organization, name)) if is_part(organization) && is_part(name) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(StoreError::usage(
                format!("invalid space `{}`", text.escape_debug()),
                "write it as `ORGANIZATION/NAME`, of letters, digits, `-`, `_` and `.`",
            )),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for SpaceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_of_an_organization() {
        assert_eq!(SpaceName::parse("acme/orbit.1").unwrap().as_str(), "acme/orbit.1");
        for text in ["acme", "acme/", "/orbit", "a/b/c", "a b/c", "a/b\n", ""] {
            assert!(SpaceName::parse(text).is_err(), "{text}");
        }
    }
}
