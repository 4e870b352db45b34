//! All inputs of a run besides the workspace.

use camino::Utf8PathBuf;
use jiff::civil::Date;
use serde::Serialize;

use crate::discover::files::Files;
use faber_core::resolve::view::Principal;
use faber_core::workspace::Options;

/// Code below the commands takes time, environment and terminal from here.
///
/// Serialized as a part of cache keys; fields that affect no result are skipped.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// Base of command line paths; canonical.
    pub cwd: Utf8PathBuf,
    /// Where the search for the workspace starts: `-C`, `FABER_ROOT` or [`Self::cwd`].
    pub start: Utf8PathBuf,
    /// Environment variables, sorted by name.
    #[serde(skip)]
    pub vars: Vec<(String, String)>,
    pub user_config: Option<Utf8PathBuf>,
    /// faber's folder in the user's cache; `None` disables caching.
    #[serde(skip)]
    pub cache: Option<Utf8PathBuf>,
    /// The pack store, used even if caching is disabled.
    #[serde(skip)]
    pub packs: Option<Utf8PathBuf>,
    /// faber's folder in the user's state folder.
    #[serde(skip)]
    pub state: Option<Utf8PathBuf>,
    /// faber's folder in the user's data folder.
    #[serde(skip)]
    pub data: Option<Utf8PathBuf>,
    #[serde(skip)]
    pub home: Option<Utf8PathBuf>,
    /// Identifies this build.
    pub program: String,
    /// Reference date for validity.
    pub today: Date,
    /// Whether [`Self::today`] was given, and is not the current date.
    pub date_is_given: bool,
    #[serde(skip)]
    pub clocks: Clocks,
    /// Configuration from flags: dotted key, value, flag.
    pub overrides: Vec<(&'static str, String, String)>,
    /// From `--as`.
    pub principal: Option<Principal>,
    /// Omits the user layer: `--no-user`, or `CI` is set.
    pub no_user: bool,
    /// Treats diagnostics that are not fatal as errors.
    pub strict: bool,
    /// Outputs bundles despite security errors in their texts.
    pub allow_insecure: bool,
    pub verbosity: Verbosity,
    pub colour_stderr: bool,
    pub colour_stdout: bool,
    /// Whether standard output supports Unicode; false only for some terminals.
    pub unicode: bool,
    /// Columns of diagnostics: the terminal's width, or 100.
    pub width: usize,
    /// Monotonic time for reported durations; `None` unless standard output is a terminal, to keep
    /// other output reproducible.
    #[serde(skip)]
    pub clock: Option<fn() -> std::time::Duration>,
    /// Columns of standard output; `None` unless it is a terminal, so that other output is never
    /// truncated.
    pub stdout_width: Option<usize>,
}

impl Settings {
    /// An environment variable, unless empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        let found = self.vars.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

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

/// Clocks for long-running commands. Bundles must not depend on them.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    /// Monotonic time.
    pub elapsed: fn() -> std::time::Duration,
    /// Local time.
    pub now: fn() -> jiff::Zoned,
}

impl Default for Clocks {
    /// Clocks that never advance.
    fn default() -> Self {
        Self { elapsed: || std::time::Duration::ZERO, now: jiff::Zoned::default }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors and warnings.
    #[default]
    Normal,
    /// Also hints, without truncation.
    Verbose,
}
