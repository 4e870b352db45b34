use camino::Utf8Path;

use super::layout::PublishedFiles;
use super::skill::Skill;
use faber_core::assemble::insecure::{Severities, errors_in};
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::security;
use faber_core::source::Span;

/// # Errors
///
/// [`Error::Usage`] beyond the limits of clients.
pub fn limits(skills: &[Skill]) -> Result<(), Error> {
    match skills.iter().find_map(|skill| Some((skill, skill.excess()?))) {
        None => Ok(()),
        Some((skill, excess)) => Err(Error::usage(
            format!("the skill `{}` has {excess}", skill.name),
            "move what the agent does not need out of the folder of the context",
        )),
    }
}

pub fn insecure(
    skills: &[Skill],
    files: &PublishedFiles,
    config: Span,
    severities: Severities<'_>,
) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    let mut check = |at: Span, name: &str, path: &str, bytes: &[u8]| {
        let mut found = match std::str::from_utf8(bytes) {
            Ok(text) => errors_in(at, &format!("{path}\n{text}"), severities),
            Err(_) => secrets(at, bytes),
        };
        for found in &mut found {
            found.message = format!("`{name}`: {}", found.message);
        }
        all.append(&mut found);
    };
    for skill in skills {
        for (path, file) in &skill.files {
            check(skill.at, &format!("skills/{}/{path}", skill.name), path, &file.bytes);
        }
    }
    let is_manifest = |path: &Utf8Path| path.extension() == Some("json");
    let own = files.iter().filter(|(path, _)| {
        is_manifest(path) && !path.components().any(|part| part.as_str() == "skills")
    });
    for (path, file) in own {
        check(config, path.as_str(), "", &file.bytes);
    }
    all
}

fn secrets(at: Span, bytes: &[u8]) -> Vec<Diagnostic> {
    let text: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let found = security::secrets(at.file, &String::from_utf8_lossy(&text));
    let mut found: Vec<Diagnostic> = found.into_iter().take(1).collect();
    for found in &mut found {
        found.primary.span = at;
        found.related.clear();
        found.fix.clear();
    }
    found
}
