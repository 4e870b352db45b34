//! `faber pack prune`.

use std::time::Duration;

use crate::cli::args::PackPrune;
use faber_core::error::Error;
use faber_core::world::mebibytes;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{self, Column};
use faber_output::text::counted;
use faber_session::discover::pack_prune::PrunedPack;
use faber_session::discover::pack_store::PackStore;

const DAY: u64 = 24 * 3600;
const COLUMNS: [Column; 4] = [
    Column::new("name"),
    Column::figures("size"),
    Column::new("unused for"),
    Column::new("last used by"),
];

pub(super) fn run(args: &PackPrune, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let store = PackStore::of(streams.settings)?;
    let unused = Duration::from_secs(u64::from(args.unused_for) * DAY);
    let pruned = store.prune(unused, args.dry_run)?;
    if !pruned.is_empty() {
        streams.print(&table::table(&COLUMNS, &rows(&pruned), 0, usize::MAX))?;
    }
    let is_pack = |it: &&PrunedPack| !it.name.starts_with("git/");
    let packs = pruned.iter().filter(is_pack).count();
    let bytes = pruned.iter().map(|it| it.bytes).sum();
    let what = counted(packs, "pack");
    let repositories = match pruned.len() - packs {
        0 => String::new(),
        1 => " and 1 repository".to_owned(),
        more => format!(" and {more} repositories"),
    };
    let verb = if args.dry_run { "would be removed" } else { "removed" };
    streams.note(&format!("{what}{repositories} {verb}, {}\n", mebibytes(bytes)));
    Ok(ExitStatus::Done)
}

fn rows(pruned: &[PrunedPack]) -> Vec<Vec<String>> {
    let row = |it: &PrunedPack| {
        let name = match (&it.address, it.name.strip_prefix("git/")) {
            (Some(address), _) => address.clone(),
            (None, Some(repository)) => format!("git/{}", &repository[..12]),
            (None, None) => it.name[..12].to_owned(),
        };
        let days = counted(usize::try_from(it.unused.as_secs() / DAY).unwrap_or(usize::MAX), "day");
        let locks: Vec<&str> = it.locks.iter().map(|lock| lock.as_str()).collect();
        vec![name, mebibytes(it.bytes), days, locks.join(" ")]
    };
    pruned.iter().map(row).collect()
}
