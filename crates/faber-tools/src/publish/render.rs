use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

use super::gather::{SkillItem, SkillView};
use super::skill::{MAX_BYTES, MAX_FILES, Names, SKILL_FILE, Skill, fields};
use crate::exchange::export::ExportItem;
use crate::exchange::piece::{self, ExchangePiece, Subject};
use crate::exchange::source::{ExportSource, companions};
use crate::exchange::target::{self, SKILL_NAME, skill_description};
use crate::exchange::{links, managed};
use crate::listed_folder::HashedFile;
use faber_core::category::Load;
use faber_core::config;
use faber_core::diagnostic::Diagnostic;
use faber_core::escape::Visible;
use faber_core::markdown::collapse;
use faber_core::packs::names;
use faber_core::parse::fields::MANUAL;
use faber_core::rules::{export_lost_trigger, export_omitted, export_truncated};
use faber_core::security::redact;
use faber_core::source::{SourceMap, Span};
use faber_core::world::World;
use faber_core::yaml::Entry;
use faber_session::discover::atomic::is_executable;
use faber_session::discover::files::Files;
use faber_session::discover::foreign;
use faber_session::session::Workspace;

#[derive(Clone, Copy, Debug, Default)]
pub struct RenderOptions {
    pub neutralize: bool,
}

pub fn skills(
    workspace: &Workspace,
    views: &[SkillView],
    options: RenderOptions,
    found: &mut Vec<Diagnostic>,
) -> Vec<Skill> {
    let mut renderer = SkillRenderer {
        sources: &workspace.sources,
        files: &workspace.files,
        homes: workspace.role_homes(),
        options,
        moved: BTreeMap::new(),
        names: BTreeMap::new(),
        found,
    };
    let mut names = Names::default();
    let places: Vec<Vec<SkillPlace>> =
        views.iter().map(|view| renderer.places(view, &mut names)).collect();
    let mut skills = Vec::new();
    for (view, places) in views.iter().zip(places) {
        let items = view.items.iter().zip(places);
        skills.extend(items.map(|(item, place)| renderer.skill(view, item, place)));
    }
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    skills
}

struct SkillPlace {
    name: String,
    copies: Vec<(Utf8PathBuf, String)>,
}

struct SkillRenderer<'a> {
    sources: &'a SourceMap,
    files: &'a Files,
    homes: Vec<Utf8PathBuf>,
    options: RenderOptions,
    moved: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    names: BTreeMap<String, String>,
    found: &'a mut Vec<Diagnostic>,
}

impl SkillRenderer<'_> {
    fn places(&mut self, view: &SkillView, names: &mut Names) -> Vec<SkillPlace> {
        let mut places = Vec::with_capacity(view.items.len());
        for SkillItem { ids, role, item } in &view.items {
            let (subject, id) = (&item.piece.subject, &ids[0]);
            let (name, why) = names.take(subject, role.as_deref());
            let is_cut = target::stem(subject).chars().count() > SKILL_NAME;
            let cut = || format!("skill names have at most {SKILL_NAME} characters");
            if let Some(why) = why.or_else(|| is_cut.then(cut)) {
                let note = format!("`{id}` becomes the skill `{name}`: {why}");
                self.found.push(export_truncated::RULE.at(item.piece.at, note));
            }
            let folder = Utf8PathBuf::from(&name);
            let copies = self.companions(view, item);
            for (from, to) in &copies {
                self.moved.entry(from.clone()).or_insert_with(|| folder.join(to));
            }
            let original = self.sources.original_path(item.piece.at.file).to_owned();
            for place in [item.path.clone(), original] {
                self.moved.entry(place).or_insert_with(|| folder.join(SKILL_FILE));
            }
            self.names.extend(ids.iter().map(|id| (id.clone(), name.clone())));
            places.push(SkillPlace { name, copies });
        }
        places
    }

    fn companions(&mut self, view: &SkillView, item: &ExportItem) -> Vec<(Utf8PathBuf, String)> {
        let folder = item.resource_folder(self.sources);
        if foreign::obstacle(self.files.root(), &folder.join(SKILL_FILE)).is_some() {
            return Vec::new();
        }
        let mut all = companions(self.files, &folder);
        let source = self.source(view);
        let own = folder.join(SKILL_FILE);
        let is_hidden = |path: &Utf8Path| {
            let mut below = path.strip_prefix(&folder).unwrap_or(path).components();
            below.any(|part| part.as_str().starts_with('.'))
        };
        all.retain(|path| *path != own && !is_hidden(path) && source.may_leave(path));
        let mut refused: Vec<(String, &str)> = Vec::new();
        let copies = all.into_iter().filter_map(|path| {
            let to = path.strip_prefix(&folder).ok()?.to_string();
            match names::refusal(&to) {
                Some(why) => refused.push((to, why)),
                None => return Some((path, to)),
            }
            None
        });
        let mut all: Vec<(Utf8PathBuf, String)> = copies.collect();
        while all.len() < MAX_FILES
            && let Some((first, second)) = names::collision(paths(&all))
        {
            let gone = if second == SKILL_FILE { first } else { second };
            all.retain(|(_, to)| *to != gone);
            refused.push((gone, "another file has its name on some systems"));
        }
        for (path, why) in refused {
            let note = format!("`{}` is not published: {why}", Visible(&path));
            self.found.push(export_omitted::RULE.at(item.piece.at, note));
        }
        all
    }

    fn source<'v>(&'v self, view: &'v SkillView) -> ExportSource<'v> {
        let (role_root, homes) = (view.role_root.clone(), self.homes.clone());
        ExportSource { files: self.files, role_root, homes, view: &view.view }
    }

    fn skill(&mut self, view: &SkillView, item: &SkillItem, place: SkillPlace) -> Skill {
        let (id, item) = (&item.ids[0], &item.item);
        let name = place.name;
        let mut body = self.body(view, item, &name);
        if matches!(item.piece.subject, Subject::Role(_)) {
            body += &self.always(view);
        }
        if item.piece.load == Load::Files && !body.is_empty() {
            body = managed::occasion(&item.piece.globs) + &body;
        }
        let body = self.neutral(&body);
        let description = self.description(item, &body);
        let mut front = vec![
            piece::text("name", &name, item.piece.at),
            piece::text("description", &description, item.piece.at),
        ];
        front.extend(self.extra(&item.piece.extra));
        self.report_invocation(id, &item.piece.extra);
        let text = piece::with_front(&config::verbatim(&front), &body);
        let mut files =
            BTreeMap::from([(SKILL_FILE.to_owned(), HashedFile::new(text.into_bytes()))]);
        let mut bytes = 0;
        for (from, to) in place.copies {
            let Some(file) = self.copied(item.piece.at, &from) else { continue };
            bytes += file.bytes.len();
            files.insert(to, file);
            if bytes > MAX_BYTES {
                break;
            }
        }
        let front: Map<String, Value> =
            front.into_iter().map(|entry| (entry.key, entry.value.to_json())).collect();
        Skill { name, description, id: id.clone(), front, files, at: item.piece.at }
    }

    fn copied(&mut self, at: Span, from: &Utf8Path) -> Option<HashedFile> {
        match self.files.read_bytes(from) {
            Ok(bytes) => {
                let file = match std::str::from_utf8(&bytes) {
                    Ok(text) => HashedFile::new(self.neutral(text).into_bytes()),
                    Err(_) => HashedFile::new(bytes),
                };
                let place = self.files.root().join(self.files.place(from));
                Some(HashedFile { is_executable: is_executable(&place), ..file })
            }
            Err(trouble) => {
                let note = format!("`{from}` is not published: {trouble}");
                self.found.push(export_omitted::RULE.at(at, note));
                None
            }
        }
    }

    fn neutral(&self, text: &str) -> String {
        let is_wanted = self.options.neutralize;
        if is_wanted { redact::neutralized(text).into_owned() } else { text.to_owned() }
    }

    fn description(&self, item: &ExportItem, body: &str) -> String {
        let mut piece = ExchangePiece { body: body.to_owned(), ..item.piece.clone() };
        let own = piece.description.map(|text| collapse(&text));
        piece.description = own.filter(|text| !text.is_empty());
        self.neutral(&collapse(&skill_description(&piece)))
    }

    fn report_invocation(&mut self, id: &str, extra: &[Entry]) {
        let is_manual = |entry: &&Entry| entry.key == MANUAL && entry.value.as_bool() == Some(true);
        let note =
            format!("`{id}`: skills have no `disable-model-invocation`, so any client may load it");
        let manual = extra.iter().find(is_manual);
        self.found.extend(manual.map(|entry| export_lost_trigger::RULE.at(entry.key_span, note)));
    }

    fn extra(&self, extra: &[Entry]) -> Vec<Entry> {
        let extra = fields(extra);
        let text = config::verbatim(&extra);
        if self.neutral(&text) == text { extra } else { Vec::new() }
    }

    fn body(&mut self, view: &SkillView, item: &ExportItem, name: &str) -> String {
        let mut lost: BTreeSet<(Span, Utf8PathBuf)> = BTreeSet::new();
        let source = self.source(view);
        let changes = links::changes(self.sources, &item.lines, &mut |span, destination| {
            let targets = source.targets(self.sources.original_path(span.file), destination);
            let known = targets.iter().find_map(|target| self.moved.get(target));
            if known.is_none() {
                let is_there = targets.iter().find(|target| self.files.exists(target));
                lost.extend(is_there.map(|target| (span, target.clone())));
            }
            known.map(|to| links::relative(Utf8Path::new(name), to))
        });
        let text = piece::tidy(&links::join(self.sources, &item.lines, &changes));
        let id = &item.piece.subject;
        for (span, path) in lost {
            let note = format!("`{id}` links to `{path}`, which is not published");
            let found = export_omitted::RULE.at(span, note);
            self.found.push(found.help("move it into the folder of the context, or drop the link"));
        }
        text
    }

    fn always(&self, view: &SkillView) -> String {
        let known = |ids: &[String; 2]| ids.iter().find_map(|id| self.names.get(id));
        let names: BTreeSet<String> =
            view.always.iter().filter_map(known).map(|name| format!("`{name}`")).collect();
        let names: Vec<String> = names.into_iter().collect();
        match &*names {
            [] => String::new(),
            names => format!("\nThese skills always apply: {}.\n", names.join(", ")),
        }
    }
}

fn paths(copies: &[(Utf8PathBuf, String)]) -> impl Iterator<Item = &str> {
    std::iter::once(SKILL_FILE).chain(copies.iter().map(|(_, to)| to.as_str()))
}
