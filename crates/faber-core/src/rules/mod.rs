//! The registry of rules, one file for each. The doc comment at the head of a file is the documentation
//! of its rule.
//!
//! Every finding is made by a rule of [`RULES`], wherever it is made; see [`Rule::at`]. Checks of
//! `faber validate` are in `faber-lint`.

pub mod allow_without_reason;
pub mod always_over_budget;
pub mod ambiguous_name;
pub mod ambiguous_scalar;
pub mod bad_date;
pub mod bidi_control;
pub mod broad_keyword;
pub mod case_collision;
pub mod category_mismatch;
pub mod condition_never_true;
pub mod config_key_not_allowed;
pub mod contradiction;
pub mod control_character;
pub mod dangling_reference;
pub mod dangling_related;
pub mod dead_anchor;
pub mod dead_context;
pub mod default_platform_not_declared;
pub mod deprecated_base;
pub mod duplicate_context;
pub mod duplicate_key;
pub mod duplicate_role;
pub mod duplicate_test;
pub mod empty_context;
pub mod empty_prompt;
pub mod encoded_blob;
pub mod expired;
pub mod export_conflict;
pub mod export_duplicate;
pub mod export_lost_field;
pub mod export_lost_trigger;
pub mod export_omitted;
pub mod export_private;
pub mod export_truncated;
pub mod export_unmarkable;
pub mod extends_cycle;
pub mod file_prefix;
pub mod flow_task_missing;
pub mod forbidden_file;
pub mod frontmatter_limit;
pub mod frontmatter_not_a_mapping;
pub mod future_date;
pub mod glob_invalid;
pub mod glob_matches_nothing;
pub mod hidden_instruction;
pub mod identical_overlay;
pub mod import_conflict;
pub mod import_duplicate;
pub mod import_inert;
pub mod import_kept;
pub mod import_omitted;
pub mod import_override;
pub mod import_personal;
pub mod import_renamed;
pub mod import_repaired;
pub mod include_cycle;
pub mod include_depth;
pub mod injection_phrase;
pub mod invalid_agent;
pub mod invalid_config;
pub mod invalid_frontmatter;
pub mod invalid_name;
pub mod invalid_role_name;
pub mod invalid_test;
pub mod invisible_character;
pub mod keyword_collision;
pub mod load_without_effect;
pub mod mcp_server_mismatch;
pub mod mcp_server_shape;
pub mod merge_type_clash;
pub mod missing_category;
pub mod missing_description;
pub mod missing_fallback;
pub mod missing_platform_context;
pub mod missing_readme;
pub mod mixed_line_endings;
pub mod mixed_script;
pub mod near_duplicate;
pub mod no_platform;
pub mod not_a_test;
pub mod not_utf8;
pub mod overlay_for_nobody;
pub mod oversized_context;
pub mod oversized_file;
pub mod path_escape;
pub mod platform_name_mismatch;
pub mod reference_case;
pub mod remote_execution;
pub mod required_over_budget;
pub mod role_cycle;
pub mod role_without_task;
pub mod sealed_overridden;
pub mod secret;
pub mod section_too_large;
pub mod section_without_base;
pub mod silent_override;
pub mod special_file;
pub mod stale;
pub mod stale_baseline;
pub mod strategy_without_base;
pub mod summarizer_failed;
pub mod superseded_loop;
pub mod symlink;
pub mod unclosed_fence;
pub mod unclosed_frontmatter;
pub mod undeclared_tool;
pub mod unicode_tag;
pub mod unknown_category;
pub mod unknown_config_key;
pub mod unknown_directive;
pub mod unknown_directory;
pub mod unknown_field;
pub mod unknown_overlay;
pub mod unknown_placeholder;
pub mod unknown_role;
pub mod unknown_role_field;
pub mod unknown_test_key;
pub mod unreachable_keyword;
pub mod unread_rule;
pub mod unreadable;
pub mod unresolved_mcp_server;
pub mod unset_variable;
pub mod unused_allow;
pub mod unused_tool;
pub mod unwritable;
pub mod valid_range_empty;
pub mod variable_not_allowed;
pub mod variation_selector_run;
pub mod wrong_field_type;
pub mod yaml_anchor;
pub mod zero_width;

use crate::rule::{Group, Rule};

/// Every rule, by group and within a group in the order in which they are documented.
pub static RULES: &[&Rule] = &[
    &invalid_frontmatter::RULE,
    &unclosed_frontmatter::RULE,
    &frontmatter_not_a_mapping::RULE,
    &duplicate_key::RULE,
    &unknown_field::RULE,
    &wrong_field_type::RULE,
    &missing_description::RULE,
    &category_mismatch::RULE,
    &missing_category::RULE,
    &unknown_category::RULE,
    &file_prefix::RULE,
    &ambiguous_scalar::RULE,
    &yaml_anchor::RULE,
    &frontmatter_limit::RULE,
    &dangling_reference::RULE,
    &dangling_related::RULE,
    &path_escape::RULE,
    &forbidden_file::RULE,
    &unknown_directive::RULE,
    &reference_case::RULE,
    &include_cycle::RULE,
    &include_depth::RULE,
    &glob_matches_nothing::RULE,
    &ambiguous_name::RULE,
    &dead_anchor::RULE,
    &unknown_placeholder::RULE,
    &role_cycle::RULE,
    &extends_cycle::RULE,
    &invalid_role_name::RULE,
    &empty_prompt::RULE,
    &missing_readme::RULE,
    &role_without_task::RULE,
    &default_platform_not_declared::RULE,
    &unknown_role_field::RULE,
    &bad_date::RULE,
    &flow_task_missing::RULE,
    &invalid_agent::RULE,
    &duplicate_role::RULE,
    &unknown_role::RULE,
    &missing_platform_context::RULE,
    &unresolved_mcp_server::RULE,
    &undeclared_tool::RULE,
    &unused_tool::RULE,
    &missing_fallback::RULE,
    &platform_name_mismatch::RULE,
    &unset_variable::RULE,
    &mcp_server_shape::RULE,
    &mcp_server_mismatch::RULE,
    &no_platform::RULE,
    &duplicate_context::RULE,
    &silent_override::RULE,
    &strategy_without_base::RULE,
    &section_without_base::RULE,
    &merge_type_clash::RULE,
    &identical_overlay::RULE,
    &near_duplicate::RULE,
    &deprecated_base::RULE,
    &superseded_loop::RULE,
    &unknown_directory::RULE,
    &overlay_for_nobody::RULE,
    &config_key_not_allowed::RULE,
    &sealed_overridden::RULE,
    &unknown_overlay::RULE,
    &contradiction::RULE,
    &keyword_collision::RULE,
    &unreachable_keyword::RULE,
    &unread_rule::RULE,
    &broad_keyword::RULE,
    &load_without_effect::RULE,
    &dead_context::RULE,
    &condition_never_true::RULE,
    &glob_invalid::RULE,
    &oversized_context::RULE,
    &required_over_budget::RULE,
    &always_over_budget::RULE,
    &section_too_large::RULE,
    &empty_context::RULE,
    &stale::RULE,
    &future_date::RULE,
    &expired::RULE,
    &valid_range_empty::RULE,
    &bidi_control::RULE,
    &zero_width::RULE,
    &unicode_tag::RULE,
    &variation_selector_run::RULE,
    &invalid_name::RULE,
    &invisible_character::RULE,
    &control_character::RULE,
    &mixed_script::RULE,
    &secret::RULE,
    &injection_phrase::RULE,
    &hidden_instruction::RULE,
    &remote_execution::RULE,
    &encoded_blob::RULE,
    &not_utf8::RULE,
    &mixed_line_endings::RULE,
    &oversized_file::RULE,
    &special_file::RULE,
    &symlink::RULE,
    &case_collision::RULE,
    &unclosed_fence::RULE,
    &unreadable::RULE,
    &invalid_config::RULE,
    &unknown_config_key::RULE,
    &variable_not_allowed::RULE,
    &summarizer_failed::RULE,
    &unused_allow::RULE,
    &allow_without_reason::RULE,
    &stale_baseline::RULE,
    &import_conflict::RULE,
    &import_duplicate::RULE,
    &import_inert::RULE,
    &import_kept::RULE,
    &import_omitted::RULE,
    &import_override::RULE,
    &import_personal::RULE,
    &import_renamed::RULE,
    &import_repaired::RULE,
    &export_conflict::RULE,
    &export_duplicate::RULE,
    &export_lost_field::RULE,
    &export_lost_trigger::RULE,
    &export_omitted::RULE,
    &export_private::RULE,
    &export_truncated::RULE,
    &export_unmarkable::RULE,
    &unwritable::RULE,
    &invalid_test::RULE,
    &unknown_test_key::RULE,
    &duplicate_test::RULE,
    &not_a_test::RULE,
];

/// The rule of this name.
pub fn find(code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code == code)
}

/// The rules of `faber validate`; those of imports, exports and tests cannot be configured.
pub fn of_validate() -> impl Iterator<Item = &'static Rule> {
    let others = [Group::Exchange, Group::Tests];
    RULES.iter().copied().filter(move |rule| !others.contains(&rule.group))
}

/// The rules of a group.
pub fn of_group(group: Group) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().copied().filter(move |rule| rule.group == group)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_groups_stay_together() {
        let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(names.len(), RULES.len());
        let summaries: BTreeSet<&str> = RULES.iter().map(|rule| rule.summary).collect();
        assert_eq!(summaries.len(), RULES.len());
        assert!(RULES.is_sorted_by_key(|rule| rule.group));
    }

    #[test]
    fn every_rule_is_documented_the_same_way() {
        for rule in RULES {
            let text = rule.documentation();
            let parts = ["## What it finds", "## Why it matters", "## Example", "## How to fix it"];
            let at: Vec<_> = parts.iter().map(|part| text.find(part)).collect();
            assert!(at[0] == Some(0) && at.is_sorted() && at.iter().all(Option::is_some), "{text}");
            assert!(text.matches("```").count() >= 4, "{}: two examples", rule.code);
            assert!(rule.source.contains(&format!("\"{}\"", rule.code)), "{}", rule.code);
            assert!(!rule.summary.ends_with('.'), "{}", rule.code);
        }
    }
}
