//! The small vocabulary of directives.

use crate::parse::prose::{Token, TokenKind};

/// Whether `token` is the word that asks to load something.
pub(crate) fn is_load(token: &Token<'_>) -> bool {
    token.is_any(&["load", "loads", "loading"])
}

/// Whether `token` may stand between "Load" and what is to be loaded without changing it.
pub(crate) fn is_filler(token: &Token<'_>) -> bool {
    token.is_any(&[
        "all",
        "always",
        "also",
        "and",
        "any",
        "base",
        "company",
        "context",
        "contexts",
        "default",
        "each",
        "file",
        "files",
        "first",
        "from",
        "guide",
        "it",
        "its",
        "organization",
        "overlay",
        "overlays",
        "pattern",
        "patterns",
        "platform",
        "playbook",
        "reference",
        "references",
        "role",
        "specialist",
        "specialists",
        "standard",
        "standards",
        "team",
        "the",
        "then",
        "troubleshooting",
        "use",
        "user",
    ]) || is_load(token)
}

/// Whether `token` may follow what is to be loaded without changing it.
pub(super) fn is_tail(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Mark
        || token.is_any(&[
            "always",
            "available",
            "context",
            "contexts",
            "exist",
            "exists",
            "first",
            "if",
            "it",
            "optional",
            "overlay",
            "present",
            "required",
            "they",
        ])
}

/// Whether `token` opens a condition.
pub(super) fn is_condition(token: &Token<'_>) -> bool {
    token.is_any(&[
        "after", "before", "during", "for", "if", "on", "once", "unless", "until", "upon", "when",
        "whenever", "while",
    ])
}

/// Whether `token` says that something is not so; a rule cannot carry that out.
pub(super) fn is_negation(token: &Token<'_>) -> bool {
    token.is_any(&["don't", "don’t", "except", "never", "no", "not", "only", "unless", "without"])
}

/// Whether `token` is an article or the like.
pub(super) fn is_article(token: &Token<'_>) -> bool {
    token.is_any(&["a", "an", "any", "the"])
}

/// Whether `token` is a verb that may follow the name of an error.
pub(super) fn is_occurrence(token: &Token<'_>) -> bool {
    token.is_any(&[
        "appear", "appears", "are", "happen", "happens", "is", "occur", "occurred", "occurs",
        "raised", "reported", "returned", "thrown",
    ])
}

/// Whether `term` is about an error.
pub(super) fn names_error(term: &str) -> bool {
    let term = term.to_lowercase();
    ["error", "exception", "failure", "failed"].iter().any(|word| term.contains(word))
}
