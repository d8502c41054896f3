//! The queue between callers and the thread that sends.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::limits::Watermark;
use super::{BufferingConstraint, FlowCounts, FlowEvent, FlowLimits, WhenFull};

/// A bounded queue between callers and the thread that sends.
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
    /// When the others are removed at the latest, if it matters how long they are held.
    held_until: Option<Instant>,
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

    /// Limits how long the next item, and those that are held already, are held. Returns whether they are removed sooner.
    #[cold]
    fn hold(&mut self, buffering: &BufferingConstraint, deadline: Option<Instant>) -> bool {
        let is_first = self.released == self.waiting.len();
        let known = if is_first { None } else { self.held_until };
        let age = if is_first { buffering.age } else { None };
        self.held_until = known;
        if age.is_none() && deadline.is_none() {
            return false;
        }
        let now = Instant::now();
        let in_time = deadline.map(|deadline| deadline.saturating_duration_since(now) / 2);
        let longest = [age, in_time].into_iter().flatten().min();
        let until = longest.and_then(|longest| now.checked_add(longest));
        self.held_until = [known, until].into_iter().flatten().min();
        self.held_until != known
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
                held_until: None,
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
        state.released > 0
            || state.is_ending
            || state.flushing > 0
            || state.blocked > 0
            || buffering.is_met(state.waiting.len(), state.octets)
            || state.held_until.is_some_and(|until| until <= Instant::now())
    }

    /// Appends an item; returns the event to report. It is held for at most half of the time until `deadline`, so that it
    /// can be sent in time.
    ///
    /// # Errors
    /// The item, if there is no room for it or the queue has ended.
    pub fn try_put(
        &self,
        octets: usize,
        deadline: Option<Instant>,
        item: T,
    ) -> Result<Option<FlowEvent>, T> {
        let mut state = self.state();
        if state.is_ending || !self.limits.has_room(state.waiting.len(), state.octets, octets) {
            self.release_all(&mut state);
            return Err(item);
        }
        let is_sooner = match &self.buffering {
            Some(buffering) => state.hold(buffering, deadline),
            None => false,
        };
        state.waiting.push_back((octets, item));
        state.octets = state.octets.saturating_add(octets);
        let event = state.event(&self.limits);
        let wakes = is_sooner || self.is_released(&state);
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
            if self.buffering.is_some() {
                // What is held makes room.
                self.not_empty.notify_one();
            }
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

    /// Waits until an item is put in or is awaited, or until the first ones are held no longer.
    fn wait_for_release<'q>(&self, state: Locked<'q, State<T>>) -> Locked<'q, State<T>> {
        match state.held_until {
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                self.not_empty.wait_for(state, left)
            }
            None => self.not_empty.wait(state),
        }
    }

    /// Releases all items that are held.
    pub fn release(&self) {
        self.release_all(&mut self.state());
    }

    fn release_all(&self, state: &mut State<T>) {
        if self.buffering.is_some() {
            state.released = state.waiting.len();
            self.not_empty.notify_one();
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

    /// Whether the queue has ended and refuses further items.
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
        self.release_all(&mut state);
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
mod tests;
