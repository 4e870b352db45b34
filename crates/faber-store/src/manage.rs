use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tokio_postgres::Client;

use crate::ask::introduce;
use crate::connect::{StorePurpose, begin};
use crate::error::StoreError;
use crate::schema::{self, MANY_UNITS};
use crate::space::SpaceName;
use faber_core::resolve::view::{AccessRule, Principal};

/// The state of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoreStatus {
    /// The highest migration of its schema.
    pub migration: i32,
    /// Whether it also searches by meaning, which needs pgvector.
    pub has_vectors: bool,
    /// Whether `faber store migrate` would add an index of vectors.
    pub wants_index: bool,
    /// The size of its tables with their indexes.
    pub bytes: i64,
    /// Lines of audit logs.
    pub audit_lines: i64,
    /// Tables without row-level security, as after an incomplete restore; there should be none.
    pub unprotected: Vec<String>,
    /// By name.
    pub spaces: Vec<SpaceStatus>,
}

/// A space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpaceStatus {
    /// `ORGANIZATION/NAME`.
    pub name: String,
    /// The state of the workspace that was pushed.
    pub revision: String,
    /// The number of items, with variants for different readers.
    pub items: i64,
    /// The number of passages.
    pub units: i64,
    /// When it was pushed.
    pub pushed_at: String,
    /// By whom.
    pub pushed_by: String,
}

pub(crate) async fn status(client: &mut Client) -> Result<StoreStatus, StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
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
        (SELECT count(*) FROM faber.audit), to_regclass('faber.units_vector') IS NOT NULL, \
        coalesce(array_agg(c.relname::text ORDER BY c.relname) FILTER (WHERE \
            c.relname <> ALL ('{migrations,retention}') \
            AND NOT (c.relrowsecurity AND c.relforcerowsecurity)), '{}') \
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
        unprotected: row.get(3),
        spaces,
    })
}

pub(crate) async fn drop_space(
    client: &mut Client,
    space: &SpaceName,
) -> Result<Option<i64>, StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
    schema::check(&transaction, true).await?;
    let name = space.as_str();
    let count = "SELECT count(i.id) FROM faber.spaces s LEFT JOIN faber.items i ON i.space = s.id \
        WHERE s.name = $1 GROUP BY s.id";
    let Some(row) = transaction.query_opt(count, &[&name]).await? else { return Ok(None) };
    transaction.execute("DELETE FROM faber.spaces WHERE name = $1", &[&name]).await?;
    transaction.commit().await?;
    Ok(Some(row.get(0)))
}

pub(crate) async fn files(
    client: &mut Client,
    principal: &Principal,
    space: &SpaceName,
) -> Result<BTreeMap<String, String>, StoreError> {
    let transaction = begin(client, StorePurpose::Read).await?;
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
