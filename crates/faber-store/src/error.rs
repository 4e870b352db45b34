use tokio_postgres::error::SqlState;

use faber_core::error::Error;

#[derive(Debug)]
pub enum StoreError {
    /// Callers may use another source.
    Unavailable(String),
    Usage(String, String),
    Failed(String),
}

impl StoreError {
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage(message.into(), help.into())
    }

    pub(crate) fn damaged(what: &str) -> Self {
        Self::usage(
            format!("{what} in the store cannot be read"),
            "run `faber store push` for its space again",
        )
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unavailable(why) | Self::Failed(why) | Self::Usage(why, _) => f.write_str(why),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Usage(message, help) => Self::usage(message, help),
            StoreError::Unavailable(why) => Self::usage(
                format!("the store is not available: {why}"),
                "check that PostgreSQL runs and that its address is right",
            ),
            StoreError::Failed(why) => Self::usage(
                format!("the store failed: {why}"),
                "nothing was changed; see the log of PostgreSQL",
            ),
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(db) = error.as_db_error() else {
            let cause = std::error::Error::source(&error);
            return Self::Unavailable(cause.map_or_else(|| error.to_string(), ToString::to_string));
        };
        let why = db.message().to_owned();
        match *db.code() {
            SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                Self::usage(why, "check user and password of the store's address")
            }
            SqlState::INVALID_CATALOG_NAME => {
                Self::usage(why, "create the database, or name another one in the address")
            }
            SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => no_schema(),
            SqlState::UNDEFINED_OBJECT | SqlState::INVALID_PARAMETER_VALUE
                if why.contains("faber_") =>
            {
                no_schema()
            }
            SqlState::INSUFFICIENT_PRIVILEGE => Self::usage(
                why,
                "this needs another database role: `faber_reader` to search, `faber_writer` to push, `faber_admin` to manage, the owner of the schema to migrate",
            ),
            SqlState::QUERY_CANCELED
            | SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::TOO_MANY_CONNECTIONS
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            | SqlState::LOCK_NOT_AVAILABLE => Self::Unavailable(why),
            _ => Self::Failed(why),
        }
    }
}

pub(crate) fn no_schema() -> StoreError {
    StoreError::usage(
        "the database has no faber store",
        "run `faber store init` as the owner of the database",
    )
}
