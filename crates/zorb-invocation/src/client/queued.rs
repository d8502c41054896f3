//! Queued one-way calls: the caller writes the request, and the queue's thread sends it.

mod outboxes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zorb_base::error::{ErrorContext, Phase};
use zorb_base::gather::Gather;
use zorb_base::policy::Rebind;
use zorb_base::upcall_thread::about_to_block;
use zorb_giop::{Announcement, BegunRequest, RequestKind};
use zorb_os::lock::Lock;
use zorb_os::priority;
use zorb_transport::Stream;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::attempt::{Attempt, start, write_announcing, write_request};
use super::call::Call;
use super::connection::{FAREWELL_TIMEOUT, NewCall, not_begun};
use super::contexts::Contexts;
use super::exclusive::ExclusiveConnection;
use super::interception::intercept;
use super::oneway_queue::OnewayQueue;
use super::pool::{EndpointPool, NoConnection};
use super::reply::ReadReply;
use super::route::{Route, Routes};
use crate::client::core::ClientCore;
use crate::flow::{FlowEvent, FlowLimits, FlowQueue, WhenFull};
use crate::object::ObjectRef;

pub(crate) use outboxes::Outboxes;

/// The maximum time that the shutdown of an ORB waits for a queue.
const LAST_CALLS: Duration = Duration::from_secs(1);
/// The maximum number of message buffers that are retained.
const SPARES: usize = 16;

type OnEvent = Option<Arc<dyn Fn(&FlowEvent) + Send + Sync>>;

/// A queue, its connection and its thread.
pub(crate) struct Outbox {
    pool: Arc<EndpointPool>,
    /// Where messages are written; its lock also orders the queue.
    connection: Lock<Box<ExclusiveConnection>>,
    stream: Arc<dyn Stream>,
    queue: FlowQueue<Message>,
    spares: Lock<Vec<Vec<u8>>>,
    /// Whether sending has ended.
    broken: AtomicBool,
    on_event: OnEvent,
}

/// A queued request.
struct Message {
    octets: Vec<u8>,
    /// The latest time to send it; `None` if later requests depend on it.
    deadline: Option<Instant>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Outbox").field(&self.pool.endpoint).field(&self.queue).finish()
    }
}

/// Puts a one-way call into its queue; `None` if its object is in this ORB, which has no queues.
pub(super) fn enqueue(
    policy: &OnewayQueue,
    object: &ObjectRef,
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Option<Result<(), SystemException>> {
    let forwarded = object.forwarded();
    let target = forwarded.binding().unwrap_or_else(|| object.binding());
    let routes = target.routes(object.core());
    if routes.local.is_some() {
        return None;
    }
    let put = |call: &Call<'_>, _: ReadReply<'_>| match put(policy, object, routes, call) {
        Ok(()) => Attempt::Done,
        Err(exception) => Attempt::Failed(exception),
    };
    let outcome = match routes.interceptors.is_empty() {
        true => put(call, read),
        false => intercept(object, (target, routes), call, read, &put),
    };
    if call.parameters.rebind != Rebind::Transparent {
        object.bind();
    }
    Some(match outcome {
        Attempt::Failed(exception) => Err(exception),
        _ => Ok(()),
    })
}

fn put(
    policy: &OnewayQueue,
    object: &ObjectRef,
    routes: &Routes,
    call: &Call<'_>,
) -> Result<(), SystemException> {
    let deadline = call.sending().deadline();
    let when_full = policy.when_there_is_no_room();
    let patient = match when_full {
        WhenFull::Wait(limit) => Instant::now().checked_add(limit),
        WhenFull::Refuse => None,
    };
    let end = [patient, deadline].into_iter().flatten().min();
    loop {
        let (route, outbox) = policy.outboxes().select_queue(policy, object, routes, call)?;
        let Err(octets) = outbox.write(object, route, call)? else { return Ok(()) };
        if !outbox.is_broken() {
            if when_full != WhenFull::Refuse {
                about_to_block();
            }
            outbox.queue.wait_for_room(octets, when_full, end)?;
        }
    }
}

impl Outbox {
    /// Connects, and starts the thread.
    fn open(
        core: &Arc<ClientCore>,
        pool: &Arc<EndpointPool>,
        on_event: OnEvent,
        limits: FlowLimits,
        call: &Call<'_>,
    ) -> Result<Arc<Self>, NoConnection> {
        let connection = pool.open_apart(call.parameters.connect, call.sending().deadline())?;
        let stream = Arc::clone(&connection.stream);
        // It fails only if the peer has gone, which sending reports as well.
        let _ = stream.set_send_timeout(Some(core.options().send_timeout));
        let outbox = Arc::new(Self {
            pool: Arc::clone(pool),
            connection: Lock::new(connection),
            stream,
            queue: FlowQueue::new(pool.queue_limits(limits)),
            spares: Lock::default(),
            broken: AtomicBool::new(false),
            on_event,
        });
        let work = Arc::clone(&outbox);
        // The thread gets the priority of this one.
        let schedule = priority::current().ok();
        let body = move || {
            // If that is not permitted, it has the system's default.
            let _ = schedule.map(priority::set);
            work.send();
        };
        if core.threads().spawn("zorb-oneway", body).is_err() {
            pool.lost_one();
            return Err(NoConnection::Busy);
        }
        pool.keep_outbox(&outbox);
        Ok(outbox)
    }

    /// Whether it does not send any more.
    fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Whether it accepts calls.
    fn is_good(&self) -> bool {
        if self.is_broken() {
            return false;
        }
        if !self.queue.is_at_rest() {
            return true;
        }
        // The server may have closed the idle connection.
        let mut connection = self.connection.lock();
        let is_good = connection.is_fresh() || !connection.stream.is_stale();
        if is_good {
            connection.alive = super::connection::Alive::now();
        }
        is_good
    }

    /// Writes a request and queues it; its size in octets if the queue is full.
    fn write(
        &self,
        object: &ObjectRef,
        route: &Route,
        call: &Call<'_>,
    ) -> Result<Result<(), usize>, SystemException> {
        let core = object.core();
        let form = route.form;
        let mut connection = self.connection.lock();
        let ExclusiveConnection { machine, opened, outgoing, band_told, .. } = &mut **connection;
        let outgoing = outgoing.any_octets();
        if let Some(spare) = self.spares.lock().pop() {
            *outgoing = spare;
        }
        let new = NewCall {
            kind: RequestKind::Oneway,
            route,
            operation: call.operation,
            send_deadline: None,
            reply_deadline: None,
        };
        let begun = machine.begin(&new.request(core, *opened), true, ()).map_err(not_begun)?;
        let BegunRequest { request_id, text, announcement } = begun;
        let tells_band = route.band.is_some() && !*band_told;
        let band = route.band.as_ref().filter(|_| tells_band);
        let contexts = Contexts { info: call.info, band };
        let mut gather = Gather::runs_from(usize::MAX);
        match announcement {
            Announcement::Nothing => contexts.write(None, |service_contexts| {
                let start = start(request_id, &route.key, service_contexts, call);
                write_request(outgoing, form, &start, text, &mut gather, call)
            }),
            announcement => write_announcing(
                announcement,
                contexts,
                (outgoing, form),
                (request_id, &route.key[..]),
                text,
                &mut gather,
                call,
            ),
        }?;
        let tells = announcement != Announcement::Nothing;
        let octets = std::mem::take(outgoing);
        let length = octets.len();
        let is_relied_on = tells || tells_band;
        let deadline = call.sending().deadline().filter(|_| !is_relied_on);
        match self.queue.try_put(length, Message { octets, deadline }) {
            Ok(event) => {
                *band_told |= tells_band;
                machine.sent(&begun);
                drop(connection);
                self.tell(event);
                Ok(Ok(()))
            }
            Err(back) => {
                self.keep(back.octets);
                Ok(Err(length))
            }
        }
    }

    fn tell(&self, event: Option<FlowEvent>) {
        if let (Some(event), Some(on_event)) = (event, &self.on_event) {
            on_event(&event);
        }
    }

    fn keep(&self, buffer: Vec<u8>) {
        let mut spares = self.spares.lock();
        if spares.len() < SPARES {
            spares.push(buffer);
        }
    }

    /// The queue's thread.
    fn send(&self) {
        let mut failed = None;
        while let Some((message, event)) = self.queue.next() {
            self.tell(event);
            let is_late = message.deadline.is_some_and(|deadline| deadline <= Instant::now());
            let outcome = match &failed {
                Some(exception) => Err(SystemException::clone(exception)),
                None if is_late => {
                    Err(SystemException::timeout(minor::timeout::SEND, CompletionStatus::No))
                }
                None => self.stream.send_all(&message.octets).map_err(|error| {
                    let exception = not_sent(&self.pool, error);
                    failed = Some(exception.clone());
                    // The queue accepts no more calls, and those in it are lost.
                    self.broken.store(true, Ordering::Release);
                    self.queue.end();
                    exception
                }),
            };
            self.keep(message.octets);
            self.queue.count(outcome.is_ok());
            if let Err(exception) = outcome {
                self.tell(Some(FlowEvent::Lost(exception)));
            }
        }
        self.broken.store(true, Ordering::Release);
        let mut connection = self.connection.lock();
        let _ = self.stream.set_send_timeout(Some(FAREWELL_TIMEOUT));
        connection.close();
        drop(connection);
        self.pool.lost_one();
    }

    /// Ends it with the ORB, after a limited time to send the queued calls.
    pub(super) fn close(&self) {
        self.queue.end();
        if !self.queue.wait_until_done(LAST_CALLS) {
            // Unblocks a thread that is sending.
            let _ = self.stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// The exception for a request that could not be sent, and for those queued behind it.
#[cold]
fn not_sent(pool: &EndpointPool, error: std::io::Error) -> SystemException {
    let no = CompletionStatus::No;
    let exception = match error.kind() {
        std::io::ErrorKind::TimedOut => SystemException::timeout(minor::timeout::SEND, no),
        _ => SystemException::comm_failure(minor::comm_failure::SEND_FAILED, no),
    };
    exception.with_context(
        ErrorContext::new(Phase::Send).with_target(pool.endpoint.to_string()).with_source(error),
    )
}
