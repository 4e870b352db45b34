//! Notes by commands, server and hooks.

mod agents;
mod decide;
mod extract;
mod remember;

use crate::project::TestProject;

fn project() -> TestProject {
    TestProject::with_role()
        .file(
            "contexts/standards/standard-tokens.md",
            "---\ndescription: Tokens\n---\n# Tokens\n\nAccess tokens expire after 30 minutes. Use npm to install packages.\n",
        )
        .file(
            "contexts/references/reference-salaries.md",
            "---\ngroups: [board]\n---\n# Salaries\n\nSalaries are paid on the first of the month.\n",
        )
        .env("FABER_ACCESS_USER", "ann")
}

impl TestProject {
    #[track_caller]
    fn note(&self, arguments: &[&str]) -> String {
        let id = self.stdout(&[&["remember", "--at", "2026-03-01"], arguments].concat());
        id.trim_end().to_owned()
    }

    fn note_file(&self, id: &str) -> String {
        self.text(&format!(".faber/{id}.md"))
    }

    fn history(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(".faber/history")) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
