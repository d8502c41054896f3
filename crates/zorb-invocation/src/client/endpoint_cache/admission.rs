//! When a caller may open a connection: within the limit, in the order of waiting, and not too soon after the endpoint could not be
//! reached.

use std::io;
use std::time::{Duration, Instant};

use zorb_os::lock::Locked;
use zorb_transport::{ConnectError, ConnectPhase};

use super::super::exclusive::ExclusiveConnection;
use super::super::wait_queue::{WaitLimits, Waiter};
use super::{CacheState, EndpointCache, NoConnection, Wanted};

/// What a caller without a connection does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Admission {
    /// It counts and opens one.
    Now,
    /// It waits for one of those that there are.
    NoneFree,
    /// It waits this time, until the endpoint that could not be reached is tried again.
    BackOff(Duration),
}

impl EndpointCache {
    /// The limits of a caller's wait.
    pub(in crate::client) fn wait_limits(&self, wanted: Wanted<'_>) -> WaitLimits {
        WaitLimits {
            deadline: wanted.deadline,
            max_waiting: self.settings.max_waiting,
            max_wait: self.settings.max_wait,
        }
    }

    /// Decides whether a caller opens a connection; one that is `unlimited` waits neither for others nor for their
    /// connections. Waiting for the next attempt at an endpoint is a part of the time to connect.
    ///
    /// # Errors
    /// `NotYet` or `Unreachable` if the caller does not wait as long as the next attempt takes.
    pub(super) fn admission(
        &self,
        state: &mut CacheState,
        waiter: &Waiter,
        wanted: Wanted<'_>,
        unlimited: bool,
    ) -> Result<Admission, NoConnection> {
        if !unlimited && state.open >= self.max_open {
            return Ok(Admission::NoneFree);
        }
        let now = Instant::now();
        if let Some(wait) = state.reconnecting.wait(now) {
            self.check_back_off(wait, now, wanted)?;
            return Ok(Admission::BackOff(wait));
        }
        if !unlimited && !waiter.is_next(&state.waiting) {
            return Ok(Admission::NoneFree);
        }
        state.reconnecting.begin(now, self.settings.reconnect);
        Ok(Admission::Now)
    }

    /// Checks that a caller waits as long as the next attempt takes.
    #[cold]
    fn check_back_off(
        &self,
        wait: Duration,
        now: Instant,
        wanted: Wanted<'_>,
    ) -> Result<(), NoConnection> {
        if !wanted.waits {
            return Err(NoConnection::NotYet);
        }
        let left = wanted.deadline.map(|deadline| deadline.saturating_duration_since(now));
        if left.is_some_and(|left| left < wait) || wanted.time_to_connect() < wait {
            let text = format!("it could not be reached; the next attempt is in {wait:.1?}");
            let error = io::Error::other(text);
            let error = ConnectError::single(&self.endpoint, ConnectPhase::Connect, error)
                .with_hint("the options ReconnectDelay and MaxReconnectDelay set the time");
            return Err(NoConnection::Unreachable(error));
        }
        Ok(())
    }

    /// A connection outside the cache, which is counted apart: no call waits for it.
    pub(in crate::client) fn open_separate(
        &self,
        wanted: Wanted<'_>,
    ) -> Result<Box<ExclusiveConnection>, NoConnection> {
        self.begin_separate(wanted)?;
        self.open(wanted).inspect_err(|_| self.lost_separate())
    }

    /// Waits until the caller may open a connection that is counted apart, and counts it.
    pub(super) fn begin_separate(&self, wanted: Wanted<'_>) -> Result<(), NoConnection> {
        let mut waiter = Waiter::new(self.wait_limits(wanted));
        let mut state = self.state();
        let admission = loop {
            if state.closed {
                break Err(NoConnection::Closed);
            }
            match self.admission(&mut state, &waiter, wanted, true) {
                Ok(Admission::BackOff(left)) if waiter.join(&mut state.waiting) => {
                    state = wait_for_admission(state, &waiter, Some(left), wanted);
                }
                Ok(Admission::BackOff(_)) => break Err(NoConnection::Busy),
                admission => break admission,
            }
        };
        if admission.is_ok() {
            state.separate += 1;
        }
        waiter.leave(&mut state.waiting);
        drop(state);
        admission.map(drop)
    }

    /// Notes that the endpoint has been reached. Those who wait may try, too.
    pub(super) fn connected(&self) {
        let mut state = self.state();
        let waiting = state.reconnecting.succeeded().then(|| state.waiting.all_callers());
        drop(state);
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }
}

/// Waits in the queue, at most for the time of a back-off, which is spent connecting.
pub(super) fn wait_for_admission<'s>(
    state: Locked<'s, CacheState>,
    waiter: &Waiter,
    back_off: Option<Duration>,
    wanted: Wanted<'_>,
) -> Locked<'s, CacheState> {
    let begun = back_off.map(|_| Instant::now());
    let state = waiter.wait(state, back_off);
    if let Some(begun) = begun {
        wanted.connect_time.spend(begun.elapsed());
    }
    state
}
