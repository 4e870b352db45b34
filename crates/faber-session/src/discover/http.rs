//! Runs `curl`, without the user's configuration.

use std::time::Duration;

use crate::discover::program::{self, ProgramLimits};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs::declare::is_loopback;

const TIMEOUT: Duration = Duration::from_secs(300);
const MARK: &str = "faber-status ";

/// Needs HTTPS, or HTTP on this machine. Follows no redirect.
pub(crate) fn get(url: &str, max_bytes: u64) -> Result<Vec<u8>, Error> {
    let is_loopback = is_loopback(url);
    let mut command = program::command("curl");
    // `-q` must be first.
    command.args(["-q", "-sS", "-g", "--connect-timeout", "30", "--max-time", "240"]);
    command.args(["--proto", if is_loopback { "=http" } else { "=https" }]);
    command.args(["--max-filesize", &max_bytes.to_string(), "--user-agent", "faber"]);
    command
        .args(["--write-out", &format!("%{{stderr}}\\n{MARK}%{{http_code}} %{{redirect_url}}\\n")]);
    if is_loopback {
        command.args(["--noproxy", "*"]);
    }
    command.args(["--url", url]).env("LC_ALL", "C");
    let fail = |message: String| Error::Command {
        command: format!("curl {url}"),
        message,
        help: Some("check the address and the network, and that curl is installed".to_owned()),
    };
    let limits = ProgramLimits { timeout: TIMEOUT, max_bytes };
    let answer = program::run(&mut command, Vec::new(), limits).map_err(fail)?;
    let marked = answer.errors.lines().rev().find_map(|line| line.strip_prefix(MARK));
    let (status, redirect) = marked.and_then(|line| line.split_once(' ')).unwrap_or_default();
    if !redirect.is_empty() {
        let message = format!("`{url}` redirects to `{}`", Visible(redirect));
        return Err(Error::usage(message, "declare that address, if you trust it"));
    }
    if !answer.status.success() {
        let said = answer.errors.lines().find(|line| !line.is_empty() && !line.starts_with(MARK));
        return Err(fail(Visible(said.unwrap_or("it failed")).to_string()));
    }
    if status != "200" {
        let message = format!("`{url}` answers with status {}", Visible(status));
        return Err(Error::usage(message, "check the address"));
    }
    Ok(answer.output)
}
