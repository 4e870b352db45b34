//! Titles in a loading sequence.

use super::{
    is_condition, is_filler, is_head, is_negation, is_opening, is_purpose, is_routine, is_verb,
};
use crate::parse::prose::Token;
use crate::word_list::words;

vocabulary! {
    is_title:
        "additionally, baseline, basics, bootstrap, common, conventions, core, defaults",
        "environment, essentials, everything, finally, foundation, general, global, globally",
        "guidelines, here, immer, initialization, initially, knowledge, loading, onboarding",
        "optional, otherwise, overview, policies, preparation, prerequisites, procedures, project",
        "repository, rules, setup, shared, siempre, sonst, start, startup, steps, style, toujours",
        "workflow"
            | is_head | is_filler | is_opening | is_verb | is_condition | is_negation | is_purpose
            | is_routine;
}
