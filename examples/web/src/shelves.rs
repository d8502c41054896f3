//! The object: a servant that asks a database.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::backends::InMemoryBackend;
use redb::{Builder, Database, ReadableTable as _, TableDefinition};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use zorb::{CompletionStatus, MinorCode, SystemException};

use crate::shop::stock::NumberError;
use crate::shop::{StockAsyncServant, UnknownArticle};

/// How many there are of each article.
const NUMBERS: TableDefinition<'_, &str, i32> = TableDefinition::new("numbers");

/// What may happen to the database.
type Failure = Box<dyn Error + Send + Sync>;

/// The shelves of the shop, which are in a database.
pub(crate) struct Shelves {
    database: Arc<Database>,
    delivered: Notify,
    is_closed: AtomicBool,
}

impl Shelves {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let database = Builder::new().create_with_backend(InMemoryBackend::new())?;
        let write = database.begin_write()?;
        write.open_table(NUMBERS)?;
        write.commit()?;
        Ok(Self {
            database: Arc::new(database),
            delivered: Notify::new(),
            is_closed: AtomicBool::new(false),
        })
    }

    /// Ends all calls that wait for deliveries.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.delivered.notify_waiters();
    }

    /// Asks the database on a thread that may wait for it.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Database) -> Result<T, Failure> + Send + 'static,
    ) -> zorb::Result<T> {
        let database = Arc::clone(&self.database);
        match spawn_blocking(move || question(&database)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(_) => {
                Err(SystemException::persist_store(MinorCode::NONE, CompletionStatus::Maybe))
            }
        }
    }

    async fn number_of(&self, article: &str) -> zorb::Result<Option<i32>> {
        let article = article.to_owned();
        let look_up = move |database: &Database| {
            let numbers = database.begin_read()?.open_table(NUMBERS)?;
            Ok(numbers.get(&*article)?.map(|number| number.value()))
        };
        self.ask(look_up).await
    }
}

impl StockAsyncServant for Shelves {
    async fn number(self: Arc<Self>, article: String) -> Result<i32, NumberError> {
        match self.number_of(&article).await? {
            Some(number) => Ok(number),
            None => Err(UnknownArticle { article })?,
        }
    }

    async fn deliver(self: Arc<Self>, article: String, number: i32) -> zorb::Result<i32> {
        let add = move |database: &Database| {
            let write = database.begin_write()?;
            let mut numbers = write.open_table(NUMBERS)?;
            let before = numbers.get(&*article)?.map_or(0, |number| number.value());
            let after = before.saturating_add(number);
            numbers.insert(&*article, after)?;
            drop(numbers);
            write.commit()?;
            Ok(after)
        };
        let number = self.ask(add).await?;
        self.delivered.notify_waiters();
        Ok(number)
    }

    async fn wait_for(self: Arc<Self>, article: String) -> zorb::Result<i32> {
        loop {
            // It notices what is delivered from here on.
            let delivered = self.delivered.notified();
            if self.is_closed.load(Ordering::SeqCst) {
                return Err(SystemException::transient(MinorCode::NONE, CompletionStatus::No));
            }
            if let Some(number) = self.number_of(&article).await?
                && number > 0
            {
                return Ok(number);
            }
            delivered.await;
        }
    }
}
