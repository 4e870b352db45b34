use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::directive;
use faber_core::workspace::survey::FileKind;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let kind = input.entry.kind;
    if !matches!(kind, FileKind::Agent | FileKind::Config | FileKind::Conversation) {
        directive::unknown(input.whole.sources, input.entry.file, found);
    }
}
