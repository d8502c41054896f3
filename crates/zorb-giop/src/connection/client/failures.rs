//! Requests that end without a reply: after their deadlines, or with the connection.

use alloc::vec::Vec;
use core::time::Duration;

use super::outstanding::{Outstanding, State};
use super::{ClientConnection, RequestKind};
use crate::connection::{ConnectionEnd, FailureCause, RequestFailure, RequestProgress};

impl<C> ClientConnection<C> {
    /// The earliest deadline of the outstanding requests, when to call
    /// [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Duration> {
        let waiting = self.requests.iter().filter(|request| request.is_waiting());
        waiting.filter_map(|request| request.deadline).min()
    }

    /// Sets the deadline of the requests that have none, may still get a reply, and are selected by `wanted`; returns
    /// whether there are some.
    pub fn set_deadline(&mut self, deadline: Duration, mut wanted: impl FnMut(&C) -> bool) -> bool {
        let mut some = false;
        for request in self.requests.iter_mut() {
            if request.deadline.is_none() && request.is_waiting() && wanted(&request.call) {
                request.deadline = Some(deadline);
                some = true;
            }
        }
        some
    }

    /// Ends the requests whose deadlines have passed at `now`. Those that were sent are cancelled.
    pub fn handle_timeout(&mut self, now: Duration) {
        let mut cancelled = Vec::new();
        for request in self.requests.iter_mut() {
            if request.is_waiting() && request.deadline.is_some_and(|deadline| deadline <= now) {
                let sent = request.state == State::Sent;
                request.state = State::TimedOut { sent };
                if sent {
                    cancelled.push((request.id, request.version));
                }
            }
        }
        for (id, version) in cancelled {
            self.queue_cancel(id, version);
        }
    }

    /// Why an outstanding request will have no reply; `None` if it has one or may still get one.
    pub fn failure(&self, request_id: u32) -> Option<RequestFailure> {
        self.requests.get(request_id).and_then(|request| request.failure(self.end))
    }

    /// How a request failed, or would fail if the connection ended now with `end`. A request that is not
    /// outstanding was not sent, or is one-way.
    pub fn failure_by(&self, request_id: u32, end: ConnectionEnd) -> RequestFailure {
        let end = self.end.unwrap_or(end);
        let request = self.requests.get(request_id);
        let progress = request.map_or(RequestProgress::Unsent, Outstanding::progress);
        let cause = FailureCause::Ended(end);
        request
            .and_then(|request| request.failure(Some(end)))
            .unwrap_or(RequestFailure { cause, progress })
    }

    /// Removes one of the requests that ended without a reply.
    pub fn poll_failed(&mut self) -> Option<(u32, RequestFailure, C)> {
        let end = self.end;
        let failed = |request: &Outstanding<C>| Some((request.id, request.failure(end)?));
        let (id, failure) = self.requests.iter().find_map(failed)?;
        let call = self.finish(id)?;
        Some((id, failure, call))
    }

    /// Removes those of the requests without a reply that `wanted` selects.
    pub fn take_failed(
        &mut self,
        mut wanted: impl FnMut(&C) -> bool,
    ) -> Vec<(u32, RequestFailure, C)> {
        let end = self.end;
        let mut failed = |request: &Outstanding<C>| {
            let failure = request.failure(end)?;
            wanted(&request.call).then_some((request.id, failure))
        };
        let failed: Vec<_> = self.requests.iter().filter_map(&mut failed).collect();
        let take = |(id, failure)| Some((id, failure, self.finish(id)?));
        failed.into_iter().filter_map(take).collect()
    }
}

impl<C> Outstanding<C> {
    fn is_waiting(&self) -> bool {
        matches!(self.state, State::Unsent | State::Sent)
    }

    fn progress(&self) -> RequestProgress {
        match (self.state, self.kind) {
            (State::Unsent | State::TimedOut { sent: false }, _) => RequestProgress::Unsent,
            _ if self.partly_answered => RequestProgress::PartlyAnswered,
            (_, RequestKind::Locate) => RequestProgress::LocateSent,
            _ => RequestProgress::Sent,
        }
    }

    pub(super) fn failure(&self, end: Option<ConnectionEnd>) -> Option<RequestFailure> {
        let cause = match self.state {
            State::Answered => return None,
            State::TimedOut { .. } => FailureCause::TimedOut,
            State::Unsent | State::Sent => FailureCause::Ended(end?),
        };
        Some(RequestFailure { cause, progress: self.progress() })
    }
}
