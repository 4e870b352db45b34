use camino::Utf8PathBuf;
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    DocumentLinkOptions, HoverProviderCapability, InitializeParams, OneOf, SaveOptions,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::lsp::address;
use crate::lsp::position::ColumnUnit;

pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.faber");

#[derive(Clone, Copy, Debug, Default)]
pub struct EditorClient {
    pub encoding: ColumnUnit,
    pub related: bool,
    pub nests: bool,
}

impl EditorClient {
    pub fn of(params: &InitializeParams) -> Self {
        let all = &params.capabilities;
        let general = all.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        let document = all.text_document.as_ref();
        let published = document.and_then(|it| it.publish_diagnostics.as_ref());
        let symbols = document.and_then(|it| it.document_symbol.as_ref());
        Self {
            encoding: ColumnUnit::agreed(offered),
            related: published.and_then(|it| it.related_information).unwrap_or(false),
            nests: symbols.and_then(|it| it.hierarchical_document_symbol_support).unwrap_or(false),
        }
    }

    pub fn folders(params: &InitializeParams) -> Vec<Utf8PathBuf> {
        let folders = params.workspace_folders.iter().flatten();
        let mut paths: Vec<_> = folders.filter_map(|it| address::path(it.uri.as_str())).collect();
        #[expect(deprecated, reason = "clients of before workspace folders have this alone")]
        if paths.is_empty() {
            paths.extend(params.root_uri.as_ref().and_then(|uri| address::path(uri.as_str())));
        }
        paths
    }
}

pub fn capabilities(client: EditorClient) -> ServerCapabilities {
    let triggers = ["/", "#", "@", "`", ":", " ", "-", "("].map(str::to_owned).to_vec();
    let kinds = vec![CodeActionKind::QUICKFIX, FIX_ALL];
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(kinds),
            ..CodeActionOptions::default()
        })),
        inlay_hint_provider: Some(OneOf::Left(true)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
