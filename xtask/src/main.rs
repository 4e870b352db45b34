//! `cargo xtask tokens FOLDER` writes `crates/faber-tokens/tables`.
//!
//! Downloads missing vocabularies into FOLDER with `curl`, and verifies their hashes.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod categories;
#[path = "../../crates/faber-tokens/src/hash.rs"]
mod hash;
mod pieces;
mod vocabulary;

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use sha2::{Digest, Sha256};

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Published {
    name: &'static str,
    url: &'static str,
    sha256: &'static str,
}

const O200K_BASE: Published = Published {
    name: "o200k_base.tiktoken",
    url: "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
    sha256: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
};
const CL100K_BASE: Published = Published {
    name: "cl100k_base.tiktoken",
    url: "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
    sha256: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
};
const CLAUDE_3: Published = Published {
    name: "pieces_v3.json",
    url: CTOK,
    sha256: "4c6db216062ef01e70ba033ff52ad3b97f886e79877235f2c7bbbd40d09ffb9b",
};
const CLAUDE_4_7: Published = Published {
    name: "pieces_v4_7.json",
    url: CTOK,
    sha256: "a785fc240010c855f3d9a498fbd422ee389752dd151f1d5eef57ca8c85c19993",
};
/// Has the files in `ctok/data`.
const CTOK: &str = "https://pypi.org/project/ctok/1.3.0/";

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/faber-tokens/tables");

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [task, folder] if task == "tokens" => tokens(Path::new(folder)),
        _ => Err("usage: cargo xtask tokens FOLDER".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tokens(folder: &Path) -> Outcome<()> {
    write("categories.bin", &categories::table()?)?;
    write("o200k_base.bin", &vocabulary::table(&O200K_BASE.read(folder)?, 17)?)?;
    write("cl100k_base.bin", &vocabulary::table(&CL100K_BASE.read(folder)?, 16)?)?;
    write("claude_3.bin", &pieces::table(&CLAUDE_3.read(folder)?)?)?;
    write("claude_4_7.bin", &pieces::table(&CLAUDE_4_7.read(folder)?)?)
}

fn write(name: &str, table: &[u8]) -> Outcome<()> {
    fs::write(Path::new(TABLES).join(name), table)?;
    println!("{name}: {} bytes", table.len());
    Ok(())
}

impl Published {
    fn read(&self, folder: &Path) -> Outcome<String> {
        let path = folder.join(self.name);
        if !path.exists() {
            if !self.url.ends_with(self.name) {
                return Err(format!("{} is missing: it is in {}", path.display(), self.url).into());
            }
            let curl = Command::new("curl").args(["-fsSL", self.url, "-o"]).arg(&path).status()?;
            if !curl.success() {
                return Err(format!("{} cannot be downloaded", self.url).into());
            }
        }
        let text = fs::read_to_string(&path)?;
        let hash = Sha256::digest(&text)
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        if hash == self.sha256 {
            Ok(text)
        } else {
            Err(format!("{}: SHA-256 is {hash}, not {}", path.display(), self.sha256).into())
        }
    }
}
