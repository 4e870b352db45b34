//! Sets the output of `faber --version`: version, commit and date. Independent of time and place,
//! for reproducible builds. On Linux, links the program for a fixed address.
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
    if is_fixed() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    // Not `FABER_…`, which would be a setting: cargo passes it to `cargo run` and `cargo test`.
    println!("cargo::rustc-env=VERSION_AND_COMMIT={shown}");
    println!("cargo::rerun-if-changed=build");
    for path in origin.watched {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// Whether the linker may fix the address of the program. Otherwise each start relocates 40 000
/// pointers, a tenth of a short run. `-C relocation-model` in the flags of rustc decides itself;
/// static programs need other start files than this argument selects.
fn is_fixed() -> bool {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    var("CARGO_CFG_TARGET_OS") == "linux"
        && var("CARGO_CFG_TARGET_ENV") == "gnu"
        && !var("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static")
        && !var("CARGO_ENCODED_RUSTFLAGS").contains("relocation-model")
}
