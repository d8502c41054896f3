//! The held requests of a connection whose client waits for their replies, so that they leave their queues when it
//! disconnects or cancels them. One-way requests stay: the server has accepted them, and runs them without their
//! client.

use std::collections::BTreeMap;

use zorb_giop::{Cancellation, ServedRequest};
use zorb_os::lock::Lock;
use zorb_poa::WeakHoldQueue;

/// The held requests of a connection whose client waits for their replies.
#[derive(Debug, Default)]
pub(crate) struct AwaitedRequests(Lock<State>);

#[derive(Debug, Default)]
struct State {
    held: BTreeMap<ServedRequest, Awaited>,
    client_has_gone: bool,
}

#[derive(Debug)]
struct Awaited {
    /// The queue that it is in, or will be.
    queue: WeakHoldQueue,
    /// Whether its client has cancelled it, perhaps before it was in the queue.
    is_cancelled: bool,
}

impl AwaitedRequests {
    /// Adds a request that is about to be held in `queue`; `false` if its client has gone.
    pub(crate) fn add(&self, request: ServedRequest, queue: WeakHoldQueue) -> bool {
        let mut state = self.0.lock();
        if !state.client_has_gone {
            let awaited = Awaited { queue, is_cancelled: false };
            state.held.insert(request, awaited);
        }
        !state.client_has_gone
    }

    /// Removes a request that is not held any more; `false` if its client has gone.
    pub(crate) fn remove(&self, request: ServedRequest) -> bool {
        let mut state = self.0.lock();
        state.held.remove(&request);
        !state.client_has_gone
    }

    /// Whether nobody awaits a request that has been added any more: its client has gone or has cancelled it. Ask this
    /// once the request is in its queue: what happened before has not found it there.
    pub(crate) fn is_withdrawn(&self, request: ServedRequest) -> bool {
        let state = self.0.lock();
        let is_cancelled = state.held.get(&request).is_some_and(|awaited| awaited.is_cancelled);
        state.client_has_gone || is_cancelled
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
        for Awaited { queue, .. } in held.into_values() {
            // Most are in one queue.
            if last.as_ref().is_none_or(|last| !last.is(&queue)) {
                withdraw(&queue, |number, _| number == connection);
                last = Some(queue);
            }
        }
    }

    /// Withdraws those that the client has cancelled.
    pub(crate) fn withdraw_cancelled(&self, cancellation: Cancellation, connection: usize) {
        let mut state = self.0.lock();
        let mut queues = Vec::new();
        for (_, awaited) in state.held.range_mut(cancellation.requests()) {
            awaited.is_cancelled = true;
            queues.push(awaited.queue.clone());
        }
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

#[cfg(test)]
mod tests {
    use zorb_cdr::ByteOrder;
    use zorb_giop::{
        ClientMessage, GiopVersion, Inbound, Limits, MessageFormat, MessageWriter, RequestHeader,
        ServerReceiver, ServerRequests,
    };

    use super::*;

    const V1_2: GiopVersion = GiopVersion::V1_2;

    /// What a client sends.
    struct Client {
        receiver: ServerReceiver,
        requests: ServerRequests,
    }

    impl Client {
        fn request(&mut self) -> ServedRequest {
            let (header, form) = (RequestHeader::EMPTY, MessageFormat::new(None, V1_2));
            self.receiver.begin_request(&self.requests, &header, form).0
        }

        fn cancel(&self) -> Cancellation {
            let mut octets = Vec::new();
            let id = RequestHeader::EMPTY.request_id;
            MessageWriter::cancel_request(&mut octets, V1_2, ByteOrder::NATIVE, id);
            let mut inbound = Inbound::new(Limits::DEFAULT);
            inbound.space()[..octets.len()].copy_from_slice(&octets);
            inbound.advance(octets.len());
            let header = inbound.poll().unwrap().unwrap();
            match self.receiver.receive(&inbound, &header) {
                ClientMessage::Cancel(cancellation) => cancellation,
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_is_cancelled_before_it_is_in_its_queue_is_withdrawn() {
        let mut client =
            Client { receiver: ServerReceiver::new(None), requests: ServerRequests::new() };
        let requests = AwaitedRequests::default();
        let cancelled = client.request();
        assert!(requests.add(cancelled, WeakHoldQueue::default()));
        assert!(!requests.is_withdrawn(cancelled));
        requests.withdraw_cancelled(client.cancel(), 0);
        let later = client.request();
        assert!(requests.add(later, WeakHoldQueue::default()));
        assert!(requests.is_withdrawn(cancelled));
        assert!(!requests.is_withdrawn(later), "it has the same id, and is another one");
        assert!(requests.remove(cancelled));
        assert!(!requests.is_withdrawn(cancelled), "it has left its queue already");
        requests.withdraw_all(0);
        assert!(requests.is_withdrawn(later) && !requests.add(later, WeakHoldQueue::default()));
    }
}
