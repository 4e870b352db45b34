//! Built-in templates.

type Template = (&'static str, &'static str);

macro_rules! templates {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../../templates/", $path)))),*]
    };
}

pub(crate) const TEMPLATES: &[Template] = templates! {
    "import/.faber/config.yml"
    "import/roles/assistant/README.md"
    "import/roles/assistant/agent.yml"
    "import/roles/assistant/prompt.md"
    "import/roles/assistant/tasks/answer.md"
    "new/context/pattern.md"
    "new/context/platform.md"
    "new/context/playbook.md"
    "new/context/reference.md"
    "new/context/specialist.md"
    "new/context/standard.md"
    "new/context/troubleshooting.md"
    "new/flow.md"
    "new/overlay.md"
    "new/platform.md"
    "new/role/README.md"
    "new/role/agent.yml"
    "new/role/prompt.md"
    "new/role/tasks/example.md"
    "new/task.md"
    "workspaces/default/.faber/config.yml"
    "workspaces/default/contexts/specialists/specialist-planning.md"
    "workspaces/default/contexts/specialists/specialist-review.md"
    "workspaces/default/contexts/standards/standards-answers.md"
    "workspaces/default/contexts/standards/standards-changes.md"
    "workspaces/default/contexts/troubleshooting/troubleshooting-failed-commands.md"
    "workspaces/default/roles/assistant/README.md"
    "workspaces/default/roles/assistant/agent.yml"
    "workspaces/default/roles/assistant/prompt.md"
    "workspaces/default/roles/assistant/tasks/change.md"
    "workspaces/default/roles/assistant/tasks/explain.md"
    "workspaces/default/tests/requests.yml"
    "workspaces/minimal/.faber/config.yml"
    "workspaces/minimal/roles/assistant/README.md"
    "workspaces/minimal/roles/assistant/agent.yml"
    "workspaces/minimal/roles/assistant/prompt.md"
    "workspaces/minimal/roles/assistant/tasks/answer.md"
    "workspaces/minimal/tests/requests.yml"
};

pub(crate) fn below(folder: &str) -> Vec<Template> {
    let rest = |path: &'static str| path.strip_prefix(folder)?.strip_prefix('/');
    TEMPLATES.iter().filter_map(|&(path, text)| Some((rest(path)?, text))).collect()
}

pub(crate) fn sample(path: &str) -> Option<&'static str> {
    below("workspaces/default")
        .into_iter()
        .find_map(|(known, text)| (known == path).then_some(text))
}

pub(crate) fn folders(folder: &str) -> Vec<&'static str> {
    let mut names: Vec<&str> =
        below(folder).into_iter().filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
    names.dedup();
    names
}

pub(crate) fn fill(text: &str, name: &str) -> String {
    text.replace("{{name}}", name).replace("{{title}}", &title(name))
}

fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        let mut found: Vec<String> = walkdir::WalkDir::new(root)
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                entry.path().strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/")
            })
            .collect();
        found.sort();
        let built_in: Vec<&str> = TEMPLATES.iter().map(|&(path, _)| path).collect();
        assert_eq!(built_in, found);
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(fill("# {{title}} ({{name}})", "code-review"), "# Code review (code-review)");
        assert_eq!(folders("workspaces"), ["default", "minimal"]);
    }
}
