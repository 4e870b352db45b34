//! The rules, each documented in a file of its name.

use crate::rule::{Fix, Rule, Severity};

macro_rules! rules {
    ($($group:ident $group_name:literal $title:literal {
        $($severity:ident $name:ident $summary:literal $(fix $fix:ident)? $(except $exception:ident)?;)*
    })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Group { $($group),* }

        impl Group {
            pub const ALL: &[(Self, &'static str, &'static str)] =
                &[$((Self::$group, $group_name, $title)),*];
        }

        $($(pub mod $name {
            use super::{Fix, Group, Rule, Severity};

            const NAME: &str = stringify!($name);
            const CODE: [u8; NAME.len()] = super::code(NAME);

            pub static RULE: Rule = Rule {
                code: match str::from_utf8(&CODE) {
                    Ok(code) => code,
                    Err(_) => panic!(),
                },
                severity: Severity::$severity,
                exception: rules!(@exception $($exception)?),
                group: Group::$group,
                fix: rules!(@fix $($fix)?),
                summary: $summary,
                documentation: include_str!(concat!(stringify!($name), ".md")),
            };
        })*)*

        pub static RULES: &[&Rule] = &[$($(&$name::RULE),*),*];
    };
    (@exception) => { None };
    (@exception $severity:ident) => { Some(Severity::$severity) };
    (@fix) => { Fix::None };
    (@fix $fix:ident) => { Fix::$fix };
}

const fn code<const N: usize>(name: &str) -> [u8; N] {
    let mut code = [b'-'; N];
    let mut at = 0;
    while at < N {
        if name.as_bytes()[at] != b'_' {
            code[at] = name.as_bytes()[at];
        }
        at += 1;
    }
    code
}

rules! {
    FrontMatter "front-matter" "Front matter" {
        Error invalid_frontmatter "front matter that is not YAML" fix Safe;
        Error unclosed_frontmatter "front matter without a closing fence" fix Unsafe;
        Error misplaced_frontmatter "front matter that does not begin in the first line";
        Error frontmatter_not_a_mapping "front matter that is not a map";
        Error duplicate_key "a duplicate key in a map";
        Hint unknown_field "an unknown field" fix Unsafe except Warning;
        Error wrong_field_type "a field whose value has the wrong type" fix Safe;
        Warning missing_description "a context without a description for the catalog";
        Error category_mismatch "a `category` that differs from the folder" fix Safe;
        Error missing_category "a context without a category";
        Error unknown_category "an unknown `category`" except Warning;
        Hint file_prefix "a file name without its prefix, or with that of another category";
        Warning ambiguous_scalar "a value that YAML readers read differently" fix Safe;
        Error yaml_anchor "an anchor or alias";
        Error frontmatter_limit "front matter that is too long, too deep, or several documents";
    }
    References "references" "References" {
        Error dangling_reference "a reference to something that does not exist" except Warning;
        Warning dangling_related "an unknown context in `related` or `superseded_by`";
        Error path_escape "a reference that leads out of the workspace";
        Error forbidden_file "a reference to a private, ignored or binary file";
        Error unknown_directive "a comment that looks like a directive";
        Error reference_case "a reference in the wrong case" fix Safe except Warning;
        Error include_cycle "a cycle of includes";
        Error include_depth "includes that are nested too deeply or too many";
        Warning glob_matches_nothing
            "a glob in a prompt, task, flow or front matter that matches no file" except Hint;
        Error ambiguous_name "an ambiguous file name";
        Warning dead_anchor "a link to a heading that does not exist";
        Warning unknown_placeholder "a placeholder that is not filled in" except Hint;
        Error role_cycle "a cycle of roles that extend each other";
        Error extends_cycle "a cycle of contexts that extend each other";
    }
    Role "role" "Roles" {
        Error invalid_role_name
            "a role name that is invalid, missing or not that of the folder" except Warning;
        Error empty_prompt "a prompt without content";
        Hint missing_readme "a role without a README.md";
        Hint role_without_task "a role without any task";
        Error default_platform_not_declared "a default platform that the role does not declare";
        Hint unknown_role_field "an unknown key of `agent.yml`" fix Unsafe except Warning;
        Error flow_task_missing "a step of a flow whose task does not exist";
        Error invalid_agent "an `agent.yml` that cannot be read";
        Warning duplicate_role "a role that is defined in two places";
    }
    Platforms "platforms" "Platforms and MCP servers" {
        Warning unknown_role
            "a default role or a platform for a role that does not exist" except Error;
        Error missing_platform_context "a declared platform that no context describes";
        Error unresolved_mcp_server
            "an MCP server that is not configured, without a fallback" except Warning;
        Warning undeclared_tool "a tool that is used but not required";
        Hint unused_tool "a required tool that nothing uses";
        Warning missing_fallback "an MCP server without a fallback";
        Error platform_name_mismatch "a platform with two names";
        Warning unset_variable "an environment variable that is not set" except Hint;
        Error mcp_server_shape "an MCP server with no source, or with several";
        Warning mcp_server_mismatch "an MCP server in front matter and another in the text";
        Warning no_platform "a role with platforms of which none is chosen";
    }
    Layers "layers" "Layers" {
        Error duplicate_context "two contexts with one id in one layer";
        Warning silent_override "an overlay that replaces a context without a `strategy`";
        Warning strategy_without_base "a strategy without a base";
        Warning section_without_base "an unknown heading in `sections`";
        Warning overlay_clash "text that an overlay loses or redirects" except Hint;
        Error merge_type_clash "values of front matter that cannot be merged";
        Warning identical_overlay "an overlay that changes nothing";
        Hint near_duplicate "two contexts with nearly the same text";
        Warning deprecated_base "an overlay on a deprecated context";
        Error superseded_loop "a cycle of contexts that supersede each other";
        Warning unknown_directory
            "a folder that is not a category, or a name that is nearly one that faber reads";
        Warning overlay_for_nobody "an overlay of an unknown role or platform";
        Error config_key_not_allowed "a key that this configuration may not set" except Warning;
        Error sealed_overridden "an attempt to change a sealed context";
        Warning unknown_overlay "a team or workflow without an overlay";
        Warning contradiction "contexts that contradict each other and are always loaded together";
        Warning pack_collision "contexts of two packs with one id";
    }
    Selection "selection" "Selection" {
        Warning keyword_collision "one keyword that selects several contexts";
        Warning unreachable_keyword "a keyword that matches nothing, or nothing more than another";
        Warning unread_rule "a condition for a context that faber does not understand";
        Warning broad_keyword "a keyword that nearly every request has";
        Warning load_without_effect "a prompt that loads a context with `load: never`";
        Warning dead_context "a context that nothing ever loads or lists";
        Warning condition_never_true "a condition that is never true";
        Error glob_invalid "an invalid glob";
    }
    Budget "budget" "Budget" {
        Warning oversized_context "a context that is too large even as a summary" except Hint;
        Error required_over_budget "required contexts that do not fit";
        Warning always_over_budget "always-loading contexts that do not fit";
        Hint section_too_large "a long section without headings";
        Warning empty_context "a context without content";
    }
    Freshness "freshness" "Freshness" {
        Error bad_date "an invalid date";
        Hint missing_path "a path that is not in the repository" except Warning;
        Hint missing_make_target "a target that no makefile has" except Warning;
        Hint missing_package_script "a script that no `package.json` has" except Warning;
        Hint missing_cargo_target "a package or target that no `Cargo.toml` has" except Warning;
        Hint tool_version_mismatch "a version of a tool that the repository contradicts";
        Warning stale "a file that has not been updated for a long time";
        Warning future_date "a change in the future";
        Warning expired "an expired context";
        Error valid_range_empty "a context whose last valid day is before its first";
        Hint unmarked_status "a text that says it is outdated, unlike its front matter" fix Unsafe;
    }
    Evidence "evidence" "Evidence" {
        Hint no_evidence "a context without a trial";
        Warning harmful "a context that makes answers worse";
        Error invalid_evidence "evidence that cannot be read";
    }
    Security "security" "Security" {
        Error bidi_control "a character that changes the order in which a line is shown" fix Safe;
        Warning zero_width "a zero-width character" fix Safe except Error;
        Error unicode_tag "hidden text in tag characters" fix Safe;
        Error variation_selector_run "variation selectors that carry hidden bytes" fix Safe;
        Error invalid_name "a name with line breaks, hidden characters or markup";
        Warning invisible_character "an invisible character" fix Safe;
        Error control_character "a control code in a text";
        Warning mixed_script "a word with letters of scripts that look alike";
        Error secret "a password, token or key";
        Warning injection_phrase "a phrase that tries to override the prompt";
        Warning hidden_instruction "hidden text that addresses the model";
        Warning remote_execution "a command that runs downloaded or decoded code";
        Warning broad_permission "a setting that lets an agent act without asking";
        Warning encoded_blob "encoded text that a reader cannot check";
    }
    Files "files" "Files" {
        Error not_utf8 "a file, or the name of one, that is not UTF-8";
        Error merge_conflict "conflict markers of a merge";
        Warning mixed_line_endings "a file with mixed line endings" fix Safe;
        Error oversized_file "a file of more than 8 MiB, or 400 000 lines and marks";
        Error special_file "a path that is not a regular file";
        Warning symlink "a link that is not followed";
        Error case_collision "names that are the same on Windows and macOS";
        Warning unclosed_fence "an unclosed code block";
        Warning template_text "template text of `faber new` that was not replaced";
        Error unreadable "a file that cannot be read";
        Error invalid_message "a line of a past conversation that cannot be read";
    }
    Configuration "configuration" "Configuration" {
        Error invalid_config
            "a configuration that cannot be read, or a value that does not fit" except Warning;
        Warning unknown_config_key "an unknown key of the configuration";
        Error variable_not_allowed "an environment variable that would enter a prompt";
        Warning lowered_security_rule "a workspace that lowers a security rule";
        Warning summarizer_failed "a summarizer that gives no summary";
        Error unavailable_pack "a pack that cannot be used";
        Warning untrusted_pack "a pack whose `required` and `sealed` have no effect yet";
    }
    Meta "meta" "Suppressions and baseline" {
        Warning unused_allow "an allow comment without a finding" fix Safe;
        Warning allow_without_reason "an allow comment without a reason";
        Warning stale_baseline "an entry of the baseline that no longer occurs";
    }
    Exchange "exchange" "Import and export" {
        Error import_conflict "a file that an import does not overwrite";
        Hint import_duplicate "content that is imported only once";
        Warning import_inert "a field that is kept and has no effect" except Hint;
        Warning import_kept "exported content that differs from its context" except Hint;
        Warning import_omitted "content that an import leaves out" except Hint;
        Warning import_override "a file that overrides another one in its tool" except Hint;
        Warning import_personal "a personal file that is imported for everyone" except Hint;
        Hint import_renamed "a context that is imported under another name";
        Hint import_repaired "front matter with an error that was worked around";
        Error export_conflict "a file that an export does not overwrite";
        Warning export_duplicate "a file that repeats an exported context";
        Hint export_lost_field "a field that the target cannot express";
        Warning export_lost_trigger "a condition for loading that the target cannot express";
        Warning export_omitted "content that is not exported";
        Hint export_private "a context or prompt that is not public";
        Warning export_truncated "content that the target cuts";
        Error export_unmarkable "a context that cannot be marked in an exported file";
        Error unwritable "a file that cannot be written";
    }
    Tests "tests" "Pack tests" {
        Error invalid_test "a test case that cannot be read";
        Error unknown_test_key "an unknown key of a test case";
        Error duplicate_test "two test cases with one name or snapshot";
        Warning not_a_test "a YAML file in a folder of tests without cases";
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
