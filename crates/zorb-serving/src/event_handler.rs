//! A connection as the event handler of its lane's reactor.
//!
//! The thread that handles an event takes the connection's input out of its slot, receives and serves
//! requests, and puts the input back. During an upcall it leaves the input in the slot, so that another
//! thread can handle the next event. A thread that finds no input sets a flag, which the thread with the
//! input checks after it has put the input back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::upcall_thread::begin_upcall;
use zorb_giop::{RequestHeader, ServiceId};

use crate::connection::ServerConnection;
use crate::input::Input;
use crate::properties::short;
use crate::scratch::Scratch;

impl ServerConnection {
    /// Handles an event: receives and serves requests.
    pub(crate) fn handle_event(self: &Arc<Self>, at_end: bool, scratch: &mut Scratch) {
        self.events.idle_checks.store(0, Ordering::Relaxed);
        if at_end {
            self.events.at_end.store(true, Ordering::SeqCst);
        }
        let can_read = !self.output_waits() || self.finish_output(false);
        // A queued connection is served when it is its turn, not before that by events of its own.
        if can_read && !self.events.is_queued.load(Ordering::SeqCst) {
            self.serve_ready(scratch);
        }
    }

    /// Serves buffered requests, after the connection was taken out of the lane's queue.
    pub(super) fn handle_buffered(self: &Arc<Self>, scratch: &mut Scratch) {
        self.events.is_queued.store(false, Ordering::SeqCst);
        self.handle_event(false, scratch);
    }

    pub(super) fn serve_ready(self: &Arc<Self>, scratch: &mut Scratch) {
        self.events.ready.store(true, Ordering::SeqCst);
        self.guarded(|| {
            while self.events.is_ready() && !self.output_waits() && !self.events.request_waits() {
                let Some(input) = self.input.take() else { return };
                let back = self.receive_requests(input, scratch);
                let is_back = back.is_some();
                if scratch.request.is_large() {
                    scratch.shrink(); // others may need the memory
                }
                if let Some(input) = back {
                    drop(self.input.put(input));
                }
                if !is_back {
                    return;
                }
            }
        });
    }

    /// Leaves the input to other threads of the lane during an upcall.
    #[inline]
    pub(super) fn leave_input_to_reactor(self: &Arc<Self>, input: Box<Input>) {
        begin_upcall();
        let has_more = input.has_more();
        // The slot is empty: there is one input.
        drop(self.input.put(input));
        // A single thread reads on after the upcall.
        if (has_more || self.events.is_ready()) && self.lane.has_many_threads() {
            self.queue_buffered();
        }
    }

    /// Puts the input back, and queues the connection behind those that have events.
    #[cold]
    pub(super) fn serve_others_first(self: &Arc<Self>, input: Box<Input>) {
        self.events.ready.store(true, Ordering::SeqCst);
        // The slot is empty: there is one input.
        drop(self.input.put(input));
        self.queue_buffered();
    }

    /// Stops reading: a request of the connection waits for a thread, and its lane buffers none.
    pub(super) fn suspend_reading(&self) {
        self.events.set_request_waits(true);
    }

    /// Resumes reading: the request that waited has a thread.
    #[cold]
    pub(super) fn resume_reading(self: &Arc<Self>) {
        self.events.set_request_waits(false);
        // Who finds more from now on reads it itself.
        if !self.has_own_threads() && self.events.is_ready() {
            self.queue_buffered();
        }
    }

    #[cold]
    fn queue_buffered(self: &Arc<Self>) {
        if !self.events.is_queued.swap(true, Ordering::SeqCst) {
            self.serving_lane.queue_buffered(self);
        }
    }

    /// The priority of a request: from interceptors, else from the request, else the highest of the band that
    /// its connection has declared, else -1.
    pub(super) fn request_priority(&self, request: &RequestHeader<'_>) -> i16 {
        let contexts = &request.service_contexts;
        let band = contexts.find(ServiceId::RT_CORBA_PRIORITY_RANGE);
        if let Some(high) = band.and_then(|data| short(data, 1)) {
            self.before_upcall.set_band(high);
        }
        let own = contexts.find(ServiceId::RT_CORBA_PRIORITY).and_then(|data| short(data, 0));
        let set = self.core.adapters().request_priority(request);
        set.or(own).unwrap_or_else(|| self.before_upcall.band())
    }
}
