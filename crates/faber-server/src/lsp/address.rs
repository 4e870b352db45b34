use camino::{Utf8Path, Utf8PathBuf};
use lsp_types::Uri;

use faber_core::escape::uri;
use faber_core::markdown::percent_decoded;

pub(crate) fn path(address: &str) -> Option<Utf8PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decoded(rest)?;
    let path = path.strip_prefix('/').map(|below| (below, &*path))?;
    let is_drive = cfg!(windows) && path.0.as_bytes().get(1) == Some(&b':');
    Some(if is_drive { path.0 } else { path.1 }.into())
}

pub(crate) fn of(path: &Utf8Path) -> String {
    let path = path.as_str().replace('\\', "/");
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", uri(path))
}

pub(crate) fn typed(address: &str) -> Option<Uri> {
    address.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_convert_to_each_other() {
        for (file, address) in
            [("/a/b c.md", "file:///a/b%20c.md"), ("/ü#?.md", "file:///%C3%BC%23%3F.md")]
        {
            assert_eq!(of(file.into()), address);
            assert_eq!(path(address).unwrap(), file);
            assert_eq!(typed(address).unwrap().as_str(), address);
        }
        assert_eq!(path("file://localhost/a%2fb").unwrap(), "/a/b");
        for none in
            ["untitled:Untitled-1", "http://x/a.md", "file://host/a.md", "file:///%ff", "/a"]
        {
            assert_eq!(path(none), None, "{none}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn a_drive_is_the_beginning_of_a_path() {
        assert_eq!(path("file:///c%3A/x").unwrap(), "c:/x");
        assert_eq!(of(r"\\?\C:\x".into()), "file:///C%3A/x");
    }
}
