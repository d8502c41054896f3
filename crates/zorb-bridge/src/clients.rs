//! The connected clients of a bridge.

use std::sync::Arc;
use std::time::Duration;

use zorb_base::connections::{ConnectionLimits, Connections, SlotKey};
use zorb_os::lock::{Condition, Lock};

use crate::context::Context;
use crate::link::Link;
use crate::statistics::Statistics;
use crate::waiting::Waiting;

/// The connected clients of a bridge, and the statistics of all that have connected.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(crate) context: Arc<Context>,
    pub(crate) connections: Connections<Link>,
    pub(crate) waiting: Waiting,
    /// The statistics of closed connections. Held while one is removed.
    past: Lock<Statistics>,
    /// Notified when a client is removed.
    removed: Condition,
}

impl Clients {
    pub(crate) fn new(context: Context) -> Self {
        let per_peer = context.settings.max_connections_per_peer;
        let limits = ConnectionLimits::new(context.max_connections, per_peer);
        Self {
            context: Arc::new(context),
            connections: Connections::new(limits),
            waiting: Waiting::default(),
            past: Lock::default(),
            removed: Condition::new(),
        }
    }

    /// Removes a client whose threads have ended, or that was not served.
    pub(crate) fn remove(&self, link: &Arc<Link>, slot: SlotKey, was_served: bool) {
        self.context.timing.remove(&link.progress);
        let mut past = self.past.lock();
        if was_served {
            past.add(&link.statistics());
        }
        self.connections.release(slot);
        drop(past);
        self.removed.notify_all();
    }

    pub(crate) fn count(&self) -> usize {
        self.connections.count()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let past = self.past.lock();
        let mut all = *past;
        self.connections.each(|link| all.add(&link.statistics()));
        all
    }

    /// Closes all connections and waits up to `timeout` for their threads.
    pub(crate) fn close(&self, timeout: Duration) {
        self.connections.each(|link| link.close());
        self.waiting.take().iter().for_each(|link| self.reject(link));
        let past = self.past.lock();
        drop(self.removed.wait_while(past, timeout, |_| self.connections.count() > 0));
    }
}
