//! Sets the output of `faber --version`: version, commit and date. Independent of time and place,
//! for reproducible builds.
#![expect(clippy::disallowed_methods, reason = "a build script looks at the folder it is built in")]
#![expect(clippy::disallowed_macros, reason = "a build script answers on standard output")]

mod commit;

use std::path::Path;

fn main() {
    let origin = commit::origin(Path::new(""));
    let version = env!("CARGO_PKG_VERSION");
    let shown = match origin.commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    // Not `FABER_…`, which would be a setting: cargo passes it to `cargo run` and `cargo test`.
    println!("cargo::rustc-env=VERSION_AND_COMMIT={shown}");
    println!("cargo::rerun-if-changed=build");
    for path in origin.watched {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}
