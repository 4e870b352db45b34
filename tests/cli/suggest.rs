use crate::project::TestProject;

const DOCKER: &str = "contexts/playbooks/playbook-multi-stage-dockerfile.md";
const DENIED: &str = "contexts/troubleshooting/troubleshooting-uploads.md";

fn project() -> TestProject {
    let filler = |n: u32| {
        let path = format!("contexts/references/reference-part-{n}.md");
        (
            path,
            format!(
                "---\ndescription: Part {n} of the code.\n---\n# Part {n}\n\nThe file with the code of the test.\n"
            ),
        )
    };
    let project = TestProject::with_role()
        .file(
            DOCKER,
            "---\r\ndescription: Build small images with BuildKit. Use when implementing a container.\r\n---\r\n\
             # Multi-stage Dockerfile\r\n\r\nA Dockerfile with BuildKit caches. The code and the test file.\r\n",
        )
        .file(
            DENIED,
            "# Uploads\n\nIt says `permission denied`, and raises UploadQuotaError. Run `git status`.\n",
        )
        .file(
            "contexts/playbooks/playbook-helm.md",
            "---\nkeywords: [helm]\n---\n# Helm\n\nHelm and helm.\n",
        )
        .file("contexts/playbooks/playbook-helm-charts.md", "# Helm charts\n\nHelm charts, helm.\n")
        .file("contexts/standards/standards-prose.md", "# Prose\n\nKubernetes prose, Kubernetes.\n");
    (0..12).map(filler).fold(project, |project, (path, text)| project.file(&path, &text))
}

#[test]
fn distinctive_words_are_suggested_with_the_reason() {
    let project = project();
    let text = project.stdout(&["suggest", "keywords"]);
    for line in [
        "playbook/multi-stage-dockerfile (contexts/playbooks/playbook-multi-stage-dockerfile.md)",
        "in the name, 3 times in all, in no other context",
        "BuildKit",
        "permission denied",
        "UploadQuotaError",
        "playbook/helm-charts",
        "charts",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    for common in
        ["implementing", "  code", "  file", "prose", "git status", "  helm  ", "reference/"]
    {
        assert!(!text.contains(common), "{common} in\n{text}");
    }
    assert_eq!(text, project.stdout(&["suggest", "keywords"]), "it is deterministic");
}

#[test]
fn suggestions_are_data() {
    let project = project();
    let data = project.json(&["suggest", "keywords", "--format", "json", "uploads"]);
    assert_eq!(data["contexts"].as_array().unwrap().len(), 1);
    let errors = data["contexts"][0]["errors"].as_array().unwrap();
    let error = errors.iter().find(|error| error["text"] == "UploadQuotaError").unwrap();
    assert_eq!((&error["found_in"], &error["contexts"]), (&"text".into(), &1.into()));
    assert_eq!(data["written"], serde_json::json!([]));
    project
        .run(&["suggest", "keywords", "upload"])
        .refused(2, &["did you mean `troubleshooting/uploads`?"]);
}

#[test]
fn applied_suggestions_load_their_context_and_change_nothing_else() {
    let project = project();
    let before: Vec<_> = project.files();
    let old = project.text(DOCKER);
    let run = project.run(&["suggest", "keywords", "--apply"]);
    run.said(&["3 files written"]);
    let new = project.text(DOCKER);
    let added = new.lines().find(|line| line.starts_with("keywords: [")).unwrap();
    assert_eq!(new.replace(&format!("{added}\r\n"), ""), old);
    assert!(project.text(DENIED).starts_with("---\nkeywords: [uploads]\nerrors: ["));
    let changed = project.files().into_iter().filter(|file| !before.contains(file)).count();
    assert_eq!(changed, 3);

    let ask = ["assemble", "--request", "Fix the Dockerfile", "--format", "json"];
    let bundle = project.json(&ask);
    let mut docker = bundle["contexts"].as_array().unwrap().iter();
    let docker = docker.find(|it| it["id"] == "playbook/multi-stage-dockerfile").unwrap();
    assert_eq!(docker["reasons"][0]["kind"], "keyword");
    for rule in ["keyword-collision", "unreachable-keyword", "broad-keyword", "invalid-frontmatter"]
    {
        let found = project.run(&["validate", "--format", "concise"]).stdout;
        assert!(!found.contains(rule), "{found}");
    }
    let none = "no suggestions (12 contexts have neither keywords nor errors)\n";
    project.run(&["suggest", "keywords", "--apply"]).said(&[none, "0 files written"]);
    let listed = project.stdout(&["list", "contexts"]);
    let load = |id: &str| {
        let row = listed.lines().find(|line| line.starts_with(id)).unwrap();
        row.split_whitespace().nth(1).unwrap().to_owned()
    };
    assert_eq!([load("playbook/multi"), load("reference/part-1")], ["keyword", "on-demand"]);
}

#[test]
fn front_matter_that_cannot_take_more_is_left_alone() {
    let text = "---\n{description: Deploys with Kubernetes}\n---\n# Kubernetes\n\nKubernetes.\n";
    let project = project().file("contexts/playbooks/playbook-kubernetes.md", text);
    let run = project.run(&["suggest", "keywords", "--apply"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    run.said(&["not written: contexts/playbooks/playbook-kubernetes.md: it has front matter"]);
    assert_eq!(project.text("contexts/playbooks/playbook-kubernetes.md"), text);
}

#[test]
fn nothing_to_suggest_is_said() {
    TestProject::with_role()
        .run(&["suggest", "keywords"])
        .said(&["all contexts that keywords can load"]);
}
