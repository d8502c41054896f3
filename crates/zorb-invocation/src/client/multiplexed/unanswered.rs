//! The end of pending requests that get no reply.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_giop::{FailureCause, RequestFailure};
use zorb_os::lock::Locked;

use super::pending_request::{Ended, Ending};
use super::{Follower, MultiplexedConnection, State};
use crate::client::connection::{LastReceived, NoReply, failed_may_resend, machine_time};

/// Requests without a reply that have been removed, with their ids.
type Failed = Vec<(u32, RequestFailure, Follower)>;

impl MultiplexedConnection {
    /// Limits the requests without deadlines that have waited for the `longest` time, and finds the oldest of the others.
    #[cold]
    pub(super) fn limit_oldest(&self, state: &mut State, longest: Duration) {
        let now = LastReceived::now();
        let mut oldest: Option<LastReceived> = None;
        let waits_too_long = |call: &Follower| {
            let Follower::Pending { begun, .. } = call else { return false };
            let is_late = begun.is_older_at(now, longest);
            if !is_late {
                oldest = Some(oldest.map_or(*begun, |known| known.min(*begun)));
            }
            is_late
        };
        if state.machine.set_deadline(self.opened.elapsed(), waits_too_long) {
            state.pending.earliest = Some(Duration::ZERO);
        }
        state.pending.oldest = oldest;
    }

    /// Ends the pending requests that get no reply: their deadlines have passed, or the connection has ended.
    #[cold]
    pub(super) fn fail_pending(&self) {
        let mut state = self.state();
        let failed = self.take_failed(&mut state, |_| true);
        state.pending.earliest = state.machine.poll_timeout();
        self.fail(state, failed);
    }

    /// Ends a pending request that gets no reply, on the thread that waits for it, whose time is over: a function of the
    /// program may keep the reader, or the thread that receives.
    #[cold]
    pub(in crate::client) fn end_late(&self, request: *const ()) {
        let is_it = |call: &Follower| match call {
            Follower::Pending { request: known, .. } => {
                std::ptr::addr_eq(Arc::as_ptr(known), request)
            }
            _ => false,
        };
        let mut state = self.state();
        // One without a deadline has waited for the longest time.
        state.machine.set_deadline(self.opened.elapsed(), is_it);
        let failed = self.take_failed(&mut state, is_it);
        self.fail(state, failed);
    }

    /// Removes those of the pending requests without a reply that `wanted` selects, and that no thread is sending.
    fn take_failed(&self, state: &mut State, wanted: impl Fn(&Follower) -> bool) -> Failed {
        if state.machine.ended().is_none() {
            state.machine.handle_timeout(machine_time(self.opened, Instant::now()));
        }
        let has_failed = |call: &Follower| match call {
            Follower::Pending { request, .. } => wanted(call) && !request.leave(),
            _ => false,
        };
        let failed = state.machine.take_failed(has_failed);
        state.pending.count -= failed.len();
        self.publish_load(state);
        failed
    }

    /// Ends requests that have been removed.
    fn fail(&self, state: Locked<'_, State>, failed: Failed) {
        let used = state.used;
        let reason = |cause| match cause {
            FailureCause::TimedOut => NoReply::TimedOut,
            FailureCause::Ended(_) => state.no_reply(),
        };
        let ended: Vec<_> = failed
            .into_iter()
            .filter_map(|(_, failure, call)| {
                let Follower::Pending { request, .. } = call else { return None };
                let again = failed_may_resend(failure, used);
                let ended = Ended::NoReply { reason: reason(failure.cause), again };
                Some(Ending::Ended { request, ended })
            })
            .collect();
        drop(state);
        ended.into_iter().for_each(|ending| self.end_pending(ending));
        // If the server does not take them, it may answer in vain.
        let _ = self.send_cancels();
    }
}
