use std::collections::BTreeMap;

use crate::validate::check::LintContext;
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::parse::fields::ContextStatus;
use faber_core::role::Lineage;
use faber_core::rules::missing_platform_context::RULE;

/// Looks at what every role declares.
pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let mut described: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
    for document in &whole.survey.documents {
        let status = document.front.fields.status.as_ref().map(|status| status.value);
        let is_used = status.is_none_or(|status| status == ContextStatus::Approved);
        if document.id.category == Category::Platform
            && is_used
            && let Some(platform) = &document.platform
        {
            described.entry(platform).or_default().push(document);
        }
    }
    for lineage in &whole.survey.lineages {
        let role = lineage.role();
        for platform in role.agent.iter().flat_map(|agent| &agent.platforms) {
            let documents = described.get(platform.value.as_str());
            let mut documents = documents.into_iter().flatten();
            if documents.any(|document| reaches(whole, document, lineage)) {
                continue;
            }
            let message = format!(
                "no context describes the platform `{}` of `{}`",
                platform.value, role.name
            );
            found.push(RULE.at(platform.span, message).help(format!(
                "add `{}/contexts/platforms/platform-{}.md`, or remove the platform",
                role.root, platform.value
            )));
        }
    }
}

/// Whether a document can take part in a view of a role.
fn reaches(whole: &LintContext<'_>, document: &Document, lineage: &Lineage) -> bool {
    let layer = &whole.survey.layers[document.layer];
    match layer.kind {
        LayerKind::Role => lineage.roles.iter().any(|role| role.root == layer.folder),
        LayerKind::RoleOverlay => layer.name.as_ref() == Some(&lineage.role().name),
        _ => true,
    }
}
