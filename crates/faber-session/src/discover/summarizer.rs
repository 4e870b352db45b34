//! Runs the user's summarizer command.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

const MAX_ANSWER: usize = 256 * 1024;
/// Local models are slow.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Wait after the command has ended: child processes may keep the pipe open.
const REST: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(5);

/// Runs a shell command with `text` on standard input. Returns trimmed output.
///
/// # Errors
///
/// A short message.
pub fn ask(command: &str, text: &str) -> Result<String, String> {
    let mut child = shell(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the shell cannot be run: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        let text = text.to_owned();
        // It may answer before reading everything.
        std::thread::spawn(move || input.write_all(text.as_bytes()));
    }
    let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let status = wait(&mut child)?;
    let output = out.recv_timeout(REST).map_err(|_| "its output does not end")?;
    if !status.success() {
        let said = err.recv_timeout(REST).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        return Err(format!("{status}: {}", said.trim()));
    }
    if output.len() > MAX_ANSWER {
        return Err(format!("the answer has more than {} KiB", MAX_ANSWER / 1024));
    }
    let answer = String::from_utf8(output).map_err(|_| "the answer is not UTF-8")?;
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
    // Else `cmd` prefers programs in the current directory.
    shell.env("NoDefaultCurrentDirectoryInExePath", "1").raw_arg("/C").raw_arg(command);
    shell
}

/// One byte more than allowed.
fn collect(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = stream.take(MAX_ANSWER as u64 + 1).read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if begin.elapsed() < TIMEOUT => std::thread::sleep(PAUSE),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} seconds", TIMEOUT.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}
