//! `faber import --in-place`: files are used where they are.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::data::{FileData, ImportState};
use super::{ImportRun, always, companions, insecure, open_at, scaffold};
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::packs::{self, CONFIG};
use faber_core::paths::lexical;
use faber_core::rules::{import_duplicate, import_omitted};
use faber_core::source::{FileId, Span};
use faber_core::workspace::Viewer;
use faber_session::discover::files::{self, Files};
use faber_session::packs::config_files::config_text;
use faber_session::packs::declare::{PackRequest, SourceForm, with_pack, without_pack};
use faber_session::settings::Settings;
use faber_tools::exchange::format::Format;
use faber_tools::exchange::found_source::FoundSource;
use faber_tools::exchange::gather::{self, Gathered, Importing, OsDisk};
use faber_tools::exchange::import::{self, PlannedImport};
use faber_tools::exchange::record::{ImportRecord, ImportRequest};
use faber_tools::exchange::{data, view};

/// The pack of the workspace's own files.
const NAME: &str = "here";

impl ImportRun<'_> {
    pub(super) fn in_place(
        &mut self,
        request: &ImportRequest,
        record: &ImportRecord,
    ) -> Result<(), Error> {
        let root = &self.destination.root;
        let format = request.format.as_deref().and_then(Format::from_name);
        if format == Some(Format::Markdown) {
            let message = "`--in-place` cannot be used with the format `markdown`";
            return Err(Error::usage(message, "import them without `--in-place`"));
        }
        let paths: Vec<Utf8PathBuf> =
            request.paths.iter().map(|path| lexical(&root.join(path))).collect();
        let paths: Vec<&Utf8Path> = paths.iter().map(|it| &**it).collect();
        let translations = request.translations;
        let wanted = gather::GatherOptions { format, category: None, translations, in_place: true };
        let importing = Importing { root, settings: self.settings };
        let mut found = Vec::new();
        let mut gathered =
            gather::gather(wanted, &paths, importing, &mut self.sources, &mut found)?;
        let known: BTreeSet<Utf8PathBuf> = known(root, self.settings).into_iter().collect();
        if gathered.is_empty && known.is_empty() {
            return Err(gather::nothing(format, gathered.left.others.len(), &self.args.paths));
        }
        self.left.add(std::mem::take(&mut gathered.left));
        let copies = copies(root, record);
        leave_copies(&mut gathered, &copies, &mut found);
        let folder = packs::folder(NAME);
        let into = import::Into::in_place(root, &folder);
        let mut plan = import::plan(&mut self.sources, &gathered.found, into, &OsDisk);
        let exported: Vec<PlannedImport> =
            plan.files.extract_if(.., |planned| planned.managed).collect();
        found.extend(self.without_originals(&exported));
        found.extend(insecure::findings(&plan.files, None, &self.sources, importing));
        found.extend(companions::findings(&gathered, |_| true, &mut self.sources, importing));
        let own: BTreeSet<FileId> = plan.files.iter().map(|planned| planned.source).collect();
        gathered.found.retain(|source| own.contains(&source.file));
        let named = self.named(&gathered, &mut found)?;
        found.extend(plan.found.into_iter().filter(|it| *it.rule() != import_duplicate::RULE));
        self.always.extend(always::planned(&plan.files));
        self.found.append(&mut found);
        let dry_run = self.mode().dry_run;
        if self.destination.is_new && self.rows.is_empty() {
            self.rows.extend(scaffold(&self.writer, None, dry_run)?);
        }
        let is_used = |path: &&Utf8PathBuf| {
            let path = root.join(path);
            files::is_file(&path) && !copies.contains_key(&path)
        };
        let all: BTreeSet<Utf8PathBuf> =
            known.iter().filter(is_used).chain(&named).cloned().collect();
        for path in known.union(&named) {
            if self.rows.iter().any(|row| row.path == *path) {
                continue;
            }
            let state = match (known.contains(path), all.contains(path)) {
                (true, true) => ImportState::Unchanged,
                (false, _) => ImportState::InPlace,
                (true, false) => ImportState::Removed,
            };
            let source = Some(path.to_string());
            self.rows.push(FileData { path: path.to_string(), id: None, source, state });
        }
        if dry_run || all == known {
            return Ok(());
        }
        let files: Vec<Utf8PathBuf> = all.into_iter().collect();
        let pack = PackRequest {
            name: NAME,
            source: ".",
            form: SourceForm::Folder,
            reference: None,
            path: None,
            files: &files,
        };
        let text = config_text(&Files::new(root), CONFIG.into(), false)?;
        // Without files, a pack would be the whole workspace.
        let new =
            if files.is_empty() { without_pack(&text, NAME)? } else { with_pack(&text, &pack)? };
        self.writer.replace(Utf8Path::new(CONFIG), &new)?;
        Ok(())
    }

    /// Exported text is never used in place, so it is lost without its context.
    fn without_originals(&self, exported: &[PlannedImport]) -> Vec<Diagnostic> {
        if exported.is_empty() {
            return Vec::new();
        }
        let ids = ids(&self.destination.root, self.settings);
        let is_lost =
            |planned: &&PlannedImport| planned.id.as_ref().is_some_and(|id| !ids.contains(id));
        let finding = |planned: &PlannedImport| {
            let id = planned.id.as_deref().unwrap_or_default();
            let message =
                format!("not used in place: faber exported `{id}`, which is missing here");
            let finding = import_omitted::RULE.at(Span::start_of(planned.source), message);
            finding.help("import it without `--in-place`, or remove the two comments around it")
        };
        exported.iter().filter(is_lost).map(finding).collect()
    }

    /// Without files that a pack would not recognize.
    fn named(
        &self,
        gathered: &Gathered,
        found: &mut Vec<Diagnostic>,
    ) -> Result<BTreeSet<Utf8PathBuf>, Error> {
        let root = &self.destination.root;
        let path = |source: &FoundSource| {
            let path = place(source);
            match path.strip_prefix(root) {
                Ok(below) => Ok((below.as_str().replace('\\', "/").into(), source.file)),
                Err(_) => Err(Error::usage(
                    format!("`{path}` is outside of the workspace"),
                    "import it without `--in-place`, or add its directory with `faber pack add`",
                )),
            }
        };
        let files: BTreeMap<Utf8PathBuf, FileId> =
            gathered.found.iter().map(path).collect::<Result<_, _>>()?;
        let all: Vec<Utf8PathBuf> = files.keys().cloned().collect();
        let known = view::recognized(&Files::new(root), Utf8Path::new(""), &all);
        for (_, file) in files.iter().filter(|(path, _)| !known.contains(*path)) {
            let message = "not used in place: its path and front matter do not tell its format";
            let finding = import_omitted::RULE.at(Span::start_of(*file), message);
            found.push(finding.help("import it without `--in-place`"));
        }
        Ok(known)
    }
}

fn copies<'a>(root: &Utf8Path, record: &'a ImportRecord) -> BTreeMap<Utf8PathBuf, &'a str> {
    let copies = record.origins().filter(|(_, copy)| files::path_exists(&root.join(copy)));
    copies.map(|(from, copy)| (lexical(&root.join(data::file_of(from))), copy)).collect()
}

/// Omits files with an imported copy: two versions would diverge.
fn leave_copies(
    gathered: &mut Gathered,
    copies: &BTreeMap<Utf8PathBuf, &str>,
    found: &mut Vec<Diagnostic>,
) {
    gathered.found.retain(|source| {
        let copy = copies.get(&place(source));
        found.extend(copy.map(|copy| {
            let message = format!("not used in place: it was imported as `{copy}`");
            let finding = import_omitted::RULE.at(Span::start_of(source.file), message);
            finding.help("to use the original, remove that file first")
        }));
        copy.is_none() && source.link_to.is_none()
    });
}

fn place(source: &FoundSource) -> Utf8PathBuf {
    source.base.join(data::file_of(source.path.as_str()))
}

fn ids(root: &Utf8Path, settings: &Settings) -> BTreeSet<String> {
    let Ok(session) = open_at(root, settings) else { return BTreeSet::new() };
    let mut workspace = session.workspace();
    let roles = workspace.role_names();
    let mut ids: BTreeSet<String> = roles.iter().map(|role| format!("role/{role}")).collect();
    for role in roles.into_iter().map(Some).chain([None]) {
        let viewer = Viewer { role, ..Viewer::default() };
        let resolved = workspace.resolve(&viewer);
        let resolved = resolved.iter().flat_map(|resolved| resolved.catalog.contexts.keys());
        ids.extend(resolved.map(ToString::to_string));
    }
    ids
}

fn known(root: &Utf8Path, settings: &Settings) -> Vec<Utf8PathBuf> {
    let Ok(session) = open_at(root, settings) else { return Vec::new() };
    let declared = session.workspace().declared_packs();
    let pack = declared.packs.into_iter().find(|pack| pack.name.value == NAME && !pack.is_users);
    pack.map(|pack| pack.files).unwrap_or_default()
}
