//! Makes `faber.lock` and stores packs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::files::Files;
use crate::discover::files::{path_exists, read_regular};
use crate::discover::foreign::{is_folder, real_folder};
use crate::discover::git::remote::{FetchedPack, Remote, Tag};
use crate::discover::pack_store::{PackStore, is_consistent, is_vendored, places};
use crate::hex::sha256;
use crate::packs::chains::PackChains;
use crate::packs::declare::declarations;
use crate::packs::home::PackHome;
use crate::packs::mount::version;
use crate::packs::skills::SkillIndex;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs;
use faber_core::packs::declare::{
    AllowedSources, Declarations, DeclaredPack, PackSource, is_local, is_loopback,
};
use faber_core::packs::lock::{Lock, LockedPack, is_commit, listing};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchMode {
    Update,
    /// Use the lock, which must match the declarations.
    Locked,
    /// Use the lock where it matches the declarations.
    Missing,
    Relock,
    /// Use the lock's files, for comparison.
    Former,
}

#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    pub mode: FetchMode,
    pub names: &'a [String],
    /// It may be local.
    pub typed: Option<&'a str>,
    /// Before its declarations changed.
    pub was_trusted: bool,
}

impl FetchRequest<'_> {
    pub fn new(mode: FetchMode) -> Self {
        Self { mode, names: &[], typed: None, was_trusted: false }
    }
}

#[derive(Debug)]
pub struct Fetcher<'a> {
    home: &'a PackHome,
    pub store: PackStore,
    links: RefCell<BTreeMap<String, Vec<String>>>,
    tags: RefCell<BTreeMap<String, String>>,
    moved: RefCell<BTreeMap<[String; 3], Option<String>>>,
}

impl<'a> Fetcher<'a> {
    /// # Errors
    ///
    /// If there is no cache folder.
    pub fn new(home: &'a PackHome) -> Result<Self, Error> {
        let store = PackStore::of(home.session.settings())?;
        Ok(Self {
            home,
            store,
            links: RefCell::default(),
            tags: RefCell::default(),
            moved: RefCell::default(),
        })
    }

    /// # Errors
    ///
    /// If a source fails, is refused or differs from the lock.
    pub fn lock(&self, declared: &Declarations, request: FetchRequest<'_>) -> Result<Lock, Error> {
        let old = self.home.lock()?;
        let known = declared.packs.iter().map(|pack| &pack.name.value);
        let known: BTreeSet<&str> = known.chain(old.packs.keys()).map(String::as_str).collect();
        if let Some(name) = request.names.iter().find(|name| !known.contains(name.as_str())) {
            return Err(Error::unknown("pack", name, known));
        }
        self.refuse(declared, &declared.packs)?;
        let is_trusted = request.was_trusted || self.home.is_trusted(declared);
        let mut all = Resolving {
            fetcher: self,
            declared,
            request,
            old,
            is_trusted,
            new: Lock::default(),
            chains: PackChains::default(),
        };
        for pack in all.chains.declare(&declared.packs) {
            all.add(pack, request.names.is_empty())?;
        }
        Ok(all.new)
    }

    /// # Errors
    ///
    /// See [`Self::lock`].
    pub fn fetch_former(&self, lock: &Lock, request: FetchRequest<'_>) -> Result<(), Error> {
        let mut declared = self.home.declared();
        for pack in &mut declared.packs {
            if let Some(locked) = lock.packs.get(&pack.name.value) {
                pack.source = locked.declared();
            }
        }
        self.lock(&declared, FetchRequest { mode: FetchMode::Former, names: &[], ..request })
            .map(drop)
    }

    fn refuse(&self, declared: &Declarations, packs: &[DeclaredPack]) -> Result<(), Error> {
        let refused = packs.iter().filter_map(|pack| {
            let address = pack.source.address();
            Some((declared.refusing(address)?, format!("`{address}` ({})", pack.name.value)))
        });
        let (lists, addresses): (Vec<_>, Vec<_>) = refused.unzip();
        let Some(AllowedSources { patterns, place }) = lists.first() else { return Ok(()) };
        let message = format!("`packs.allow` does not allow {}", addresses.join(", "));
        let place = if self.home.is_users { self.home.config.as_str() } else { place };
        let patterns = patterns.join(", ");
        Err(Error::usage(message, format!("it allows {patterns}; it is set in {place}")))
    }

    fn inconsistent(&self, name: &str) -> Error {
        let message = format!("the hashes of the pack `{name}` in faber.lock are inconsistent");
        let command = self.command("relock");
        let help = format!("restore the file from version control, or run `{command} {name}`");
        Error::usage(message, help)
    }

    pub fn left_out(&self) -> String {
        let links = self.links.borrow();
        let line = |(name, links): (&String, &Vec<String>)| {
            let first = Visible(&links[0]);
            match links.len() {
                1 => format!("note: the link `{first}` of the pack `{name}` is left out\n"),
                count => format!(
                    "note: {count} links of the pack `{name}` are left out, such as `{first}`\n"
                ),
            }
        };
        links.iter().map(line).collect()
    }

    pub fn version(&self, locked: &LockedPack) -> String {
        let is_range = locked.reference.starts_with(['^', '~']);
        let tag = self.tag(&locked.commit).filter(|_| is_range);
        let reference = tag.unwrap_or_else(|| locked.reference.clone());
        version(&LockedPack { reference, commit: locked.commit.clone(), ..LockedPack::default() })
    }

    pub fn tag(&self, commit: &str) -> Option<String> {
        self.tags.borrow().get(commit).cloned()
    }

    pub fn moved(&self, former: &LockedPack) -> Option<String> {
        self.moved.borrow().get(&commit_key(former)).cloned().flatten()
    }

    fn resolve(
        &self,
        remote: &Remote,
        reference: &str,
        former: Option<&LockedPack>,
    ) -> Result<String, Error> {
        let resolved = remote.resolve(reference)?;
        if let Some(former) = former
            && !self.moved.borrow().contains_key(&commit_key(former))
        {
            let why = remote.moved(reference, &resolved, &former.commit);
            self.moved.borrow_mut().insert(commit_key(former), why);
        }
        self.keep_tags(resolved.tags);
        Ok(resolved.commit)
    }

    fn keep_tags(&self, tags: Vec<Tag>) {
        self.tags.borrow_mut().extend(tags.into_iter().map(|tag| (tag.commit, tag.name)));
    }

    /// # Errors
    ///
    /// If the remote fails.
    pub fn newest(
        &self,
        declared: &Declarations,
        source: &PackSource,
        locked: Option<&LockedPack>,
    ) -> Result<Option<String>, Error> {
        let is_trusted = self.home.is_trusted(declared);
        match source {
            PackSource::Git { url, reference, .. } => {
                let url = self.url(url, is_trusted)?;
                let remote = Remote::open(self.store.folder(), &url)?;
                let former = locked.filter(|locked| locked.is_of(source));
                self.resolve(&remote, reference.as_deref().unwrap_or_default(), former).map(Some)
            }
            PackSource::Skills(url) => Ok(Some(self.index(url, is_trusted)?.digest)),
            PackSource::Folder(_) => Ok(None),
        }
    }

    fn url(&self, url: &str, is_allowed: bool) -> Result<String, Error> {
        if !is_local(url) {
            self.say(url);
            return Ok(url.to_owned());
        }
        self.check_access(url, is_allowed)?;
        let path = url.strip_prefix("file://").unwrap_or(url);
        Ok(self.home.repository(path).into_string())
    }

    fn index(&self, url: &str, is_allowed: bool) -> Result<SkillIndex, Error> {
        if is_loopback(url) {
            self.check_access(url, is_allowed)?;
        }
        self.say(url);
        SkillIndex::fetch(url)
    }

    fn check_access(&self, url: &str, is_allowed: bool) -> Result<(), Error> {
        if is_allowed {
            return Ok(());
        }
        let what = if is_loopback(url) { "site" } else { "path" };
        let why = self.home.trust_in(&self.home.declared()).why_not();
        let message = format!("`{url}` is a {what} on this machine, and {why}");
        Err(Error::usage(message, "check `packs` in the configuration, then run `faber trust`"))
    }

    fn say(&self, url: &str) {
        if let Some(fetching) = self.home.session.settings().fetching {
            fetching(url);
        }
    }

    pub fn command(&self, name: &str) -> String {
        format!("faber pack {name}{}", packs::flag(self.home.is_users))
    }

    fn has(&self, pack: &DeclaredPack, locked: &LockedPack) -> bool {
        self.is_checked(pack, locked) && self.store.is_whole(locked)
    }

    /// Whether these files were fetched as this commit, signed by this key.
    pub fn is_checked(&self, pack: &DeclaredPack, locked: &LockedPack) -> bool {
        self.store.is_noted(&locked.digest, &self.statement(pack, locked))
    }

    fn statement(&self, pack: &DeclaredPack, locked: &LockedPack) -> String {
        let LockedPack { source, path, reference, commit, tree, digest, .. } = locked;
        let root = if is_local(source) { self.home.folder.as_str() } else { "" };
        let key = pack.signed_by.as_deref().unwrap_or_default();
        [root, source, path, reference, commit, tree, digest, key].join("\n")
    }
}

struct Resolving<'a> {
    fetcher: &'a Fetcher<'a>,
    declared: &'a Declarations,
    request: FetchRequest<'a>,
    old: Lock,
    is_trusted: bool,
    new: Lock,
    chains: PackChains,
}

impl Resolving<'_> {
    fn add(&mut self, pack: &DeclaredPack, is_meant: bool) -> Result<(), Error> {
        let name = &pack.name.value;
        let is_meant = is_meant || self.request.names.contains(name);
        self.fetcher.refuse(self.declared, std::slice::from_ref(pack))?;
        let config = match &pack.source {
            PackSource::Git { .. } | PackSource::Skills(_) => {
                let is_new = !self.old.packs.contains_key(name);
                if is_new && self.request.mode == FetchMode::Former {
                    return Ok(());
                }
                let wanted = LockedPack::unpinned(&pack.source);
                let locked = self.locked(pack, wanted, is_meant)?;
                self.fetcher.store.mark_used(&locked.digest, &self.fetcher.home.lock_place());
                let place = self.fetcher.store.place(&locked.digest).join(packs::CONFIG);
                self.new.packs.insert(name.clone(), locked);
                read_regular(&place).ok()
            }
            PackSource::Folder(_) if !pack.files.is_empty() => None,
            PackSource::Folder(folder) => {
                let home = self.fetcher.home;
                let folder = real_folder(&home.folder_of(pack, folder));
                let may_read = |folder: &Utf8PathBuf| {
                    self.is_trusted || Files::new(&home.folder).is_of_repository(folder)
                };
                folder.filter(may_read).and_then(|it| read_regular(&it.join(packs::CONFIG)).ok())
            }
        };
        for inner in declarations(&config.unwrap_or_default(), false).packs {
            if let Some(inner) = self.chains.enter(pack, inner)? {
                self.add(&inner, is_meant)?;
            }
        }
        Ok(())
    }

    fn locked(
        &self,
        pack: &DeclaredPack,
        wanted: LockedPack,
        is_meant: bool,
    ) -> Result<LockedPack, Error> {
        let name = &pack.name.value;
        let old = self.old.packs.get(name).filter(|old| old.is_of(&pack.source));
        let aim = match (old, self.request.mode) {
            (Some(_), FetchMode::Missing) => FetchMode::Locked,
            (Some(_), _) if !is_meant => FetchMode::Locked,
            (None, FetchMode::Missing | FetchMode::Update) => FetchMode::Update,
            (None, _) => {
                let message = if self.old.packs.contains_key(name) {
                    format!("faber.lock does not match the declaration of the pack `{name}`")
                } else if path_exists(&self.fetcher.home.lock_place()) {
                    format!("the pack `{name}` is not in faber.lock")
                } else {
                    format!("no faber.lock: the pack `{name}` is not pinned")
                };
                let command = self.fetcher.command("update");
                let help = format!("run `{command} {name}` outside of CI, and commit faber.lock");
                return Err(Error::usage(message, help));
            }
            (_, mode) => mode,
        };
        if aim != FetchMode::Relock && old.is_some_and(|old| !is_consistent(old)) {
            return Err(self.fetcher.inconsistent(name));
        }
        let is_there = |old: &&LockedPack| match aim {
            FetchMode::Locked => self.fetcher.has(pack, old),
            FetchMode::Former => self.fetcher.store.is_whole(old),
            FetchMode::Update | FetchMode::Missing | FetchMode::Relock => false,
        };
        if let Some(old) = old.filter(is_there) {
            return Ok(old.clone());
        }
        let pinning = Pinning { pack, wanted: &wanted, old, aim };
        let fetched = match &pack.source {
            PackSource::Git { url, .. } => self.fetch_git(pinning, url)?,
            PackSource::Skills(url) => self.fetch_skills(pinning, url)?,
            PackSource::Folder(_) => FetchOutcome::Kept,
        };
        let locked = match fetched {
            FetchOutcome::Kept => return Ok(old.cloned().unwrap_or(wanted)),
            FetchOutcome::Known(LockedPack { commit, tree, digest, files, .. }) => {
                LockedPack { commit, tree, digest, files, ..wanted }
            }
            FetchOutcome::Fetched(fetched) => {
                if !fetched.links.is_empty() {
                    self.fetcher.links.borrow_mut().insert(name.clone(), fetched.links.clone());
                }
                let locked = pinned(wanted, &fetched);
                self.fetcher.store.put(&locked, &fetched.files)?;
                locked
            }
        };
        let is_pinned = matches!(aim, FetchMode::Locked | FetchMode::Former);
        let is_other =
            |old: &&LockedPack| (&old.tree, &old.digest) != (&locked.tree, &locked.digest);
        if let Some(old) = old.filter(|old| is_pinned && is_other(old)) {
            let message = format!(
                "tree or files of the pack `{name}` at {} differ from faber.lock",
                old.commit.get(..12).unwrap_or_default()
            );
            let command = self.fetcher.command("relock");
            let help = format!(
                "if a program such as a dependency bot changed the commit, run `{command} {name}`"
            );
            return Err(Error::usage(message, help));
        }
        if aim == FetchMode::Former {
            return Ok(locked);
        }
        let kept = old.filter(|_| aim == FetchMode::Locked).cloned().unwrap_or(locked);
        self.fetcher.store.note(&kept.digest, &self.fetcher.statement(pack, &kept))?;
        Ok(kept)
    }

    fn fetch_git(&self, pinning: Pinning<'_>, url: &str) -> Result<FetchOutcome, Error> {
        let Pinning { pack, wanted, old, aim } = pinning;
        let url = self.fetcher.url(url, self.is_trusted || self.is_typed(pack))?;
        let remote = Remote::open(self.fetcher.store.folder(), &url)?;
        let name = &pack.name.value;
        let commit = if let Some(old) = old.filter(|_| aim != FetchMode::Update) {
            let reference = Some(&*old.reference).filter(|reference| !is_commit(reference));
            let commit = if aim == FetchMode::Former {
                remote.with_tree(&old.tree, &old.commit, reference)?
            } else {
                let is_reachable = remote.is_reachable(&old.commit, reference)?;
                is_reachable.then(|| old.commit.clone())
            };
            commit.ok_or_else(|| self.unreachable_commit(name, old))?
        } else {
            let is_other_ref = |former: &&LockedPack| {
                former.source == wanted.source && former.reference != wanted.reference
            };
            if let Some(former) = self.old.packs.get(name).filter(is_other_ref) {
                self.fetcher.keep_tags(remote.tags(&former.reference)?);
            }
            self.fetcher.resolve(&remote, &wanted.reference, old)?
        };
        if let Some(key) = &pack.signed_by {
            remote.verify(&commit, &wanted.reference, key)?;
        }
        if self.is_kept(pinning, &commit) {
            return Ok(FetchOutcome::Kept);
        }
        let store = &self.fetcher.store;
        if let Some(known) = store.of_commit(&url, &commit, &wanted.path) {
            return Ok(FetchOutcome::Known(known));
        }
        let fetched = remote.fetch(&commit, Utf8Path::new(&wanted.path))?;
        store.keep_commit(&url, &pinned(wanted.clone(), &fetched))?;
        Ok(FetchOutcome::Fetched(fetched))
    }

    fn fetch_skills(&self, pinning: Pinning<'_>, url: &str) -> Result<FetchOutcome, Error> {
        let is_allowed = self.is_trusted || self.is_typed(pinning.pack);
        let index = self.fetcher.index(url, is_allowed)?;
        if self.is_kept(pinning, &index.digest) {
            return Ok(FetchOutcome::Kept);
        }
        index.files().map(FetchOutcome::Fetched)
    }

    fn unreachable_commit(&self, name: &str, locked: &LockedPack) -> Error {
        let reference = if locked.reference.is_empty() { "HEAD" } else { &locked.reference };
        let commit = locked.commit.get(..12).unwrap_or_default();
        let message = format!(
            "the commit {commit} of the pack `{name}` is not in the history of `{reference}`: it may come from a \
             fork, or the ref was moved"
        );
        let command = self.fetcher.command("update");
        Error::usage(message, format!("check the repository, then run `{command} {name}`"))
    }

    fn is_typed(&self, pack: &DeclaredPack) -> bool {
        let mut packs = self.declared.packs.iter();
        let typed = packs.find(|pack| Some(&*pack.name.value) == self.request.typed);
        typed.is_some_and(|typed| typed.source.address() == pack.source.address())
    }

    fn is_kept(&self, pinning: Pinning<'_>, commit: &str) -> bool {
        let old =
            pinning.old.filter(|old| old.commit == commit && pinning.aim == FetchMode::Update);
        old.is_some_and(|old| self.fetcher.has(pinning.pack, old))
    }
}

fn commit_key(pack: &LockedPack) -> [String; 3] {
    [&pack.source, &pack.reference, &pack.commit].map(Clone::clone)
}

enum FetchOutcome {
    Kept,
    Known(LockedPack),
    Fetched(FetchedPack),
}

#[derive(Clone, Copy)]
struct Pinning<'a> {
    pack: &'a DeclaredPack,
    wanted: &'a LockedPack,
    old: Option<&'a LockedPack>,
    aim: FetchMode,
}

fn pinned(wanted: LockedPack, fetched: &FetchedPack) -> LockedPack {
    let hashes = fetched.files.iter().map(|(path, file)| (path.clone(), sha256(&file.bytes)));
    let files: BTreeMap<String, String> = hashes.collect();
    LockedPack {
        commit: fetched.commit.clone(),
        tree: fetched.tree.clone(),
        digest: sha256(listing(&files)),
        files,
        ..wanted
    }
}

pub fn vendored(home: &PackHome, lock: &Lock) -> BTreeSet<String> {
    let is_there = |name: &&String| !home.is_users && is_vendored(&home.folder, name);
    lock.packs.keys().filter(is_there).cloned().collect()
}

pub fn copies(home: &PackHome, name: &str, locked: &LockedPack) -> Vec<Utf8PathBuf> {
    let store = home.session.settings().packs.as_deref();
    let vendored = (!home.is_users).then(|| &*home.folder);
    places(store, vendored, name, locked).filter(|place| is_folder(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::settings::Settings;

    thread_local!(static SAID: RefCell<Vec<String>> = RefCell::default());

    #[test]
    fn addresses_are_said_before_a_server_answers() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let fetching: fn(&str) = |url| SAID.with_borrow_mut(|said| said.push(url.to_owned()));
        let packs = Some(root.join("packs"));
        let settings = Settings { packs, fetching: Some(fetching), ..Settings::default() };
        let home = PackHome::of_workspace(Session::empty(&settings, root));
        let fetcher = Fetcher::new(&home).unwrap();
        let url = "https://127.0.0.1:1/x.git";
        let source = PackSource::Git { url: url.to_owned(), reference: None, path: "".into() };
        assert!(fetcher.newest(&Declarations::default(), &source, None).is_err());
        assert_eq!(SAID.take(), [url]);
    }
}
