use std::fmt::Write;

use sha2::{Digest, Sha256};

pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hex(Sha256::digest(bytes))
}
