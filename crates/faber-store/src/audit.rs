use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio_postgres::Client;

use crate::connect::{StorePurpose, begin};
use crate::error::StoreError;
use crate::schema;
use faber_tools::search::item::in_space;

const BATCH: usize = 1_000;
const MIGRATION: i32 = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub origin: String,
    pub at: Timestamp,
    pub principal: Option<String>,
    pub tool: String,
    pub ids: Vec<String>,
    pub text: String,
    pub number: i32,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallData {
    /// The time of the call.
    pub time: String,
    /// Who asked, as `USER:GROUP,…`.
    pub principal: Option<String>,
    /// What was called.
    pub tool: String,
    /// The connection of the call.
    pub session: String,
    /// The ids of the returned texts.
    pub results: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// Items match their passages, and passages their item.
    WhoSaw(&'a str),
    Of(&'a str),
}

pub(crate) async fn identity(client: &mut Client) -> Result<String, StoreError> {
    let transaction = begin(client, StorePurpose::Ship).await?;
    schema::check(&transaction, false).await?;
    let made = "SELECT applied_at::text FROM faber.migrations WHERE number = $1";
    let row = transaction.query_one(made, &[&MIGRATION]).await?;
    transaction.commit().await?;
    Ok(row.get(0))
}

pub(crate) async fn ship(client: &mut Client, lines: &[LogLine]) -> Result<u64, StoreError> {
    let transaction = begin(client, StorePurpose::Ship).await?;
    schema::check(&transaction, false).await?;
    let insert = "INSERT INTO faber.audit (origin, digest, number, at, principal, tool, ids, line) \
        SELECT origin, digest, number, at::timestamptz, principal, tool, \
            ARRAY(SELECT jsonb_array_elements_text(ids::jsonb)), line::jsonb \
        FROM unnest($1::text[], $2::bytea[], $3::int[], $4::text[], $5::text[], $6::text[], \
            $7::text[], $8::text[]) AS new(origin, digest, number, at, principal, tool, ids, line) \
        WHERE NOT EXISTS (SELECT FROM faber.retention WHERE kind = 'audit' \
            AND new.at::timestamptz < first::timestamp AT TIME ZONE 'UTC') \
        ON CONFLICT DO NOTHING";
    let mut count = 0;
    for lines in lines.chunks(BATCH) {
        let clean = |text: &str| text.replace('\0', "");
        let origins: Vec<String> = lines.iter().map(|line| clean(&line.origin)).collect();
        let digests: Vec<Vec<u8>> =
            lines.iter().map(|line| Sha256::digest(&line.text).to_vec()).collect();
        let numbers: Vec<i32> = lines.iter().map(|line| line.number).collect();
        let times: Vec<String> = lines.iter().map(|line| line.at.to_string()).collect();
        let principals: Vec<Option<String>> =
            lines.iter().map(|line| line.principal.as_deref().map(clean)).collect();
        let tools: Vec<String> = lines.iter().map(|line| clean(&line.tool)).collect();
        let ids = lines.iter().map(|line| serde_json::to_string(&line.ids).unwrap_or_default());
        let ids: Vec<String> = ids.map(|ids| without_zero(&ids)).collect();
        let texts: Vec<String> = lines.iter().map(|line| without_zero(&line.text)).collect();
        count += transaction
            .execute(
                insert,
                &[&origins, &digests, &numbers, &times, &principals, &tools, &ids, &texts],
            )
            .await?;
    }
    transaction.commit().await?;
    Ok(count)
}

/// PostgreSQL rejects `\u0000` in JSON.
fn without_zero(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        rest = if let Some(after) = escape.strip_prefix("\\u0000") {
            after
        } else {
            let end = escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end);
            out.push_str(&escape[..end]);
            &escape[end..]
        };
    }
    out.push_str(rest);
    out
}

pub(crate) async fn report(
    client: &mut Client,
    report: Report<'_>,
    since: Timestamp,
) -> Result<Vec<CallData>, StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
    schema::check(&transaction, false).await?;
    let (condition, names) = match report {
        Report::WhoSaw(id) => {
            let seen = if in_space(id).0.is_some() {
                "seen"
            } else {
                "regexp_replace(seen, '^@space:[^/]+/[^/]+/', '')"
            };
            let part = format!(
                "EXISTS (SELECT FROM unnest(ids) AS given(seen), LATERAL (SELECT {seen}) AS own(id) \
                 WHERE id = ANY($1) OR starts_with(id, ($1)[1] || '#') OR starts_with(id, ($1)[1] || '~'))"
            );
            let whole = id.split_once('#').map(|(whole, _)| whole);
            (part, std::iter::once(id).chain(whole).collect::<Vec<_>>())
        }
        Report::Of(user) => ("split_part(principal, ':', 1) = ANY($1)".to_owned(), vec![user]),
    };
    let select = format!(
        "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), origin, principal, \
         tool, ids FROM faber.audit WHERE {condition} AND at >= $2::text::timestamptz \
         ORDER BY faber.audit.at, origin"
    );
    let since = since.to_string();
    let rows = transaction.query(&select, &[&names, &since]).await?;
    let call = |row: &tokio_postgres::Row| CallData {
        time: row.get(0),
        session: row.get(1),
        principal: row.get(2),
        tool: row.get(3),
        results: row.get(4),
    };
    Ok(rows.iter().map(call).collect())
}

pub(crate) async fn lines(
    client: &mut Client,
    since: Timestamp,
    mut each: impl FnMut(&str),
) -> Result<(), StoreError> {
    let transaction = begin(client, StorePurpose::Administer).await?;
    schema::check(&transaction, false).await?;
    let select = "SELECT line::text FROM faber.audit WHERE at >= $1::text::timestamptz AND \
        NOT line ? 'erased' ORDER BY faber.audit.at, origin, digest, number";
    for row in transaction.query(select, &[&since.to_string()]).await? {
        each(row.get(0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_go_and_what_looks_like_them_stays() {
        assert_eq!(without_zero(r#""a\u0000b\n""#), r#""ab\n""#);
        assert_eq!(without_zero(r#""\\u0000""#), r#""\\u0000""#);
        assert_eq!(without_zero(r#""\\\u0000""#), r#""\\""#);
    }
}
