//! The user's own command that summarizes a text.

use std::io::Write;
use std::process::{Command, Stdio};

/// The most bytes of an answer that are taken.
const MOST: usize = 256 * 1024;

/// Gives `text` to `command` on standard input and returns what it prints, trimmed.
///
/// The command is a line for the system's shell, as it stands in the user's own configuration.
///
/// # Errors
///
/// Why there is no answer, in a few words.
pub fn ask(command: &str, text: &str) -> Result<String, String> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut child = Command::new(shell)
        .args([option, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{shell} cannot be run: {error}"))?;
    let mut input = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A command may answer before it has read everything.
            input.as_mut().map(|input| input.write_all(text.as_bytes()))
        });
        child.wait_with_output()
    });
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        return Err(format!("{}: {}", output.status, said.trim()));
    }
    if output.stdout.len() > MOST {
        return Err(format!("the answer has {} bytes", output.stdout.len()));
    }
    let answer = String::from_utf8(output.stdout).map_err(|_| "the answer is not UTF-8")?;
    let answer = answer.replace("\r\n", "\n").trim().to_owned();
    if answer.is_empty() { Err("the answer is empty".to_owned()) } else { Ok(answer) }
}
