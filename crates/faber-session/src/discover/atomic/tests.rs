use super::*;

fn workspace() -> (tempfile::TempDir, Utf8PathBuf, Writer) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().join("w")).unwrap();
    std::fs::create_dir_all(root.join("contexts")).unwrap();
    std::fs::create_dir_all(root.join("../outside")).unwrap();
    let writer = Writer::new(&root);
    (folder, root, writer)
}

fn names(folder: &Utf8Path) -> Vec<String> {
    let entries = folder.read_dir_utf8().unwrap().map(|it| it.unwrap().file_name().to_owned());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_only_as_it_was_known() {
    let (_folder, root, writer) = workspace();
    let path = root.join("contexts/a.md");
    let text = || std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "other").unwrap();
    assert_eq!(writer.replace_if(&path, "old", "new").unwrap(), Replaced::Changed);
    let error = Replaced::Changed.written(Utf8Path::new("a.md")).unwrap_err();
    assert_eq!(error.to_string(), "`a.md` is not written: it was changed in the meantime");
    assert!(Replaced::Done.written(&path).is_ok());
    assert_eq!(text(), "other");
    assert_eq!(writer.replace_if(&path, "other", "new").unwrap(), Replaced::Done);
    assert_eq!(text(), "new");
    assert_eq!(writer.replace_if(&path, "other", "new").unwrap(), Replaced::Done);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    assert_eq!(writer.replace_if(&path, "new", "newer").unwrap(), Replaced::ReadOnly);
    let refused = [writer.replace(&path, "newer"), writer.replace_by_copy(&path, &path)];
    for refused in refused {
        let message = refused.unwrap_err().to_string();
        assert_eq!(message, "`contexts/a.md` is not written: it is read-only");
    }
    assert_eq!(text(), "new");
    assert_eq!(names(&root.join("contexts")), ["a.md"], "nothing is left behind");
    let other = path.with_file_name("b.md");
    assert_eq!(writer.replace_if(&other, "", "x").unwrap(), Replaced::Changed);
}

#[test]
fn leftovers_of_killed_processes_are_removed_and_nothing_else() {
    let (_folder, root, writer) = workspace();
    let folder = root.join("contexts");
    let others = [".faber-backup", ".faber-a.tmp", ".faber-abc-ef.tmp", "faber-abcdef.tmp"];
    for name in others.iter().chain(&[".faber-abcDE1.tmp"]) {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    std::fs::create_dir(folder.join(".faber-folder.tmp")).unwrap();
    let working = unfinished(&folder, Permissions::Usual).unwrap();
    writer.create("contexts/a.md".into(), "a").unwrap();
    assert!(!folder.join(".faber-abcDE1.tmp").exists());
    assert!(working.path().exists(), "another process works on it");
    assert_eq!(names(&folder).len(), others.len() + 3, "{:?}", names(&folder));
}

#[cfg(unix)]
#[test]
fn a_private_file_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, root, writer) = workspace();
    let path = root.join("history/a.md");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    writer.create_private(&path, "a").unwrap();
    assert_eq!(mode(), 0o600);
    assert_eq!(writer.replace_if(&path, "a", "b").unwrap(), Replaced::Done);
    assert_eq!(mode(), 0o600, "it stays so");
    assert!(writer.create_private(&path, "c").is_err(), "something is there");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, root, writer) = workspace();
    let path = root.join("contexts/a.md");
    std::fs::write(&path, "0").unwrap();
    for (mode, text) in [(0o666, "1"), (0o775, "2"), (0o600, "3")] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        writer.replace(&path, text).unwrap();
        assert_eq!(writer.replace_if(&path, text, "new").unwrap(), Replaced::Done);
        let found = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode);
    }
}

#[cfg(unix)]
#[test]
fn an_identical_file_is_not_touched() {
    use std::os::unix::fs::MetadataExt;
    let (_folder, root, writer) = workspace();
    let path = root.join("bundle.md");
    writer.replace(&path, "a").unwrap();
    let inode = || std::fs::metadata(&path).unwrap().ino();
    let before = inode();
    writer.replace(&path, "a").unwrap();
    assert_eq!(inode(), before);
    writer.replace(&path, "b").unwrap();
    assert_ne!(inode(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_that_takes_the_place_of_a_folder_is_not_followed() {
    let (_folder, root, writer) = workspace();
    let (contexts, outside) = (root.join("contexts"), root.join("../outside"));
    let place = Place::pin_folder(&contexts.join("a.md")).unwrap();
    std::fs::rename(&contexts, root.join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &contexts).unwrap();
    let file = writer.written(&place, Permissions::Usual, b"x").unwrap();
    file.persist(&place.path).unwrap();
    assert_eq!(names(&root.join("moved")), ["a.md"]);
    assert!(names(&outside).is_empty());
    let late = Place::pin_folder(&contexts.join("a.md")).err().unwrap();
    assert_eq!(late.to_string(), "its directory was replaced by a link meanwhile");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_that_leaves_the_workspace() {
    use std::os::unix::fs::symlink;
    let (_folder, root, writer) = workspace();
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    std::fs::write(root.join("../outside/there.md"), "old").unwrap();
    symlink("../outside", root.join("away")).unwrap();
    symlink("../outside/there.md", root.join("there.md")).unwrap();
    symlink("../outside/new/new.md", root.join("new.md")).unwrap();
    symlink(".git/hooks", root.join("hooks")).unwrap();
    symlink("contexts", root.join("here")).unwrap();
    let outside = ["away/x.md", "away/../x.md", "away/y/x.md", "there.md", "new.md", "hooks/x"];
    for path in outside {
        let path = root.join(path);
        let refused = writer.replace(&path, "x").unwrap_err().to_string();
        assert!(refused.starts_with("a link in the path of `"), "{refused}");
        assert!(writer.replace_if(&path, "old", "x").is_err(), "{path}");
    }
    for path in ["away/x.md", "away/y/x.md", "hooks/x"] {
        let created = writer.create(path.into(), "x").unwrap_err().to_string();
        let copied = writer.copy(&root.join("there.md"), path.into()).unwrap_err().to_string();
        for refused in [created, copied] {
            assert!(refused.starts_with("a link in the path of `"), "{refused}");
        }
    }
    assert!(writer.create("new.md".into(), "x").is_err(), "something is there");
    assert!(writer.remove("away/there.md".into()).is_err());
    assert_eq!(names(&root.join("../outside")), ["there.md"]);
    assert_eq!(std::fs::read_to_string(root.join("there.md")).unwrap(), "old");
    assert!(names(&root.join(".git/hooks")).is_empty());
    writer.create("here/x.md".into(), "x").unwrap();
    writer.remove("there.md".into()).unwrap();
    assert_eq!(names(&root.join("../outside")), ["there.md"], "the link was removed");
    writer.replace(&root.join("../outside/user.md"), "x").unwrap();
    assert_eq!(names(&root.join("../outside")), ["there.md", "user.md"]);
}
