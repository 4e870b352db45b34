//! SQL finds candidates, Rust ranks them. Row-level security and the queries both check access.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use jiff::civil::Date;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Transaction};

use crate::columns::{day, dimension, to_half};
use crate::error::StoreError;
use crate::postings;
use crate::schema::{MANY_UNITS, SchemaState};
use crate::score::PostingScores;
use crate::space::SpaceName;
use faber_core::category::Category;
use faber_core::config::Weights;
use faber_core::meaning;
use faber_core::resolve::view::{AccessRule, Principal};
use faber_core::terms::abbreviations::spelled_out;
use faber_core::terms::query::{self, Term};
use faber_core::terms::{bm25, translation};
use faber_tools::search::item::in_space;
use faber_tools::search::rank::{CorpusStatistics, LengthSums};
use faber_tools::search::scope::Scope;
use faber_tools::search::section;
use faber_tools::search::stored::{
    Candidates, FORMAT, MAX_WORTH, MODEL, StoredCandidate, scope_bit,
};

const BY_WORDS: usize = 160;
const BY_WORDS_FILTERED: usize = 5_000;
const BY_MEANING: i64 = 100;
/// Above this, a recall of 0.95 needs more search effort.
const MAX_UNITS: i64 = 500_000;
const RANKED: usize = 48;
const FREQUENT: i64 = 400_000;
const MAX_LISTED: i64 = 5_000;
const MAX_LINKED: i64 = 200;

#[derive(Clone, Debug)]
pub struct Requester<'a> {
    pub principal: &'a Principal,
    pub spaces: &'a [SpaceName],
    pub today: Date,
    pub role: Option<&'a str>,
    pub scope: Scope,
    pub category: Option<Category>,
}

#[derive(Clone, Copy, Debug)]
pub enum StoreQuestion<'a> {
    Question { text: &'a str, weights: Weights },
    Ids(&'a [String]),
    All,
}

pub struct StoreAnswer {
    pub candidates: Candidates,
    pub role: Option<String>,
    pub roles: Vec<String>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Audience {
    id: i32,
    items: i64,
    units: i64,
    lengths: LengthSums,
}

pub(crate) struct StoreLookup<'a> {
    pub(crate) transaction: Transaction<'a>,
    pub(crate) state: SchemaState,
    pub(crate) asker: Requester<'a>,
    pub(crate) filters_access: bool,
}

#[derive(Default)]
struct VisibleAudiences {
    audiences: Vec<Audience>,
    ids: Vec<i32>,
    role: Option<String>,
    roles: BTreeSet<String>,
    spaces: BTreeSet<String>,
    notes: Vec<String>,
}

impl StoreLookup<'_> {
    pub(crate) async fn answer(self, wanted: StoreQuestion<'_>) -> Result<StoreAnswer, StoreError> {
        introduce(&self.transaction, self.asker.principal, self.asker.spaces).await?;
        let visible = self.visible().await?;
        let mut statistics = CorpusStatistics::default();
        for audience in &visible.audiences {
            statistics.docs += usize::try_from(audience.items).unwrap_or_default();
            statistics.lengths.add_sums(&audience.lengths);
        }
        let mut rows = match wanted {
            StoreQuestion::Question { text, weights } => {
                let english = self.translated(text, &visible).await?;
                let mut ids = Vec::new();
                for part in query::parts(&english) {
                    ids.extend(self.best(part, weights, &visible, &mut statistics).await?);
                }
                self.items("i.id = ANY($3)", &visible, &ids).await?
            }
            StoreQuestion::Ids(ids) => {
                let role = self.asker.role;
                let names: Vec<String> = ids.iter().flat_map(|id| names_of(id, role)).collect();
                self.items("i.item = ANY($3)", &visible, &names).await?
            }
            StoreQuestion::All => {
                let most = vec![MAX_LISTED];
                let all = "i.id IN (SELECT id FROM faber.items WHERE audience = ANY($1) \
                           ORDER BY item, id LIMIT ($3::bigint[])[1])";
                self.items(all, &visible, &most).await?
            }
        };
        if !matches!(wanted, StoreQuestion::All) {
            rows.extend(self.linked(&rows, &visible).await?);
        }
        self.transaction.commit().await?;
        let VisibleAudiences { role, roles, mut notes, .. } = visible;
        if matches!(wanted, StoreQuestion::All) && statistics.docs > rows.len() {
            notes.push(format!("the first {} of {} items are listed", rows.len(), statistics.docs));
        }
        let is_one = self.asker.spaces.len() == 1;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let mut candidate = row.candidate;
            if !is_one {
                candidate.put_in_space(&row.space);
            }
            if let Some(asked) = self.asker.role {
                candidate.show_as_of(asked);
            }
            items.push((row.is_of_role, row.id, candidate));
        }
        items.sort_by_key(|(is_of_role, id, _)| (!is_of_role, *id));
        let items = items.into_iter().map(|(_, _, candidate)| candidate).collect();
        let candidates = Candidates { items, statistics };
        let role = self.asker.role.map(str::to_owned).or(role.filter(|_| is_one));
        Ok(StoreAnswer { candidates, role, roles: roles.into_iter().collect(), notes })
    }

    async fn visible(&self) -> Result<VisibleAudiences, StoreError> {
        let select = "SELECT a.id, a.rules::text, a.items, a.units, a.lengths::text, s.name, s.format, \
            s.role, s.roles, s.model, s.dimension FROM faber.audiences a JOIN faber.spaces s ON s.id = a.space \
            ORDER BY a.id";
        let mut visible = VisibleAudiences::default();
        let mut roles_of_spaces = BTreeSet::new();
        for row in self.transaction.query(select, &[]).await? {
            let name: String = row.get(5);
            let is_wanted = self.asker.spaces.is_empty()
                || self.asker.spaces.iter().any(|it| it.as_str() == name);
            let rules: Vec<AccessRule> = serde_json::from_str(row.get(1))
                .map_err(|_| StoreError::damaged("an access rule"))?;
            let may_see = is_wanted && rules.iter().all(|rule| rule.allows(self.asker.principal));
            if self.filters_access && !may_see {
                continue;
            }
            if (row.get(6), row.get(9), row.get(10)) != (FORMAT, MODEL, dimension()) {
                visible.notes.push(format!(
                    "`{name}` was pushed by another version of faber; push it again"
                ));
                continue;
            }
            let lengths = serde_json::from_str(row.get(4));
            let lengths = lengths.map_err(|_| StoreError::damaged("a statistic"))?;
            let (items, units) = (row.get(2), row.get(3));
            visible.audiences.push(Audience { id: row.get(0), items, units, lengths });
            visible.roles.extend(row.get::<_, Vec<String>>(8));
            roles_of_spaces.insert(row.get::<_, Option<String>>(7));
            visible.spaces.insert(name);
        }
        visible.ids = visible.audiences.iter().map(|audience| audience.id).collect();
        if roles_of_spaces.len() == 1 {
            visible.role = roles_of_spaces.pop_first().flatten();
        }
        visible.notes.dedup();
        let is_known = |asked: &&SpaceName| visible.spaces.contains(asked.as_str());
        let unknown = self.asker.spaces.iter().filter(|asked| !is_known(asked));
        let unknown: Vec<String> = unknown
            .map(|asked| format!("the store has no space `{asked}` that you may see"))
            .collect();
        let has_others = !visible.spaces.is_empty() || !visible.notes.is_empty();
        if let Some(message) = unknown.first().filter(|_| !has_others) {
            let help = "check the name of the space, and the user and groups (`--as USER:GROUP`)";
            return Err(StoreError::usage(message, help));
        }
        visible.notes.extend(unknown);
        Ok(visible)
    }

    async fn translated<'t>(
        &self,
        text: &'t str,
        visible: &VisibleAudiences,
    ) -> Result<Cow<'t, str>, StoreError> {
        let asked = RefCell::new(BTreeSet::new());
        let ask = |stem: &str| {
            asked.borrow_mut().insert(stem.to_owned());
            false
        };
        if translation::translated(text, &ask).is_none() {
            return Ok(Cow::Borrowed(text));
        }
        let asked: Vec<String> = asked.into_inner().into_iter().collect();
        let select =
            "SELECT DISTINCT stem FROM faber.postings WHERE stem = ANY($1) AND audience = ANY($2)";
        let rows = self.transaction.query(select, &[&asked, &visible.ids]).await?;
        let known: BTreeSet<&str> = rows.iter().map(|row| row.get(0)).collect();
        let english = translation::translated(text, &|stem| known.contains(stem));
        Ok(english.map_or(Cow::Borrowed(text), Cow::Owned))
    }

    async fn best(
        &self,
        text: &str,
        weights: Weights,
        visible: &VisibleAudiences,
        statistics: &mut CorpusStatistics,
    ) -> Result<Vec<i64>, StoreError> {
        let weights = weights.of_text(text);
        let vector = meaning::embed(&spelled_out(text));
        let has_vector = self.state.has_vectors && vector.length > 0.0 && weights.semantic > 0.0;
        let half = to_half(&vector.values);
        let terms = query::terms(text);
        let words = self.by_words(&terms, visible, statistics).await?;
        let alike = if has_vector { self.by_meaning(&half, visible).await? } else { Vec::new() };
        let is_filtered = self.asker.category.is_some() || self.asker.scope != Scope::All;
        let most = if is_filtered { BY_WORDS_FILTERED } else { BY_WORDS };
        let mut scores: HashMap<i64, f64> = words.best(most).into_iter().collect();
        for id in alike {
            scores.entry(id).or_insert_with(|| words.get(id));
        }
        let ids: Vec<i64> = scores.keys().copied().collect();
        let bit = scope_bit(self.asker.scope).unwrap_or_default();
        let category = self.asker.category.map(|it| it.row().name);
        let today = day(self.asker.today);
        let mut parameters: Vec<&(dyn ToSql + Sync)> =
            vec![&visible.ids, &today, &ids, &bit, &category];
        let mut cosine = "0::float8";
        if has_vector {
            cosine = "(SELECT max(1 - (u.vector <=> $6)) FROM faber.units u WHERE u.item = i.id)";
            parameters.push(&half);
        }
        let select = format!(
            "SELECT i.id, {cosine} FROM faber.items i WHERE i.id = ANY($3) AND {VISIBLE} \
             AND ($4::smallint = 0 OR i.scopes & $4 <> 0) AND ($5::text IS NULL OR i.category = $5)"
        );
        let rows = self.transaction.query(&select, &parameters).await?;
        let mut best: Vec<(f64, i64)> = Vec::with_capacity(rows.len());
        for row in rows {
            let id: i64 = row.get(0);
            let cosine = row.get::<_, Option<f64>>(1).unwrap_or_default().max(0.0);
            let fused = weights.keyword * scores.get(&id).copied().unwrap_or_default()
                + weights.semantic * cosine;
            best.push((fused, id));
        }
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        best.truncate(RANKED);
        Ok(best.into_iter().map(|(_, id)| id).collect())
    }

    /// Approximates √(bm25 / bound).
    async fn by_words(
        &self,
        terms: &[Term<'_>],
        visible: &VisibleAudiences,
        statistics: &mut CorpusStatistics,
    ) -> Result<PostingScores, StoreError> {
        let stems: Vec<&str> = terms.iter().flat_map(Term::stems).collect();
        let select = "SELECT stem, items, \
            CASE WHEN sum(items) OVER (PARTITION BY stem) <= $3 \
                OR $3 >= (SELECT sum(items) FROM faber.audiences WHERE id = ANY($2)) THEN data END \
            FROM faber.postings WHERE stem = ANY($1) AND audience = ANY($2)";
        let rows = self.transaction.query(select, &[&stems, &visible.ids, &FREQUENT]).await?;
        let mut lists: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for row in rows {
            let stem: String = row.get(0);
            let count = usize::try_from(row.get::<_, i32>(1)).unwrap_or_default();
            *counts.entry(stem.clone()).or_default() += count;
            lists.entry(stem).or_default().extend(row.get::<_, Option<Vec<u8>>>(2));
        }
        let mut scores = PostingScores::default();
        let mut rarities = Vec::new();
        for term in terms {
            let having: usize = term.stems().filter_map(|stem| counts.get(stem)).sum();
            let having = having.min(statistics.docs);
            statistics.having.insert(term.stem.clone(), having);
            if term.joined && having == 0 {
                continue;
            }
            let idf = term.weight() * bm25::idf(statistics.docs.max(having), having);
            rarities.push(idf);
            for list in term.stems().filter_map(|stem| lists.get(stem)).flatten() {
                postings::each(list, |id, worth| {
                    scores.add(id, idf * MAX_WORTH * postings::from_byte(worth));
                });
            }
        }
        let bound = bm25::bound(rarities.into_iter());
        scores.finish(|score| bm25::relevance(score, bound));
        Ok(scores)
    }

    async fn by_meaning(
        &self,
        vector: &pgvector::HalfVector,
        visible: &VisibleAudiences,
    ) -> Result<Vec<i64>, StoreError> {
        let units: i64 = visible.audiences.iter().map(|audience| audience.units).sum();
        let how = if units <= MANY_UNITS {
            "SET LOCAL enable_indexscan = off".to_owned()
        } else {
            let effort = if units <= MAX_UNITS { 200 } else { 400 };
            format!(
                "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = {effort}"
            )
        };
        self.transaction.batch_execute(&how).await?;
        let select =
            "SELECT item FROM faber.units WHERE audience = ANY($2) ORDER BY vector <=> $1 LIMIT $3";
        let rows = self.transaction.query(select, &[&vector, &visible.ids, &BY_MEANING]).await?;
        if units <= MANY_UNITS {
            self.transaction.batch_execute("SET LOCAL enable_indexscan = on").await?;
        }
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    async fn items<T: ToSql + Sync>(
        &self,
        condition: &str,
        visible: &VisibleAudiences,
        chosen: &Vec<T>,
    ) -> Result<Vec<FoundRow>, StoreError> {
        let select = format!(
            "SELECT i.id, s.name, i.item, i.meta, i.body, i.analysis FROM faber.items i \
             JOIN faber.spaces s ON s.id = i.space WHERE {condition} AND {VISIBLE} ORDER BY i.id"
        );
        let today = day(self.asker.today);
        let rows = self.transaction.query(&select, &[&visible.ids, &today, chosen]).await?;
        rows.iter().map(|row| FoundRow::read(row, self.asker.role)).collect()
    }

    async fn linked(
        &self,
        rows: &[FoundRow],
        visible: &VisibleAudiences,
    ) -> Result<Vec<FoundRow>, StoreError> {
        let have: BTreeSet<&str> = rows.iter().map(|row| row.candidate.id()).collect();
        let links = rows.iter().flat_map(|row| row.candidate.links());
        let links: BTreeSet<String> =
            links.filter(|link| !have.contains(link)).map(str::to_owned).collect();
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let links: Vec<String> = links.into_iter().collect();
        let condition = format!(
            "i.id IN (SELECT id FROM faber.items WHERE item = ANY($3) AND audience = ANY($1) \
             LIMIT {MAX_LINKED})"
        );
        self.items(&condition, visible, &links).await
    }
}

/// Of a visible audience (`$1`), valid on a day (`$2`), without a visible variant of higher rank.
const VISIBLE: &str = "i.audience = ANY($1) AND (i.valid_to IS NULL OR i.valid_to >= $2::text::date) \
    AND NOT EXISTS (SELECT FROM faber.items b WHERE b.space = i.space \
        AND b.variant_of = i.variant_of AND b.rank > i.rank AND b.audience = ANY($1))";

pub(crate) async fn introduce(
    transaction: &Transaction<'_>,
    principal: &Principal,
    spaces: &[SpaceName],
) -> Result<(), StoreError> {
    let mut names = principal.user.iter().chain(&principal.groups);
    if names.any(|name| name.contains('\0')) {
        return Err(StoreError::usage(
            "the user or a group has a zero byte in the name",
            "check `--as`, or `access` in the configuration",
        ));
    }
    let user = match &principal.user {
        Some(user) => format!("user:{user}"),
        None => "anonymous".to_owned(),
    };
    let groups = serde_json::to_string(&principal.groups).unwrap_or_default();
    let names: Vec<&str> = spaces.iter().map(SpaceName::as_str).collect();
    let spaces = match &*names {
        [] => "*".to_owned(),
        names => serde_json::to_string(names).unwrap_or_default(),
    };
    transaction.execute("SELECT faber.introduce($1, $2, $3)", &[&user, &groups, &spaces]).await?;
    Ok(())
}

fn names_of(id: &str, role: Option<&str>) -> Vec<String> {
    let (_, own) = in_space(id);
    let known = section::item_of(own).filter(|name| !name.contains('\0'));
    let both = known
        .flat_map(|name| [Some(name.to_owned()), role.map(|role| format!("@role:{role}/{name}"))]);
    both.flatten().collect()
}

struct FoundRow {
    id: i64,
    space: String,
    is_of_role: bool,
    candidate: StoredCandidate,
}

impl FoundRow {
    fn read(row: &Row, role: Option<&str>) -> Result<Self, StoreError> {
        let damaged = |_| StoreError::damaged("an item");
        let text = String::from_utf8(row.get(4)).map_err(|_| StoreError::damaged("a text"))?;
        let candidate = StoredCandidate::decode(row.get(3), text, row.get(5)).map_err(damaged)?;
        let item: &str = row.get(2);
        let is_of_role = role.is_some_and(|role| item.starts_with(&format!("@role:{role}/")));
        Ok(Self { id: row.get(0), space: row.get(1), is_of_role, candidate })
    }
}
