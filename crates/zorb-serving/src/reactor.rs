//! Connections that wait at their lane's reactor.
//!
//! A thread of the lane that is told of an event takes the connection's input out of its slot, reads and
//! serves what is there, and puts the input back. In an upcall it leaves the input in the slot, so that
//! another thread which is told of an event serves the requests behind. A thread that finds no input leaves
//! a flag, which the thread that has the input looks at when it has put it back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use zorb_base::upcall_thread::begin_upcall;
use zorb_giop::{RequestHeader, ServiceId};

use crate::connection::{Scratch, ServerConnection};
use crate::idle::UNCOUNTED;
use crate::input::Input;
use crate::properties::short;

/// What a reactor knows of a connection.
#[derive(Debug)]
pub(super) struct Events {
    /// Whether something has come that the thread with the input may not have seen.
    news: AtomicBool,
    /// Whether the peer has ended the stream, or it is broken.
    at_end: AtomicBool,
    /// Whether it is in the lane's queue of connections with buffered requests.
    pub(super) is_queued: AtomicBool,
    /// How often the lane has looked since something has come.
    pub(super) quiet_looks: AtomicU32,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            news: AtomicBool::new(false),
            at_end: AtomicBool::new(false),
            is_queued: AtomicBool::new(false),
            quiet_looks: AtomicU32::new(UNCOUNTED),
        }
    }
}

impl Events {
    #[inline]
    pub(super) fn has_news(&self) -> bool {
        self.news.load(Ordering::SeqCst)
    }

    /// Notes that all that has come is about to be received; whether the stream has ended.
    #[inline]
    pub(super) fn before_receiving(&self) -> bool {
        // Before it is looked for: what comes from now on is news again.
        self.news.store(false, Ordering::SeqCst);
        self.at_end.load(Ordering::SeqCst)
    }
}

impl ServerConnection {
    /// Serves what has come, on a thread that was told of an event.
    pub(crate) fn handle_event(self: &Arc<Self>, at_end: bool, scratch: &mut Scratch) {
        self.enter();
        self.events.quiet_looks.store(0, Ordering::Relaxed);
        if at_end {
            self.events.at_end.store(true, Ordering::SeqCst);
        }
        self.serve_news(scratch);
        self.leave();
    }

    /// Serves requests that are buffered, on a thread that has taken the connection out of its lane's
    /// queue.
    pub(super) fn handle_buffered(self: &Arc<Self>, scratch: &mut Scratch) {
        self.events.is_queued.store(false, Ordering::SeqCst);
        self.handle_event(false, scratch);
    }

    pub(super) fn serve_news(self: &Arc<Self>, scratch: &mut Scratch) {
        self.events.news.store(true, Ordering::SeqCst);
        self.guarded(|| {
            while self.events.has_news() {
                let Some(input) = self.input.take() else { return };
                match self.receive_requests(input, scratch) {
                    Some(input) => drop(self.input.put(input)),
                    None => return,
                }
            }
        });
    }

    /// Leaves the input where other threads of the lane find it, for the length of an upcall.
    #[inline]
    pub(super) fn leave_input_to_reactor(self: &Arc<Self>, input: Box<Input>) {
        begin_upcall();
        let has_more = input.inbound.has_buffered() || !input.drained;
        // There is one input, so nothing comes back.
        drop(self.input.put(input));
        if has_more || self.events.has_news() {
            self.queue_buffered();
        }
    }

    #[cold]
    fn queue_buffered(self: &Arc<Self>) {
        if !self.events.is_queued.swap(true, Ordering::SeqCst) {
            self.lane.queue_buffered(self);
        }
    }

    /// The priority of a request: what interceptors set, else that in the request, else the highest of its
    /// connection's band, which an earlier request has declared, else -1.
    pub(super) fn request_priority(&self, request: &RequestHeader<'_>) -> i16 {
        let contexts = &request.service_contexts;
        let band = contexts.find(ServiceId::RT_CORBA_PRIORITY_RANGE);
        if let Some(high) = band.and_then(|data| short(data, 1)) {
            self.band.store(high, Ordering::Relaxed);
        }
        let own = contexts.find(ServiceId::RT_CORBA_PRIORITY).and_then(|data| short(data, 0));
        let set = self.core.adapters().request_priority(request);
        set.or(own).unwrap_or_else(|| self.band.load(Ordering::Relaxed))
    }
}
