//! Runs the commands of the book, README and CONTRIBUTING.md, which documents the directives.
//! `UPDATE_BOOK=1 cargo test --test cli book` updates outputs.

mod console;
mod links;
mod page;
mod stage;

use std::path::{Path, PathBuf};

use page::{Block, Page, Step};
use stage::Stage;

pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(
            #[test]
            #[cfg_attr(windows, ignore = "pages are run by bash, which Windows lacks")]
            fn $name() {
                play($path);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    contributing: "CONTRIBUTING.md",
    audit: "docs/audit.md",
    budgets: "docs/budgets.md",
    comparison: "docs/comparison.md",
    configuration: "docs/configuration.md",
    conversation: "docs/conversation.md",
    editor: "docs/editor.md",
    exchange: "docs/exchange.md",
    hooks: "docs/hooks.md",
    export: "docs/export.md",
    format: "docs/format.md",
    front_matter: "docs/front-matter.md",
    introduction: "docs/introduction.md",
    memory: "docs/memory.md",
    overlays: "docs/overlays.md",
    packing: "docs/packing.md",
    packs: "docs/packs.md",
    publishing: "docs/publishing.md",
    performance: "docs/performance.md",
    pictures: "docs/pictures.md",
    prompts: "docs/prompts.md",
    recipes: "docs/recipes.md",
    references: "docs/references.md",
    search: "docs/search.md",
    selection: "docs/selection.md",
    serve: "docs/serve.md",
    team_server: "docs/team-server.md",
    store: "docs/store.md",
    testing: "docs/testing.md",
    trial: "docs/trial.md",
    tune: "docs/tune.md",
    tutorial: "docs/tutorial.md",
    validate: "docs/validate.md",
}

const GENERATED: &str = "docs/rules.md";

#[test]
fn every_page_is_run() {
    let mut expected: Vec<String> =
        chapters().into_iter().filter(|page| page != GENERATED).collect();
    expected.extend(["README.md", "CONTRIBUTING.md"].map(str::to_owned));
    expected.sort();
    let mut found = PAGES.to_vec();
    found.sort_unstable();
    assert_eq!(found, expected);
}

fn chapters() -> Vec<String> {
    let files = repository().join("docs").read_dir().unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let is_page = |name: &String| {
        Path::new(name).extension().is_some_and(|e| e == "md") && name != "SUMMARY.md"
    };
    let mut pages: Vec<String> = names.filter(is_page).map(|name| format!("docs/{name}")).collect();
    pages.sort();
    pages
}

#[track_caller]
fn play(path: &str) {
    let file: PathBuf = repository().join(path);
    let text = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
    let page = Page::read(path, &text);
    let mut stage = Stage::new();
    let mut fixed = Vec::new();
    for step in &page.steps {
        match step {
            Step::Run { place, command, at } => {
                stage.run(place, command).ended(0, at);
            }
            Step::Block(block) => fixed.extend(carry_out(&mut stage, block)),
        }
    }
    if fixed.is_empty() {
        return;
    }
    let mut text = text;
    for (range, new) in fixed.into_iter().rev() {
        text.replace_range(range, &new);
    }
    std::fs::write(file, text).unwrap();
}

/// Returns a replacement for an outdated output.
fn carry_out(stage: &mut Stage, block: &Block) -> Option<(std::ops::Range<usize>, String)> {
    block.parses();
    if let Some(path) = &block.file {
        stage.write(&block.place, path, &block.text);
        return None;
    }
    let shown = if let Some(command) = &block.output {
        let ran = stage.run(&block.place, command).ended(block.status, &block.at);
        console::compare(&block.text, &ran.output)
    } else if block.language == "console" {
        console::play(block, |command| stage.run(&block.place, command))
    } else {
        if block.language == "sh" {
            stage.run(&block.place, &block.text).ended(block.status, &block.at);
        }
        return None;
    };
    let other = shown?;
    let update = std::env::var_os("UPDATE_BOOK").is_some();
    assert!(
        update,
        "{}: the page says\n{}\nand it is, but for `[…]`,\n{other}\n\
         `UPDATE_BOOK=1 cargo test --test cli book` writes that",
        block.at, block.text
    );
    Some((block.range.clone().expect("a block that is part of a list is written by hand"), other))
}
