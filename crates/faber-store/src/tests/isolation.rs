//! Each of the two access checks suffices.

use std::collections::BTreeMap;

use super::*;
use faber_core::resolve::view::AccessRule;

const USERS: [&str; 6] = ["ann", "bob", "cid", "dee", "eve", "o'neil:\"x\\"];
const GROUPS: [&str; 5] = ["eng", "sales", "law", "a,b", "\"quoted\""];

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn principal(&mut self) -> Principal {
        let user = (self.next(4) > 0).then(|| USERS[self.next(USERS.len())].to_owned());
        let groups =
            (0..self.next(3)).map(|_| GROUPS[self.next(GROUPS.len())].to_owned()).collect();
        Principal::new(user, groups)
    }

    fn rule(&mut self) -> AccessRule {
        let owner = (self.next(4) == 0).then(|| USERS[self.next(USERS.len())].to_owned());
        let count = if self.next(2) == 0 { 0 } else { 1 + self.next(2) };
        let groups = (0..count).map(|_| GROUPS[self.next(GROUPS.len())].to_owned()).collect();
        AccessRule { owner, groups }
    }
}

fn front_matter(rule: &AccessRule) -> String {
    let owner = rule.owner.as_ref().map(|owner| {
        format!("owner: {}\nvisibility: private\n", serde_json::to_string(owner).unwrap())
    });
    let groups = (!rule.groups.is_empty())
        .then(|| format!("groups: {}\n", serde_json::to_string(&rule.groups).unwrap()));
    format!("---\n{}{}---\n", owner.unwrap_or_default(), groups.unwrap_or_default())
}

fn workspace(random: &mut Random) -> (TestWorkspace, BTreeMap<String, AccessRule>) {
    let workspace = TestWorkspace::new(&[]);
    let mut rules = BTreeMap::new();
    let mut write = |path: String, random: &mut Random| {
        let rule = random.rule();
        let marker = format!("marker{}x", rules.len());
        let text = format!(
            "{}# Topic {marker}\n\nShared words about keys and rotation, {marker}.\n",
            front_matter(&rule)
        );
        workspace.write(&path, &text);
        rules.insert(marker, rule);
    };
    for at in 0..40 {
        write(format!("contexts/standards/standard-s{at}.md"), random);
        if at % 2 == 0 {
            write(
                format!(".faber/overlays/organization/contexts/standards/standard-s{at}.md"),
                random,
            );
        }
        if at % 4 == 0 {
            write(format!(".faber/history/h{at}.md"), random);
        }
    }
    (workspace, rules)
}

fn leaks(
    found: &[(String, String)],
    rules: &BTreeMap<String, AccessRule>,
    principal: &Principal,
) -> Vec<String> {
    let hidden = rules.iter().filter(|(_, rule)| !rule.allows(principal));
    let shown = |marker: &&String| found.iter().any(|(_, text)| text.contains(marker.as_str()));
    hidden.map(|(marker, _)| marker).filter(shown).cloned().collect()
}

fn cases() -> usize {
    std::env::var("FABER_STORE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(400)
}

fn ask(
    store: &mut Store,
    random: &mut Random,
    who: &Principal,
    has_wall: bool,
) -> Vec<(String, String)> {
    let ids = ["standard/s0", "standard/s2#topic", "history/h4", "standard/s39"];
    let ids = ids.map(str::to_owned);
    let text = ["keys rotation", "shared words", "marker7x topic", "unrelated question"];
    let wanted = match random.next(3) {
        0 => StoreQuestion::All,
        1 => StoreQuestion::Ids(&ids[random.next(ids.len())..]),
        _ => StoreQuestion::Question { text: text[random.next(text.len())], weights: WEIGHTS },
    };
    texts(&store.ask_with(asker(who, &[]), wanted, has_wall).unwrap())
}

#[test]
fn either_wall_alone_hides_everything_that_is_hidden() {
    let Some(database) = Database::new() else { return };
    let mut random = Random(20_260_115);
    let (workspace, rules) = workspace(&mut random);
    let mut store = database.initialized();
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let mut shown = 0;
    for case in 0..cases() / 2 {
        let who = random.principal();
        let found = ask(&mut store, &mut random, &who, false);
        shown += found.len();
        assert_eq!(leaks(&found, &rules, &who), [""; 0], "case {case}: {who:?}");
    }
    for table in ["spaces", "audiences", "items", "postings", "documents", "units"] {
        database.execute(&format!("ALTER TABLE faber.{table} DISABLE ROW LEVEL SECURITY"));
    }
    for case in 0..cases() / 2 {
        let who = random.principal();
        let found = ask(&mut store, &mut random, &who, true);
        shown += found.len();
        assert_eq!(leaks(&found, &rules, &who), [""; 0], "case {case}: {who:?}");
    }
    assert!(shown > cases(), "{shown}");
    let anonymous = Principal::default();
    let all = texts(&store.ask_with(asker(&anonymous, &[]), StoreQuestion::All, false).unwrap());
    assert!(!leaks(&all, &rules, &anonymous).is_empty());
}

#[test]
fn a_principal_sees_all_that_it_may_see() {
    let Some(database) = Database::new() else { return };
    let mut random = Random(7);
    let (workspace, _) = workspace(&mut random);
    let mut store = database.initialized();
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    let one = [SpaceName::parse("acme/orbit").unwrap()];
    for _ in 0..30 {
        let who = random.principal();
        let stored = texts(&store.ask(asker(&who, &one), StoreQuestion::All).unwrap());
        let session = workspace.session();
        let settings =
            Settings { principal: Some(who.clone()), no_user: true, ..session.settings().clone() };
        let mut opened = session.with_settings(settings).workspace();
        let reading =
            faber_tools::search::view::read(&mut opened, &IndexRequest::default()).unwrap();
        let own: Vec<(String, String)> = (0..reading.texts.len())
            .map(|at| {
                let text = reading.texts[at].text(&opened.sources);
                (reading.view.items.get(at).id, text.body.to_owned())
            })
            .collect();
        let stored: BTreeMap<_, _> = stored.into_iter().collect();
        assert_eq!(stored, own.into_iter().collect::<BTreeMap<_, _>>(), "{who:?}");
    }
}

#[test]
fn tables_show_no_row_to_strangers() {
    let Some(database) = Database::new() else { return };
    let mut random = Random(3);
    let (workspace, _) = workspace(&mut random);
    let mut store = database.initialized();
    workspace.push(&mut store, "acme/orbit", "1").unwrap();
    database.execute(
        "DO $$ BEGIN CREATE ROLE faber_stranger LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; \
         GRANT faber_reader TO faber_stranger",
    );
    let url = database.url.replace("//faber@", "//faber_stranger@");
    let stranger = Store::connect(&StoreAddress::parse(&url, &[]).unwrap()).unwrap();
    let count = |sql: &str| {
        let rows = stranger.runtime.block_on(stranger.client.query(sql, &[])).unwrap();
        rows.iter().map(|row| row.get::<_, i64>(0)).sum::<i64>()
    };
    for table in ["spaces", "audiences", "items", "postings", "documents", "units"] {
        let sql = format!("SELECT count(*) FROM faber.{table}");
        assert_eq!(count(&sql), 0, "{table}");
        let set = "BEGIN; SELECT faber.introduce('user:ann', '[\"eng\"]', '*')";
        stranger.runtime.block_on(stranger.client.batch_execute(set)).unwrap();
        assert!(count(&sql) > 0, "{table}");
        stranger.runtime.block_on(stranger.client.batch_execute("COMMIT")).unwrap();
        assert_eq!(count(&sql), 0, "{table}");
    }
    for sql in [
        "DELETE FROM faber.items",
        "SELECT * FROM faber.audit",
        "SET ROLE faber_admin",
        "SET ROLE faber_writer",
        "UPDATE faber.audiences SET rules = '[]'",
        "ALTER TABLE faber.items DISABLE ROW LEVEL SECURITY",
    ] {
        let denied = stranger.runtime.block_on(stranger.client.batch_execute(sql));
        assert!(denied.is_err(), "{sql}");
    }
}
