//! Settings from the command line and the environment.

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::args::{ColorChoice, Global, ViewArgs};
use faber_core::error::Error;
use faber_core::resolve::view::Principal;
use faber_core::workspace::is_folder_name;
use faber_session::settings::{Clocks, Settings, Verbosity, is_ci};

#[derive(Clone, Debug)]
pub struct Environment {
    pub cwd: Utf8PathBuf,
    pub vars: Vec<(String, String)>,
    pub program: String,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    pub fetching: fn(&str),
    pub clocks: Clocks,
    pub width: Option<usize>,
}

impl Environment {
    fn var(&self, name: &str) -> Option<&str> {
        let found = self.vars.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }
}

/// Precedence: command line, environment, defaults.
///
/// # Errors
///
/// [`Error::Usage`] when `--as` is not `USER[:GROUP,…]`.
pub fn resolve(
    global: &Global,
    view: &ViewArgs,
    environment: &Environment,
) -> Result<Settings, Error> {
    let color = |terminal: bool| match global.color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => shows_color(environment, terminal),
    };
    let verbosity = match (global.quiet, global.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let mut vars = environment.vars.clone();
    vars.sort_by(|(a, _), (b, _)| a.cmp(b));
    vars.dedup_by(|(again, _), (first, _)| again == first);
    let set = |key, value: &Option<String>, flag: &str| {
        value.clone().map(|value| (key, value, flag.to_owned()))
    };
    let overrides = [
        set("settings.team", &(!view.team.is_empty()).then(|| view.team.join(",")), "--team"),
        set("settings.workflow", &view.workflow, "--workflow"),
        set("settings.environment", &view.environment, "--environment"),
    ];
    let cwd = &environment.cwd;
    let stdout_width = environment.stdout_is_terminal.then(|| environment.width.unwrap_or(100));
    let columns = environment.var("COLUMNS").and_then(|columns| columns.parse().ok());
    let width = stdout_width.or(columns.filter(|&columns| columns > 0)).unwrap_or(usize::MAX);
    let cache = folder(environment, ["XDG_CACHE_HOME", "LOCALAPPDATA"], ".cache");
    Ok(Settings {
        start: global.root.as_ref().map_or_else(|| cwd.clone(), |root| cwd.join(root)),
        cwd: cwd.clone(),
        user_config: user_config(environment),
        packs: cache.as_ref().map(|folder| folder.join("packs")),
        cache: cache.filter(|_| !global.no_cache),
        state: folder(environment, ["XDG_STATE_HOME", "LOCALAPPDATA"], ".local/state"),
        data: folder(environment, ["XDG_DATA_HOME", "LOCALAPPDATA"], ".local/share"),
        home: environment
            .var("HOME")
            .or_else(|| environment.var("USERPROFILE"))
            .map(Utf8PathBuf::from),
        program: environment.program.clone(),
        today: view.at.unwrap_or_else(|| (environment.clocks.now)().date()),
        date_is_given: view.at.is_some(),
        clocks: environment.clocks,
        overrides: overrides.into_iter().flatten().collect(),
        principal: view.principal.as_deref().map(principal).transpose()?,
        no_user: view.no_user || is_ci(environment.var("CI")),
        strict: false,
        allow_insecure: false,
        verbosity,
        color_stderr: color(environment.stderr_is_terminal),
        color_stdout: color(environment.stdout_is_terminal),
        unicode: !environment.stdout_is_terminal || shows_unicode(environment),
        width,
        clock: environment.stdout_is_terminal.then_some(environment.clocks.elapsed),
        stdout_width,
        fetching: (environment.stderr_is_terminal && verbosity > Verbosity::Quiet)
            .then_some(environment.fetching),
        vars,
    })
}

/// As clap decides for help.
pub fn shows_color(environment: &Environment, terminal: bool) -> bool {
    let var = |name| environment.var(name);
    let is_terminal = terminal && var("CLICOLOR") != Some("0") && var("TERM") != Some("dumb");
    let is_forced = var("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    var("NO_COLOR").is_none() && (is_forced || is_terminal)
}

fn shows_unicode(environment: &Environment) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| environment.var(name));
    let is_utf8 = |locale: &str| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    environment.var("TERM") != Some("dumb") && locale.is_none_or(is_utf8)
}

/// XDG ignores relative paths, which would be inside of the workspace.
fn folder(environment: &Environment, variables: [&str; 2], default: &str) -> Option<Utf8PathBuf> {
    let base = match variables.iter().find_map(|name| environment.var(name)) {
        Some(base) => Utf8PathBuf::from(base),
        None => Utf8Path::new(environment.var("HOME")?).join(default),
    };
    base.is_absolute().then(|| base.join("faber"))
}

fn user_config(environment: &Environment) -> Option<Utf8PathBuf> {
    let home = match environment.var("XDG_CONFIG_HOME") {
        Some(home) => Utf8PathBuf::from(home),
        None => Utf8Path::new(environment.var("HOME").or_else(|| environment.var("APPDATA"))?)
            .join(".config"),
    };
    home.is_absolute().then(|| home.join("faber").join("config.yml"))
}

fn principal(text: &str) -> Result<Principal, Error> {
    let help = "write `--as USER` or `--as USER:GROUP,GROUP`";
    let found = Principal::parse(text)
        .ok_or_else(|| Error::usage(format!("no user name in `--as {text}`"), help))?;
    match found.user.as_deref().filter(|user| !is_folder_name(user)) {
        None => Ok(found),
        Some(user) => {
            let help = "it names a directory of overlays, without `/`";
            Err(Error::usage(format!("invalid user name `{user}` in `--as`"), help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(vars: &[(&str, &str)]) -> Environment {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Environment {
            cwd: Utf8PathBuf::new(),
            vars: vars.collect(),
            program: String::new(),
            stdout_is_terminal: true,
            stderr_is_terminal: true,
            fetching: |_| (),
            clocks: Clocks { elapsed: || std::time::Duration::ZERO, now: jiff::Zoned::default },
            width: None,
        }
    }

    #[test]
    fn a_dumb_terminal_has_no_color() {
        let shows = |vars: &[(&str, &str)]| shows_color(&environment(vars), true);
        assert!(shows(&[]) && shows(&[("TERM", "xterm")]));
        assert!(!shows(&[("TERM", "dumb")]) && !shows(&[("NO_COLOR", "1")]));
        let forced = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        assert!(!shows(&[("CLICOLOR", "0")]) && !shows(&forced));
        assert!(shows_color(&environment(&forced[..1]), false));
        assert!(!shows_color(&environment(&[("CLICOLOR_FORCE", "0")]), false));
    }

    #[test]
    fn a_terminal_shows_unicode_unless_it_says_otherwise() {
        let shows = |vars: &[(&str, &str)]| shows_unicode(&environment(vars));
        assert!(shows(&[]) && shows(&[("LANG", "de_DE.UTF-8")]) && shows(&[("LC_ALL", "C.utf8")]));
        assert!(!shows(&[("LANG", "C")]) && !shows(&[("TERM", "dumb")]));
        assert!(!shows(&[("LC_ALL", "POSIX"), ("LANG", "en_GB.UTF-8")]), "the first decides");
    }
}
