use faber_core::assemble::Pack;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::fields::Visibility;
use faber_core::parse::frontmatter;
use faber_core::resolve::view::View;
use faber_core::role::Lineage;
use faber_core::rules::export_private;
use faber_core::source::{SourceMap, Span};

pub fn role_stays(lineage: &Lineage, sources: &SourceMap, view: &View) -> Option<Diagnostic> {
    let role = lineage.role();
    let is_open = |word: &str| word == "public" || (word == "internal" && !view.is_external_output);
    let agent = role.agent.as_ref().and_then(|agent| agent.visibility.as_ref());
    let agent = agent.filter(|visibility| !is_open(&visibility.value)).map(|it| it.span);
    let prompt = frontmatter::read(sources, role.prompt, frontmatter::FrontKind::Prompt);
    let prompt =
        Some(Span::start_of(role.prompt)).filter(|_| !view.may_see(&prompt.value.front.fields));
    let at = agent.or(prompt)?;
    let note = format!("the role `{}` is not public; its prompt is not exported", role.name);
    Some(export_private::RULE.at(at, note))
}

pub fn internal(pack: &Pack) -> Vec<Diagnostic> {
    let is_internal = |document: &&Document| {
        let visibility = document.front.fields.visibility.as_ref();
        visibility.is_some_and(|it| it.value == Visibility::Internal)
    };
    let left_out = pack.documents.iter().filter(is_internal).map(|document| {
        let at = document.front.fields.visibility.as_ref().map_or(document.body, |it| it.span);
        let note = format!("`{}` is internal; not exported", document.id);
        export_private::RULE.at(at, note)
    });
    left_out.collect()
}
