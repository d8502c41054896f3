//! A queue of one-way calls with flow control.

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

/// Configures and starts an [`OutputQueue`].
#[must_use]
pub struct OutputQueueBuilder {
    name: String,
    limits: FlowLimits,
    when_full: WhenFull,
    priority: Option<(RtCurrent, Priority)>,
    on_event: Option<Box<OnEvent>>,
}

impl OutputQueueBuilder {
    /// The maximum number of calls, at least one. Default: 256.
    pub fn max_calls(mut self, count: usize) -> Self {
        self.limits.max_calls = count.max(1);
        self
    }

    /// The maximum size of all calls together, in octets. Default: 1 MiB.
    pub fn max_octets(mut self, octets: usize) -> Self {
        self.limits.max_octets = octets;
        self
    }

    /// Sets the limits to the properties `queued_calls` and `queued_octets` of the reference that the calls use:
    /// [`ObjectRef::connection_properties`](zorb_core::ObjectRef::connection_properties). Properties that are not set
    /// change nothing.
    pub fn within(mut self, properties: &ConnectionProperties) -> Self {
        self.limits = self.limits.within(properties.queued_calls, properties.queued_octets);
        self
    }

    /// The high-water and low-water marks, in percent of the limit that is closer. Default: 75 and 25. The low one
    /// is less than the high one.
    pub fn watermarks(mut self, high: u8, low: u8) -> Self {
        self.limits = self.limits.watermarks(high, low);
        self
    }

    /// What happens to calls when the queue is full. Default: they are refused.
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// The priority of the sending thread, and of its calls. Default: none.
    pub fn priority(mut self, current: RtCurrent, priority: Priority) -> Self {
        self.priority = Some((current, priority));
        self
    }

    /// Calls `on_event` with each event. It may call the queue. A panic is logged.
    pub fn on_event(mut self, on_event: impl Fn(&FlowEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Box::new(on_event));
        self
    }

    /// Starts the queue with its thread.
    ///
    /// # Errors
    /// `NO_RESOURCES` if the thread cannot be started.
    pub fn start(self) -> Result<OutputQueue, SystemException> {
        let queue = FlowQueue::new(self.limits);
        let shared = Arc::new(Shared { queue, on_event: self.on_event });
        let (work, priority) = (Arc::clone(&shared), self.priority);
        let body = move || {
            if let Some((current, priority)) = priority
                && let Err(exception) = current.set_priority(priority)
            {
                tracing::warn!(%exception, "cannot set the priority of an output queue's thread");
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

/// A queue of one-way calls, which its thread sends in order; callers do not wait for the transport.
///
/// Without a queue, a one-way call blocks if the server reads more slowly than the client writes and the transport's
/// buffers are full. With a queue, the program is notified when the queue reaches its high-water mark and its low-water
/// mark, and calls are refused when it is full. Use one queue per reference, and give the reference a
/// [private connection](zorb_core::policy::PrivateConnection).
///
/// The policy [`OnewayQueue`](zorb_core::OnewayQueue) queues the one-way calls of stubs; this type queues closures that
/// make calls of any kind.
///
/// Dropping the queue sends the calls that wait in it.
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
    /// A builder; the name is that of the thread.
    pub fn builder(name: &str) -> OutputQueueBuilder {
        OutputQueueBuilder {
            name: name.to_owned(),
            limits: FlowLimits::default(),
            when_full: WhenFull::default(),
            priority: None,
            on_event: None,
        }
    }

    /// Queues a call of about `octets` octets: a closure that calls a one-way operation.
    ///
    /// # Errors
    /// `TRANSIENT` (OMG 1) if the queue is full.
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
            match self.shared.queue.try_put(octets, None, call) {
                Ok(event) => {
                    self.shared.report(event);
                    return Ok(());
                }
                Err(rejected) => call = rejected,
            }
            self.shared.queue.wait_for_room(octets, self.when_full, end)?;
        }
    }

    /// The number of waiting calls, and their octets. A call that is being sent does not wait.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        self.shared.queue.waiting()
    }

    /// The number of callers that wait because the queue is full.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.shared.queue.blocked()
    }

    /// The numbers of calls so far.
    #[must_use]
    pub fn counts(&self) -> FlowCounts {
        self.shared.queue.counts()
    }
}

impl Drop for OutputQueue {
    fn drop(&mut self) {
        self.shared.queue.end();
        let own = std::thread::current().id();
        // If one of its own calls drops the queue, its thread ends by itself.
        if let Some(thread) = self.thread.take_if(|thread| thread.thread().id() != own) {
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
    fn report(&self, event: Option<FlowEvent>) {
        if let (Some(event), Some(on_event)) = (event, &self.on_event) {
            let reported = catch_unwind(AssertUnwindSafe(|| on_event(&event)));
            if reported.is_err() {
                // The queue goes on.
                tracing::error!("on_event of an output queue panicked");
            }
        }
    }

    /// The body of the queue's thread.
    fn send(&self) {
        while let Some((call, event)) = self.queue.next(None) {
            self.report(event);
            let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
                let minor = minor::internal::BROKEN_INVARIANT;
                Err(SystemException::internal(minor, CompletionStatus::Maybe))
            });
            self.queue.count(outcome.is_ok());
            if let Err(exception) = outcome {
                self.report(Some(FlowEvent::Lost(exception)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
