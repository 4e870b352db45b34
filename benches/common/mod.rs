//! Workspaces for benchmarks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(crate) const FABER: &str = env!("CARGO_BIN_EXE_faber");

pub(crate) fn markdown_files(workspace: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(workspace)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    files
}

/// Contexts and paragraphs each, as in real collections.
pub(crate) fn make_all(folder: &Path) -> Vec<PathBuf> {
    let sizes = [("small", 68, 16), ("full", 993, 18), ("huge", 8307, 4)];
    sizes.map(|(name, contexts, paragraphs)| make(&folder.join(name), contexts, paragraphs)).into()
}

fn make(root: &Path, contexts: usize, paragraphs: usize) -> PathBuf {
    const FOLDERS: [&str; 5] =
        ["specialists", "standards", "playbooks", "references", "troubleshooting"];
    let write = |path: String, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("roles/engineer/prompt.md".to_owned(), "# Engineer\n\nYou keep services running.\n");
    write(".faber/config.yml".to_owned(), "settings:\n  role: engineer\n");
    let mut dice = Dice(1);
    for at in 0..contexts {
        let subject = dice.word();
        let mut text = format!(
            "---\ndescription: How to {} a {subject}\nkeywords: [{subject}, {}]\n---\n# {subject} {at}\n",
            dice.word(),
            dice.word()
        );
        for part in 0..paragraphs {
            let _ = write!(text, "\n## {} {part}\n\n", dice.word());
            for _ in 0..4 {
                let sentence: Vec<&str> = (0..12).map(|_| dice.word()).collect();
                let _ = writeln!(text, "- {}.", sentence.join(" "));
            }
        }
        write(format!("contexts/{}/{subject}-{at}.md", FOLDERS[at % FOLDERS.len()]), &text);
    }
    root.to_owned()
}

/// A linear congruential generator (Knuth's MMIX).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let upper = u128::from(self.0 >> 32) * (end as u128);
        usize::try_from(upper >> 32).expect("it is below `end`")
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 32] = [
            "review",
            "deploy",
            "kubernetes",
            "cluster",
            "database",
            "security",
            "service",
            "monitor",
            "alert",
            "pipeline",
            "rollback",
            "certificate",
            "request",
            "latency",
            "replica",
            "schema",
            "secret",
            "network",
            "storage",
            "backup",
            "restore",
            "incident",
            "timeout",
            "cache",
            "queue",
            "token",
            "policy",
            "branch",
            "release",
            "container",
            "proxy",
            "volume",
        ];
        WORDS[self.roll(WORDS.len())]
    }
}
