//! How calls begin to use a multiplexed connection.

use std::marker::PhantomData;
use std::sync::Arc;

use zorb_base::upcall_thread::in_upcall;

use super::{MultiplexedCall, MultiplexedConnection};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::needed_thread::receives;
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
    /// A waker, which runs on a thread that receives, would wait for the thread that receives for it, or for others that
    /// use it.
    Led,
    /// The maximum number of requests of pending calls have no reply yet.
    TooManyPending,
}

/// How a call joins a connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Joining {
    /// Whether the caller is in an upcall. Such a caller neither waits for other calls nor shares their connection: they
    /// may wait for the upcall.
    pub(in crate::client) in_upcall: bool,
    /// Whether the caller is a waker on a thread that [receives](receives). Such a caller neither waits for the reply on
    /// a connection for which a thread receives, nor for other calls.
    pub(in crate::client) in_waker: bool,
    pub(in crate::client) limits: WaitLimits,
    /// How many requests of pending calls may be without a reply, with that of this call, which is one of them;
    /// `None` for a call that waits.
    pub(in crate::client) pending: Option<usize>,
}

impl Joining {
    /// That of a call of the calling thread.
    #[inline]
    pub(in crate::client) fn of_caller(limits: WaitLimits, pending: Option<usize>) -> Self {
        Self { in_upcall: in_upcall(), in_waker: receives(), limits, pending }
    }
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
            if joining.in_waker && joining.pending.is_none() && state.inbound.is_none() {
                break Err(NotJoined::Led);
            }
            if joining.in_upcall {
                break if state.is_unused() { Ok(()) } else { Err(NotJoined::InUse) };
            }
            if state.users < self.max_calls && waiter.is_next(&state.waiting) {
                break Ok(());
            }
            if joining.in_waker {
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
            begun: None,
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
