use std::collections::BTreeSet;

/// Paths from the repository root, if `text` is a diff or git output.
pub(crate) fn files(text: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut lines = text.lines().map(|line| line.trim_end_matches('\r')).peekable();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if !begins(first) {
        return files;
    }
    while let Some(line) = lines.next() {
        if let Some(both) = line.strip_prefix("diff --git ") {
            files.extend(unchanged_name(both));
        }
        for mark in ["rename from ", "rename to ", "copy from ", "copy to "] {
            files.extend(line.strip_prefix(mark).map(unquoted));
        }
        let (Some(old), Some(new)) =
            (line.strip_prefix("--- "), lines.peek().and_then(|next| next.strip_prefix("+++ ")))
        else {
            continue;
        };
        lines.next();
        if !lines.peek().is_some_and(|next| next.starts_with("@@")) {
            continue;
        }
        let [old, new] = [old, new].map(|path| unquoted(path.split('\t').next().unwrap_or(path)));
        files.extend(without_prefixes(&old, &new));
    }
    files.retain(|path| !path.is_empty() && !path.starts_with('/'));
    files
}

pub(crate) fn changed_lines(text: &str) -> String {
    if files(text).is_empty() {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    // A removed comment of SQL begins with `--- ` too.
    let is_head = |at: usize| {
        let has =
            |at: usize, start: &str| lines.get(at).is_some_and(|line| line.starts_with(start));
        has(at, "--- ") && has(at + 1, "+++ ") && has(at + 2, "@@")
    };
    let is_name = |at: usize| is_head(at) || at.checked_sub(1).is_some_and(is_head);
    let changed = lines.iter().enumerate().filter(|(at, _)| !is_name(*at));
    let changed = changed.filter_map(|(_, line)| line.strip_prefix(['+', '-']));
    changed.collect::<Vec<_>>().join("\n")
}

fn begins(line: &str) -> bool {
    let is_hash = |rest: &str| {
        let hash = rest.split(' ').next().unwrap_or_default();
        hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let commit = line.strip_prefix("commit ").or_else(|| line.strip_prefix("From "));
    ["diff ", "--- ", "Index: "].iter().any(|start| line.starts_with(start))
        || commit.is_some_and(is_hash)
}

fn unchanged_name(both: &str) -> Option<String> {
    let (old, new) = if both.starts_with('"') {
        both.split_once("\" \"")?
    } else {
        both.split_at_checked(both.len() / 2).map(|(old, new)| (old, new.trim_start()))?
    };
    let [old, new] = [old, new].map(|path| unescaped(path.trim_matches('"')));
    let paths = without_prefixes(&old, &new);
    (paths.len() == 1).then(|| paths.into_iter().next()).flatten()
}

/// Drops `a/` and `b/`, or the letters of `diff.mnemonicPrefix`.
fn without_prefixes(old: &str, new: &str) -> BTreeSet<String> {
    let below = |path: &str, letters: &str| {
        let (letter, path) = path.split_once('/')?;
        (letter.len() == 1 && letters.contains(letter)).then(|| path.to_owned())
    };
    let (from, to) = (below(old, "aciow12"), below(new, "bciow12"));
    let is_prefixed = match (old, new) {
        ("/dev/null", _) => to.is_some(),
        (_, "/dev/null") => from.is_some(),
        _ => from.is_some() && to.is_some() && old.get(..1) != new.get(..1),
    };
    let paths = if is_prefixed {
        [from, to]
    } else {
        [old, new].map(|path| (path != "/dev/null").then(|| path.to_owned()))
    };
    paths.into_iter().flatten().collect()
}

fn unquoted(path: &str) -> String {
    let inner = path.strip_prefix('"').and_then(|path| path.strip_suffix('"'));
    inner.map_or_else(|| path.to_owned(), unescaped)
}

/// Git writes non-ASCII bytes as `\303\244`.
fn unescaped(path: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), path.as_bytes());
    while let [byte, more @ ..] = rest {
        rest = more;
        bytes.push(match (byte, more) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', more @ ..]) => {
                rest = more;
                (a - b'0') << 6 | (b - b'0') << 3 | (c - b'0')
            }
            (b'\\', [escaped, more @ ..]) => {
                rest = more;
                match escaped {
                    b't' => b'\t',
                    b'n' => b'\n',
                    other => *other,
                }
            }
            _ => *byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        files(text).into_iter().collect()
    }

    #[test]
    fn old_and_new_paths_of_each_file_are_known() {
        for (text, paths) in [
            ("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n", &["x.rs"][..]),
            (
                "--- x.rs\t2026-01-01\r\n+++ y/x.rs\t2026-01-02\r\n@@ -1 +1 @@\r\n",
                &["x.rs", "y/x.rs"],
            ),
            ("--- a/x.rs\n+++ a/x.rs\n@@ -1 +1 @@\n", &["a/x.rs"]),
            ("--- /dev/null\n+++ w/new.rs\n@@ -0,0 +1 @@\n+a\n", &["new.rs"]),
            ("--- \"a/\\303\\244 b.rs\"\n+++ /dev/null\n@@ -1 +0,0 @@\n", &["ä b.rs"]),
            (
                "commit 0123456789\n\n    x\n\ndiff --git a/m.sh b/m.sh\nold mode 100644\n",
                &["m.sh"],
            ),
            ("diff --git a/a b b/a b\nBinary files differ\n", &["a b"]),
            (
                "diff --git a/a.rs b/c/b.rs\nsimilarity index 100%\nrename from a.rs\nrename to c/b.rs\n",
                &["a.rs", "c/b.rs"],
            ),
            ("diff --cc x.rs\n--- a/x.rs\n+++ b/x.rs\n@@@ -1,1 -1,1 +1,1 @@@\n", &["x.rs"]),
        ] {
            assert_eq!(of(text), paths, "{text}");
        }
    }

    #[test]
    fn only_lines_of_a_diff_that_changed_are_material() {
        for (text, changed) in [
            ("--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@ fn f\n same\n-old\n+new\n", "old\nnew"),
            ("a log\n+ with a plus\n", "a log\n+ with a plus\n"),
            ("--- a/x.sql\n+++ b/x.sql\n@@ -1 +1 @@\n--- old\n+-- new\n", "-- old\n-- new"),
        ] {
            assert_eq!(changed_lines(text), changed);
        }
    }

    #[test]
    fn other_texts_have_no_files() {
        for text in [
            "",
            "# How to read a diff\n\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n",
            "--- a/x.rs\n+++ b/x.rs\nno hunk\n",
            "---\nname: a\n---\n+++ b/x.rs\n@@ -1 @@\n",
            "From a friend\n--- a/x\n+++ b/x\n@@ -1 @@\n",
            "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n",
        ] {
            assert_eq!(of(text), [""; 0], "{text}");
        }
    }
}
