//! Errors and notes name the wrong argument and the next step.

use crate::project::TestProject;

fn project() -> TestProject {
    TestProject::with_role()
        .file("contexts/standards/standards-stamps.md", "# Stamps\n\nBuy stamps.\n")
        .file("big.md", &"word ".repeat(2_000_000))
        .dir("folder")
}

fn two_roles() -> TestProject {
    project().file("roles/porter/prompt.md", "You carry letters.\n")
}

fn says(project: &TestProject, line: &str, said: &str) {
    let arguments: Vec<&str> = line.split(' ').collect();
    let run = project.run(&arguments);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}\n{}", run.stderr);
    assert!(run.stderr.contains(said), "{line}\n{}", run.stderr);
}

#[test]
fn unknown_commands_options_and_values() {
    let project = project();
    for (line, said) in [
        (
            "export codex",
            "unknown value `codex` for `<TARGET>`\n  help: write `faber export agents-md`",
        ),
        ("assemble Make a plan", "help: to make a request, write `--request \"Make a plan\"`"),
        ("validate --json", "unknown option `--json`\n  help: write `--format json`"),
        ("serch stamps", "unknown command `serch`\n  help: did you mean `search`?\n"),
        ("help serch", "unknown command `serch`\n  help: did you mean `search`?\n"),
        ("lint", "unknown command `lint`\n  help: write `faber validate`\n"),
        ("ls", "help: write `faber list`\n"),
        ("xyz", "unknown command `xyz`\n  help: see `faber --help`\n"),
        (
            "watch list",
            "unknown command `list`\n  help: available: `assemble`, `validate`, `test`\n",
        ),
        ("--request x", "unknown option `--request`\n  help: see `faber --help`\n"),
        ("--budget 5 assemble", "unknown option `--budget`\n  help: write it after `assemble`\n"),
        ("assemble --bugdet 5", "unknown option `--bugdet`\n  help: did you mean `--budget`?\n"),
        ("validate --team x", "unknown option `--team`\n  help: `validate` checks all roles"),
        (
            "list --format yaml",
            "unknown value `yaml` for `--format`\n  help: available: `human`, `json`",
        ),
        ("show", "missing `<CONTEXT>`\n  help: write `faber show"),
        ("explain --json=1", "`--json` takes no value"),
        ("validate --fix --fix", "`--fix` is given more than once"),
    ] {
        says(&project, line, said);
    }
}

#[test]
fn arguments_that_are_wrong() {
    let project = project()
        .bytes("picture", &[0xff, 0, 0xfe])
        .file("contexts/specialists/specialist-letters.md", "# Letters\n\nRead letters.\n")
        .file("contexts/playbooks/playbook-letters.md", "# Letters\n\nSort letters.\n");
    for (line, said) in [
        (
            "new overlay standard/stamps --layer teams/",
            "the layer `teams/` needs a name\n  help: write `teams/NAME`",
        ),
        (
            "assemble --team a/../b",
            "invalid value `a/../b` for `--team`: it names a directory of overlays, without `/`",
        ),
        ("assemble --workflow ../b", "for `--workflow`: it names a directory of overlays"),
        ("explain --what-if team=a/b", "it names a directory of overlays"),
        ("assemble --budget -5", "write tokens (`8000` or `32k`)"),
        ("assemble --budget 99999999999999999999", "the number of tokens is too large"),
        ("query stamps --max-tokens 99999999999999999999", "the number of tokens is too large"),
        ("query stamps --max-tokens 5%", "write a number of tokens, such as `800` or `2k`"),
        ("graph --focus standard/stamps --depth x", "write a whole number"),
        ("watch --debounce x validate", "write a number of milliseconds, at most 10000"),
        (
            "show letters",
            "the name `letters` is ambiguous\n  help: write `playbook/letters` or `specialist/letters`",
        ),
        ("explain letters", "the name `letters` is ambiguous"),
        ("expand letters", "the name `letters` is ambiguous"),
        ("assemble --with letters", "the name `letters` is ambiguous"),
        ("list roles --role nope", "unknown role `nope`\n  help: available: `clerk`"),
        ("assemble --file=", "a value is required for `--file`\n  help: write `--file <PATH>`"),
        ("validate --diff --format json", "`--diff` prints a patch"),
        ("validate --select all", "`faber rules` lists all rules"),
        ("import missing.md other.md", "missing.md`: no such file or directory"),
        ("search stamps -n 51", "write a number from 1 to 50"),
        ("search stamps -n -1", "write a number from 1 to 50"),
        ("assemble --with=", "a value is required for `--with`"),
        (
            "assemble --history none.jsonl",
            "cannot read `none.jsonl`: no such file or directory\n  help",
        ),
        ("assemble --input big.md", "help: pass a smaller file, or a part of it"),
        ("assemble --input picture", "help: pass a text file in UTF-8"),
        ("tokens folder", "it is a directory\n  help: add `--tree` to count directories"),
        ("validate --baseline none.json", "help: `--write-baseline FILE` writes one"),
        ("assemble --output none/x/y.md", "help: create its directory first"),
        (
            "import markdown picture",
            "help: names of documents end in `.md`, `.mdx`, `.markdown` or `.txt`",
        ),
        ("import markdown folder", "help: pass a directory that has files with names that end in"),
        ("show naming --as a/b", "invalid user name `a/b` in `--as`"),
        ("show task/sort", "help: `faber expand task/sort` prints search results"),
        ("show clerk", "`clerk` is a role, not a context"),
        ("show playbook/x/a.md", "help: `faber expand playbook/x/a.md` prints search results"),
    ] {
        says(&project, line, said);
    }
    let run = project.run(&["assemble", ""]);
    assert!(run.code == 2 && !run.stderr.contains("to make a request"), "{}", run.stderr);
    assert_eq!(project.run(&["assemble", "--team", "", "--workflow", ""]).code, 0);
}

#[test]
fn dates_are_refused_with_their_form() {
    let project = TestProject::with_role();
    for arguments in [&["query", "x"][..], &["validate"], &["test"], &["assemble"]] {
        let run = project.run(&[arguments, &["--at", "2026-13-45"]].concat());
        run.refused(2, &["invalid value `2026-13-45` for `--at`: there is no month 13"]);
    }
    for (wrong, said) in [
        ("2026-02-30", "2026 has no February 30"),
        ("2026-02-00", "days are counted from 1"),
        ("soon", "invalid value `soon` for `--at`\n  help: write YYYY-MM-DD"),
    ] {
        let run = project.run(&["assemble", "--at", wrong]);
        assert!(run.code == 2 && run.stderr.contains(said), "{}", run.stderr);
    }
    let run = project.run(&["explain", "--what-if", "date=2026-02-30"]);
    run.refused(2, &["2026 has no February 30"]);
}

#[test]
fn paths_are_relative_to_the_current_directory() {
    let project = project();
    let mut command = project.faber(&["-C", "project", "validate", "contexts/standards"]);
    let run = crate::project::Run::from(command.current_dir(project.path("..")).output().unwrap());
    run.refused(
        2,
        &["cannot read `contexts/standards`", "did you mean `project/contexts/standards`?"],
    );
}

#[test]
fn arguments_in_the_form_of_another_command() {
    let project = project();
    let text = project.stdout(&["assemble", "--role", "clerk", "--max-tokens", "4k"]);
    assert_eq!(text, project.stdout(&["assemble", "clerk", "--budget", "4k"]));
    project.run(&["assemble", "clerk", "--role", "clerk"]).refused(2, &["cannot be used with"]);
    let query = |most: &str| project.stdout(&["query", "stamps", "--max-tokens", most]);
    assert_eq!(query("1k"), query("1000"));
    assert_eq!(
        project.stdout(&["tune", "--format", "text"]),
        project.stdout(&["tune", "--format", "human"])
    );
    let install = |client| project.stdout(&["hook", "install", client, "--dry-run"]);
    assert_eq!(install("vscode"), install("copilot"));
}

#[test]
fn roles_are_found_where_they_were_meant() {
    let project = two_roles();
    project
        .run(&["assemble"])
        .refused(2, &["several roles", "`faber assemble ROLE`", "`--role ROLE`"]);
    project
        .run(&["explain", "porter"])
        .refused(2, &["`porter` is a role, not a context", "write `faber explain --role porter`"]);
    let project = project.file(".faber/config.yml", "settings:\n  role: portr\n");
    project.run(&["assemble"]).refused(
        2,
        &[
            "unknown role `portr`",
            "did you mean `porter`? `settings.role` is set in .faber/config.yml:2",
        ],
    );
    for name in ["FABER_ROLE", "FABER_SETTINGS_ROLE"] {
        let mut command = project.faber(&["assemble"]);
        let run = crate::project::Run::from(command.env(name, "clown").output().unwrap());
        run.refused(2, &[&format!("is set by the environment variable `{name}`")]);
    }
    let project = project.file(".faber/config.yml", "settings:\n  role: clown\n");
    let available = "available: `clerk`, `porter`; `settings.role` is set in .faber/config.yml:2";
    project.run(&["assemble"]).refused(2, &["unknown role `clown`", available]);
}

#[test]
fn a_role_after_changed_is_no_revision() {
    let project = project();
    project.git(&["init", "--quiet"]);
    project.git(&["commit", "--quiet", "--allow-empty", "--message", "a"]);
    project
        .run(&["assemble", "--changed", "clerk"])
        .refused(2, &["`clerk` is a role, not a git revision", "put the role before `--changed`"]);
    assert_eq!(project.run(&["assemble", "--changed=HEAD", "clerk"]).code, 0);
    project
        .run(&["validate", "--changed", "HEAD"])
        .refused(2, &["cannot read `HEAD`", "to compare with a revision, write `--changed=HEAD`"]);
    #[cfg(unix)]
    {
        let mut command = project.faber(&["assemble", "--changed"]);
        let run = crate::project::Run::from(command.env("PATH", "/nowhere").output().unwrap());
        run.refused(2, &["git is not on `PATH`", "install git"]);
    }
}

#[test]
fn of_several_errors_the_one_that_stops_a_bundle_is_printed_last() {
    let broken = |word: &str| {
        format!("---\nkeywords: [{word}]\n---\n# A\n\n<!-- faber: include /etc/{word} -->\n")
    };
    let project = project()
        .file("contexts/playbooks/playbook-stamps.md", &broken("stamps"))
        .file("contexts/playbooks/playbook-parcels.md", &broken("parcels"));
    let run = project.run(&["assemble", "--request", "Sort the stamps"]);
    run.refused(2, &["1 problem in another file; run `faber validate`", "playbook-stamps.md:6"]);
    assert!(!run.stderr.contains("playbook-parcels.md"), "{}", run.stderr);
    let all = project.run(&["assemble", "--request", "Sort the stamps", "-v"]).stderr;
    assert!(all.find("playbook-parcels.md") < all.find("playbook-stamps.md:6"), "{all}");
}

#[test]
fn commands_that_only_read_print_one_line_about_problems_in_contexts() {
    let project = project()
        .file("contexts/playbooks/playbook-a.md", "---\nkeywords: { a: b }\n---\n# A\n")
        .file("contexts/playbooks/playbook-b.md", "---\npriority: high\n---\n# B\n");
    let line = "2 problems in other files; run `faber validate`\n";
    for command in [&["list"][..], &["graph"], &["diff", "clerk"]] {
        let run = project.run(command);
        assert_eq!(run.code, 0, "{command:?}");
        assert!(run.stderr.starts_with(line), "{command:?}: {}", run.stderr);
    }
    project.run(&["show", "nothing"]).refused(2, &["2 problems in other files"]);
    assert_eq!(project.run(&["config", "show"]).stderr, "");
    let project = project.file(".faber/config.yml", "budgett: 1\n");
    project.run(&["config", "show"]).said(&["unknown key `budgett`"]);
}

#[test]
fn errors_that_were_printed_are_not_repeated() {
    let project = project().file(".faber/config.yml", "settings: [\n");
    let run = project.run(&["assemble"]);
    run.refused(2, &["1 error in the workspace must be fixed first"]);
    assert_eq!(run.stderr.matches("config.yml").count(), 1, "{}", run.stderr);
    let project = project.file("roles/porter/prompt.md", "You carry letters.\n");
    project.run(&["new", "task", "sort"]).refused(2, &["config.yml", "must be fixed first"]);
    let project = TestProject::with_role().dir(".faber/config.yml");
    project.run(&["assemble"]).refused(2, &["help: replace it with a regular file"]);
}

#[test]
fn nothing_to_print_is_said() {
    let project = project();
    for (arguments, said) in [
        (
            &["expand", "standard/stamps", "--include", "derivation,evidence"][..],
            "no recorded sources of `standard/stamps`\n",
        ),
        (&["index", "clear"], "the search index is removed; the next search builds it again\n"),
        (&["index", "clear"], "no search index to clear\n"),
        (&["export", "mcp"], "mcp: no MCP servers to export; nothing to write\n"),
        (&["diff", "standard/stamps"], "no overlay changes `standard/stamps`\n"),
        (&["diff", "clerk"], "no overlay changes a context of `clerk`\n"),
    ] {
        let run = project.run(arguments);
        let all = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(all, (0, "", said), "{arguments:?}");
    }
    let run = project.run(&["export", "claude", "--dry-run"]);
    assert!(run.stderr.ends_with("claude: 2 of 2 files to write\n"), "{}", run.stderr);
    project.run(&["stats"]).said(&["`faber serve` and hooks write it"]);
}

#[test]
fn lists_have_headings() {
    let project = project().file("roles/clerk/agent.yml", "name: clerk\ndescription: Sorts\n");
    assert_eq!(project.stdout(&["list", "roles"]), "role   description\nclerk  Sorts\n");
    let contexts = project.stdout(&["list", "contexts"]);
    assert!(contexts.starts_with("context          load    tokens  layers\n"), "{contexts}");
    let models = project.stdout(&["list", "models"]);
    let heading = models.lines().next().unwrap().split_whitespace();
    assert!(heading.eq(["model", "window", "encoding", "margin"]), "{models}");
    assert!(models.lines().any(|line| line.starts_with("gpt-5 ")), "{models}");
    let data = project.json(&["list", "models", "--format", "json"]);
    jsonschema::validate(&project.json(&["schema", "list"]), &data).unwrap();
    let layers = project.stdout(&["list", "layers"]);
    assert!(layers.starts_with("layer  "), "{layers}");
}

#[test]
fn a_trial_counts_required_contexts_once() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-a.md", "---\nrequired: true\n---\nAnswer.\n")
        .file("contexts/standards/standards-b.md", "Be brief.\n")
        .file("tests/a.yml", "- name: one\n  request: Plan it\n- name: two\n  request: A plan\n");
    let run = project.run(&["trial", "plan"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.starts_with("1 required context not compared: in every bundle\n"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.matches("required").count(), 1, "{}", run.stderr);
}
