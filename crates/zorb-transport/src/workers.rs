//! Worker threads of transports.

use std::fmt;
use std::sync::Arc;

/// Configures the threads that a transport has for an endpoint: over datagrams, one that receives
/// for all connections and one for timers. They work for the server, and should be scheduled like
/// the threads that process the requests: lanes, which are above transports, implement it.
pub trait WorkerThreads: fmt::Debug + Send + Sync + 'static {
    /// Called by each thread at its start.
    fn begin(&self);

    /// The calling thread starts to process something. Default: does nothing.
    fn work_begins(&self) {}

    /// The calling thread is about to wait. Default: does nothing.
    fn work_ends(&self) {}
}

/// A shared [`WorkerThreads`], or none: then threads run as the system starts them. Equal if both
/// are the same.
#[derive(Clone, Debug, Default)]
pub struct Workers(Option<Arc<dyn WorkerThreads>>);

impl Workers {
    /// Worker threads with this configuration.
    #[must_use]
    pub fn of(threads: Arc<dyn WorkerThreads>) -> Self {
        Self(Some(threads))
    }

    /// Whether there is no configuration.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.0.is_none()
    }

    /// See [`WorkerThreads::begin`].
    pub fn begin(&self) {
        self.each(|threads| threads.begin());
    }

    /// See [`WorkerThreads::work_begins`].
    pub fn work_begins(&self) {
        self.each(|threads| threads.work_begins());
    }

    /// See [`WorkerThreads::work_ends`].
    pub fn work_ends(&self) {
        self.each(|threads| threads.work_ends());
    }

    fn each(&self, tell: impl FnOnce(&dyn WorkerThreads)) {
        if let Some(threads) = &self.0 {
            tell(&**threads);
        }
    }
}

impl PartialEq for Workers {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Workers {}
