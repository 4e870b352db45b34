use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::Command;
use std::thread::JoinHandle;
use std::time::Instant;

use super::*;

const KEYS: (&str, &str) =
    ("contexts/standards/standard-keys.md", "# Rotation\n\nRotate API keys every 90 days.\n");

struct Server {
    folder: TempDir,
    script: String,
    url: String,
}

impl Server {
    fn start() -> Option<Self> {
        let Ok(script) = std::env::var("FABER_POSTGRES") else {
            println!("skipped: no PostgreSQL; `.ci/postgres run cargo test` starts one");
            return None;
        };
        let folder = TempDir::with_prefix("faber-server-").unwrap();
        let open = Command::new("chmod").arg("a+rx").arg(folder.path()).status().unwrap();
        assert!(open.success());
        let mut server = Self { folder, script, url: String::new() };
        server.url = server.run("start").trim().to_owned();
        Some(server)
    }

    fn run(&self, what: &str) -> String {
        let mut command = Command::new(&self.script);
        let output = command.arg(what).arg(self.folder.path().join("server")).output().unwrap();
        assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ =
            Command::new(&self.script).arg("stop").arg(self.folder.path().join("server")).output();
    }
}

fn is_unavailable(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(_))
}

fn push_slowly(
    database: &Database,
    workspace: TestWorkspace,
    seconds: u32,
) -> JoinHandle<(TestWorkspace, Result<Pushed, StoreError>)> {
    database.execute(&format!(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep({seconds}); RETURN NEW; END'; \
         CREATE TRIGGER slow BEFORE UPDATE ON faber.items FOR EACH ROW EXECUTE FUNCTION slow()",
    ));
    workspace.write(KEYS.0, "# Rotation\n\nRotate API keys every 30 days.\n");
    let address = database.address.clone();
    std::thread::spawn(move || {
        let mut store = Store::connect(&address).unwrap();
        let pushed = workspace.push(&mut store, "acme/orbit", "2");
        (workspace, pushed)
    })
}

#[test]
fn a_killed_server_loses_nothing_and_answers_again() {
    let Some(server) = Server::start() else { return };
    let database = Database::on(&server.url);
    let mut store = database.initialized();
    let workspace = TestWorkspace::new(&[KEYS]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let pushing = push_slowly(&database, workspace, 20);
    std::thread::sleep(Duration::from_secs(2));
    server.run("kill");
    let (workspace, pushed) = pushing.join().unwrap();
    assert!(is_unavailable(&pushed.unwrap_err()));
    let anonymous = Principal::default();
    let wanted = StoreQuestion::Question { text: "rotate keys", weights: WEIGHTS };
    assert!(is_unavailable(&store.ask(asker(&anonymous, &[]), wanted).map(|_| ()).unwrap_err()));
    assert!(store.is_closed());
    assert!(is_unavailable(&Store::connect(&database.address).unwrap_err()));
    server.run("again");
    let mut store = database.store();
    assert!(found(&mut store, &anonymous, "rotate keys")[0].1.contains("90 days"));
    assert_eq!(store.status().unwrap().spaces[0].revision, "1");
    database.execute("DROP TRIGGER slow ON faber.items");
    workspace.push(&mut store, "acme/orbit", "2").unwrap();
    assert!(found(&mut store, &anonymous, "rotate keys")[0].1.contains("30 days"));
}

#[test]
fn a_server_that_does_not_answer_is_away_soon() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("postgres://faber@127.0.0.1:{port}/x?connect_timeout=1");
    let started = Instant::now();
    let error = Store::connect(&StoreAddress::parse(&url, &[]).unwrap()).unwrap_err();
    assert!(is_unavailable(&error), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(3));
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    TestWorkspace::new(&[KEYS]).push(&mut store, "acme/orbit", "1").unwrap();
    let other = database.store();
    let lock = "BEGIN; LOCK TABLE faber.items IN ACCESS EXCLUSIVE MODE";
    other.runtime.block_on(other.client.batch_execute(lock)).unwrap();
    let anonymous = Principal::default();
    let wanted = StoreQuestion::Question { text: "rotate keys", weights: WEIGHTS };
    let error = store.ask(asker(&anonymous, &[]), wanted).map(|_| ()).unwrap_err();
    assert!(is_unavailable(&error), "{error:?}");
    other.runtime.block_on(other.client.batch_execute("ROLLBACK")).unwrap();
    assert_eq!(found(&mut store, &anonymous, "rotate keys").len(), 1);
}

#[test]
fn a_full_disk_changes_nothing() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let workspace = TestWorkspace::new(&[KEYS]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    database.execute(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN RAISE EXCEPTION ''could not extend file: No space left on device'' USING ERRCODE = ''53100''; END'; \
         CREATE TRIGGER full_disk BEFORE INSERT ON faber.postings FOR EACH ROW EXECUTE FUNCTION full_disk()",
    );
    workspace.write(KEYS.0, "# Rotation\n\nRotate API keys with wolframite.\n");
    let error = workspace.push(&mut store, "acme/orbit", "2").unwrap_err();
    assert!(
        matches!(&error, StoreError::Failed(why) if why.contains("No space left")),
        "{error:?}"
    );
    assert!(found(&mut store, &Principal::default(), "keys")[0].1.contains("90 days"));
    assert_eq!(store.status().unwrap().spaces[0].revision, "1");
}

#[test]
fn a_server_without_free_connections_is_away() {
    let Some(database) = Database::new() else { return };
    database.initialized();
    let role = format!("faber_limited_{}", std::process::id());
    database.execute(&format!(
        "CREATE ROLE {role} LOGIN CONNECTION LIMIT 1; GRANT faber_reader TO {role}"
    ));
    let url = database.url.replace("//faber@", &format!("//{role}@"));
    let address = StoreAddress::parse(&url, &[]).unwrap();
    let first = Store::connect(&address).unwrap();
    let error = Store::connect(&address).unwrap_err();
    assert!(
        is_unavailable(&error) && error.to_string().contains("too many connections"),
        "{error:?}"
    );
    drop(first);
    database.execute(&format!("DROP OWNED BY {role}"));
}

#[test]
fn several_migrations_and_pushes_at_once_are_one_after_the_other() {
    let Some(database) = Database::new() else { return };
    let migrations: Vec<_> = (0..4)
        .map(|_| {
            let address = database.address.clone();
            std::thread::spawn(move || Store::connect(&address).unwrap().migrate(true).unwrap())
        })
        .collect();
    let done: Vec<Migrated> = migrations.into_iter().map(|thread| thread.join().unwrap()).collect();
    let applied: usize = done.iter().map(|migrated| migrated.applied.len()).sum();
    assert_eq!(applied, 6, "{done:?}");
    let pushes: Vec<_> = (0..4)
        .map(|number| {
            let address = database.address.clone();
            std::thread::spawn(move || {
                let text = format!("# Rotation\n\nRotate API keys every {number}0 days.\n");
                let workspace = TestWorkspace::new(&[(KEYS.0, &text)]);
                let mut store = Store::connect(&address).unwrap();
                workspace.push(&mut store, "acme/orbit", &number.to_string()).unwrap();
            })
        })
        .collect();
    for thread in pushes {
        thread.join().unwrap();
    }
    let mut store = database.store();
    let revision = store.status().unwrap().spaces[0].revision.clone();
    let all = found(&mut store, &Principal::default(), "rotate keys");
    assert_eq!(all.len(), 1);
    assert!(all[0].1.contains(&format!("{revision}0 days")), "{revision} {all:?}");
}

#[test]
fn programs_of_other_versions_get_clear_errors() {
    let Some(database) = Database::new() else { return };
    let error = database.store().migrate(false).unwrap_err();
    assert_eq!(error.to_string(), "the database has no faber store");
    let error = database.store().status().unwrap_err();
    assert_eq!(error.to_string(), "the database has no faber store");
    let mut store = database.initialized();
    let workspace = TestWorkspace::new(&[KEYS]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let later = "INSERT INTO faber.migrations (number, name, checksum, least_reader, least_writer) \
        VALUES (5, 'later', 'x', 1, 5)";
    database.execute(later);
    assert_eq!(found(&mut store, &Principal::default(), "rotate keys").len(), 1);
    let newer = "the store has schema 5, but this faber supports 4";
    assert_eq!(workspace.push(&mut store, "acme/orbit", "2").unwrap_err().to_string(), newer);
    assert_eq!(store.migrate(false).unwrap_err().to_string(), newer);
    database.execute("UPDATE faber.migrations SET least_reader = 5 WHERE number = 5");
    let anonymous = Principal::default();
    let error = store.ask(asker(&anonymous, &[]), StoreQuestion::All).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), newer);
    database.execute("DELETE FROM faber.migrations WHERE number IN (2, 3, 4, 5)");
    let error = store.ask(asker(&anonymous, &[]), StoreQuestion::All).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the store has schema 1, and this program reads schema 4");
    let error = workspace.push(&mut store, "acme/orbit", "2").unwrap_err();
    assert_eq!(error.to_string(), "the store has schema 1, and this program writes schema 4");
    database.execute("UPDATE faber.migrations SET checksum = 'other' WHERE number = 1");
    let error = store.migrate(false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "migration `knowledge` of the store differs from the one of this faber"
    );
    database.execute(
        "UPDATE faber.spaces SET format = 99; \
         INSERT INTO faber.migrations (number, name, checksum, least_reader, least_writer) \
         VALUES (4, 'visible', 'x', 4, 4)",
    );
    let answer = store.ask(asker(&anonymous, &[]), StoreQuestion::All).unwrap();
    assert_eq!(answer.candidates.items.len(), 0);
    assert_eq!(
        answer.notes,
        ["`acme/orbit` was pushed by another version of faber; push it again"]
    );
}

#[test]
fn a_server_without_pgvector_finds_by_words() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    database.execute("DROP TABLE faber.units; DELETE FROM faber.migrations WHERE number >= 1000");
    TestWorkspace::new(&[KEYS]).push(&mut store, "acme/orbit", "1").unwrap();
    assert!(!store.status().unwrap().has_vectors);
    assert_eq!(found(&mut store, &Principal::default(), "rotate keys").len(), 1);
    let owner = principal("bob");
    assert_eq!(store.forget(ErasureSubject::Owner("bob")).unwrap().left, 0);
    assert_eq!(found(&mut store, &owner, "rotate keys").len(), 1);
    store.migrate(false).unwrap();
    let pushed = TestWorkspace::new(&[KEYS]).push(&mut store, "acme/orbit", "1").unwrap();
    assert_eq!((pushed.changed, pushed.unchanged), (1, 0));
    assert_eq!(database.numbers("SELECT count(*) FROM faber.units"), [1]);
}

#[test]
fn a_space_with_vectors_of_another_model_is_left_out() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    TestWorkspace::new(&[KEYS]).push(&mut store, "acme/orbit", "1").unwrap();
    for change in ["model = 'other'", "dimension = 8"] {
        database.execute(&format!("UPDATE faber.spaces SET {change}"));
        let anonymous = Principal::default();
        let answer = store.ask(asker(&anonymous, &[]), StoreQuestion::All).unwrap();
        assert_eq!((answer.candidates.items.len(), answer.notes.len()), (0, 1), "{change}");
        TestWorkspace::new(&[KEYS]).push(&mut store, "acme/orbit", "1").unwrap();
        assert_eq!(found(&mut store, &anonymous, "rotate keys").len(), 1);
    }
}

#[test]
fn a_push_does_not_write_back_what_is_erased_meanwhile() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let note = "---\nowner: bob\nvisibility: private\n---\n# Note\n\nBob prefers wolframite.\n";
    let workspace = TestWorkspace::new(&[KEYS, (".faber/history/note.md", note)]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let pushing = push_slowly(&database, workspace, 2);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(store.forget(ErasureSubject::Owner("bob")).unwrap().left, 0);
    pushing.join().unwrap().1.unwrap();
    let traces = "SELECT count(*) FROM faber.postings WHERE stem LIKE 'wolfram%' UNION ALL \
        SELECT count(*) FROM faber.items WHERE owner = 'bob'";
    assert_eq!(database.numbers(traces), [0; 2]);
}

#[test]
fn an_extension_that_was_lost_is_added_again() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let place = "SELECT count(*) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
        WHERE e.extname = 'vector' AND n.nspname = 'public'";
    assert_eq!(database.numbers(place), [1], "no part of the schema that is backed up");
    let workspace = TestWorkspace::new(&[KEYS]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    for loss in ["DROP EXTENSION vector CASCADE", "DROP TABLE faber.units"] {
        database.execute(loss);
        assert!(!store.status().unwrap().has_vectors);
        assert_eq!(found(&mut store, &Principal::default(), "rotate keys").len(), 1);
        assert_eq!(store.migrate(false).unwrap().applied, ["vectors", "vectors-visible"]);
        assert_eq!(workspace.push(&mut store, "acme/orbit", "1").unwrap().changed, 1);
        assert_eq!(database.numbers("SELECT count(*) FROM faber.units"), [1]);
    }
    assert_eq!(store.status().unwrap().unprotected, [""; 0]);
    database.execute("ALTER TABLE faber.items NO FORCE ROW LEVEL SECURITY");
    assert_eq!(store.status().unwrap().unprotected, ["items"]);
}

#[test]
fn names_that_no_database_takes_stop_neither_a_push_nor_a_question() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let hidden = |access: &str| format!("---\n{access}\n---\n# Note\n\nAbout wolframite.\n");
    let workspace = TestWorkspace::new(&[
        KEYS,
        ("contexts/standards/standard-a.md", &hidden("owner: \"a\\0b\"\nvisibility: private")),
        ("contexts/standards/standard-b.md", &hidden("groups: [\"x\\0y\"]")),
        ("contexts/standards/standard-c.md", &hidden("updated: 0000-01-01")),
        ("contexts/standards/standard-d.md", &hidden("valid_to: 0000-01-01")),
        ("contexts/standards/standard-e.md", &hidden("valid_to: 9999-12-31")),
    ]);
    let pushed = workspace.push(&mut store, "acme/orbit", "1").unwrap();
    assert!((3..=4).contains(&pushed.added), "{pushed:?}");
    let all = found(&mut store, &Principal::default(), "wolframite");
    assert_eq!(all.len(), 2, "{all:?} {pushed:?}");
    let id = ["standard/\0keys".to_owned()];
    let anonymous = Principal::default();
    let answer = store.ask(asker(&anonymous, &[]), StoreQuestion::Ids(&id)).unwrap();
    assert_eq!(answer.candidates.items.len(), 0);
    let zero = Principal::new(Some("a\0b".to_owned()), BTreeSet::new());
    let error = store.ask(asker(&zero, &[]), StoreQuestion::All).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("zero byte"), "{error}");
}
