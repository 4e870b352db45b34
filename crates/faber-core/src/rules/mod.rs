//! The registry of rules, each documented in a file of its name.

use crate::rule::{Group, Rule};

/// A module with a `RULE` for each row, and the list of all.
macro_rules! rules {
    ($($group:ident {
        $($severity:ident $name:ident $code:literal $summary:literal $(fix $fix:ident)? $(except $exception:ident)?;)*
    })*) => {
        $($(pub mod $name {
            use crate::rule::{Group, Rule};

            pub static RULE: Rule = Rule::$severity(
                $code,
                Group::$group,
                $summary,
                include_str!(concat!(stringify!($name), ".md")),
            )
            $(.fix(crate::rule::Fix::$fix))?
            $(.except(crate::diagnostic::Severity::$exception))?;
        })*)*

        pub static RULES: &[&Rule] = &[$($(&$name::RULE),*),*];
    };
}

rules! {
    FrontMatter {
        error invalid_frontmatter "invalid-frontmatter" "front matter that is not YAML" fix Safe;
        error unclosed_frontmatter "unclosed-frontmatter"
            "front matter without a closing fence" fix Unsafe;
        error misplaced_frontmatter "misplaced-frontmatter"
            "front matter that does not begin in the first line";
        error frontmatter_not_a_mapping "frontmatter-not-a-mapping"
            "front matter that is not a mapping";
        error duplicate_key "duplicate-key" "a duplicate key in a map";
        hint unknown_field "unknown-field" "an unknown field" fix Unsafe except Warning;
        error wrong_field_type "wrong-field-type" "a field whose value has the wrong type" fix Safe;
        warning missing_description "missing-description"
            "a context without a description for the catalog";
        error category_mismatch "category-mismatch"
            "a `category` that differs from the folder" fix Safe;
        error missing_category "missing-category" "a context without a category";
        error unknown_category "unknown-category" "an unknown `category`" except Warning;
        hint file_prefix "file-prefix"
            "a file name without its prefix, or with that of another category";
        warning ambiguous_scalar "ambiguous-scalar"
            "a value that YAML readers read differently" fix Safe;
        error yaml_anchor "yaml-anchor" "an anchor or alias";
        error frontmatter_limit "frontmatter-limit"
            "front matter that is too long, too deep, or several documents";
    }
    References {
        error dangling_reference "dangling-reference"
            "a reference to something that does not exist" except Warning;
        warning dangling_related "dangling-related" "an unknown context in `related` or `superseded_by`";
        error path_escape "path-escape" "a reference that leads out of the workspace";
        error forbidden_file "forbidden-file" "a reference to a private, ignored or binary file";
        error unknown_directive "unknown-directive" "a comment that looks like a directive";
        error reference_case "reference-case"
            "a reference in the wrong case" fix Safe except Warning;
        error include_cycle "include-cycle" "a cycle of includes";
        error include_depth "include-depth" "includes that are nested too deeply or too many";
        warning glob_matches_nothing "glob-matches-nothing"
            "a glob in a prompt, task, flow or front matter that matches no file" except Hint;
        error ambiguous_name "ambiguous-name" "an ambiguous file name";
        warning dead_anchor "dead-anchor" "a link to a heading that does not exist";
        warning unknown_placeholder "unknown-placeholder"
            "a placeholder that is not filled in" except Hint;
        error role_cycle "role-cycle" "a cycle of roles that extend each other";
        error extends_cycle "extends-cycle" "a cycle of contexts that extend each other";
    }
    Role {
        error invalid_role_name "invalid-role-name"
            "a role name that is invalid, missing or not that of the folder" except Warning;
        error empty_prompt "empty-prompt" "a prompt without content";
        hint missing_readme "missing-readme" "a role without a README.md";
        hint role_without_task "role-without-task" "a role without any task";
        error default_platform_not_declared "default-platform-not-declared"
            "a default platform that the role does not declare";
        hint unknown_role_field "unknown-role-field"
            "an unknown key of `agent.yml`" fix Unsafe except Warning;
        error bad_date "bad-date" "an invalid date";
        error flow_task_missing "flow-task-missing" "a step of a flow whose task does not exist";
        error invalid_agent "invalid-agent" "an `agent.yml` that cannot be read";
        warning duplicate_role "duplicate-role" "a role that is defined in two places";
    }
    Platforms {
        warning unknown_role "unknown-role"
            "a default role or a platform for a role that does not exist" except Error;
        error missing_platform_context "missing-platform-context"
            "a declared platform that no context describes";
        error unresolved_mcp_server "unresolved-mcp-server"
            "an MCP server that is not configured, without a fallback" except Warning;
        warning undeclared_tool "undeclared-tool" "a tool that is used but not required";
        hint unused_tool "unused-tool" "a required tool that nothing uses";
        warning missing_fallback "missing-fallback"
            "an MCP server without a fallback";
        error platform_name_mismatch "platform-name-mismatch"
            "a platform with two names";
        warning unset_variable "unset-variable" "an environment variable that is not set" except Hint;
        error mcp_server_shape "mcp-server-shape"
            "an MCP server with no source, or with several";
        warning mcp_server_mismatch "mcp-server-mismatch"
            "an MCP server in front matter and another in the text";
        warning no_platform "no-platform" "a role with platforms of which none is chosen";
    }
    Layers {
        error duplicate_context "duplicate-context" "two contexts with one id in one layer";
        warning silent_override "silent-override"
            "an overlay that replaces a context without a `strategy`";
        warning strategy_without_base "strategy-without-base"
            "a strategy without a base";
        warning section_without_base "section-without-base"
            "an unknown heading in `sections`";
        error merge_type_clash "merge-type-clash" "values of front matter that cannot be merged";
        warning identical_overlay "identical-overlay" "an overlay that changes nothing";
        hint near_duplicate "near-duplicate" "two contexts with nearly the same text";
        warning deprecated_base "deprecated-base" "an overlay on a deprecated context";
        error superseded_loop "superseded-loop" "a cycle of contexts that supersede each other";
        warning unknown_directory "unknown-directory"
            "a folder that is not a category, or a name that is nearly one that faber reads";
        warning overlay_for_nobody "overlay-for-nobody"
            "an overlay of an unknown role or platform";
        error config_key_not_allowed "config-key-not-allowed"
            "a key that this configuration may not set" except Warning;
        error sealed_overridden "sealed-overridden" "an attempt to change a sealed context";
        warning unknown_overlay "unknown-overlay" "a team or workflow without an overlay";
        warning contradiction "contradiction"
            "contexts that contradict each other and are always loaded together";
        warning pack_collision "pack-collision" "contexts of two packs with one id";
    }
    Selection {
        warning keyword_collision "keyword-collision" "one keyword that selects several contexts";
        warning unreachable_keyword "unreachable-keyword"
            "a keyword that matches nothing, or nothing more than another";
        warning unread_rule "unread-rule" "a condition for a context that faber does not understand";
        warning broad_keyword "broad-keyword" "a keyword that nearly every request has";
        warning load_without_effect "load-without-effect" "a prompt that loads a context with `load: never`";
        warning dead_context "dead-context" "a context that nothing ever loads or lists";
        warning condition_never_true "condition-never-true" "a condition that is never true";
        error glob_invalid "glob-invalid" "an invalid glob";
    }
    Budget {
        warning oversized_context "oversized-context"
            "a context that is too large even as a summary" except Hint;
        error required_over_budget "required-over-budget" "required contexts that do not fit";
        warning always_over_budget "always-over-budget" "always-loading contexts that do not fit";
        hint section_too_large "section-too-large" "a long section without headings";
        warning empty_context "empty-context" "a context without content";
    }
    Freshness {
        hint missing_path "missing-path"
            "a path that is not in the repository" except Warning;
        hint missing_make_target "missing-make-target"
            "a target that no makefile has" except Warning;
        hint missing_package_script "missing-package-script"
            "a script that no `package.json` has" except Warning;
        hint missing_cargo_target "missing-cargo-target"
            "a package or target that no `Cargo.toml` has" except Warning;
        hint tool_version_mismatch "tool-version-mismatch"
            "a version of a tool that the repository contradicts";
        warning stale "stale" "a file that has not been updated for a long time";
        warning future_date "future-date" "a change in the future";
        warning expired "expired" "an expired context";
        error valid_range_empty "valid-range-empty" "a context whose last valid day is before its first";
    }
    Evidence {
        hint no_evidence "no-evidence" "a context without a trial";
        warning harmful "harmful" "a context that makes answers worse";
        error invalid_evidence "invalid-evidence" "evidence that cannot be read";
    }
    Security {
        error bidi_control "bidi-control"
            "a character that changes the order in which a line is shown" fix Safe;
        warning zero_width "zero-width"
            "a zero-width character" fix Safe except Error;
        error unicode_tag "unicode-tag" "hidden text in tag characters" fix Safe;
        error variation_selector_run "variation-selector-run"
            "variation selectors that carry hidden bytes" fix Safe;
        error invalid_name "invalid-name" "a name with line breaks, hidden characters or markup";
        warning invisible_character "invisible-character"
            "an invisible character" fix Safe;
        error control_character "control-character" "a control code in a text";
        warning mixed_script "mixed-script" "a word with letters of scripts that look alike";
        error secret "secret" "a password, token or key";
        warning injection_phrase "injection-phrase" "a phrase that tries to override the prompt";
        warning hidden_instruction "hidden-instruction"
            "hidden text that addresses the model";
        warning remote_execution "remote-execution"
            "a command that runs downloaded or decoded code";
        warning encoded_blob "encoded-blob" "encoded text that a reader cannot check";
    }
    Files {
        error not_utf8 "not-utf8" "a file, or the name of one, that is not UTF-8";
        error merge_conflict "merge-conflict" "conflict markers of a merge";
        warning mixed_line_endings "mixed-line-endings"
            "a file with mixed line endings" fix Safe;
        error oversized_file "oversized-file" "a file of more than 8 MiB, or 400 000 lines and marks";
        error special_file "special-file" "a path that is not a regular file";
        warning symlink "symlink" "a link that is not followed";
        error case_collision "case-collision" "names that are the same on Windows and macOS";
        warning unclosed_fence "unclosed-fence" "an unclosed code block";
        warning template_text "template-text"
            "template text of `faber new` that was not replaced";
        error unreadable "unreadable" "a file that cannot be read";
        error invalid_message "invalid-message"
            "a line of a past conversation that cannot be read";
    }
    Configuration {
        error invalid_config "invalid-config"
            "a configuration that cannot be read, or a value that does not fit" except Warning;
        warning unknown_config_key "unknown-config-key"
            "an unknown key of the configuration";
        error variable_not_allowed "variable-not-allowed"
            "an environment variable that would enter a prompt";
        warning lowered_security_rule "lowered-security-rule"
            "a workspace that lowers a security rule";
        warning summarizer_failed "summarizer-failed" "a summarizer that gives no summary";
        error unavailable_pack "unavailable-pack" "a pack that cannot be used";
        warning untrusted_pack "untrusted-pack"
            "a pack whose `required` and `sealed` have no effect yet";
    }
    Meta {
        warning unused_allow "unused-allow" "an allow comment without a finding" fix Safe;
        warning allow_without_reason "allow-without-reason"
            "an allow comment without a reason";
        warning stale_baseline "stale-baseline" "an entry of the baseline that no longer occurs";
    }
    Exchange {
        error import_conflict "import-conflict" "a file that an import does not overwrite";
        hint import_duplicate "import-duplicate" "content that is imported only once";
        warning import_inert "import-inert" "a field that is kept and has no effect" except Hint;
        warning import_kept "import-kept"
            "exported content that differs from its context" except Hint;
        warning import_omitted "import-omitted" "content that an import leaves out" except Hint;
        warning import_override "import-override"
            "a file that overrides another one in its tool" except Hint;
        warning import_personal "import-personal"
            "a personal file that is imported for everyone" except Hint;
        hint import_renamed "import-renamed" "a context that is imported under another name";
        hint import_repaired "import-repaired" "front matter with an error that was worked around";
        error export_conflict "export-conflict" "a file that an export does not overwrite";
        warning export_duplicate "export-duplicate" "a file that repeats an exported context";
        hint export_lost_field "export-lost-field" "a field that the target cannot express";
        warning export_lost_trigger "export-lost-trigger"
            "a condition for loading that the target cannot express";
        warning export_omitted "export-omitted" "content that is not exported";
        hint export_private "export-private" "a context or prompt that is not public";
        warning export_truncated "export-truncated" "content that the target cuts";
        error export_unmarkable "export-unmarkable"
            "a context that cannot be marked in an exported file";
        error unwritable "unwritable" "a file that cannot be written";
    }
    Tests {
        error invalid_test "invalid-test" "a test case that cannot be read";
        error unknown_test_key "unknown-test-key" "an unknown key of a test case";
        error duplicate_test "duplicate-test" "two test cases with one name or snapshot";
        warning not_a_test "not-a-test" "a YAML file in a folder of tests without cases";
    }
}

pub fn find(code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code == code)
}

pub fn of_validate() -> impl Iterator<Item = &'static Rule> {
    let others = [Group::Exchange, Group::Tests];
    RULES.iter().copied().filter(move |rule| !others.contains(&rule.group))
}

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
            let text = rule.documentation;
            let parts = ["## What it finds", "## Why it matters", "## Example", "## How to fix it"];
            let at: Vec<_> = parts.iter().map(|part| text.find(part)).collect();
            assert!(at[0] == Some(0) && at.is_sorted() && at.iter().all(Option::is_some), "{text}");
            assert!(text.matches("```").count() >= 4, "{}: two examples", rule.code);
            assert!(!rule.summary.ends_with('.'), "{}", rule.code);
        }
    }
}
