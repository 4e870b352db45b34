//! Reproducible archives.

use std::collections::BTreeMap;

use crate::listed_folder::HashedFile;

/// 1980-01-01.
const DATE: u16 = 0x21;
const VERSION: u16 = 20;
/// Unix, so that permissions count.
const MADE_BY: u16 = 3 << 8 | VERSION;
const FLAGS: u16 = 1 << 11;
const MODE: u32 = 0o100_644;
const EXECUTABLE_MODE: u32 = 0o100_755;

/// Uncompressed: compressors differ. `rawzip` puts sizes after the data, which stream readers
/// refuse.
pub(crate) fn zip(files: &BTreeMap<String, HashedFile>) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (path, file) in files {
        let offset = long(out.len());
        let common = common(path, &file.bytes);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&common);
        out.extend_from_slice(path.as_bytes());
        out.extend_from_slice(&file.bytes);
        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&MADE_BY.to_le_bytes());
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 6]);
        let mode = if file.is_executable { EXECUTABLE_MODE } else { MODE };
        directory.extend_from_slice(&(mode << 16).to_le_bytes());
        directory.extend_from_slice(&offset);
        directory.extend_from_slice(path.as_bytes());
    }
    let count = short(files.len());
    let (start, size) = (long(out.len()), long(directory.len()));
    out.append(&mut directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    for part in [&count[..], &count, &size, &start, &[0, 0]] {
        out.extend_from_slice(part);
    }
    out
}

fn common(path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for number in [VERSION, FLAGS, 0, 0, DATE] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
    out.extend_from_slice(&long(bytes.len()));
    out.extend_from_slice(&long(bytes.len()));
    out.extend_from_slice(&short(path.len()));
    out.extend_from_slice(&[0, 0]);
    out
}

fn long(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

fn short(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_files_as_they_are_and_always_the_same_bytes() {
        let file = |text: &str| HashedFile::new(text.as_bytes().to_vec());
        let files = [("SKILL.md", "# A\n"), ("scripts/größe.sh", ""), ("x.bin", "\0\u{1}")];
        let is_executable = |path: &str| path.starts_with("scripts/");
        let file = |path, text| HashedFile { is_executable: is_executable(path), ..file(text) };
        let files: BTreeMap<String, HashedFile> =
            files.map(|(path, text)| (path.to_owned(), file(path, text))).into();
        let bytes = zip(&files);
        assert_eq!(bytes, zip(&files));
        let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
        let mut seen = Vec::new();
        for entry in archive.entries() {
            let entry = entry.unwrap();
            let path = String::from_utf8(entry.file_path().as_ref().to_vec()).unwrap();
            let place = archive.get_entry(entry.wayfinder()).unwrap();
            assert_eq!(crc32fast::hash(place.data()), entry.crc32());
            let mode = if is_executable(&path) { 0o100_755 } else { 0o100_644 };
            assert_eq!(entry.mode().value(), mode);
            seen.push((path, place.data().to_vec()));
        }
        let wanted = files.iter().map(|(path, file)| (path.clone(), file.bytes.to_vec()));
        assert_eq!(seen, wanted.collect::<Vec<_>>());
    }
}
