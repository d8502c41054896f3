//! The clients of a bridge that wait until others have ended.

use std::collections::VecDeque;
use std::sync::Arc;

use zorb_base::connections::{Connections, Reserved};
use zorb_os::lock::Lock;

use crate::link::Link;

/// The most clients that wait at a time, as each holds a descriptor. One more rejects the client that has waited longest.
const MAX_WAITING: usize = 64;

/// The clients that wait, in their order.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Lock<VecDeque<Arc<Link>>>);

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Adds a client. Returns the first one if there are too many.
    #[must_use]
    pub(crate) fn add(&self, link: &Arc<Link>) -> Option<Arc<Link>> {
        let mut links = self.0.lock();
        links.push_back(Arc::clone(link));
        (links.len() > MAX_WAITING).then(|| links.pop_front()).flatten()
    }

    /// Removes a client; returns whether it was still waiting.
    pub(crate) fn remove(&self, link: &Arc<Link>) -> bool {
        let mut links = self.0.lock();
        let known = links.iter().position(|known| Arc::ptr_eq(known, link));
        known.and_then(|known| links.remove(known)).is_some()
    }

    /// Removes all.
    pub(crate) fn take(&self) -> VecDeque<Arc<Link>> {
        std::mem::take(&mut *self.0.lock())
    }

    /// The first client, if there is a slot for it.
    pub(crate) fn next(&self, connections: &Connections<Link>) -> Option<(Reserved, Arc<Link>)> {
        let mut links = self.0.lock();
        let reserved = connections.reserve(links.front()?.address)?;
        Some((reserved, links.pop_front()?))
    }
}
