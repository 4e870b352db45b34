use super::*;

struct Repository {
    _folder: tempfile::TempDir,
    home: Utf8PathBuf,
    tree: Utf8PathBuf,
}

impl Repository {
    fn new(more: &[&str]) -> Option<Self> {
        let (folder, home) = crate::testing::folder();
        let tree = home.join("tree");
        std::fs::create_dir(&tree).unwrap();
        let repository = Self { _folder: folder, home, tree };
        let init = [&["init", "-q", "-b", "main"], more].concat();
        Command::new("git").arg("--version").output().ok()?;
        repository.git(&init);
        Some(repository)
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=N", "-c", "user.email=n@pelican.example"]);
        git.args(["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"]);
        let output = git.args(arguments).current_dir(&self.tree).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    fn commit(&self) {
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", "x"]);
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn changed(&self) -> Vec<String> {
        changed(&self.tree, "HEAD").unwrap()
    }
}

#[test]
fn files_differ_by_content_alone() {
    for format in ["sha1", "sha256"] {
        let Some(repository) = Repository::new(&["--object-format", format]) else { return };
        let size = CHUNK * 2 + 1;
        let large = "a\r\n".repeat(CHUNK);
        for (path, text) in [
            ("same.md", "a\n"),
            ("edited.md", "a\n"),
            ("gone.md", "a\n"),
            ("windows.md", "a\nb\rb\nc\r"),
            ("large.md", large.as_str()),
            (":(top)*", "a"),
            (".gitignore", "*.log\nforced.txt\n"),
            ("sub/below.md", "a"),
            ("sub/x y.md", "a"),
        ] {
            repository.file(path, text);
        }
        let content = crate::hex::sha256("x".repeat(size));
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:";
        repository.file("picture.png", &format!("{pointer}{content}\nsize {size}\n"));
        repository.commit();
        assert!(repository.changed().is_empty());
        repository.file("same.md", "a\n");
        repository.file("windows.md", "a\r\nb\rb\r\nc\r");
        repository.file("picture.png", &"x".repeat(size));
        assert!(repository.changed().is_empty(), "{:?}", repository.changed());
        repository.file("edited.md", "b\n");
        std::fs::remove_file(repository.tree.join("gone.md")).unwrap();
        repository.file("sub/below.md", "b");
        repository.file("new.md", "a");
        repository.file("ignored.log", "a");
        repository.file("forced.txt", "a");
        repository.git(&["add", "-f", "forced.txt"]);
        repository.file("large.md", &large.replacen('a', "b", 1));
        let differing =
            ["edited.md", "forced.txt", "gone.md", "large.md", "new.md", "sub/below.md"];
        assert_eq!(repository.changed(), differing, "{format}");
        assert_eq!(changed(&repository.tree.join("sub"), "HEAD").unwrap(), ["below.md"]);
        let other = repository.home.join("other");
        repository.git(&["worktree", "add", "-q", other.as_str()]);
        assert_eq!(changed(&other, "main").unwrap(), Vec::<String>::new());
    }
}

#[test]
fn a_revision_is_one_commit() {
    let Some(repository) = Repository::new(&[]) else { return };
    let fails = |revision: &str| changed(&repository.tree, revision).unwrap_err().to_string();
    repository.file("a.md", "a");
    assert_eq!(changed(&repository.tree, "HEAD").unwrap(), ["a.md"]);
    assert!(removed(&repository.tree, "HEAD").unwrap().is_empty());
    assert_eq!(fails("HEAD~1"), "unknown git revision `HEAD~1`");
    repository.commit();
    repository.git(&["tag", "-a", "v1", "-m", "x"]);
    repository.file("a.md", "b");
    repository.commit();
    assert_eq!(changed(&repository.tree, "v1").unwrap(), ["a.md"]);
    assert!(changed(&repository.tree, "main").unwrap().is_empty());
    for bad in ["", "--all", "v1..main", "none", "-c core.pager=x"] {
        assert_eq!(fails(bad), format!("unknown git revision `{bad}`"));
    }
    assert_eq!(
        changed(&repository.home, "HEAD").unwrap_err().to_string(),
        format!("`{}` is not in a git repository", repository.home)
    );
}

#[test]
fn files_that_a_sparse_checkout_leaves_out_are_not_changed() {
    let Some(repository) = Repository::new(&[]) else { return };
    repository.file("in/a.md", "a");
    repository.file("out/b.md", "a");
    repository.commit();
    repository.git(&["sparse-checkout", "set", "--sparse-index", "in"]);
    assert!(!repository.tree.join("out").exists());
    assert!(repository.changed().is_empty());
}

#[cfg(unix)]
fn trap(repository: &Repository, name: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = repository.home.join(name);
    let mark = repository.home.join("ran").join(name);
    std::fs::create_dir_all(mark.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\ntouch '{mark}'\ncat\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.into_string()
}

#[cfg(unix)]
fn ran(repository: &Repository) -> Vec<String> {
    let entries = std::fs::read_dir(repository.home.join("ran")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(unix)]
fn set_traps(repository: &Repository, prefix: &str) {
    for key in [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "core.fsmonitor",
        "core.pager",
        "pager.ls-files",
        "pager.ls-tree",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "credential.helper",
        "gpg.program",
        "remote.origin.uploadpack",
        "uploadpack.packObjectsHook",
        "merge.x.driver",
    ] {
        let name = format!("{prefix}{key}");
        repository.git(&["config", key, &trap(repository, &name)]);
    }
    for alias in ["ls-files", "ls-tree", "rev-parse"] {
        let command = format!("!{}", trap(repository, &format!("{prefix}alias-{alias}")));
        repository.git(&["config", &format!("alias.{alias}"), &command]);
    }
    let hooks = repository.home.join(format!("{prefix}hooks"));
    std::fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "reference-transaction", "pre-auto-gc"] {
        std::fs::rename(trap(repository, hook), hooks.join(hook)).unwrap();
    }
    repository.git(&["config", "core.hooksPath", hooks.as_str()]);
    repository.git(&["config", "filter.x.required", "true"]);
}

#[cfg(unix)]
#[test]
fn no_program_of_a_repository_runs() {
    let Some(repository) = Repository::new(&[]) else { return };
    repository.file(".gitattributes", "* filter=x diff=x merge=x\n");
    repository.file("a.md", "a");
    repository.file("b.md", "a");
    repository.commit();
    std::fs::write(repository.tree.join(".git/info/attributes"), "* filter=x\n").unwrap();
    set_traps(&repository, "");
    repository.file("a.md", "b");
    assert_eq!(repository.changed(), ["a.md"]);
    assert_eq!(ran(&repository), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn missing_objects_are_not_fetched() {
    let Some(repository) = Repository::new(&[]) else { return };
    repository.file("sub/a.md", "a");
    repository.commit();
    let origin = repository.home.join("origin");
    repository.git(&["clone", "-q", "--bare", ".", origin.as_str()]);
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", origin.as_str()),
    ] {
        repository.git(&["config", key, value]);
    }
    set_traps(&repository, "");
    let tree = Git::around(&repository.tree).unwrap().output(&["rev-parse", "HEAD:sub"]).unwrap();
    let tree = String::from_utf8(tree).unwrap();
    let objects = repository.tree.join(".git/objects");
    std::fs::remove_file(objects.join(&tree[..2]).join(tree[2..].trim())).unwrap();
    assert!(changed(&repository.tree, "HEAD").unwrap_err().to_string().contains("git ls-tree"));
    let git = Git::around(&repository.tree).unwrap();
    let arguments = ["ls-tree", "-r", "HEAD"];
    let old = git.command(&arguments).env_remove("GIT_NO_LAZY_FETCH").output().unwrap();
    assert!(!old.status.success());
    assert_eq!(ran(&repository), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_repository_within_a_clone_is_a_folder() {
    let Some(repository) = Repository::new(&[]) else { return };
    let pack = repository.tree.join("pack");
    repository.file("pack/a.md", "a");
    repository.file("pack/.gitattributes", "* filter=x\n");
    for name in ["objects/.keep", "refs/.keep"] {
        repository.file(&format!("pack/{name}"), "");
    }
    repository.file("pack/HEAD", "ref: refs/heads/main\n");
    let clean = trap(&repository, "clean");
    let config = format!(
        "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = {clean}\n\
         [filter \"x\"]\nclean = {clean}\n"
    );
    repository.file("pack/config", &config);
    repository.commit();
    repository.file("pack/a.md", "b");
    assert_eq!(changed(&pack, "HEAD").unwrap(), ["a.md"]);
    std::fs::remove_dir_all(repository.tree.join(".git")).unwrap();
    assert!(changed(&pack, "HEAD").unwrap_err().to_string().contains("not in a git repository"));
    std::fs::create_dir(pack.join(".git")).unwrap();
    assert!(changed(&pack, "HEAD").is_err());
    assert_eq!(ran(&repository), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn neither_settings_nor_links_lead_out_of_the_working_tree() {
    let Some(repository) = Repository::new(&[]) else { return };
    repository.file("a.md", "a");
    repository.file("deep/b.md", "b");
    repository.file("link", "");
    std::fs::remove_file(repository.tree.join("link")).unwrap();
    std::os::unix::fs::symlink("a.md", repository.tree.join("link")).unwrap();
    repository.commit();
    assert!(repository.changed().is_empty());
    let outside = repository.home.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("b.md"), "b").unwrap();
    std::fs::write(outside.join("secret.md"), "x").unwrap();
    std::fs::remove_dir_all(repository.tree.join("deep")).unwrap();
    std::os::unix::fs::symlink(&outside, repository.tree.join("deep")).unwrap();
    assert_eq!(repository.changed(), ["deep", "deep/b.md"]);
    repository.git(&["config", "core.worktree", outside.as_str()]);
    assert_eq!(repository.changed(), ["deep", "deep/b.md"]);
}

#[cfg(unix)]
#[test]
fn submodules_are_left_alone() {
    let Some(inner) = Repository::new(&[]) else { return };
    inner.file("a.md", "a");
    inner.commit();
    let repository = Repository::new(&[]).unwrap();
    repository.git(&["submodule", "--quiet", "add", inner.tree.as_str(), "sub"]);
    repository.commit();
    let clean = trap(&repository, "clean");
    let config = repository.tree.join(".git/modules/sub/config");
    let text = std::fs::read_to_string(&config).unwrap();
    let more = format!("fsmonitor = {clean}\n[filter \"x\"]\nclean = {clean}\n");
    std::fs::write(config, text + &more).unwrap();
    repository.file("sub/.gitattributes", "* filter=x\n");
    repository.file("sub/a.md", "b");
    assert!(repository.changed().is_empty());
    assert_eq!(ran(&repository), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_git_that_does_not_end_is_ended() {
    let Some(repository) = Repository::new(&[]) else { return };
    repository.file("a.md", "a\n");
    repository.commit();
    let config = repository.tree.join(".git/config");
    std::fs::remove_file(&config).unwrap();
    if !Command::new("mkfifo").arg(&config).status().is_ok_and(|status| status.success()) {
        return;
    }
    let mut git = Git::around(&repository.tree).unwrap();
    git.timeout = Duration::from_millis(300);
    let error = git.output(&["ls-files"]).unwrap_err().to_string();
    assert!(error.contains("it did not end within"), "{error}");
}
