//! Deferred requests.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Request, RequestError, Response};

type Outcome = Result<Response, RequestError>;

/// A request that was sent and not answered yet: the result of `send_deferred`.
///
/// If it is dropped, the call continues and its result is discarded.
#[derive(Debug)]
pub struct Deferred(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    outcome: Mutex<Option<Outcome>>,
    arrived: Condvar,
}

impl Shared {
    fn set(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.arrived.notify_all();
    }
}

impl Request {
    /// Sends the request from a new thread, without waiting for the reply: `send_deferred`.
    ///
    /// # Errors
    /// `NO_RESOURCES` if no thread can be started, `BAD_PARAM` if an argument has no value.
    pub fn send_deferred(self) -> Result<Deferred, SystemException> {
        self.check()?;
        Deferred::send(self)
    }
}

impl Deferred {
    fn send(request: Request) -> Result<Self, SystemException> {
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        // Of their own: a shutdown of the ORB does not wait for them.
        let threads = request.target.core().threads().beside();
        let started = threads.spawn("zorb-deferred", move || theirs.set(request.invoke()));
        match started {
            Ok(()) => Ok(Self(shared)),
            Err(_) => Err(SystemException::no_resources(
                minor::no_resources::THREADS,
                CompletionStatus::No,
            )),
        }
    }

    /// Whether the response has arrived: `poll_response`.
    pub fn poll_response(&self) -> bool {
        self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Waits for the response: `get_response`. The time-out of the target's reference ends the wait.
    ///
    /// # Errors
    /// As [`Request::invoke`].
    pub fn response(self) -> Outcome {
        let mut outcome = self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            outcome = self.0.arrived.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the response has arrived, at most for this time. Returns whether it has arrived.
    pub fn wait(&self, limit: Duration) -> bool {
        let end = Instant::now().checked_add(limit);
        let mut outcome = self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        while outcome.is_none() {
            let Some(end) = end else {
                outcome = self.0.arrived.wait(outcome).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.0.arrived.wait_timeout(outcome, left);
            outcome = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
