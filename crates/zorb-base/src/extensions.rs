//! The extensions that other crates add to an ORB.

use std::fmt;
use std::sync::Arc;

use crate::compression::Compression;
use crate::interceptor::{Interceptors, SlotId};
use crate::policy::{NetworkPriorities, PolicyReaders};

/// The extensions that other crates have added to an ORB.
#[derive(Clone, Debug, Default)]
pub struct Extensions {
    /// The factories of request interceptors.
    pub interceptors: Interceptors,
    /// The slots of `PortableInterceptor::Current`.
    pub slots: Vec<SlotId>,
    /// The policies that are read from references.
    pub readers: PolicyReaders,
    /// The network priorities of connections.
    pub network: Option<NetworkPriorities>,
    /// The priorities of threads that serve outside pools.
    pub thread_priorities: Option<ThreadPriorities>,
    /// The compression of messages.
    pub compression: Option<Arc<dyn Compression>>,
}

/// Sets the priority of threads that serve a connection of a priority band, outside the lanes of pools.
///
/// It is not an interceptor, because a band belongs to a connection: its threads have the priority before they read a
/// request. Requests of other connections execute no instruction more for it (`plain` and `attached` of
/// `tests/costs/instructions.toml`).
#[derive(Clone)]
pub struct ThreadPriorities {
    set: Arc<dyn Fn(i16) + Send + Sync>,
    /// The maximum priority that clients can cause.
    pub max: i16,
}

impl ThreadPriorities {
    /// Calls `set` with at most `max`.
    pub fn new(max: i16, set: Arc<dyn Fn(i16) + Send + Sync>) -> Self {
        Self { set, max }
    }

    /// Sets the priority of the calling thread, if the system permits it.
    pub fn set(&self, priority: i16) {
        (self.set)(priority);
    }
}

impl fmt::Debug for ThreadPriorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPriorities").field("max", &self.max).finish_non_exhaustive()
    }
}
