use crate::error::StoreError;
use faber_tools::search::found::preview;

const MAX_PART_CHARS: usize = 100;

/// `ORGANIZATION/NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpaceName(String);

impl SpaceName {
    /// # Errors
    ///
    /// [`StoreError::Usage`] if the name is invalid.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        let is_part = |part: &str| {
            let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            let has_name =
                part.contains(char::is_alphanumeric) && part.chars().nth(MAX_PART_CHARS).is_none();
            has_name && part.chars().all(is_allowed)
        };
        if text.split_once('/').is_some_and(|(before, after)| is_part(before) && is_part(after)) {
            return Ok(Self(text.to_owned()));
        }
        let shown = preview(&text.escape_debug().to_string(), MAX_PART_CHARS);
        Err(StoreError::usage(
            format!("invalid space `{shown}`"),
            "write it as `ORGANIZATION/NAME`, each with letters or digits, `-`, `_` and `.`, at most 100 characters",
        ))
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
        let long = format!("acme/{}", "a".repeat(MAX_PART_CHARS + 1));
        for text in ["acme", "acme/", "/orbit", "a/b/c", "a b/c", "a/b\n", "", "a/..", "-/b", &long]
        {
            let error = SpaceName::parse(text).unwrap_err().to_string();
            assert!(error.chars().count() < 150, "{error}");
        }
    }
}
