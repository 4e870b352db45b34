use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use crate::trial::evidence::Evidence;
use crate::validate::declared::SelectingTerm;
use crate::validate::sizes::Summaries;
use faber_core::assemble::Read;
use faber_core::category::Category;
use faber_core::config::Config;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::agent::Agent;
use faber_core::resolve::catalog::{Context, ContextSet};
use faber_core::resolve::include::Expander;
use faber_core::resolve::view::View;
use faber_core::role::{Lineage, Platform, Role};
use faber_core::rule::Rule;
use faber_core::rules::{
    always_over_budget, dangling_reference, dangling_related, identical_overlay,
    required_over_budget, section_without_base, strategy_without_base, undeclared_tool,
};
use faber_core::select::selection::Selection;
use faber_core::source::{FileId, SourceMap};
use faber_core::workspace::analysis;
use faber_core::workspace::caches::{Analyses, TextCaches};
use faber_core::workspace::survey::{FileEntry, FileKind, Inventory};
use faber_core::yaml::Node;
use faber_session::discover::repository::Repository;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    File(fn(&FileInput<'_>, &mut Vec<Diagnostic>)),
    Document(fn(&DocumentInput<'_>, &mut Vec<Diagnostic>)),
    Role(fn(&RoleInput<'_>, &mut Vec<Diagnostic>)),
    /// Rules in `EVERYWHERE` need the agreement of all views, others one view.
    View(fn(&ViewInput<'_>, &mut Vec<Diagnostic>)),
    Workspace(fn(&LintContext<'_>, &mut Vec<Diagnostic>)),
}

pub(crate) static EVERYWHERE: [&Rule; 6] = [
    &dangling_reference::RULE,
    &dangling_related::RULE,
    &identical_overlay::RULE,
    &section_without_base::RULE,
    &strategy_without_base::RULE,
    &undeclared_tool::RULE,
];

/// Findings about one role.
pub(crate) static PER_ROLE: [&Rule; 2] = [&always_over_budget::RULE, &required_over_budget::RULE];

#[derive(Clone, Copy, Debug)]
pub(crate) struct LintContext<'a> {
    pub sources: &'a SourceMap,
    pub survey: &'a Inventory,
    pub config: &'a Config,
    pub today: Date,
    pub analyses: Option<&'a Analyses>,
    pub caches: &'a TextCaches,
    pub repository: Option<&'a Repository>,
    pub evidence: Option<&'a Evidence>,
}

impl LintContext<'_> {
    /// `make` must depend only on path and text of the file.
    pub(crate) fn known<T: Clone + Send + Sync + 'static>(
        &self,
        file: FileId,
        what: &'static str,
        make: impl FnOnce() -> T,
    ) -> T {
        analysis(self.analyses, self.sources, file, what, make)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FileInput<'a> {
    pub whole: &'a LintContext<'a>,
    pub entry: &'a FileEntry,
}

impl FileInput<'_> {
    pub(crate) fn text(&self) -> &str {
        &self.whole.sources.get(self.entry.file).text
    }

    pub(crate) fn node(&self) -> Option<&Node> {
        if self.entry.kind == FileKind::Agent {
            return self.agent().filter(|agent| !agent.is_invalid).map(|agent| &agent.node);
        }
        self.whole.survey.front(self.entry).map(|front| &front.node)
    }

    pub(crate) fn agent(&self) -> Option<&Agent> {
        let is_agent = self.entry.kind == FileKind::Agent;
        let is_own = |role: &&Role| is_agent && role.agent_file == Some(self.entry.file);
        self.whole.survey.lineages.iter().map(Lineage::role).find(is_own)?.agent.as_ref()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentInput<'a> {
    pub whole: &'a LintContext<'a>,
    pub document: &'a Document,
}

impl DocumentInput<'_> {
    pub(crate) fn body(&self) -> &str {
        self.whole.sources.text(self.document.body)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RoleInput<'a> {
    pub whole: &'a LintContext<'a>,
    pub lineage: &'a Lineage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViewChoice {
    pub lineage: Option<usize>,
    pub platform: Option<Platform>,
    pub teams: Vec<String>,
    pub workflow: Option<String>,
    pub user: Option<String>,
}

#[derive(Clone, Copy)]
pub(crate) struct ViewInput<'a> {
    pub whole: &'a LintContext<'a>,
    pub choice: &'a ViewChoice,
    pub lineage: Option<&'a Lineage>,
    pub view: &'a View,
    pub config: &'a Config,
    pub catalog: &'a ContextSet,
    pub selection: &'a Selection,
    pub documents: &'a [&'a Document],
    pub expander: &'a Expander<'a>,
    pub read: &'a Read,
    pub terms: &'a [SelectingTerm<'a>],
    pub summaries: &'a Summaries,
}

impl<'a> ViewInput<'a> {
    pub(crate) fn contexts(&self) -> impl Iterator<Item = &'a Context> {
        self.catalog.contexts.values().filter(|context| context.id.role.is_none())
    }

    pub(crate) fn contexts_of_platform(&self) -> impl Iterator<Item = &'a Context> {
        let current = self.choice.platform.as_ref().map(|platform| platform.name.as_str());
        self.contexts().filter(move |context| {
            current.is_none()
                || context.id.category != Category::Platform
                || context.platform.as_deref() == current
        })
    }

    pub(crate) fn chains(&self) -> Vec<(&'a ContextId, Vec<&'a Document>)> {
        let chains = &self.catalog.chains;
        let wanted: BTreeSet<FileId> = chains.values().flatten().copied().collect();
        let documents = self.documents.iter().filter(|document| wanted.contains(&document.file));
        let documents: BTreeMap<FileId, &Document> =
            documents.map(|&document| (document.file, document)).collect();
        let chain = |files: &Vec<FileId>| {
            files.iter().filter_map(|file| documents.get(file).copied()).collect()
        };
        chains.iter().map(|(id, files)| (id, chain(files))).collect()
    }
}
