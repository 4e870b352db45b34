use std::collections::BTreeMap;

use crate::discover::archive::unpack;
use crate::discover::git::remote::FetchedPack;
use crate::discover::http;
use crate::discover::pack_store::{PackFile, PackFiles};
use crate::hex::sha256;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs::lock::listing;
use faber_core::packs::names::{self, MAX_BYTES, MAX_FILES};
use faber_core::packs::skills::{IndexedSkill, SkillForm, index_url, read_index};
use faber_core::world::MAX_FILE_BYTES;

const MAX_INDEX_BYTES: u64 = 1024 * 1024;

pub(super) struct SkillIndex {
    pub digest: String,
    url: String,
    skills: Vec<IndexedSkill>,
}

impl SkillIndex {
    pub(super) fn fetch(site: &str) -> Result<Self, Error> {
        let url = index_url(site);
        let bytes = http::get(&url, MAX_INDEX_BYTES)?;
        let skills = read_index(&bytes, &url).map_err(|why| refused(&url, &why))?;
        Ok(Self { digest: sha256(&bytes), url, skills })
    }

    /// The hash of the index is the commit.
    pub(super) fn files(&self) -> Result<FetchedPack, Error> {
        let (mut files, mut left) = (BTreeMap::new(), MAX_BYTES);
        for skill in &self.skills {
            for (path, file) in fetch(skill, left)? {
                let path = format!("skills/{}/{path}", skill.name);
                if let Some(why) = names::refusal(&path) {
                    return Err(refused(&skill.url, &format!("`{path}`: {why}")));
                }
                left = left.checked_sub(file.bytes.len() as u64).ok_or_else(|| {
                    let most = MAX_BYTES / 1024 / 1024;
                    refused(&self.url, &format!("its skills have more than {most} MiB"))
                })?;
                files.insert(path, file);
            }
        }
        if files.len() > MAX_FILES {
            let why = format!("its skills have more than {MAX_FILES} files");
            return Err(refused(&self.url, &why));
        }
        if let Some((one, other)) = names::collision(files.keys().map(String::as_str)) {
            let why = format!("`{one}` and `{other}` are one name on some systems");
            return Err(refused(&self.url, &why));
        }
        let hashes = files.iter().map(|(path, file)| (path.clone(), sha256(&file.bytes)));
        let tree = sha256(listing(&hashes.collect()));
        Ok(FetchedPack { commit: self.digest.clone(), tree, files, links: Vec::new() })
    }
}

fn fetch(skill: &IndexedSkill, left: u64) -> Result<PackFiles, Error> {
    let most = if skill.form == SkillForm::Text { left.min(MAX_FILE_BYTES) } else { left };
    let bytes = http::get(&skill.url, most)?;
    if sha256(&bytes) != skill.digest {
        let message = format!(
            "`{}` does not match the index: the digest of the skill `{}` differs",
            skill.url, skill.name
        );
        return Err(Error::usage(message, "ask who publishes it; nothing was changed"));
    }
    if skill.form == SkillForm::Text {
        let file = PackFile { bytes, is_executable: false };
        return Ok([("SKILL.md".to_owned(), file)].into());
    }
    let files = unpack(&bytes, left).map_err(|why| refused(&skill.url, &why))?;
    if !files.contains_key("SKILL.md") {
        return Err(refused(&skill.url, "it has no `SKILL.md` at its root"));
    }
    Ok(files)
}

fn refused(url: &str, why: &str) -> Error {
    let message = format!("`{url}` is refused: {}", Visible(why));
    Error::usage(message, "ask who publishes it; nothing was changed")
}
