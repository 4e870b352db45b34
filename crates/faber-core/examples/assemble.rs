//! Assembles a bundle from texts in memory and prints it.
#![expect(clippy::disallowed_macros, reason = "an example prints")]

use faber_core::assemble::Job;
use faber_core::config::Amount;
use faber_core::error::Error;
use faber_core::select::request::Request;
use faber_core::workspace::{Options, Workspace};
use faber_core::world::MemoryWorld;

const PROMPT: &str = "\
You answer questions about the service `orders`.

Contexts that you may need are below.
";

const RETRIES: &str = "\
---
description: How calls between services are repeated
keywords: [retry, timeout]
---
# Retries

Repeat a call at most three times, and wait twice as long before each attempt.
";

const QUEUES: &str = "\
---
description: Which queues there are and who reads them
keywords: [queue, consumer]
---
# Queues

`orders.created` is read by billing and by the warehouse.
";

fn main() -> Result<(), Error> {
    let world = MemoryWorld::new([
        ("roles/support/prompt.md", PROMPT),
        ("contexts/patterns/pattern-retries.md", RETRIES),
        ("contexts/references/reference-queues.md", QUEUES),
    ]);
    let today = jiff::civil::date(2026, 1, 15);
    let mut workspace = Workspace::open(world, Options::on(today));
    let mut job = Job::new(Request::new("Why is there a second attempt after a timeout?"));
    job.budget = Some(Amount::Tokens(1_000));
    let assembly = workspace.assemble(job, None)?;
    print!("{}", assembly.bundle.text());
    Ok(())
}
