//! An open workspace: the one way to read it, resolve it for a viewer and assemble from it.
//!
//! The command line, MCP, LSP, `watch` and pack tests all go through [`Session`]. It owns the settings,
//! the way to files and the [`Caches`]; each call reads the workspace as it is now.

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
use faber_core::assemble::{Assembly, Job, ResolvedPack};
use faber_core::error::Error;
use faber_core::resolve::catalog;
use faber_core::resolve::index::From;
use faber_core::workspace::{self, Viewer};
use faber_core::world::MemoryWorld;

/// A workspace on disk.
pub type Workspace = workspace::Workspace<Files>;

/// How to open a workspace.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What a run depends on besides the workspace.
    pub settings: Settings,
    /// The caches of an earlier session of the same workspace.
    pub caches: Option<Arc<Caches>>,
}

impl std::convert::From<&Settings> for SessionOptions {
    /// A session with caches of its own.
    fn from(settings: &Settings) -> Self {
        Self { settings: settings.clone(), caches: None }
    }
}

/// An open workspace.
#[derive(Clone, Debug)]
pub struct Session {
    settings: Settings,
    files: Files,
    caches: Arc<Caches>,
}

/// A workspace as a viewer sees it.
#[derive(Debug)]
pub struct ResolvedView {
    pub workspace: Workspace,
    /// The layers of the view, folded.
    pub resolved: ResolvedPack,
}

/// What became of an assembly.
#[derive(Debug)]
pub struct Assembled {
    /// The workspace with its findings, also of an assembly that failed.
    pub workspace: Workspace,
    pub result: Result<Assembly, Error>,
}

impl Session {
    /// Finds the workspace around `settings.start`. Nothing of it is read yet.
    ///
    /// # Errors
    ///
    /// [`Error::NoWorkspace`] when there is none.
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

    /// The workspace around `settings.start`, or one without files there: for what comes from elsewhere.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the start does not exist.
    pub fn open_or_empty(settings: &Settings) -> Result<Self, Error> {
        match Self::open(settings) {
            Err(Error::NoWorkspace { start }) => Ok(Self::empty(settings, &start)),
            other => other,
        }
    }

    /// A workspace without files at `root`.
    pub(crate) fn empty(settings: &Settings, root: &Utf8Path) -> Self {
        let caches = Caches::new(root, &Settings { cache: None, ..settings.clone() });
        Self { settings: settings.clone(), files: Files::new(root), caches: Arc::new(caches) }
    }

    /// The same workspace and files under other settings.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        Self { settings, ..self.clone() }
    }

    /// The same workspace, looked at again and with what is read recorded.
    #[must_use]
    pub fn recorded_in(&self, recorder: Recorder) -> Self {
        Self { files: self.files.renewed().recorded_in(recorder), ..self.clone() }
    }

    /// The same workspace, recorded, with what an earlier session of the same `kind` read in place of the disk
    /// as far as that holds. `kind` has to say what mainly decides which files are read. Without a cache on
    /// disk it is only recorded.
    #[must_use]
    pub fn reading_kept(&self, kind: &impl Serialize) -> Self {
        let recorder = match self.caches.disk() {
            Some(disk) => KeptFiles::recorder(disk, kind, &self.settings.vars),
            None => Recorder::recording(),
        };
        self.recorded_in(recorder)
    }

    /// Stores what this session has read for the next one of its kind, unless that is stored.
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

    /// The same workspace with texts that shadow those on disk: unsaved buffers of an editor.
    #[must_use]
    pub fn with_overlays(&self, overlays: &MemoryWorld) -> Self {
        Self { files: self.files.clone().with_texts(overlays), ..self.clone() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The workspace root, canonical and absolute.
    pub fn root(&self) -> &Utf8Path {
        self.files.root()
    }

    /// Access to the files of the workspace.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// What is not computed twice.
    pub fn caches(&self) -> &Arc<Caches> {
        &self.caches
    }

    /// The stored result of the run that `request` describes under the settings of this session; none
    /// without a cache on disk. `kind` is the name of the command.
    pub fn run_cache(&self, kind: &str, request: &impl Serialize) -> Option<RunCache<'_>> {
        let disk = self.caches.disk()?;
        Some(RunCache::new(disk, self.root(), &self.settings, kind, request))
    }

    /// Reads the configuration of the workspace. What is wrong in it is a finding.
    pub fn workspace(&self) -> Workspace {
        let options = self.settings.options(&self.files);
        let files = self.files.clone().with_variables(&self.settings.vars);
        let mut workspace = Workspace::open_cached(files, options, Arc::clone(self.caches.core()));
        packs::mount::mount(&mut workspace, &self.settings);
        workspace
    }

    /// Reads and resolves what a viewer sees.
    ///
    /// # Errors
    ///
    /// As [`workspace::Workspace::pack`].
    pub fn view(&self, viewer: &Viewer) -> Result<ResolvedView, Error> {
        let mut workspace = self.workspace();
        let resolved = workspace.resolve(viewer)?;
        Ok(ResolvedView { workspace, resolved })
    }

    /// Assembles a bundle.
    ///
    /// # Errors
    ///
    /// What reading the inputs can fail with. What assembling fails with is
    /// in [`Assembled::result`].
    pub fn assemble(&self, request: &AssembleRequest) -> Result<Assembled, Error> {
        self.assemble_from(self.workspace(), request)
    }

    /// The same from a [workspace](Self::workspace) of which nothing but the configuration was used.
    ///
    /// # Errors
    ///
    /// As [`Self::assemble`].
    pub fn assemble_from(
        &self,
        workspace: Workspace,
        request: &AssembleRequest,
    ) -> Result<Assembled, Error> {
        let job = job::read(request, &workspace, &self.settings)?;
        Ok(self.assemble_in(workspace, job))
    }

    /// Assembles what was read before, or is made of values alone.
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

/// Frees what was assembled beside: thousands of small texts, which take some 2 ms.
pub fn free_aside(workspace: Workspace, assembly: Assembly) {
    let free = move || drop((workspace, assembly));
    // Without a thread it is freed here, with the closure.
    let _ = std::thread::Builder::new().name("free".to_owned()).spawn(free);
}

impl ResolvedView {
    /// The context that a name means.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] with what is close, [`Error::Usage`] when it is left out.
    pub fn context(&self, name: &str) -> Result<&catalog::Resolved, Error> {
        let ResolvedPack { pack, catalog, .. } = &self.resolved;
        let role_root = pack.lineage.as_ref().map(|lineage| lineage.role().root.as_path());
        let from = From { path: "".into(), role_root };
        let help = "`--at DATE` and `--environment NAME` show it as it is at another time or place";
        catalog.look_up(name, from, help)
    }
}
