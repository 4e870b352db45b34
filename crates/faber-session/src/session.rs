//! An open workspace.

use std::sync::Arc;

use camino::Utf8Path;
use serde::Serialize;

use crate::caches::Caches;
use crate::discover::files::Files;
use crate::discover::kept::KeptFiles;
use crate::discover::root;
use crate::discover::snapshot::Recorder;
use crate::job::{self, AssembleRequest};
use crate::packs;
use crate::run_cache::RunCache;
use crate::settings::Settings;
use crate::summarizer::Summarizer;
use faber_core::assemble::{Assembly, Job, Read, ResolvedPack};
use faber_core::error::Error;
use faber_core::resolve::catalog;
use faber_core::resolve::index::ReferenceOrigin;
use faber_core::resolve::view::Why;
use faber_core::workspace::{self, Viewer};
use faber_core::world::MemoryWorld;

pub type Workspace = workspace::Workspace<Files>;

#[derive(Clone, Debug)]
pub struct SessionOptions {
    pub settings: Settings,
    pub caches: Option<Arc<Caches>>,
}

impl std::convert::From<&Settings> for SessionOptions {
    fn from(settings: &Settings) -> Self {
        Self { settings: settings.clone(), caches: None }
    }
}

#[derive(Clone, Debug)]
pub struct Session {
    settings: Settings,
    files: Files,
    caches: Arc<Caches>,
}

#[derive(Debug)]
pub struct ResolvedView {
    pub workspace: Workspace,
    pub resolved: ResolvedPack,
}

pub fn read_prompt(workspace: &mut Workspace, resolved: &ResolvedPack) -> Read {
    let read = resolved.read(&workspace.sources, None, false, workspace.caches.prompts());
    read.drain_into(&mut workspace.found)
}

#[derive(Debug)]
pub struct Assembled {
    pub workspace: Workspace,
    pub result: Result<Assembly, Error>,
}

impl Session {
    /// # Errors
    ///
    /// [`Error::NoWorkspace`].
    pub fn open(options: impl Into<SessionOptions>) -> Result<Self, Error> {
        let SessionOptions { settings, caches } = options.into();
        let root = root::find(&settings.start)?;
        let caches = caches.unwrap_or_else(|| Arc::new(Caches::new(&root, &settings)));
        let mut files = Files::new(&root);
        if let Some(cache) = &caches.files {
            files = files.cached_in(cache);
        }
        Ok(Self { settings, files, caches })
    }

    /// # Errors
    ///
    /// If `settings.start` is missing. Without a workspace, the session is empty.
    pub fn open_or_empty(settings: &Settings) -> Result<Self, Error> {
        match Self::open(settings) {
            Err(Error::NoWorkspace { start }) => Ok(Self::empty(settings, &start)),
            other => other,
        }
    }

    pub(crate) fn empty(settings: &Settings, root: &Utf8Path) -> Self {
        let caches = Caches::new(root, &Settings { cache: None, ..settings.clone() });
        Self { settings: settings.clone(), files: Files::new(root), caches: Arc::new(caches) }
    }

    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        Self { settings, ..self.clone() }
    }

    #[must_use]
    pub fn recorded_in(&self, recorder: Recorder) -> Self {
        Self { files: self.files.renewed().recorded_in(recorder), ..self.clone() }
    }

    /// Reuses unchanged files of the last session of this `kind`.
    #[must_use]
    pub fn reading_kept(&self, kind: &impl Serialize) -> Self {
        let recorder = match self.caches.disk() {
            Some(disk) => KeptFiles::recorder(disk, kind, &self.settings.vars),
            None => Recorder::recording(),
        };
        self.recorded_in(recorder)
    }

    pub fn keep(&self) {
        let recorder = self.files.recorder();
        if let Some(disk) = self.caches.disk()
            && recorder.keeps()
            && let Some(snapshot) = recorder.stable_snapshot(&self.settings.vars)
            && let Some(files) = recorder.take_files_to_keep()
        {
            files.write(disk, &snapshot.write(disk));
        }
    }

    #[must_use]
    pub fn with_overlays(&self, overlays: &MemoryWorld) -> Self {
        Self { files: self.files.clone().with_texts(overlays), ..self.clone() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn root(&self) -> &Utf8Path {
        self.files.root()
    }

    pub fn files(&self) -> &Files {
        &self.files
    }

    pub fn caches(&self) -> &Arc<Caches> {
        &self.caches
    }

    pub fn run_cache(&self, kind: &str, request: &impl Serialize) -> Option<RunCache<'_>> {
        let disk = self.caches.disk()?;
        Some(RunCache::new(disk, self.root(), &self.settings, kind, request))
    }

    pub fn workspace(&self) -> Workspace {
        let options = self.settings.options(&self.files);
        let files = self.files.for_request(&self.settings);
        let mut workspace = Workspace::open_cached(files, options, Arc::clone(&self.caches.core));
        packs::mount::mount(&mut workspace, &self.settings);
        workspace
    }

    /// # Errors
    ///
    /// See [`workspace::Workspace::pack`].
    pub fn view(&self, viewer: &Viewer) -> Result<ResolvedView, Error> {
        let mut workspace = self.workspace();
        let resolved = workspace.resolve(viewer)?;
        Ok(ResolvedView { workspace, resolved })
    }

    /// # Errors
    ///
    /// For inputs. Others are in [`Assembled::result`].
    pub fn assemble(&self, request: &AssembleRequest) -> Result<Assembled, Error> {
        self.assemble_from(self.workspace(), request)
    }

    /// `workspace` must not be resolved yet.
    ///
    /// # Errors
    ///
    /// See [`Self::assemble`].
    pub fn assemble_from(
        &self,
        workspace: Workspace,
        request: &AssembleRequest,
    ) -> Result<Assembled, Error> {
        let job = job::read(request, &workspace, &self.settings)?;
        Ok(self.assemble_in(workspace, job))
    }

    pub fn assemble_job(&self, job: Job) -> Assembled {
        self.assemble_in(self.workspace(), job)
    }

    fn assemble_in(&self, mut workspace: Workspace, job: Job) -> Assembled {
        let summarizer = Summarizer::new(&self.files, &self.caches, &self.settings);
        let answer = |command: &str, text: &str| summarizer.answer(command, text);
        let result = workspace.assemble(job, Some(&answer));
        Assembled { workspace, result }
    }
}

pub fn drop_in_background(workspace: Workspace, assembly: Assembly) {
    let free = move || drop((workspace, assembly));
    let _ = std::thread::Builder::new().name("free".to_owned()).spawn(free);
}

impl ResolvedView {
    /// # Errors
    ///
    /// [`Error::Unknown`], or [`Error::Usage`] if excluded.
    pub fn context(&self, name: &str) -> Result<&catalog::Context, Error> {
        let ResolvedPack { pack, catalog, .. } = &self.resolved;
        let role_root = pack.lineage.as_ref().map(|lineage| lineage.role().root.as_path());
        let from = ReferenceOrigin { path: "".into(), role_root };
        let name = &*self.workspace.files.named(name);
        catalog.replaced(name, from).map_or_else(|| catalog.look_up(name, from, help), Ok)
    }
}

fn help(why: Why) -> &'static str {
    match why {
        Why::Status => "only approved contexts are used; set its `status` to `approved`",
        Why::Expired | Why::NotYetValid => "use `--at DATE` for another date",
        Why::When => "use an option such as `--environment NAME` to meet the condition",
        Why::Superseded => "use the context that replaces it",
        Why::Invalid => "run `faber validate` to see what is wrong with it",
        Why::Without | Why::Overridden | Why::LoadNever | Why::OverBudget | Why::Insecure => {
            "run `faber explain` to see why"
        }
    }
}
