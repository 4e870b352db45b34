//! Random edits: diagnostics equal those of `faber validate`. `FABER_LSP_EDITS` and
//! `FABER_LSP_SEED` control them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::TestProject;
use crate::torture::Dice;

use super::client::Client;

const STRETCH: usize = 50;

const PIECES: [&str; 34] = [
    "---\n",
    "---\r\n",
    "\n",
    "\r\n",
    "# Title\n\n",
    "## Part\n",
    "```\n",
    "| a | b |\n|---|---|\n",
    "description: What it is about\n",
    "tags: agile\n",
    "status: draft\n",
    "strategy: append\n",
    "related:\n  - playbook/seal\n",
    "related: [specialist/none]\n",
    "extends: specialist/stamps\n",
    "category: pattern\n",
    "keywords: [post, stamp]\n",
    "updated: 2024-01-32\n",
    "visibility: private\n",
    "sections:\n  Inland: remove\n",
    "See `playbook-seal.md` and `specialist-none.md`.\n",
    "- \"glue\" → Load `/contexts/specialists/specialist-stamps.md`\n",
    "<!-- faber: include /contexts/partials/foot.md -->\n",
    "<!-- faber: include ./x.md -->\n",
    "<!-- faber: allow dangling-reference: why -->\n",
    "# faber: allow unknown-field: why\n",
    "😀",
    "ü",
    "\u{200b}",
    "\u{202e}",
    "custom_contexts: [playbook/seal, none.md]\n",
    "settings:\n  role: clerk\n",
    "platforms: [post]\n",
    "[x](./playbook-seal.md#nowhere)\n",
];

const PATHS: [&str; 12] = [
    "roles/clerk/prompt.md",
    "roles/clerk/agent.yml",
    "roles/smith/prompt.md",
    "roles/clerk/tasks/sort.md",
    "contexts/specialists/specialist-stamps.md",
    "contexts/specialists/specialist-new.md",
    "contexts/playbooks/playbook-seal.md",
    "contexts/partials/foot.md",
    "contexts/elsewhere/thing.md",
    ".faber/overlays/organization/contexts/specialists/specialist-stamps.md",
    ".faber/overlays/teams/blue/config.yml",
    ".faber/config.yml",
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn workspace() -> TestProject {
    TestProject::new()
        .file("roles/clerk/prompt.md", "# Clerk\n\n- \"stamp\" → Load `specialist-stamps.md`\n")
        .file("roles/clerk/agent.yml", "name: clerk\nplatforms: [post]\n")
        .file("roles/clerk/tasks/sort.md", "# Sort\n\nSee `playbook/seal`.\n")
        .file("roles/smith/prompt.md", "# Smith\n\nYou forge.\n")
        .file(
            "contexts/specialists/specialist-stamps.md",
            "---\ntags: [a]\n---\n# S\n\n## Inland\n\nx\n",
        )
        .file("contexts/playbooks/playbook-seal.md", "# Seal\n\nWax.\n")
        .file("contexts/partials/foot.md", "Yours\n")
        .file(
            ".faber/overlays/organization/contexts/specialists/specialist-stamps.md",
            "---\nstrategy: append\n---\nMore.\n",
        )
        .dir(".faber/overlays/teams/blue")
        .file(".faber/config.yml", "roles: [roles]\n")
}

/// UTF-16 line and column, from 0.
fn place(text: &str, offset: usize) -> (u64, u64) {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut line = 0;
    for at in 0..offset.min(bytes.len()) {
        let ends = bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        if ends {
            (line, start) = (line + 1, at + 1);
        }
    }
    (line, text[start..offset].encode_utf16().count() as u64)
}

type Row = (String, (u64, u64), (u64, u64), String, String);

fn shown(client: &Client) -> Vec<Row> {
    let root = client.uri("");
    let mut rows = Vec::new();
    for (uri, found) in &client.published {
        for it in found {
            let at = |end: &str| {
                let place = &it["range"][end];
                (place["line"].as_u64().unwrap(), place["character"].as_u64().unwrap())
            };
            let text = |key: &str| it[key].as_str().unwrap().to_owned();
            let path = uri.strip_prefix(&root).unwrap().to_owned();
            rows.push((path, at("start"), at("end"), text("code"), text("message")));
        }
    }
    rows.sort();
    rows
}

fn found(texts: &BTreeMap<&str, String>) -> Vec<Row> {
    let mut project = workspace();
    for (path, text) in texts {
        project = project.file(path, text);
    }
    let run = project.run(&["--no-cache", "validate", "--format", "json"]);
    let data: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let row = |it: &Value| {
        let path = it["path"].as_str().unwrap();
        let text = std::fs::read_to_string(project.path(path)).unwrap_or_default();
        let at = |key: &str| {
            let offset = usize::try_from(it[key].as_u64().unwrap()).unwrap();
            if text.is_empty() { (0, 0) } else { place(&text, offset) }
        };
        let (start, end) = (at("start"), at("end"));
        (path.to_owned(), start, end, it["rule"].to_string(), it["message"].to_string())
    };
    let mut rows: Vec<Row> = data["findings"].as_array().unwrap().iter().map(row).collect();
    for row in &mut rows {
        row.3 = row.3.trim_matches('"').to_owned();
        row.4 = serde_json::from_str(&row.4).unwrap();
    }
    rows.sort();
    rows
}

#[track_caller]
fn compare(client: &Client, texts: &BTreeMap<&str, String>, seed: u64) {
    let (shown, found) = (shown(client), found(texts));
    let mut both = shown.iter().zip(&found);
    let same = |(a, b): &(&Row, &Row)| {
        (&a.0, a.1, a.2, &a.3) == (&b.0, b.1, b.2, &b.3) && a.4.starts_with(&b.4)
    };
    let differs = both.find(|pair| !same(pair));
    assert!(
        differs.is_none() && shown.len() == found.len(),
        "FABER_LSP_SEED={seed}: {} and {}\n{differs:#?}\n{texts:#?}",
        shown.len(),
        found.len(),
    );
}

#[test]
fn after_edits_at_random_the_findings_are_those_of_a_run() {
    let seed = number("FABER_LSP_SEED", 20_260_115);
    let edits = usize::try_from(number("FABER_LSP_EDITS", 300)).unwrap();
    let mut dice = Dice(seed.max(1));
    let project = workspace();
    let mut client = Client::start(&project);
    let mut open: BTreeMap<&str, String> = BTreeMap::new();
    for edit in 1..=edits {
        let path = PATHS[dice.roll(PATHS.len())];
        if !open.contains_key(path) {
            let text = std::fs::read_to_string(project.path(path)).unwrap_or_default();
            client.open(path, &text);
            open.insert(path, text);
        } else if dice.roll(20) == 0 {
            client.close(path);
            open.remove(path);
            continue;
        }
        let text = open.get_mut(path).unwrap();
        if dice.roll(25) == 0 {
            *text = PIECES[dice.roll(PIECES.len())].to_owned();
            client.change(path, None, text);
        } else {
            tear(&mut client, path, text, &mut dice);
        }
        if edit % STRETCH == 0 || edit == edits {
            client.settle(path);
            compare(&client, &open, seed);
        }
    }
}

fn tear(client: &mut Client, path: &str, text: &mut String, dice: &mut Dice) {
    let mut ends = [dice.roll(text.len() + 1), dice.roll(text.len() + 1)];
    if dice.roll(4) > 0 {
        ends[1] = (ends[0] + dice.roll(6)).min(text.len());
    }
    ends.sort_unstable();
    let inside = |mut at: usize, text: &str| {
        let bytes = text.as_bytes();
        while !text.is_char_boundary(at)
            || (at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n'))
        {
            at -= 1;
        }
        at
    };
    let [start, end] = ends.map(|at| inside(at, text));
    let piece = if dice.roll(5) == 0 { "" } else { PIECES[dice.roll(PIECES.len())] };
    let narrow = |at: u64| u32::try_from(at).unwrap();
    let (from, to) = (place(text, start), place(text, end));
    let range = [narrow(from.0), narrow(from.1), narrow(to.0), narrow(to.1)];
    text.replace_range(start..end, piece);
    client.change(path, Some(range), piece);
}
