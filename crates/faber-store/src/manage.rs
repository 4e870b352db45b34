//! Status, removal of spaces, copies of source files, and erasure.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tokio_postgres::{Client, Transaction};

use crate::ask::introduce;
use crate::connect::{Purpose, begin};
use crate::error::StoreError;
use crate::postings;
use crate::schema::{self, MANY_UNITS};
use crate::space::SpaceName;
use faber_core::resolve::view::{AccessRule, Principal};

/// The state of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreStatus {
    /// The highest migration.
    pub migration: i32,
    /// Whether passages are found by meaning too.
    pub has_vectors: bool,
    /// Whether `faber store migrate` would make an index of vectors.
    pub wants_index: bool,
    /// The size of all tables with their indexes.
    pub bytes: i64,
    /// Lines of audit logs.
    pub audit_lines: i64,
    pub spaces: Vec<SpaceStatus>,
}

/// The state of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpaceStatus {
    pub name: String,
    pub revision: String,
    pub items: i64,
    pub units: i64,
    pub pushed_at: String,
    pub pushed_by: String,
}

pub(crate) async fn status(client: &mut Client) -> Result<StoreStatus, StoreError> {
    let transaction = begin(client, Purpose::Administer).await?;
    let state = schema::check(&transaction, false).await?;
    let select = "SELECT s.name, s.revision, \
        coalesce(sum(a.items), 0)::bigint, coalesce(sum(a.units), 0)::bigint, \
        to_char(s.pushed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), s.pushed_by \
        FROM faber.spaces s LEFT JOIN faber.audiences a ON a.space = s.id GROUP BY s.id ORDER BY s.name";
    let rows = transaction.query(select, &[]).await?;
    let spaces: Vec<SpaceStatus> = rows
        .iter()
        .map(|row| SpaceStatus {
            name: row.get(0),
            revision: row.get(1),
            items: row.get(2),
            units: row.get(3),
            pushed_at: row.get(4),
            pushed_by: row.get(5),
        })
        .collect();
    let sizes = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint, \
        (SELECT count(*) FROM faber.audit), to_regclass('faber.units_vector') IS NOT NULL \
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'faber' AND c.relkind = 'r'";
    let row = transaction.query_one(sizes, &[]).await?;
    transaction.commit().await?;
    let units: i64 = spaces.iter().map(|space| space.units).sum();
    let has_index: bool = row.get(2);
    Ok(StoreStatus {
        migration: state.number,
        has_vectors: state.has_vectors,
        wants_index: state.has_vectors && units >= MANY_UNITS && !has_index,
        bytes: row.get(0),
        audit_lines: row.get(1),
        spaces,
    })
}

/// Removes a space. Gives back the number of its items; `None` if it does not exist.
pub(crate) async fn drop_space(
    client: &mut Client,
    space: &SpaceName,
) -> Result<Option<i64>, StoreError> {
    let transaction = begin(client, Purpose::Administer).await?;
    schema::check(&transaction, true).await?;
    let name = space.as_str();
    let count = "SELECT count(i.id) FROM faber.spaces s LEFT JOIN faber.items i ON i.space = s.id \
        WHERE s.name = $1 GROUP BY s.id";
    let Some(row) = transaction.query_opt(count, &[&name]).await? else { return Ok(None) };
    transaction.execute("DELETE FROM faber.spaces WHERE name = $1", &[&name]).await?;
    transaction.commit().await?;
    Ok(Some(row.get(0)))
}

/// The source files of a space that a principal may see, by path.
pub(crate) async fn files(
    client: &mut Client,
    principal: &Principal,
    space: &SpaceName,
) -> Result<BTreeMap<String, String>, StoreError> {
    let transaction = begin(client, Purpose::Read).await?;
    schema::check(&transaction, false).await?;
    introduce(&transaction, principal, std::slice::from_ref(space)).await?;
    let select = "SELECT d.path, d.body, a.rules::text FROM faber.documents d \
        JOIN faber.audiences a ON a.id = d.audience WHERE a.space_name = $1 ORDER BY d.path";
    let rows = transaction.query(select, &[&space.as_str()]).await?;
    let mut files = BTreeMap::new();
    for row in rows {
        let rules: Vec<AccessRule> =
            serde_json::from_str(row.get(2)).map_err(|_| StoreError::damaged("an access rule"))?;
        if !rules.iter().all(|rule| rule.allows(principal)) {
            continue;
        }
        let text = String::from_utf8(row.get(1)).map_err(|_| StoreError::damaged("a file"))?;
        files.insert(row.get(0), text);
    }
    Ok(files)
}

/// Whose traces are erased.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// What a principal owns of history and memories, and the contents of the principal's log lines.
    Principal(&'a str),
    /// A conversation: `history/NAME.jsonl`, or `NAME`.
    Conversation(&'a str),
    /// What an owner has in history and memories.
    Owner(&'a str),
}

/// What was erased, and what is left of it, which is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    pub items: u64,
    pub documents: u64,
    /// Lines of logs whose contents were erased.
    pub audit_lines: u64,
    /// A count of the same after erasure.
    pub left: i64,
}

pub(crate) async fn forget(
    client: &mut Client,
    subject: Subject<'_>,
) -> Result<Forgotten, StoreError> {
    let transaction = begin(client, Purpose::Administer).await?;
    schema::check(&transaction, true).await?;
    let mut done = Forgotten::default();
    let (condition, name) = match subject {
        Subject::Principal(name) | Subject::Owner(name) => (OWNED, name.to_owned()),
        Subject::Conversation(name) => {
            let name = name.trim_start_matches(".faber/").trim_start_matches("history/");
            (OF_CONVERSATION, format!(".faber/history/{}.jsonl", name.trim_end_matches(".jsonl")))
        }
    };
    let select = format!(
        "SELECT i.id, i.audience, i.space, i.path FROM faber.items i \
        JOIN faber.audiences a ON a.id = i.audience WHERE {condition}"
    );
    let rows = transaction.query(&select, &[&name]).await?;
    let gone: BTreeSet<i64> = rows.iter().map(|row| row.get(0)).collect();
    let audiences: BTreeSet<i32> = rows.iter().map(|row| row.get(1)).collect();
    let spaces: Vec<i32> = rows.iter().map(|row| row.get(2)).collect();
    let paths: Vec<String> = rows.iter().map(|row| row.get(3)).collect();
    let ids: Vec<i64> = gone.iter().copied().collect();
    let documents = "DELETE FROM faber.documents d USING unnest($1::int[], $2::text[]) AS gone(space, path) \
        WHERE d.space = gone.space AND d.path = gone.path";
    done.documents = transaction.execute(documents, &[&spaces, &paths]).await?;
    done.items = transaction.execute("DELETE FROM faber.items WHERE id = ANY($1)", &[&ids]).await?;
    erase_terms(&transaction, &audiences, &gone).await?;
    if let Subject::Principal(name) = subject {
        done.audit_lines = transaction.execute(ERASE_LINES, &[&name]).await?;
        let left = "SELECT count(*) FROM faber.audit WHERE split_part(principal, ':', 1) = $1";
        done.left += transaction.query_one(left, &[&name]).await?.get::<_, i64>(0);
    }
    let left = format!(
        "SELECT count(*) FROM faber.items i \
        JOIN faber.audiences a ON a.id = i.audience WHERE {condition}"
    );
    done.left += transaction.query_one(&left, &[&name]).await?.get::<_, i64>(0);
    transaction.commit().await?;
    Ok(done)
}

/// History and memories of an owner, and what only the owner sees of them.
const OWNED: &str = "i.kind IN ('memory', 'conversation') \
    AND (i.owner = $1 OR a.rules @> jsonb_build_array(jsonb_build_object('owner', $1::text)))";
const OF_CONVERSATION: &str = "i.kind = 'conversation' AND i.path = $1";

/// Keeps that something was asked, and erases by whom and what.
const ERASE_LINES: &str = "UPDATE faber.audit SET principal = NULL, ids = '{}', \
    line = jsonb_build_object('schema', line -> 'schema', 'time', line -> 'time', 'tool', line -> 'tool', \
        'outcome', line -> 'outcome', 'erased', true) \
    WHERE split_part(principal, ':', 1) = $1";

/// Takes items out of the lists and statistics of their audiences.
async fn erase_terms(
    transaction: &Transaction<'_>,
    audiences: &BTreeSet<i32>,
    gone: &BTreeSet<i64>,
) -> Result<(), StoreError> {
    let audiences: Vec<i32> = audiences.iter().copied().collect();
    let select = "SELECT audience, stem, data FROM faber.postings WHERE audience = ANY($1)";
    for row in transaction.query(select, &[&audiences]).await? {
        let (audience, stem): (i32, &str) = (row.get(0), row.get(1));
        let (mut left, mut count) = (Vec::new(), 0);
        postings::each(row.get(2), |id, worth| {
            count += 1;
            if !gone.contains(&id) {
                left.push((id, worth));
            }
        });
        if left.is_empty() {
            let delete = "DELETE FROM faber.postings WHERE audience = $1 AND stem = $2";
            transaction.execute(delete, &[&audience, &stem]).await?;
        } else if left.len() < count {
            let update =
                "UPDATE faber.postings SET items = $3, data = $4 WHERE audience = $1 AND stem = $2";
            let items = i32::try_from(left.len()).unwrap_or(i32::MAX);
            let data = postings::encode(&left);
            transaction.execute(update, &[&audience, &stem, &items, &data]).await?;
        }
    }
    let has_units: bool =
        transaction.query_one("SELECT to_regclass('faber.units') IS NOT NULL", &[]).await?.get(0);
    let units = "(SELECT count(*) FROM faber.units u WHERE u.audience = a.id)";
    let units = if has_units { units } else { "a.units" };
    // The sums of lengths stay; they are averages of what is left and what is gone, until the next push.
    let update = format!(
        "UPDATE faber.audiences a SET units = {units}, \
         items = (SELECT count(*) FROM faber.items i WHERE i.audience = a.id) WHERE a.id = ANY($1)"
    );
    transaction.execute(&update, &[&audiences]).await?;
    let unused = "DELETE FROM faber.audiences a WHERE a.id = ANY($1) \
        AND NOT EXISTS (SELECT FROM faber.items i WHERE i.audience = a.id) \
        AND NOT EXISTS (SELECT FROM faber.documents d WHERE d.audience = a.id)";
    transaction.execute(unused, &[&audiences]).await?;
    Ok(())
}
