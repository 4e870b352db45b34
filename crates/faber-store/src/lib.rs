//! A shared knowledge store on PostgreSQL. Start at [`Store`] and `migrations/0001_knowledge.sql`.

mod address;
mod ask;
mod audit;
mod columns;
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
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::Client;

pub use address::StoreAddress;
pub use ask::{Requester, StoreAnswer, StoreQuestion};
pub use audit::{CallData, LogLine, Report};
pub use erase::{ErasureSubject, Forgotten, Pruned};
pub use error::StoreError;
pub use manage::StoreStatus;
pub use push::{PushRequest, Pushed};
pub use schema::Migrated;
pub use space::SpaceName;

use ask::StoreLookup;
use connect::{StorePurpose, begin};
use faber_core::resolve::view::Principal;
use faber_tools::search::retention::Retention;
use faber_tools::search::stored::StoredView;

const ANSWER: Duration = Duration::from_secs(8);

async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let late = |_| StoreError::Unavailable(format!("no answer in {} s", limit.as_secs()));
    tokio::time::timeout(limit, answer).await.map_err(late)?
}

/// May be dropped within another runtime.
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

/// Synchronous; not for tasks of another runtime.
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
    /// [`StoreError::Unavailable`] if unreachable, [`StoreError::Usage`] if refused.
    pub fn connect(address: &StoreAddress) -> Result<Self, StoreError> {
        let runtime = OwnRuntime::new()?;
        let client =
            runtime.block_on(within(address.connect_timeout(), connect::connect(address)))?;
        Ok(Self { runtime, client, address: address.clone() })
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// # Errors
    ///
    /// [`StoreError::Usage`] if forbidden or the database exists.
    pub fn create_database(&mut self, name: &str) -> Result<(), StoreError> {
        let sql = format!("CREATE DATABASE \"{}\"", name.replace('"', "\"\""));
        Ok(self.runtime.block_on(self.client.batch_execute(&sql))?)
    }

    /// Applies missing migrations. `create` allows a new schema.
    ///
    /// # Errors
    ///
    /// [`StoreError::Usage`] if the schema is newer or modified.
    pub fn migrate(&mut self, create: bool) -> Result<Migrated, StoreError> {
        self.runtime.block_on(schema::migrate(&mut self.client, create))
    }

    /// # Errors
    ///
    /// Database errors; all or nothing is written.
    pub fn push(
        &mut self,
        request: PushRequest<'_>,
        view: StoredView,
    ) -> Result<Pushed, StoreError> {
        self.runtime.block_on(push::push(&mut self.client, request, view))
    }

    /// # Errors
    ///
    /// [`StoreError::Unavailable`] if unavailable.
    pub fn ask(
        &mut self,
        asker: Requester<'_>,
        wanted: StoreQuestion<'_>,
    ) -> Result<StoreAnswer, StoreError> {
        self.ask_with(asker, wanted, true)
    }

    fn ask_with(
        &mut self,
        asker: Requester<'_>,
        wanted: StoreQuestion<'_>,
        filters_access: bool,
    ) -> Result<StoreAnswer, StoreError> {
        self.runtime.block_on(within(ANSWER, async {
            let transaction = begin(&mut self.client, StorePurpose::Read).await?;
            let state = schema::check(&transaction, false).await?;
            StoreLookup { transaction, state, asker, filters_access }.answer(wanted).await
        }))
    }

    /// # Errors
    ///
    /// Database errors.
    pub fn status(&mut self) -> Result<StoreStatus, StoreError> {
        self.runtime.block_on(manage::status(&mut self.client))
    }

    /// Returns the number of items; `None` without the space.
    ///
    /// # Errors
    ///
    /// Database errors.
    pub fn drop_space(&mut self, space: &SpaceName) -> Result<Option<i64>, StoreError> {
        self.runtime.block_on(manage::drop_space(&mut self.client, space))
    }

    /// # Errors
    ///
    /// Database errors.
    pub fn files(
        &mut self,
        principal: &Principal,
        space: &SpaceName,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        self.runtime.block_on(manage::files(&mut self.client, principal, space))
    }

    /// # Errors
    ///
    /// Database errors.
    pub fn log_identity(&mut self) -> Result<String, StoreError> {
        self.runtime.block_on(audit::identity(&mut self.client))
    }

    /// Returns the number of new lines.
    ///
    /// # Errors
    ///
    /// Database errors.
    pub fn ship(&mut self, lines: &[LogLine]) -> Result<u64, StoreError> {
        self.runtime.block_on(audit::ship(&mut self.client, lines))
    }

    /// # Errors
    ///
    /// Database errors.
    pub fn report(
        &mut self,
        report: Report<'_>,
        since: Timestamp,
    ) -> Result<Vec<CallData>, StoreError> {
        self.runtime.block_on(audit::report(&mut self.client, report, since))
    }

    /// # Errors
    ///
    /// Database errors.
    pub fn log(&mut self, since: Timestamp, each: impl FnMut(&str)) -> Result<(), StoreError> {
        self.runtime.block_on(audit::lines(&mut self.client, since, each))
    }

    /// # Errors
    ///
    /// Database errors.
    pub fn forget(&mut self, subject: ErasureSubject<'_>) -> Result<Forgotten, StoreError> {
        self.runtime.block_on(erase::forget(&mut self.client, subject))
    }

    /// Later pushes do not bring expired data back.
    ///
    /// # Errors
    ///
    /// Database errors.
    pub fn prune(&mut self, retention: &Retention) -> Result<Pruned, StoreError> {
        self.runtime.block_on(erase::prune(&mut self.client, retention))
    }
}

#[cfg(test)]
mod tests;
