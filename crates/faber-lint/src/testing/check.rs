use std::collections::{BTreeMap, BTreeSet};

use faber_core::assemble::bundle::Loaded;
use faber_core::budget::level::Level;
use faber_core::context_id::ContextId;
use faber_core::resolve::index::{ReferenceOrigin, Resolution};
use faber_core::source::Span;
use faber_output::table::DisplayOptions;
use faber_output::table::{figure, grouped, plain};
use faber_tools::explain::{ExplainInput, origins};

use super::case::{Case, Expectation, Expected};
use super::names::WorkspaceNames;
use super::run::ExpectationFailure;

const NAMED: usize = 5;

pub(crate) struct FailedExpectation {
    pub failure: ExpectationFailure,
    pub about: Option<ContextId>,
    unknown: Option<String>,
}

impl FailedExpectation {
    pub(crate) fn new(expectation: &'static str, span: Span, message: String) -> Self {
        let (help, detail, explanation) = (None, None, None);
        let failure = ExpectationFailure { expectation, span, message, help, detail, explanation };
        Self { failure, about: None, unknown: None }
    }

    fn of(expected: &Expected, message: String) -> Box<Self> {
        Box::new(Self::new(expected.what.key(), expected.span, message))
    }

    fn about(mut self: Box<Self>, id: ContextId) -> Box<Self> {
        self.about = Some(id);
        self
    }

    pub(crate) fn settle(mut self, names: &mut WorkspaceNames<'_>) -> Option<ExpectationFailure> {
        let Some(name) = self.unknown else { return Some(self.failure) };
        if !names.has(&name) {
            self.failure.message = format!("unknown context `{name}`");
            self.failure.help =
                names.closest(&name).map(|close| format!("did you mean `{close}`?"));
        } else if self.failure.expectation == "not_selected" {
            return None;
        } else {
            self.failure.message = format!("`{name}` is not among the contexts of this case");
            let help = "it is for another role, platform, team, workflow or user, or a private one";
            self.failure.help = Some(help.to_owned());
        }
        Some(self.failure)
    }
}

type Checked<T> = Result<T, Box<FailedExpectation>>;

fn ensure(holds: bool, failed: impl FnOnce() -> Box<FailedExpectation>) -> Checked<()> {
    if holds { Ok(()) } else { Err(failed()) }
}

struct ExpectationChecker<'a> {
    subject: ExplainInput<'a>,
    bundle: String,
    width: usize,
    loaded: BTreeMap<&'a ContextId, usize>,
    catalogued: BTreeSet<&'a ContextId>,
    called: BTreeMap<&'a str, BTreeSet<&'a ContextId>>,
}

pub(crate) fn all(case: &Case, subject: ExplainInput<'_>, width: usize) -> Vec<FailedExpectation> {
    let fails = case.fails.as_ref().map(|fails| {
        let message =
            format!("expected to fail with `{}`, but it was assembled", fails.value.name());
        FailedExpectation::new("fails", fails.span, message)
    });
    fails.into_iter().chain(expected(&case.expected, subject, width)).collect()
}

pub(crate) fn expected(
    expected: &[Expected],
    subject: ExplainInput<'_>,
    width: usize,
) -> Vec<FailedExpectation> {
    let checker = ExpectationChecker::new(subject, width);
    let broken = expected.iter().filter_map(|expected| checker.check(expected).err());
    broken.map(|broken| *broken).collect()
}

impl<'a> ExpectationChecker<'a> {
    fn new(subject: ExplainInput<'a>, width: usize) -> Self {
        let (catalog, bundle) = (&subject.assembly.catalog, &subject.assembly.bundle);
        let gone = bundle.excluded.iter().map(|gone| &gone.id);
        let mut called: BTreeMap<&str, BTreeSet<&ContextId>> = BTreeMap::new();
        for id in catalog.contexts.keys().chain(catalog.aliases.keys()).chain(gone) {
            let base = catalog.aliases.get(id).unwrap_or(id);
            called.entry(&id.name).or_default().insert(base);
        }
        Self {
            subject,
            bundle: bundle.text(),
            width,
            loaded: bundle.loaded.iter().map(|loaded| &loaded.id).zip(0..).collect(),
            catalogued: bundle.catalogued.iter().map(|one| &one.entry.id).collect(),
            called,
        }
    }

    fn check(&self, expected: &Expected) -> Checked<()> {
        let failed = |message| FailedExpectation::of(expected, message);
        match &expected.what {
            Expectation::Selected(name) => self.loaded(expected, name).map(|_| ()),
            Expectation::NotSelected(name) => {
                let id = self.context(expected, name)?;
                ensure(!self.loaded.contains_key(&id), || {
                    failed(format!("`{name}` is in the bundle")).about(id)
                })
            }
            Expectation::Catalogued(name) => {
                let id = self.context(expected, name)?;
                ensure(self.catalogued.contains(&id), || {
                    failed(format!("`{name}` is not in the catalog")).about(id)
                })
            }
            Expectation::Level(name, level) => {
                let (_, loaded) = self.loaded(expected, name)?;
                ensure(loaded.level == *level, || {
                    let (is, level) = (loaded.level.name(), level.name());
                    failed(format!("`{name}` is {is}, not {level}")).about(loaded.id.clone())
                })
            }
            Expectation::Full(name) => {
                let (_, loaded) = self.loaded(expected, name)?;
                ensure(loaded.level == Level::Detailed, || {
                    let (tokens, full) = (grouped(loaded.tokens), grouped(loaded.full_tokens));
                    let level = loaded.level.name();
                    let size = format!("level {level}, {tokens} of {full} tokens");
                    failed(format!("`{name}` is not in full: {size}")).about(loaded.id.clone())
                })
            }
            Expectation::Relevance(name, least) => {
                let id = self.context(expected, name)?;
                let relevance = self.relevance(&id);
                ensure(relevance >= *least, || {
                    failed(format!("`{name}` has relevance {relevance}, less than {least}"))
                        .about(id)
                })
            }
            Expectation::MoreRelevant(first, second) => self.more_relevant(expected, first, second),
            Expectation::Before(first, second) => self.before(expected, first, second),
            Expectation::MaxTokens(most) => self.max_tokens(expected, *most),
            Expectation::Contains(text) => ensure(self.bundle.contains(text.as_str()), || {
                failed(format!("the bundle does not contain `{}`", shown(text)))
            }),
            Expectation::NotContains(text) => self.not_contains(expected, text),
            Expectation::Nothing => self.nothing(expected),
        }
    }

    fn before(&self, expected: &Expected, first: &str, second: &str) -> Checked<()> {
        let (one, _) = self.loaded(expected, first)?;
        let (two, _) = self.loaded(expected, second)?;
        if one < two {
            return Ok(());
        }
        if one == two {
            let message = format!("`{first}` and `{second}` are the same context");
            return Err(FailedExpectation::of(expected, message));
        }
        let mut broken =
            FailedExpectation::of(expected, format!("`{second}` comes before `{first}`"));
        let between = &self.subject.assembly.bundle.loaded[two..=one];
        let mut names: Vec<_> = between.iter().map(|one| one.id.to_string()).collect();
        if names.len() > NAMED {
            names.splice(NAMED - 1..names.len() - 1, ["…".to_owned()]);
        }
        broken.failure.help = Some(format!("the bundle has {}", names.join(", ")));
        Err(broken)
    }

    fn more_relevant(&self, expected: &Expected, first: &str, second: &str) -> Checked<()> {
        let (one, two) = (self.context(expected, first)?, self.context(expected, second)?);
        if one == two {
            let message = format!("`{first}` and `{second}` are the same context");
            return Err(FailedExpectation::of(expected, message));
        }
        let (more, less) = (self.relevance(&one), self.relevance(&two));
        ensure(more > less, || {
            let message =
                format!("`{first}` has relevance {more}, not more than `{second}` with {less}");
            FailedExpectation::of(expected, message).about(one)
        })
    }

    fn relevance(&self, id: &ContextId) -> f64 {
        let relevance = self.subject.assembly.bundle.relevance.get(id).copied();
        (relevance.unwrap_or(0.0) * 10_000.0).round() / 10_000.0
    }

    fn max_tokens(&self, expected: &Expected, limit: u64) -> Checked<()> {
        let bundle = &self.subject.assembly.bundle;
        let used = bundle.figures.summary.total_used;
        if used as u64 <= limit {
            return Ok(());
        }
        let most = figure(usize::try_from(limit).unwrap_or(usize::MAX));
        let message = format!("the bundle has {} tokens; the maximum is {most}", figure(used));
        let mut broken = FailedExpectation::of(expected, message);
        let mut largest: Vec<&Loaded> = bundle.loaded.iter().collect();
        largest.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.id.cmp(&b.id)));
        let largest = largest.iter().take(NAMED);
        let largest: Vec<_> =
            largest.map(|one| plain(&format!("{} {}", one.id, grouped(one.tokens)))).collect();
        broken.failure.help =
            (!largest.is_empty()).then(|| format!("largest contexts: {}", largest.join(", ")));
        Err(broken)
    }

    fn nothing(&self, expected: &Expected) -> Checked<()> {
        let loaded = self.subject.assembly.bundle.loaded.iter().take(NAMED);
        let names: Vec<String> = loaded.map(|one| format!("`{}`", one.id)).collect();
        ensure(names.is_empty(), || {
            FailedExpectation::of(expected, format!("the bundle has {}", names.join(", ")))
        })
    }

    fn not_contains(&self, expected: &Expected, text: &str) -> Checked<()> {
        let Some(at) = self.bundle.find(text) else { return Ok(()) };
        let first = self.bundle[..at].matches('\n').count() + 1;
        let last = first + text.matches('\n').count();
        let message = format!("the bundle contains `{}` in line {first}", shown(text));
        let mut broken = FailedExpectation::of(expected, message);
        let look = DisplayOptions::plain(self.width);
        let lines = origins::lines(self.subject, first, last).ok();
        broken.failure.detail = lines.map(|lines| origins::human(&lines, look));
        Err(broken)
    }

    fn loaded(&self, expected: &Expected, name: &str) -> Checked<(usize, &Loaded)> {
        let id = self.context(expected, name)?;
        let Some(&at) = self.loaded.get(&id) else {
            let message = format!("`{name}` is not in the bundle");
            return Err(FailedExpectation::of(expected, message).about(id));
        };
        Ok((at, &self.subject.assembly.bundle.loaded[at]))
    }

    fn context(&self, expected: &Expected, name: &str) -> Checked<ContextId> {
        let mut ids = self.meanings(name);
        if ids.len() == 1
            && let Some(id) = ids.pop_first()
        {
            return Ok(id);
        }
        let mut broken = FailedExpectation::of(expected, String::new());
        if ids.is_empty() {
            broken.unknown = Some(name.to_owned());
        } else {
            let ids: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
            broken.failure.message = format!("several contexts are called `{name}`");
            broken.failure.help = Some(format!("write {}", ids.join(" or ")));
        }
        Err(broken)
    }

    fn meanings(&self, name: &str) -> BTreeSet<ContextId> {
        let assembly = self.subject.assembly;
        let catalog = &assembly.catalog;
        let lineage = assembly.pack.lineage.as_ref();
        let role_root = lineage.map(|lineage| lineage.role().root.as_path());
        let from = ReferenceOrigin { path: "".into(), role_root };
        if let Resolution::Context(id) = catalog.index.resolve(name, from) {
            return BTreeSet::from([catalog.aliases.get(&id).unwrap_or(&id).clone()]);
        }
        let wanted = ContextId::parse(name);
        let bare = wanted.as_ref().map_or(name, |id| &id.name);
        let called = self.called.get(bare).into_iter().flatten();
        let called = called.filter(|id| wanted.as_ref().is_none_or(|wanted| wanted == **id));
        called.map(|id| (*id).clone()).collect()
    }
}

fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
