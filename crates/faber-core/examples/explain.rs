//! Prints the contexts of a bundle with their reasons.
#![expect(clippy::disallowed_macros, reason = "an example prints")]

use faber_core::assemble::Job;
use faber_core::config::Amount;
use faber_core::error::Error;
use faber_core::select::request::Request;
use faber_core::workspace::{Options, Workspace};
use faber_core::world::MemoryWorld;

fn main() -> Result<(), Error> {
    let steps = (1..=40).map(|step| format!("{step}. Check replica {step} before going on.\n"));
    let failover = format!(
        "---\nkeywords: [failover]\nsummary: Check all replicas, then switch.\n---\n# Failover\n\n{}",
        steps.collect::<String>()
    );
    let world = MemoryWorld::new([
        ("roles/operator/prompt.md", "You operate databases.\n"),
        ("contexts/playbooks/playbook-failover.md", failover.as_str()),
        (
            "contexts/standards/standards-safety.md",
            "---\nload: always\n---\n# Safety\n\nAsk before you delete anything.\n",
        ),
        (
            "contexts/references/reference-hosts.md",
            "---\nkeywords: [host]\n---\n# Hosts\n\nThe primary is `db-1`.\n",
        ),
    ]);
    let today = jiff::civil::date(2026, 1, 15);
    let mut workspace = Workspace::open(world, Options::on(today));
    let mut job = Job::new(Request::new("Prepare the failover"));
    job.budget = Some(Amount::Tokens(300));
    let assembly = workspace.assemble(job, None)?;
    for loaded in &assembly.bundle.loaded {
        let reasons = loaded.reasons.iter().map(|reason| reason.kind.name());
        let reasons = reasons.collect::<Vec<_>>().join(", ");
        let (level, tokens) = (loaded.level.name(), loaded.tokens);
        let of = loaded.full_tokens;
        println!("{}: {level}, {tokens} of {of} tokens, because of: {reasons}", loaded.id);
    }
    for catalogued in &assembly.bundle.catalogued {
        println!("{}: in the catalog", catalogued.entry.id);
    }
    for finding in workspace.findings() {
        let place = workspace.sources.place(finding.primary.span);
        println!("{place}: {}: {}", finding.code(), finding.message);
    }
    Ok(())
}
