use super::project;

#[test]
fn a_note_is_a_draft_with_its_provenance() {
    let project = project().file(
        ".faber/history/chat.jsonl",
        "{\"role\":\"user\",\"content\":\"We deploy on Tuesdays.\"}\n",
    );
    let id =
        project.note(&["We deploy on Tuesdays.", "--from", "chat#1", "--tags", "deploy,release"]);
    let file = project.note_file(&id);
    assert_eq!(
        file,
        "---\nstatus: draft\nowner: ann\nupdated: 2026-03-01\ntags: [deploy, release]\n\
         derived_from: [\"history/chat.jsonl#1\"]\n---\n\nWe deploy on Tuesdays.\n"
    );
    assert!(id.starts_with("history/2026-03-01-we-deploy-on-tuesdays-"), "{id}");
    let run = project.run(&["validate"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    let run =
        project.run_with_input(&["remember", "-", "--from", "a talk"], "Reviews take a day.\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(project.note_file(run.stdout.trim()).contains("derived_from: [a talk]"));
}

#[test]
fn a_draft_is_not_used() {
    let project = project();
    let id = project.note(&["Zebras are striped on both sides."]);
    for command in [
        &["search", "striped zebras"][..],
        &["query", "are zebras striped?"],
        &["catalog"],
        &["catalog", "--scope", "historical"],
        &["list", "contexts"],
        &["assemble", "clerk", "--request", "which animals are striped on both sides?"],
        &["graph"],
    ] {
        let run = project.run(command);
        let said = run.stdout.to_lowercase();
        assert!(!said.contains("zebras are striped"), "{command:?}: {}", run.stdout);
    }
    assert_eq!(project.run(&["expand", &id]).code, 2);
    project.stdout(&["approve", &id]);
    assert!(project.stdout(&["search", "striped zebras"]).contains("striped on both sides"));
    assert!(project.stdout(&["expand", &id]).contains("striped"));
}

#[test]
fn what_is_known_is_refused_and_what_contradicts_is_named() {
    let project = project();
    for (text, place) in [
        ("access tokens expire after **30 minutes**", "standard/tokens"),
        ("Install packages with npm; access tokens expire after 30 minutes.", "standard/tokens"),
    ] {
        let run = project.run(&["remember", text]);
        assert_eq!((run.code, &*run.stdout), (1, ""), "{}", run.stderr);
        assert!(run.stderr.contains(place) && run.stderr.contains(":6"), "{}", run.stderr);
    }
    assert!(project.history().is_empty());
    let long =
        "Access tokens expire after 30 minutes. ".repeat(12) + "Mail is sent by the ops team.";
    let run = project.run(&["remember", &long]);
    assert_eq!(run.code, 0, "its end is new: {}", run.stderr);
    let run = project.run(&["remember", "Use pnpm to install packages."]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("contradicts standard/tokens"), "{}", run.stderr);
    assert!(project.note_file(run.stdout.trim()).contains("contradicts: [standard/tokens]"));
    let draft = project.run(&["remember", "pnpm is used to install packages"]);
    assert!(draft.code == 1 && draft.stderr.contains(run.stdout.trim()), "{}", draft.stderr);
    project.stdout(&["reject", run.stdout.trim()]);
    let rejected = project.run(&["remember", "use pnpm to install packages"]);
    assert!(
        rejected.code == 1 && rejected.stderr.contains(run.stdout.trim()),
        "{}",
        rejected.stderr
    );
}

#[test]
fn hidden_contexts_and_notes_are_not_named() {
    let project = project();
    let text = "Salaries are paid on the first of the month.";
    let run = project.run(&["remember", text, "--as", "bob"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stderr.contains("salaries"), "{}", run.stderr);
    let other =
        project.run(&["remember", "Salaries are paid on the third of the month.", "--as", "eve"]);
    assert!(!other.stderr.contains("reference/salaries"), "{}", other.stderr);
    let known = project.run(&["remember", text, "--as", "cleo:board"]);
    assert_eq!(known.code, 1);
    assert!(known.stderr.contains("reference/salaries"), "{}", known.stderr);
    let secret = project.note(&["The vault is in room four.", "--private"]);
    let run = project.run(&["remember", "the vault is in room four", "--as", "bob"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!project.stdout(&["review", "--as", "bob"]).contains(&secret));
    for command in ["approve", "reject"] {
        let run = project.run(&[command, &secret, "--as", "bob"]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("unknown draft"), "{}", run.stderr);
    }
    assert_eq!(project.run(&["remember", "x y z", "--from", "history/none.jsonl#1"]).code, 2);
}

#[test]
fn a_shared_note_names_nothing_that_is_hidden_from_others() {
    let project = project()
        .file(
            "contexts/references/reference-cards.md",
            "---\nowner: ann\nvisibility: private\n---\n# Cards\n\nBusiness cards are printed on Mondays.\n",
        )
        .file(
            ".faber/history/own.jsonl",
            "{\"role\":\"user\",\"content\":\"Otters swim.\",\"owner\":\"ann\",\"visibility\":\"private\"}\n",
        );
    for (text, user, id) in [
        ("Business cards are printed on Fridays.", "ann", "reference/cards"),
        ("Salaries are paid on the third of the month.", "cleo:board", "reference/salaries"),
    ] {
        let run = project.run(&["remember", text, "--as", user]);
        assert!(run.stderr.contains(&format!("contradicts {id}")), "{}", run.stderr);
        let file = project.note_file(run.stdout.trim());
        assert!(!file.contains("private") && !file.contains(id), "{file}");
    }
    let own = project.note(&["Business cards are printed on Sundays.", "--private"]);
    assert!(project.note_file(&own).contains("contradicts: [reference/cards]"));
    let derived = project.note(&["Otters swim in rivers.", "--from", "history/own.jsonl#1"]);
    assert!(project.note_file(&derived).contains("owner: ann\nvisibility: private\n"));
}

#[cfg(unix)]
#[test]
fn a_private_note_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let project = project();
    let id = project.note(&["My desk is by the window.", "--private"]);
    assert!(!project.history().concat().contains("desk"), "everyone who lists the folder reads it");
    let path = project.path(&format!(".faber/{id}.md"));
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    assert!(project.note_file(&id).contains("owner: ann\nvisibility: private\n"));
    project.stdout(&["approve", &id]);
    assert_eq!(mode(), 0o600);
    assert!(project.stdout(&["search", "desk window"]).contains("by the window"));
    assert!(
        !project.run(&["search", "desk window", "--as", "bob"]).stdout.contains("by the window")
    );
}

#[test]
fn scopes_are_conditions() {
    let project = project().file(".faber/config.yml", "settings: { team: mail }\n");
    let area = project.note(&["Clerks wear badges.", "--scope", "area"]);
    assert!(project.note_file(&area).contains("when: { role: clerk }\n"));
    let team = project.note(&["Mail is sorted twice.", "--scope", "team"]);
    assert!(project.note_file(&team).contains("when: { team: mail }\n"));
    project.stdout(&["approve", &team]);
    assert!(project.stdout(&["search", "mail sorted twice"]).contains("sorted twice"));
    let other = project.run(&["search", "mail sorted twice", "--team", "law"]);
    assert!(!other.stdout.contains("sorted twice"), "{}", other.stdout);
}

#[test]
fn bad_input_is_refused() {
    let project = project();
    let long = "word ".repeat(2000);
    let secret = format!("The key is AKIA{}.", "IOSFODNN7EXAMPLQ");
    for (arguments, said) in [
        (&["remember"][..], "the note is empty"),
        (&["remember", " "], "the note is empty"),
        (&["remember", "# Only a heading"], "the note has no sentence"),
        (&["remember", &long], "bytes"),
        (&["remember", &secret], "secret"),
        (&["remember", "a b c", "--scope", "team"], "needs a team"),
        (&["remember", "a b c", "--scope", "area", "--role", "none"], "unknown role"),
        (&["remember", "a b c", "--tags", "a\nb"], "invalid tag"),
        (&["remember", "a b c", "--scope", "world"], "unknown value `world`"),
    ] {
        let run = project.run(arguments);
        assert_eq!((run.code, &*run.stdout), (2, ""), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
    assert!(project.history().is_empty());
    let nameless = project.env("FABER_ACCESS_USER", "");
    let run = nameless.run(&["remember", "a b c", "--private"]);
    assert!(run.code == 2 && run.stderr.contains("needs a user"), "{}", run.stderr);
}

#[test]
fn two_at_once_do_not_collide() {
    let project = project();
    let texts: Vec<String> = (0..8)
        .map(|at| {
            format!(
                "Counter {} is closed on holiday {}.",
                "abcdefgh".as_bytes()[at % 4] as char,
                at % 4
            )
        })
        .collect();
    let spawn = |text: &String| project.faber(&["remember", text, "--no-cache"]).output();
    std::thread::scope(|scope| {
        let runs: Vec<_> =
            texts.iter().map(|text| scope.spawn(move || spawn(text).unwrap())).collect();
        for run in runs {
            let status = run.join().unwrap().status.code();
            assert!(matches!(status, Some(0 | 1)), "{status:?}");
        }
    });
    assert_eq!(project.history().len(), 4, "{:?}", project.history());
}

#[test]
fn entries_are_kept_for_so_many_days() {
    let project = project().file(".faber/config.yml", "history: { keep_days: 30 }\n").file(
        ".faber/history/chat.jsonl",
        "{\"role\":\"user\",\"content\":\"Otters sleep.\",\"created_at\":\"2026-03-01T10:00:00Z\"}\n",
    );
    let id = project.note(&["Otters hold hands."]);
    project.stdout(&["approve", &id, "--at", "2026-03-01"]);
    let draft = project.note(&["Otters eat urchins."]);
    for (day, is_kept) in [("2026-03-31", true), ("2026-04-01", false)] {
        let found = project.run(&["search", "otters", "--at", day, "--scope", "historical"]).stdout;
        assert_eq!(found.contains("hold hands"), is_kept, "{day}: {found}");
        assert_eq!(found.contains("Otters sleep"), is_kept, "{day}: {found}");
        assert_eq!(project.stdout(&["review", "--at", day]).contains(&draft), is_kept, "{day}");
    }
    let file = project.note_file(&draft).replace("updated:", "valid_to: 2026-03-05\nupdated:");
    let project = project.file(&format!(".faber/{draft}.md"), &file);
    assert!(
        project.stdout(&["review", "--at", "2026-03-06"]).contains("would not be used: valid_to")
    );
    project.stdout(&["approve", &draft, "--at", "2026-03-06"]);
    assert!(
        !project.run(&["search", "urchins", "--at", "2026-03-06"]).stdout.contains("eat urchins")
    );
}

#[test]
fn fields_of_notes_are_validated() {
    let project = project().file(
        ".faber/history/note.md",
        "---\nstatus: aproved\nreviewed: soon\napprovr: bob\nchanges: [a]\n---\n\nText.\n",
    );
    let found = project.run(&["validate", "--verbose"]).stdout;
    for word in ["aproved", "soon", "approvr", "changes"] {
        assert!(found.contains(word), "{word}: {found}");
    }
}

#[test]
fn users_who_remember_the_same_at_once_make_one_draft() {
    let project = project();
    let users: Vec<String> = (0..6).map(|number| format!("user{number}")).collect();
    std::thread::scope(|scope| {
        for user in &users {
            scope.spawn(|| project.run(&["remember", "Zebras are striped.", "--as", user]));
        }
    });
    assert_eq!(project.history().len(), 1, "{:?}", project.history());
}
