//! New connections that wait for the slots of others, which have been closed and are about to end.
//!
//! The accepting thread leaves them to the [watchdog](crate::watchdog), and accepts further clients meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::connections::Reserved;
use zorb_transport::{Protocol, Stream, ip_address};

use super::Lane;
use super::slot_queue::AwaitsSlot;
use crate::context::ServerContext;
use crate::watchdog::{Begins, Begun, Refused};

/// How long new connections wait for the next slot. Connections that have been closed end at once, unless the threads of
/// their lane are busy.
const ENDING: Duration = Duration::from_secs(1);

/// The queue of a lane, as the watchdog knows it.
struct Queue {
    lane: Arc<Lane>,
    context: Arc<ServerContext>,
    /// When to give up if no slot is free.
    end: Instant,
}

impl Begins for Queue {
    fn end(&self) -> Instant {
        self.end
    }

    fn is_over(&self) -> bool {
        self.lane.is_stopping()
    }

    fn begin(&mut self, _: &mut Refused) -> Begun {
        let Self { lane, context, end } = self;
        while let Some((reserved, next)) = lane.awaiting_slots.next(&lane.connections) {
            *end = Instant::now() + ENDING;
            lane.take_in_at(reserved, context, &*next.protocol, next.stream);
        }
        match lane.awaiting_slots.is_empty() {
            true => Begun::Yes,
            false => Begun::Later,
        }
    }

    fn give_up(&mut self) {
        let all = self.lane.awaiting_slots.take();
        all.into_iter()
            .for_each(|it| self.lane.reject_stream(&self.context, &*it.protocol, it.stream));
    }
}

impl Lane {
    /// A slot for a new connection, unless all are taken, or others wait for one.
    pub(super) fn slot_for(&self, stream: &dyn Stream) -> Option<Reserved> {
        let is_first = self.awaiting_slots.is_empty();
        is_first.then(|| self.connections.reserve(ip_address(stream))).flatten()
    }

    /// Serves a connection when it gets a slot, if one is free within a [second](ENDING).
    #[cold]
    pub(super) fn take_in_later(
        self: &Arc<Self>,
        context: &Arc<ServerContext>,
        protocol: &Arc<dyn Protocol>,
        stream: Arc<dyn Stream>,
    ) {
        let protocol = Arc::clone(protocol);
        let newcomer = AwaitsSlot { protocol, stream, _running: self.core.count_request() };
        let (is_only, first) = self.awaiting_slots.add(newcomer);
        if let Some(first) = first {
            self.reject_stream(context, &*first.protocol, first.stream);
        }
        if is_only {
            let end = Instant::now() + ENDING;
            let queue = Queue { lane: Arc::clone(self), context: Arc::clone(context), end };
            if let Some(mut refused) = context.watchdog().begin_later(Box::new(queue)) {
                // The ORB shuts down.
                refused.give_up();
            }
        }
    }
}
