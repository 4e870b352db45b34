//! Names imported contexts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Importer, KnownImport, Moved, MovedRank, resources};
use crate::data;
use crate::format::{self, Format};
use crate::found_source::FoundSource;
use crate::mention::Insertion;
use crate::piece::{ExchangePiece, Subject};
use faber_core::category::{Category, Load};
use faber_core::config;
use faber_core::context_id::ContextId;
use faber_core::paths::normalize;
use faber_core::resolve::catalog::content_hash;
use faber_core::rules::{import_duplicate, import_renamed};
use faber_core::workspace::walk::RESOURCES;

pub(super) type NamedPieces<'f> = (&'f FoundSource, Vec<Option<ExchangePiece>>);

pub(super) type TextIdentity = (String, Load, Vec<String>, String);

pub(super) struct ImportedText {
    format: Format,
    own: Subject,
    rest: String,
    moved: Moved,
}

fn identity(piece: &ExchangePiece) -> TextIdentity {
    let access = ["visibility", "owner", "groups"];
    let access = piece.extra.iter().filter(|entry| access.contains(&&*entry.key)).cloned();
    let access = config::verbatim(&access.collect::<Vec<_>>());
    (piece.body.clone(), piece.load, piece.globs.clone(), access)
}

fn rest(piece: &ExchangePiece, found: &FoundSource) -> String {
    let ExchangePiece { title, description, keywords, extra, .. } = piece;
    let folder = found.path.parent().filter(|_| piece.body.contains("]("));
    let extra = config::verbatim(extra);
    format!("{title:?} {description:?} {keywords:?} {folder:?} {extra}")
}

impl Importer<'_> {
    pub(super) fn name_all(&mut self, all: &mut [NamedPieces<'_>]) {
        self.reserve();
        self.shared = shared(all);
        for managed in [false, true] {
            for (found, pieces) in &mut *all {
                self.names(found, pieces, managed);
            }
        }
        for (found, pieces) in &mut *all {
            self.place_resources(found, pieces);
        }
        self.place_known(all);
        for (found, pieces) in &*all {
            self.follow(found, pieces);
        }
    }

    fn follow(&mut self, found: &FoundSource, pieces: &[Option<ExchangePiece>]) {
        let [Some(piece)] = pieces else { return };
        if found.what.kind.insertion() != Some(Insertion::Claude) {
            return;
        }
        let folder = found.path.parent().unwrap_or(Utf8Path::new(""));
        let lines = piece.body.lines().map(|line| line.trim_start_matches("- ").trim());
        let imported = lines.filter(|line| !line.is_empty()).map(|line| {
            let path = normalize(folder, line.strip_prefix('@')?)?;
            let moved = self.moved.get(&found.base.join(path))?;
            moved.loads_with(piece.load, &piece.globs).then(|| moved.clone())
        });
        if let Some(Some(first)) =
            imported.collect::<Option<Vec<_>>>().map(|all| all.into_iter().next())
        {
            self.moved.insert(found.in_base(), first);
        }
    }

    fn place_known(&mut self, all: &[NamedPieces<'_>]) {
        let own: HashSet<Utf8PathBuf> = all.iter().map(|(found, _)| found.in_base()).collect();
        for (from, imports) in self.into.known.iter().filter(|(from, _)| !own.contains(*from)) {
            let Some(KnownImport { path, .. }) = imports.first() else { continue };
            let id = category_of(path).zip(path.file_stem());
            let id = id.map(|(category, stem)| {
                ContextId::new(category, category.strip_prefix(stem)).to_string()
            });
            self.moved.entry(from.clone()).or_insert_with(|| Moved {
                to: path.clone(),
                id: id.unwrap_or_default(),
                load: Load::Never,
                globs: Vec::new(),
                rank: MovedRank::Elsewhere,
            });
        }
    }

    /// Keeps names of earlier imports, unless their source is gone.
    fn reserve(&mut self) {
        for (from, paths) in self.into.known {
            if !self.disk.exists(data::file_of(from.as_str()).into()) {
                continue;
            }
            for known in paths {
                if let Ok(below) = known.path.strip_prefix(self.into.folder) {
                    self.reserved.insert(below.as_str().to_lowercase());
                }
            }
        }
    }

    fn known_subject(
        &self,
        piece: &ExchangePiece,
        found: &FoundSource,
        exports: &[Subject],
    ) -> Option<Subject> {
        let known = self.into.known(found);
        let now = self.into.path(piece);
        let is_same = |known: &&KnownImport| known.path == now;
        let same = known.iter().find(is_same).map(|_| piece.subject.clone());
        let others = known.iter().filter(|_| !piece.managed);
        let others = others.filter_map(|known| self.subject_of(known, piece));
        let all: Vec<Subject> = same.into_iter().chain(others).collect();
        all.iter().find(|subject| !exports.contains(subject)).or(all.first()).cloned()
    }

    fn subject_of(&self, known: &KnownImport, piece: &ExchangePiece) -> Option<Subject> {
        let Subject::Context(id) = &piece.subject else { return None };
        let folder = self.into.path(piece);
        let path = Some(&known.path).filter(|path| path.parent() == folder.parent())?;
        let name = id.category.strip_prefix(path.file_stem()?);
        Some(Subject::Context(ContextId::new(id.category, name)))
    }

    /// Renames a user's text with the name of an export in the same file, unless imported under
    /// this name.
    pub(super) fn leave_exports(
        &mut self,
        piece: &mut ExchangePiece,
        own: Subject,
        found: &FoundSource,
        all: &[Option<ExchangePiece>],
    ) {
        let exports = all.iter().flatten().filter(|piece| piece.managed);
        let exports: Vec<Subject> = exports.map(|piece| piece.subject.clone()).collect();
        if !exports.contains(&piece.subject) {
            return;
        }
        let hash = content_hash(&piece.text());
        let mut same = self.into.known(found).iter().filter(|known| known.hash == hash);
        if let Some(subject) = same.find_map(|known| self.subject_of(known, piece)) {
            piece.subject = subject;
        } else {
            piece.subject = own;
            self.new_name(piece, found, &exports);
        }
    }

    fn names(&mut self, found: &FoundSource, pieces: &mut [Option<ExchangePiece>], managed: bool) {
        let exports = pieces.iter().flatten().filter(|piece| piece.managed && !managed);
        let (exports, texts): (Vec<Subject>, Vec<String>) =
            exports.map(|piece| (piece.subject.clone(), piece.body.clone())).unzip();
        for slot in pieces.iter_mut() {
            let Some(mut piece) = slot.take_if(|piece| piece.managed == managed) else { continue };
            if texts.contains(&piece.body) {
                let note = "faber exported the same text to this file";
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                continue;
            }
            let duplicate = self.duplicate(&piece, found).filter(|_| !piece.body.is_empty());
            if let Some(moved) = duplicate.cloned() {
                let note = format!("the same text is imported as `{}`", moved.id);
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                self.leads_to(found, &piece, moved);
                continue;
            }
            let own = piece.subject.clone();
            self.rename(&mut piece, found, &exports);
            let moved = Moved {
                to: self.into.path(&piece),
                id: piece.subject.to_string(),
                load: piece.load,
                globs: piece.globs.clone(),
                rank: MovedRank::Only,
            };
            let (format, rest) = (found.what.format, rest(&piece, found));
            let text = ImportedText { format, own, rest, moved: moved.clone() };
            self.texts.entry(identity(&piece)).or_default().push(text);
            self.leads_to(found, &piece, moved);
            *slot = Some(piece);
        }
    }

    fn leads_to(&mut self, found: &FoundSource, piece: &ExchangePiece, moved: Moved) {
        if matches!(piece.subject, Subject::Role(_)) {
            return;
        }
        let from = found.in_base();
        let rank = match self.into.known(found) {
            known if known.iter().any(|it| it.path == moved.to) => MovedRank::Recorded,
            _ if !piece.managed => MovedRank::Own,
            _ => MovedRank::Only,
        };
        let moved = Moved { rank, ..moved };
        match self.moved.get_mut(&from) {
            Some(first) if rank > first.rank.max(MovedRank::Only) => *first = moved,
            Some(first) if first.rank == MovedRank::Only => first.rank = MovedRank::OneOfMany,
            Some(_) => {}
            None => {
                self.moved.insert(from, moved);
            }
        }
    }

    fn place_resources(&mut self, found: &FoundSource, pieces: &[Option<ExchangePiece>]) {
        let Some(piece) = pieces.iter().flatten().next() else { return };
        let folder = found.path.parent().unwrap_or(Utf8Path::new(""));
        for other in &found.others {
            let below = other.strip_prefix(folder).unwrap_or(other);
            let to = self.into.folder.join(resources(&piece.subject)).join(below);
            let id = piece.subject.to_string();
            let rank = MovedRank::Only;
            let moved = Moved { to, id, load: Load::Never, globs: Vec::new(), rank };
            self.moved.insert(found.base.join(other), moved);
        }
    }

    /// Within one tool, the whole file or the ID must be equal. Files with resources never match.
    fn duplicate(&self, piece: &ExchangePiece, found: &FoundSource) -> Option<&Moved> {
        let all = self.texts.get(&identity(piece)).filter(|_| found.others.is_empty())?;
        let first = all.iter().find(|text| text.format != found.what.format);
        let own = || {
            let is_new = self.into.known(found).is_empty();
            let is_same = |text: &&ImportedText| {
                text.own == piece.subject || (is_new && text.rest == rest(piece, found))
            };
            all.iter().find(is_same)
        };
        first.or_else(own).map(|text| &text.moved)
    }

    fn rename(&mut self, piece: &mut ExchangePiece, found: &FoundSource, exports: &[Subject]) {
        let own = piece.subject.clone();
        if let Some(suffix) = self.ids.get(&own).filter(|_| piece.managed) {
            piece.suffix.clone_from(suffix);
            return;
        }
        if self.into.existing(piece).is_some() {
            self.ids.insert(own, String::new());
            return;
        }
        if let Some(known) = self.known_subject(piece, found, exports) {
            piece.subject = known;
            self.taken.entry(key(piece)).or_insert(0);
            self.report_renamed(piece, &own);
            return;
        }
        self.new_name(piece, found, exports);
    }

    fn new_name(&mut self, piece: &mut ExchangePiece, found: &FoundSource, exports: &[Subject]) {
        let (own, format) = (piece.subject.clone(), found.what.format);
        let named = |name: String| match &own {
            Subject::Role(_) => Subject::Role(name),
            Subject::Context(id) => Subject::Context(ContextId::new(id.category, name.as_str())),
        };
        let qualified = qualifier(&found.path, own.name()).filter(|_| !piece.managed);
        let qualified = qualified.map(|folder| named(format!("{folder}-{}", own.name())));
        if self.shared.contains(&own)
            && let Some(subject) = &qualified
        {
            piece.subject = subject.clone();
            if self.takes(piece, exports) {
                let note = format!("several files are called `{own}`; imported as `{subject}`");
                self.plan.found.push(import_renamed::RULE.at(piece.at, note));
                self.ids.insert(subject.clone(), String::new());
                return;
            }
            piece.subject = own.clone();
        }
        if self.takes(piece, exports) {
            self.ids.insert(own, String::new());
            return;
        }
        let first = self.taken.entry(key(piece)).or_insert(0);
        *first += 1;
        let first = *first;
        if let Some(subject) = qualified {
            piece.subject = subject;
            if self.takes(piece, exports) {
                self.report_renamed(piece, &own);
                return;
            }
        }
        for number in first.. {
            let suffix = match number {
                1 if !piece.managed => format.name().to_owned(),
                more => more.to_string(),
            };
            if piece.managed {
                piece.suffix = format!("-{suffix}");
            } else {
                piece.subject = named(format!("{}-{suffix}", own.name()));
            }
            if self.takes(piece, exports) {
                break;
            }
        }
        self.report_renamed(piece, &own);
    }

    fn takes(&mut self, piece: &ExchangePiece, exports: &[Subject]) -> bool {
        let key = key(piece);
        if (!piece.managed && self.reserved.contains(&key)) || exports.contains(&piece.subject) {
            return false;
        }
        let is_free = !self.taken.contains_key(&key);
        self.taken.entry(key).or_insert(0);
        is_free
    }

    fn report_renamed(&mut self, piece: &ExchangePiece, own: &Subject) {
        if piece.subject != *own {
            let note = format!("`{own}` already exists; imported as `{}`", piece.subject);
            self.plan.found.push(import_renamed::RULE.at(piece.at, note));
        }
        self.ids.insert(piece.subject.clone(), piece.suffix.clone());
    }
}

fn shared(all: &[NamedPieces<'_>]) -> BTreeSet<Subject> {
    let mut bodies: BTreeMap<&Subject, BTreeSet<&str>> = BTreeMap::new();
    for (found, pieces) in all {
        let own = pieces.iter().flatten().filter(|piece| !piece.managed);
        let own = own.filter(|piece| qualifier(&found.path, piece.subject.name()).is_some());
        for piece in own {
            bodies.entry(&piece.subject).or_default().insert(&piece.body);
        }
    }
    let several = bodies.into_iter().filter(|(_, bodies)| bodies.len() > 1);
    several.map(|(subject, _)| subject.clone()).collect()
}

pub(super) fn category_of(path: &Utf8Path) -> Option<Category> {
    let is_resource = path.components().any(|part| part.as_str() == RESOURCES);
    Category::from_directory(path.parent()?.file_name()?).filter(|_| !is_resource)
}

fn qualifier(path: &Utf8Path, name: &str) -> Option<String> {
    const KINDS: &str =
        "agents commands contexts docs instructions plugins prompts references rules skills src";
    let folders = path.parent()?.components().rev().map(|part| part.as_str());
    let is_kind = |folder: &str| KINDS.split(' ').any(|kind| kind == folder);
    let mut named_folders = folders.filter(|folder| {
        !folder.starts_with('.') && !is_kind(folder) && !folder.eq_ignore_ascii_case(name)
    });
    let parts = |text: &str| format!("-{}-", text.to_lowercase());
    let is_new = |folder: &&str| !parts(name).contains(&parts(folder));
    named_folders.next().filter(is_new).map(format::slug)
}

fn key(piece: &ExchangePiece) -> String {
    piece.path().as_str().to_lowercase()
}
