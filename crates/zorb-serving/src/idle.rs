//! Connections that are idle for too long: those with threads of their own notice it in a receive that times out,
//! those at a reactor in checks of their lane.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_giop::ConnectionEnd;

use crate::connection::ServerConnection;
use crate::events::UNCOUNTED;
use crate::input::Input;
use crate::scratch::Scratch;

impl ServerConnection {
    /// How the connection ends if nothing was received within the idle timeout; `None` if it stays open: a request of
    /// its client is in progress or held.
    pub(super) fn end_of_idle(&self, input: &Input) -> Option<ConnectionEnd> {
        let is_used = self.requests.is_busy() || self.stream.is_used_otherwise();
        (!is_used).then(|| ConnectionEnd::of_idle(&input.inbound))
    }

    /// Starts the idle checks of a connection at a reactor.
    pub(crate) fn start_idle_checks(&self) {
        self.events.idle_checks.store(0, Ordering::Relaxed);
    }

    /// Ends the connection if more than `max_checks` successive checks found that nothing was received and no
    /// request is in progress.
    pub(crate) fn check_idle(self: &Arc<Self>, max_checks: u32, scratch: &mut Scratch) {
        let idle_checks = &self.events.idle_checks;
        if idle_checks.load(Ordering::Relaxed) == UNCOUNTED {
            return;
        }
        if self.requests.is_busy() {
            idle_checks.store(0, Ordering::Relaxed);
            return;
        }
        match idle_checks.fetch_add(1, Ordering::Relaxed) {
            checks if checks >= max_checks => self.end_idle(scratch),
            0 => {}
            _ => self.shrink_idle(scratch),
        }
    }

    /// Frees a large buffer of a connection that received nothing between two checks.
    #[cold]
    fn shrink_idle(self: &Arc<Self>, scratch: &mut Scratch) {
        let Some(mut input) = self.input.take() else { return };
        if !self.events.is_ready() {
            input.inbound.shrink();
        }
        drop(self.input.put(input));
        // The thread that handled the event may not have found the input.
        if self.events.is_ready() {
            self.serve_ready(scratch);
        }
    }

    #[cold]
    fn end_idle(self: &Arc<Self>, scratch: &mut Scratch) {
        let Some(input) = self.input.take() else { return };
        // Another thread may have taken an event that it has not handled yet.
        let has_more = self.events.is_ready() || self.stream.is_readable();
        match self.end_of_idle(&input).filter(|_| !has_more) {
            Some(end) => self.end(end),
            None => {
                drop(self.input.put(input));
                // The thread that handled the event may not have found the input.
                if has_more || self.events.is_ready() {
                    self.serve_ready(scratch);
                }
            }
        }
    }

    /// The number of checks that found it idle, and whether part of a message has been received.
    #[cfg(test)]
    pub(crate) fn idle_checks(self: &Arc<Self>, scratch: &mut Scratch) -> (u32, bool) {
        let checks = self.events.idle_checks.load(Ordering::SeqCst);
        let Some(input) = self.input.take() else { return (checks, false) };
        let has_part = input.inbound.has_buffered();
        drop(self.input.put(input));
        if self.events.is_ready() {
            self.serve_ready(scratch);
        }
        (checks, has_part)
    }
}
