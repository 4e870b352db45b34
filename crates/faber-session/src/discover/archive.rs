//! Unpacks `.tar.gz` and `.zip` in memory.

use std::collections::BTreeMap;
use std::io::Read;

use crate::discover::pack_store::{PackFile, PackFiles};
use flate2::read::{DeflateDecoder, GzDecoder};
use rawzip::{CompressionMethod, ZipArchive};
use tar::{Archive, EntryType};

use faber_core::packs::names::{MAX_FILES, refusal};

const HEADERS: u64 = 16 * 1024 * 1024;

pub(crate) fn unpack(bytes: &[u8], max_bytes: u64) -> Result<PackFiles, String> {
    let mut unpacked = Unpacked { files: BTreeMap::new(), left: max_bytes, entries: 0 };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked.tar(GzDecoder::new(bytes))?;
    } else if bytes.starts_with(b"PK") {
        unpacked.zip(bytes)?;
    } else {
        return Err("it is neither a `.tar.gz` nor a `.zip`".to_owned());
    }
    Ok(unpacked.files)
}

struct Unpacked {
    files: PackFiles,
    left: u64,
    entries: usize,
}

impl Unpacked {
    fn tar(&mut self, stream: impl Read) -> Result<(), String> {
        let damaged = |error: std::io::Error| format!("it is damaged: {error}");
        let mut archive = Archive::new(stream.take(self.left + HEADERS));
        for entry in archive.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            let path = String::from_utf8(entry.path_bytes().into_owned());
            let path = path.map_err(|_| "a path is not UTF-8".to_owned())?;
            match entry.header().entry_type() {
                EntryType::Regular => {
                    let mode = entry.header().mode().unwrap_or_default();
                    self.file(&path, mode, &mut entry)?;
                }
                EntryType::Directory | EntryType::XGlobalHeader => self.count()?,
                _ => return Err(format!("`{path}` is a link or a special file")),
            }
        }
        Ok(())
    }

    fn zip(&mut self, bytes: &[u8]) -> Result<(), String> {
        let damaged = |error: rawzip::Error| format!("it is damaged: {error}");
        let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
        let mut entries = archive.entries();
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            let path = std::str::from_utf8(entry.file_path().as_bytes());
            let path = path.map_err(|_| "a path is not UTF-8".to_owned())?;
            if entry.mode().is_symlink() {
                return Err(format!("`{path}` is a link or a special file"));
            }
            if entry.is_dir() {
                self.count()?;
                continue;
            }
            let packed = archive.get_entry(entry.wayfinder()).map_err(damaged)?;
            let stream: Box<dyn Read> = match entry.compression_method() {
                CompressionMethod::STORE => Box::new(packed.data()),
                CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed.data())),
                _ => return Err(format!("`{path}` is compressed in an unknown way")),
            };
            self.file(path, entry.mode().value(), packed.verifying_reader(stream))?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), String> {
        self.entries += 1;
        let is_allowed = self.entries <= MAX_FILES;
        is_allowed.then_some(()).ok_or_else(|| format!("it has more than {MAX_FILES} files"))
    }

    fn file(&mut self, path: &str, mode: u32, stream: impl Read) -> Result<(), String> {
        self.count()?;
        let path = path.strip_prefix("./").unwrap_or(path);
        if let Some(why) = refusal(path) {
            return Err(format!("`{path}`: {why}"));
        }
        let mut bytes = Vec::new();
        let read = stream.take(self.left + 1).read_to_end(&mut bytes);
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or("its unpacked size is over the limit of a pack")?;
        read.map_err(|error| format!("`{path}` is damaged: {error}"))?;
        let file = PackFile { bytes, is_executable: mode & 0o111 != 0 };
        if self.files.insert(path.to_owned(), file).is_some() {
            return Err(format!("it contains `{path}` twice"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder};
    use tar::{Builder, Header};

    use super::*;

    fn tar(entries: &[(EntryType, &str, &[u8])]) -> Vec<u8> {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (kind, path, content) in entries {
            let mut header = Header::new_ustar();
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            archive.append(&header, *content).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        for (path, content) in entries {
            let path = rawzip::path::EntryPath::verbatim(path.as_bytes());
            let file = archive.new_file(path).compression_method(CompressionMethod::DEFLATE);
            let (mut entry, config) = file.start().unwrap();
            let encoder = DeflateEncoder::new(&mut entry, Compression::fast());
            let mut writer = config.wrap(encoder);
            writer.write_all(content).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        bytes
    }

    fn paths(archive: &[u8]) -> Result<Vec<String>, String> {
        Ok(unpack(archive, 1000)?.into_keys().collect())
    }

    #[test]
    fn archives_are_unpacked() {
        let file = EntryType::Regular;
        let entries: [(EntryType, &str, &[u8]); 3] = [
            (EntryType::Directory, "./a/", b""),
            (file, "./SKILL.md", b"# A"),
            (file, "a/x.py", b""),
        ];
        assert_eq!(paths(&tar(&entries)).unwrap(), ["SKILL.md", "a/x.py"]);
        let entries: [(&str, &[u8]); 2] = [("SKILL.md", b"# A"), ("a/x.py", b"")];
        let zip = zip(&entries);
        assert_eq!(unpack(&zip, 1000).unwrap()["SKILL.md"].bytes, b"# A");
        assert_eq!(paths(&zip).unwrap(), ["SKILL.md", "a/x.py"]);
    }

    #[test]
    fn hostile_archives_are_refused() {
        let large = vec![0; 5000];
        let file = EntryType::Regular;
        for path in ["../a", "/etc/passwd", "a/../../b", "a\\b", "C:a", ".git/config", "nul", ""] {
            assert!(paths(&tar(&[(file, path, b"x")])).is_err(), "{path}");
            if !path.is_empty() {
                assert!(paths(&zip(&[(path, b"x")])).is_err(), "{path}");
            }
        }
        for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::GNUSparse] {
            assert!(paths(&tar(&[(kind, "a", b"")])).is_err(), "{kind:?}");
        }
        for archive in [tar(&[(file, "a", &large)]), zip(&[("a", &large)])] {
            assert!(paths(&archive).unwrap_err().contains("over the limit"));
        }
        assert!(
            paths(&tar(&[(file, "a", b"1"), (file, "a", b"2")])).unwrap_err().contains("twice")
        );
        let good = tar(&[(file, "SKILL.md", &[7; 600])]);
        for end in (0..good.len()).step_by(7) {
            let _ = paths(&good[..end]);
        }
        let mut zip = zip(&[("SKILL.md", &[7; 600])]);
        for at in 0..zip.len() {
            zip[at] ^= 0x55;
            let _ = paths(&zip);
            zip[at] ^= 0x55;
        }
    }
}
