//! One-way calls that wait in a queue, and notice of how full it is.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use zorb_core::flow::{FlowCounts, FlowEvent, FlowLimits, FlowQueue, WhenFull};
use zorb_core::policy::ConnectionProperties;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Priority, RtCurrent};

type Call = Box<dyn FnOnce() -> Result<(), SystemException> + Send>;
type OnEvent = dyn Fn(&FlowEvent) + Send + Sync;

/// Sets an [`OutputQueue`] up.
#[must_use]
pub struct OutputQueueBuilder {
    name: String,
    limits: FlowLimits,
    when_full: WhenFull,
    priority: Option<(RtCurrent, Priority)>,
    on_event: Option<Box<OnEvent>>,
}

impl OutputQueueBuilder {
    /// For so many calls, at least one. Default: 256.
    pub fn max_calls(mut self, count: usize) -> Self {
        self.limits.max_calls = count.max(1);
        self
    }

    /// For calls of so many octets together. Default: 1 MiB.
    pub fn max_octets(mut self, octets: usize) -> Self {
        self.limits.max_octets = octets;
        self
    }

    /// For as much as the properties `queued_calls` and `queued_octets` say, those of the reference that
    /// the calls go by: [`ObjectRef::connection_properties`](zorb_core::ObjectRef::connection_properties).
    /// What they leave open stays.
    pub fn within(mut self, properties: &ConnectionProperties) -> Self {
        self.limits = self.limits.within(properties.queued_calls, properties.queued_octets);
        self
    }

    /// With these marks, in percent of whichever limit is nearer. Default: 75 and 25. The low one is
    /// below the high one.
    pub fn waters(mut self, high: u8, low: u8) -> Self {
        self.limits = self.limits.waters(high, low);
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
        let queue = FlowQueue::new(self.limits);
        let shared = Arc::new(Shared { queue, on_event: self.on_event });
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
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
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
/// The policy [`OnewayQueue`](zorb_core::OnewayQueue) does the same for the one-way calls of
/// stubs; this is for calls of any kind that a program makes into closures.
///
/// Dropping it sends what waits, and ends.
pub struct OutputQueue {
    shared: Arc<Shared>,
    when_full: WhenFull,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    queue: FlowQueue<Call>,
    on_event: Option<Box<OnEvent>>,
}

impl OutputQueue {
    /// Begins to set one up; the name is its thread's.
    pub fn builder(name: &str) -> OutputQueueBuilder {
        OutputQueueBuilder {
            name: name.to_owned(),
            limits: FlowLimits::default(),
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
        let end = match self.when_full {
            WhenFull::Refuse => None,
            WhenFull::Wait(limit) => Instant::now().checked_add(limit),
        };
        let mut call: Call = Box::new(call);
        loop {
            match self.shared.queue.try_put(octets, call) {
                Ok(event) => {
                    self.shared.tell(event);
                    return Ok(());
                }
                Err(back) => call = back,
            }
            self.shared.queue.wait_for_room(octets, self.when_full, end)?;
        }
    }

    /// How many calls wait, and their octets. One that is being sent waits no more.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        self.shared.queue.waiting()
    }

    /// How many callers wait for room.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.shared.queue.blocked()
    }

    /// What has become of its calls so far.
    #[must_use]
    pub fn counts(&self) -> FlowCounts {
        self.shared.queue.counts()
    }
}

impl Drop for OutputQueue {
    fn drop(&mut self) {
        self.shared.queue.end();
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
    fn tell(&self, event: Option<FlowEvent>) {
        if let (Some(event), Some(on_event)) = (event, &self.on_event) {
            on_event(&event);
        }
    }

    /// The queue's thread.
    fn send(&self) {
        while let Some((call, event)) = self.queue.next() {
            self.tell(event);
            let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
                let minor = minor::internal::BROKEN_INVARIANT;
                Err(SystemException::internal(minor, CompletionStatus::Maybe))
            });
            self.queue.count(outcome.is_ok());
            if let Err(exception) = outcome {
                self.tell(Some(FlowEvent::Lost(exception)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
