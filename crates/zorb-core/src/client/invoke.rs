//! One call, from its arguments to its reply: routes, forwards, retries and deadlines.

use std::cell::Cell;
use std::io;
use std::ops::RangeInclusive;
use std::time::Duration;

use zorb_cdr::{ByteOrder, TextCoding, Wire};
use zorb_giop::{
    ConnectionEnd, Form, GiopVersion, Ior, Mentioning, MessageHeader, MessageKind, ReplyHeader,
    ReplyStatus, RequestProgress, RequestStart, ResponseFlags, ServiceContext, ServiceId,
    TargetAddress,
};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, Transfer, minor};

use super::call::Call;
use super::connection::{NoReply, Opened, Tells};
use super::contexts::{tell_band, with_contexts};
use super::line::{AnyLine, Line};
use super::reach::reach;
use super::reply::{Holder, LocalReply, Reply, decoding};
use super::route::{Route, Routes};
use crate::buffers::trim;
use crate::collocation::{Upcall, hold};
use crate::error::{Error, Phase};
use crate::gather::{Gather, SendParts, WriteBody};
use crate::object::ObjectRef;
use crate::policy::{Asked, Detour, Rebind, terms};
use crate::server::{Answer, InParts, about_to_block, answer_request};

/// The text coding of calls inside this ORB: nothing is lost in it.
pub(crate) const LOCAL_TEXT: TextCoding = TextCoding::UNICODE;
/// How often one call is sent again over a fresh connection because its server closed the old one.
pub(super) const MAX_RESENDS: u32 = 3;

thread_local! {
    /// The buffers of calls inside this ORB: request and reply. A nested call makes its own.
    static LOCAL_BUFFERS: Cell<(Vec<u8>, Vec<u8>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// What one attempt over one connection came to.
enum Attempt<'c> {
    Done(Option<Reply<'c>>),
    Forward(Ior),
    /// The request was not processed; it may be sent again.
    Resend(SystemException),
    Failed(SystemException),
}

/// Sends a request and waits for its reply, which `None` replaces for one-way operations.
pub(crate) fn invoke<'c>(
    object: &'c ObjectRef,
    operation: &str,
    response: ResponseFlags,
    arguments: WriteBody<'_>,
) -> Result<Option<Reply<'c>>, SystemException> {
    let core = object.core();
    core.check_running()?;
    let terms = terms(object);
    let object = match terms.elsewhere {
        Some(detour) => {
            let is_one_way = !response.expects_reply();
            let asked = Asked { operation, response, is_one_way, arguments, terms };
            match go_around(detour, object, &asked)? {
                Some(object) => object,
                None => return Ok(None),
            }
        }
        None => object,
    };
    let call = Call::new(operation, response, arguments, &terms);
    let forwarded = object.forwarded();
    let mut target = forwarded.binding().unwrap_or_else(|| object.binding());
    let mut next;
    let mut hops = 0;
    let mut fell_back = forwarded.binding().is_none();
    let mut resends = 0;
    loop {
        let routes = target.routes(core);
        let attempt = match &routes.local {
            Some(key) => call_here(object, routes, key, &call),
            None => call_there(object, routes, &call),
        };
        match attempt {
            Attempt::Done(reply) => {
                if !call.asides.is_none() {
                    settle(object, &call)?;
                }
                return Ok(reply);
            }
            Attempt::Forward(_)
                if call.asides.rebind() != Rebind::Transparent && object.is_bound() =>
            {
                return Err(give_up(object, &call, call.no_rebind(minor::rebind::FORWARDED)));
            }
            Attempt::Forward(ior) => {
                hops += 1;
                if hops > core.options().max_forwards {
                    let exception = SystemException::imp_limit(
                        minor::imp_limit::TOO_MANY_FORWARDS,
                        CompletionStatus::No,
                    );
                    let what = format!("{operation} was forwarded {hops} times");
                    let exception = Error::new(Phase::Resolve, what)
                        .hint("the servers forward to each other in a circle")
                        .remember(exception);
                    return Err(give_up(object, &call, exception));
                }
                next = object.forward_to(ior);
                target = &next;
            }
            Attempt::Resend(_)
                if call.asides.rebind() == Rebind::NoReconnect && object.is_bound() =>
            {
                let exception = call.no_rebind(minor::rebind::CONNECTION_CLOSED);
                return Err(give_up(object, &call, exception));
            }
            Attempt::Resend(exception) => {
                resends += 1;
                if resends > MAX_RESENDS {
                    return Err(give_up(object, &call, exception));
                }
            }
            // The place that a forward once named may be gone while the original knows a new one.
            Attempt::Failed(exception) if !fell_back && is_stale_forward(exception) => {
                if call.asides.rebind() != Rebind::Transparent && object.is_bound() {
                    return Err(give_up(object, &call, call.no_rebind(minor::rebind::FORWARDED)));
                }
                fell_back = true;
                object.forget_forward();
                target = object.binding();
            }
            Attempt::Failed(exception) => return Err(exception),
        }
    }
}

/// Has policies see to the call; the reference by which it is to be made, if it still is.
#[cold]
fn go_around<'o>(
    detour: Detour,
    object: &'o ObjectRef,
    asked: &Asked<'_>,
) -> Result<Option<&'o ObjectRef>, SystemException> {
    detour(object, Some(asked))
}

/// What is left to do when a call has succeeded.
#[cold]
pub(super) fn settle(object: &ObjectRef, call: &Call<'_>) -> Result<(), SystemException> {
    if call.asides.rebind() != Rebind::Transparent {
        object.bind();
    }
    tell_ended(object, call)
}

/// The exception of a call that has failed.
#[cold]
fn give_up(object: &ObjectRef, call: &Call<'_>, exception: SystemException) -> SystemException {
    tell_ended(object, call).err().unwrap_or(exception)
}

/// Tells those that accompany requests that a call has ended; the first exception of them.
fn tell_ended(object: &ObjectRef, call: &Call<'_>) -> Result<(), SystemException> {
    if !call.asides.is_accompanied() {
        return Ok(());
    }
    let mut first = Ok(());
    for context in &object.core().overrides().load().accompanying {
        // All of them are told.
        let told = context.ended(object);
        first = first.and(told);
    }
    first
}

fn is_stale_forward(exception: SystemException) -> bool {
    use SystemExceptionKind::{CommFailure, ObjectNotExist, Transient};
    exception.completed == CompletionStatus::No
        && matches!(exception.kind, CommFailure | ObjectNotExist | Transient)
}

/// Makes the call over the first route that connects.
fn call_there<'c>(object: &'c ObjectRef, routes: &Routes, call: &Call<'_>) -> Attempt<'c> {
    let expects_reply = call.response.expects_reply();
    match reach(object, routes, call.connect, expects_reply, call.sending().deadline()) {
        Ok((route, AnyLine::Own(lease))) => call_over(object, (routes, route), lease, call),
        Ok((route, AnyLine::Shared(share))) => call_over(object, (routes, route), share, call),
        Err(exception) => Attempt::Failed(exception),
    }
}

/// Makes the call over one connection.
fn call_over<'c>(
    object: &'c ObjectRef,
    (routes, route): (&Routes, &Route),
    mut line: impl Line,
    call: &Call<'_>,
) -> Attempt<'c> {
    probe!(Reference);
    let core = object.core();
    let form = route.form;
    let expected = call.response.expects_reply().then_some(MessageKind::Reply);
    let opened = match line.open(core, route, call.operation, expected, call.sending().deadline()) {
        Ok(opened) => opened,
        Err(exception) => return Attempt::Failed(exception),
    };
    let Opened { request_id, text, tells } = opened;
    let mut gather = Gather::runs_from(line.copy_threshold(route.pool.copy_threshold));
    if let Some(band) = &route.band {
        band_to_tell(&mut line, band);
    }
    let Some(outgoing) = line.outgoing() else { return Attempt::Failed(core.shut_down()) };
    let written = match tells {
        Tells::Nothing => with_contexts(object, routes, &[], |service_contexts| {
            let start = start(request_id, &route.key, service_contexts, call);
            write_request(outgoing, form, &start, text, &mut gather, call)
        }),
        tells => {
            let request = (request_id, &route.key[..]);
            write_telling(
                tells,
                (object, routes),
                (outgoing, form),
                request,
                text,
                &mut gather,
                call,
            )
        }
    };
    if let Err(exception) = written {
        if route.band.is_some() {
            line.untell_band();
        }
        return Attempt::Failed(exception);
    }
    let rest = gather.tail().map(|tail| (tail, call.arguments));
    if let Err(error) = line.send(form, &opened, call.sending(), rest) {
        let again = line.sends_again(ConnectionEnd::Broken, RequestProgress::Unsent);
        line.discard(&route.pool);
        return not_done(not_sent(route, again, error));
    }
    if expected.is_none() {
        return Attempt::Done(None);
    }
    about_to_block();
    match line.receive(request_id, call.patience) {
        Ok((header, status, body_offset)) => {
            let holder = line.into_holder();
            judge(Reply { core, holder, header, status, body_offset, text })
        }
        Err(reason) => {
            let end = reason.end();
            let again = end.is_some_and(|end| line.sends_again(end, RequestProgress::Sent));
            if end.is_some() || line.cancel(request_id).is_err() {
                line.discard(&route.pool);
            }
            let exception = no_reply(route, call.operation, call.patience.timeout(), reason);
            not_done((again, exception))
        }
    }
}

/// Has the first request over a connection for a band of priorities tell the server.
#[cold]
fn band_to_tell(line: &mut impl Line, band: &RangeInclusive<i16>) {
    tell_band(line.tells_band().then_some(band));
}

#[cold]
fn not_done<'c>((again, exception): (bool, SystemException)) -> Attempt<'c> {
    if again { Attempt::Resend(exception) } else { Attempt::Failed(exception) }
}

#[inline(always)] // on the path of every call
pub(super) fn start<'a>(
    request_id: u32,
    key: &'a [u8],
    service_contexts: &'a [ServiceContext<'a>],
    call: &Call<'a>,
) -> RequestStart<'a> {
    let target = TargetAddress::Key(key);
    let (response, operation) = (call.response, call.operation);
    RequestStart { request_id, response, target, operation, service_contexts }
}

/// Writes a request that tells the server something.
#[inline(never)]
pub(super) fn write_telling(
    tells: Tells,
    (object, routes): (&ObjectRef, &Routes),
    (buffer, form): (&mut Vec<u8>, Form<'_>),
    (request_id, key): (u32, &[u8]),
    text: TextCoding,
    gather: &mut Gather,
    call: &Call<'_>,
) -> Result<(), SystemException> {
    let data = match tells {
        Tells::Mention(mention) => {
            let start = start(request_id, key, &[], call);
            let says = form.other().map(|messaging| Mentioning { messaging, mention });
            let form = says.as_ref().map_or(form, |says| Form::Other(says));
            return write_request(buffer, form, &start, text, gather, call);
        }
        Tells::CodeSets(agreed) => Some(agreed.encode(ByteOrder::NATIVE)),
        Tells::Nothing => None,
    };
    let context = data.as_ref().map(|data| ServiceContext::new(ServiceId::CODE_SETS, &data[..]));
    with_contexts(object, routes, context.as_slice(), |service_contexts| {
        let start = start(request_id, key, service_contexts, call);
        write_request(buffer, form, &start, text, gather, call)
    })
}

pub(super) fn write_request(
    buffer: &mut Vec<u8>,
    form: Form<'_>,
    start: &RequestStart<'_>,
    text: TextCoding,
    gather: &mut Gather,
    call: &Call<'_>,
) -> Result<(), SystemException> {
    let begun = form.request(buffer, ByteOrder::NATIVE, start);
    let written = begun.and_then(|message| {
        probe!(MessagingSend);
        let written = gather.write_body(message, text, call.arguments);
        probe!(Marshal);
        written
    });
    written.map_err(|error| {
        let exception =
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest);
        Error::new(Phase::Send, call.operation).because(error).remember(exception)
    })
}

/// Looks at the status of a reply: results and user exceptions are the caller's business.
fn judge(reply: Reply<'_>) -> Attempt<'_> {
    match reply.status {
        ReplyStatus::NoException | ReplyStatus::UserException => Attempt::Done(Some(reply)),
        ReplyStatus::SystemException => {
            if reply.came_from_elsewhere() {
                Error::forget();
            }
            let read = SystemException::read(&mut reply.body());
            Attempt::Failed(read.unwrap_or_else(decoding))
        }
        ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => {
            let read = Ior::read(&mut reply.body());
            match read {
                Ok(ior) => Attempt::Forward(ior),
                Err(error) => Attempt::Failed(decoding(error)),
            }
        }
        ReplyStatus::NeedsAddressingMode => in_full(reply),
    }
}

/// What becomes of a request that the server does not understand: it is sent again where it has left
/// something out that the server does not remember. Otherwise key addressing is what every server takes;
/// none is known to ask for another.
#[cold]
fn in_full(mut reply: Reply<'_>) -> Attempt<'_> {
    let again = reply.holder.say_all_in_full();
    let code = minor::no_implement::UNSUPPORTED_OPERATION;
    not_done((again, SystemException::no_implement(code, CompletionStatus::No)))
}

/// The exception for a request that could not be sent, and whether it is to be sent again.
#[cold]
pub(super) fn not_sent(route: &Route, again: bool, error: io::Error) -> (bool, SystemException) {
    if error.kind() == io::ErrorKind::TimedOut {
        // Part of a request is not processed.
        let exception = SystemException::timeout(minor::timeout::SEND, CompletionStatus::No);
        return (false, story(Phase::Send, route, Some(error)).remember(exception));
    }
    if error.kind() == io::ErrorKind::PermissionDenied {
        return (false, refused(Phase::Send, route, error));
    }
    if error.kind() == io::ErrorKind::FileTooLarge {
        let code = minor::imp_limit::MESSAGE_TOO_LARGE;
        let exception = SystemException::imp_limit(code, CompletionStatus::No);
        return (false, story(Phase::Send, route, Some(error)).remember(exception));
    }
    // The server had closed the connection while it lay idle, so it cannot have seen the request.
    let exception =
        SystemException::comm_failure(minor::comm_failure::SEND_FAILED, CompletionStatus::No);
    let exception = story(Phase::Send, route, Some(error)).remember(exception);
    if again {
        route.pool.drop_idle();
    }
    (again, exception)
}

/// The exception for a connection that the server ended because of who calls: it has not looked at any
/// request.
#[cold]
fn refused(phase: Phase, route: &Route, error: io::Error) -> SystemException {
    let exception =
        SystemException::no_permission(minor::no_permission::PEER_REFUSED, CompletionStatus::No);
    story(phase, route, Some(error)).remember(exception)
}

/// The exception for a wait that ended without a reply.
#[cold]
pub(super) fn no_reply(
    route: &Route,
    operation: &str,
    timeout: Option<Duration>,
    reason: NoReply,
) -> SystemException {
    let maybe = CompletionStatus::Maybe;
    let (exception, story) = match reason {
        NoReply::Closed => {
            route.pool.drop_idle();
            let no = CompletionStatus::No;
            (
                SystemException::transient(minor::transient::CLOSED_BY_PEER, no),
                story(Phase::Wait, route, None),
            )
        }
        NoReply::TimedOut => {
            let waited = timeout.unwrap_or_default();
            let what = format!("{operation} at {} for {waited:?}", route.pool.endpoint);
            (
                SystemException::timeout(minor::timeout::ROUND_TRIP, maybe),
                Error::new(Phase::Wait, what),
            )
        }
        NoReply::Lost(Some(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            return refused(Phase::Wait, route, error);
        }
        NoReply::Lost(error) => (
            SystemException::comm_failure(minor::comm_failure::CONNECTION_LOST, maybe),
            story(Phase::Wait, route, error),
        ),
        NoReply::MessageError => (
            SystemException::comm_failure(minor::comm_failure::MESSAGE_ERROR, maybe),
            story(Phase::Wait, route, None),
        ),
        NoReply::Broken(error) => (
            SystemException::comm_failure(minor::comm_failure::PROTOCOL_ERROR, maybe),
            story(Phase::Decode, route, None).because(error.to_string()),
        ),
    };
    story.remember(exception)
}

pub(super) fn story(phase: Phase, route: &Route, error: Option<io::Error>) -> Error {
    let story = Error::new(phase, route.pool.endpoint.to_string());
    match error {
        Some(error) => story.because(error),
        None => story,
    }
}

/// Makes a call to an object of this ORB: no connection, the upcall on the calling thread.
fn call_here<'c>(
    object: &'c ObjectRef,
    routes: &Routes,
    key: &[u8],
    call: &Call<'_>,
) -> Attempt<'c> {
    let core = object.core();
    let _bond = hold(object);
    let _upcall = Upcall::enter(core);
    let form = Form::Giop(GiopVersion::HIGHEST);
    let text = LOCAL_TEXT;
    let (mut request, mut buffer) = LOCAL_BUFFERS.take();
    let mut copy = Gather::runs_from(usize::MAX);
    let written = with_contexts(object, routes, &[], |service_contexts| {
        let start = start(0, key, service_contexts, call);
        write_request(&mut request, form, &start, text, &mut copy, call)
    });
    if let Err(exception) = written {
        LOCAL_BUFFERS.set((request, buffer));
        return Attempt::Failed(exception);
    }
    let broken =
        || SystemException::internal(minor::internal::BROKEN_INVARIANT, CompletionStatus::Maybe);
    let Ok(Some(header)) = MessageHeader::parse_prefix(&request) else {
        return Attempt::Failed(broken());
    };
    let message = InParts::new(&request, &[]);
    let not_sent: (usize, SendParts<'_>) = (usize::MAX, &mut |_| {});
    let form = (form, &header);
    let answer = answer_request(core, message, form, &|_, _| Ok(text), &mut buffer, not_sent, None);
    // From here on the reply finds its own way back, however it ends.
    trim(&mut request);
    LOCAL_BUFFERS.set((request, Vec::new()));
    let reply = LocalReply(buffer);
    match answer {
        Ok(Answer::Nothing) => Attempt::Done(None),
        Ok(Answer::Reply) => match read_status(&reply.0) {
            Some((header, status, body_offset)) => {
                let holder = Holder::Local(reply);
                judge(Reply { core, holder, header, status, body_offset, text })
            }
            None => Attempt::Failed(broken()),
        },
        Err(_) => Attempt::Failed(broken()),
    }
}

fn read_status(message: &[u8]) -> Option<(MessageHeader, ReplyStatus, usize)> {
    let header = MessageHeader::parse_prefix(message).ok()??;
    let (reply, body) = ReplyHeader::read(message, &header).ok()?;
    Some((header, reply.status, body.offset()))
}

/// Gives the buffer of a local reply back to its thread.
pub(super) fn recycle(mut reply: Vec<u8>) {
    let (request, _) = LOCAL_BUFFERS.take();
    trim(&mut reply);
    LOCAL_BUFFERS.set((request, reply));
}
