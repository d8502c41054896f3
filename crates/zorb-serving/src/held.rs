//! Held requests: messages in a queue of the object adapter, which occupy no thread.

use std::sync::{Arc, Weak};
use std::time::Instant;

use zorb_giop::ServedRequest;
use zorb_poa::{Arrival, HoldQueue, ResumePass};
use zorb_types::SystemException;

use crate::connection::{
    ConnectionRequests, Release, ReleasedRequest, ServerConnection, ServingLane,
};
use crate::context::ServerContext;
use crate::lane::core::LaneCore;
use crate::message::{RequestMessage, no_message_memory};

/// The lane that serves a request.
#[derive(Clone)]
pub(super) struct RequestLane {
    pub(super) context: Arc<ServerContext>,
    pub(super) lane: Arc<LaneCore>,
    pub(super) serving_lane: Arc<dyn ServingLane>,
    /// The resumed requests of its connection, also after that has ended, with the strategy thread per connection.
    pub(super) ordered: Option<Arc<ConnectionRequests>>,
}

impl RequestLane {
    pub(super) fn of(connection: &ServerConnection) -> Self {
        Self {
            context: Arc::clone(&connection.core),
            lane: Arc::clone(&connection.lane),
            serving_lane: Arc::clone(&connection.serving_lane),
            ordered: connection.ordered(),
        }
    }
}

impl ServerConnection {
    /// Holds a request in `queue`, or answers that too many are held.
    #[cold]
    pub(super) fn hold(self: &Arc<Self>, queue: &HoldQueue, message: Box<RequestMessage>) {
        let held = HeldRequest {
            connection: Some(Arc::downgrade(self)),
            lane: RequestLane::of(self),
            awaited: message.awaited(),
            message: Some(message),
            peer: 0,
        };
        held.put(queue, None);
    }
}

/// A held request. It occupies no thread and does not keep its connection open.
pub(super) struct HeldRequest {
    pub(super) message: Option<Box<RequestMessage>>,
    pub(super) lane: RequestLane,
    pub(super) connection: Option<Weak<ServerConnection>>,
    /// Which of the connection's requests it is, if the client waits for the reply.
    pub(super) awaited: Option<ServedRequest>,
    /// The address of its peer's message budget, which the message keeps alive.
    pub(super) peer: usize,
}

impl HeldRequest {
    fn connection(&self) -> Option<Arc<ServerConnection>> {
        self.connection.as_ref().and_then(Weak::upgrade)
    }

    /// Puts it into a queue. `pass` is that with which it was resumed, if it was held before.
    pub(super) fn put(mut self, queue: &HoldQueue, pass: Option<&ResumePass>) {
        let connection = self.connection();
        if let Some(connection) = &connection {
            connection.requests.hold();
            let is_awaited = |request| {
                // Asked in this order, as a CancelRequest is recorded before it looks for what has been added.
                connection.awaited.add(request, queue.downgrade())
                    && !connection.is_cancelled(request)
            };
            if self.awaited.is_some_and(|request| !is_awaited(request)) {
                return; // its client has gone, or cancelled it while it waited for a thread
            }
        }
        let context = Arc::clone(&self.lane.context);
        let budget = match &connection {
            Some(connection) => &connection.budget,
            None => context.message_budget(),
        };
        if self.message.as_mut().is_some_and(|message| !message.octets.charge_whole(budget)) {
            return self.refuse(&no_message_memory());
        }
        self.peer = Arc::as_ptr(budget).addr();
        let awaited = self.awaited;
        let arrival = pass.map_or(Arrival::New, Arrival::Resumed);
        let since = pass.map_or_else(Instant::now, ResumePass::since);
        match queue.hold(Box::new(self), arrival, since) {
            Ok(None) => {}
            Ok(Some(expiry)) => context.watchdog().watch_held(queue, expiry),
            Err((refused, exception)) => refused.refuse(&exception),
        }
        // The client may have gone, or cancelled the request, before it was in the queue.
        if let Some((connection, request)) = connection.zip(awaited)
            && connection.awaited.is_withdrawn(request)
        {
            queue.withdraw(|number, other| number == connection.number() && other == request);
        }
    }

    /// Answers with an exception, if the client waits.
    fn refuse(&self, exception: &SystemException) {
        if let Some((connection, message)) = self.connection().zip(self.message.as_ref()) {
            connection.send_exception(message, exception, &mut Vec::new());
        }
    }

    /// Passes the request to the threads of its lane, unless its client has gone.
    pub(super) fn release(mut self, release: Release) {
        if let Some(request) = self.take(release) {
            Arc::clone(&self.lane.serving_lane).resume(request);
        }
    }

    /// The request as a released one; `None` if its client has gone.
    pub(super) fn take(&mut self, release: Release) -> Option<ReleasedRequest> {
        let message = self.message.take()?;
        let mut connection = self.connection();
        // Now, as a thread of the lane may hold it again before this is dropped.
        let awaited = self.awaited.take();
        if let Some(request) = awaited {
            connection = connection.filter(|connection| connection.awaited.remove(request));
        }
        let connection = connection.filter(|connection| connection.requests.resume());
        if connection.is_none() && awaited.is_some() {
            return None;
        }
        let context = Arc::clone(&self.lane.context);
        let ordered = self.lane.ordered.clone();
        Some(ReleasedRequest { message, connection, context, ordered, release })
    }
}

impl Drop for HeldRequest {
    fn drop(&mut self) {
        if let Some(connection) = self.connection() {
            if let Some(request) = self.awaited {
                connection.awaited.remove(request);
            }
            connection.requests.end_hold();
        }
    }
}
