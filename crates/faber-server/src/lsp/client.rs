use camino::Utf8PathBuf;
use lsp_types::{CodeActionKind, InitializeParams, TextDocumentSyncKind};
use serde_json::{Value, json};

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

pub(crate) fn capabilities(client: EditorClient) -> Value {
    json!({
        "positionEncoding": client.encoding.kind(),
        "textDocumentSync": {
            "openClose": true,
            "change": TextDocumentSyncKind::INCREMENTAL,
            "save": {},
        },
        "hoverProvider": true,
        "completionProvider": {
            "triggerCharacters": ["/", "#", "@", "`", ":", " ", "-", "("],
        },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": { "codeActionKinds": [CodeActionKind::QUICKFIX, FIX_ALL] },
        "documentLinkProvider": { "resolveProvider": false },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        "inlayHintProvider": true,
    })
}
