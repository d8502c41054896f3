//! Queued one-way calls: the caller writes the request, and the queue's thread sends it.

use std::sync::Arc;
use std::time::Instant;

use zorb_base::gather::Gather;
use zorb_base::policy::Rebind;
use zorb_base::upcall_thread::about_to_block;
use zorb_giop::{Announcement, BegunRequest, RequestKind};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::attempt::OutgoingRequest;
use super::call::Call;
use super::connection::NotBegun;
use super::contexts::Contexts;
use super::endpoint_cache::{Message, Wanted};
use super::interception::intercept;
use super::oneway_queue::OnewayQueue;
use super::outbox::{NewOutbox, NoThread, Outbox};
use super::outcome::Unfinished;
use super::route::{Route, Routes};
use super::selection::{Selection, select_route};
use crate::flow::WhenFull;

/// Puts a one-way call into its queue; `None` if its object is in this ORB, which has no queues.
pub(super) fn enqueue(
    policy: &OnewayQueue,
    call: &Call<'_>,
) -> Option<Result<(), SystemException>> {
    let object = call.object;
    let forwarded = object.forwarded();
    let target = forwarded.binding().unwrap_or_else(|| object.binding());
    let routes = match target.routes(object.core()) {
        Ok(routes) => routes,
        Err(exception) => return Some(Err(exception)),
    };
    if routes.local.is_some() {
        return None;
    }
    let put = |call: &Call<'_>| put(policy, call, routes).map_err(Unfinished::Failed);
    let outcome = match routes.interceptors.is_empty() {
        true => put(call),
        false => intercept(call, target, routes, &put),
    };
    if call.parameters.rebind != Rebind::Transparent {
        object.bind();
    }
    Some(match outcome {
        Err(Unfinished::Failed(exception)) => Err(exception),
        _ => Ok(()),
    })
}

fn put(policy: &OnewayQueue, call: &Call<'_>, routes: &Routes) -> Result<(), SystemException> {
    let deadline = call.sending.deadline();
    let when_full = policy.behavior_when_full();
    let room_deadline = match when_full {
        WhenFull::Wait(limit) => Instant::now().checked_add(limit),
        WhenFull::Refuse => None,
    };
    let end = [room_deadline, deadline].into_iter().flatten().min();
    loop {
        let (route, outbox) = select_queue(policy, call, routes)?;
        let Err(octets) = write(&outbox, call, route)? else { return Ok(()) };
        if !outbox.queue.messages.has_ended() {
            if when_full != WhenFull::Refuse {
                about_to_block();
            }
            outbox.queue.messages.wait_for_room(octets, when_full, end)?;
        }
    }
}

/// The queue of the first suitable route that connects.
fn select_queue<'t>(
    policy: &OnewayQueue,
    call: &Call<'_>,
    routes: &'t Routes,
) -> Result<(&'t Route, Arc<Outbox>), SystemException> {
    let core = call.object.core();
    let selection = Selection { wanted: call.wanted(), expects_reply: false, info: call.info };
    let queue = |route: &Route, wanted: Wanted<'_>| {
        let new = || NewOutbox {
            on_event: policy.event_handler(),
            limits: policy.limits_of(core.options()),
            buffering: policy.constraint(),
            wanted,
        };
        policy.outboxes().queue(core, &route.cache, wanted.deadline, new)
    };
    let (route, outbox) = select_route(call.object, routes, &selection, queue)?;
    match outbox {
        Ok(outbox) => Ok((route, outbox)),
        Err(NoThread) => {
            let code = minor::no_resources::THREADS;
            Err(SystemException::no_resources(code, CompletionStatus::No))
        }
    }
}

/// Writes a request and queues it; its size in octets if the queue is full.
fn write(
    outbox: &Outbox,
    call: &Call<'_>,
    route: &Route,
) -> Result<Result<(), usize>, SystemException> {
    let core = call.object.core();
    let form = route.form;
    let mut octets = outbox.spares.lock().pop().unwrap_or_default();
    let request = route.request(core, RequestKind::Oneway, call.operation, None);
    loop {
        let mut connection = outbox.connection.lock();
        let machine = &mut connection.machine;
        let begun = match machine.begin(&request, true, ()) {
            Ok(begun) => begun,
            Err(error) => return Err(refused(*NotBegun::new(error, machine, false))),
        };
        let code_sets = machine.session().code_sets();
        let BegunRequest { request_id, text, announcement, announced } = begun;
        // The program's code writes the arguments, and may make calls that wait in this queue, too. Several calls
        // may then announce the same, before one that does not. What an abbreviation stands for depends on the order.
        let locked = match announcement {
            Announcement::Abbreviation(_) => Some(connection),
            Announcement::Nothing | Announcement::CodeSets(_) => {
                drop(connection);
                None
            }
        };
        let announcing = (announced != 0).then_some(route);
        let contexts = Contexts { info: call.info, announcing };
        let mut gather = Gather::runs_from(usize::MAX);
        let message = OutgoingRequest { form, request_id, target: route.target(), text, call };
        message.write_announcing(announcement, contexts, &mut octets, &mut gather)?;
        let mut connection = locked.unwrap_or_else(|| outbox.connection.lock());
        if connection.machine.session().code_sets() != code_sets {
            // Another call has agreed on some, by which the server would read this one.
            continue;
        }
        let length = octets.len();
        let is_relied_on = announced != 0 || announcement != Announcement::Nothing;
        let in_time = call.sending.deadline();
        let deadline = in_time.filter(|_| !is_relied_on);
        return match outbox.queue.messages.try_put(length, in_time, Message { octets, deadline }) {
            Ok(event) => {
                connection.machine.sent(&begun);
                drop(connection);
                tracing::trace!(
                    endpoint = %route.cache.endpoint,
                    operation = call.operation,
                    octets = length,
                    waiting = outbox.queue.messages.waiting().0,
                    "a one-way call is queued"
                );
                outbox.report(event);
                Ok(Ok(()))
            }
            Err(back) => {
                outbox.reuse(back.octets);
                Ok(Err(length))
            }
        };
    }
}

/// The exception for a call that the connection of the queue does not take.
#[cold]
fn refused(reason: NotBegun) -> SystemException {
    match reason {
        NotBegun::Refused(exception) => exception,
        NotBegun::Unsent { .. } => {
            SystemException::comm_failure(minor::comm_failure::SEND_FAILED, CompletionStatus::No)
        }
    }
}
