//! The roles of a workspace.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::assemble::InstructionKind;
use crate::config::ENVIRONMENT;
use crate::diagnostic::Diagnostic;
use crate::error::{Error, available};
use crate::escape::Visible;
use crate::packs::{self, CONFIG};
use crate::parse::agent;
use crate::paths::normalize;
use crate::resolve::include::access_of;
use crate::resolve::view::View;
use crate::role::{Lineage, Role};
use crate::rule::Rule;
use crate::rules::{dangling_reference, duplicate_role, role_cycle, unknown_role};
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::workspace::{Workspace, is_folder_name};
use crate::world::{self, Unreadable, World};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFile {
    pub file: FileId,
    pub kind: InstructionKind,
    pub name: String,
    pub is_shared: bool,
}

impl<W: World> Workspace<W> {
    /// Highest precedence first.
    pub fn role_homes(&self) -> Vec<Utf8PathBuf> {
        let of_packs = self.packs.iter().rev().flat_map(|pack| pack.roles.iter().cloned());
        self.own_role_homes().into_iter().chain(of_packs).collect()
    }

    pub(crate) fn own_role_homes(&self) -> Vec<Utf8PathBuf> {
        let root = Utf8Path::new("");
        self.config.roles.iter().filter_map(|home| normalize(root, &home.value)).collect()
    }

    /// `@PACK:ROLE` for shadowed roles of packs.
    pub fn role_names(&self) -> Vec<String> {
        let mut all = names(&self.files, &self.own_role_homes());
        for pack in self.packs.iter().rev() {
            for name in names(&self.files, &pack.roles) {
                let is_known = all.contains(&name);
                all.push(if is_known { of_pack(&pack.name, &name) } else { name });
            }
        }
        all.sort();
        all
    }

    fn homes_of<'n>(&self, name: &'n str) -> (&'n str, Vec<Utf8PathBuf>) {
        let qualified = name.strip_prefix('@').and_then(packs::names::qualified);
        let Some((pack, role)) = qualified else { return (name, self.role_homes()) };
        let pack = self.packs.iter().find(|it| it.name == pack);
        (role, pack.map(|pack| pack.roles.clone()).unwrap_or_default())
    }

    /// # Errors
    ///
    /// [`Error::Usage`] without a role; [`Error::Findings`] if an unreadable configuration may name
    /// one.
    pub fn role_name(&self, named: Option<&str>) -> Result<String, Error> {
        if let Some(name) = named {
            return Ok(name.to_owned());
        }
        if let Some(role) = &self.config.settings.role {
            return Ok(role.value.clone());
        }
        let all = self.role_names();
        if let [only] = &all[..] {
            return Ok(only.clone());
        }
        self.stop_at(&[])?;
        for home in self.role_homes() {
            if let Err(Unreadable::Io(why)) = self.files.list(&home) {
                let message = format!("the roles in `{home}` cannot be read: {why}");
                return Err(Error::usage(message, "check the permissions"));
            }
        }
        if all.is_empty() {
            let help = "run `faber new role NAME` to create one";
            return Err(Error::usage("the workspace has no role", help));
        }
        let help = format!(
            "name one (`faber assemble ROLE`, other commands `--role ROLE`), or set `settings.role`; {}",
            available(&all)
        );
        Err(Error::usage("the workspace has several roles", help))
    }

    pub(super) fn with_place_of_role(&self, error: Error) -> Error {
        match (error, &self.config.settings.role) {
            (Error::Unknown { what: what @ "role", name, help }, Some(role))
                if role.value == name =>
            {
                let place = self.place_of_role(role.span);
                let end = if help.ends_with('?') { "" } else { ";" };
                let help = format!("{help}{end} `settings.role` is set {place}");
                Error::Unknown { what, name, help }
            }
            (error, _) => error,
        }
    }

    fn place_of_role(&self, span: Span) -> String {
        if self.sources.path(span.file) == ENVIRONMENT {
            let before = &self.sources.get(span.file).text[..span.range().start];
            let name = before.rsplit('\n').next().unwrap_or_default().trim_end_matches('=');
            return format!("by the environment variable `{name}`");
        }
        format!("in {}", self.sources.place(span))
    }

    pub(super) fn check_default_role(&mut self) {
        let named = self.config.settings.role.as_ref();
        let own = |role: &&Spanned<String>| self.sources.path(role.span.file) == CONFIG;
        let Some(role) = named.filter(own).cloned() else { return };
        if let Err(error @ Error::Unknown { .. }) = self.role(&role.value) {
            self.found.push(finding_of(&error, &unknown_role::RULE, role.span).exceptional());
        }
    }

    /// # Errors
    ///
    /// [`Error::Unknown`] if it cannot be read.
    pub fn lineage(&mut self, name: &str) -> Result<Lineage, Error> {
        let mut roles: Vec<Role> = vec![self.role(name)?];
        while let Some(extends) = parent(&roles[roles.len() - 1]) {
            match self.role(&extends.value) {
                Ok(role) => {
                    if let Some(at) = roles.iter().position(|it| it.root == role.root) {
                        self.found.push(role_cycle(&roles[at..]));
                        break;
                    }
                    roles.push(role);
                }
                Err(error) => {
                    self.found.push(finding_of(&error, &dangling_reference::RULE, extends.span));
                    break;
                }
            }
        }
        Ok(Lineage { roles })
    }

    pub(super) fn role(&mut self, name: &str) -> Result<Role, Error> {
        if let Some(role) = self.roles.get(name) {
            return Ok(role.clone());
        }
        let role = self.read_role(name)?;
        self.roles.insert(name.to_owned(), role.clone());
        Ok(role)
    }

    fn unknown_role(&self, name: &str, folder: &str, homes: &[Utf8PathBuf]) -> Error {
        let is_bare =
            |home: &&Utf8PathBuf| self.files.directories(home).iter().any(|it| it == folder);
        match homes.iter().find(is_bare) {
            Some(home) => Error::Unknown {
                what: "role",
                name: name.to_owned(),
                help: format!("`{}` has no `prompt.md`; create it", home.join(folder)),
            },
            None => Error::unknown("role", name, self.role_names().iter().map(String::as_str)),
        }
    }

    fn read_role(&mut self, name: &str) -> Result<Role, Error> {
        let (folder, homes) = self.homes_of(name);
        let places: Vec<_> = homes
            .iter()
            .filter(|_| is_folder_name(folder))
            .map(|home| home.join(folder))
            .filter(|root| self.files.exists(&root.join("prompt.md")))
            .collect();
        let Some(root) = places.first() else {
            return Err(self.unknown_role(name, folder, &homes));
        };
        let prompt_path = root.join("prompt.md");
        let prompt = self.read(&prompt_path, &format!("prompt of `{name}`"))?;
        let second = places.get(1).filter(|second| packs::of_path(second) == packs::of_path(root));
        if let Some(second) = second {
            let message = format!("`{name}` is defined twice; `{root}` is used, `{second}` is not");
            let finding = duplicate_role::RULE.at(Span::start_of(prompt), message);
            self.found.push(finding.help("remove one of the two folders"));
        }
        let agent_path = root.join("agent.yml");
        let agent_file = match self.files.read(&agent_path) {
            Err(Unreadable::Missing) => None,
            text => world::add(&agent_path, text, &mut self.sources, &mut self.found),
        };
        let read = |file| agent::read(&self.sources, file, self.caches.yaml());
        let agent = agent_file.map(|file| read(file).drain_into(&mut self.found));
        let mut all = self.role_homes().into_iter().map(|home| home.join(folder));
        let is_first =
            all.find(|root| self.files.exists(&root.join("prompt.md"))).as_ref() == Some(root);
        let name = match packs::of_path(root) {
            Some(pack) if !is_first => of_pack(pack, folder),
            _ => folder.to_owned(),
        };
        Ok(Role { name, root: root.clone(), agent, agent_file, prompt })
    }

    /// # Errors
    ///
    /// [`Error::Unknown`] with the visible ones if it is unknown or hidden.
    pub fn instruction(
        &mut self,
        lineage: &Lineage,
        view: &View,
        kind: InstructionKind,
        name: &str,
    ) -> Result<FileId, Error> {
        let (what, folder) = (kind.name(), kind.folder());
        let homes = [lineage.role().root.join(folder), Utf8PathBuf::from(folder)];
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let home = homes
            .iter()
            .find(|home| self.names_ending(home, ".md").iter().any(|known| known == stem));
        let path = home.map(|home| home.join(format!("{stem}.md")));
        let Some(path) = path.filter(|path| self.may_see(path, view)) else {
            let seen = homes.iter().flat_map(|home| {
                let stems = self.files.markdown_stems(home).into_iter();
                stems.filter(|stem| self.may_see(&home.join(format!("{stem}.md")), view))
            });
            let seen: Vec<String> = seen.collect();
            return Err(Error::unknown(what, name, seen.iter().map(String::as_str)));
        };
        let file = self.read(&path, &format!("{what} `{name}`"))?;
        self.read_includes_of(vec![file], &lineage.roots());
        Ok(file)
    }

    fn read(&mut self, path: &Utf8Path, what: &str) -> Result<FileId, Error> {
        let text = self.files.read(path);
        world::add(path, text, &mut self.sources, &mut self.found).ok_or_else(|| {
            let help = format!("see `{}`", Visible(path.as_str()));
            Error::usage(format!("the {what} cannot be read"), help)
        })
    }

    /// Those of the role first.
    pub fn tasks_and_flows(&mut self, lineage: Option<&Lineage>, view: &View) -> Vec<TaskFile> {
        let own = lineage.map(|lineage| lineage.role().root.clone());
        let homes = own.into_iter().map(|root| (root, false));
        let (mut all, mut known) = (Vec::new(), BTreeSet::new());
        for (root, is_shared) in homes.chain([(Utf8PathBuf::new(), true)]) {
            for (_, kind) in InstructionKind::ALL {
                let home = root.join(kind.folder());
                for name in self.names_ending(&home, ".md") {
                    let path = home.join(format!("{name}.md"));
                    let is_new = known.insert((kind, name.clone()));
                    if !is_new || !self.may_see(&path, view) {
                        continue;
                    }
                    let text = self.files.read(&path);
                    let file = world::add(&path, text, &mut self.sources, &mut self.found);
                    all.extend(file.map(|file| TaskFile { file, kind, name, is_shared }));
                }
            }
        }
        let roots = lineage.map(Lineage::roots).unwrap_or_default();
        self.read_includes_of(all.iter().map(|it: &TaskFile| it.file).collect(), &roots);
        all
    }

    /// True for unreadable files.
    fn may_see(&self, path: &Utf8Path, view: &View) -> bool {
        let text = self.files.read(path).and_then(world::within_limits);
        let Ok(text) = text else { return true };
        let mut sources = SourceMap::default();
        let file = sources.add(path.to_owned(), text);
        view.may_see(&access_of(&sources, file))
    }
}

fn role_cycle(cycle: &[Role]) -> Diagnostic {
    let least = (0..cycle.len()).min_by_key(|&at| &cycle[at].name).unwrap_or(0);
    let roles = || (0..cycle.len()).map(|at| &cycle[(least + at) % cycle.len()]);
    let chain: Vec<&str> = roles().chain([&cycle[least]]).map(|role| &*role.name).collect();
    let message = format!("a cycle of roles: {}", chain.join(" → "));
    let span = |role: &Role| {
        parent(role).map_or_else(|| Span::start_of(role.prompt), |extends| extends.span)
    };
    let finding = role_cycle::RULE.at(span(&cycle[least]), message);
    roles()
        .skip(1)
        .fold(finding, |finding, role| finding.related(span(role), "the cycle continues here"))
        .help("remove one `extends`")
}

fn finding_of(error: &Error, rule: &'static Rule, span: Span) -> Diagnostic {
    let finding = rule.at(span, error.to_string());
    match miette::Diagnostic::help(error) {
        Some(help) => finding.help(help.to_string()),
        None => finding,
    }
}

fn of_pack(pack: &str, role: &str) -> String {
    format!("@{pack}:{role}")
}

fn parent(role: &Role) -> Option<Spanned<String>> {
    role.agent.as_ref()?.extends.clone()
}

fn names(files: &impl World, homes: &[Utf8PathBuf]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for home in homes {
        let has_prompt = |name: &String| files.exists(&home.join(name).join("prompt.md"));
        names.extend(files.directories(home).into_iter().filter(has_prompt));
    }
    names.into_iter().collect()
}
