use crate::validate::check::DocumentInput;
use faber_core::category::Load;
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::says_nothing;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::fields::ContextStatus;
use faber_core::rules::empty_context::RULE;
use faber_core::source::Span;
use faber_core::strategy::Strategy;

pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let fields = &input.document.front.fields;
    let strategy = fields.strategy.as_ref().map(|strategy| strategy.value);
    let works_on_base = matches!(strategy, Some(Strategy::Merge | Strategy::Append))
        || (strategy.is_none() && fields.extends.is_some())
        || !fields.sections.is_empty();
    let status = fields.status.as_ref().map(|status| status.value);
    let may_be_empty = status.is_some_and(|status| status != ContextStatus::Approved)
        || fields.load.as_ref().is_some_and(|load| load.value == Load::Never)
        || fields.mcp_server.is_some();
    let text = &input.whole.sources.get(input.document.file).text;
    let is_unclosed = || matches!(fence::split(text), Split::Unclosed(_));
    if !works_on_base && !may_be_empty && is_empty(input) && !is_unclosed() {
        let message = format!("`{}` has no content", input.document.id);
        let finding = RULE.at(Span::start_of(input.document.file), message);
        found.push(finding.help("add text, or remove the file"));
    }
}

pub(crate) fn is_empty(input: &DocumentInput<'_>) -> bool {
    says_nothing(input.body())
}
