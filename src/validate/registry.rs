//! The rules, in one table.

use crate::validate::check::Check;
use crate::validate::rule::Rule;
use crate::validate::rules::{
    allow_without_reason, ambiguous_scalar, bad_date, bidi_control, category_mismatch,
    config_key_not_allowed, control_character, dangling_reference, dangling_related, dead_anchor,
    duplicate_context, duplicate_key, duplicate_role, empty_context, encoded_blob, extends_cycle,
    file_prefix, frontmatter_limit, frontmatter_not_a_mapping, future_date, glob_invalid,
    hidden_instruction, include_cycle, include_depth, injection_phrase, invalid_agent,
    invalid_config, invalid_frontmatter, invalid_role_name, invisible_character, mcp_server_shape,
    missing_category, missing_description, missing_platform_context, missing_readme,
    mixed_line_endings, mixed_script, no_platform, not_utf8, oversized_file, path_escape,
    remote_execution, role_cycle, role_without_task, sealed_overridden, secret,
    section_without_base, special_file, stale, stale_baseline, strategy_without_base,
    summarizer_failed, superseded_loop, symlink, unclosed_fence, unclosed_frontmatter, unicode_tag,
    unknown_category, unknown_config_key, unknown_directory, unknown_field, unknown_overlay,
    unknown_role_field, unreachable_keyword, unreadable, unresolved_mcp_server, unset_variable,
    unused_allow, variation_selector_run, wrong_field_type, yaml_anchor, zero_width,
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
    row(include_cycle::RULE, Check::Noticed),
    row(include_depth::RULE, Check::Noticed),
    row(dead_anchor::RULE, Check::Workspace(dead_anchor::check)),
    row(role_cycle::RULE, Check::Noticed),
    row(extends_cycle::RULE, Check::Noticed),
    row(invalid_role_name::RULE, Check::Noticed),
    row(missing_readme::RULE, Check::Role(missing_readme::check)),
    row(role_without_task::RULE, Check::Role(role_without_task::check)),
    row(unknown_role_field::RULE, Check::Noticed),
    row(bad_date::RULE, Check::Noticed),
    row(invalid_agent::RULE, Check::Noticed),
    row(duplicate_role::RULE, Check::Noticed),
    row(missing_platform_context::RULE, Check::Workspace(missing_platform_context::check)),
    row(unresolved_mcp_server::RULE, Check::View(unresolved_mcp_server::check)),
    row(unset_variable::RULE, Check::Noticed),
    row(mcp_server_shape::RULE, Check::Noticed),
    row(no_platform::RULE, Check::Noticed),
    row(duplicate_context::RULE, Check::Noticed),
    row(strategy_without_base::RULE, Check::Noticed),
    row(section_without_base::RULE, Check::Noticed),
    row(superseded_loop::RULE, Check::Noticed),
    row(unknown_directory::RULE, Check::Noticed),
    row(config_key_not_allowed::RULE, Check::Noticed),
    row(sealed_overridden::RULE, Check::Noticed),
    row(unknown_overlay::RULE, Check::Noticed),
    row(unreachable_keyword::RULE, Check::Noticed),
    row(glob_invalid::RULE, Check::Noticed),
    row(empty_context::RULE, Check::Document(empty_context::check)),
    row(stale::RULE, Check::File(stale::check)),
    row(future_date::RULE, Check::File(future_date::check)),
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
            let parts =
                ["## What it finds", "## Why it matters", "## Example", "## How to mend it"];
            let at: Vec<_> = parts.iter().map(|part| text.find(part)).collect();
            assert!(at[0] == Some(0) && at.is_sorted() && at.iter().all(Option::is_some), "{text}");
            assert!(text.matches("```").count() >= 4, "{}: two examples", rule.code);
            assert!(rule.source.contains(&format!("code: \"{}\"", rule.code)), "{}", rule.code);
            assert!(!rule.summary.ends_with('.'), "{}", rule.code);
        }
    }
}
