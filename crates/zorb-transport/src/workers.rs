//! Threads that a transport has of its own.

use std::fmt;
use std::sync::Arc;

/// What those threads are like that a transport has of its own for one endpoint: over datagrams, one that
/// receives for all connections and one that keeps the time. They work for whoever listens, and are to
/// be scheduled as the threads that serve what they bring.
pub trait WorkerThreads: fmt::Debug + Send + Sync + 'static {
    /// Called by each of them before anything else.
    fn begin(&self);

    /// The calling one has something to do. Default: nobody wants to know.
    fn turn_begins(&self) {}

    /// It is about to wait. Default: nobody wants to know.
    fn turn_ends(&self) {}
}

/// [`WorkerThreads`] of somebody, or of nobody: these are as the system starts them. Equal when they are
/// the same.
#[derive(Clone, Debug, Default)]
pub struct Workers(Option<Arc<dyn WorkerThreads>>);

impl Workers {
    /// Threads that are like this.
    #[must_use]
    pub fn of(threads: Arc<dyn WorkerThreads>) -> Self {
        Self(Some(threads))
    }

    /// Whether nobody says what they are like.
    #[must_use]
    pub fn are_anyones(&self) -> bool {
        self.0.is_none()
    }

    /// See [`WorkerThreads::begin`].
    pub fn begin(&self) {
        self.each(|threads| threads.begin());
    }

    /// See [`WorkerThreads::turn_begins`].
    pub fn turn_begins(&self) {
        self.each(|threads| threads.turn_begins());
    }

    /// See [`WorkerThreads::turn_ends`].
    pub fn turn_ends(&self) {
        self.each(|threads| threads.turn_ends());
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
