use std::io::{self, Read, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const MAX_ERRORS: u64 = 256 * 1024;
/// Children of an ended program may keep the pipe open.
const GRACE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramLimits {
    pub timeout: Duration,
    pub max_bytes: u64,
}

#[derive(Debug)]
pub(super) struct ProgramOutput {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub errors: String,
}

/// Drops relative folders in `PATH`, which a repository could fill.
pub(super) fn command(name: &str) -> Command {
    let mut command = Command::new(name);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    if let Ok(folders) = std::env::join_paths(folders) {
        command.env("PATH", folders);
    }
    command
}

pub(super) const MISSING: &str = "is not on `PATH`";

pub(super) fn run(
    command: &mut Command,
    input: Vec<u8>,
    limits: ProgramLimits,
) -> Result<ProgramOutput, String> {
    let ProgramLimits { timeout, max_bytes } = limits;
    let broken = |error: io::Error| error.to_string();
    let end = Instant::now() + timeout;
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{} {MISSING}", command.get_program().to_string_lossy())
        }
        _ => broken(error),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        std::thread::spawn(move || stdin.write_all(&input).unwrap_or_default());
    }
    let errors = read_in_background(child.stderr.take(), MAX_ERRORS);
    let output = read_in_background(child.stdout.take(), max_bytes + 1);
    let mut printed = None;
    let status = loop {
        match printed {
            None => printed = output.recv_timeout(PAUSE).ok(),
            Some(_) => std::thread::sleep(PAUSE),
        }
        if let Some(status) = child.try_wait().map_err(broken)? {
            break status;
        }
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it did not end within {} seconds", timeout.as_secs()));
        }
    };
    let printed = printed.or_else(|| output.recv_timeout(GRACE).ok());
    let output = printed.ok_or("its output does not end")?.map_err(broken)?;
    if output.len() as u64 > max_bytes {
        return Err(format!("it prints more than {} KiB", max_bytes / 1024));
    }
    let errors = errors.recv_timeout(GRACE).ok().and_then(Result::ok).unwrap_or_default();
    Ok(ProgramOutput { status, output, errors: String::from_utf8_lossy(&errors).into_owned() })
}

fn read_in_background(
    stream: Option<impl Read + Send + 'static>,
    max_bytes: u64,
) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.map_or(Ok(0), |stream| stream.take(max_bytes).read_to_end(&mut bytes));
        let _ = send.send(read.map(|_| bytes));
    });
    receive
}
