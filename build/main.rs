//! Says, while faber is built, what `faber --version` shows: the version, and where it is known the
//! commit that the source is of and the day of that commit. Nothing depends on when or where faber is
//! built, so that equal sources make equal programs.
#![expect(clippy::disallowed_methods, reason = "a build script looks at the folder it is built in")]
#![expect(clippy::disallowed_macros, reason = "a build script answers on standard output")]

mod commit;

use std::path::Path;

fn main() {
    // cargo runs this in the folder of the manifest.
    let origin = commit::origin(Path::new(""));
    let version = env!("CARGO_PKG_VERSION");
    let shown = match origin.commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    // cargo hands the variable to what `cargo run` and `cargo test` start too, and there a name that
    // begins with `FABER_` would be a setting.
    println!("cargo::rustc-env=VERSION_AND_COMMIT={shown}");
    println!("cargo::rerun-if-changed=build");
    for path in origin.watched {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}
