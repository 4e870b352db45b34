//! Inputs of a run besides the workspace.

use camino::Utf8PathBuf;
use jiff::civil::Date;
use serde::Serialize;

use crate::discover::files::Files;
use faber_core::resolve::view::Principal;
use faber_core::workspace::Options;

/// Part of cache keys.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// Canonical.
    pub cwd: Utf8PathBuf,
    /// `-C`, `FABER_ROOT` or [`Self::cwd`].
    pub start: Utf8PathBuf,
    #[serde(skip)]
    pub vars: Vec<(String, String)>,
    pub user_config: Option<Utf8PathBuf>,
    #[serde(skip)]
    pub cache: Option<Utf8PathBuf>,
    #[serde(skip)]
    pub packs: Option<Utf8PathBuf>,
    #[serde(skip)]
    pub state: Option<Utf8PathBuf>,
    #[serde(skip)]
    pub data: Option<Utf8PathBuf>,
    #[serde(skip)]
    pub home: Option<Utf8PathBuf>,
    pub program: String,
    pub today: Date,
    pub date_is_given: bool,
    #[serde(skip)]
    pub clocks: Clocks,
    pub overrides: Vec<(&'static str, String, String)>,
    pub principal: Option<Principal>,
    pub no_user: bool,
    pub strict: bool,
    pub allow_insecure: bool,
    pub verbosity: Verbosity,
    pub color_stderr: bool,
    pub color_stdout: bool,
    pub unicode: bool,
    /// Of the terminal, else `COLUMNS`, else unlimited.
    pub width: usize,
    /// Monotonic; `None` without a terminal.
    #[serde(skip)]
    pub clock: Option<fn() -> std::time::Duration>,
    pub stdout_width: Option<usize>,
    #[serde(skip)]
    pub fetching: Option<fn(&str)>,
}

/// The value of `CI`.
pub fn is_ci(value: Option<&str>) -> bool {
    value.is_some_and(|value| !["", "0", "false"].contains(&value))
}

impl Settings {
    pub fn var(&self, name: &str) -> Option<&str> {
        let found = self.vars.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    pub fn is_ci(&self) -> bool {
        is_ci(self.var("CI"))
    }

    #[must_use]
    pub fn without_user(&self) -> Self {
        let mut settings = Self { user_config: None, ..self.clone() };
        settings.vars.retain(|(name, _)| !name.starts_with("FABER_"));
        settings
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

#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    pub elapsed: fn() -> std::time::Duration,
    pub now: fn() -> jiff::Zoned,
}

impl Default for Clocks {
    fn default() -> Self {
        Self { elapsed: || std::time::Duration::ZERO, now: jiff::Zoned::default }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verbosity {
    Quiet,
    #[default]
    Normal,
    Verbose,
}
