use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Transaction};

use crate::columns::{day, digest};
use crate::connect::{StorePurpose, begin};
use crate::error::StoreError;
use crate::{postings, schema};
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::source::SourceMap;
use faber_tools::search::retention::{Retention, messages_since};

#[derive(Clone, Copy, Debug)]
pub enum ErasureSubject<'a> {
    Principal(&'a str),
    /// `history/NAME.jsonl` or `NAME`.
    Conversation(&'a str),
    Owner(&'a str),
}

/// What was erased, and what is left of it, which is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forgotten {
    /// Erased items of history and memories.
    pub items: u64,
    /// Erased source files.
    pub documents: u64,
    /// Lines of logs whose contents were erased.
    pub audit_lines: u64,
    /// The number of items left after erasing.
    pub left: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub history: usize,
    pub memories: usize,
    pub audit_lines: u64,
}

pub(crate) async fn forget(
    client: &mut Client,
    subject: ErasureSubject<'_>,
) -> Result<Forgotten, StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
    schema::check(&transaction, true).await?;
    wait_for_pushes(&transaction).await?;
    let mut done = Forgotten::default();
    let chosen = ItemSet::of(&transaction, subject).await?;
    let (spaces, paths): (Vec<i32>, Vec<&str>) =
        chosen.files.iter().map(|(space, path)| (*space, path.as_str())).unzip();
    let documents = "DELETE FROM faber.documents d USING unnest($1::int[], $2::text[]) AS gone(space, path) \
        WHERE d.space = gone.space AND d.path = gone.path";
    done.documents = transaction.execute(documents, &[&spaces, &paths]).await?;
    done.items = chosen.erase(&transaction).await?;
    match subject {
        ErasureSubject::Principal(name) => {
            erase_lines(&transaction, OF_PRINCIPAL, &name, &mut done).await?;
        }
        ErasureSubject::Conversation(_) => {
            let names: Vec<&String> = chosen.names.iter().collect();
            erase_lines(&transaction, OF_ITEMS, &names, &mut done).await?;
        }
        ErasureSubject::Owner(_) => {}
    }
    let left = ItemSet::of(&transaction, subject).await?.items.len();
    done.left += i64::try_from(left).unwrap_or(i64::MAX);
    transaction.commit().await?;
    Ok(done)
}

const OWNED: &str = "i.kind IN ('memory', 'conversation') \
    AND (i.owner = $1 OR a.rules @> jsonb_build_array(jsonb_build_object('owner', $1::text)))";
const OF_CONVERSATION: &str = "i.kind = 'conversation' AND i.path = $1 OR i.id = ANY($2)";

const OF_PRINCIPAL: &str = "split_part(principal, ':', 1) = $1";
const OF_ITEMS: &str = "EXISTS (SELECT FROM unnest($1::text[]) AS gone, \
    (SELECT regexp_replace(id, '^@space:[^/]+/[^/]+/', '') AS id FROM unnest(ids) AS id) AS seen \
    WHERE seen.id = gone OR starts_with(seen.id, gone || '#') OR starts_with(seen.id, gone || '~'))";

async fn erase_lines(
    transaction: &Transaction<'_>,
    condition: &str,
    named: &(dyn ToSql + Sync),
    done: &mut Forgotten,
) -> Result<(), StoreError> {
    let erase = format!(
        "UPDATE faber.audit SET principal = NULL, ids = '{{}}', \
            line = jsonb_build_object('schema', line -> 'schema', 'time', line -> 'time', \
                'tool', line -> 'tool', 'outcome', line -> 'outcome', 'erased', true) \
         WHERE {condition}"
    );
    done.audit_lines = transaction.execute(&erase, &[named]).await?;
    let left = format!("SELECT count(*) FROM faber.audit WHERE {condition}");
    done.left += transaction.query_one(&left, &[named]).await?.get::<_, i64>(0);
    Ok(())
}

async fn derived(transaction: &Transaction<'_>, path: &str) -> Result<Vec<i64>, StoreError> {
    let select = "SELECT i.id, d.body FROM faber.items i \
        JOIN faber.documents d ON d.space = i.space AND d.path = i.path WHERE i.kind = 'memory'";
    let rows = transaction.query(select, &[]).await?;
    let is_derived = |row: &&Row| {
        let mut sources = SourceMap::default();
        let text = String::from_utf8_lossy(row.get(1)).into_owned();
        let file = sources.add("note".into(), text);
        let note = frontmatter::read(&sources, file, FrontKind::Context).value;
        let mut links = note.front.fields.derived_from.iter();
        links.any(|link| link.value.split('#').next().is_some_and(|name| path_of(name) == path))
    };
    Ok(rows.iter().filter(is_derived).map(|row| row.get(0)).collect())
}

fn path_of(conversation: &str) -> String {
    let name = conversation.trim_start_matches(".faber/").trim_start_matches("history/");
    format!(".faber/history/{}.jsonl", name.trim_end_matches(".jsonl"))
}

const BEFORE: &str = "i.kind = $1 AND i.dated < $2::text::date";

pub(crate) async fn prune(
    client: &mut Client,
    retention: &Retention,
) -> Result<Pruned, StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
    schema::check(&transaction, true).await?;
    wait_for_pushes(&transaction).await?;
    let Retention { history, memories, audit } = *retention;
    for (kind, first) in [("history", history), ("memories", memories), ("audit", audit)] {
        let first = first.map(day);
        let set = "INSERT INTO faber.retention (kind, first) SELECT $1, $2::text::date WHERE $2 IS NOT NULL \
            ON CONFLICT (kind) DO UPDATE SET first = EXCLUDED.first";
        if transaction.execute(set, &[&kind, &first]).await? == 0 {
            transaction.execute("DELETE FROM faber.retention WHERE kind = $1", &[&kind]).await?;
        }
    }
    let mut done = Pruned::default();
    let Pruned { history: messages, memories: notes, .. } = &mut done;
    for (kind, first, count) in [("memory", memories, notes), ("conversation", history, messages)] {
        let Some(first) = first else { continue };
        let chosen = ItemSet::select(&transaction, BEFORE, &[&kind, &day(first)]).await?;
        for (space, path) in &chosen.files {
            match kind {
                "memory" => delete_document(&transaction, *space, path).await?,
                _ => shorten_document(&transaction, (*space, path), first).await?,
            }
        }
        chosen.erase(&transaction).await?;
        *count = chosen.items.len();
    }
    if let Some(first) = audit {
        let delete = "DELETE FROM faber.audit WHERE at < $1::text::timestamp AT TIME ZONE 'UTC'";
        done.audit_lines = transaction.execute(delete, &[&day(first)]).await?;
    }
    transaction.commit().await?;
    Ok(done)
}

pub(crate) async fn retention(transaction: &Transaction<'_>) -> Result<Retention, StoreError> {
    let rows = transaction.query("SELECT kind, first::text FROM faber.retention", &[]).await?;
    let days: BTreeMap<&str, Date> = rows
        .iter()
        .filter_map(|row| Some((row.get(0), row.get::<_, &str>(1).parse().ok()?)))
        .collect();
    let first = |kind| days.get(kind).copied();
    Ok(Retention { history: first("history"), memories: first("memories"), audit: first("audit") })
}

/// A running push could restore erased data.
async fn wait_for_pushes(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('faber:' || name, 0)) \
        FROM (SELECT name FROM faber.spaces ORDER BY name) AS spaces";
    transaction.execute(lock, &[]).await?;
    Ok(())
}

async fn delete_document(
    transaction: &Transaction<'_>,
    space: i32,
    path: &str,
) -> Result<(), StoreError> {
    let delete = "DELETE FROM faber.documents WHERE space = $1 AND path = $2";
    transaction.execute(delete, &[&space, &path]).await?;
    Ok(())
}

async fn shorten_document(
    transaction: &Transaction<'_>,
    (space, path): (i32, &str),
    first: Date,
) -> Result<(), StoreError> {
    let select = "SELECT body FROM faber.documents WHERE space = $1 AND path = $2";
    let Some(row) = transaction.query_opt(select, &[&space, &path]).await? else { return Ok(()) };
    let text = String::from_utf8(row.get(0)).map_err(|_| StoreError::damaged("a file"))?;
    let Some(left) = messages_since(&text, first) else {
        return delete_document(transaction, space, path).await;
    };
    let update = "UPDATE faber.documents SET body = $3, digest = $4 WHERE space = $1 AND path = $2";
    let body = left.as_bytes();
    transaction.execute(update, &[&space, &path, &body, &digest(&[body])]).await?;
    Ok(())
}

#[derive(Default)]
struct ItemSet {
    items: BTreeSet<i64>,
    audiences: BTreeSet<i32>,
    files: BTreeSet<(i32, String)>,
    /// Ids of items, without passages.
    names: BTreeSet<String>,
}

impl ItemSet {
    async fn of(
        transaction: &Transaction<'_>,
        subject: ErasureSubject<'_>,
    ) -> Result<Self, StoreError> {
        match subject {
            ErasureSubject::Principal(name) | ErasureSubject::Owner(name) => {
                Self::select(transaction, OWNED, &[&name]).await
            }
            ErasureSubject::Conversation(name) => {
                let path = path_of(name);
                let derived = derived(transaction, &path).await?;
                Self::select(transaction, OF_CONVERSATION, &[&path, &derived]).await
            }
        }
    }

    async fn select(
        transaction: &Transaction<'_>,
        condition: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Self, StoreError> {
        let select = format!(
            "SELECT i.id, i.audience, i.space, i.path, split_part(i.item, '#', 1) FROM faber.items i \
            JOIN faber.audiences a ON a.id = i.audience WHERE {condition}"
        );
        let mut chosen = Self::default();
        for row in transaction.query(&select, parameters).await? {
            chosen.items.insert(row.get(0));
            chosen.audiences.insert(row.get(1));
            chosen.files.insert((row.get(2), row.get(3)));
            chosen.names.insert(row.get(4));
        }
        Ok(chosen)
    }

    async fn erase(&self, transaction: &Transaction<'_>) -> Result<u64, StoreError> {
        let ids: Vec<i64> = self.items.iter().copied().collect();
        let delete = "DELETE FROM faber.items WHERE id = ANY($1)";
        let count = transaction.execute(delete, &[&ids]).await?;
        erase_terms(transaction, &self.audiences, &self.items).await?;
        Ok(count)
    }
}

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
