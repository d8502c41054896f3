//! A queue of written one-way requests, its connection, and the thread that sends them.

use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use zorb_base::callback::call_back;
use zorb_base::error::{ErrorContext, Phase};
use zorb_base::orb_core::OrbCore;
use zorb_os::lock::Lock;
use zorb_os::priority;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::connection::{CONTROL_TIMEOUT, LastReceived};
use super::endpoint_cache::{EndpointCache, Message, MessageQueue, NoConnection, Wanted};
use super::exclusive::ExclusiveConnection;
use super::hangups::{ClosesHungUp, HungUp, watch};
use crate::flow::{BufferingConstraint, FlowEvent, FlowLimits, FlowQueue};

/// The maximum number of message buffers that are retained.
const SPARES: usize = 16;

/// The number of octets from which on no more messages are sent along.
const TOGETHER: usize = 64 << 10;

pub(super) type OnEvent = Option<Arc<dyn Fn(&FlowEvent) + Send + Sync>>;

/// A queue, its connection and its thread.
pub(crate) struct Outbox {
    cache: Arc<EndpointCache>,
    /// Where messages are written; its lock also orders the queue.
    pub(super) connection: Lock<Box<ExclusiveConnection>>,
    pub(super) queue: Arc<MessageQueue>,
    pub(super) spares: Lock<Vec<Vec<u8>>>,
    /// Whether sending has ended.
    broken: AtomicBool,
    on_event: OnEvent,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Outbox").field(&self.cache.endpoint).field(&self.queue.messages).finish()
    }
}

/// The parameters of a queue.
pub(super) struct NewOutbox<'a> {
    pub(super) on_event: OnEvent,
    pub(super) limits: FlowLimits,
    pub(super) buffering: Option<BufferingConstraint>,
    pub(super) wanted: Wanted<'a>,
}

/// No thread could be started for a queue, which was connected.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoThread;

impl Outbox {
    /// Connects, and starts the thread, which calls `on_end` when it ends.
    pub(super) fn open(
        core: &OrbCore,
        cache: &Arc<EndpointCache>,
        new: NewOutbox<'_>,
        on_end: impl FnOnce(&Arc<Self>) + Send + 'static,
    ) -> Result<Result<Arc<Self>, NoThread>, NoConnection> {
        let NewOutbox { on_event, limits, buffering, wanted } = new;
        let connection = cache.open_separate(wanted)?;
        let stream = Arc::clone(&connection.stream);
        // It fails only if the peer has gone, which sending reports as well.
        let _ = stream.set_send_timeout(Some(core.options().send_timeout));
        let messages = FlowQueue::new(cache.queue_limits(limits)).buffering(buffering);
        let outbox = Arc::new(Self {
            cache: Arc::clone(cache),
            connection: Lock::new(connection),
            queue: Arc::new(MessageQueue { messages, stream }),
            spares: Lock::default(),
            broken: AtomicBool::new(false),
            on_event,
        });
        let closer: Weak<dyn ClosesHungUp> = Arc::<Self>::downgrade(&outbox);
        outbox.connection.lock().watched = watch(&*outbox.queue.stream, closer);
        let work = Arc::clone(&outbox);
        // The thread gets the priority of this one.
        let schedule = priority::current().ok();
        let body = move || {
            // If that is not permitted, it has the system's default.
            let _ = schedule.map(priority::set);
            work.send();
            on_end(&work);
        };
        if core.threads().spawn("zorb-oneway", body).is_err() {
            cache.lost_separate();
            return Ok(Err(NoThread));
        }
        cache.add_queue(&outbox.queue);
        Ok(Ok(outbox))
    }

    /// Whether sending has ended.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Whether it accepts calls.
    pub(super) fn is_good(&self) -> bool {
        if self.is_broken() || self.queue.messages.has_ended() {
            return false;
        }
        if !self.queue.messages.is_at_rest() {
            return true;
        }
        // The server may have closed the idle connection.
        let mut connection = self.connection.lock();
        let is_good =
            connection.last_received.is_known_to_work() || !connection.stream.is_readable();
        if is_good {
            connection.last_received = LastReceived::now();
        }
        is_good
    }

    /// Reports an event to the program.
    pub(super) fn report(&self, event: Option<FlowEvent>) {
        if let (Some(event), Some(on_event)) = (event, &self.on_event) {
            call_back("on_event of a queue of one-way calls", || on_event(&event));
        }
    }

    /// Retains a buffer for the next message.
    pub(super) fn reuse(&self, buffer: Vec<u8>) {
        let mut spares = self.spares.lock();
        if spares.len() < SPARES {
            spares.push(buffer);
        }
    }

    /// The queue's thread.
    fn send(&self) {
        let mut failed = None;
        let mut batch = Vec::new();
        while let Some((first, event)) = self.queue.messages.next(self.cache.idle_limit()) {
            self.report(event);
            self.collect(first, &mut batch);
            if failed.is_none() {
                batch.retain_mut(|message| self.is_in_time(message));
            }
            if batch.is_empty() {
                continue;
            }
            let outcome = match &failed {
                Some(exception) => Err(SystemException::clone(exception)),
                None => self.transmit(&batch).inspect_err(|exception| {
                    let mut not_begun = exception.clone();
                    not_begun.completed = CompletionStatus::No;
                    failed = Some(not_begun);
                    // The queue accepts no more calls, and those in it are lost.
                    self.broken.store(true, Ordering::Release);
                    self.queue.messages.end();
                }),
            };
            for message in batch.drain(..) {
                self.ended(message.octets, outcome.clone());
            }
        }
        self.broken.store(true, Ordering::Release);
        let mut connection = self.connection.lock();
        let _ = self.queue.stream.set_send_timeout(Some(CONTROL_TIMEOUT));
        connection.close();
        drop(connection);
        self.cache.lost_separate();
    }
}

impl Outbox {
    /// Collects a message, and those that are released with it.
    fn collect(&self, first: Message, batch: &mut Vec<Message>) {
        let mut octets = first.octets.len();
        batch.push(first);
        while octets < TOGETHER
            && let Some((next, event)) = self.queue.messages.next_released()
        {
            self.report(event);
            octets += next.octets.len();
            batch.push(next);
        }
    }

    /// Whether a message can still be sent; otherwise it is lost.
    fn is_in_time(&self, message: &mut Message) -> bool {
        let is_late = message.deadline.is_some_and(|deadline| deadline <= Instant::now());
        if is_late {
            let late = SystemException::timeout(minor::timeout::SEND, CompletionStatus::No);
            self.ended(std::mem::take(&mut message.octets), Err(late));
        }
        !is_late
    }

    /// Sends messages. If there are several and sending fails, the first may have been received.
    fn transmit(&self, batch: &[Message]) -> Result<(), SystemException> {
        let no = CompletionStatus::No;
        if self.is_broken() {
            let error = io::Error::from(io::ErrorKind::NotConnected);
            return Err(not_sent(&self.cache, error, no));
        }
        if let [message] = batch {
            let sent = self.queue.stream.send_all(&message.octets);
            return sent.map_err(|error| not_sent(&self.cache, error, no));
        }
        let mut parts: Vec<_> = batch.iter().map(|message| IoSlice::new(&message.octets)).collect();
        let sent = self.queue.stream.send_vectored_all(&mut parts);
        sent.map_err(|error| not_sent(&self.cache, error, CompletionStatus::Maybe))
    }

    /// Counts a message that was sent or is lost, and reports the second.
    fn ended(&self, octets: Vec<u8>, outcome: Result<(), SystemException>) {
        self.reuse(octets);
        self.queue.messages.count(outcome.is_ok());
        if let Err(exception) = outcome {
            self.report(Some(FlowEvent::Lost(exception)));
        }
    }
}

impl ClosesHungUp for Outbox {
    /// Ends the queue, whose calls are lost; the next call opens another one.
    fn close_hung_up(&self, _: &Arc<HungUp>) {
        self.broken.store(true, Ordering::Release);
        self.queue.messages.end();
    }
}

/// The exception for requests that could not be sent.
#[cold]
fn not_sent(
    cache: &EndpointCache,
    error: io::Error,
    completed: CompletionStatus,
) -> SystemException {
    let exception = match error.kind() {
        io::ErrorKind::TimedOut => SystemException::timeout(minor::timeout::SEND, completed),
        _ => SystemException::comm_failure(minor::comm_failure::SEND_FAILED, completed),
    };
    exception.with_context(
        ErrorContext::new(Phase::Send).with_target(cache.endpoint.to_string()).with_source(error),
    )
}
