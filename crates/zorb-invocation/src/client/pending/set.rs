//! Several pending calls, whose results are taken in the order in which they end.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock};
use zorb_types::SystemException;

use super::Pending;
use super::waiting::{about_to_wait, wait_once};

/// Pending calls of any objects, whose results one thread takes in the order in which they end: the `PollableSet` of
/// CORBA Messaging. Dropping it cancels the calls that it contains.
///
/// Each call has a number: that of the calls added before it.
pub struct PollableSet<T, E = SystemException> {
    calls: BTreeMap<usize, Pending<T, E>>,
    added: usize,
    ended: Arc<EndedCalls>,
}

/// The number of a call in a [`PollableSet`], and its result.
pub type NumberedResult<T, E> = (usize, Result<T, E>);

impl<T, E> PollableSet<T, E> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self { calls: BTreeMap::new(), added: 0, ended: Arc::default() }
    }

    /// Adds a call, also one that has ended, and returns its number: `add_pollable`.
    pub fn add(&mut self, call: Pending<T, E>) -> usize {
        let number = self.added;
        self.added += 1;
        let ended = Arc::clone(&self.ended);
        call.wake_at_end(Waker::from(Arc::new(Tells { ended, number })));
        self.calls.insert(number, call);
        number
    }

    /// Takes out the call of this number: `remove`. `None` if it is not there, or if its result has been taken.
    pub fn remove(&mut self, number: usize) -> Option<Pending<T, E>> {
        let call = self.calls.remove(&number)?;
        call.wake_at_end(Waker::noop().clone());
        self.ended.numbers.lock().retain(|ended| *ended != number);
        Some(call)
    }

    /// The number of calls whose results have not been taken: `number_left`.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether all results have been taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether one of the calls has ended, so that its result can be taken without waiting.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended.numbers.lock().iter().any(|number| self.calls.contains_key(number))
    }
}

impl<T, E: From<SystemException>> PollableSet<T, E> {
    /// Takes the number and the result of the call that has ended first; does not wait.
    pub fn try_take(&mut self) -> Option<NumberedResult<T, E>> {
        let number = next_of(&mut self.ended.numbers.lock(), &self.calls)?;
        self.take(number)
    }

    /// Waits until a call ends, and takes its number and its result: `get_ready_pollable`. `None` if there is no call.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 3) if none has ended, in a function that was passed to [`Pending::on_reply`] and runs on a
    /// thread that receives replies.
    pub fn wait(&mut self) -> Result<Option<NumberedResult<T, E>>, SystemException> {
        self.wait_at_most(None)
    }

    /// Waits as [`wait`](Self::wait), for at most `limit`. `None` also if no call has ended then.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(
        &mut self,
        limit: Duration,
    ) -> Result<Option<NumberedResult<T, E>>, SystemException> {
        // A limit beyond the range of the clock is no limit.
        self.wait_at_most(Instant::now().checked_add(limit))
    }

    /// Waits as [`wait`](Self::wait), until `deadline`. `None` also if no call has ended then.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn wait_until(
        &mut self,
        deadline: Instant,
    ) -> Result<Option<NumberedResult<T, E>>, SystemException> {
        self.wait_at_most(Some(deadline))
    }

    fn wait_at_most(
        &mut self,
        deadline: Option<Instant>,
    ) -> Result<Option<NumberedResult<T, E>>, SystemException> {
        if self.calls.is_empty() {
            return Ok(None);
        }
        if let Some(ended) = self.try_take() {
            return Ok(Some(ended));
        }
        about_to_wait()?;
        let ended = Arc::clone(&self.ended);
        let mut numbers = ended.numbers.lock();
        loop {
            if let Some(number) = next_of(&mut numbers, &self.calls) {
                drop(numbers);
                return Ok(self.take(number));
            }
            match wait_once(&ended.changed, numbers, deadline) {
                Some(notified) => numbers = notified,
                None => return Ok(None),
            }
        }
    }

    /// Takes the result of a call, which has ended.
    fn take(&mut self, number: usize) -> Option<NumberedResult<T, E>> {
        let result = self.calls.remove(&number)?.try_take()?;
        Some((number, result))
    }
}

/// The first of `numbers` whose call has not been taken out. They stay in order.
fn next_of<T, E>(
    numbers: &mut VecDeque<usize>,
    calls: &BTreeMap<usize, Pending<T, E>>,
) -> Option<usize> {
    std::iter::from_fn(|| numbers.pop_front()).find(|number| calls.contains_key(number))
}

impl<T, E> Default for PollableSet<T, E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, E> Extend<Pending<T, E>> for PollableSet<T, E> {
    fn extend<I: IntoIterator<Item = Pending<T, E>>>(&mut self, calls: I) {
        for call in calls {
            self.add(call);
        }
    }
}

impl<T, E> FromIterator<Pending<T, E>> for PollableSet<T, E> {
    fn from_iter<I: IntoIterator<Item = Pending<T, E>>>(calls: I) -> Self {
        let mut set = Self::new();
        set.extend(calls);
        set
    }
}

impl<T, E> fmt::Debug for PollableSet<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PollableSet").field("calls", &self.calls).finish_non_exhaustive()
    }
}

/// The calls of a set that have ended, until their results are taken.
#[derive(Debug, Default)]
struct EndedCalls {
    /// Their numbers, in the order in which they have ended.
    numbers: Lock<VecDeque<usize>>,
    changed: Condition,
}

/// Tells a set that one of its calls has ended.
struct Tells {
    ended: Arc<EndedCalls>,
    number: usize,
}

impl Wake for Tells {
    fn wake(self: Arc<Self>) {
        self.ended.numbers.lock().push_back(self.number);
        // Only the thread that has the set waits for it.
        self.ended.changed.notify_one();
    }
}
