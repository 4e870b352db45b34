//! A shared store on PostgreSQL: knowledge of many workspaces, searched as the embedded index is.
//!
//! Files stay the truth; the store is a copy that `push` makes again. Start reading at [`Store`], then
//! `migrations/0001_knowledge.sql`, `ask.rs` and `push.rs`.

mod address;
mod ask;
mod audit;
mod connect;
mod erase;
mod error;
mod manage;
mod postings;
mod push;
mod schema;
mod score;
mod space;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::Client;

pub use address::StoreAddress;
pub use ask::{Asker, StoreAnswer, StoreQuestion};
pub use audit::{LogLine, Report, SeenLine};
pub use erase::{ErasureSubject, Forgotten, Pruned};
pub use error::StoreError;
pub use manage::{SpaceStatus, StoreStatus};
pub use push::{PushRequest, Pushed};
pub use schema::Migrated;
pub use space::SpaceName;

use ask::StoreLookup;
use connect::{StorePurpose, begin};
use faber_core::resolve::view::Principal;
use faber_tools::search::retention::Retention;
use faber_tools::search::stored::StoredView;

/// The most time of one answer, after which something else answers.
const ANSWER: Duration = Duration::from_secs(8);

/// A day as PostgreSQL reads it, whose calendar has no year 0; earlier ones are the first that it has.
fn day(date: Date) -> String {
    date.max(jiff::civil::date(1, 1, 1)).to_string()
}

/// What comes of an answer, unless it takes longer.
async fn within<T>(
    patience: Duration,
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let late = |_| StoreError::Away(format!("no answer in {} s", patience.as_secs()));
    tokio::time::timeout(patience, answer).await.map_err(late)?
}

/// The runtime of a connection. It may end within another one, as that of a server that ends.
struct OwnRuntime(Option<Runtime>);

impl OwnRuntime {
    fn new() -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self(Some(runtime.map_err(|error| StoreError::Failed(error.to_string()))?)))
    }

    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.0.as_ref().expect("it is there until it is dropped").block_on(work)
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A connected store. Calls wait for their end; none may be made in a task of another runtime.
pub struct Store {
    runtime: OwnRuntime,
    client: Client,
    address: StoreAddress,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({})", self.address.shown())
    }
}

impl Store {
    /// # Errors
    ///
    /// [`StoreError::Away`] if it cannot be reached, [`StoreError::Usage`] if it refuses.
    pub fn connect(address: &StoreAddress) -> Result<Self, StoreError> {
        let runtime = OwnRuntime::new()?;
        let client = runtime.block_on(within(address.patience(), connect::connect(address)))?;
        Ok(Self { runtime, client, address: address.clone() })
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// # Errors
    ///
    /// [`StoreError::Usage`] if the user may not, or there is one of this name.
    pub fn create_database(&mut self, name: &str) -> Result<(), StoreError> {
        let sql = format!("CREATE DATABASE \"{}\"", name.replace('"', "\"\""));
        Ok(self.runtime.block_on(self.client.batch_execute(&sql))?)
    }

    /// Applies the migrations that are missing; `create` makes a new schema.
    ///
    /// # Errors
    ///
    /// [`StoreError::Usage`] if a newer or another program made the schema.
    pub fn migrate(&mut self, create: bool) -> Result<Migrated, StoreError> {
        self.runtime.block_on(schema::migrate(&mut self.client, create))
    }

    /// Replaces a space by a view, without what is older than the store keeps.
    ///
    /// # Errors
    ///
    /// Errors of the database; then nothing has changed.
    pub fn push(
        &mut self,
        request: PushRequest<'_>,
        view: StoredView,
    ) -> Result<Pushed, StoreError> {
        self.runtime.block_on(push::push(&mut self.client, request, view))
    }

    /// What the store has for an answer.
    ///
    /// # Errors
    ///
    /// [`StoreError::Away`] if it cannot answer now.
    pub fn ask(
        &mut self,
        asker: Asker<'_>,
        wanted: StoreQuestion<'_>,
    ) -> Result<StoreAnswer, StoreError> {
        self.ask_behind(asker, wanted, true)
    }

    fn ask_behind(
        &mut self,
        asker: Asker<'_>,
        wanted: StoreQuestion<'_>,
        has_wall: bool,
    ) -> Result<StoreAnswer, StoreError> {
        self.runtime.block_on(within(ANSWER, async {
            let transaction = begin(&mut self.client, StorePurpose::Read).await?;
            let state = schema::check(&transaction, false).await?;
            StoreLookup { transaction, state, asker, has_wall }.answer(wanted).await
        }))
    }

    /// # Errors
    ///
    /// Errors of the database.
    pub fn status(&mut self) -> Result<StoreStatus, StoreError> {
        self.runtime.block_on(manage::status(&mut self.client))
    }

    /// Removes a space. Gives back the number of its items; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Errors of the database; then nothing has changed.
    pub fn drop_space(&mut self, space: &SpaceName) -> Result<Option<i64>, StoreError> {
        self.runtime.block_on(manage::drop_space(&mut self.client, space))
    }

    /// The source files of a space that a principal may see, by path.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn files(
        &mut self,
        principal: &Principal,
        space: &SpaceName,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        self.runtime.block_on(manage::files(&mut self.client, principal, space))
    }

    /// Names the log of this store: that of another store has another name.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn log_identity(&mut self) -> Result<String, StoreError> {
        self.runtime.block_on(audit::identity(&mut self.client))
    }

    /// Adds the lines of a log that the store does not have. Gives back how many.
    ///
    /// # Errors
    ///
    /// Errors of the database; then nothing has changed.
    pub fn ship(&mut self, lines: &[LogLine]) -> Result<u64, StoreError> {
        self.runtime.block_on(audit::ship(&mut self.client, lines))
    }

    /// The lines of a report since a time, oldest first.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn report(
        &mut self,
        report: Report<'_>,
        since: Timestamp,
    ) -> Result<Vec<SeenLine>, StoreError> {
        self.runtime.block_on(audit::report(&mut self.client, report, since))
    }

    /// Calls back with all lines of logs since a time, oldest first.
    ///
    /// # Errors
    ///
    /// Errors of the database.
    pub fn log(&mut self, since: Timestamp, each: impl FnMut(&str)) -> Result<(), StoreError> {
        self.runtime.block_on(audit::lines(&mut self.client, since, each))
    }

    /// # Errors
    ///
    /// Errors of the database; then nothing has changed.
    pub fn forget(&mut self, subject: ErasureSubject<'_>) -> Result<Forgotten, StoreError> {
        self.runtime.block_on(erase::forget(&mut self.client, subject))
    }

    /// Erases what is older than a retention keeps. It does not come back with later pushes and logs.
    ///
    /// # Errors
    ///
    /// Errors of the database; then nothing has changed.
    pub fn prune(&mut self, retention: &Retention) -> Result<Pruned, StoreError> {
        self.runtime.block_on(erase::prune(&mut self.client, retention))
    }
}

#[cfg(test)]
mod tests;
