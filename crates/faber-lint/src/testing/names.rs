//! All IDs and names, regardless of access.

use std::collections::BTreeSet;

use faber_core::suggest;
use faber_session::session::Session;

const SUGGESTED: usize = 50;

pub struct WorkspaceNames<'a> {
    session: &'a Session,
    all: Option<BTreeSet<String>>,
    suggested: usize,
}

impl<'a> WorkspaceNames<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Self { session, all: None, suggested: 0 }
    }

    fn all(&mut self) -> &BTreeSet<String> {
        self.all.get_or_insert_with(|| {
            let documents = self.session.workspace().all_documents();
            let ids = documents.into_iter().map(|document| document.id);
            ids.flat_map(|id| [id.to_string(), id.name.to_string()]).collect()
        })
    }

    pub(crate) fn has(&mut self, name: &str) -> bool {
        self.all().contains(name)
    }

    pub(crate) fn closest(&mut self, name: &str) -> Option<String> {
        self.suggested += 1;
        if self.suggested > SUGGESTED {
            return None;
        }
        let known = self.all().iter().map(String::as_str);
        let alike = known.filter(|known| known.contains('/') == name.contains('/'));
        suggest::closest(name, alike).map(str::to_owned)
    }
}
