//! `.faber/imports.json`: origins and hashes of imported files, for three-way comparison.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::import::{KnownImport, KnownImports};
use faber_core::error::Error;
use faber_core::resolve::catalog::content_hash;
use faber_core::workspace::walk::PARTIALS;

pub const RECORD: &str = ".faber/imports.json";

const SCHEMA: &str = "faber.imports/1";

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    pub paths: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub translations: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub into: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedFile {
    pub from: String,
    pub hash: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedImport {
    pub request: ImportRequest,
    pub files: BTreeMap<String, ImportedFile>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportRecord {
    imports: Vec<RecordedImport>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordData {
    schema: String,
    imports: Vec<RecordedImport>,
}

impl ImportRecord {
    /// # Errors
    ///
    /// [`Error::Usage`] if damaged or of an unknown version.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let fail = |why: String| {
            let help = "restore it from version control, or remove it and import again";
            Error::usage(format!("cannot read `{RECORD}`: {why}"), help)
        };
        if text.lines().any(|line| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>")) {
            return Err(fail("it has conflict markers of a merge".to_owned()));
        }
        let data: RecordData =
            serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
        if data.schema != SCHEMA {
            return Err(fail(format!("unknown schema `{}`", data.schema)));
        }
        Ok(Self { imports: data.imports })
    }

    /// One line per file, so that changes merge.
    pub fn print(&self) -> String {
        let imports = self.imports.iter().map(|import| {
            let files = import.files.iter().map(|(path, file)| {
                let (path, file) = (line(path), line(file));
                format!("        {path}: {file}")
            });
            let files = files.collect::<Vec<_>>().join(",\n");
            let request = line(&import.request);
            format!("    {{\n      \"request\": {request},\n      \"files\": {{\n{files}\n      }}\n    }}")
        });
        let imports = imports.collect::<Vec<_>>().join(",\n");
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"imports\": [\n{imports}\n  ]\n}}\n")
    }

    pub fn requests(&self) -> Vec<ImportRequest> {
        self.imports.iter().map(|import| import.request.clone()).collect()
    }

    pub fn files(&self, request: &ImportRequest) -> BTreeMap<String, ImportedFile> {
        let import = self.imports.iter().find(|import| import.request == *request);
        import.map(|import| import.files.clone()).unwrap_or_default()
    }

    pub fn file(&self, request: &ImportRequest, path: &str) -> Option<&ImportedFile> {
        self.imports.iter().find(|import| import.request == *request)?.files.get(path)
    }

    pub fn origin(&self, path: &str) -> Option<&ImportedFile> {
        self.imports.iter().find_map(|import| import.files.get(path))
    }

    pub fn origins(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.imports.iter().flat_map(|import| &import.files);
        files.map(|(path, file)| (&*file.from, &**path))
    }

    pub fn all_files(&self) -> BTreeMap<&str, &ImportedFile> {
        let files = self.imports.iter().flat_map(|import| &import.files);
        files.map(|(path, file)| (&**path, file)).collect()
    }

    pub fn known(&self, path_of: impl Fn(&Utf8Path) -> Utf8PathBuf) -> KnownImports {
        let is_context =
            |path: &str| !Utf8Path::new(path).components().any(|part| part.as_str() == PARTIALS);
        let files = self.imports.iter().flat_map(|import| &import.files);
        let mut known = KnownImports::new();
        for (path, file) in files.filter(|(path, _)| is_context(path)) {
            let import = KnownImport { path: path.into(), hash: file.hash.clone() };
            known.entry(path_of(Utf8Path::new(&file.from))).or_default().push(import);
        }
        known
    }

    pub fn set(&mut self, request: ImportRequest, files: BTreeMap<String, ImportedFile>) {
        for import in &mut self.imports {
            import.files.retain(|path, _| !files.contains_key(path));
        }
        self.imports.retain(|import| !import.files.is_empty() && import.request != request);
        if !files.is_empty() {
            self.imports.push(RecordedImport { request, files });
        }
        self.imports.sort_by(|a, b| a.request.cmp(&b.request));
    }
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("all keys are text")
}

/// Ignores line ends, which git may change.
pub fn hash(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) if text.contains("\r\n") => content_hash(&text.replace("\r\n", "\n")),
        Ok(text) => content_hash(text),
        Err(_) => format!("blake3:{}", blake3::hash(bytes).to_hex()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportStep {
    Create,
    Update,
    Keep,
    KeepEdited,
    KeepRemoved,
    Conflict,
}

pub fn step(recorded: Option<&str>, here: Option<&str>, new: &str) -> ImportStep {
    match (recorded, here) {
        (None, None) => ImportStep::Create,
        (Some(_), None) => ImportStep::KeepRemoved,
        (_, Some(here)) if here == new => ImportStep::Keep,
        (Some(recorded), Some(here)) if recorded == here => ImportStep::Update,
        (Some(recorded), Some(_)) if recorded == new => ImportStep::KeepEdited,
        (_, Some(_)) => ImportStep::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(from: &str, text: &str) -> ImportedFile {
        ImportedFile { from: from.to_owned(), hash: hash(text.as_bytes()) }
    }

    fn request(path: &str) -> ImportRequest {
        ImportRequest { paths: vec![path.to_owned()], ..ImportRequest::default() }
    }

    #[test]
    fn each_side_that_changed_decides() {
        for (recorded, here, new, expected) in [
            (None, None, "a", ImportStep::Create),
            (None, Some("a"), "a", ImportStep::Keep),
            (None, Some("b"), "a", ImportStep::Conflict),
            (Some("a"), Some("a"), "a", ImportStep::Keep),
            (Some("a"), Some("a"), "b", ImportStep::Update),
            (Some("a"), Some("b"), "a", ImportStep::KeepEdited),
            (Some("a"), Some("b"), "b", ImportStep::Keep),
            (Some("a"), Some("b"), "c", ImportStep::Conflict),
            (Some("a"), None, "a", ImportStep::KeepRemoved),
            (Some("a"), None, "b", ImportStep::KeepRemoved),
        ] {
            assert_eq!(step(recorded, here, new), expected, "{recorded:?} {here:?} {new}");
        }
        assert_eq!(hash(b"a\r\nb\r\n"), hash(b"a\nb\n"));
        assert_ne!(hash(&[0xff, b'\r', b'\n']), hash(&[0xff, b'\n']));
    }

    #[test]
    fn a_file_belongs_to_the_last_import_and_the_record_survives_being_written() {
        let mut record = ImportRecord::default();
        let all = [("contexts/a.md", file("A.md", "a")), ("contexts/\"b\".md", file("B.md", "b"))];
        record.set(request("."), all.map(|(path, file)| (path.to_owned(), file)).into());
        let into = ImportRequest { into: ".faber".to_owned(), ..request("../x") };
        record.set(into.clone(), [("x.md".to_owned(), file("../x", "x"))].into());
        assert_eq!(ImportRecord::parse(&record.print()).unwrap(), record);
        record.set(request("A.md"), [("contexts/a.md".to_owned(), file("A.md", "a"))].into());
        assert_eq!(record.files(&request(".")).len(), 1);
        assert_eq!(record.requests().len(), 3);
        record.set(into, BTreeMap::new());
        assert_eq!(record.requests(), [request("."), request("A.md")]);
    }

    #[test]
    fn a_damaged_record_is_not_overwritten() {
        let mut record = ImportRecord::default();
        record.set(request("."), [("a".to_owned(), file("A.md", "a"))].into());
        let text = record.print();
        for (damaged, part) in [
            (text.replace("imports/1", "imports/2"), "unknown schema"),
            (format!("<<<<<<< HEAD\n{text}"), "conflict markers"),
            (text.replace("\"hash\"", "\"hsh\""), "unknown field"),
            (String::new(), "EOF"),
        ] {
            let error = ImportRecord::parse(&damaged).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
