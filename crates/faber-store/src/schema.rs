//! Numbered SQL migrations, applied in order, never changed.

use tokio_postgres::{Client, GenericClient};

use crate::connect::{StorePurpose, begin};
use crate::error::{StoreError, no_schema};
use faber_session::hex;

/// `faber` in ASCII.
const LOCK: i64 = 0x0066_6162_6572;
/// The first with `MERGE`.
const OLDEST_SERVER: i32 = 150_000;
/// From here on, an index is faster than a scan.
pub(crate) const MANY_UNITS: i64 = 50_000;

struct Migration {
    number: i32,
    name: &'static str,
    sql: &'static str,
    /// Minimum [`KNOWN`] of readers and writers.
    least: [i32; 2],
}

const KNOWN: i32 = 4;

const READ: i32 = 4;

const fn migration(
    number: i32,
    name: &'static str,
    least: [i32; 2],
    sql: &'static str,
) -> Migration {
    Migration { number, name, sql, least }
}

static MIGRATIONS: [Migration; KNOWN as usize] = [
    migration(1, "knowledge", [1, 1], include_str!("../migrations/0001_knowledge.sql")),
    migration(2, "audit", [1, 1], include_str!("../migrations/0002_audit.sql")),
    migration(3, "retention", [1, 3], include_str!("../migrations/0003_retention.sql")),
    migration(4, "visible", [4, 4], include_str!("../migrations/0004_visible.sql")),
];

const VECTORS: i32 = 1000;

static OF_VECTORS: [Migration; 2] = [
    migration(VECTORS, "vectors", [0, 0], include_str!("../migrations/vectors.sql")),
    migration(
        VECTORS + 1,
        "vectors-visible",
        [0, 0],
        include_str!("../migrations/vectors_visible.sql"),
    ),
];

const BASE: &str = "
CREATE SCHEMA IF NOT EXISTS faber;
CREATE TABLE IF NOT EXISTS faber.migrations (
    number int PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    least_reader int NOT NULL,
    least_writer int NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migrated {
    pub applied: Vec<String>,
    pub without_vectors: Option<String>,
    pub made_index: bool,
    pub sorted_lists: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaState {
    pub(crate) number: i32,
    pub(crate) has_vectors: bool,
}

pub(crate) async fn migrate(client: &mut Client, create: bool) -> Result<Migrated, StoreError> {
    let version: String = client.query_one("SHOW server_version_num", &[]).await?.get(0);
    if version.parse::<i32>().unwrap_or_default() < OLDEST_SERVER {
        return Err(StoreError::usage(
            format!("the server has version {version} of PostgreSQL"),
            "use PostgreSQL 15 or later",
        ));
    }
    let mut done = Migrated::default();
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    let exists = "SELECT to_regclass('faber.migrations') IS NOT NULL";
    if !transaction.query_one(exists, &[]).await?.get::<_, bool>(0) {
        if !create {
            return Err(no_schema());
        }
        transaction.batch_execute(BASE).await?;
    }
    let applied = applied(&transaction).await?;
    if let Some(number) = applied.iter().map(|row| row.0).filter(|number| *number < VECTORS).max()
        && number > KNOWN
    {
        return Err(newer(number));
    }
    for migration in &MIGRATIONS {
        if apply(&transaction, migration, &applied).await? {
            done.applied.push(migration.name.to_owned());
        }
    }
    transaction.commit().await?;
    add_vectors(client, &mut done).await?;
    sort_lists(client, &mut done).await?;
    Ok(done)
}

async fn apply(
    client: &impl GenericClient,
    migration: &Migration,
    applied: &[(i32, String)],
) -> Result<bool, StoreError> {
    let sum = hex::sha256(migration.sql.replace("\r\n", "\n"));
    if let Some((_, known)) = applied.iter().find(|(number, _)| *number == migration.number) {
        if *known == sum {
            return Ok(false);
        }
        return Err(StoreError::usage(
            format!(
                "migration `{}` of the store differs from the one of this faber",
                migration.name
            ),
            "create a new database and push again",
        ));
    }
    client.batch_execute(migration.sql).await?;
    let [reader, writer] = migration.least;
    let insert = "INSERT INTO faber.migrations (number, name, checksum, least_reader, least_writer) \
                  VALUES ($1, $2, $3, $4, $5)";
    client.execute(insert, &[&migration.number, &migration.name, &sum, &reader, &writer]).await?;
    Ok(true)
}

async fn applied(client: &impl GenericClient) -> Result<Vec<(i32, String)>, StoreError> {
    let rows = client.query("SELECT number, checksum FROM faber.migrations", &[]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

const HAS_VECTORS: &str = "EXISTS (SELECT FROM pg_attribute WHERE NOT attisdropped \
    AND attrelid = to_regclass('faber.units') AND attname = 'vector')";
const FORGET_VECTORS: &str = "DROP TABLE IF EXISTS faber.units; \
    DELETE FROM faber.migrations WHERE number >= 1000; \
    SET LOCAL ROLE faber_admin; UPDATE faber.items SET digest = ''; RESET ROLE";

async fn add_vectors(client: &mut Client, done: &mut Migrated) -> Result<(), StoreError> {
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    let is_lost = format!(
        "SELECT NOT {HAS_VECTORS} AND EXISTS (SELECT FROM faber.migrations WHERE number = $1)"
    );
    if transaction.query_one(&is_lost, &[&VECTORS]).await?.get(0) {
        // The next push writes vectors again.
        transaction.batch_execute(FORGET_VECTORS).await?;
    }
    let applied = applied(&transaction).await?;
    // Keeps the extension out of backups of schema `faber`.
    transaction.batch_execute("SET LOCAL search_path = public, faber").await?;
    for migration in &OF_VECTORS {
        match apply(&transaction, migration, &applied).await {
            Ok(true) => done.applied.push(migration.name.to_owned()),
            Ok(false) => {}
            Err(error @ StoreError::Unavailable(_)) => return Err(error),
            Err(error) => {
                done.without_vectors = Some(error.to_string());
                return Ok(());
            }
        }
    }
    transaction.commit().await?;
    let transaction = begin(client, StorePurpose::Administer).await?;
    let many = "SELECT coalesce(sum(units), 0)::bigint FROM faber.audiences";
    let count: i64 = transaction.query_one(many, &[]).await?.get(0);
    transaction.commit().await?;
    let exists = "SELECT to_regclass('faber.units_vector') IS NOT NULL";
    if count >= MANY_UNITS && !client.query_one(exists, &[]).await?.get::<_, bool>(0) {
        let index = "CREATE INDEX CONCURRENTLY units_vector ON faber.units \
                     USING hnsw (vector halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)";
        client.batch_execute("SET statement_timeout = 0; SET search_path = public, faber").await?;
        client.batch_execute(index).await?;
        done.made_index = true;
    }
    Ok(())
}

const SCATTERED: &str = "SELECT count(*) >= 50 AND count(DISTINCT split_part(ctid::text, ',', 1)) * 3 > count(*) \
    FROM faber.postings WHERE stem = \
        (SELECT stem FROM faber.postings GROUP BY stem ORDER BY count(*) DESC, stem LIMIT 1)";

/// Blocks queries.
async fn sort_lists(client: &mut Client, done: &mut Migrated) -> Result<(), StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
    done.sorted_lists = transaction.query_one(SCATTERED, &[]).await?.get(0);
    transaction.commit().await?;
    if done.sorted_lists {
        client.batch_execute("SET statement_timeout = 0").await?;
        client.batch_execute("CLUSTER faber.postings USING postings_pkey").await?;
    }
    Ok(())
}

pub(crate) async fn check(
    client: &impl GenericClient,
    is_writing: bool,
) -> Result<SchemaState, StoreError> {
    let state = format!(
        "SELECT max(number) FILTER (WHERE number < $1), max(least_reader), max(least_writer), \
         {HAS_VECTORS} FROM faber.migrations"
    );
    let row = client.query_one(&state, &[&VECTORS]).await?;
    let [Some(number), Some(reader), Some(writer)] =
        [0, 1, 2].map(|at| row.get::<_, Option<i32>>(at))
    else {
        return Err(no_schema());
    };
    if reader.max(if is_writing { writer } else { 0 }) > KNOWN {
        return Err(newer(number));
    }
    let (least, does) = if is_writing { (KNOWN, "writes") } else { (READ, "reads") };
    if number < least {
        return Err(StoreError::usage(
            format!("the store has schema {number}, and this program {does} schema {least}"),
            "run `faber store migrate` with the address of its owner",
        ));
    }
    Ok(SchemaState { number, has_vectors: row.get(3) })
}

fn newer(number: i32) -> StoreError {
    StoreError::usage(
        format!("the store has schema {number}, but this faber supports {KNOWN}"),
        "use a newer version of faber",
    )
}
