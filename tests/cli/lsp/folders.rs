use serde_json::{Value, json};

use super::client::{Client, hello};
use crate::project::TestProject;

#[test]
fn a_folder_may_become_a_workspace() {
    let project = TestProject::empty();
    let mut client = Client::start(&project);
    let (path, text) = ("contexts/standards/standards-a.md", "# A\n\nSee [b](#lost).\n");
    let other = "contexts/standards/standards-b.md";
    let _project = project.dir(".faber").file(path, text).file(other, "# B\n");
    client.open(other, "# B\n");
    client.wait_for(path, "dead-anchor", true);
    client.close(other);
    client.open(path, text);
    client.settle(path);
    assert_eq!(client.rules(path), [("dead-anchor".to_owned(), 2)]);
    client.close(path);
    client.open(other, "# B\n");
    client.settle(other);
    assert_eq!(client.rules(path), [("dead-anchor".to_owned(), 2)], "its folder is open");
}

const STANDARD: &str = "contexts/standards/standards-soup.md";

fn two_workspaces() -> TestProject {
    let project = TestProject::empty().dir("a/.faber").dir("b/.faber");
    let soup = "# Soup\n\nSalt last.\n";
    project.file(&format!("a/{STANDARD}"), soup).file(&format!("b/{STANDARD}"), soup)
}

fn start_in(project: &TestProject, folders: &[&str]) -> Client {
    let mut client = Client::silent(project);
    let mut params = hello(&client.uri(folders[0]));
    let folder = |path: &&str| json!({ "uri": client.uri(path), "name": path });
    params["workspaceFolders"] = folders.iter().map(folder).collect();
    client.ask("initialize", params);
    client.notify("initialized", json!({}));
    client
}

fn symbols(client: &mut Client, query: &str) -> Vec<Value> {
    let found = client.ask("workspace/symbol", json!({ "query": query }));
    found.as_array().unwrap().clone()
}

#[test]
fn a_workspace_that_is_gone_hides_no_other() {
    let project = two_workspaces();
    let mut client = start_in(&project, &["a", "b"]);
    assert_eq!(symbols(&mut client, "soup").len(), 2);
    std::fs::remove_dir_all(project.path("b/.faber")).unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(symbols(&mut client, "soup").len(), 1);
    std::fs::create_dir(project.path("b/.faber")).unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(symbols(&mut client, "soup").len(), 2);
}

#[test]
fn a_folder_of_a_workspace_may_become_one() {
    let project = TestProject::empty()
        .dir(".faber")
        .file(&format!("sub/{STANDARD}"), "# Soup\n\nSee [salt](#salt).\n");
    let mut client = start_in(&project, &["sub"]);
    assert_eq!(symbols(&mut client, "soup").len(), 0);
    std::fs::create_dir(project.path("sub/.faber")).unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    client.wait_for(&format!("sub/{STANDARD}"), "dead-anchor", true);
    assert_eq!(symbols(&mut client, "soup").len(), 1);
}

#[cfg(unix)]
#[test]
fn of_one_file_at_two_addresses_the_last_edit_counts() {
    let project = TestProject::empty()
        .dir("real/.faber")
        .file(&format!("real/{STANDARD}"), "# Soup\n")
        .symlink("link", "real");
    let mut client = start_in(&project, &["real"]);
    let (link, real) = (format!("link/{STANDARD}"), format!("real/{STANDARD}"));
    let wrong = "# Soup\n\nSee [salt](#salt).\n";
    client.open(&real, "# Soup\n");
    client.open(&link, wrong);
    client.wait_for(&link, "dead-anchor", true);
    client.change(&real, None, "# Broth\n");
    client.wait_for(&link, "dead-anchor", false);
    client.change(&link, None, wrong);
    client.wait_for(&link, "dead-anchor", true);
}
