use std::collections::{BTreeMap, BTreeSet};

use crate::validate::check::ViewInput;
use faber_core::config::identity;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::packs;
use faber_core::parse::fields::Fields;
use faber_core::parse::include;
use faber_core::resolve::catalog::{Context, name_span};
use faber_core::resolve::fold::fold;
use faber_core::rules::identical_overlay::RULE;
use faber_core::source::SourceFile;
use faber_core::strategy::Strategy;

/// Folding every prefix is quadratic; real chains have one document per layer.
const MAX_CHAIN: usize = 16;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for (overlay, base) in identical(input, &input.chains()) {
        if is_one_pack(input, [overlay, base]) {
            continue;
        }
        let message = format!("this overlay changes nothing in `{}`", base.id);
        let finding =
            RULE.at(name_span(overlay), message).related(name_span(base), "has the same content");
        found.push(finding.help("remove this file, or change what should differ"));
    }
}

/// A pack may have two names.
fn is_one_pack(input: &ViewInput<'_>, [overlay, base]: [&Document; 2]) -> bool {
    let [overlay, base] = [overlay, base].map(|it| input.whole.sources.get(it.file));
    let is_of_pack = |file: &SourceFile| packs::of_path(&file.path).is_some();
    is_of_pack(overlay) && is_of_pack(base) && *overlay.text == *base.text
}

pub(crate) fn identical<'a>(
    input: &ViewInput<'a>,
    chains: &[(&'a ContextId, Vec<&'a Document>)],
) -> Vec<(&'a Document, &'a Document)> {
    let mut unchanging = Vec::new();
    for (id, chain) in chains {
        for at in 1..chain.len().min(MAX_CHAIN) {
            if changes_nothing(input, id, &chain[..=at]) {
                unchanging.push((chain[at], chain[at - 1], at));
            }
        }
    }
    if unchanging.is_empty() {
        return Vec::new();
    }
    // Not all combinations: this one may undo changes below.
    let mut below: BTreeMap<&ContextId, Vec<usize>> = BTreeMap::new();
    for (overlay, ..) in &unchanging {
        below.entry(&overlay.id).or_default();
    }
    for document in &input.whole.survey.documents {
        if let Some(layers) = below.get_mut(&document.id) {
            layers.push(document.layer);
        }
    }
    unchanging.retain(|(overlay, _, at)| {
        let layers = &below[&overlay.id];
        layers.partition_point(|&layer| layer < overlay.layer) <= *at
    });
    unchanging.into_iter().map(|(overlay, base, _)| (overlay, base)).collect()
}

fn changes_nothing(input: &ViewInput<'_>, id: &ContextId, chain: &[&Document]) -> bool {
    let Some((overlay, below)) = chain.split_last() else { return false };
    let replaces = overlay.strategy() == Strategy::Override;
    if overlay.kind == LayerKind::Custom
        || chain.iter().any(|document| document.front.fields.sealed)
        || (!replaces && below.iter().any(|document| may_be_absent(&document.front.fields)))
        || !may_repeat(input, overlay, below)
    {
        return false;
    }
    let made = |chain: &[&Document]| fold(id, chain, input.expander, &mut Vec::new()).resolved;
    let (before, after) = (made(below), made(chain));
    let text = |context: &Context| context.body.text(input.whole.sources);
    says(&before, replaces) == says(&after, replaces)
        && before.platform == after.platform
        && text(&before) == text(&after)
}

fn may_be_absent(fields: &Fields) -> bool {
    fields.when.is_some()
        || fields.valid_from.is_some()
        || fields.valid_to.is_some()
        || fields.superseded_by.is_some()
        || fields.visibility.is_some()
        || !fields.groups.is_empty()
}

fn says(context: &Context, replaces: bool) -> BTreeSet<(String, String)> {
    let own = ["strategy", "sections", "extends", "name", "category"];
    let entries = context.front.node.entries().iter();
    let entries = entries.filter(|entry| !replaces || !own.contains(&&*entry.key));
    entries.map(|entry| (entry.key.clone(), identity(&entry.value))).collect()
}

fn may_repeat(input: &ViewInput<'_>, overlay: &Document, below: &[&Document]) -> bool {
    let body = |document: &Document| input.whole.sources.text(document.body);
    let own = body(overlay);
    if !include::directives(own).is_empty() {
        return false;
    }
    let bare = |line: &str| line.split_whitespace().collect::<String>();
    let lines: BTreeSet<String> =
        below.iter().flat_map(|document| body(document).lines()).map(bare).collect();
    let mut texts = own.lines().filter(|line| !line.trim_start().starts_with(['#', '<']));
    texts.all(|line| line.trim().is_empty() || lines.contains(&bare(line)))
}
