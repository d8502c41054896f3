//! How calls begin to use a multiplexed connection.

use std::marker::PhantomData;
use std::sync::Arc;

use super::{MultiplexedCall, MultiplexedConnection};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::wait_queue::{WaitLimits, Waiter};

/// Why a call cannot use a connection.
#[derive(Debug)]
pub(in crate::client) enum NotJoined {
    /// The connection has ended.
    Ended,
    /// Other calls used it until the deadline, or for too long, or too many callers wait.
    Busy,
    /// Another call uses it, which one out of an upcall does not join.
    InUse,
    /// The calling thread receives for it, and runs the waker of a task: it would wait for itself.
    Led,
    /// As many requests whose callers do not wait have no reply yet as may.
    TooManyPending,
}

/// How a call joins a connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Joining {
    /// Whether the caller is in an upcall. Such a caller neither waits for other calls nor shares their connection: they
    /// may wait for the upcall.
    pub(in crate::client) in_upcall: bool,
    pub(in crate::client) limits: WaitLimits,
    /// How many requests whose callers do not wait may be without a reply, with that of this call, which is one of them;
    /// `None` for a call that waits.
    pub(in crate::client) pending: Option<usize>,
}

impl MultiplexedConnection {
    /// Begins the use by a call, once fewer than the maximum use it, and it is the next in the queue.
    pub(in crate::client) fn join(
        self: &Arc<Self>,
        joining: &Joining,
    ) -> Result<MultiplexedCall, NotJoined> {
        let mut state = self.state();
        let mut waiter = Waiter::new(joining.limits);
        let joins = loop {
            if state.machine.ended().is_some() || state.closing {
                break Err(NotJoined::Ended);
            }
            if joining.pending.is_none() && state.leader.is_this_thread() {
                break Err(NotJoined::Led);
            }
            if joining.in_upcall {
                break if state.is_unused() { Ok(()) } else { Err(NotJoined::InUse) };
            }
            if state.users < self.max_calls && waiter.is_next(&state.waiting) {
                break Ok(());
            }
            if state.leader.is_this_thread() {
                break Err(NotJoined::Led);
            }
            if !waiter.join(&mut state.waiting) || waiter.is_late() {
                break Err(NotJoined::Busy);
            }
            self.publish_load(&state);
            state = waiter.wait(state, None);
        };
        if waiter.leave(&mut state.waiting) {
            self.publish_load(&state);
        }
        joins?;
        if state.is_unused() && !state.last_received.is_known_to_work() {
            if self.stream.is_readable() {
                self.end(&mut state, NoReply::Lost(None));
                return Err(NotJoined::Ended);
            }
            state.last_received = LastReceived::now();
        }
        let mut needs_reader = false;
        if let Some(most) = joining.pending {
            if state.pending.count >= most {
                state.waiting.wake_next();
                return Err(NotJoined::TooManyPending);
            }
            needs_reader = self.count_pending(&mut state);
        }
        state.users += 1;
        self.publish_load(&state);
        let buffers = state.idle.pop().unwrap_or_default();
        drop(state);
        Ok(MultiplexedCall {
            connection: Arc::clone(self),
            buffers: Some(buffers),
            id: None,
            sends: false,
            is_user: true,
            pending: None,
            is_counted: joining.pending.is_some(),
            needs_reader,
            request_octets: None,
            of_this_thread: PhantomData,
        })
    }
}
