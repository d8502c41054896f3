//! The end of a multiplexed connection: it fails, nobody uses it, its server hangs up, or the ORB shuts down.

use std::net::Shutdown;
use std::sync::atomic::Ordering;
use std::time::Duration;

use zorb_giop::ConnectionEnd;

use super::{Follower, MultiplexedConnection, State};
use crate::client::connection::{CONTROL_TIMEOUT, LastReceived, NoReply};

impl MultiplexedConnection {
    /// Ends the connection for the state machine, and wakes all callers.
    #[cold]
    pub(super) fn end(&self, state: &mut State, reason: NoReply) {
        tracing::debug!(peer = self.stream.peer(), ?reason, "a multiplexed connection has ended");
        // A call's deadline ends only the call, so it is no reason here.
        let end = reason.end().unwrap_or(ConnectionEnd::Lost);
        if state.machine.ended().is_none()
            && let NoReply::Lost(error) = reason
        {
            state.error = error;
        }
        state.machine.end(end);
        self.has_failed.store(true, Ordering::Relaxed);
        state.drop_received();
        let mut message = Vec::new();
        if state.machine.poll_transmit(&mut message)
            && let Ok(Some(_sending)) = self.sending.try_lock(Duration::ZERO)
        {
            // The MessageError that answers a malformed reply, unless another call sends just now.
            let _ = self.stream.try_send(&message);
        }
        // Stops threads that are sending or receiving.
        let _ = self.stream.shutdown(Shutdown::Both);
        for call in state.machine.calls_mut() {
            if let Follower::Caller(caller) = call {
                caller.wake.notify_one();
            }
        }
        state.waiting.wake_all();
        self.wake_reader(state);
    }

    /// Lets no call use the connection any more if none uses it now, and its server has closed it or has sent nothing for
    /// `limit`. Returns whether that is so.
    pub(super) fn end_unused(&self, limit: Option<Duration>) -> bool {
        let mut state = self.state();
        let is_unused = state.is_unused()
            && !state.closing
            && (limit.is_some_and(|limit| state.last_received.is_older_than(limit))
                && !self.stream.is_used_otherwise()
                || self.stream.is_readable());
        state.closing |= is_unused;
        is_unused
    }

    /// When something was last received; `None` if a call uses the connection or it has ended.
    pub(super) fn idle_since(&self) -> Option<LastReceived> {
        let state = self.state();
        let is_idle = state.is_unused() && !state.closing && state.machine.ended().is_none();
        is_idle.then_some(state.last_received)
    }

    /// Lets no call use the connection any more if none uses it now and nothing was received after `since`. Returns whether
    /// that is so.
    pub(super) fn end_idle(&self, since: LastReceived) -> bool {
        let mut state = self.state();
        let is_idle = state.is_unused()
            && !state.closing
            && state.last_received <= since
            && !self.stream.is_used_otherwise();
        state.closing |= is_idle;
        is_idle
    }

    /// Closes the connection after the calls that use it.
    pub(in crate::client) fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        let waiting = state.waiting.all_callers();
        self.wake_reader(&mut state);
        let now = state.is_unused() && state.machine.ended().is_none();
        drop(state);
        waiting.wake();
        if now {
            self.send_close();
        }
    }

    /// Ends the reader of a connection that nobody can use any more.
    pub(in crate::client) fn end_reader(&self) {
        let mut state = self.state();
        state.closing = true;
        self.wake_reader(&mut state);
    }

    /// Closes the connection, whose server has hung up, after the calls that use it: they may still receive their
    /// replies. Does not wait.
    pub(in crate::client) fn close_hung_up(&self) {
        let mut state = self.state();
        state.closing = true;
        let waiting = state.waiting.all_callers();
        self.wake_reader(&mut state);
        if state.is_unused() {
            state.machine.close();
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        drop(state);
        waiting.wake();
    }

    /// Closes the stream, which nobody uses; since GIOP 1.2, a client sends CloseConnection first.
    pub(super) fn send_close(&self) {
        let mut octets = Vec::new();
        self.state().machine.close();
        let _ = self.limit_sending(Some(CONTROL_TIMEOUT));
        // CancelRequests may wait before the CloseConnection.
        while self.state().machine.poll_transmit(&mut octets) {
            // If this fails, the server still notices the end of the stream.
            if self.stream.send_all(&octets).is_err() {
                break;
            }
        }
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
