//! Queues in front of what takes things more slowly than they come, and notice of how full they are.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

/// What happens to a call when the queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// It fails with `TRANSIENT` at once. The default.
    #[default]
    Refuse,
    /// The caller waits for room, at most so long; then it fails with `TRANSIENT`.
    Wait(Duration),
}

/// An event of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowEvent {
    /// It has filled up to its high water: more comes in than goes out. Told on the thread that calls.
    High {
        /// The calls that wait.
        calls: usize,
        /// Their octets.
        octets: usize,
    },
    /// It has emptied down to its low water after it was full up to its high one. Told on the queue's
    /// thread, as the next.
    Low {
        /// The calls that wait.
        calls: usize,
        /// Their octets.
        octets: usize,
    },
    /// A call could not be sent, and is lost.
    Lost(SystemException),
}

/// The numbers of calls that a queue has sent, lost and refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowCounts {
    /// Calls that were sent.
    pub sent: u64,
    /// Calls that could not be sent.
    pub lost: u64,
    /// Calls that were refused because the queue was full.
    pub refused: u64,
}

/// The limits of a queue, and the levels at which it reports events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowLimits {
    /// The maximum number of calls, at least one. Default: 256.
    pub max_calls: usize,
    /// The maximum size of all calls together, in octets. Default: 1 MiB. An empty queue accepts a
    /// larger call.
    pub max_octets: usize,
    /// The high-water mark, in percent of the limit that is closer. Default: 75.
    pub high: u8,
    /// The low-water mark, less than the high one. Default: 25.
    pub low: u8,
}

impl Default for FlowLimits {
    fn default() -> Self {
        Self { max_calls: 256, max_octets: 1 << 20, high: 75, low: 25 }
    }
}

impl FlowLimits {
    /// The same limits with another maximum number of calls.
    #[must_use]
    pub const fn max_calls(self, max_calls: usize) -> Self {
        Self { max_calls, ..self }
    }

    /// The same limits with another maximum number of octets.
    #[must_use]
    pub const fn max_octets(self, max_octets: usize) -> Self {
        Self { max_octets, ..self }
    }

    /// The same limits with these high-water and low-water marks in percent; the low one is less than the high one.
    #[must_use]
    pub fn watermarks(self, high: u8, low: u8) -> Self {
        let high = high.clamp(1, 100);
        Self { high, low: low.min(high - 1), ..self }
    }

    /// The same limits with the maximum numbers that connection properties set.
    #[must_use]
    pub fn within(self, calls: Option<u32>, octets: Option<u32>) -> Self {
        let size = |limit: Option<u32>, or| {
            limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(or)
        };
        let (calls, octets) = (size(calls, self.max_calls), size(octets, self.max_octets));
        Self { max_calls: calls.max(1), max_octets: octets, ..self }
    }

    /// Whether one more call of so many octets has room.
    fn has_room(&self, calls: usize, octets: usize, more: usize) -> bool {
        calls == 0
            || calls < self.max_calls.max(1)
                && octets.checked_add(more).is_some_and(|sum| sum <= self.max_octets)
    }

    /// Whether the fuller of the two is at `percent` or above.
    fn is_at(&self, percent: u8, calls: usize, octets: usize) -> bool {
        let at = |count: usize, most: usize| {
            count as u128 * 100 >= u128::from(percent) * most.max(1) as u128
        };
        at(calls, self.max_calls) || at(octets, self.max_octets)
    }
}

/// The next watermark to report.
#[derive(Clone, Copy, Debug, Default)]
struct Watermark {
    is_high: bool,
}

impl Watermark {
    /// What is to be told now that so much waits.
    fn told(&mut self, limits: &FlowLimits, calls: usize, octets: usize) -> Option<FlowEvent> {
        if !self.is_high && limits.is_at(limits.high, calls, octets) {
            self.is_high = true;
            return Some(FlowEvent::High { calls, octets });
        }
        let is_low = calls == 0 || !limits.is_at(limits.low.saturating_add(1), calls, octets);
        if self.is_high && is_low {
            self.is_high = false;
            return Some(FlowEvent::Low { calls, octets });
        }
        None
    }
}

/// A queue with limits between threads that put things in and one that takes them out.
#[doc(hidden)]
pub struct FlowQueue<T> {
    limits: FlowLimits,
    state: Lock<State<T>>,
    /// Something has come, or the end.
    comes: Condition,
    /// There is room, or all is done.
    goes: Condition,
}

struct State<T> {
    waiting: VecDeque<(usize, T)>,
    octets: usize,
    waters: Watermark,
    counts: FlowCounts,
    /// Callers that wait for room.
    blocked: usize,
    /// Whether the thread that takes is busy with something.
    busy: bool,
    is_ending: bool,
}

impl<T> State<T> {
    fn told(&mut self, limits: &FlowLimits) -> Option<FlowEvent> {
        self.waters.told(limits, self.waiting.len(), self.octets)
    }
}

/// The exception for what there is no room for.
#[cold]
fn no_room() -> SystemException {
    SystemException::transient(minor::transient::REQUEST_DISCARDED, CompletionStatus::No)
}

impl<T> FlowQueue<T> {
    /// An empty queue.
    #[must_use]
    pub fn new(limits: FlowLimits) -> Self {
        Self {
            limits,
            state: Lock::new(State {
                waiting: VecDeque::new(),
                octets: 0,
                waters: Watermark::default(),
                counts: FlowCounts::default(),
                blocked: 0,
                busy: false,
                is_ending: false,
            }),
            comes: Condition::new(),
            goes: Condition::new(),
        }
    }

    fn state(&self) -> Locked<'_, State<T>> {
        self.state.lock()
    }

    /// Puts something in; what is to be told now.
    ///
    /// # Errors
    /// The thing itself when there is no room for it, or the queue has ended.
    pub fn try_put(&self, octets: usize, item: T) -> Result<Option<FlowEvent>, T> {
        let mut state = self.state();
        if state.is_ending || !self.limits.has_room(state.waiting.len(), state.octets, octets) {
            return Err(item);
        }
        state.waiting.push_back((octets, item));
        state.octets = state.octets.saturating_add(octets);
        let event = state.told(&self.limits);
        drop(state);
        self.comes.notify_one();
        Ok(event)
    }

    /// Waits for room for so many octets until `end`, for ever without one; `refuse` does not wait.
    ///
    /// # Errors
    /// `TRANSIENT` when there is none by then.
    pub fn wait_for_room(
        &self,
        octets: usize,
        when_full: WhenFull,
        end: Option<Instant>,
    ) -> Result<(), SystemException> {
        let mut state = self.state();
        while state.is_ending || !self.limits.has_room(state.waiting.len(), state.octets, octets) {
            let left = match (when_full, end) {
                (WhenFull::Refuse, _) => Duration::ZERO,
                (WhenFull::Wait(limit), None) => limit,
                (WhenFull::Wait(_), Some(end)) => end.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() || state.is_ending {
                state.counts.refused += 1;
                return Err(no_room());
            }
            state.blocked += 1;
            state = self.goes.wait_for(state, left);
            state.blocked -= 1;
        }
        Ok(())
    }

    /// Takes the next out, and what is to be told then; waits for it, and is `None` at the end. What was
    /// taken before is done with.
    pub fn next(&self) -> Option<(T, Option<FlowEvent>)> {
        let mut state = self.state();
        state.busy = false;
        loop {
            if let Some((octets, item)) = state.waiting.pop_front() {
                state.octets = state.octets.saturating_sub(octets);
                state.busy = true;
                let event = state.told(&self.limits);
                drop(state);
                self.goes.notify_one();
                return Some((item, event));
            }
            self.goes.notify_all();
            if state.is_ending {
                return None;
            }
            state = self.comes.wait(state);
        }
    }

    /// Takes note that something was sent, or not.
    pub fn count(&self, sent: bool) {
        let mut state = self.state();
        match sent {
            true => state.counts.sent += 1,
            false => state.counts.lost += 1,
        }
    }

    /// Has [`next`](Self::next) be `None` when nothing waits any more.
    pub fn end(&self) {
        self.state().is_ending = true;
        self.comes.notify_all();
        self.goes.notify_all();
    }

    /// Waits until nothing waits and the thread that takes is done, no longer than `limit`; whether it
    /// is so.
    pub fn wait_until_done(&self, limit: Duration) -> bool {
        let is_open = |state: &mut State<T>| !state.waiting.is_empty() || state.busy;
        !is_open(&mut self.goes.wait_while(self.state(), limit, is_open))
    }

    /// How many wait, and their octets.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        let state = self.state();
        (state.waiting.len(), state.octets)
    }

    /// Whether nothing waits, and the thread that takes is at rest.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && !state.busy
    }

    /// How many callers wait for room.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.state().blocked
    }

    /// What has become of everything so far.
    #[must_use]
    pub fn counts(&self) -> FlowCounts {
        self.state().counts
    }
}

impl<T> fmt::Debug for FlowQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowQueue").field("waiting", &self.waiting()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(max_calls: usize, max_octets: usize) -> FlowLimits {
        FlowLimits { max_calls, max_octets, ..FlowLimits::default() }
    }

    #[test]
    fn each_water_is_told_once_on_the_way() {
        let (mut waters, limits) = (Watermark::default(), of(8, 1000));
        let mut told = |calls| waters.told(&limits, calls, 0).is_some();
        let up: Vec<usize> = (0..=8).filter(|&calls| told(calls)).collect();
        assert_eq!(up, [6]);
        let down: Vec<usize> = (0..=8).rev().filter(|&calls| told(calls)).collect();
        assert_eq!(down, [2]);
        // Between the two it may go up and down.
        assert!(told(7) && !told(4) && !told(7) && !told(3) && told(2) && !told(5));
    }

    #[test]
    fn octets_count_as_calls_do() {
        let (mut waters, limits) = (Watermark::default(), of(1000, 100));
        let mut told = |octets| waters.told(&limits, 1, octets);
        assert_eq!(told(74), None);
        assert_eq!(told(75), Some(FlowEvent::High { calls: 1, octets: 75 }));
        assert_eq!(told(26), None);
        assert_eq!(told(25), Some(FlowEvent::Low { calls: 1, octets: 25 }));
        assert!(limits.has_room(3, 60, 40) && !limits.has_room(3, 60, 41));
        assert!(limits.has_room(0, 0, 5000), "what is larger than the queue goes alone");
        assert!(!limits.has_room(1, usize::MAX, usize::MAX));
        assert!(!of(3, 100).has_room(3, 0, 1));
    }

    #[test]
    fn what_is_in_comes_out_before_the_end() {
        let queue = FlowQueue::new(of(2, 100));
        assert!(queue.try_put(1, 'a').is_ok() && queue.try_put(1, 'b').is_ok());
        assert_eq!(queue.try_put(1, 'c'), Err('c'));
        assert!(queue.wait_for_room(1, WhenFull::Refuse, None).is_err());
        queue.end();
        assert!(!queue.is_at_rest() && !queue.wait_until_done(Duration::ZERO));
        let taken: Vec<_> = std::iter::from_fn(|| queue.next()).map(|(item, _)| item).collect();
        assert_eq!(taken, ['a', 'b']);
        assert!(queue.is_at_rest() && queue.wait_until_done(Duration::ZERO));
        assert_eq!(queue.counts(), FlowCounts { refused: 1, ..FlowCounts::default() });
    }
}
