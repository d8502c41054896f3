//! The connected clients of a bridge.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use zorb_os::lock::{Condition, Lock, Locked};

use crate::context::Context;
use crate::link::Link;
use crate::statistics::Statistics;

/// The connected clients of a bridge, and the statistics of all that have connected.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(crate) context: Arc<Context>,
    links: Lock<Links>,
    /// Notified when a client is removed.
    removed: Condition,
}

#[derive(Debug, Default)]
struct Links {
    open: HashMap<u64, Arc<Link>>,
    next: u64,
    /// The statistics of closed connections.
    past: Statistics,
}

impl Clients {
    pub(crate) fn new(context: Context) -> Self {
        let (links, removed) = (Lock::default(), Condition::new());
        Self { context: Arc::new(context), links, removed }
    }

    fn links(&self) -> Locked<'_, Links> {
        self.links.lock()
    }

    /// Adds a client unless the limit is reached; returns its number.
    pub(crate) fn add(&self, link: &Arc<Link>) -> Option<u64> {
        let mut links = self.links();
        let limit = self.context.settings.max_connections;
        if links.open.len() >= limit || self.context.is_closed() {
            return None;
        }
        let number = links.next;
        links.next += 1;
        links.open.insert(number, Arc::clone(link));
        Some(number)
    }

    pub(crate) fn remove(&self, number: u64) {
        let mut links = self.links();
        if let Some(link) = links.open.remove(&number) {
            links.past.add(&link.statistics());
        }
        drop(links);
        self.removed.notify_all();
    }

    pub(crate) fn count(&self) -> usize {
        self.links().open.len()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let links = self.links();
        let mut all = links.past;
        links.open.values().for_each(|link| all.add(&link.statistics()));
        all
    }

    /// Closes all connections and waits up to `timeout` for their threads.
    pub(crate) fn close(&self, timeout: Duration) {
        let links = self.links();
        links.open.values().for_each(|link| link.close());
        drop(self.removed.wait_while(links, timeout, |links| !links.open.is_empty()));
    }
}
