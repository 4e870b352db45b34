//! `.ci/postgres run` starts PostgreSQL; else skipped.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests build workspaces, run servers and say what they skip"
)]

mod failures;
mod isolation;

use std::sync::atomic::{AtomicU32, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::*;
use faber_core::config::Weights;
use faber_output::streams::Streams;
use faber_session::session::Session;
use faber_session::settings::Settings;
use faber_tools::search::scope::Scope;
use faber_tools::search::stored;
use faber_tools::search::view::IndexRequest;

struct Database {
    url: String,
    address: StoreAddress,
}

impl Database {
    fn new() -> Option<Self> {
        let Ok(server) = std::env::var("FABER_TEST_POSTGRES") else {
            println!("skipped: no PostgreSQL; `.ci/postgres run cargo test` starts one");
            return None;
        };
        Some(Self::on(&server))
    }

    fn on(server: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("faber_{}_{number}", std::process::id());
        execute(server, &format!("CREATE DATABASE {name}"));
        let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
        let address = StoreAddress::parse(&url, &[]).unwrap();
        Self { url, address }
    }

    fn store(&self) -> Store {
        Store::connect(&self.address).unwrap()
    }

    fn initialized(&self) -> Store {
        let mut store = self.store();
        store.migrate(true).unwrap();
        store
    }

    fn execute(&self, sql: &str) {
        execute(&self.url, sql);
    }

    fn numbers(&self, sql: &str) -> Vec<i64> {
        let address = StoreAddress::parse(&self.url, &[]).unwrap();
        let store = Store::connect(&address).unwrap();
        let rows = store.runtime.block_on(store.client.query(sql, &[])).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

fn execute(url: &str, sql: &str) {
    let address = StoreAddress::parse(url, &[]).unwrap();
    let store = Store::connect(&address).unwrap();
    store.runtime.block_on(store.client.batch_execute(sql)).unwrap();
}

struct TestWorkspace {
    folder: TempDir,
}

impl TestWorkspace {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix("faber-store-").unwrap();
        let workspace = Self { folder };
        std::fs::create_dir(workspace.root().join(".faber")).unwrap();
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn session(&self) -> Session {
        let root: Utf8PathBuf = self.root().to_owned();
        let settings = Settings { cwd: root.clone(), start: root, ..Settings::default() };
        Session::open(&settings).unwrap()
    }

    fn view(&self) -> StoredView {
        let session = self.session();
        let (mut out, mut err) = (std::io::sink(), std::io::sink());
        let settings = session.settings();
        let input = &mut std::io::empty();
        let mut streams = Streams { out: &mut out, err: &mut err, input, settings };
        stored::read(&session, &IndexRequest::default(), &mut streams).unwrap()
    }

    fn push(&self, store: &mut Store, space: &str, revision: &str) -> Result<Pushed, StoreError> {
        let space = SpaceName::parse(space).unwrap();
        let retention = Retention::default();
        let request = PushRequest { space: &space, revision, by: "test", retention };
        store.push(request, self.view())
    }
}

fn asker<'a>(principal: &'a Principal, spaces: &'a [SpaceName]) -> Requester<'a> {
    let today = jiff::civil::date(2026, 1, 15);
    Requester { principal, spaces, today, role: None, scope: Scope::All, category: None }
}

const WEIGHTS: Weights = Weights { semantic: 0.35, keyword: 0.65 };

fn found(store: &mut Store, principal: &Principal, text: &str) -> Vec<(String, String)> {
    let wanted = StoreQuestion::Question { text, weights: WEIGHTS };
    texts(&store.ask(asker(principal, &[]), wanted).unwrap())
}

fn texts(answer: &StoreAnswer) -> Vec<(String, String)> {
    let items = answer.candidates.items.iter();
    items.map(|item| (item.id().to_owned(), item.text().to_owned())).collect()
}

fn principal(text: &str) -> Principal {
    Principal::parse(text).unwrap_or_default()
}

#[test]
fn a_push_writes_only_what_changed() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let first = "# Rotation\n\nRotate API keys every 90 days.\n";
    let workspace = TestWorkspace::new(&[
        ("contexts/standards/standard-keys.md", first),
        ("contexts/standards/standard-tea.md", "# Tea\n\nSteep it for four minutes.\n"),
    ]);
    let done = workspace.push(&mut store, "acme/orbit", "1").unwrap();
    assert_eq!((done.added, done.changed, done.removed, done.unchanged), (2, 0, 0, 0));
    let again = workspace.push(&mut store, "acme/orbit", "2").unwrap();
    assert_eq!((again.added, again.changed, again.unchanged, again.lists), (0, 0, 2, 0));
    workspace.write("contexts/standards/standard-tea.md", "# Tea\n\nSteep it for three minutes.\n");
    let changed = workspace.push(&mut store, "acme/orbit", "3").unwrap();
    assert_eq!((changed.added, changed.changed, changed.unchanged), (0, 1, 1));
    assert!((1..6).contains(&changed.lists), "{changed:?}");
    std::fs::remove_file(workspace.root().join("contexts/standards/standard-keys.md")).unwrap();
    let removed = workspace.push(&mut store, "acme/orbit", "4").unwrap();
    assert_eq!((removed.removed, removed.unchanged), (1, 1));
    let left = found(&mut store, &Principal::default(), "rotate keys");
    assert!(left.iter().all(|(id, _)| id.ends_with("standard/tea")), "{left:?}");
    let status = store.status().unwrap();
    assert_eq!((status.spaces[0].revision.as_str(), status.spaces[0].items), ("4", 1));
    assert_eq!(store.drop_space(&SpaceName::parse("acme/orbit").unwrap()).unwrap(), Some(1));
    assert_eq!(store.drop_space(&SpaceName::parse("acme/orbit").unwrap()).unwrap(), None);
    let rows = "SELECT count(*) FROM faber.items UNION ALL SELECT count(*) FROM faber.postings \
        UNION ALL SELECT count(*) FROM faber.units UNION ALL SELECT count(*) FROM faber.documents";
    assert_eq!(database.numbers(rows), [0; 4]);
}

#[test]
fn several_spaces_are_asked_and_ids_say_which() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    for (space, days) in [("acme/one", 30), ("acme/two", 90), ("other/three", 60)] {
        let text = format!("# Rotation\n\nRotate API keys every {days} days.\n");
        let workspace = TestWorkspace::new(&[("contexts/standards/standard-keys.md", &text)]);
        workspace.push(&mut store, space, "1").unwrap();
    }
    let all = found(&mut store, &Principal::default(), "rotate keys");
    let ids: Vec<&str> = all.iter().map(|(id, _)| &**id).collect();
    let expected = ["one", "two"].map(|space| format!("@space:acme/{space}/standard/keys"));
    assert_eq!(ids, [&*expected[0], &*expected[1], "@space:other/three/standard/keys"]);
    let anonymous = Principal::default();
    let two = [SpaceName::parse("acme/two").unwrap()];
    let wanted = StoreQuestion::Question { text: "rotate keys", weights: WEIGHTS };
    let answer = store.ask(asker(&anonymous, &two), wanted).unwrap();
    let found = texts(&answer);
    assert_eq!((found.len(), &*found[0].0), (1, "standard/keys"));
    let id = ["@space:acme/one/standard/keys#rotation".to_owned()];
    let one = [SpaceName::parse("acme/one").unwrap()];
    let expanded = store.ask(asker(&anonymous, &one), StoreQuestion::Ids(&id)).unwrap();
    assert!(texts(&expanded)[0].1.contains("30 days"));
    let none = [SpaceName::parse("acme/none").unwrap()];
    let refused = store.ask(asker(&anonymous, &none), StoreQuestion::All).err().unwrap();
    let unknown = "the store has no space `acme/none` that you may see";
    assert_eq!(refused.to_string(), unknown);
    let both = [one, none].concat();
    let answer = store.ask(asker(&anonymous, &both), StoreQuestion::All).unwrap();
    assert_eq!(answer.notes, [unknown]);
}

fn line(day: &str, ids: &[&str]) -> LogLine {
    LogLine {
        origin: "s".to_owned(),
        at: format!("{day}T00:00:00Z").parse().unwrap(),
        principal: None,
        tool: "search_context".to_owned(),
        ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        text: format!("{{\"time\":\"{day}\",\"ids\":{ids:?}}}"),
        number: 1,
    }
}

#[test]
fn questions_in_other_languages_and_other_words_find_candidates() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let workspace = TestWorkspace::new(&[
        (
            "contexts/standards/standard-invoices.md",
            "# Invoices\n\nInvoices are archived for ten years.\n",
        ),
        ("contexts/standards/standard-deploy.md", "# Rollout\n\nKubernetes restarts the pods.\n"),
    ]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    database.execute("DROP TABLE faber.units; DELETE FROM faber.migrations WHERE number >= 1000");
    for (question, text) in [
        ("Wie lange werden Rechnungen archiviert?", "ten years"),
        ("Which k8s version?", "Kubernetes"),
        ("Who restarts the pods? How long are invoices archived?", "ten years"),
    ] {
        let all = found(&mut store, &Principal::default(), question);
        assert!(all.iter().any(|(_, it)| it.contains(text)), "{question}: {all:?}");
    }
}

#[test]
fn what_is_forgotten_is_gone_with_its_terms() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let owned = "---\nowner: bob\nvisibility: private\n---\n# Note\n\nBob prefers wolframite.\n";
    let said = "{\"owner\":\"bob\",\"visibility\":\"private\",\"role\":\"user\",\"content\":\"zirconium please\"}\n";
    let workspace = TestWorkspace::new(&[
        ("contexts/standards/standard-tea.md", "# Tea\n\nSteep wolframite for four minutes.\n"),
        (".faber/history/note.md", owned),
        (".faber/history/chat.jsonl", said),
        (
            ".faber/history/made.md",
            "---\nderived_from: [history/chat.jsonl#1]\n---\nUse zirconium.\n",
        ),
        (
            ".faber/history/other.md",
            "---\nderived_from: [history/chat2.jsonl#1]\n---\nUse basalt.\n",
        ),
    ]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let log =
        [&["@space:acme/orbit/history/chat.jsonl#1~2"][..], &["history/made"], &["history/other"]];
    let log = log.map(|ids| line("2026-01-01", ids));
    store.ship(&log).unwrap();
    let bob = principal("bob");
    assert_eq!(found(&mut store, &bob, "wolframite").len(), 2);
    assert_eq!(found(&mut store, &bob, "zirconium").len(), 2);
    assert_eq!(found(&mut store, &principal("eve"), "zirconium").len(), 1);
    let done = store.forget(ErasureSubject::Conversation("history/chat.jsonl")).unwrap();
    assert_eq!((done.items, done.documents, done.audit_lines, done.left), (2, 2, 2, 0));
    let done = store.forget(ErasureSubject::Owner("bob")).unwrap();
    assert_eq!((done.items, done.documents, done.left), (1, 1, 0));
    assert_eq!(found(&mut store, &bob, "wolframite").len(), 1);
    let traces = "SELECT count(*) FROM faber.postings WHERE stem LIKE 'zircon%' UNION ALL \
        SELECT count(*) FROM faber.items WHERE convert_from(body, 'UTF8') LIKE '%Bob%' UNION ALL \
        SELECT count(*) FROM faber.documents WHERE convert_from(body, 'UTF8') LIKE '%bob%'";
    assert_eq!(database.numbers(traces), [0; 3]);
}

#[test]
fn what_is_too_old_is_erased_and_does_not_come_back() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let note =
        |day: &str, word: &str| format!("---\nupdated: {day}\n---\n# Note\n\nAbout {word}.\n");
    let said = |day: &str, word: &str| {
        let text = format!("{word} {}", "x ".repeat(800));
        format!("{{\"role\":\"user\",\"content\":\"{text}\",\"created_at\":\"{day}T10:00:00Z\"}}\n")
    };
    let brief = (said("2025-01-01", "galena") + &said("2026-01-01", "olivine")).replace("x ", "");
    let chat = said("2025-01-01", "zirconium") + &said("2026-01-01", "feldspar");
    let workspace = TestWorkspace::new(&[
        (
            "contexts/standards/standard-tea.md",
            "---\nupdated: 2020-01-01\n---\n# Tea\n\nSteep it.\n",
        ),
        (".faber/history/old.md", &note("2025-01-01", "wolframite")),
        (".faber/history/new.md", &note("2026-01-01", "cinnabar")),
        (".faber/history/chat.jsonl", &chat),
        (".faber/history/past.jsonl", &said("2025-01-01", "galena")),
        (".faber/history/brief.jsonl", &brief),
    ]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let log = [line("2025-06-30", &[]), line("2025-07-01", &[])];
    assert_eq!(store.ship(&log).unwrap(), 2);
    let first = Some(jiff::civil::date(2025, 7, 1));
    let retention = Retention { history: first, memories: first, audit: first };
    let done = store.prune(&retention).unwrap();
    assert_eq!(done, Pruned { history: 3, memories: 1, audit_lines: 1 });
    let words = ["zirconium", "wolframite", "galena", "olivine", "feldspar", "cinnabar", "steep"];
    let counts = |store: &mut Store| {
        words.map(|word| {
            let all = found(store, &Principal::default(), word);
            all.iter().filter(|(_, text)| text.to_lowercase().contains(word)).count()
        })
    };
    assert_eq!(counts(&mut store), [0, 0, 0, 1, 1, 1, 1]);
    let traces = "SELECT count(*) FROM faber.documents WHERE convert_from(body, 'UTF8') ~ 'zirconium|wolfram|galena'";
    assert_eq!(database.numbers(traces), [0]);
    assert_eq!(database.numbers("SELECT count(*) FROM faber.documents"), [4]);
    assert_eq!(store.prune(&retention).unwrap(), Pruned::default());
    let again = workspace.push(&mut store, "acme/orbit", "2").unwrap();
    assert_eq!((again.added, again.changed, again.expired), (0, 0, 4));
    assert_eq!(store.ship(&log).unwrap(), 0);
    assert_eq!((counts(&mut store), database.numbers(traces)), ([0, 0, 0, 1, 1, 1, 1], vec![0]));
    store.prune(&Retention { memories: None, ..retention }).unwrap();
    workspace.push(&mut store, "acme/orbit", "3").unwrap();
    assert_eq!(counts(&mut store), [0, 1, 0, 1, 1, 1, 1]);
}

#[test]
fn lists_of_many_spaces_are_sorted() {
    let Some(database) = Database::new() else { return };
    let mut store = database.initialized();
    let words: Vec<String> = (0..300).map(|number| format!("word{number}x")).collect();
    let text = format!("# Rotation\n\nRotate API keys. {}\n", words.join(" "));
    let workspace = TestWorkspace::new(&[("contexts/standards/standard-keys.md", &text)]);
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    database.execute(
        "INSERT INTO faber.audiences (space, space_name, rules, items) SELECT space, space_name, \
            jsonb_build_array(jsonb_build_object('owner', number)), items \
            FROM faber.audiences, generate_series(1, 60) AS number; \
         INSERT INTO faber.postings (stem, audience, items, data) SELECT p.stem, a.id, p.items, p.data \
            FROM faber.postings p, faber.audiences a WHERE a.id <> p.audience ORDER BY a.id, p.stem",
    );
    let anonymous = Principal::default();
    let before = found(&mut store, &anonymous, "rotate keys");
    assert!(store.migrate(false).unwrap().sorted_lists);
    assert!(!store.migrate(false).unwrap().sorted_lists);
    assert_eq!(found(&mut store, &anonymous, "rotate keys"), before);
}
