//! Errors that clients see.

use super::*;

#[cfg(unix)]
#[test]
fn a_file_name_is_one_line() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-evil\nx.md", "# T \u{202e} evil\n\nText zeb.\n");
    let run = project.run(&["assemble", "--request", "zeb"]);
    run.refused(2, &["bidi-control at contexts/standards/standards-evil\\nx.md:1"]);
    let mut session = Session::start(&project, &[]);
    let refused = session.call("assemble_prompt", &json!({"request": "zeb"}));
    let said = text(&refused);
    assert!(said.contains("bidi-control at contexts/standards/standards-evil\\nx.md:1"), "{said}");
}
