use std::process::Command;
use std::time::Duration;

use super::program::{self, ProgramLimits};

const LIMITS: ProgramLimits =
    ProgramLimits { timeout: Duration::from_secs(300), max_bytes: 256 * 1024 };

/// # Errors
///
/// A short message.
pub fn ask(command: &str, text: &str) -> Result<String, String> {
    let answer = program::run(&mut shell(command), text.into(), LIMITS)?;
    if !answer.status.success() {
        let said = answer.errors.lines().rfind(|line| !line.trim().is_empty());
        return Err(format!("{}: {}", answer.status, said.unwrap_or("it says nothing").trim()));
    }
    let answer = String::from_utf8(answer.output).map_err(|_| "the answer is not UTF-8")?;
    let answer = answer.replace("\r\n", "\n").trim().to_owned();
    if answer.is_empty() { Err("the answer is empty".to_owned()) } else { Ok(answer) }
}

#[cfg(not(windows))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

#[cfg(windows)]
fn shell(command: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut shell = Command::new("cmd");
    shell.env("NoDefaultCurrentDirectoryInExePath", "1").raw_arg("/C").raw_arg(command);
    shell
}
