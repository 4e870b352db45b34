//! An analyzed workspace, including unsaved buffers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};

use crate::locked;
use crate::lsp::position::{ColumnUnit, LineIndex};
use faber_core::resolve::include::{self, Expander, Inclusion};
use faber_core::role::Lineage;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::survey::FileEntry;
use faber_core::world::MemoryWorld;
use faber_lint::validate::fix::FixedTexts;
use faber_lint::validate::policy::Policy;
use faber_lint::validate::views::{self, ViewKey, VisibleContexts};
use faber_lint::validate::{LintOutcome, Linter};
use faber_session::session::Session;

#[derive(Debug)]
pub struct Analysis {
    pub linter: Linter,
    pub texts: Arc<FixedTexts>,
    roles: Mutex<BTreeMap<ViewKey, Arc<VisibleContexts>>>,
}

impl Analysis {
    pub(crate) fn new(session: &Session, texts: &Arc<FixedTexts>) -> Self {
        let buffers = MemoryWorld::new(texts.iter().map(|(path, text)| (path, text.as_str())));
        let linter = Linter::open(&session.with_overlays(&buffers), Policy::default());
        Self { linter, texts: Arc::clone(texts), roles: Mutex::default() }
    }

    pub(crate) fn validate(&self) -> LintOutcome {
        self.linter.check()
    }

    pub(crate) fn sources(&self) -> &SourceMap {
        &self.linter.workspace.sources
    }

    pub(crate) fn entry(&self, path: &Utf8Path) -> Option<&FileEntry> {
        let files = &self.linter.survey.files;
        let at = files.binary_search_by(|entry| self.sources().path(entry.file).cmp(path));
        at.ok().map(|at| &files[at])
    }

    /// For a file that is used in place, the text made of it.
    pub(crate) fn entry_from(&self, original: &Utf8Path) -> Option<&FileEntry> {
        let made = |entry: &&FileEntry| self.sources().original_path(entry.file) == original;
        self.entry(original).or_else(|| self.linter.survey.files.iter().find(made))
    }

    pub(crate) fn may_see(&self, file: FileId) -> bool {
        let entry = self.entry(self.sources().path(file));
        let front = entry.and_then(|entry| self.linter.survey.front(entry));
        let fields = match front {
            Some(front) => Arc::clone(&front.fields),
            None => include::access_of(self.sources(), file),
        };
        self.linter.workspace.principal().may_see(&fields)
    }

    pub(crate) fn path_of(&self, file: FileId) -> Option<Utf8PathBuf> {
        let file = self.sources().original(Span::start_of(file)).file;
        let is_real = !faber_core::config::is_pseudo(self.sources(), file);
        let files = &self.linter.workspace.files;
        is_real.then(|| files.root().join(&*files.place(self.sources().path(file))))
    }

    pub(crate) fn places(&self, file: FileId, encoding: ColumnUnit) -> LineIndex<'_> {
        let source = self.sources().get(file);
        let is_open = self.texts.contains_key(&*source.path);
        let places = if is_open { LineIndex::new } else { LineIndex::on_disk };
        places(&source.text, encoding)
    }

    pub(crate) fn visible_from(&self, path: &Utf8Path) -> Arc<VisibleContexts> {
        let role = self.linter.survey.role_root(path);
        let lineages = || self.linter.survey.lineages.iter();
        let own = role.and_then(|root| lineages().position(|it| it.role().root == root));
        let layer = self.entry(path).and_then(|entry| entry.layer);
        let of_overlay = || {
            let name = self.linter.survey.layers[layer?].name.as_ref()?;
            lineages().position(|it| &it.role().name == name)
        };
        let usual = || {
            let name = self.linter.workspace.role_name(None).ok()?;
            lineages().position(|it| it.role().name == name)
        };
        self.visible_contexts(ViewKey { lineage: own.or_else(of_overlay).or_else(usual), layer })
    }

    pub(crate) fn visible_by_role(&self) -> impl Iterator<Item = Arc<VisibleContexts>> {
        (0..self.linter.survey.lineages.len())
            .map(|at| self.visible_contexts(ViewKey { lineage: Some(at), layer: None }))
    }

    fn visible_contexts(&self, key: ViewKey) -> Arc<VisibleContexts> {
        let mut roles = locked(&self.roles);
        let make = || Arc::new(views::see(&self.linter, key));
        Arc::clone(roles.entry(key).or_insert_with(make))
    }

    pub(crate) fn with_expander<T>(
        &self,
        seen: &VisibleContexts,
        look: impl FnOnce(&Expander<'_>) -> T,
    ) -> T {
        let roots =
            seen.lineage.map(|at| self.linter.survey.lineages[at].roots()).unwrap_or_default();
        let homes = self.linter.workspace.role_homes();
        let expander = Expander {
            sources: self.sources(),
            role_root: roots.first().map(Utf8PathBuf::as_path),
            role_homes: &homes,
            inclusion: &|_| Inclusion::Allowed,
        };
        look(&expander)
    }

    pub(crate) fn lineage(&self, seen: &VisibleContexts) -> Option<&Lineage> {
        seen.lineage.map(|at| &self.linter.survey.lineages[at])
    }
}
