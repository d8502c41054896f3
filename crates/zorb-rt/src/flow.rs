//! One-way calls that wait in a queue, and notice of how full it is.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zorb_core::policy::ConnectionProperties;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Priority, RtCurrent};

/// What happens to a call that the queue has no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// It fails with `TRANSIENT` at once. The default.
    #[default]
    Refuse,
    /// The caller waits for room, at most so long; then it fails with `TRANSIENT`.
    Wait(Duration),
}

/// Something about a queue that its program may want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// How much waits in a queue, and when that is worth telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waters {
    max_calls: usize,
    max_octets: usize,
    high: u8,
    low: u8,
    is_high: bool,
}

impl Waters {
    /// Whether one more call of so many octets has room. One that is too large for every queue has room
    /// in an empty one.
    fn has_room(&self, calls: usize, octets: usize, more: usize) -> bool {
        calls == 0
            || calls < self.max_calls
                && octets.checked_add(more).is_some_and(|sum| sum <= self.max_octets)
    }

    /// Whether the fuller of the two is at `percent` or above.
    fn is_at(&self, percent: u8, calls: usize, octets: usize) -> bool {
        let at = |count: usize, most: usize| {
            count as u128 * 100 >= u128::from(percent) * most.max(1) as u128
        };
        at(calls, self.max_calls) || at(octets, self.max_octets)
    }

    /// What is to be told now that so much waits.
    fn told(&mut self, calls: usize, octets: usize) -> Option<FlowEvent> {
        if !self.is_high && self.is_at(self.high, calls, octets) {
            self.is_high = true;
            return Some(FlowEvent::High { calls, octets });
        }
        let is_low = calls == 0 || !self.is_at(self.low.saturating_add(1), calls, octets);
        if self.is_high && is_low {
            self.is_high = false;
            return Some(FlowEvent::Low { calls, octets });
        }
        None
    }
}

type Call = Box<dyn FnOnce() -> Result<(), SystemException> + Send>;
type OnEvent = dyn Fn(&FlowEvent) + Send + Sync;

/// Sets an [`OutputQueue`] up.
#[must_use]
pub struct OutputQueueBuilder {
    name: String,
    waters: Waters,
    when_full: WhenFull,
    priority: Option<(RtCurrent, Priority)>,
    on_event: Option<Box<OnEvent>>,
}

impl OutputQueueBuilder {
    /// For so many calls, at least one. Default: 256.
    pub fn max_calls(mut self, count: usize) -> Self {
        self.waters.max_calls = count.max(1);
        self
    }

    /// For calls of so many octets together. Default: 1 MiB.
    pub fn max_octets(mut self, octets: usize) -> Self {
        self.waters.max_octets = octets;
        self
    }

    /// For as much as the properties `queued_calls` and `queued_octets` say, those of the reference that
    /// the calls go by: [`ObjectRef::connection_properties`](zorb_core::ObjectRef::connection_properties).
    /// What they leave open stays.
    pub fn within(self, properties: &ConnectionProperties) -> Self {
        let size = |limit: Option<u32>| limit.and_then(|limit| usize::try_from(limit).ok());
        let (calls, octets) = (size(properties.queued_calls), size(properties.queued_octets));
        let with = match calls {
            Some(calls) => self.max_calls(calls),
            None => self,
        };
        match octets {
            Some(octets) => with.max_octets(octets),
            None => with,
        }
    }

    /// With these marks, in percent of whichever limit is nearer. Default: 75 and 25. The low one is
    /// below the high one.
    pub fn waters(mut self, high: u8, low: u8) -> Self {
        self.waters.high = high.clamp(1, 100);
        self.waters.low = low.min(self.waters.high - 1);
        self
    }

    /// What happens to calls that there is no room for. Default: they are refused.
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// Sends at this priority, which the calls carry. Default: without any.
    pub fn priority(mut self, current: RtCurrent, priority: Priority) -> Self {
        self.priority = Some((current, priority));
        self
    }

    /// Tells `on_event` what there is to know. It may call the queue.
    pub fn on_event(mut self, on_event: impl Fn(&FlowEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Box::new(on_event));
        self
    }

    /// Starts its thread.
    ///
    /// # Errors
    /// `NO_RESOURCES` when there is no thread to be had.
    pub fn start(self) -> Result<OutputQueue, SystemException> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                octets: 0,
                waters: self.waters,
                counts: FlowCounts::default(),
                blocked: 0,
                is_ending: false,
            }),
            comes: Condvar::new(),
            goes: Condvar::new(),
            on_event: self.on_event,
        });
        let (work, priority) = (Arc::clone(&shared), self.priority);
        let body = move || {
            if let Some((current, priority)) = priority
                && let Err(exception) = current.set_priority(priority)
            {
                tracing::warn!(%exception, "an output queue sends without its priority");
            }
            work.send();
        };
        let thread = std::thread::Builder::new().name(self.name).spawn(body).map_err(|_| {
            SystemException::no_resources(minor::no_resources::THREADS, CompletionStatus::No)
        })?;
        Ok(OutputQueue { shared, when_full: self.when_full, thread: Some(thread) })
    }
}

impl fmt::Debug for OutputQueueBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputQueueBuilder")
            .field("name", &self.name)
            .field("waters", &self.waters)
            .finish_non_exhaustive()
    }
}

/// What has become of a queue's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounts {
    /// Those that were sent.
    pub sent: u64,
    /// Those that could not be sent.
    pub lost: u64,
    /// Those that there was no room for.
    pub refused: u64,
}

/// A queue in front of a connection: one-way calls wait in it until the transport takes them, and the
/// caller goes on.
///
/// A one-way call waits where its server reads more slowly than the client writes and the transport is
/// full. With a queue the program learns of it instead, when the queue reaches its high water and again
/// at its low water, and what it has no room for is refused. Calls are sent in their order by the
/// queue's thread. Have a queue for each reference, and the reference a connection of its own
/// ([`PrivateConnection`](zorb_core::policy::PrivateConnection)): then it is the connection's.
///
/// Dropping it sends what waits, and ends.
pub struct OutputQueue {
    shared: Arc<Shared>,
    when_full: WhenFull,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// A call has come, or the end.
    comes: Condvar,
    /// There is room.
    goes: Condvar,
    on_event: Option<Box<OnEvent>>,
}

struct State {
    waiting: VecDeque<(usize, Call)>,
    octets: usize,
    waters: Waters,
    counts: FlowCounts,
    /// Callers that wait for room.
    blocked: usize,
    is_ending: bool,
}

impl State {
    fn told(&mut self) -> Option<FlowEvent> {
        self.waters.told(self.waiting.len(), self.octets)
    }
}

impl OutputQueue {
    /// Begins to set one up; the name is its thread's.
    pub fn builder(name: &str) -> OutputQueueBuilder {
        let waters =
            Waters { max_calls: 256, max_octets: 1 << 20, high: 75, low: 25, is_high: false };
        OutputQueueBuilder {
            name: name.to_owned(),
            waters,
            when_full: WhenFull::default(),
            priority: None,
            on_event: None,
        }
    }

    /// Queues a call of about so many octets: a closure that calls a one-way operation.
    ///
    /// # Errors
    /// `TRANSIENT` (OMG 1) when there is no room for it.
    pub fn send(
        &self,
        octets: usize,
        call: impl FnOnce() -> Result<(), SystemException> + Send + 'static,
    ) -> Result<(), SystemException> {
        let mut state = self.room_for(octets)?;
        state.waiting.push_back((octets, Box::new(call)));
        state.octets = state.octets.saturating_add(octets);
        let event = state.told();
        drop(state);
        self.shared.comes.notify_one();
        self.shared.tell(event);
        Ok(())
    }

    /// The state, once there is room.
    fn room_for(&self, octets: usize) -> Result<MutexGuard<'_, State>, SystemException> {
        let mut state = self.shared.state();
        let end = match self.when_full {
            WhenFull::Refuse => None,
            WhenFull::Wait(limit) => Instant::now().checked_add(limit),
        };
        while !state.waters.has_room(state.waiting.len(), state.octets, octets) {
            let left = match (self.when_full, end) {
                (WhenFull::Refuse, _) => Duration::ZERO,
                (WhenFull::Wait(limit), None) => limit,
                (WhenFull::Wait(_), Some(end)) => end.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                state.counts.refused += 1;
                let minor = minor::transient::REQUEST_DISCARDED;
                return Err(SystemException::transient(minor, CompletionStatus::No));
            }
            state.blocked += 1;
            let waited = self.shared.goes.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.blocked -= 1;
        }
        Ok(state)
    }

    /// How many calls wait, and their octets. One that is being sent waits no more.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        let state = self.shared.state();
        (state.waiting.len(), state.octets)
    }

    /// How many callers wait for room.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.shared.state().blocked
    }

    /// What has become of its calls so far.
    #[must_use]
    pub fn counts(&self) -> FlowCounts {
        self.shared.state().counts
    }
}

impl Drop for OutputQueue {
    fn drop(&mut self) {
        self.shared.state().is_ending = true;
        self.shared.comes.notify_all();
        let own = std::thread::current().id();
        // Where one of its own calls drops it, its thread ends by itself.
        if let Some(thread) = self.thread.take_if(|thread| thread.thread().id() != own) {
            // What panics there is a report, whose thread has ended then.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for OutputQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputQueue").field("waiting", &self.waiting()).finish_non_exhaustive()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: Option<FlowEvent>) {
        if let (Some(event), Some(on_event)) = (event, &self.on_event) {
            on_event(&event);
        }
    }

    /// The queue's thread.
    fn send(&self) {
        loop {
            let mut state = self.state();
            let (octets, call) = loop {
                if let Some(first) = state.waiting.pop_front() {
                    break first;
                }
                if state.is_ending {
                    return;
                }
                state = self.comes.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            state.octets = state.octets.saturating_sub(octets);
            let event = state.told();
            drop(state);
            self.goes.notify_one();
            self.tell(event);
            let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
                let minor = minor::internal::BROKEN_INVARIANT;
                Err(SystemException::internal(minor, CompletionStatus::Maybe))
            });
            match outcome {
                Ok(()) => self.state().counts.sent += 1,
                Err(exception) => {
                    self.state().counts.lost += 1;
                    self.tell(Some(FlowEvent::Lost(exception)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
