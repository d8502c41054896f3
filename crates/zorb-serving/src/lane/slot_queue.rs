//! The connections of a lane that wait for slots.

use std::collections::VecDeque;
use std::sync::Arc;

use zorb_base::connections::{Connections, Reserved};
use zorb_base::threads::Running;
use zorb_os::lock::Lock;
use zorb_transport::{Protocol, Stream, ip_address};

/// How many wait in one lane: each has a descriptor. When there are more, the first one is rejected, as the one that has been
/// idle for longest is closed: so a flood does not keep out whoever comes after it.
const MAX_WAITING: usize = 64;

/// The connections of a lane that wait for slots, in their order.
#[derive(Debug, Default)]
pub(super) struct SlotQueue(Lock<VecDeque<AwaitsSlot>>);

/// One of them.
#[derive(Debug)]
pub(super) struct AwaitsSlot {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) stream: Arc<dyn Stream>,
    /// For those who wait for the threads of the lane's pool.
    pub(super) _running: Option<Running>,
}

impl SlotQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Adds a connection. Returns whether it is the only one, and the first one if there are too many.
    pub(super) fn add(&self, newcomer: AwaitsSlot) -> (bool, Option<AwaitsSlot>) {
        let mut queue = self.0.lock();
        let first = (queue.len() >= MAX_WAITING).then(|| queue.pop_front()).flatten();
        queue.push_back(newcomer);
        (queue.len() == 1, first)
    }

    /// The first connection, if there is a slot for it.
    pub(super) fn next<C>(&self, connections: &Connections<C>) -> Option<(Reserved, AwaitsSlot)> {
        let mut queue = self.0.lock();
        let reserved = connections.reserve(ip_address(&*queue.front()?.stream))?;
        Some((reserved, queue.pop_front()?))
    }

    /// Removes all.
    pub(super) fn take(&self) -> VecDeque<AwaitsSlot> {
        std::mem::take(&mut *self.0.lock())
    }
}
