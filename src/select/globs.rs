//! Which contexts the files at hand select.

use globset::{GlobBuilder, GlobMatcher};

use crate::diagnostic::Diagnostic;
use crate::source::Spanned;

/// Whether a glob matches everything, which means that its context always loads.
pub fn matches_everything(glob: &str) -> bool {
    matches!(glob.trim(), "**" | "**/*")
}

/// A glob in the sense of editor rules: `*` stays within a folder, `**` does not, and a glob
/// without a slash matches the file name in any folder.
///
/// # Errors
///
/// The finding `glob-invalid` at the glob.
pub fn compile(glob: &Spanned<String>) -> Result<GlobMatcher, Box<Diagnostic>> {
    let text = glob.value.trim().trim_start_matches("./").trim_start_matches('/');
    let text = if text.contains('/') { text.to_owned() } else { format!("**/{text}") };
    // A folder means everything below it.
    let text = if text.ends_with('/') { format!("{text}**") } else { text };
    GlobBuilder::new(&text)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| {
            let message = format!("`{}` is no glob: {}", glob.value, error.kind());
            Box::new(Diagnostic::error("glob-invalid", glob.span, message))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceMap, Span};

    fn matches(glob: &str, path: &str) -> bool {
        let file = SourceMap::default().add("a.md".into(), String::new());
        let glob = Spanned { value: glob.to_owned(), span: Span::start_of(file) };
        compile(&glob).is_ok_and(|glob| glob.is_match(path))
    }

    #[test]
    fn globs_mean_what_they_mean_in_editor_rules() {
        assert!(matches("src/**/*.ts", "src/app/main.ts") && matches("src/**/*.ts", "src/main.ts"));
        assert!(!matches("src/**/*.ts", "lib/app/main.ts"));
        assert!(matches("*.py", "deep/down/x.py") && !matches("src/*.py", "src/deep/x.py"));
        assert!(matches("**/*.{ts,tsx}", "a/b.tsx") && matches("/docs/", "docs/a/b.md"));
        assert!(!matches("[", "["), "an invalid glob matches nothing");
    }
}
