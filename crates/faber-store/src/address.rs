use std::time::Duration;

use camino::Utf8PathBuf;
use tokio_postgres::config::{Config, Host, SslMode};

use crate::error::StoreError;

const CONNECT: Duration = Duration::from_secs(3);
const KEEPALIVE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub struct StoreAddress {
    pub(crate) config: Config,
    pub(crate) tls: Tls,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tls {
    Off,
    Verified(Option<Utf8PathBuf>),
}

impl StoreAddress {
    /// Defaults to libpq's variables. Networks need verified TLS unless `sslmode` is `disable`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Usage`] if invalid.
    pub fn parse(text: &str, vars: &[(String, String)]) -> Result<Self, StoreError> {
        let var = |name: &str| {
            let found = vars.iter().find(|(key, value)| key == name && !value.is_empty());
            found.map(|(_, value)| value.clone())
        };
        let (text, [mode, authorities]) = without_tls(text);
        let invalid = |_| {
            StoreError::usage(
                "invalid address of the store",
                "write it as `postgres://USER:PASSWORD@HOST:PORT/DATABASE`",
            )
        };
        let mut config: Config = text.parse().map_err(invalid)?;
        // The host name would contain part of the password, and is shown.
        let has_at = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
        if config.get_hosts().iter().any(has_at) {
            return Err(StoreError::usage(
                "the address of the store has more than one `@`",
                "write `@` in a user or password as `%40`",
            ));
        }
        if config.get_hosts().is_empty() {
            config.host(var("PGHOST").unwrap_or_else(|| "localhost".to_owned()));
        }
        let port = var("PGPORT").and_then(|port| port.parse().ok());
        if let Some(port) = port.filter(|_| config.get_ports().is_empty()) {
            config.port(port);
        }
        let user = ["PGUSER", "USER", "USERNAME"].into_iter().find_map(var);
        if let Some(user) = user.filter(|_| config.get_user().is_none()) {
            config.user(user);
        }
        if let Some(password) = var("PGPASSWORD").filter(|_| config.get_password().is_none()) {
            config.password(password);
        }
        if let Some(name) = var("PGDATABASE").filter(|_| config.get_dbname().is_none()) {
            config.dbname(name);
        }
        if config.get_connect_timeout().is_none() {
            let seconds = var("PGCONNECT_TIMEOUT").and_then(|seconds| seconds.parse().ok());
            config.connect_timeout(seconds.map_or(CONNECT, Duration::from_secs));
        }
        config.application_name("faber");
        config.keepalives_idle(KEEPALIVE);
        #[cfg(target_os = "linux")]
        config.tcp_user_timeout(2 * KEEPALIVE);
        let mode = mode.or_else(|| var("PGSSLMODE"));
        let authorities = authorities.or_else(|| var("PGSSLROOTCERT"));
        let is_local = config.get_hosts().iter().all(is_local)
            && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback);
        let tls = tls(mode.as_deref(), authorities, is_local)?;
        config.ssl_mode(if tls == Tls::Off { SslMode::Disable } else { SslMode::Require });
        Ok(Self { config, tls })
    }

    pub(crate) fn connect_timeout(&self) -> Duration {
        *self.config.get_connect_timeout().unwrap_or(&CONNECT)
    }

    pub fn is_address(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    pub fn shown(&self) -> String {
        let host = |host: &Host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        };
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host).collect();
        let ports: Vec<String> = self.config.get_ports().iter().map(u16::to_string).collect();
        let port = if ports.is_empty() { "5432".to_owned() } else { ports.join(",") };
        let name = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("{}:{port}/{name}", hosts.join(","))
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address: Option<std::net::IpAddr> = name.parse().ok();
            name == "localhost" || address.is_some_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn tls(mode: Option<&str>, authorities: Option<String>, is_local: bool) -> Result<Tls, StoreError> {
    match mode {
        Some("disable") => Ok(Tls::Off),
        None | Some("prefer" | "allow") if is_local => Ok(Tls::Off),
        None | Some("prefer" | "allow" | "require" | "verify-ca" | "verify-full") => {
            Ok(Tls::Verified(authorities.map(Utf8PathBuf::from)))
        }
        Some(other) => Err(StoreError::usage(
            format!("unknown `sslmode` `{other}`"),
            "use `verify-full`, or `disable` for a connection that no other machine can read",
        )),
    }
}

fn without_tls(text: &str) -> (String, [Option<String>; 2]) {
    let (mut mode, mut authorities, mut left) = (None, None, Vec::new());
    let Some((start, query)) = text.split_once('?') else {
        return (text.to_owned(), [mode, authorities]);
    };
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value.to_owned()),
            Some(("sslrootcert", value)) => authorities = Some(value.replace("%2F", "/")),
            _ => left.push(pair),
        }
    }
    let mark = if left.is_empty() { "" } else { "?" };
    (format!("{start}{mark}{}", left.join("&")), [mode, authorities])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_an_address_leaves_out_is_of_libpq() {
        let vars = vars(&[("PGHOST", "db.example"), ("PGUSER", "ada"), ("PGDATABASE", "shared")]);
        let address = StoreAddress::parse("postgres://", &vars).unwrap();
        assert_eq!(address.shown(), "db.example:5432/shared");
        assert_eq!(address.config.get_user(), Some("ada"));
        let own = "postgresql://bob:secret@localhost:6000/own";
        let address = StoreAddress::parse(own, &vars).unwrap();
        assert_eq!(address.shown(), "localhost:6000/own");
        assert_eq!(address.config.get_user(), Some("bob"));
    }

    #[test]
    fn a_network_is_encrypted_and_verified() {
        let tls = |text: &str| StoreAddress::parse(text, &[]).map(|address| address.tls);
        assert_eq!(tls("postgres://db.example/x").unwrap(), Tls::Verified(None));
        assert_eq!(tls("postgres://db.example/x?sslmode=require").unwrap(), Tls::Verified(None));
        assert_eq!(tls("postgres://db.example/x?sslmode=disable").unwrap(), Tls::Off);
        assert_eq!(tls("postgres://127.0.0.1/x").unwrap(), Tls::Off);
        let elsewhere = "postgres://localhost/x?hostaddr=203.0.113.5";
        assert_eq!(tls(elsewhere).unwrap(), Tls::Verified(None));
        let own = tls("postgres://127.0.0.1/x?sslmode=verify-full&sslrootcert=/ca.pem").unwrap();
        assert_eq!(own, Tls::Verified(Some("/ca.pem".into())));
        assert!(tls("postgres://h/x?sslmode=sometimes").is_err());
        assert!(tls("mysql://h/x").is_err());
        let error = tls("postgres://ada:pass@word@db.example/x").unwrap_err().to_string();
        assert!(error.contains("more than one `@`") && !error.contains("word"), "{error}");
        assert!(tls("postgres://ada:pass%40word@db.example/x").is_ok());
    }
}
