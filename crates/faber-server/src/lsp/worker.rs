use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use camino::Utf8PathBuf;
use lsp_server::Notification;
use lsp_types::PublishDiagnosticsParams;

use crate::lsp::analysis::Analysis;
use crate::lsp::client::EditorClient;
use crate::lsp::scheduler::{AnalysisJob, AnalysisResult, OpenFile, Scheduler};
use crate::lsp::wire::OutgoingMessage;
use crate::lsp::{address, diagnostics};
use faber_session::caches::Caches;
use faber_session::session::{Session, SessionOptions};
use faber_session::settings::Settings;

/// During continuous typing.
const OVERDUE: Duration = Duration::from_millis(300);

pub(crate) struct Worker {
    scheduler: Arc<Scheduler>,
    settings: Settings,
    client: EditorClient,
    out: Sender<OutgoingMessage>,
    published_findings: BTreeMap<(String, Utf8PathBuf), Vec<lsp_types::Diagnostic>>,
    published_openings: BTreeMap<(String, Utf8PathBuf), u64>,
    published_at: Duration,
}

impl Worker {
    pub(crate) fn new(
        scheduler: Arc<Scheduler>,
        settings: Settings,
        client: EditorClient,
        out: Sender<OutgoingMessage>,
    ) -> Self {
        Self {
            scheduler,
            settings,
            client,
            out,
            published_findings: BTreeMap::new(),
            published_openings: BTreeMap::new(),
            published_at: Duration::ZERO,
        }
    }

    pub(crate) fn run(mut self) {
        while let Some((job, caches)) = self.scheduler.take() {
            self.work(job, &caches);
        }
    }

    fn work(&mut self, job: AnalysisJob, caches: &Arc<Caches>) {
        if job.is_closed {
            self.publish(&job, BTreeMap::new());
            self.scheduler.forget(&job);
            return;
        }
        let analysis = self.analysis(&job, caches);
        let mut made = AnalysisResult { job, analysis, outcome: None };
        let now = (self.settings.clocks.elapsed)();
        let is_overdue = now.saturating_sub(self.published_at) >= OVERDUE;
        if !self.scheduler.put(made.clone()) && !is_overdue {
            return;
        }
        made.outcome = made.analysis.as_ref().ok().map(|analysis| Arc::new(analysis.validate()));
        if !self.scheduler.put(made.clone()) && !is_overdue {
            return;
        }
        let found = match (&made.analysis, &made.outcome) {
            (Ok(analysis), Some(outcome)) => {
                diagnostics::all(analysis, outcome, &made.job, self.client)
            }
            _ => BTreeMap::new(),
        };
        self.publish(&made.job, found);
        self.published_at = (self.settings.clocks.elapsed)();
    }

    fn analysis(&self, job: &AnalysisJob, caches: &Arc<Caches>) -> Result<Arc<Analysis>, String> {
        let mut options = SessionOptions::from(&self.settings);
        options.caches = Some(Arc::clone(caches));
        let settings = &mut options.settings;
        settings.start.clone_from(&job.root);
        if !settings.date_is_given {
            settings.today = (settings.clocks.now)().date();
        }
        let session = Session::open(options).ok().filter(|it| it.root() == job.root);
        let session = session.ok_or_else(|| "the workspace is gone".to_owned())?;
        Ok(Arc::new(Analysis::new(&session, &job.texts)))
    }

    fn publish(
        &mut self,
        job: &AnalysisJob,
        mut found: BTreeMap<String, Vec<lsp_types::Diagnostic>>,
    ) {
        let of_job = |key: &&(String, Utf8PathBuf)| key.1 == job.root;
        for (address, _) in self.published_findings.keys().filter(of_job) {
            found.entry(address.clone()).or_default();
        }
        let open: BTreeMap<&str, &OpenFile> =
            job.open.values().map(|file| (&*file.address, file)).collect();
        self.published_openings.retain(|(address, root), opening| {
            let file = open.get(&**address);
            *root != job.root || file.is_some_and(|file| file.opening == *opening)
        });
        for address in open.keys() {
            found.entry((*address).to_owned()).or_default();
        }
        for (address, diagnostics) in found {
            let key = (address.clone(), job.root.clone());
            let before = self.published_findings.get(&key);
            let file = open.get(&*address);
            let is_new = file.is_some_and(|file| {
                self.published_openings.insert(key.clone(), file.opening).is_none()
            });
            let before = before.map(Vec::as_slice).unwrap_or_default();
            if !is_new && *before == *diagnostics {
                continue;
            }
            if diagnostics.is_empty() {
                self.published_findings.remove(&key);
            } else {
                self.published_findings.insert(key, diagnostics);
            }
            let of_all = self.published_findings.iter().filter(|((of, _), _)| *of == address);
            let diagnostics = of_all.flat_map(|(_, diagnostics)| diagnostics.clone()).collect();
            let Some(uri) = address::typed(&address) else { continue };
            let version = file.map(|file| file.version);
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            let method = "textDocument/publishDiagnostics".to_owned();
            let _ = self.out.send(Notification::new(method, params).into());
        }
    }
}
