use std::sync::OnceLock;

use crate::caches::Caches;
use crate::discover::cache::Cache;
use crate::discover::files::Files;
use crate::discover::{locked, summarizer};
use crate::settings::Settings;

const SUMMARIES: &str = "summaries";

pub(crate) struct Summarizer<'a> {
    files: &'a Files,
    settings: &'a Settings,
    cache: OnceLock<Option<Cache>>,
    caches: &'a Caches,
}

impl<'a> Summarizer<'a> {
    pub(crate) fn new(files: &'a Files, caches: &'a Caches, settings: &'a Settings) -> Self {
        Self { files, settings, cache: OnceLock::new(), caches }
    }

    pub(crate) fn answer(&self, command: &str, text: &str) -> Result<String, String> {
        let name = name(command, text);
        let answers = || locked(&self.caches.summaries);
        if let Some(known) = answers().get(&name) {
            return Ok(known.clone());
        }
        let home = self.settings.cache.as_deref();
        let open = || Cache::open(self.files.root(), home?, SUMMARIES);
        let cache = self.cache.get_or_init(open).as_ref();
        let kept = cache.and_then(|cache| cache.read(&name));
        let answer = if let Some(kept) = kept.and_then(|kept| String::from_utf8(kept).ok()) {
            kept
        } else {
            let answer = summarizer::ask(command, text)
                .inspect_err(|_| self.files.recorder().mark_uncacheable())?;
            if let Some(cache) = cache {
                cache.write(&name, answer.as_bytes());
                cache.trim(SUMMARIES);
            }
            answer
        };
        answers().insert(name, answer.clone());
        Ok(answer)
    }
}

fn name(command: &str, text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(command.as_bytes()).update(&[0]).update(text.as_bytes());
    format!("{SUMMARIES}/{}", &hasher.finalize().to_hex()[..32])
}
