use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::frontmatter;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    if let Split::None { .. } = fence::split(input.text()) {
        found.extend(frontmatter::misplaced(input.entry.file, input.text()));
    }
}
