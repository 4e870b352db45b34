//! The rules, in one table.

use crate::validate::check::Check;
use crate::validate::rules::{
    allow_without_reason, always_over_budget, ambiguous_name, ambiguous_scalar, bad_date,
    broad_keyword, case_collision, category_mismatch, condition_never_true, config_key_not_allowed,
    contradiction, dangling_reference, dangling_related, dead_anchor, dead_context,
    default_platform_not_declared, deprecated_base, duplicate_context, duplicate_key,
    duplicate_role, empty_context, empty_prompt, expired, extends_cycle, file_prefix,
    flow_task_missing, forbidden_file, frontmatter_limit, frontmatter_not_a_mapping, future_date,
    glob_invalid, glob_matches_nothing, identical_overlay, include_cycle, include_depth,
    invalid_agent, invalid_config, invalid_frontmatter, invalid_role_name, keyword_collision,
    load_without_effect, mcp_server_mismatch, mcp_server_shape, merge_type_clash, missing_category,
    missing_description, missing_fallback, missing_platform_context, missing_readme,
    mixed_line_endings, near_duplicate, no_platform, not_utf8, overlay_for_nobody,
    oversized_context, oversized_file, path_escape, platform_name_mismatch, reference_case,
    required_over_budget, role_cycle, role_without_task, sealed_overridden, section_too_large,
    section_without_base, silent_override, special_file, stale, stale_baseline,
    strategy_without_base, summarizer_failed, superseded_loop, symlink, unclosed_fence,
    unclosed_frontmatter, undeclared_tool, unknown_category, unknown_config_key, unknown_directive,
    unknown_directory, unknown_field, unknown_overlay, unknown_placeholder, unknown_role,
    unknown_role_field, unreachable_keyword, unread_rule, unreadable, unresolved_mcp_server,
    unset_variable, unused_allow, unused_tool, valid_range_empty, wrong_field_type, yaml_anchor,
};
use faber_core::rule::Rule;
use faber_core::security::rules::{
    bidi_control, control_character, encoded_blob, hidden_instruction, injection_phrase,
    invisible_character, mixed_script, remote_execution, secret, unicode_tag,
    variation_selector_run, zero_width,
};

/// One row of [`RULES`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The rule.
    pub rule: Rule,
    /// How its findings come about.
    pub check: Check,
}

const fn row(rule: Rule, check: Check) -> Row {
    Row { rule, check }
}

/// Every rule, by group and within a group in the order in which they are documented.
pub const RULES: &[Row] = &[
    row(invalid_frontmatter::RULE, Check::Noticed),
    row(unclosed_frontmatter::RULE, Check::Noticed),
    row(frontmatter_not_a_mapping::RULE, Check::Noticed),
    row(duplicate_key::RULE, Check::Noticed),
    row(unknown_field::RULE, Check::Noticed),
    row(wrong_field_type::RULE, Check::Noticed),
    row(missing_description::RULE, Check::Document(missing_description::check)),
    row(category_mismatch::RULE, Check::Noticed),
    row(missing_category::RULE, Check::Noticed),
    row(unknown_category::RULE, Check::Noticed),
    row(file_prefix::RULE, Check::Workspace(file_prefix::check)),
    row(ambiguous_scalar::RULE, Check::File(ambiguous_scalar::check)),
    row(yaml_anchor::RULE, Check::Noticed),
    row(frontmatter_limit::RULE, Check::Noticed),
    row(dangling_reference::RULE, Check::View(dangling_reference::check)),
    row(dangling_related::RULE, Check::View(dangling_related::check)),
    row(path_escape::RULE, Check::Noticed),
    row(forbidden_file::RULE, Check::Noticed),
    row(unknown_directive::RULE, Check::File(unknown_directive::check)),
    row(reference_case::RULE, Check::Noticed),
    row(include_cycle::RULE, Check::Noticed),
    row(include_depth::RULE, Check::Noticed),
    row(glob_matches_nothing::RULE, Check::Workspace(glob_matches_nothing::check)),
    row(ambiguous_name::RULE, Check::View(ambiguous_name::check)),
    row(dead_anchor::RULE, Check::Workspace(dead_anchor::check)),
    row(unknown_placeholder::RULE, Check::File(unknown_placeholder::check)),
    row(role_cycle::RULE, Check::Noticed),
    row(extends_cycle::RULE, Check::Noticed),
    row(invalid_role_name::RULE, Check::Noticed),
    row(empty_prompt::RULE, Check::Role(empty_prompt::check)),
    row(missing_readme::RULE, Check::Role(missing_readme::check)),
    row(role_without_task::RULE, Check::Role(role_without_task::check)),
    row(default_platform_not_declared::RULE, Check::Role(default_platform_not_declared::check)),
    row(unknown_role_field::RULE, Check::Noticed),
    row(bad_date::RULE, Check::Noticed),
    row(flow_task_missing::RULE, Check::Workspace(flow_task_missing::check)),
    row(invalid_agent::RULE, Check::Noticed),
    row(duplicate_role::RULE, Check::Noticed),
    row(unknown_role::RULE, Check::Noticed),
    row(missing_platform_context::RULE, Check::Workspace(missing_platform_context::check)),
    row(unresolved_mcp_server::RULE, Check::View(unresolved_mcp_server::check)),
    row(undeclared_tool::RULE, Check::View(undeclared_tool::check)),
    row(unused_tool::RULE, Check::Workspace(unused_tool::check)),
    row(missing_fallback::RULE, Check::View(missing_fallback::check)),
    row(platform_name_mismatch::RULE, Check::Workspace(platform_name_mismatch::check)),
    row(unset_variable::RULE, Check::Noticed),
    row(mcp_server_shape::RULE, Check::Noticed),
    row(mcp_server_mismatch::RULE, Check::View(mcp_server_mismatch::check)),
    row(no_platform::RULE, Check::Noticed),
    row(duplicate_context::RULE, Check::Noticed),
    row(silent_override::RULE, Check::View(silent_override::check)),
    row(strategy_without_base::RULE, Check::Noticed),
    row(section_without_base::RULE, Check::Noticed),
    row(merge_type_clash::RULE, Check::Noticed),
    row(identical_overlay::RULE, Check::View(identical_overlay::check)),
    row(near_duplicate::RULE, Check::Workspace(near_duplicate::check)),
    row(deprecated_base::RULE, Check::View(deprecated_base::check)),
    row(superseded_loop::RULE, Check::Noticed),
    row(unknown_directory::RULE, Check::Noticed),
    row(overlay_for_nobody::RULE, Check::Workspace(overlay_for_nobody::check)),
    row(config_key_not_allowed::RULE, Check::Noticed),
    row(sealed_overridden::RULE, Check::Noticed),
    row(unknown_overlay::RULE, Check::Noticed),
    row(contradiction::RULE, Check::View(contradiction::check)),
    row(keyword_collision::RULE, Check::View(keyword_collision::check)),
    row(unreachable_keyword::RULE, Check::View(unreachable_keyword::check)),
    row(unread_rule::RULE, Check::Noticed),
    row(broad_keyword::RULE, Check::View(broad_keyword::check)),
    row(load_without_effect::RULE, Check::Noticed),
    row(dead_context::RULE, Check::Workspace(dead_context::check)),
    row(condition_never_true::RULE, Check::Workspace(condition_never_true::check)),
    row(glob_invalid::RULE, Check::Noticed),
    row(oversized_context::RULE, Check::View(oversized_context::check)),
    row(required_over_budget::RULE, Check::View(required_over_budget::check)),
    row(always_over_budget::RULE, Check::View(always_over_budget::check)),
    row(section_too_large::RULE, Check::Document(section_too_large::check)),
    row(empty_context::RULE, Check::Document(empty_context::check)),
    row(stale::RULE, Check::File(stale::check)),
    row(future_date::RULE, Check::File(future_date::check)),
    row(expired::RULE, Check::Document(expired::check)),
    row(valid_range_empty::RULE, Check::Document(valid_range_empty::check)),
    row(bidi_control::RULE, Check::Noticed),
    row(zero_width::RULE, Check::Noticed),
    row(unicode_tag::RULE, Check::Noticed),
    row(variation_selector_run::RULE, Check::Noticed),
    row(invisible_character::RULE, Check::Noticed),
    row(control_character::RULE, Check::Noticed),
    row(mixed_script::RULE, Check::Noticed),
    row(secret::RULE, Check::Noticed),
    row(injection_phrase::RULE, Check::Noticed),
    row(hidden_instruction::RULE, Check::Noticed),
    row(remote_execution::RULE, Check::Noticed),
    row(encoded_blob::RULE, Check::Noticed),
    row(not_utf8::RULE, Check::Noticed),
    row(mixed_line_endings::RULE, Check::File(mixed_line_endings::check)),
    row(oversized_file::RULE, Check::Noticed),
    row(special_file::RULE, Check::Noticed),
    row(symlink::RULE, Check::Noticed),
    row(case_collision::RULE, Check::Workspace(case_collision::check)),
    row(unclosed_fence::RULE, Check::File(unclosed_fence::check)),
    row(unreadable::RULE, Check::Noticed),
    row(invalid_config::RULE, Check::Noticed),
    row(unknown_config_key::RULE, Check::Noticed),
    row(summarizer_failed::RULE, Check::Noticed),
    row(unused_allow::RULE, Check::Noticed),
    row(allow_without_reason::RULE, Check::Noticed),
    row(stale_baseline::RULE, Check::Noticed),
];

/// The rule of this name.
pub fn find(code: &str) -> Option<&'static Rule> {
    RULES.iter().map(|row| &row.rule).find(|rule| rule.code == code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_groups_stand_together() {
        let names: BTreeSet<&str> = RULES.iter().map(|row| row.rule.code).collect();
        assert_eq!(names.len(), RULES.len());
        assert!(RULES.is_sorted_by_key(|row| row.rule.group));
    }

    #[test]
    fn every_rule_is_documented_the_same_way() {
        for Row { rule, .. } in RULES {
            let text = rule.documentation();
            let parts = ["## What it finds", "## Why it matters", "## Example", "## How to fix it"];
            let at: Vec<_> = parts.iter().map(|part| text.find(part)).collect();
            assert!(at[0] == Some(0) && at.is_sorted() && at.iter().all(Option::is_some), "{text}");
            assert!(text.matches("```").count() >= 4, "{}: two examples", rule.code);
            assert!(rule.source.contains(&format!("code: \"{}\"", rule.code)), "{}", rule.code);
            assert!(!rule.summary.ends_with('.'), "{}", rule.code);
        }
    }
}
