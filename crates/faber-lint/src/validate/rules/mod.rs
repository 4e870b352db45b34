pub(crate) mod always_over_budget;
pub(crate) mod ambiguous_name;
pub(crate) mod ambiguous_scalar;
pub(crate) mod broad_keyword;
pub(crate) mod case_collision;
pub(crate) mod condition_never_true;
pub(crate) mod contradiction;
pub(crate) mod dangling_reference;
pub(crate) mod dangling_related;
pub(crate) mod dead_anchor;
pub(crate) mod dead_context;
pub(crate) mod default_platform_not_declared;
pub(crate) mod deprecated_base;
pub(crate) mod empty_context;
pub(crate) mod expired;
pub(crate) mod file_prefix;
pub(crate) mod flow_task_missing;
pub(crate) mod future_date;
pub(crate) mod glob_matches_nothing;
pub(crate) mod identical_overlay;
pub(crate) mod invalid_message;
pub(crate) mod invalid_role_name;
pub(crate) mod keyword_collision;
pub(crate) mod mcp_server_mismatch;
pub(crate) mod merge_conflict;
pub(crate) mod misplaced_frontmatter;
pub(crate) mod missing_description;
pub(crate) mod missing_fallback;
pub(crate) mod missing_platform_context;
pub(crate) mod missing_readme;
pub(crate) mod mixed_line_endings;
pub(crate) mod near_duplicate;
pub(crate) mod no_evidence;
pub(crate) mod overlay_for_nobody;
pub(crate) mod oversized_context;
pub(crate) mod platform_name_mismatch;
pub(crate) mod reference_case;
pub(crate) mod required_over_budget;
pub(crate) mod role_without_task;
pub(crate) mod section_too_large;
pub(crate) mod silent_override;
pub(crate) mod stale;
pub(crate) mod template_text;
pub(crate) mod unclosed_fence;
pub(crate) mod undeclared_tool;
pub(crate) mod unknown_directive;
pub(crate) mod unknown_placeholder;
pub(crate) mod unmarked_status;
pub(crate) mod unreachable_keyword;
pub(crate) mod unresolved_mcp_server;
pub(crate) mod unused_tool;
pub(crate) mod valid_range_empty;

use crate::validate::check::Check;
use crate::validate::rot;

pub(crate) const CHECKS: &[Check] = &[
    Check::File(misplaced_frontmatter::check),
    Check::Document(missing_description::check),
    Check::Workspace(file_prefix::check),
    Check::File(ambiguous_scalar::check),
    Check::View(dangling_reference::check),
    Check::View(dangling_related::check),
    Check::File(unknown_directive::check),
    Check::Workspace(glob_matches_nothing::check),
    Check::View(ambiguous_name::check),
    Check::Workspace(dead_anchor::check),
    Check::File(unknown_placeholder::check),
    Check::Role(invalid_role_name::check),
    Check::Role(missing_readme::check),
    Check::Role(role_without_task::check),
    Check::Role(default_platform_not_declared::check),
    Check::Workspace(flow_task_missing::check),
    Check::Workspace(missing_platform_context::check),
    Check::View(unresolved_mcp_server::check),
    Check::View(undeclared_tool::check),
    Check::Workspace(unused_tool::check),
    Check::View(missing_fallback::check),
    Check::Workspace(platform_name_mismatch::check),
    Check::View(mcp_server_mismatch::check),
    Check::View(silent_override::check),
    Check::View(identical_overlay::check),
    Check::Workspace(near_duplicate::check),
    Check::View(deprecated_base::check),
    Check::Workspace(overlay_for_nobody::check),
    Check::View(contradiction::check),
    Check::View(keyword_collision::check),
    Check::View(unreachable_keyword::check),
    Check::View(broad_keyword::check),
    Check::Workspace(dead_context::check),
    Check::Workspace(condition_never_true::check),
    Check::View(oversized_context::check),
    Check::View(required_over_budget::check),
    Check::View(always_over_budget::check),
    Check::Document(section_too_large::check),
    Check::Document(empty_context::check),
    Check::Workspace(rot::check),
    Check::Workspace(no_evidence::check),
    Check::File(stale::check),
    Check::File(future_date::check),
    Check::Document(expired::check),
    Check::Document(valid_range_empty::check),
    Check::View(unmarked_status::check),
    Check::File(merge_conflict::check),
    Check::File(mixed_line_endings::check),
    Check::File(invalid_message::check),
    Check::Workspace(case_collision::check),
    Check::File(unclosed_fence::check),
    Check::File(template_text::check),
];
