use faber_core::tokens::{Encoding, count_message};
use insta_cmd::assert_cmd_snapshot;

use crate::pelican::pelican;
use crate::project::{Run, TestProject};

#[test]
fn configuration_with_its_origins() {
    let project = pelican()
        .env("FABER_SETTINGS_ENVIRONMENT", "test")
        .file(".faber/overlays/organization/config.yml", "mcp_config: { timeout_ms: 5 }\n");
    let arguments = ["config", "show", "--origin", "--role", "issue-manager", "--workflow", "calm"];
    let text = project.stdout(&arguments);
    for line in [
        ["environment: test", "environment, FABER_SETTINGS_ENVIRONMENT"],
        ["team: routing", ".faber/config.yml:2"],
        ["workflow: calm", "command line, --workflow"],
        ["timeout_ms: 5", ".faber/overlays/organization/config.yml:1"],
        ["encoding: o200k_base", "built-in defaults"],
    ] {
        let found = text.lines().any(|row| line.iter().all(|part| row.contains(part)));
        assert!(found, "{line:?} is not in\n{text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    assert!(!project.stdout(&["config", "show", "--format", "json"]).contains("hunter2"));
}

#[test]
fn the_budget_is_shown_as_it_applies() {
    let project = TestProject::with_role()
        .file(
            ".faber/config.yml",
            "tokenizer: { model: big }\nbudget: { context: 5000 }\n\
             models: { big: { encoding: o200k_base, window: 400000 } }\n",
        )
        .file("roles/other/prompt.md", "---\nbudget: { total: 10k }\n---\n# Other\n\nHelp.\n");
    let shown = |role: &str| {
        let text = project.stdout(&["config", "show", "--format", "json", "--role", role]);
        let config: serde_json::Value = serde_json::from_str(&text).unwrap();
        let values = config["values"].as_array().unwrap();
        let value = |key: &str| values.iter().find(|it| it["key"] == key).unwrap()["value"].clone();
        ["budget.context", "budget.conversation", "budget.sections.location"].map(value)
    };
    assert_eq!(shown("clerk"), [5000, 20_000, 5000]);
    assert_eq!(shown("other"), [5000, 4000, 1000]);
}

#[test]
fn the_users_own_configuration_comes_first() {
    let project = TestProject::with_role()
        .file("own/faber/config.yml", "settings: { team: mine, workflow: own }\n")
        .file(".faber/config.yml", "settings: { team: ours }\n");
    let own = project.path("own");
    let project = project.env("XDG_CONFIG_HOME", own.to_str().unwrap());
    let text = project.stdout(&["config", "show"]);
    assert!(text.contains("ours") && text.contains("own") && !text.contains("mine"), "{text}");
}

#[test]
fn lists() {
    let project = pelican();
    assert_cmd_snapshot!(project.faber(&["list", "roles"]), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    role           platforms           description
    issue-manager  ticketyard, github  Keeps the issues of Pelican Post in order

    ----- stderr -----
    ");
    assert_cmd_snapshot!(project.faber(&["list", "layers", "--role", "issue-manager"]), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    layer         name           documents  path
    project                      4          .
    role          issue-manager  6          roles/issue-manager
    organization                 2          .faber/overlays/organization
    platform      ticketyard     1          .faber/overlays/platforms/ticketyard
    role-overlay  issue-manager  1          .faber/overlays/roles/issue-manager
    team          routing        1          .faber/overlays/teams/routing
    workflow      release        1          .faber/overlays/workflows/release
    user          noor           1          .faber/overlays/users/noor
    custom                       1          .

    ----- stderr -----
    ");
    assert_cmd_snapshot!(project.faber(&["list", "platforms"]), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    platform    roles          contexts
    github      issue-manager  platform/github
    ticketyard  issue-manager  platform/ticketyard

    ----- stderr -----
    ");
    assert_cmd_snapshot!(project.faber(&["list", "contexts", "--role", "issue-manager"]), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    context                      load       tokens  layers
    specialist/billing           keyword    ~11     role
    specialist/customs           keyword    ~8      role
    platform/github              platform   ~5      role
    platform/ticketyard          platform   ~41     role+organization
    standard/boards              always     ~8      platform
    standard/privacy             always     ~8      project
    standard/titles              always     ~23     project+role-overlay+team+workflow+user
    pattern/migrations           files      ~8      project
    playbook/strike              on-demand  ~6      custom
    playbook/triage              on-demand  ~8      role
    reference/depots             on-demand  ~8      project
    reference/glossary           always     ~10     organization
    troubleshooting/rate-limits  error      ~7      role

    ----- stderr -----
    ");
}

#[test]
fn lists_are_not_cut_for_other_programs() {
    let words = "many words ".repeat(30);
    let text = format!("---\ndescription: {words}end\n---\n# Long\n");
    let project = pelican().file("contexts/standards/standards-long.md", &text);
    assert!(project.stdout(&["list", "contexts"]).contains("words end\n"));
}

#[test]
fn tokens_are_those_of_the_reference_implementation() {
    let texts =
        ["", "hello world\n", "<|endoftext|> straße 日本語 👩‍👩‍👧\n\n\n\t  x", "a'll 123456789 \r\n "];
    let project = pelican();
    let o200k = tiktoken_rs::o200k_base_singleton();
    let cl100k = tiktoken_rs::cl100k_base_singleton();
    for text in texts {
        let count =
            |encoding| project.run_with_input(&["tokens", "--encoding", encoding], text).stdout;
        assert_eq!(count("o200k_base"), format!("{}\n", o200k.encode_ordinary(text).len()));
        assert_eq!(count("cl100k_base"), format!("{}\n", cl100k.encode_ordinary(text).len()));
    }
}

#[test]
fn tokens_of_files() {
    let project = TestProject::empty().file("a.txt", "hello world\n").file("b.txt", "");
    assert_cmd_snapshot!(project.faber(&["tokens", "a.txt", "b.txt"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    3 a.txt
    0 b.txt
    3 total

    ----- stderr -----
    ");
    project.run(&["tokens", "c.txt"]).refused(2, &["cannot read `c.txt`"]);
    let project = project.bytes("latin", b"caf\xe9\n").file("large", &"word ".repeat(2_000_000));
    let run = project.run(&["tokens", "latin"]);
    assert_eq!((run.code, run.stderr.contains("`latin` has invalid UTF-8")), (0, true));
    assert_eq!(project.run(&["tokens", "large"]).code, 0);
    let run = project.run_with_input(&["tokens", "a.txt", "-", "--format", "json"], "hello");
    assert!(run.stdout.contains("\"total\": 4"), "{}", run.stdout);
}

#[test]
fn tokens_of_models_side_by_side() {
    let project = TestProject::empty().file("a.txt", "Hello, world: it's 2026.\n");
    assert_cmd_snapshot!(project.faber(&["tokens", "--compare", "a.txt"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    model            tokens  of window  counted with
    gpt-4-0125           10      0.0 %  cl100k_base
    claude-opus-4-6      17      0.0 %  claude_3, reconstructed
    claude-opus-4-7      23      0.0 %  claude_4.7, reconstructed
    claude-fable-5       18      0.0 %  claude_4.8, reconstructed
    gpt-5.4               9      0.0 %  o200k_base
    llama-4              10      0.0 %  o200k_base plus 10 %, estimated
    deepseek-v4          11      0.0 %  o200k_base plus 15 %, estimated
    gpt-6                11      0.0 %  o200k_base plus 20 %, estimated
    mistral              13      0.0 %  o200k_base plus 40 %, estimated

    ----- stderr -----
    ");
    let one = project.stdout(&["tokens", "--compare", "--model", "gpt-4", "a.txt"]);
    assert_eq!(one.matches("cl100k_base").count(), 1, "each way of counting once: {one}");
    assert!(one.contains("\ngpt-4 ") && one.contains("gpt-5.4"), "{one}");
    let models = ["--model", "gpt-5.5", "--model", "anthropic/claude-opus-4-8"];
    let run = ["tokens", "a.txt"].iter().chain(&models).copied().collect::<Vec<_>>();
    assert_cmd_snapshot!(project.faber(&run), @"
    success: true
    exit_code: 0
    ----- stdout -----
    model                      tokens  of window  counted with
    gpt-5.5                         9      0.0 %  o200k_base
    anthropic/claude-opus-4-8      18      0.0 %  claude_4.8, reconstructed

    ----- stderr -----
    ");
    let json = [&run[..], &["--compare", "--format", "json"]].concat();
    let data: serde_json::Value = serde_json::from_str(&project.stdout(&json)).unwrap();
    assert_eq!((&data["encoding"], &data["total"]), (&"o200k_base".into(), &9.into()));
    let claude = &data["models"][1];
    assert_eq!((&claude["encoding"], &claude["total"]), (&"claude_4.8".into(), &18.into()));
    assert_eq!((&claude["reconstructed"], &claude["estimated"]), (&true.into(), &false.into()));
}

/// Counted as an older model, Opus 4.8 got 50 % over the budget.
#[test]
fn budgets_hold_for_claude() {
    let text =
        "Deployments use `kubectl rollout status`; check KubePodCrashLooping first.\n\n".repeat(60);
    let mut project = TestProject::with_role();
    for at in 0..9 {
        let path = format!("contexts/standards/standards-s{at}.md");
        project = project.file(&path, &format!("---\nload: always\n---\n# S{at}\n\n{text}"));
    }
    for (model, encoding) in [
        ("claude-sonnet-4-5", Encoding::Claude3),
        ("claude-opus-4-7", Encoding::Claude47),
        ("claude-opus-4-8", Encoding::Claude48),
    ] {
        let args =
            ["assemble", "clerk", "--model", model, "--budget", "4000", "--request", "Deploy"];
        let bundle = project.run(&args).stdout;
        let tokens = count_message(encoding, &bundle);
        assert!((2000..=4000).contains(&tokens), "{model}: {tokens}");
    }
}

#[test]
fn show_says_what_is_close() {
    let project = pelican();
    let titles = project.stdout(&["show", "standard/titles"]);
    let path = "contexts/standards/standards-titles.md";
    let absolute = project.path(path).to_str().unwrap().to_owned();
    for name in ["standards-titles.md", path, "titles", &absolute] {
        assert_eq!(project.stdout(&["show", name]), titles, "{name}");
    }
    let mut below = project.faber(&["show", "../standards/standards-titles.md"]);
    let shown = below.current_dir(project.path("contexts/patterns")).output().unwrap().stdout;
    assert_eq!(String::from_utf8(shown).unwrap(), titles);
    let prompt = project.run(&["show", "roles/issue-manager/prompt.md"]);
    assert!(prompt.code == 2 && !prompt.stderr.contains("faber expand"), "{}", prompt.stderr);
    let explained = project.stdout(&["explain", "--request", "x", &absolute]);
    assert!(explained.contains("standard/titles: "), "{explained}");
    let section = project.stdout(&["show", "standard/titles#titles"]);
    assert_eq!(section, titles);
    project
        .run(&["show", "standard/titles#nope"])
        .refused(2, &["unknown section", "standard/titles"]);
    project
        .run(&["show", "standard/title"])
        .refused(2, &["unknown context `standard/title`", "did you mean `standard/titles`?"]);
    let triage = "contexts/patterns/pattern-triage.md";
    let project = project.file(triage, "# Triage\n");
    project.run(&["show", "triage"]).refused(2, &["`pattern/triage`", "`playbook/triage`"]);
    let project =
        project.file("contexts/standards/standards-idea.md", "---\nstatus: draft\n---\n# I\n");
    project.run(&["show", "standard/idea"]).refused(2, &["standard/idea", "draft"]);
}

#[test]
fn a_new_workspace_assembles_at_once() {
    for template in ["default", "minimal"] {
        let project = TestProject::empty();
        let created = project.stdout(&["init", "--template", template]);
        let created: Vec<_> = created.lines().map(|line| line.strip_prefix("create  ")).collect();
        assert!(created.contains(&Some(".faber/config.yml")), "{created:?}");
        assert!(created.iter().all(|path| path.is_some_and(|it| project.path(it).is_file())));
        let run = project.run(&["assemble", "assistant", "--strict", "-r", "Explain this"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{template}");
        project.run(&["init"]).refused(2, &["is already a workspace", "faber new"]);
    }
}

#[test]
fn a_new_workspace_keeps_what_is_there() {
    let mine = "# Mine\n";
    let project = TestProject::empty().file("roles/assistant/prompt.md", mine);
    project.run(&["init"]).said(&[
        "note: roles/assistant/prompt.md already exists; not changed",
        "next: faber assemble",
    ]);
    assert_eq!(project.text("roles/assistant/prompt.md"), mine);
    let project = TestProject::empty();
    project.run(&["init", "deep/er"]).said(&["faber -C deep/er assemble"]);
    assert!(project.path("deep/er/.faber/config.yml").is_file());
    project.run(&["init", "x", "--template", "defualt"]).refused(2, &["did you mean `default`?"]);
    assert!(!project.path("x").exists());
}

#[test]
fn a_file_in_the_place_of_a_folder_is_a_failure() {
    let project = TestProject::empty().file(".faber", "mine");
    project.run(&["init"]).refused(2, &["cannot create", ".faber", "directory"]);
    let run = project.run(&["init", ".faber/below"]);
    run.refused(2, &["/.faber/below`: not a directory"]);
    assert!(run.stderr.lines().next().unwrap().contains("cannot create `"), "{}", run.stderr);
    assert!(!run.stderr.contains("specialists"), "{}", run.stderr);
    assert_eq!(project.files().len(), 1);
}

#[test]
fn whatever_is_new_assembles_at_once() {
    let project = TestProject::empty();
    project.stdout(&["init"]);
    let mut new: Vec<Vec<&str>> = vec![
        vec!["role", "porter"],
        vec!["task", "carry", "--role", "porter"],
        vec!["flow", "move-house", "--role", "porter"],
        vec!["platform", "lorry", "--role", "porter"],
        vec!["overlay", "standard/answers", "--layer", "organization", "--role", "porter"],
        vec!["overlay", "standard/answers", "--layer", "teams/night", "--role", "porter"],
    ];
    let categories = [
        "specialist",
        "platform",
        "standard",
        "pattern",
        "playbook",
        "reference",
        "troubleshooting",
    ];
    new.extend(categories.map(|category| vec!["context", "thing", "--category", category]));
    for arguments in new {
        let arguments = [&["new"], &arguments[..]].concat();
        let before = project.files();
        let created = project.stdout(&arguments);
        assert!(created.lines().count() > 0, "{arguments:?}");
        for path in created.lines().map(|line| line.strip_prefix("create  ").unwrap()) {
            assert!(project.path(path).is_file(), "{path}");
            assert!(!project.text(path).contains("{{"), "{path}");
        }
        for (path, bytes) in before {
            assert_eq!(
                std::fs::read(project.path("").join(&path)).unwrap(),
                bytes,
                "{}",
                path.display()
            );
        }
        for role in ["porter", "assistant"] {
            let run = project.run(&["assemble", role, "--strict", "--request", "Go on"]);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
        }
        let files = project.files();
        project.run(&arguments).refused(2, &["already exists"]);
        assert_eq!(project.files(), files);
    }
    let text = project.stdout(&["assemble", "porter", "--task", "carry", "--strict"]);
    assert!(text.contains("Carry"), "{text}");
    project.stdout(&["assemble", "porter", "--flow", "move-house", "--strict"]);
}

#[test]
fn new_names_must_be_names() {
    let project = pelican();
    let refused = |arguments: &[&str], words: &[&str]| {
        project.run(&[&["new"], arguments].concat()).refused(2, words);
    };
    for name in ["../up", "A b", "", "-x", "a/b"] {
        let run = project.run(&["new", "role", "--", name]);
        run.refused(2, &[]);
    }
    refused(&["context", "x"], &["a context needs a category", "specialist"]);
    refused(
        &["task", "Sort_Letters"],
        &["invalid name `Sort_Letters`", "did you mean `sort-letters`?"],
    );
    refused(&["task", "ä"], &["names are lower-case letters, digits and hyphens"]);
    refused(&["context", "x", "--category", "standrad"], &["did you mean `standard`?"]);
    refused(&["overlay", "standard/titles"], &["needs a layer"]);
    refused(
        &["overlay", "standard/titles", "--layer", "teams/../.."],
        &["invalid name `../..` of a layer in `teams`", "lower-case letters"],
    );
    refused(&["overlay", "standard/titles", "--layer", "temas/x"], &["did you mean `teams/x`?"]);
    refused(&["task", "x", "--role", "isue-manager"], &["did you mean `issue-manager`?"]);
}

#[test]
fn own_templates_come_before_those_that_are_built_in() {
    let project = TestProject::with_role().file("templates/new/task.md", "# Ours: {{title}}\n");
    project.stdout(&["new", "task", "sort-letters"]);
    assert_eq!(project.text("roles/clerk/tasks/sort-letters.md"), "# Ours: Sort letters\n");
}

#[test]
fn schemas_have_names() {
    let project = TestProject::empty();
    assert_cmd_snapshot!(project.faber(&["schema"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    audit-report
    bundle
    catalog
    config
    config-file
    decide
    diff
    encoder
    evidence
    expand
    explain
    export
    extract
    findings
    forgotten
    graph
    hook-replay
    hook-status
    import
    index
    list
    lock
    pack-publish
    pack-report
    pack-update
    packs
    query
    remember
    report
    review
    rules
    search
    show
    stats
    store
    suggest
    test
    tokens
    trial
    trial-results
    tune

    ----- stderr -----
    ");
    project.run(&["schema", "bundel"]).refused(2, &["did you mean `bundle`?"]);
}

#[test]
fn help_says_how_faber_ends() {
    let help = TestProject::empty().stdout(&["--help"]);
    for words in ["Exit status:", "0  success", "2  failure", "3  the budget"] {
        assert!(help.contains(words), "{help}");
    }
}

#[test]
fn the_help_of_a_command_is_that_of_its_option() {
    let project = TestProject::empty();
    for command in [&[][..], &["assemble"], &["hook", "install"], &["help"]] {
        let expected = project.stdout(&[command, &["--help"]].concat());
        assert_eq!(project.stdout(&[&["help"], command].concat()), expected, "{command:?}");
    }
    for (command, refused) in [("validate", "--write-baseline"), ("test", "--suggest")] {
        let [help, watched] = [&[][..], &["watch"]]
            .map(|before| project.stdout(&[before, &[command, "--help"]].concat()));
        assert!(help.contains(refused) && !watched.contains(refused), "{watched}");
    }
    project
        .run(&["help", "asemble"])
        .refused(2, &["unknown command `asemble`", "did you mean `assemble`?"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure_of_help_too() {
    let project = TestProject::empty();
    for arguments in [&["--help"][..], &["help", "new"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = Run::from(project.faber(arguments).stdout(full).output().unwrap());
        run.refused(2, &["cannot write standard output"]);
    }
}

#[test]
fn a_list_of_nothing_else_is_that_of_contexts() {
    let project = TestProject::with_role();
    let project = project.file("contexts/standards/standards-a.md", "# A\n\nText.\n");
    let listed = project.stdout(&["list"]);
    assert!(listed.contains("\nstandard/a "), "{listed}");
    assert_eq!(listed, project.stdout(&["list", "contexts"]));
}

#[test]
fn one_part_of_the_configuration_can_be_printed() {
    let config =
        "models: { my-model.1: { encoding: o200k_base, window: 9 } }\nsearch: { limit: 7 }\n";
    let project = TestProject::with_role().file(".faber/config.yml", config);
    let show = |key: &str| project.stdout(&["config", "show", key]);
    assert_eq!(show("search.limit"), "search:\n  limit: 7\n");
    assert_eq!(show("models.my-model.1.window"), "models:\n  my-model.1:\n    window: 9\n");
    assert!(show("search").contains("  limit: 7\n") && !show("search").contains("budget:"));
    let unset = project.run(&["config", "show", "settings.team"]);
    assert_eq!(
        (unset.code, &*unset.stdout, &*unset.stderr),
        (0, "", "`settings.team` is not set\n")
    );
    let data = project.json(&["config", "show", "search.limit", "--format", "json"]);
    assert_eq!(data["values"].as_array().unwrap().len(), 1, "{data}");
    let unknown = project.run(&["config", "show", "search.limits"]);
    unknown.refused(2, &["unknown key `search.limits`", "did you mean `search.limit`?"]);
}

#[test]
fn an_empty_list_says_so_on_standard_error() {
    let project = crate::project::TestProject::with_role();
    for (arguments, note) in [
        (&["pack", "list"][..], "no packs declared\n"),
        (&["pack", "outdated"], "no packs declared\n"),
        (&["pack", "verify"], "no packs declared\n"),
        (&["pack", "vendor"], "no packs declared\n"),
        (&["trust", "--list"], "no workspaces trusted\n"),
        (&["list", "contexts"], "no contexts\n"),
        (&["list", "platforms"], "no platforms\n"),
        (&["list", "triggers"], "no triggers\n"),
    ] {
        let run = project.run(arguments);
        let seen = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(seen, (0, "", note), "{arguments:?}");
        let quiet = project.run(&[arguments, &["-q"]].concat());
        assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""), "{arguments:?}");
    }
    let json = project.run(&["pack", "list", "--format", "json"]);
    assert_eq!(json.stderr, "");
}

const VIEWS: [&[&str]; 12] = [
    &["show", "standard/titles"],
    &["list", "contexts"],
    &["list", "triggers"],
    &["search", "titles"],
    &["query", "titles"],
    &["catalog"],
    &["expand", "standard/titles"],
    &["diff", "standard/titles"],
    &["graph"],
    &["suggest", "keywords"],
    &["export", "agents-md", "--dry-run"],
    &["config", "show"],
];

#[test]
fn views_of_unknown_platforms_are_refused() {
    let project = pelican();
    for arguments in VIEWS {
        let of_platform = |name| project.run(&[arguments, &["--platform", name]].concat());
        let unknown = of_platform("gihtub");
        unknown.said(&["unknown platform `gihtub`", "did you mean `github`?"]);
        assert_eq!(unknown.code, 2, "{arguments:?}");
        let known = of_platform("github");
        assert_eq!(known.code, 0, "{arguments:?}: {}", known.stderr);
    }
    let project = TestProject::with_role()
        .file("roles/porter/prompt.md", "# Porter\n")
        .file("roles/porter/contexts/platforms/platform-jira.md", "# Jira\n");
    for arguments in [&["list"][..], &["list", "--role", "clerk"], &["search", "x"], &["graph"]] {
        project.stdout(&[arguments, &["--platform", "jira"]].concat());
    }
}

#[test]
fn a_team_that_nothing_names_is_reported() {
    let project = TestProject::with_role();
    for command in [&["list"][..], &["config", "show"]] {
        let run = project.run(&[command, &["--team", "nope"]].concat());
        run.said(&["unknown team `nope`"]);
    }
    let project = project
        .file("contexts/standards/standards-a.md", "---\nwhen: { team: backend }\n---\n# A\n");
    let run = project.run(&["list", "--team", "backend"]);
    assert!(run.stdout.contains("standard/a") && run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn a_broken_configuration_stops_all_that_it_decides() {
    let broken = "access: { user: alice, groups: 5 }\n";
    let project = TestProject::with_role()
        .file("contexts/standards/standards-titles.md", "# Titles\n")
        .file(".faber/config.yml", broken);
    let others = [
        &["stats", "--by", "context"][..],
        &["tune"],
        &["new", "overlay", "standard/titles", "--layer", "organization"],
    ];
    for arguments in VIEWS.into_iter().chain(others) {
        let run = project.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        run.said(&["invalid-config", "fix the configuration, which decides what may be seen"]);
    }
    let project = TestProject::with_role().env("FABER_OVERLAYS_ENABLED", "no");
    project.run(&["list"]).refused(2, &["invalid-config"]);
}

#[test]
fn flags_without_effect_are_refused() {
    let project = TestProject::with_role();
    for (arguments, words) in [
        (&["new", "role", "x", "--category", "standard"][..], "`--category` has no effect"),
        (&["new", "task", "x", "--layer", "teams/a"], "`--layer` has no effect"),
        (&["new", "role", "x", "--role", "clerk"], "`--role` has no effect"),
        (&["serve", "--role", "nope"], "unknown role `nope`"),
        (&["config", "show"], "invalid-config"),
    ] {
        let project = match arguments[0] {
            "config" => TestProject::with_role().file(".faber/config.yml", "settings: [\n"),
            _ => TestProject::with_role(),
        };
        let run = project.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        run.said(&[words]);
    }
    let missing = project.run(&["assemble", "--check", "none.md"]);
    assert_eq!(missing.code, 1);
    missing.said(&["`none.md` does not exist; write it with `--output`"]);
}
