//! Strategies for assembly cases.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use crate::assemble::builder::BundleBuilder;
use crate::assemble::bundle::Bundle;
use crate::assemble::compose::BuilderInput;
use crate::assemble::listing::{self, ScopeTopics};
use crate::assemble::{Input, Job, Read, RequestTriggers};
use crate::budget::extract_cache::ExtractCache;
use crate::budget::pack::{self, Candidate, Offer};
use crate::budget::strategies::markdown;
use crate::category::{CATEGORIES, Category};
use crate::config::{
    self, Amount, Config, ConversationConfig, Model, Order, Packing, Sections, Semantic, Upfront,
};
use crate::context_id::ContextId;
use crate::conversation::message::{self, Message};
use crate::document::{self, Document, Layer, Member};
use crate::error::Error;
use crate::layer::LayerKind;
use crate::line;
use crate::parse::frontmatter::{self, FrontKind};
use crate::prompt::{self, Instruction};
use crate::render::body::Vendor;
use crate::render::style::Style;
use crate::resolve::catalog::{self, ContextSet};
use crate::resolve::include::{Expander, Inclusion};
use crate::resolve::view::{Principal, View};
use crate::role::{Lineage, Role};
use crate::select::choose::{self, SelectionInput};
use crate::select::reason::ReasonKind;
use crate::select::request::Request;
use crate::select::selection::Selection;
use crate::source::SourceMap;
use crate::tokens::{Encoding, TokenCache, count, count_message};

const LAYERS: [(LayerKind, &str); 4] = [
    (LayerKind::Project, ""),
    (LayerKind::Role, "roles/r"),
    (LayerKind::Organization, ".faber/overlays/organization"),
    (LayerKind::User, ".faber/overlays/users/u"),
];

#[derive(Clone, Debug)]
pub(super) struct One {
    category: Category,
    layer: usize,
    required: bool,
    pinned: bool,
    without: bool,
    fields: Vec<String>,
    related: Option<Index>,
    body: String,
}

#[derive(Clone, Debug)]
pub(super) struct CaseOptions {
    pub(super) packing: Packing,
    pub(super) order: Order,
    pub(super) style: Style,
    pub(super) tokens: (&'static str, u32, Option<u64>),
    pub(super) sections: Sections,
    min_useful: u64,
    stable: Amount,
    upfront: Upfront,
    semantic: Semantic,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    contexts: Vec<One>,
    pub(super) options: CaseOptions,
    prompt: String,
    instruction: Option<String>,
    pub(super) request: String,
    inputs: Vec<String>,
    pub(super) conversation: Conversation,
}

#[derive(Clone, Debug)]
pub(super) struct Conversation {
    pub(super) history: Vec<Message>,
    pub(super) body: Option<Vendor>,
    triggers: [f64; 3],
}

pub(super) struct Ready {
    pub(super) sources: SourceMap,
    pub(super) catalog: ContextSet,
    pub(super) read: Read,
    pub(super) selection: Selection,
    pub(super) musts: Vec<ContextId>,
    config: Config,
    job: Job,
    view: View,
    tokens: Arc<TokenCache>,
    extracts: ExtractCache,
}

impl Ready {
    fn builder<'a>(
        &'a self,
        job: &'a Job,
        topics: &'a ScopeTopics<'a>,
    ) -> Result<BundleBuilder<'a>, Error> {
        let input = BuilderInput {
            job,
            view: &self.view,
            topics,
            tokens: &self.tokens,
            extracts: &self.extracts,
        };
        let builder = BundleBuilder::new(&self.sources, &self.catalog, &self.config, input)?;
        Ok(builder.with_triggers(&self.read.triggers))
    }

    pub(super) fn within(&self, budget: u64) -> Result<Bundle, Error> {
        let job = Job { budget: Some(Amount::Tokens(budget)), ..self.job.clone() };
        let topics = listing::topics(&self.catalog);
        let builder = self.builder(&job, &topics)?;
        builder.run(&self.read, &builder.listing(&self.selection))
    }

    pub(super) fn packed(&self, budget: u64) -> Option<f64> {
        let topics = listing::topics(&self.catalog);
        let builder = self.builder(&self.job, &topics).ok()?;
        let mut items = builder.items(&self.selection);
        builder.shorten(&mut items, true, &self.selection.passages);
        let candidates: Vec<_> = items.into_iter().map(|item| item.candidate).collect();
        let packed = pack::optimal(&candidates, usize::try_from(budget).ok()?).ok()?;
        let utility = |(one, taken): (&Candidate, Option<Offer>)| {
            taken.map_or(0.0, |offer| one.utility(&offer))
        };
        Some(candidates.iter().zip(packed).map(utility).sum())
    }

    pub(super) fn choose_freely(&mut self) {
        let reasons = self.selection.selected.iter_mut().flat_map(|one| &mut one.reasons);
        for reason in reasons.filter(|reason| reason.kind != ReasonKind::Semantic) {
            reason.kind = ReasonKind::Files;
        }
    }
}

impl One {
    fn id(&self, at: usize) -> String {
        format!("{}/c{at}", self.category)
    }

    fn text(&self, all: &[One]) -> String {
        let related = self.related.map(|index| index.index(all.len()));
        let related = related.map(|at| format!("related: [{}]\n", all[at].id(at)));
        format!(
            "---\nrequired: {}\n{}{}---\n{}",
            self.required,
            self.fields.concat(),
            related.unwrap_or_default(),
            self.body
        )
    }
}

impl Case {
    pub(super) fn ready(&self) -> Ready {
        let mut sources = SourceMap::default();
        let mut config = base(&mut sources);
        self.options.configure(&mut config);
        let triggers = self.conversation.triggers.map(Amount::Percent);
        config.conversation = ConversationConfig(triggers);
        let role = sources.add("roles/r/prompt.md".into(), self.prompt.clone());
        let lineage = Lineage {
            roles: vec![Role {
                name: "r".to_owned(),
                root: "roles/r".into(),
                agent: None,
                agent_file: None,
                prompt: role,
            }],
        };
        let task = self.instruction.as_ref();
        let task = task.map(|text| sources.add("roles/r/tasks/t.md".into(), text.clone()));
        let layers = layers();
        let documents = self.documents(&mut sources, &layers);
        let view = view();
        let expander = Expander {
            sources: &sources,
            role_root: None,
            role_homes: &[],
            inclusion: &|_| Inclusion::Allowed,
        };
        let documents: Vec<&Document> = documents.iter().collect();
        let catalog = catalog::resolve(&documents, &layers, &view, &expander).value;
        let mut prompt = prompt::read(&lineage, None, false, &expander, None).value;
        prompt.resolve(&catalog, &expander, None);
        let task: Option<Instruction> =
            task.map(|file| prompt::instruction("task", "t", file, &expander, &mut Vec::new()));
        let triggers = RequestTriggers::new(&catalog, &prompt.rules, &expander);
        let read = Read { prompt, instruction: task, triggers };
        let request = self.request();
        let selection = choose::select(SelectionInput {
            catalog: &catalog,
            expander: &expander,
            platform: None,
            rules: &read.prompt.rules,
            loads: &read.prompt.loads,
            custom: &[],
            request: &request,
            config: &config.selection,
            weights: config.search.weights,
            ranker: &Arc::default(),
            barred: &BTreeSet::new(),
        });
        let selection = selection.expect("a case contradicts nothing").value;
        let job = self.job(request);
        let musts = self.musts();
        Ready {
            sources,
            catalog,
            read,
            selection,
            musts,
            config,
            job,
            view,
            tokens: Arc::default(),
            extracts: ExtractCache::default(),
        }
    }

    fn documents(&self, sources: &mut SourceMap, layers: &[Layer]) -> Vec<Document> {
        let mut documents = Vec::new();
        for (at, one) in self.contexts.iter().enumerate() {
            let folder = one.category.row().directory;
            let path = layers[one.layer].folder.join(format!("contexts/{folder}/c{at}.md"));
            let file = sources.add(path, one.text(&self.contexts));
            let parsed = frontmatter::read(sources, file, FrontKind::Context).value;
            let member = Member { file, layer: one.layer, folder: Some(one.category), role: None };
            documents.extend(document::parse(sources, layers, &member, parsed, &mut Vec::new()));
        }
        documents
    }

    fn ids(&self, which: impl Fn(&One) -> bool) -> Vec<String> {
        let all = self.contexts.iter().enumerate();
        all.filter(|(_, one)| which(one)).map(|(at, one)| one.id(at)).collect()
    }

    fn musts(&self) -> Vec<ContextId> {
        let ids = self.ids(|one| one.required || one.pinned);
        ids.iter().filter_map(|id| ContextId::parse(id)).collect()
    }

    fn request(&self) -> Request {
        Request {
            text: self.request.clone(),
            error: "TimeoutError: no answer".to_owned(),
            material: self.inputs.join("\n"),
            before: String::new(),
            files: vec!["src/main.rs".to_owned()],
            inputs: BTreeMap::new(),
            with: self.ids(|one| one.pinned),
            without: self.ids(|one| one.without && !one.required && !one.pinned),
            loads: Vec::new(),
        }
    }

    fn job(&self, request: Request) -> Job {
        let input =
            |text: &String| Input { name: "a.diff".to_owned(), text: text.clone(), replaced: 0 };
        Job {
            role: Some("r".to_owned()),
            request,
            inputs: self.inputs.iter().map(input).collect(),
            model: self.options.tokens.2.map(|_| "model".to_owned()),
            style: self.options.style,
            order: Some(self.options.order),
            history: self.conversation.history.clone(),
            body: self.conversation.body,
            ..Job::default()
        }
    }

    pub(super) fn recount(&self, text: &str) -> usize {
        self.recounted(text, count_message)
    }

    pub(super) fn recount_all(&self, texts: &[String]) -> usize {
        let texts = texts.iter().map(|text| self.recounted(text, count));
        self.recount("") + texts.sum::<usize>()
    }

    /// With tiktoken-rs, except for Claude.
    fn recounted(&self, text: &str, own: fn(Encoding, &str) -> usize) -> usize {
        let (encoding, margin, window) = self.options.tokens;
        let encoding = Encoding::from_name(encoding).expect("an encoding");
        let exact = match encoding {
            Encoding::O200kBase => tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len(),
            Encoding::Cl100kBase => {
                tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len()
            }
            claude => own(claude, text),
        };
        let margin = window.map_or(0, |_| margin as usize);
        (exact * (100 + margin)).div_ceil(100)
    }

    pub(super) fn window(&self) -> Option<u64> {
        self.options.tokens.2
    }
}

impl CaseOptions {
    fn configure(&self, config: &mut Config) {
        let (encoding, margin_percent, window) = self.tokens;
        encoding.clone_into(&mut config.encoding.value);
        if let Some(window) = window {
            let model = Model { encoding: encoding.to_owned(), window, margin_percent };
            config.models.0.insert("model".to_owned(), model);
        }
        config.budget.sections = self.sections;
        config.budget.packing = self.packing;
        config.budget.min_useful = self.min_useful;
        config.budget.stable = self.stable;
        config.selection.upfront = self.upfront;
        config.selection.semantic = self.semantic;
    }
}

fn base(sources: &mut SourceMap) -> Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    let read = || {
        let mut sources = SourceMap::default();
        let node = config::defaults(&mut sources, None);
        config::typed(&node, &sources)
    };
    sources.add(config::DEFAULTS.into(), String::new());
    CONFIG.get_or_init(read).clone()
}

fn layers() -> Vec<Layer> {
    LAYERS.iter().map(|&(kind, folder)| Layer::new(kind, None, folder)).collect()
}

fn view() -> View {
    View {
        date: jiff::civil::date(2026, 1, 15),
        principal: Principal::default(),
        user_layer: true,
        environment: None,
        platform: None,
        teams: Vec::new(),
        workflow: None,
        role: Some("r".to_owned()),
        is_external_output: false,
    }
}

fn nasty() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "/{1,3}[a-z]{0,4}",
        2 => "[ \t\u{a0}\u{3000}]{0,5}",
        3 => "[-/#*_`|<>.,!?\"'(){}\\[\\]]{1,12}",
        2 => "[漢字仮名交じり文。、]{1,12}",
        2 => "[👍🏽👩\u{200d}💻\u{fe0f}🇩🇪]{1,4}",
        3 => "([a-z]{1,8}[ ,.]{1,2}){1,12}",
        1 => Just("<|endoftext|></context><!-- x -->".to_owned()),
        1 => Just("deploy the key".to_owned()),
    ];
    let ending = prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\n\n\n")];
    prop::collection::vec((line, ending), 0..12)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

fn text() -> impl Strategy<Value = String> {
    let long = (nasty(), 1..12_usize).prop_map(|(text, times)| text.repeat(times));
    prop_oneof![4 => nasty(), 3 => markdown(), 2 => long, 1 => Just(String::new())]
}

fn field() -> impl Strategy<Value = String> {
    let words = select(&["deploy", "key", "rate limit", "'\"/\"'"][..]);
    let quoted = |key: &'static str| {
        nasty().prop_map(move |text| {
            let text = serde_json::Value::from(text);
            format!("{key}: {text}\n")
        })
    };
    prop_oneof![
        2 => quoted("summary"),
        2 => quoted("essence"),
        2 => quoted("description"),
        2 => (1..200_u32).prop_map(|n| format!("max_tokens: {n}\n")),
        2 => (1..=10_u32).prop_map(|n| format!("priority: {n}\n")),
        2 => Just("truncatable: false\n".to_owned()),
        3 => words.prop_map(|word| format!("keywords: [{word}]\n")),
        1 => Just("errors: [TimeoutError]\n".to_owned()),
        1 => Just("globs: '*.rs'\n".to_owned()),
        2 => select(&["always", "on-demand", "keyword", "never"][..])
            .prop_map(|load| format!("load: {load}\n")),
    ]
}

fn one() -> impl Strategy<Value = One> {
    let category = (0..CATEGORIES.len()).prop_map(|at| CATEGORIES[at].category);
    let fields = prop::collection::btree_map(0..10_u8, field(), 0..4);
    let often = |p: f64| prop::bool::weighted(p);
    let related = prop::option::weighted(0.2, any::<Index>());
    ((category, 0..LAYERS.len(), often(0.15), often(0.08), often(0.05)), (fields, related, text()))
        .prop_map(|((category, layer, required, pinned, without), (fields, related, body))| {
            let mut fields: Vec<String> = fields.into_values().collect();
            fields.sort();
            fields.dedup_by_key(|line| line.split(':').next().map(str::to_owned));
            One { category, layer, required, pinned, without, fields, related, body }
        })
}

fn case_options() -> impl Strategy<Value = CaseOptions> {
    let figure = || prop::option::of(prop_oneof![Just(0_u64), 0..300_u64].prop_map(Amount::Tokens));
    let sections = (figure(), figure(), figure(), figure()).prop_map(|(a, b, c, d)| Sections {
        system: None,
        profile: a,
        location: b,
        related: c,
        catalog: d,
    });
    let encoding = select(&["o200k_base", "cl100k_base", "claude_3", "claude_4.8"][..]);
    let window = prop::option::weighted(0.3, prop_oneof![1000..9000_u64, Just(200_000)]);
    let stable = prop_oneof![
        Just(Amount::Percent(60.0)),
        Just(Amount::Percent(0.0)),
        (0..900_u64).prop_map(Amount::Tokens)
    ];
    let few = prop::bool::weighted(0.2);
    (
        (prop::bool::weighted(0.7), any::<bool>(), 0..3_usize),
        (encoding, 0..41_u32, window),
        (sections, 0..120_u64, stable),
        (few, select(&[Semantic::Off, Semantic::Suggest, Semantic::Load][..])),
    )
        .prop_map(|((optimal, cache, style), tokens, (sections, min_useful, stable), rest)| {
            CaseOptions {
                packing: if optimal { Packing::Optimal } else { Packing::Greedy },
                order: if cache { Order::Cache } else { Order::Sequence },
                style: [Style::Markdown, Style::Xml, Style::Text][style],
                tokens,
                sections,
                min_useful,
                stable,
                upfront: if rest.0 { Upfront::Auto } else { Upfront::Never },
                semantic: rest.1,
            }
        })
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    let request = prop_oneof![
        2 => nasty(),
        2 => Just("Deploy, then rotate the key; mind the rate limit.".to_owned()),
        1 => Just(String::new()),
    ];
    let texts = (text(), prop::option::weighted(0.2, text()), request);
    let inputs = prop::collection::vec(nasty(), 0..2);
    (prop::collection::vec(one(), 0..12), case_options(), texts, inputs, conversation()).prop_map(
        |(contexts, mut options, (prompt, instruction, request), inputs, conversation)| {
            if conversation.body.is_some() {
                options.style = Style::Markdown;
            }
            Case { contexts, options, prompt, instruction, request, inputs, conversation }
        },
    )
}

fn messages() -> impl Strategy<Value = Vec<Value>> {
    let id = || select(&["a", "b", "c d", ""][..]);
    let name = || select(&["find", "read file"][..]);
    prop_oneof![
        3 => text().prop_map(|text| vec![json!({ "role": "user", "content": text })]),
        3 => text().prop_map(|text| vec![json!({ "role": "assistant", "content": text })]),
        1 => nasty().prop_map(|text| vec![json!({ "role": "system", "content": text })]),
        2 => (id(), name(), nasty()).prop_map(|(id, name, text)| vec![
            json!({ "role": "assistant", "content": null, "tool_calls": [
                { "id": id, "function": { "name": name, "arguments": text } }] }),
            json!({ "role": "tool", "tool_call_id": id, "content": text }),
        ]),
        2 => (id(), name(), nasty(), nasty()).prop_map(|(id, name, text, more)| vec![
            json!({ "role": "assistant", "content": [
                { "type": "thinking", "thinking": more, "signature": "s" },
                { "type": "text", "text": more },
                { "type": "tool_use", "id": id, "name": name, "input": { "q": text } }] }),
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "content": [
                    { "type": "text", "text": text },
                    { "type": "image", "source": { "type": "url", "url": "https://a.example" } }] },
                { "type": "text", "text": more }] }),
        ]),
        1 => id().prop_map(|id| vec![json!({ "role": "tool", "tool_call_id": id, "content": "x" })]),
        1 => (id(), name()).prop_map(|(id, name)| vec![
            json!({ "role": "assistant", "content": "y", "tool_calls": [{ "id": id, "name": name }] })
        ]),
    ]
}

fn conversation() -> impl Strategy<Value = Conversation> {
    let history = prop::collection::vec(messages(), 0..7).prop_map(|messages| {
        let read = |(at, value)| message::read(value, at + 1).expect("it is a message");
        messages.concat().iter().enumerate().map(read).collect()
    });
    let history = prop_oneof![2 => Just(Vec::new()), 1 => history];
    let body = select(&[None, None, Some(Vendor::Anthropic), Some(Vendor::OpenAi)][..]);
    let triggers = prop_oneof![
        2 => Just([80.0, 90.0, 95.0]),
        1 => Just([100.0; 3]),
        1 => [0.0..100.0_f64, 0.0..100.0_f64, 0.0..100.0_f64],
    ];
    (history, body, triggers).prop_map(|(history, body, triggers)| Conversation {
        history,
        body,
        triggers,
    })
}

pub(super) fn budget() -> impl Strategy<Value = u64> {
    prop_oneof![1 => 0..60_u64, 3 => 0..400_u64, 4 => 0..2000_u64, 2 => 0..20_000_u64]
}

pub(super) fn prompt_text(ready: &Ready) -> String {
    let lines = ready.read.prompt.shortest(&ready.sources);
    let lines = line::trimmed(&ready.sources, &lines);
    line::join(&ready.sources, lines)
}
