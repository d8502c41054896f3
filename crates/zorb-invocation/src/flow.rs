//! Bounded queues in front of slower consumers, which report how full they are.

mod buffering;

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

pub use buffering::BufferingConstraint;

/// What happens to a call when the queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// It fails with `TRANSIENT` at once. The default.
    #[default]
    Refuse,
    /// The caller waits for room up to this time; then the call fails with `TRANSIENT`.
    Wait(Duration),
}

/// An event of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowEvent {
    /// The queue has reached its high watermark. Reported on the calling thread.
    High {
        /// The calls that wait.
        calls: usize,
        /// Their octets.
        octets: usize,
    },
    /// The queue has emptied to its low watermark after the high one was reached. Reported on the queue's
    /// thread, like [`Lost`](Self::Lost).
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

    /// Whether there is room for one more call of `more` octets.
    fn has_room(&self, calls: usize, octets: usize, more: usize) -> bool {
        calls == 0
            || calls < self.max_calls.max(1)
                && octets.checked_add(more).is_some_and(|sum| sum <= self.max_octets)
    }

    /// Whether calls or octets are at `percent` of their limit or above.
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
    /// The event to report when this much waits.
    fn event(&mut self, limits: &FlowLimits, calls: usize, octets: usize) -> Option<FlowEvent> {
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

/// A bounded queue between callers and the thread that sends.
#[doc(hidden)]
pub struct FlowQueue<T> {
    limits: FlowLimits,
    /// What it waits for before it releases items; `None` if it releases each at once.
    buffering: Option<BufferingConstraint>,
    state: Lock<State<T>>,
    /// Signalled when something is put in, and at the end.
    not_empty: Condition,
    /// Signalled when something is taken out, and at the end: callers wait for different amounts of room.
    not_full: Condition,
    /// Signalled when nothing waits and the thread that takes is done.
    done: Condition,
}

struct State<T> {
    waiting: VecDeque<(usize, T)>,
    octets: usize,
    watermark: Watermark,
    counts: FlowCounts,
    /// The first ones that wait, which may be removed; counted by queues that buffer.
    released: usize,
    /// When the first of the others was put in, if the age of items matters.
    held_since: Option<Instant>,
    /// Threads that wait until everything is done.
    flushing: usize,
    /// Callers that wait for room.
    blocked: usize,
    /// Whether an item that was removed is not done yet.
    busy: bool,
    is_ending: bool,
}

impl<T> State<T> {
    fn event(&mut self, limits: &FlowLimits) -> Option<FlowEvent> {
        self.watermark.event(limits, self.waiting.len(), self.octets)
    }
}

/// The exception for a call for which there is no room.
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
            buffering: None,
            state: Lock::new(State {
                waiting: VecDeque::new(),
                octets: 0,
                watermark: Watermark::default(),
                counts: FlowCounts::default(),
                released: 0,
                held_since: None,
                flushing: 0,
                blocked: 0,
                busy: false,
                is_ending: false,
            }),
            not_empty: Condition::new(),
            not_full: Condition::new(),
            done: Condition::new(),
        }
    }

    /// The same queue, which holds items back until the constraint is met.
    #[must_use]
    pub fn buffering(self, buffering: Option<BufferingConstraint>) -> Self {
        let FlowLimits { max_calls, max_octets, .. } = self.limits;
        let buffering = buffering.map(|constraint| constraint.within(max_calls, max_octets));
        Self { buffering, ..self }
    }

    fn state(&self) -> Locked<'_, State<T>> {
        self.state.lock()
    }

    /// Whether the first item may be removed.
    fn is_released(&self, state: &State<T>) -> bool {
        let Some(buffering) = &self.buffering else { return true };
        let is_old = |since: Instant| buffering.age.is_some_and(|age| since.elapsed() >= age);
        state.released > 0
            || state.is_ending
            || state.flushing > 0
            || state.blocked > 0
            || buffering.is_met(state.waiting.len(), state.octets)
            || state.held_since.is_some_and(is_old)
    }

    /// Appends an item; returns the event to report.
    ///
    /// # Errors
    /// The item, if there is no room for it or the queue has ended.
    pub fn try_put(&self, octets: usize, item: T) -> Result<Option<FlowEvent>, T> {
        let mut state = self.state();
        if state.is_ending || !self.limits.has_room(state.waiting.len(), state.octets, octets) {
            if self.buffering.is_some() {
                state.released = state.waiting.len();
                self.not_empty.notify_one();
            }
            return Err(item);
        }
        let ages = self.buffering.is_some_and(|buffering| buffering.age.is_some());
        let starts_to_age = ages && state.released == state.waiting.len();
        if starts_to_age {
            state.held_since = Some(Instant::now());
        }
        state.waiting.push_back((octets, item));
        state.octets = state.octets.saturating_add(octets);
        let event = state.event(&self.limits);
        let wakes = starts_to_age || self.is_released(&state);
        drop(state);
        if wakes {
            self.not_empty.notify_one();
        }
        Ok(event)
    }

    /// Waits for room for `octets` more octets, until `end` if there is one; `WhenFull::Refuse` does not wait.
    ///
    /// # Errors
    /// `TRANSIENT` if there is no room by then.
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
            state = self.not_full.wait_for(state, left);
            state.blocked -= 1;
        }
        Ok(())
    }

    /// Waits for the next item and removes it; returns it with the event to report, or `None` at the end. The
    /// item of the previous call is done. The queue ends by itself when no item has come for `idle_limit`.
    pub fn next(&self, idle_limit: Option<Duration>) -> Option<(T, Option<FlowEvent>)> {
        let mut state = self.state();
        state.busy = false;
        loop {
            if !state.waiting.is_empty() {
                if self.is_released(&state) {
                    return self.take(state);
                }
                state = self.wait_for_release(state);
                continue;
            }
            self.done.notify_all();
            if state.is_ending {
                return None;
            }
            let Some(limit) = idle_limit else {
                state = self.not_empty.wait(state);
                continue;
            };
            let is_idle = |state: &mut State<T>| state.waiting.is_empty() && !state.is_ending;
            state = self.not_empty.wait_while(state, limit, |state| is_idle(state));
            state.is_ending |= is_idle(&mut state);
        }
    }

    /// Removes the next item if it is released together with the one before, which is not done then.
    pub fn next_released(&self) -> Option<(T, Option<FlowEvent>)> {
        let state = self.state();
        if state.released == 0 { None } else { self.take(state) }
    }

    fn take(&self, mut state: Locked<'_, State<T>>) -> Option<(T, Option<FlowEvent>)> {
        if self.buffering.is_some() {
            let released = if state.released == 0 { state.waiting.len() } else { state.released };
            state.released = released.saturating_sub(1);
        }
        let (octets, item) = state.waiting.pop_front()?;
        state.octets = state.octets.saturating_sub(octets);
        state.busy = true;
        let event = state.event(&self.limits);
        let is_awaited = state.blocked > 0;
        drop(state);
        if is_awaited {
            self.not_full.notify_all();
        }
        Some((item, event))
    }

    /// Waits until an item is put in, is old enough, or is awaited.
    fn wait_for_release<'q>(&self, state: Locked<'q, State<T>>) -> Locked<'q, State<T>> {
        let age = self.buffering.and_then(|buffering| buffering.age);
        match state.held_since.zip(age) {
            Some((since, age)) => {
                let left = age.saturating_sub(since.elapsed());
                self.not_empty.wait_for(state, left)
            }
            None => self.not_empty.wait(state),
        }
    }

    /// Counts an item as sent or lost.
    pub fn count(&self, sent: bool) {
        let mut state = self.state();
        match sent {
            true => state.counts.sent += 1,
            false => state.counts.lost += 1,
        }
    }

    /// Whether the queue has ended: it accepts no more items.
    pub fn has_ended(&self) -> bool {
        self.state().is_ending
    }

    /// Ends the queue: [`next`](Self::next) returns what still waits, then `None`.
    pub fn end(&self) {
        self.state().is_ending = true;
        self.not_empty.notify_all();
        self.not_full.notify_all();
    }

    /// Releases all items, and waits until the queue is empty and the last one is done, for at most `limit`. Returns
    /// whether it is.
    pub fn wait_until_done(&self, limit: Duration) -> bool {
        let is_open = |state: &mut State<T>| !state.waiting.is_empty() || state.busy;
        let mut state = self.state();
        state.flushing += 1;
        self.not_empty.notify_one();
        let mut state = self.done.wait_while(state, limit, is_open);
        state.flushing -= 1;
        !is_open(&mut state)
    }

    /// The number of items that wait, and of their octets.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        let state = self.state();
        (state.waiting.len(), state.octets)
    }

    /// Whether the queue is empty and the last item is done.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && !state.busy
    }

    /// The number of callers that wait for room.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.state().blocked
    }

    /// The numbers of items sent, lost and refused so far.
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
    fn each_watermark_is_reported_once_on_the_way() {
        let (mut watermark, limits) = (Watermark::default(), of(8, 1000));
        let mut reports = |calls| watermark.event(&limits, calls, 0).is_some();
        let up: Vec<usize> = (0..=8).filter(|&calls| reports(calls)).collect();
        assert_eq!(up, [6]);
        let down: Vec<usize> = (0..=8).rev().filter(|&calls| reports(calls)).collect();
        assert_eq!(down, [2]);
        // Between the two it may go up and down.
        assert!(
            reports(7) && !reports(4) && !reports(7) && !reports(3) && reports(2) && !reports(5)
        );
    }

    #[test]
    fn octets_count_as_calls_do() {
        let (mut watermark, limits) = (Watermark::default(), of(1000, 100));
        let mut event = |octets| watermark.event(&limits, 1, octets);
        assert_eq!(event(74), None);
        assert_eq!(event(75), Some(FlowEvent::High { calls: 1, octets: 75 }));
        assert_eq!(event(26), None);
        assert_eq!(event(25), Some(FlowEvent::Low { calls: 1, octets: 25 }));
        assert!(limits.has_room(3, 60, 40) && !limits.has_room(3, 60, 41));
        assert!(limits.has_room(0, 0, 5000), "a call larger than the limit is queued alone");
        assert!(!limits.has_room(1, usize::MAX, usize::MAX));
        assert!(!of(3, 100).has_room(3, 0, 1));
    }

    /// The items that can be removed without waiting: one, and those that are released with it.
    fn released(queue: &FlowQueue<char>) -> Option<String> {
        let state = queue.state();
        if state.waiting.is_empty() || !queue.is_released(&state) {
            return None;
        }
        drop(state);
        let (first, _) = queue.next(None)?;
        let others = std::iter::from_fn(|| queue.next_released()).map(|(item, _)| item);
        Some(std::iter::once(first).chain(others).collect())
    }

    fn buffering(constraint: BufferingConstraint) -> FlowQueue<char> {
        FlowQueue::new(of(4, 100)).buffering(Some(constraint))
    }

    #[test]
    fn buffered_items_are_released_together_when_the_constraint_is_met() {
        let constraint = BufferingConstraint::default();
        let by_calls = buffering(constraint.calls(3));
        let by_octets = buffering(constraint.octets(30));
        for queue in [by_calls, by_octets] {
            for round in 0..2 {
                assert!(queue.try_put(10, 'a').is_ok() && queue.try_put(10, 'b').is_ok());
                assert_eq!(released(&queue), None, "{round}");
                assert!(queue.try_put(10, 'c').is_ok());
                assert_eq!(released(&queue).as_deref(), Some("abc"));
            }
        }
    }

    #[test]
    fn buffered_items_are_released_by_age_by_flushing_and_by_a_full_queue() {
        let constraint = BufferingConstraint::default();
        let aging = buffering(constraint.age(Duration::from_millis(1)));
        assert!(aging.try_put(1, 'a').is_ok());
        assert_eq!(aging.next(None).map(|(item, _)| item), Some('a'), "when it is old enough");
        let endless = buffering(constraint.age(Duration::from_secs(3600)));
        assert!(endless.try_put(1, 'a').is_ok());
        assert_eq!(released(&endless), None);
        let full = buffering(constraint);
        for item in "abc".chars() {
            assert!(full.try_put(1, item).is_ok());
        }
        assert_eq!(released(&full), None);
        assert!(full.try_put(1, 'd').is_ok());
        assert_eq!(released(&full).as_deref(), Some("abcd"), "there is no room for another");
        assert!(full.try_put(49, 'e').is_ok());
        assert_eq!(released(&full), None);
        assert_eq!(full.try_put(60, 'f'), Err('f'));
        assert_eq!(released(&full).as_deref(), Some("e"), "there is no room for this one");
        let flushed = buffering(constraint);
        assert!(flushed.try_put(1, 'a').is_ok());
        std::thread::scope(|scope| {
            let flushing = scope.spawn(|| flushed.wait_until_done(Duration::from_secs(3600)));
            assert_eq!(flushed.next(None).map(|(item, _)| item), Some('a'));
            flushed.end();
            assert!(flushed.next(None).is_none());
            assert!(flushing.join().unwrap());
        });
    }

    #[test]
    fn a_caller_that_waits_for_room_releases_what_is_buffered() {
        let queue = buffering(BufferingConstraint::default());
        assert!(queue.try_put(90, 'a').is_ok());
        let when_full = WhenFull::Wait(Duration::from_secs(3600));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.wait_for_room(20, when_full, None));
            assert_eq!(queue.try_put(20, 'b'), Err('b'));
            assert_eq!(queue.next(None).map(|(item, _)| item), Some('a'));
            assert!(waiting.join().unwrap().is_ok());
        });
    }

    #[test]
    fn queued_calls_are_sent_before_the_end() {
        let queue = FlowQueue::new(of(2, 100));
        assert!(queue.try_put(1, 'a').is_ok() && queue.try_put(1, 'b').is_ok());
        assert_eq!(queue.try_put(1, 'c'), Err('c'));
        assert!(queue.wait_for_room(1, WhenFull::Refuse, None).is_err());
        queue.end();
        assert!(!queue.is_at_rest() && !queue.wait_until_done(Duration::ZERO));
        let taken: Vec<_> = std::iter::from_fn(|| queue.next(None)).map(|(item, _)| item).collect();
        assert_eq!(taken, ['a', 'b']);
        assert!(queue.is_at_rest() && queue.wait_until_done(Duration::ZERO));
        assert_eq!(queue.counts(), FlowCounts { refused: 1, ..FlowCounts::default() });
    }
}
