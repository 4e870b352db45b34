//! Copies with programs that keep serving the clipboard on X11 and Wayland.

use std::io::Write;
use std::process::Stdio;

use super::program;

#[derive(Debug, PartialEq, Eq)]
struct Copier {
    program: &'static str,
    arguments: &'static [&'static str],
    wide: bool,
}

const fn copier(program: &'static str, arguments: &'static [&'static str]) -> Copier {
    Copier { program, arguments, wide: false }
}

const CLIP: Copier = Copier { wide: true, ..copier("clip.exe", &[]) };

pub fn copy(text: &str, variable: impl Fn(&str) -> bool) -> Option<&'static str> {
    let copiers = copiers(variable).into_iter();
    copiers.filter(|copier| run(copier, text)).map(|copier| copier.program).next()
}

fn copiers(variable: impl Fn(&str) -> bool) -> Vec<Copier> {
    if cfg!(target_os = "macos") {
        return vec![copier("pbcopy", &[])];
    }
    if cfg!(windows) {
        return vec![CLIP];
    }
    let mut copiers = Vec::new();
    if variable("WAYLAND_DISPLAY") {
        copiers.push(copier("wl-copy", &[]));
    }
    if variable("DISPLAY") {
        copiers.push(copier("xclip", &["-selection", "clipboard"]));
        copiers.push(copier("xsel", &["--clipboard", "--input"]));
    }
    if variable("WSL_DISTRO_NAME") {
        copiers.push(CLIP);
    }
    copiers
}

fn run(copier: &Copier, text: &str) -> bool {
    let mut command = program::command(copier.program);
    let child = command
        .args(copier.arguments)
        // `pbcopy` assumes ASCII otherwise.
        .env("LC_CTYPE", "UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    let wide = || [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes);
    let bytes = if copier.wide { wide().collect() } else { text.as_bytes().to_vec() };
    let is_written = child.stdin.take().is_some_and(|mut input| input.write_all(&bytes).is_ok());
    child.wait().is_ok_and(|status| status.success()) && is_written
}

#[cfg(all(test, not(any(windows, target_os = "macos"))))]
mod tests {
    use super::*;

    #[test]
    fn the_session_decides_which_programs_are_tried() {
        let programs = |set: &[&str]| -> Vec<&str> {
            copiers(|name| set.contains(&name)).iter().map(|copier| copier.program).collect()
        };
        assert_eq!(programs(&[]), [""; 0]);
        assert_eq!(programs(&["DISPLAY", "WAYLAND_DISPLAY"]), ["wl-copy", "xclip", "xsel"]);
        assert_eq!(programs(&["WSL_DISTRO_NAME"]), ["clip.exe"]);
    }

    #[test]
    fn a_program_that_fails_or_is_missing_is_seen() {
        assert!(run(&copier("cat", &[]), "text"));
        assert!(!run(&copier("false", &[]), "text"));
        assert!(!run(&copier("faber-has-no-such-program", &[]), "text"));
    }
}
