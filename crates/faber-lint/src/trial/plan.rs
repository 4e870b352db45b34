use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::testing::case::Case;
use crate::testing::report;
use faber_core::assemble::Assembly;
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::resolve::index::ReferenceOrigin;
use faber_output::text::counted;
use faber_session::session::{Assembled, Session};

use super::evidence::TextHashes;

const SCHEMA: &str = "faber.trial/1";

/// `trial.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialPlan {
    /// `faber.trial/1`.
    pub schema: String,
    /// Every bundle to run, by case.
    pub runs: Vec<TrialRun>,
    /// What is compared.
    pub pairs: Vec<TrialPair>,
    /// The hashes of the texts of the contexts that are compared.
    pub texts: BTreeMap<String, String>,
}

/// One bundle.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialRun {
    /// Derived from case and bundle, so that an unchanged run keeps its verdicts.
    pub id: u32,
    /// The file and name of the case.
    pub case: String,
    /// The context that is left out; `(old version)` for the bundle of the other workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// The tokens of the bundle.
    pub tokens: u64,
    /// The file with the bundle, next to this one.
    pub bundle: String,
    /// What the user asks.
    pub request: String,
    /// Statements that a good answer fulfils.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<String>,
    /// Texts that a good answer contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_contains: Vec<String>,
}

/// Two runs of one case that differ in one context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialPair {
    /// The context, or `(pack)` for two versions.
    pub context: String,
    /// The run that has it.
    pub with: u32,
    /// The run that lacks it.
    pub without: u32,
}

impl TrialPlan {
    /// # Errors
    ///
    /// A message with the line or the run.
    pub fn read(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct SchemaTag {
            schema: String,
        }
        let SchemaTag { schema } = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if schema != SCHEMA {
            return Err(format!("`schema` is `{schema}`, not `{SCHEMA}`"));
        }
        let plan: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut ids = BTreeSet::new();
        if let Some(run) = plan.runs.iter().find(|run| !ids.insert(run.id)) {
            return Err(format!("two runs have the id {}", run.id));
        }
        let of_pairs = plan.pairs.iter().flat_map(|pair| [pair.with, pair.without]);
        if let Some(id) = of_pairs.into_iter().find(|id| !ids.contains(id)) {
            return Err(format!("a pair has run {id}, which is not in `runs`"));
        }
        Ok(plan)
    }
}

pub const PACK: &str = "(pack)";
pub const OLD: &str = "(old version)";

#[derive(Clone, Copy, Debug)]
pub struct PlanOptions<'a> {
    pub session: &'a Session,
    pub against: Option<&'a Session>,
    pub contexts: &'a [String],
}

#[derive(Debug, Default)]
pub struct PlannedTrial {
    pub plan: TrialPlan,
    pub bundles: BTreeMap<u32, String>,
    pub notes: Vec<String>,
    pub known: BTreeSet<String>,
    /// Of `contexts`, names that no case knows.
    pub unknown: Vec<String>,
}

#[derive(Default)]
struct PlannedCase {
    required: BTreeSet<String>,
    named: BTreeMap<String, bool>,
    runs: Vec<(TrialRun, String)>,
    pairs: Vec<TrialPair>,
    notes: Vec<String>,
    known: BTreeSet<String>,
    is_equal: bool,
}

pub fn plan(cases: &[Case], options: PlanOptions<'_>, texts: &TextHashes) -> PlannedTrial {
    let each: Vec<PlannedCase> = cases.par_iter().map(|case| planned(case, options)).collect();
    let mut made = PlannedTrial::default();
    let (mut required, mut equal) = (BTreeSet::new(), 0);
    let mut named: BTreeMap<String, bool> = BTreeMap::new();
    SCHEMA.clone_into(&mut made.plan.schema);
    for case in each {
        for (run, bundle) in case.runs {
            if made.bundles.insert(run.id, bundle).is_none() {
                made.plan.runs.push(run);
            }
        }
        made.plan.pairs.extend(case.pairs);
        made.notes.extend(case.notes);
        made.known.extend(case.known);
        for (name, is_used) in case.named {
            *named.entry(name).or_default() |= is_used;
        }
        required.extend(case.required);
        equal += usize::from(case.is_equal);
    }
    if equal > 0 {
        let cases = counted(equal, "case");
        made.notes.push(format!("{cases} not compared: same bundle in both versions"));
    }
    if !required.is_empty() {
        let contexts = counted(required.len(), "required context");
        made.notes.push(format!("{contexts} not compared: in every bundle"));
    }
    let compared: BTreeSet<&str> = made.plan.pairs.iter().map(|pair| &*pair.context).collect();
    for wanted in options.contexts {
        match named.get(wanted) {
            Some(true) => {}
            Some(false) => made.notes.push(format!("`{wanted}` is in the bundle of no case")),
            None => made.unknown.push(wanted.clone()),
        }
    }
    made.plan.texts = compared
        .into_iter()
        .filter_map(|context| Some((context.to_owned(), texts.get(context)?.to_owned())))
        .collect();
    made
}

fn planned(case: &Case, options: PlanOptions<'_>) -> PlannedCase {
    let mut made = PlannedCase::default();
    let label = report::label(case);
    if !case.turns.is_empty() || case.fails.is_some() {
        return made;
    }
    let whole = match assembled(case, options.session, None) {
        Ok(whole) => whole,
        Err(error) => {
            made.notes.push(format!("{label}: {error}"));
            return made;
        }
    };
    let is_required = |id: &ContextId| whole.catalog.contexts[id].front.fields.required;
    let (required, rest): (Vec<_>, Vec<_>) =
        whole.bundle.loaded.iter().map(|loaded| &loaded.id).partition(|id| is_required(id));
    let names = options.contexts.iter();
    let names: Vec<(&String, &ContextId)> =
        names.filter_map(|name| Some((name, named(&whole, name)?))).collect();
    let is_wanted = |id: &&ContextId| {
        options.contexts.is_empty() || names.iter().any(|(_, wanted)| wanted == id)
    };
    let is_loaded = |id: &ContextId| whole.bundle.loaded.iter().any(|loaded| loaded.id == *id);
    made.named.extend(names.iter().map(|(name, id)| ((*name).clone(), is_loaded(id))));
    made.known.extend(whole.catalog.contexts.keys().map(ToString::to_string));
    if let Some(old) = options.against {
        match assembled(case, old, None) {
            Ok(old) if old.bundle.text() == whole.bundle.text() => made.is_equal = true,
            Ok(old) => {
                let with = made.add(case, &whole, None);
                made.pair(case, PACK, with, (&old, OLD));
            }
            Err(error) => made.notes.push(format!("{label}, old version: {error}")),
        }
        return made;
    }
    let with = made.add(case, &whole, None);
    made.required.extend(required.into_iter().filter(is_wanted).map(ToString::to_string));
    for id in rest.into_iter().filter(is_wanted) {
        match assembled(case, options.session, Some((id, &whole))) {
            Ok(rest) if rest.bundle.loaded.iter().any(|loaded| loaded.id == *id) => {
                made.notes.push(format!("{label}: `{id}` cannot be left out"));
            }
            Ok(rest) => {
                let id = id.to_string();
                made.pair(case, &id, with, (&rest, &id));
            }
            Err(error) => made.notes.push(format!("{label}, without `{id}`: {error}")),
        }
    }
    made
}

fn assembled(
    case: &Case,
    session: &Session,
    without: Option<(&ContextId, &Assembly)>,
) -> Result<Assembly, Error> {
    let mut setup = case.setup.clone();
    if let Some((id, whole)) = without {
        setup.job.request.with.retain(|name| named(whole, name) != Some(id));
        setup.job.request.without.push(id.to_string());
    }
    let Assembled { result, .. } = setup.assemble(session, false);
    result
}

fn named<'a>(assembly: &'a Assembly, name: &str) -> Option<&'a ContextId> {
    let role_root = assembly.pack.lineage.as_ref().map(|lineage| lineage.role().root.as_path());
    let from = ReferenceOrigin { path: "".into(), role_root };
    Some(&assembly.catalog.look_up(name, from, |_| "").ok()?.id)
}

impl PlannedCase {
    fn add(&mut self, case: &Case, assembly: &Assembly, without: Option<&str>) -> u32 {
        let bundle = assembly.bundle.text();
        let label = report::label(case);
        let mut hasher = blake3::Hasher::new();
        for part in [label.as_str(), without.unwrap_or_default(), &bundle] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let bytes = hasher.finalize();
        let [first, second, third, fourth, ..] = *bytes.as_bytes();
        // 31 bits are positive in every language.
        let id = u32::from_le_bytes([first, second, third, fourth]) >> 1;
        let run = TrialRun {
            id,
            case: label,
            without: without.map(str::to_owned),
            tokens: assembly.bundle.figures.summary.total_used as u64,
            bundle: format!("runs/{id}.md"),
            request: case.setup.job.request.text.clone(),
            answer: case.answer.clone(),
            answer_contains: case.answer_contains.clone(),
        };
        self.runs.push((run, bundle));
        id
    }

    fn pair(&mut self, case: &Case, context: &str, with: u32, (rest, name): (&Assembly, &str)) {
        let without = self.add(case, rest, Some(name));
        self.pairs.push(TrialPair { context: context.to_owned(), with, without });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_of_another_form_is_refused_with_its_place() {
        let run = |id: u32| {
            format!(
                "{{\"id\": {id}, \"case\": \"c\", \"tokens\": 1, \"bundle\": \"b\", \"request\": \"r\"}}"
            )
        };
        let plan = |schema: &str, runs: &[String], rest: &str| {
            format!(
                "{{\"schema\": \"{schema}\",\n\"runs\": [{}],\n\"pairs\": [{rest}],\n\"texts\": {{}}}}",
                runs.join(",\n")
            )
        };
        let pair =
            |without: u32| format!("{{\"context\": \"a/b\", \"with\": 1, \"without\": {without}}}");
        let both = [run(1), run(2)];
        assert!(TrialPlan::read(&plan(SCHEMA, &both, &pair(2))).is_ok());
        for (text, reason) in [
            ("{}".to_owned(), "missing field `schema`"),
            (plan("faber.trial/2", &both, &pair(2)), "`schema` is `faber.trial/2`"),
            (plan(SCHEMA, &both, &pair(3)), "a pair has run 3"),
            (plan(SCHEMA, &[run(1), run(1)], ""), "two runs have the id 1"),
            (plan(SCHEMA, &both, "{\"other\": 1}"), "unknown field `other`, expected"),
            (plan(SCHEMA, &[run(1).replace("\"c\"", "1")], ""), "line 2 column"),
        ] {
            let error = TrialPlan::read(&text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
