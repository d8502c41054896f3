//! The held requests of a connection whose client waits for their replies, so that they leave their queues when it has
//! gone or cancels them. One-way requests stay: the server has accepted them, and runs them without their client.

use std::collections::BTreeMap;

use zorb_giop::{Cancellation, ServedRequest};
use zorb_os::lock::Lock;
use zorb_poa::{HoldQueue, WeakHoldQueue};

/// The held requests of a connection whose client waits for their replies.
#[derive(Debug, Default)]
pub(crate) struct AwaitedRequests(Lock<State>);

#[derive(Debug, Default)]
struct State {
    /// The queue that each is in.
    held: BTreeMap<ServedRequest, WeakHoldQueue>,
    client_has_gone: bool,
}

impl AwaitedRequests {
    /// Adds a request that is about to be held in `queue`; `false` if its client has gone.
    pub(crate) fn add(&self, request: ServedRequest, queue: &HoldQueue) -> bool {
        let mut state = self.0.lock();
        if !state.client_has_gone {
            state.held.insert(request, queue.downgrade());
        }
        !state.client_has_gone
    }

    /// Removes a request that is not held any more; `false` if its client has gone.
    pub(crate) fn remove(&self, request: ServedRequest) -> bool {
        let mut state = self.0.lock();
        state.held.remove(&request);
        !state.client_has_gone
    }

    /// Whether the client has gone: it gets no reply.
    pub(crate) fn client_has_gone(&self) -> bool {
        self.0.lock().client_has_gone
    }

    /// Withdraws them all, because the client has gone. `connection` is the number of theirs.
    pub(crate) fn withdraw_all(&self, connection: usize) {
        let mut state = self.0.lock();
        state.client_has_gone = true;
        let held = std::mem::take(&mut state.held);
        drop(state);
        let mut last: Option<WeakHoldQueue> = None;
        for queue in held.into_values() {
            // Most are in one queue.
            if last.as_ref().is_none_or(|last| !last.is(&queue)) {
                withdraw(&queue, |number, _| number == connection);
                last = Some(queue);
            }
        }
    }

    /// Withdraws those that the client has cancelled.
    pub(crate) fn withdraw_cancelled(&self, cancellation: Cancellation, connection: usize) {
        let state = self.0.lock();
        let all = state.held.range(cancellation.requests());
        let queues: Vec<_> = all.map(|(_, queue)| queue.clone()).collect();
        drop(state);
        for queue in queues {
            withdraw(&queue, |number, request| {
                number == connection && cancellation.requests().contains(&request)
            });
        }
    }
}

fn withdraw(queue: &WeakHoldQueue, is_withdrawn: impl Fn(usize, ServedRequest) -> bool) {
    if let Some(queue) = queue.upgrade() {
        queue.withdraw(is_withdrawn);
    }
}
