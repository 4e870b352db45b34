//! The protocol thread.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::{InitializeParams, WorkspaceFoldersChangeEvent};
use serde_json::{Value, json};

use crate::lsp::address;
use crate::lsp::answers::{self, Answerer, DocumentPlace, QueuedRequest};
use crate::lsp::client::{EditorClient, capabilities};
use crate::lsp::document::OpenDocument;
use crate::lsp::scheduler::{AnalysisJob, OpenFile, Scheduler};
use crate::lsp::wire::{self, Incoming, OutgoingMessage};
use crate::lsp::worker::Worker;
use crate::stdio::Stdio;
use faber_core::error::Error;
use faber_output::streams::ExitStatus;
use faber_session::discover::root;
use faber_session::discover::watcher::Watcher;
use faber_session::settings::Settings;

pub const STACK: usize = 16 * 1024 * 1024;
const PAUSE: Duration = Duration::from_secs(2);

enum LspEvent {
    Incoming(Incoming),
    Broken(std::io::Error),
    Gone,
    Disk(Utf8PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Beginning,
    Running,
    Closing,
}

struct LanguageServer {
    settings: Settings,
    scheduler: Arc<Scheduler>,
    documents: BTreeMap<String, OpenDocument>,
    edits: u64,
    client: EditorClient,
    phase: Phase,
    out: Sender<OutgoingMessage>,
    events: Sender<LspEvent>,
    folders: BTreeMap<Utf8PathBuf, Option<Utf8PathBuf>>,
    watched: BTreeSet<Utf8PathBuf>,
}

/// # Errors
///
/// If a thread cannot start or the input is invalid.
pub fn serve(settings: &Settings, stdio: Stdio) -> Result<ExitStatus, Error> {
    let Stdio { input, mut output, .. } = stdio;
    let (events, inbox) = mpsc::channel();
    let (out, outgoing) = mpsc::channel();
    let incoming = events.clone();
    thread("reader", move || listen(input, &incoming))?;
    let writer = thread("writer", move || wire::write_all(&outgoing, &mut output))?;
    let mut server = LanguageServer {
        settings: settings.clone(),
        scheduler: Arc::default(),
        documents: BTreeMap::new(),
        edits: 0,
        client: EditorClient::default(),
        phase: Phase::Beginning,
        out,
        events,
        folders: BTreeMap::new(),
        watched: BTreeSet::new(),
    };
    let ended = server.run(&inbox);
    server.scheduler.end();
    let _ = server.out.send(OutgoingMessage::End);
    let _ = writer.join();
    ended
}

fn thread(
    name: &'static str,
    work: impl FnOnce() + Send + 'static,
) -> Result<std::thread::JoinHandle<()>, Error> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK);
    let fail = |source| Error::Io { action: "start", path: "the server".into(), source };
    builder.spawn(work).map_err(fail)
}

fn listen(input: Box<dyn std::io::Read + Send>, events: &Sender<LspEvent>) {
    let mut input = BufReader::new(input);
    loop {
        let event = match wire::read(&mut input) {
            Ok(Some(incoming)) => LspEvent::Incoming(incoming),
            Ok(None) => LspEvent::Gone,
            Err(error) => LspEvent::Broken(error),
        };
        let is_last = !matches!(event, LspEvent::Incoming(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

impl LanguageServer {
    fn run(&mut self, inbox: &Receiver<LspEvent>) -> Result<ExitStatus, Error> {
        for event in inbox {
            match event {
                LspEvent::Incoming(Incoming::Message(Message::Request(request))) => {
                    self.request(request)?;
                }
                LspEvent::Incoming(Incoming::Message(Message::Notification(notification))) => {
                    if notification.method == "exit" {
                        let is_due = self.phase == Phase::Closing;
                        return Ok(if is_due { ExitStatus::Done } else { ExitStatus::Findings });
                    }
                    self.notification(notification);
                }
                LspEvent::Incoming(Incoming::Message(Message::Response(_))) => {}
                LspEvent::Incoming(Incoming::Malformed { id, code, why }) => {
                    self.send(OutgoingMessage::refusal(&id, code, &why));
                }
                LspEvent::Disk(root) => self.disk_changed(&root),
                LspEvent::Gone => return Ok(ExitStatus::Done),
                LspEvent::Broken(source) if source.kind() == ErrorKind::InvalidData => {
                    let message = format!("cannot read standard input: {source}");
                    let help = "editors start `faber lsp`, and send messages of the protocol";
                    return Err(Error::usage(message, help));
                }
                LspEvent::Broken(source) => {
                    let path = "standard input".into();
                    return Err(Error::Io { action: "read", path, source });
                }
            }
        }
        Ok(ExitStatus::Done)
    }

    fn send(&self, message: impl Into<OutgoingMessage>) {
        let _ = self.out.send(message.into());
    }

    fn refuse(&self, request: &Request, code: ErrorCode, why: &str) {
        self.send(Response::new_err(request.id.clone(), code as i32, why.to_owned()));
    }

    fn request(&mut self, request: Request) -> Result<(), Error> {
        let (code, why) = match (self.phase, request.method.as_str()) {
            (Phase::Beginning, "initialize") => return self.initialize(request),
            (Phase::Beginning, _) => {
                (ErrorCode::ServerNotInitialized, "the first request must be `initialize`")
            }
            (Phase::Running, "initialize") => {
                (ErrorCode::InvalidRequest, "the server is already initialized")
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Closing;
                self.send(Response::new_ok(request.id, Value::Null));
                return Ok(());
            }
            (Phase::Running, _) => {
                self.ask(request);
                return Ok(());
            }
            (Phase::Closing, _) => (ErrorCode::InvalidRequest, "the server was shut down"),
        };
        self.refuse(&request, code, why);
        Ok(())
    }

    fn initialize(&mut self, request: Request) -> Result<(), Error> {
        let params: InitializeParams = match serde_json::from_value(request.params.clone()) {
            Ok(params) => params,
            Err(error) => {
                self.refuse(&request, ErrorCode::InvalidParams, &error.to_string());
                return Ok(());
            }
        };
        self.client = EditorClient::of(&params);
        let scheduler = Arc::clone(&self.scheduler);
        let worker = Worker::new(scheduler, self.settings.clone(), self.client, self.out.clone());
        thread("worker", move || worker.run())?;
        let (scheduler, out) = (Arc::clone(&self.scheduler), self.out.clone());
        let answerer = Answerer { scheduler, client: self.client, out };
        thread("answers", move || answerer.run())?;
        self.phase = Phase::Running;
        let server = json!({ "name": "faber", "version": env!("CARGO_PKG_VERSION") });
        let result = json!({ "capabilities": capabilities(self.client), "serverInfo": server });
        self.send(Response::new_ok(request.id, result));
        for folder in EditorClient::folders(&params) {
            self.add_folder(folder);
        }
        Ok(())
    }

    fn ask(&mut self, request: Request) {
        let Some(row) = answers::ROWS.iter().find(|row| row.method == request.method) else {
            let why = format!("unknown method `{}`", request.method);
            self.refuse(&request, ErrorCode::MethodNotFound, &why);
            return;
        };
        let uri = request.params.pointer("/textDocument/uri").and_then(Value::as_str);
        if row.of_document && uri.is_none() {
            self.refuse(&request, ErrorCode::InvalidParams, "`textDocument.uri` is missing");
            return;
        }
        let root_place = |root: Utf8PathBuf| {
            let state = self.scheduler.wanted(&root)?;
            Some(DocumentPlace { root, state, path: Utf8PathBuf::new() })
        };
        let places = if row.of_document {
            uri.and_then(address::path).and_then(|path| self.place(&path)).into_iter().collect()
        } else {
            self.scheduler.roots().into_iter().filter_map(root_place).collect()
        };
        let Request { id, params, .. } = request;
        self.scheduler.ask(QueuedRequest { id, row, params, places, is_cancelled: false });
    }

    fn place(&self, path: &Utf8Path) -> Option<DocumentPlace> {
        let (root, real) = root::of_file(path);
        let root = root?;
        let path = below(&root, &real)?;
        let state = self.scheduler.wanted(&root)?;
        Some(DocumentPlace { root, state, path })
    }

    fn notification(&mut self, notification: Notification) {
        if self.phase != Phase::Running {
            return;
        }
        let Notification { method, params } = notification;
        let done = match method.as_str() {
            "textDocument/didOpen" => serde_json::from_value(params).map(|it| self.opened(it)),
            "textDocument/didChange" => serde_json::from_value(params).map(|it| self.changed(it)),
            "textDocument/didClose" => serde_json::from_value(params).map(|it| self.closed(&it)),
            "textDocument/didSave" => serde_json::from_value(params).map(|it| self.saved(&it)),
            "workspace/didChangeWatchedFiles" => {
                self.find_roots();
                for root in self.scheduler.roots() {
                    self.disk_changed(&root);
                }
                Ok(())
            }
            "workspace/didChangeWorkspaceFolders" => {
                let event = params.get("event").cloned().unwrap_or_default();
                serde_json::from_value(event).map(|event| self.folders_changed(&event))
            }
            "$/cancelRequest" => {
                let id = params.get("id").cloned().unwrap_or_default();
                serde_json::from_value(id).map(|id| self.scheduler.cancel(&id))
            }
            _ => Ok(()),
        };
        if let Err(error) = done {
            let message = format!("`{method}` is not understood: {error}");
            let params = json!({ "type": 1, "message": message });
            self.send(Notification::new("window/logMessage".to_owned(), params));
        }
    }

    fn opened(&mut self, params: lsp_types::DidOpenTextDocumentParams) {
        let item = params.text_document;
        let Some(path) = address::path(item.uri.as_str()) else { return };
        let (root, path) = root::of_file(&path);
        self.edits += 1;
        let (opening, edit) = (self.edits, self.edits);
        let document = OpenDocument { path, version: item.version, text: item.text, opening, edit };
        self.documents.insert(item.uri.as_str().to_owned(), document);
        self.find_roots();
        self.renew(root, true);
    }

    fn changed(&mut self, params: lsp_types::DidChangeTextDocumentParams) {
        let encoding = self.client.encoding;
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return };
        document.change(params.content_changes, encoding);
        document.version = params.text_document.version;
        self.edits += 1;
        document.edit = self.edits;
        let root = root::of_file(&document.path).0;
        self.renew(root, false);
    }

    fn closed(&mut self, params: &lsp_types::DidCloseTextDocumentParams) {
        if let Some(document) = self.documents.remove(params.text_document.uri.as_str()) {
            self.renew(root::of_file(&document.path).0, true);
            self.drop_unused();
        }
    }

    fn saved(&mut self, params: &lsp_types::DidSaveTextDocumentParams) {
        self.find_roots();
        if let Some(document) = self.documents.get(params.text_document.uri.as_str()) {
            self.renew(root::of_file(&document.path).0, true);
        }
    }

    fn disk_changed(&mut self, root: &Utf8Path) {
        self.find_roots();
        let of_documents: BTreeSet<Utf8PathBuf> =
            self.documents.values().filter_map(|it| root::of_file(&it.path).0).collect();
        let wanted = self.scheduler.roots().into_iter().filter(|wanted| wanted == root);
        for root in of_documents.into_iter().chain(wanted).collect::<BTreeSet<_>>() {
            self.renew(Some(root), true);
        }
    }

    fn renew(&mut self, root: Option<Utf8PathBuf>, doubt: bool) {
        let Some(root) = root else { return };
        let (mut texts, mut open) = (BTreeMap::new(), BTreeMap::new());
        // A file can be open at several addresses: the last edit counts.
        let mut documents: Vec<_> = self.documents.iter().collect();
        documents.sort_by_key(|(_, document)| document.edit);
        for (address, document) in documents {
            let is_own = document.path.starts_with(&root)
                && root::of_file(&document.path).0.as_ref() == Some(&root);
            if let Some(path) = below(&root, &document.path).filter(|_| is_own) {
                texts.insert(path.clone(), document.text.clone());
                let (version, opening) = (document.version, document.opening);
                open.insert(path, OpenFile { address: address.to_owned(), version, opening });
            }
        }
        let (texts, open) = (Arc::new(texts), Arc::new(open));
        self.scheduler
            .want(AnalysisJob { root: root.clone(), texts, open, ..AnalysisJob::default() }, doubt);
        self.watch(&root);
    }

    fn add_folder(&mut self, folder: Utf8PathBuf) {
        let root = root::find(&folder).ok();
        self.folders.insert(folder, root.clone());
        self.renew(root, true);
    }

    /// A folder may become a workspace, or be gone for a while.
    fn find_roots(&mut self) {
        for (folder, before) in self.folders.clone() {
            let root = root::find(&folder).ok();
            if root.is_some() && root != before {
                self.renew(before, true);
                self.add_folder(folder);
            }
        }
        self.drop_unused();
    }

    fn folders_changed(&mut self, event: &WorkspaceFoldersChangeEvent) {
        for folder in event.removed.iter().filter_map(|it| address::path(it.uri.as_str())) {
            self.folders.remove(&folder);
        }
        for folder in event.added.iter().filter_map(|it| address::path(it.uri.as_str())) {
            self.add_folder(folder);
        }
        self.drop_unused();
    }

    fn drop_unused(&mut self) {
        let of_documents = self.documents.values().filter_map(|it| root::of_file(&it.path).0);
        let used: BTreeSet<Utf8PathBuf> =
            of_documents.chain(self.folders.values().flatten().cloned()).collect();
        for root in self.scheduler.roots().iter().filter(|root| !used.contains(*root)) {
            self.watched.remove(root);
            let root = root.clone();
            let closed = AnalysisJob { root, is_closed: true, ..AnalysisJob::default() };
            self.scheduler.want(closed, false);
        }
    }

    /// The client does not watch all files that findings depend on.
    fn watch(&mut self, root: &Utf8Path) {
        if !self.watched.insert(root.to_owned()) {
            return;
        }
        let (events, scheduler, root) =
            (self.events.clone(), Arc::clone(&self.scheduler), root.to_owned());
        let config = self.settings.user_config.as_ref().and_then(|path| path.parent());
        let also: Vec<Utf8PathBuf> = config.map(Utf8Path::to_owned).into_iter().collect();
        let watch = move || {
            let watcher = Watcher::start(&root, &also, &[]);
            while scheduler.wanted(&root).is_some() {
                if watcher.wait(PAUSE) && events.send(LspEvent::Disk(root.clone())).is_err() {
                    return;
                }
            }
        };
        let _ = thread("disk", watch);
    }
}

fn below(root: &Utf8Path, path: &Utf8Path) -> Option<Utf8PathBuf> {
    Some(path.strip_prefix(root).ok()?.as_str().replace('\\', "/").into())
}
