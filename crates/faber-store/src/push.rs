//! Writes changes to a space, in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pgvector::HalfVector;
use sha2::{Digest, Sha256};
use tokio_postgres::Transaction;
use tokio_postgres::types::ToSql;

use crate::columns::{day, digest, dimension, to_half};
use crate::connect::{StorePurpose, begin};
use crate::error::StoreError;
use crate::space::SpaceName;
use crate::{erase, postings, schema};
use faber_core::resolve::view::AccessRule;
use faber_tools::search::rank::LengthSums;
use faber_tools::search::retention::Retention;
use faber_tools::search::stored::{EncodedItem, FORMAT, MODEL, StoredItem, StoredView};

const BATCH: usize = 200;
const BATCH_SMALL: usize = 5_000;

#[derive(Clone, Copy, Debug)]
pub struct PushRequest<'a> {
    pub space: &'a SpaceName,
    pub revision: &'a str,
    pub by: &'a str,
    pub retention: Retention,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    pub added: usize,
    pub changed: usize,
    pub unchanged: usize,
    pub removed: usize,
    pub expired: usize,
    pub units: usize,
    pub bytes: usize,
    pub lists: usize,
}

type AccessRules = BTreeSet<AccessRule>;

struct Push<'a> {
    transaction: Transaction<'a>,
    space: i32,
    audiences: BTreeMap<AccessRules, i32>,
    has_vectors: bool,
    done: Pushed,
}

pub(crate) async fn push(
    client: &mut tokio_postgres::Client,
    request: PushRequest<'_>,
    mut view: StoredView,
) -> Result<Pushed, StoreError> {
    let name = request.space.to_string();
    let transaction = begin(client, StorePurpose::Write).await?;
    let state = schema::check(&transaction, true).await?;
    let settings = "SELECT set_config('faber.writes', $1, true), \
                    pg_advisory_xact_lock(hashtextextended('faber:' || $1, 0))";
    transaction.execute(settings, &[&name]).await?;
    let retention = erase::retention(&transaction).await?.and(request.retention);
    let expired = view.expire(&retention);
    let view = &view;
    let upsert = "INSERT INTO faber.spaces (name, revision, format, role, roles, model, dimension, pushed_by) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO UPDATE SET \
        revision = EXCLUDED.revision, format = EXCLUDED.format, role = EXCLUDED.role, roles = EXCLUDED.roles, \
        model = EXCLUDED.model, dimension = EXCLUDED.dimension, pushed_by = EXCLUDED.pushed_by, \
        pushed_at = now() RETURNING id";
    let dimension = dimension();
    let row = transaction
        .query_one(
            upsert,
            &[
                &name,
                &request.revision,
                &FORMAT,
                &view.role,
                &view.roles,
                &MODEL,
                &dimension,
                &request.by,
            ],
        )
        .await?;
    let mut push = Push {
        transaction,
        space: row.get(0),
        audiences: BTreeMap::new(),
        has_vectors: state.has_vectors,
        done: Pushed { expired, ..Pushed::default() },
    };
    push.add_audiences(&name, view).await?;
    let ids = push.write_items(view).await?;
    push.write_lists(view, &ids).await?;
    push.write_documents(view).await?;
    let Push { transaction, space, done, .. } = push;
    let unused = "DELETE FROM faber.audiences a WHERE space = $1 \
        AND NOT EXISTS (SELECT FROM faber.items i WHERE i.audience = a.id) \
        AND NOT EXISTS (SELECT FROM faber.documents d WHERE d.audience = a.id)";
    transaction.execute(unused, &[&space]).await?;
    transaction.commit().await?;
    Ok(done)
}

struct NewItem<'a> {
    stored: &'a StoredItem,
    audience: i32,
    encoded: EncodedItem,
    digest: Vec<u8>,
}

fn kind(stored: &StoredItem) -> &'static str {
    use faber_tools::search::item::SourceType;
    match stored.item.kind {
        SourceType::Memory => "memory",
        SourceType::Document => "document",
        SourceType::Conversation => "conversation",
    }
}

fn digest_of(stored: &StoredItem, encoded: &EncodedItem, has_vectors: bool) -> Vec<u8> {
    let valid_to = stored.rules.valid_to.map(|date| date.to_string()).unwrap_or_default();
    let others = format!("{valid_to} {} {} {has_vectors}", stored.scope_bits(), stored.rank);
    digest(&[&encoded.item, encoded.text.as_bytes(), &encoded.analysis, others.as_bytes()])
}

impl Push<'_> {
    async fn add_audiences(&mut self, name: &str, view: &StoredView) -> Result<(), StoreError> {
        let of_items = view.items.iter().map(|item| &item.rules.rules);
        let rules: BTreeSet<&AccessRules> =
            of_items.chain(view.files.values().map(|file| &file.rules)).collect();
        for rules in rules {
            let json = serde_json::to_string(rules).unwrap_or_default();
            let upsert = "INSERT INTO faber.audiences (space, space_name, rules) \
                VALUES ($1, $2, $3::text::jsonb) \
                ON CONFLICT (space, rules) DO UPDATE SET space_name = EXCLUDED.space_name RETURNING id";
            let row = self.transaction.query_one(upsert, &[&self.space, &name, &json]).await?;
            self.audiences.insert(rules.clone(), row.get(0));
        }
        Ok(())
    }

    async fn write_items(&mut self, view: &StoredView) -> Result<Vec<i64>, StoreError> {
        let select = "SELECT id, item, audience, digest FROM faber.items WHERE space = $1";
        let mut known: HashMap<(String, i32), (i64, Vec<u8>)> = HashMap::new();
        for row in self.transaction.query(select, &[&self.space]).await? {
            known.insert((row.get(1), row.get(2)), (row.get(0), row.get(3)));
        }
        let mut ids = vec![0; view.items.len()];
        let mut written: Vec<usize> = Vec::new();
        for (range, items) in (0..).step_by(BATCH).zip(view.items.chunks(BATCH)) {
            let mut new_items = Vec::new();
            let mut places: HashMap<(&str, i32), usize> = HashMap::new();
            for (at, stored) in (range..).zip(items) {
                let audience = self.audiences[&stored.rules.rules];
                let encoded = stored.encode();
                let digest = digest_of(stored, &encoded, self.has_vectors);
                self.done.bytes += encoded.text.len();
                let old = known.remove(&(stored.item.id.clone(), audience));
                if let Some((id, known)) = &old
                    && *known == digest
                {
                    ids[at] = *id;
                    self.done.unchanged += 1;
                    continue;
                }
                *if old.is_some() { &mut self.done.changed } else { &mut self.done.added } += 1;
                places.insert((&stored.item.id, audience), at);
                new_items.push(NewItem { stored, audience, encoded, digest });
            }
            if places.is_empty() {
                continue;
            }
            for row in self.upsert(&new_items).await? {
                let at = places[&(row.get::<_, &str>(1), row.get(2))];
                ids[at] = row.get(0);
                written.push(at);
            }
        }
        let gone: Vec<i64> = known.into_values().map(|(id, _)| id).collect();
        self.done.removed = gone.len();
        self.transaction.execute("DELETE FROM faber.items WHERE id = ANY($1)", &[&gone]).await?;
        self.write_units(view, &ids, &written).await?;
        Ok(ids)
    }

    async fn upsert(&self, new: &[NewItem<'_>]) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        let upsert = "INSERT INTO faber.items (space, audience, item, variant_of, rank, kind, category, scopes, \
                path, owner, valid_to, dated, digest, meta, body, analysis) \
            SELECT $1, audience, item, variant_of, rank, kind, category, scopes, path, owner, \
                valid_to::date, dated::date, digest, meta, body, analysis \
            FROM unnest($2::int[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], \
                $8::smallint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[], \
                $14::bytea[], $15::bytea[], $16::bytea[]) \
                AS new(audience, item, variant_of, rank, kind, category, scopes, path, owner, valid_to, \
                    dated, digest, meta, body, analysis) \
            ON CONFLICT (space, item, audience) DO UPDATE SET \
                variant_of = EXCLUDED.variant_of, rank = EXCLUDED.rank, kind = EXCLUDED.kind, \
                category = EXCLUDED.category, scopes = EXCLUDED.scopes, path = EXCLUDED.path, \
                owner = EXCLUDED.owner, valid_to = EXCLUDED.valid_to, dated = EXCLUDED.dated, \
                digest = EXCLUDED.digest, meta = EXCLUDED.meta, body = EXCLUDED.body, \
                analysis = EXCLUDED.analysis \
            RETURNING id, item, audience";
        let items = || new.iter().map(|new| &new.stored.item);
        let stored = || new.iter().map(|new| new.stored);
        let encoded = || new.iter().map(|new| &new.encoded);
        let audience: Vec<i32> = new.iter().map(|new| new.audience).collect();
        let item: Vec<&str> = items().map(|item| &*item.id).collect();
        let variant: Vec<&str> = stored().map(StoredItem::variant_of).collect();
        let rank = stored().map(|stored| i32::try_from(stored.rank).unwrap_or(i32::MAX));
        let rank: Vec<i32> = rank.collect();
        let kind: Vec<&str> = stored().map(kind).collect();
        let category = items().map(|item| item.category.map(|it| it.row().name));
        let category: Vec<Option<&str>> = category.collect();
        let scopes: Vec<i16> = stored().map(StoredItem::scope_bits).collect();
        let path: Vec<&str> = items().map(|item| &*item.path).collect();
        // PostgreSQL text cannot contain NUL.
        let owner = items().map(|item| item.owner.as_ref().map(|owner| owner.replace('\0', "")));
        let owner: Vec<Option<String>> = owner.collect();
        let valid_to = stored().map(|stored| stored.rules.valid_to.map(day));
        let valid_to: Vec<Option<String>> = valid_to.collect();
        let dated: Vec<Option<String>> = items().map(|item| item.dated.map(day)).collect();
        let digest: Vec<&[u8]> = new.iter().map(|new| &*new.digest).collect();
        let meta: Vec<&[u8]> = encoded().map(|encoded| &*encoded.item).collect();
        let body: Vec<&[u8]> = encoded().map(|encoded| encoded.text.as_bytes()).collect();
        let analysis: Vec<&[u8]> = encoded().map(|encoded| &*encoded.analysis).collect();
        let space = self.space;
        let parameters: [&(dyn ToSql + Sync); 16] = [
            &space, &audience, &item, &variant, &rank, &kind, &category, &scopes, &path, &owner,
            &valid_to, &dated, &digest, &meta, &body, &analysis,
        ];
        Ok(self.transaction.query(upsert, &parameters).await?)
    }

    async fn write_units(
        &mut self,
        view: &StoredView,
        ids: &[i64],
        written: &[usize],
    ) -> Result<(), StoreError> {
        self.done.units = view.items.iter().map(|item| item.vectors().count()).sum();
        if !self.has_vectors {
            return Ok(());
        }
        let changed: Vec<i64> = written.iter().map(|&at| ids[at]).collect();
        self.transaction
            .execute("DELETE FROM faber.units WHERE item = ANY($1)", &[&changed])
            .await?;
        let insert = "INSERT INTO faber.units (item, number, audience, vector) \
            SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::halfvec[])";
        let insert = self.transaction.prepare(insert).await?;
        for written in written.chunks(BATCH) {
            let (mut items, mut numbers, mut audiences) = (Vec::new(), Vec::new(), Vec::new());
            let mut vectors: Vec<HalfVector> = Vec::new();
            for &at in written {
                let stored = &view.items[at];
                for (number, values) in (0_i32..).zip(stored.vectors()) {
                    if values.iter().all(|value| *value == 0) {
                        continue;
                    }
                    items.push(ids[at]);
                    numbers.push(number);
                    audiences.push(self.audiences[&stored.rules.rules]);
                    vectors.push(to_half(values));
                }
            }
            self.transaction.execute(&insert, &[&items, &numbers, &audiences, &vectors]).await?;
        }
        Ok(())
    }

    async fn write_lists(&mut self, view: &StoredView, ids: &[i64]) -> Result<(), StoreError> {
        let mut sums: BTreeMap<i32, (i64, i64, LengthSums)> = BTreeMap::new();
        let mut all = LengthSums::default();
        for stored in &view.items {
            let own = sums.entry(self.audiences[&stored.rules.rules]).or_default();
            own.0 += 1;
            own.1 += i64::try_from(stored.vectors().count()).unwrap_or_default();
            stored.add_lengths(&mut own.2);
            stored.add_lengths(&mut all);
        }
        for &audience in self.audiences.values() {
            let (items, units, lengths) = sums.remove(&audience).unwrap_or_default();
            let lengths = serde_json::to_string(&lengths).unwrap_or_default();
            let update = "UPDATE faber.audiences SET items = $2, units = $3, lengths = $4::text::jsonb \
                WHERE id = $1";
            self.transaction.execute(update, &[&audience, &items, &units, &lengths]).await?;
        }
        if self.done.added + self.done.changed + self.done.removed == 0 {
            return Ok(());
        }
        let mut lists: BTreeMap<(i32, &str), Vec<(i64, u8)>> = BTreeMap::new();
        for (stored, &id) in view.items.iter().zip(ids) {
            let audience = self.audiences[&stored.rules.rules];
            for (stem, worth) in stored.impacts(&all) {
                lists.entry((audience, stem)).or_default().push((id, postings::to_byte(worth)));
            }
        }
        let select = "SELECT p.audience, p.stem, sha256(p.data) FROM faber.postings p \
            JOIN faber.audiences a ON a.id = p.audience WHERE a.space = $1";
        let mut known: HashMap<(i32, String), Vec<u8>> = HashMap::new();
        for row in self.transaction.query(select, &[&self.space]).await? {
            known.insert((row.get(0), row.get(1)), row.get(2));
        }
        let mut changed: Vec<(i32, &str, i32, Vec<u8>)> = Vec::new();
        for ((audience, stem), mut entries) in lists {
            entries.sort_unstable();
            let data = postings::encode(&entries);
            let old = known.remove(&(audience, stem.to_owned()));
            if old.is_none_or(|old| old[..] != Sha256::digest(&data)[..]) {
                let items = i32::try_from(entries.len()).unwrap_or(i32::MAX);
                changed.push((audience, stem, items, data));
            }
        }
        self.done.lists = changed.len();
        let gone: Vec<(i32, String)> = known.into_keys().collect();
        self.replace_lists(&changed, &gone).await
    }

    async fn replace_lists(
        &self,
        changed: &[(i32, &str, i32, Vec<u8>)],
        gone: &[(i32, String)],
    ) -> Result<(), StoreError> {
        let upsert = "INSERT INTO faber.postings (audience, stem, items, data) \
            SELECT * FROM unnest($1::int[], $2::text[], $3::int[], $4::bytea[]) \
            ON CONFLICT (stem, audience) DO UPDATE SET items = EXCLUDED.items, data = EXCLUDED.data";
        for rows in changed.chunks(BATCH_SMALL) {
            let audiences: Vec<i32> = rows.iter().map(|row| row.0).collect();
            let stems: Vec<&str> = rows.iter().map(|row| row.1).collect();
            let items: Vec<i32> = rows.iter().map(|row| row.2).collect();
            let data: Vec<&[u8]> = rows.iter().map(|row| &*row.3).collect();
            self.transaction.execute(upsert, &[&audiences, &stems, &items, &data]).await?;
        }
        let delete = "DELETE FROM faber.postings p USING unnest($1::int[], $2::text[]) AS gone(audience, stem) \
            WHERE p.audience = gone.audience AND p.stem = gone.stem";
        for rows in gone.chunks(BATCH_SMALL) {
            let audiences: Vec<i32> = rows.iter().map(|row| row.0).collect();
            let stems: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
            self.transaction.execute(delete, &[&audiences, &stems]).await?;
        }
        Ok(())
    }

    async fn write_documents(&mut self, view: &StoredView) -> Result<(), StoreError> {
        let select = "SELECT path, audience, digest FROM faber.documents WHERE space = $1";
        let mut known: HashMap<String, (i32, Vec<u8>)> = HashMap::new();
        for row in self.transaction.query(select, &[&self.space]).await? {
            known.insert(row.get(0), (row.get(1), row.get(2)));
        }
        let upsert = "INSERT INTO faber.documents (space, audience, path, digest, body) \
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, path) DO UPDATE SET \
            audience = EXCLUDED.audience, digest = EXCLUDED.digest, body = EXCLUDED.body";
        let upsert = self.transaction.prepare(upsert).await?;
        for (path, file) in &view.files {
            let audience = self.audiences[&file.rules];
            let digest = digest(&[file.text.as_bytes()]);
            if known.remove(path).is_some_and(|old| old == (audience, digest.clone())) {
                continue;
            }
            let body = file.text.as_bytes();
            self.transaction
                .execute(&upsert, &[&self.space, &audience, path, &digest, &body])
                .await?;
        }
        let gone: Vec<String> = known.into_keys().collect();
        let delete = "DELETE FROM faber.documents WHERE space = $1 AND path = ANY($2)";
        self.transaction.execute(delete, &[&self.space, &gone]).await?;
        Ok(())
    }
}
