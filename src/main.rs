//! The `faber` program.

#![expect(clippy::disallowed_methods, reason = "this is the one place that asks the process")]

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, TryLockError};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use faber::cli::args::{Cli, Command, HookCommand, Watch};
use faber::cli::mistakes::usage_error;
use faber::cli::settings::{self, Environment};
use faber::commands;
use faber::commands::watch::Process;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_output::emit;
use faber_output::streams::{ExitStatus, STDOUT, Streams};
use faber_server::stdio::Stdio;
use faber_session::settings::{Clocks, Settings, Verbosity};

/// The allocator of musl has one lock: a new request takes almost twice as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TIMEOUT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let words = std::env::args_os().skip(1);
            let words: Vec<String> =
                words.map(|word| word.to_string_lossy().into_owned()).collect();
            let is_hook = is_hook_call(&words) && !words.iter().any(|word| word == "--strict");
            // Some clients read standard error.
            if is_hook && error.use_stderr() && !io::stderr().is_terminal() {
                return ExitCode::SUCCESS;
            }
            let status = stop(&error, &words);
            // Status 2 would block the prompt.
            return if is_hook { ExitCode::SUCCESS } else { status };
        }
    };
    if let Command::Help(args) = &cli.command {
        return help(&args.command);
    }
    let is_hook = matches!(&cli.command, Command::Hook(HookCommand::Run(args)) if !args.strict);
    let early = |error: &Error| if is_hook { ExitCode::SUCCESS } else { fail_early(error) };
    let environment = match read_environment(cli.global.root.as_deref()) {
        Ok(environment) => environment,
        Err(error) => return early(&error),
    };
    let settings = match settings::resolve(&cli.global, &cli.command.view(), &environment) {
        Ok(settings) => settings,
        Err(error) => return early(&error),
    };
    match &cli.command {
        Command::Serve(args) => {
            return served(&settings, |stdio| commands::serve::run(args, &settings, stdio));
        }
        Command::Lsp(_) => return served(&settings, |stdio| commands::lsp::run(&settings, stdio)),
        _ => {}
    }
    limit_threads();
    // A watch ends with its reader. A hook must know whether its answer arrived.
    let needs_reader =
        matches!(&cli.command, Command::Watch(_) | Command::Hook(HookCommand::Run(_)));
    let stdout = io::stdout().lock();
    let mut out = BufWriter::new(Output { stdout, needs_reader, is_closed: false });
    // Not locked: a panicking thread would deadlock.
    let mut err = std::io::stderr();
    let asks = io::stdin().is_terminal() && settings.verbosity > Verbosity::Quiet;
    let mut input = Input { asks, stdin: io::stdin().lock() };
    let mut streams =
        Streams { out: &mut out, err: &mut err, input: &mut input, settings: &settings };
    let result = match &cli.command {
        Command::Watch(args) => watch(args, &mut streams),
        command => commands::run(command, &mut streams),
    };
    match result {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            streams.eprint(&emit::failure(&error, settings.color_stderr));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Readers such as `head` close it. That is a normal end, but the status must not change.
struct Output {
    stdout: io::StdoutLock<'static>,
    needs_reader: bool,
    is_closed: bool,
}

impl Output {
    fn unless_closed<T>(
        &mut self,
        ignored: T,
        write: impl FnOnce(&mut io::StdoutLock<'static>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(ignored);
        }
        let written = write(&mut self.stdout);
        self.is_closed = !self.needs_reader
            && written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        if self.is_closed { Ok(ignored) } else { written }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |stdout| stdout.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}

struct Input {
    /// Until the first read from a terminal.
    asks: bool,
    stdin: io::StdinLock<'static>,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.asks) {
            let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
            let _ = writeln!(io::stderr(), "reading standard input; {end} ends it");
        }
        self.stdin.read(buffer)
    }
}

/// Without further threads, this one does all work.
fn limit_threads() {
    if std::thread::Builder::new().spawn(|| {}).is_err() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        let _ = alone.build_global();
    }
}

fn help(command: &[String]) -> ExitCode {
    let words = command.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let line = ["faber"].into_iter().chain(words).chain(["--help"]);
    match Cli::try_parse_from(line) {
        Ok(_) => unreachable!("`--help` ends parsing"),
        Err(error) => stop(&error, command),
    }
}

fn stop(error: &clap::Error, words: &[String]) -> ExitCode {
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(word) = std::env::args_os().find(|word| word.to_str().is_none())
    {
        let message = format!("the argument `{}` is not UTF-8", word.display());
        let error = Error::usage(message, "rename the file, or convert the text to UTF-8");
        return fail_early(&error);
    }
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if !is_help {
        return fail_early(&usage_error(error, words));
    }
    let is_failure = error.use_stderr();
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(source) if !is_failure && source.kind() != io::ErrorKind::BrokenPipe => {
            fail_early(&Error::Io { action: "write", path: STDOUT.into(), source })
        }
        _ => ExitCode::from(if is_failure { 2 } else { 0 }),
    }
}

fn served(settings: &Settings, serve: impl FnOnce(Stdio) -> Result<ExitStatus, Error>) -> ExitCode {
    let stdio = Stdio {
        input: Box::new(std::io::stdin()),
        output: Box::new(std::io::stdout()),
        err: Box::new(std::io::stderr()),
        call_err: Box::new(std::io::stderr()),
    };
    match serve(stdio) {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) => fail(&error, settings.color_stderr),
    }
}

fn watch(args: &Watch, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    static WRITING: Mutex<()> = Mutex::new(());
    let end = || {
        // Lets a write finish, unless it blocks.
        let deadline = since_start() + TIMEOUT;
        while let Err(TryLockError::WouldBlock) = WRITING.try_lock()
            && since_start() < deadline
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::process::exit(0);
    };
    ctrlc::set_handler(end).map_err(|error| Error::Io {
        action: "listen to",
        path: "signals".into(),
        source: std::io::Error::other(error),
    })?;
    let clocks = streams.settings.clocks;
    let process = Process { clocks, is_reader_gone, writing: &WRITING };
    commands::watch::run(args, streams, process)
}

#[cfg(unix)]
fn is_reader_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let is_polled = poll(&mut polled, Some(&at_once)).is_ok();
    is_polled && polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

#[cfg(not(unix))]
fn is_reader_gone() -> bool {
    false
}

fn is_hook_call(words: &[String]) -> bool {
    let cli = Cli::command();
    let valued = || cli.get_arguments().filter(|arg| arg.get_action().takes_values());
    let precedes_value = |word: &str| match word.strip_prefix("--") {
        Some(long) => valued().any(|arg| arg.get_long() == Some(long)),
        None => valued().filter_map(clap::Arg::get_short).any(|short| {
            word.find(short).is_some_and(|at| at > 0 && at + short.len_utf8() == word.len())
        }),
    };
    let mut command = Vec::new();
    let mut words = words.iter();
    while command.len() < 2
        && let Some(word) = words.next()
    {
        if !word.starts_with('-') {
            command.push(word);
        } else if precedes_value(word) {
            words.next();
        }
    }
    command == ["hook", "run"]
}

fn read_environment(root: Option<&Utf8Path>) -> Result<Environment, Error> {
    let is_needed = root.is_none_or(Utf8Path::is_relative);
    let cwd = match std::env::current_dir() {
        // Relative paths in a removed folder lead nowhere.
        Err(_) if !is_needed => PathBuf::new(),
        cwd => cwd.map_err(|source| Error::Io { action: "read", path: ".".into(), source })?,
    };
    let cwd = Utf8PathBuf::from_path_buf(cwd)
        .map_err(|path| Error::NotUtf8 { path: path.to_string_lossy().into_owned() })?;
    let cwd = cwd.canonicalize_utf8().unwrap_or(cwd);
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    Ok(Environment {
        cwd,
        vars: std::env::vars_os().filter_map(text).collect(),
        program: program(),
        stdout_is_terminal: std::io::stdout().is_terminal(),
        stderr_is_terminal: std::io::stderr().is_terminal(),
        fetching,
        clocks: Clocks { elapsed: since_start, now },
        width: terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
    })
}

/// A server that does not answer takes minutes.
fn fetching(address: &str) {
    let _ = std::io::stderr().write_all(format!("fetching `{}` …\n", Visible(address)).as_bytes());
}

/// From the system's file: a lookup by name lists the whole database.
fn now() -> jiff::Zoned {
    let is_usual = cfg!(unix) && std::env::var_os("TZ").is_none();
    let rules = is_usual.then(|| std::fs::read("/etc/localtime").ok()).flatten();
    let zone = rules.and_then(|rules| jiff::tz::TimeZone::tzif("localtime", &rules).ok());
    let zone = zone.unwrap_or_else(jiff::tz::TimeZone::system);
    jiff::Timestamp::now().to_zoned(zone)
}

/// Builds of one version must not share a cache.
fn program() -> String {
    let path = std::env::current_exe().ok();
    let metadata = path.as_ref().and_then(|path| std::fs::metadata(path).ok());
    let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    #[cfg(unix)]
    let inode = metadata.as_ref().map(|metadata| {
        use std::os::unix::fs::MetadataExt;
        (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
    });
    #[cfg(not(unix))]
    let inode = metadata.as_ref().and_then(|metadata| metadata.created().ok());
    let size = metadata.map(|metadata| metadata.len());
    format!("{} {path:?} {size:?} {modified:?} {inode:?}", env!("CARGO_PKG_VERSION"))
}

fn since_start() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

fn fail_early(error: &Error) -> ExitCode {
    let color = read_environment(None).is_ok_and(|environment| {
        settings::shows_color(&environment, environment.stderr_is_terminal)
    });
    fail(error, color)
}

fn fail(error: &Error, color: bool) -> ExitCode {
    let _ = std::io::stderr().write_all(emit::failure(error, color).as_bytes());
    ExitCode::from(error.exit_code())
}

/// As by `head`, a normal end.
fn is_closed_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { path, source, .. }
        if path == STDOUT && source.kind() == io::ErrorKind::BrokenPipe)
}
