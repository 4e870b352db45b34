use super::client::Client;
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
