//! Message formatting.

use similar::TextDiff;

pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Empty if equal.
pub fn unified_diff(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let changes = TextDiff::from_lines(old, new);
    changes.unified_diff().context_radius(3).header(old_name, new_name).to_string()
}
