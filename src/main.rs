//! The `faber` program.

#![expect(clippy::disallowed_methods, reason = "this is the one place that asks the process")]

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, TryLockError};
use std::time::Duration;

use camino::Utf8PathBuf;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use faber::cli::args::{Cli, Command, Global, HookCommand, Watch};
use faber::cli::settings::{self, Environment};
use faber::commands;
use faber::commands::watch::Process;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::suggest;
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
        // Status 2 would block the prompt.
        Err(error) if error.use_stderr() && is_hook_call() => return ExitCode::SUCCESS,
        Err(error) => return stop(&with_tips(error)),
    };
    if let Command::Help(args) = &cli.command {
        return help(&args.command);
    }
    let is_hook = matches!(&cli.command, Command::Hook(HookCommand::Run(args)) if !args.strict);
    let early = |error: &Error| if is_hook { ExitCode::SUCCESS } else { fail(error, false) };
    let environment = match read_environment(&cli.global) {
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
        Err(error) => stop(&with_tips(error)),
    }
}

/// Without tips that are not similar.
fn with_tips(mut error: clap::Error) -> clap::Error {
    let typed = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    for (invalid, suggested) in [
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
    ] {
        let all = match error.get(suggested) {
            Some(ContextValue::String(one)) => vec![one.clone()],
            Some(ContextValue::Strings(all)) => all.clone(),
            _ => continue,
        };
        let best = similar(&typed(&error, invalid), &all);
        if best.is_none() && suggested == ContextKind::SuggestedArg {
            // clap's usage has the argument of the tip.
            let usage = called(&words).render_usage();
            error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
        }
        match best {
            Some(best) => error.insert(suggested, ContextValue::String(best)),
            None => error.remove(suggested),
        };
    }
    // An empty list would take a line.
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && tips.is_empty()
    {
        error.remove(ContextKind::Suggested);
    }
    let is_word = |word: &String| !word.starts_with('-');
    if error.kind() == ErrorKind::UnknownArgument
        && let Some((command, request)) = words.split_first()
        && matches!(&**command, "assemble" | "explain")
        && request.iter().all(is_word)
    {
        let request = Visible(&request.join(" ")).to_string();
        let tip = format!("to make a request, write `--request \"{request}\"`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if typed(&error, ContextKind::InvalidArg) == "--json" && prints_json(&words) {
        let tip = "use `--format json`".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

fn similar(word: &str, known: &[String]) -> Option<String> {
    let bare = |word: &String| word.trim_start_matches('-').to_owned();
    let names: Vec<String> = known.iter().map(bare).collect();
    let similar = suggest::candidates(&bare(&word.to_owned()), names.iter().map(String::as_str));
    let best = similar.first()?;
    known.iter().find(|known| bare(known) == **best).cloned()
}

fn called(words: &[String]) -> clap::Command {
    let mut cli = Cli::command();
    cli.build();
    let command =
        words.iter().fold(&cli, |command, word| command.find_subcommand(word).unwrap_or(command));
    command.clone()
}

fn prints_json(words: &[String]) -> bool {
    let words = words.iter().take_while(|word| *word != "--json").cloned();
    let command = called(&words.collect::<Vec<_>>());
    let format = command.get_arguments().find(|arg| arg.get_long() == Some("format"));
    format.is_some_and(|arg| arg.get_possible_values().iter().any(|it| it.get_name() == "json"))
}

fn stop(error: &clap::Error) -> ExitCode {
    let is_failure = error.use_stderr();
    let mut words = std::env::args_os();
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(word) = words.find(|word| word.to_str().is_none())
    {
        let message = format!("the argument `{}` is not UTF-8", word.display());
        let error = Error::usage(message, "rename the file, or convert the text to UTF-8");
        return fail(&error, false);
    }
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(source) if !is_failure && source.kind() != io::ErrorKind::BrokenPipe => {
            fail(&Error::Io { action: "write", path: STDOUT.into(), source }, false)
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

fn is_hook_call() -> bool {
    let cli = Cli::command();
    let valued = || cli.get_arguments().filter(|arg| arg.get_action().takes_values());
    let precedes_value = |word: &str| match word.strip_prefix("--") {
        Some(long) => valued().any(|arg| arg.get_long() == Some(long)),
        None => valued().filter_map(clap::Arg::get_short).any(|short| {
            word.find(short).is_some_and(|at| at > 0 && at + short.len_utf8() == word.len())
        }),
    };
    let mut command = Vec::new();
    let mut words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    while command.len() < 2
        && let Some(word) = words.next()
    {
        if !word.starts_with('-') {
            command.push(word);
        } else if precedes_value(&word) {
            words.next();
        }
    }
    command == ["hook", "run"]
}

fn read_environment(global: &Global) -> Result<Environment, Error> {
    let is_needed = global.root.as_ref().is_none_or(|root| root.is_relative());
    let cwd = match std::env::current_dir() {
        // Relative paths in a removed folder lead nowhere.
        Err(_) if !is_needed => PathBuf::new(),
        cwd => cwd.map_err(|source| Error::Io { action: "open", path: ".".into(), source })?,
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

fn fail(error: &Error, color: bool) -> ExitCode {
    let _ = std::io::stderr().write_all(emit::failure(error, color).as_bytes());
    ExitCode::from(error.exit_code())
}

/// As by `head`, a normal end.
fn is_closed_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { path, source, .. }
        if path == STDOUT && source.kind() == io::ErrorKind::BrokenPipe)
}
