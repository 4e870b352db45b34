//! Titles in a loading sequence.

use super::{
    is_condition, is_filler, is_head, is_negation, is_opening, is_purpose, is_routine, is_verb,
};
use crate::parse::prose::Token;
use crate::word_list::words;

pub(in crate::parse::rules) fn is_title(token: &Token<'_>) -> bool {
    const TITLES: &[&str] = words!(
        "additionally, baseline, basics, bootstrap, common, conventions, core, defaults",
        "environment, essentials, everything, finally, foundation, general, global, globally",
        "guidelines, here, immer, initialization, initially, knowledge, loading, onboarding",
        "optional, otherwise, overview, policies, preparation, prerequisites, procedures, project",
        "repository, rules, setup, shared, siempre, sonst, start, startup, steps, style, toujours",
        "workflow",
    );
    token.is_any(TITLES)
        || is_head(token)
        || is_filler(token)
        || is_opening(token)
        || is_verb(token)
        || is_condition(token)
        || is_negation(token)
        || is_purpose(token)
        || is_routine(token)
}
