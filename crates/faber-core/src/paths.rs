//! Paths in a workspace.

use std::cmp::Ordering;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// From `folder`; `None` outside of the workspace.
pub fn normalize(folder: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
    let mut parts: Vec<&str> = Vec::new();
    for component in folder.components().chain(Utf8Path::new(path).components()) {
        match component {
            Utf8Component::Normal(part) => parts.push(part),
            Utf8Component::ParentDir => {
                parts.pop()?;
            }
            Utf8Component::CurDir => {}
            Utf8Component::RootDir | Utf8Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/").into())
}

pub fn lexical(path: &Utf8Path) -> Utf8PathBuf {
    let mut out = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Paths must not contain `.` or `..`.
pub(crate) fn by_parts(one: &Utf8Path, other: &Utf8Path) -> Ordering {
    let key = |byte: u8| if byte == b'/' { 0 } else { byte };
    let (mut one, mut other) = (one.as_str().as_bytes(), other.as_str().as_bytes());
    while let (Some((a, one_rest)), Some((b, other_rest))) =
        (one.split_first_chunk::<8>(), other.split_first_chunk::<8>())
        && a == b
    {
        (one, other) = (one_rest, other_rest);
    }
    match one.iter().zip(other).find(|(one, other)| one != other) {
        Some((&one, &other)) => key(one).cmp(&key(other)),
        None => one.len().cmp(&other.len()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn paths_have_the_order_of_their_parts(paths in [r"(aaaa/){0,3}[ab+0é-]{1,3}(/[ab+0é-]{1,3}){0,3}", r"(aaaa/){0,3}[ab+0é-]{1,3}(/[ab+0é-]{1,3}){0,3}"]) {
            let [one, other] = paths.each_ref().map(Utf8Path::new);
            prop_assert_eq!(by_parts(one, other), one.cmp(other));
        }
    }
}
