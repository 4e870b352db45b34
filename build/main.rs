//! Sets the output of `faber --version`, reproducibly; on Linux, links for a fixed address.
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
    // `FABER_…` would be a setting in `cargo run` and `cargo test`.
    println!("cargo::rustc-env=VERSION_AND_COMMIT={shown}");
    println!("cargo::rerun-if-changed=build");
    for path in origin.watched {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// Whether to link for a fixed address, which saves a tenth of a short run. Static programs would
/// need other start files.
fn is_fixed() -> bool {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    var("CARGO_CFG_TARGET_OS") == "linux"
        && var("CARGO_CFG_TARGET_ENV") == "gnu"
        && !var("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static")
        && !var("CARGO_ENCODED_RUSTFLAGS").contains("relocation-model")
}
