//! Everything that a run depends on besides the workspace, decided once.

use camino::Utf8PathBuf;
use jiff::civil::Date;
use serde::Serialize;

use crate::discover::files::Files;
use faber_core::resolve::view::Principal;
use faber_core::workspace::Options;

/// The world as one run sees it: nothing below the commands asks for time, environment or terminal.
///
/// Serialized, it is part of the key of stored results: what no result depends on is skipped.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// The directory that paths on the command line are relative to; canonical.
    pub cwd: Utf8PathBuf,
    /// Where the search for the workspace begins: `-C`, else `FABER_ROOT`, else [`Self::cwd`].
    pub start: Utf8PathBuf,
    /// The environment, sorted by name.
    #[serde(skip)]
    pub vars: Vec<(String, String)>,
    /// The user's own configuration file, when there is one.
    pub user_config: Option<Utf8PathBuf>,
    /// faber's folder in the user's own cache, unless nothing is to be cached.
    #[serde(skip)]
    pub cache: Option<Utf8PathBuf>,
    /// Where the files of packs are kept, by their content: also when nothing is to be cached.
    #[serde(skip)]
    pub packs: Option<Utf8PathBuf>,
    /// faber's folder in the user's own state, where what conversations were given is kept.
    #[serde(skip)]
    pub state: Option<Utf8PathBuf>,
    /// faber's folder in the user's own data, where the encoder is.
    #[serde(skip)]
    pub data: Option<Utf8PathBuf>,
    /// The user's home folder.
    #[serde(skip)]
    pub home: Option<Utf8PathBuf>,
    /// What tells this program from every other build of it.
    pub program: String,
    /// The date that validity is judged by.
    pub today: Date,
    /// Whether it was named; else it is that of the day on which faber was started.
    pub date_is_given: bool,
    /// The clocks of the outside.
    #[serde(skip)]
    pub clocks: Clocks,
    /// Configuration set by flags: dotted key, value, the flag.
    pub overrides: Vec<(&'static str, String, String)>,
    /// Who asks, when `--as` says so.
    pub principal: Option<Principal>,
    /// Whether the user layer is left out: `--no-user`, or `CI` is set.
    pub no_user: bool,
    /// Whether findings that assembling would go on with are errors too.
    pub strict: bool,
    /// Whether bundles are given away although a text of theirs has a security error.
    pub allow_insecure: bool,
    /// How much is said on standard error.
    pub verbosity: Verbosity,
    /// Whether standard error takes colour.
    pub colour_stderr: bool,
    /// Whether standard output takes colour.
    pub colour_stdout: bool,
    /// Whether standard output shows more than ASCII: it does unless it is a terminal that says otherwise.
    pub unicode: bool,
    /// Columns that findings are laid out for: those of the terminal, 100 when there is none.
    pub width: usize,
    /// Time since a moment that stays the same during the run, to say how long something took; none
    /// when standard output is no terminal, so that what other programs read is always the same.
    #[serde(skip)]
    pub clock: Option<fn() -> std::time::Duration>,
    /// Columns that standard output has; none when it is no terminal, so that what other programs
    /// read is never cut.
    pub stdout_width: Option<usize>,
}

impl Settings {
    /// The value of an environment variable; none of an empty one.
    pub fn var(&self, name: &str) -> Option<&str> {
        let found = self.vars.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// What the core depends on, with the user's own configuration read from `files`.
    pub(crate) fn options(&self, files: &Files) -> Options {
        let mut options = Options::on(self.today);
        options.principal.clone_from(&self.principal);
        options.no_user = self.no_user;
        options.strict = self.strict;
        options.allow_insecure = self.allow_insecure;
        options.user_config =
            self.user_config.as_ref().map(|path| (path.clone(), files.read_elsewhere(path)));
        let settings = self.vars.iter().filter(|(name, _)| name.starts_with("FABER_"));
        options.environment = settings.cloned().collect();
        options.overrides.clone_from(&self.overrides);
        options
    }
}

/// Clocks, for what runs longer than one answer takes. Nothing that is printed as the product may
/// depend on them.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    /// Time since a moment that stays the same during the run.
    pub elapsed: fn() -> std::time::Duration,
    /// The time where the user is.
    pub now: fn() -> jiff::Zoned,
}

impl Default for Clocks {
    /// Clocks that never advance.
    fn default() -> Self {
        Self { elapsed: || std::time::Duration::ZERO, now: jiff::Zoned::default }
    }
}

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verbosity {
    /// Failures only.
    Quiet,
    /// Errors and warnings.
    #[default]
    Normal,
    /// Hints too, and nothing is shortened.
    Verbose,
}
