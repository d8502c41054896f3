//! One attempt at a call, over one connection.

use std::io;

use zorb_base::error::{ErrorContext, Phase};
use zorb_base::gather::Gather;
use zorb_base::upcall_thread::about_to_block;
use zorb_cdr::{ByteOrder, CdrError, CdrResult, TextCoding};
use zorb_giop::{
    Announcement, BegunRequest, ConnectionEnd, MessageFormat, MessageWriter, PlainRequest,
    ReplyStatus, RequestKind, RequestStart, ServiceContext, ServiceId, TargetAddress,
};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, Transfer};

use super::any_connection::AnyConnection;
use super::call::Call;
use super::connection::{Connection, NoReply, NotBegun, machine_time};
use super::contexts::Contexts;
use super::failing::{Failure, no_reply, not_sent, too_many_octets};
use super::multiplexed::MultiplexedCall;
use super::outcome::{Attempt, Unfinished, evaluate, readdress, wanted_address};
use super::reply::Reply;
use super::request_octets::UNCOUNTED;
use super::route::{Route, Routes};
use super::selection::{Selection, select_connection, select_idle};
use super::time_limit::TimeLimit;

/// Makes the call over the first route that connects.
pub(super) fn call_remote(call: &Call<'_>, routes: &Routes) -> Attempt {
    let (route, mut exclusive) = match select_idle(routes, call.response.expects_reply(), call.info)
    {
        Some(idle) => idle,
        None => match connect(call, routes).map_err(Unfinished::Failed)? {
            (route, AnyConnection::Exclusive(connection)) => (route, connection),
            (route, AnyConnection::Multiplexed(connection)) => {
                return call_multiplexed(call, route, connection);
            }
        },
    };
    match exclusive.connection() {
        Some(connection) => call_over(call, route, connection),
        None => Err(Unfinished::Failed(call.object.core().shut_down())),
    }
}

/// Selects a route and a connection.
#[inline(never)]
fn connect<'r>(
    call: &Call<'_>,
    routes: &'r Routes,
) -> Result<(&'r Route, AnyConnection<'r>), SystemException> {
    let expects_reply = call.response.expects_reply();
    let selection = Selection { wanted: call.wanted(), expects_reply, info: call.info };
    select_connection(call.object, routes, &selection)
}

/// Makes the call over a multiplexed connection.
#[inline(never)]
fn call_multiplexed(call: &Call<'_>, route: &Route, mut connection: MultiplexedCall) -> Attempt {
    call_over(call, route, &mut connection)
}

/// Makes the call over one connection.
#[inline]
fn call_over(call: &Call<'_>, route: &Route, connection: &mut impl Connection) -> Attempt {
    let attempt = call_once(call, route, connection);
    if attempt.is_err() {
        call.connect_time.first.note(connection.begun());
    }
    attempt
}

#[inline(always)] // it is a part of `call_over`
fn call_once(call: &Call<'_>, route: &Route, connection: &mut impl Connection) -> Attempt {
    let core = call.object.core();
    let BegunRequest { request_id, text, .. } = send_over(call, route, connection)?;
    if !call.response.expects_reply() {
        return Ok(());
    }
    about_to_block();
    let received = match connection.receive(&call.time_limit) {
        Ok(received) => received,
        Err(reason) => return Err(not_received(call, route, connection, request_id, reason)),
    };
    let reply = Reply { core, operation: call.operation, route: Some(route), received, text };
    if reply.received.start.status == ReplyStatus::NeedsAddressingMode {
        let wanted = wanted_address(&reply);
        return Err(readdress(connection.send_in_full(), wanted));
    }
    let outcome = evaluate(&reply, &call.read, call.info);
    #[cfg(feature = "buffers")]
    connection.release_buffer();
    outcome
}

/// Writes the request of the call and sends it.
#[inline(always)] // it is a part of `call_over`
pub(super) fn send_over(
    call: &Call<'_>,
    route: &Route,
    connection: &mut impl Connection,
) -> Result<BegunRequest, Unfinished> {
    probe!(Reference);
    let kind = match call.response.expects_reply() {
        true => RequestKind::Twoway,
        false => RequestKind::Oneway,
    };
    let deadline = call.time_limit.deadline();
    let deadline = deadline.map(|deadline| machine_time(connection.opened(), deadline));
    let request = route.request(call.object.core(), kind, call.operation, deadline);
    let begun = match connection.begin(&request, call.sending.deadline()) {
        Ok(begun) => begun,
        Err(reason) => return Err(unfinished(not_begun(route, connection, *reason))),
    };
    let core = call.object.core();
    let failed = |exception: SystemException| {
        Unfinished::Failed(exception.at(Phase::Send, &route.cache.endpoint))
    };
    let BegunRequest { request_id, text, announcement, announced } = begun;
    let mut gather = Gather::runs_from(connection.copy_threshold());
    let announcing = (announced != 0).then_some(route);
    let contexts = Contexts { info: call.info, announcing };
    let Some(outgoing) = connection.outgoing() else {
        return Err(Unfinished::Failed(core.shut_down()));
    };
    let form = route.form;
    let is_plain = contexts.is_empty() && route.addressing.is_by_key();
    let written = if announcement == Announcement::Nothing && is_plain {
        let (response, operation) = (call.response, call.operation);
        let request = PlainRequest { request_id, response, key: &route.key, operation };
        let message = outgoing.request(form, ByteOrder::NATIVE, request);
        write_arguments(message, text, &mut gather, call)
    } else {
        let message = OutgoingRequest { form, request_id, target: route.target(), text, call };
        message.write_announcing(announcement, contexts, outgoing.octets_mut(), &mut gather)
    };
    written.map_err(failed)?;
    if gather.tail().is_some() | (outgoing.octets().len() > UNCOUNTED) {
        count_octets(route, connection, &gather)?;
    }
    let rest = gather.tail().map(|tail| (tail, call.arguments));
    if let Err(error) = connection.send(&begun, &call.sending, rest) {
        return Err(not_sent_over(route, connection, request_id, error));
    }
    Ok(begun)
}

/// Ends an attempt whose request the connection has not sent.
#[cold]
pub(super) fn not_sent_over(
    route: &Route,
    connection: &mut impl Connection,
    request_id: u32,
    error: io::Error,
) -> Unfinished {
    let again = connection.may_resend(request_id, ConnectionEnd::Lost);
    route.cache.discard(connection, ConnectionEnd::Lost);
    unfinished(not_sent(route, again, error))
}

/// Counts the octets of a request until the call ends its use of the connection, if it is large.
#[cold]
fn count_octets(
    route: &Route,
    connection: &mut impl Connection,
    gather: &Gather,
) -> Result<(), Unfinished> {
    let written = connection.outgoing().map_or(0, |outgoing| outgoing.octets().len());
    let octets = written + gather.tail().map_or(0, |tail| tail.length());
    if octets > UNCOUNTED {
        let counted = route.cache.request_octets.enter(octets);
        let counted = counted.ok_or_else(|| Unfinished::Failed(too_many_octets(route)))?;
        connection.keep(counted);
    }
    Ok(())
}

/// Ends an attempt without a reply.
#[cold]
fn not_received(
    call: &Call<'_>,
    route: &Route,
    connection: &mut impl Connection,
    request_id: u32,
    reason: NoReply,
) -> Unfinished {
    let end = reason.end();
    let again = end.is_some_and(|end| connection.may_resend(request_id, end));
    give_up(route, connection, request_id, &call.time_limit, end);
    let longest = call.object.core().options().max_reply_wait;
    let exception = no_reply(route, call.time_limit.timeout().or(longest), reason);
    unfinished(Failure { exception, again })
}

/// Discards a connection that has ended without a reply. If it has not, tells the server that nobody waits any more.
#[cold]
pub(super) fn give_up(
    route: &Route,
    connection: &mut impl Connection,
    request_id: u32,
    time_limit: &TimeLimit,
    end: Option<ConnectionEnd>,
) {
    let end = match end {
        None if connection.time_out(request_id, time_limit).is_ok() => return,
        end => end.unwrap_or(ConnectionEnd::Lost),
    };
    route.cache.discard(connection, end);
}

/// The failure of a request that has not begun.
#[cold]
pub(super) fn not_begun(
    route: &Route,
    connection: &mut impl Connection,
    reason: NotBegun,
) -> Failure {
    match reason {
        NotBegun::Refused(exception) => {
            let exception = exception.at(Phase::Send, &route.cache.endpoint);
            Failure { exception, again: false }
        }
        NotBegun::Unsent { error, again } => {
            route.cache.discard(connection, ConnectionEnd::Lost);
            not_sent(route, again, error)
        }
    }
}

#[cold]
fn unfinished(failure: Failure) -> Unfinished {
    match failure.again {
        true => Unfinished::Resend(failure.exception),
        false => Unfinished::Failed(failure.exception),
    }
}

/// The message of a request that is about to be written.
pub(super) struct OutgoingRequest<'a> {
    pub(super) form: MessageFormat<'a>,
    pub(super) request_id: u32,
    pub(super) target: TargetAddress<'a>,
    pub(super) text: TextCoding,
    pub(super) call: &'a Call<'a>,
}

impl<'a> OutgoingRequest<'a> {
    /// Writes the request with its service contexts and the announcements of the connection.
    #[inline(never)]
    pub(super) fn write_announcing(
        self,
        announcement: Announcement,
        contexts: Contexts<'_>,
        buffer: &mut Vec<u8>,
        gather: &mut Gather,
    ) -> Result<(), SystemException> {
        let data = match announcement {
            Announcement::Abbreviation(abbreviation) => {
                let Self { form, text, call, .. } = self;
                let (start, order) = (self.start(&[]), ByteOrder::NATIVE);
                let begun = form.abbreviated_request(buffer, order, &start, abbreviation);
                return write_arguments(begun, text, gather, call);
            }
            Announcement::CodeSets(agreed) => Some(agreed.encode(ByteOrder::NATIVE)),
            Announcement::Nothing => None,
        };
        let context =
            data.as_ref().map(|data| ServiceContext::new(ServiceId::CODE_SETS, &data[..]));
        contexts.write(context, |contexts| self.write(contexts, buffer, gather))
    }

    /// Writes the request.
    pub(super) fn write(
        self,
        contexts: &[ServiceContext<'_>],
        buffer: &mut Vec<u8>,
        gather: &mut Gather,
    ) -> Result<(), SystemException> {
        let Self { form, text, call, .. } = self;
        let begun = form.request(buffer, ByteOrder::NATIVE, &self.start(contexts));
        write_arguments(begun, text, gather, call)
    }

    #[inline]
    fn start<'s>(self, service_contexts: &'s [ServiceContext<'s>]) -> RequestStart<'s>
    where
        'a: 's,
    {
        let Self { request_id, target, call, .. } = self;
        let (response, operation) = (call.response, call.operation);
        RequestStart { request_id, response, target, operation, service_contexts }
    }
}

/// Writes the rest of a request that was begun.
#[inline]
fn write_arguments(
    begun: CdrResult<MessageWriter<'_>>,
    text: TextCoding,
    gather: &mut Gather,
    call: &Call<'_>,
) -> Result<(), SystemException> {
    let written = begun.and_then(|message| {
        probe!(MessagingSend);
        let written = gather.write_body(message, text, call.arguments);
        probe!(Marshal);
        written
    });
    written.map_err(unwritten)
}

/// The exception for a request that cannot be written.
#[cold]
pub(super) fn unwritten(error: CdrError) -> SystemException {
    let exception = SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest);
    exception.with_context(ErrorContext::new(Phase::Send).with_source(error))
}
