//! How long a connection's own thread waits for octets, and what it does after that.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use zorb_giop::{ConnectionEnd, Incomplete};

use super::Received;
use crate::connection::ServerConnection;
use crate::input::{Input, WaitState};
use crate::scratch::{LARGE_LINGER, Scratch};

impl ServerConnection {
    /// Records which incomplete message the thread is about to wait for.
    #[cold]
    pub(super) fn wait_for_rest(&self, input: &mut Input) {
        input.awaited = self.progress.wait_for_rest(&input.inbound);
        if input.awaited != Incomplete::NONE {
            self.core.watchdog().time_messages();
        }
    }

    /// How long one of the connection's own threads waits for octets; `None`: without limit.
    pub(super) fn wait_limit(&self, wait: WaitState) -> Option<Duration> {
        let idle = self.core.options().idle_timeout;
        match wait {
            WaitState::Brief => Some(idle.map_or(LARGE_LINGER, |idle| idle.min(LARGE_LINGER))),
            WaitState::Usual | WaitState::Needed => idle,
        }
    }

    /// Shortens the wait while there are large buffers.
    #[cold]
    pub(super) fn choose_wait(&self, input: &mut Input, has_large: bool) {
        let wait = match (has_large, input.wait) {
            (false, _) => WaitState::Usual,
            (true, WaitState::Needed) => WaitState::Needed,
            (true, _) => WaitState::Brief,
        };
        self.change_wait(input, wait);
    }

    fn change_wait(&self, input: &mut Input, wait: WaitState) {
        if self.wait_limit(wait) != self.wait_limit(input.wait) {
            // It fails only if the peer has gone, which the next read detects.
            let _ = self.stream.set_recv_timeout(self.wait_limit(wait));
        }
        input.wait = wait;
    }

    #[cold]
    pub(super) fn receive_failed(
        self: &Arc<Self>,
        input: &mut Input,
        scratch: &mut Scratch,
        error: &io::Error,
    ) -> Received {
        let timed_out = error.kind() == io::ErrorKind::TimedOut;
        if timed_out && input.wait == WaitState::Brief {
            scratch.shrink();
            input.inbound.shrink();
            let is_needed = input.inbound.is_large();
            self.change_wait(input, if is_needed { WaitState::Needed } else { WaitState::Usual });
            return Received::Octets;
        }
        let end = match timed_out {
            true => self.end_of_idle(input),
            // Closing it here ends the stream as well, which is an error where its end has a message of its own.
            false if self.requests.is_closing() => Some(ConnectionEnd::ClosedLocally),
            false => Some(ConnectionEnd::Lost),
        };
        let Some(end) = end else { return Received::Octets };
        tracing::debug!(peer = self.stream.peer(), %error, "connection lost");
        self.end(end);
        Received::End
    }
}
