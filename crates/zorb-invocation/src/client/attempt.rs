//! One attempt at a call, over one connection.

use zorb_base::error::{ErrorContext, Phase};
use zorb_base::gather::Gather;
use zorb_base::upcall_thread::about_to_block;
#[cfg(feature = "buffers")]
use zorb_cdr::Tail;
use zorb_cdr::{ByteOrder, CdrError, CdrResult, TextCoding, Wire};
use zorb_giop::{
    Announcement, BegunRequest, ConnectionEnd, Form, Ior, Mentioning, MessageWriter, ReplyStatus,
    RequestKind, RequestStart, ServiceContext, ServiceId, TargetAddress,
};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, Transfer, minor};

use super::any_connection::AnyConnection;
use super::call::Call;
use super::connection::{CallReply, Connection, NewCall};
use super::contexts::Contexts;
use super::failing::{Failure, no_reply, not_sent};
use super::pool::{ExclusiveCall, Wanted};
use super::reply::{ReadReply, Reply};
use super::route::{Route, Routes};
use super::selection::{Selection, select_connection};
use crate::object::ObjectRef;

/// What one attempt came to.
pub(super) enum Attempt {
    /// Its reply has been read, or there is none.
    Done,
    Forward(Ior),
    /// The request was not processed; it may be sent again.
    Resend(SystemException),
    Failed(SystemException),
}

/// Makes the call over the first route that connects.
#[inline]
pub(super) fn call_remote(
    object: &ObjectRef,
    routes: &Routes,
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Attempt {
    match routes.idle_connection(call.response.expects_reply()) {
        Some((route, connection)) => call_exclusively(object, route, connection, call, read),
        None => connect_and_call(object, routes, call, read),
    }
}

#[inline(never)]
fn connect_and_call(
    object: &ObjectRef,
    routes: &Routes,
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Attempt {
    let selection = Selection {
        wanted: Wanted {
            connect_timeout: call.parameters.connect,
            deadline: call.sending().deadline(),
        },
        expects_reply: call.response.expects_reply(),
        info: call.info,
    };
    match select_connection(object, routes, &selection) {
        Ok((route, AnyConnection::Exclusive(connection))) => {
            call_exclusively(object, route, connection, call, read)
        }
        Ok((route, AnyConnection::Shared(mut shared))) => {
            call_over(object, route, &mut shared, call, read)
        }
        Err(exception) => Attempt::Failed(exception),
    }
}

/// Makes the call over an exclusive connection.
fn call_exclusively(
    object: &ObjectRef,
    route: &Route,
    mut exclusive: ExclusiveCall<'_>,
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Attempt {
    match exclusive.connection() {
        Some(connection) => call_over(object, route, connection, call, read),
        None => Attempt::Failed(object.core().shut_down()),
    }
}

/// Makes the call over one connection.
#[inline(never)]
fn call_over(
    object: &ObjectRef,
    route: &Route,
    connection: &mut impl Connection,
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Attempt {
    probe!(Reference);
    let core = object.core();
    let form = route.form;
    let kind = match call.response.expects_reply() {
        true => RequestKind::Twoway,
        false => RequestKind::Oneway,
    };
    let begun = match connection.begin(
        core,
        &NewCall {
            kind,
            form,
            key: &route.key,
            code_sets: route.code_sets.as_ref(),
            operation: call.operation,
            send_deadline: call.sending().deadline(),
            reply_deadline: call.time_limit.deadline(),
        },
    ) {
        Ok(begun) => begun,
        Err(exception) => {
            return Attempt::Failed(exception.at(Phase::Send, &route.pool.endpoint));
        }
    };
    let BegunRequest { request_id, text, announcement } = begun;
    let mut gather = Gather::runs_from(connection.copy_threshold());
    let band = route.band.as_ref().filter(|_| connection.claims_band());
    let contexts = Contexts { info: call.info, band };
    let Some(outgoing) = connection.outgoing() else { return Attempt::Failed(core.shut_down()) };
    let written = if announcement == Announcement::Nothing && contexts.is_empty() {
        let start = start(request_id, &route.key, &[], call);
        let message = outgoing.request(form, ByteOrder::NATIVE, &start, &route.key);
        write_arguments(message, text, &mut gather, call)
    } else {
        let message = OutgoingRequest { form, request_id, key: &route.key, text, call };
        message.write_announcing(announcement, contexts, outgoing.any_octets(), &mut gather)
    };
    if let Err(exception) = written {
        if contexts.band.is_some() {
            connection.unclaim_band();
        }
        return Attempt::Failed(exception.at(Phase::Send, &route.pool.endpoint));
    }
    let rest = gather.tail().map(|tail| (tail, call.arguments));
    if let Err(error) = connection.send(&begun, call.sending(), rest) {
        let again = connection.may_resend(request_id, ConnectionEnd::Lost);
        route.pool.discard(connection);
        return not_done(not_sent(route, again, error));
    }
    if kind == RequestKind::Oneway {
        return Attempt::Done;
    }
    about_to_block();
    match connection.receive(&call.time_limit) {
        Ok(CallReply { start, .. }) if start.status == ReplyStatus::NeedsAddressingMode => {
            in_full(connection.send_in_full())
        }
        Ok(received) => {
            let reply = Reply {
                core,
                operation: call.operation,
                route: Some(route),
                message: received.message,
                seams: received.seams,
                #[cfg(feature = "buffers")]
                end: received.tail.map(|end| Tail::new(end).owned_by(end)),
                order: received.order,
                start: received.start,
                text,
            };
            let came_to = judge(&reply, read);
            #[cfg(feature = "buffers")]
            connection.release_buffer();
            came_to
        }
        Err(reason) => {
            let end = reason.end();
            let again = end.is_some_and(|end| connection.may_resend(request_id, end));
            if end.is_some() || connection.time_out(request_id, &call.time_limit).is_err() {
                route.pool.discard(connection);
            }
            let exception = no_reply(route, call.time_limit.timeout(), reason);
            not_done(Failure { exception, again })
        }
    }
}

#[cold]
fn not_done(failure: Failure) -> Attempt {
    match failure.again {
        true => Attempt::Resend(failure.exception),
        false => Attempt::Failed(failure.exception),
    }
}

#[inline]
fn start<'a>(
    request_id: u32,
    key: &'a [u8],
    service_contexts: &'a [ServiceContext<'a>],
    call: &Call<'a>,
) -> RequestStart<'a> {
    let target = TargetAddress::Key(key);
    let (response, operation) = (call.response, call.operation);
    RequestStart { request_id, response, target, operation, service_contexts }
}

/// The message of a request that is about to be written.
pub(super) struct OutgoingRequest<'a> {
    pub(super) form: Form<'a>,
    pub(super) request_id: u32,
    pub(super) key: &'a [u8],
    pub(super) text: TextCoding,
    pub(super) call: &'a Call<'a>,
}

impl OutgoingRequest<'_> {
    /// Writes the request with the service contexts and whatever the connection has to tell the server.
    #[inline(never)]
    pub(super) fn write_announcing(
        &self,
        announcement: Announcement,
        contexts: Contexts<'_>,
        buffer: &mut Vec<u8>,
        gather: &mut Gather,
    ) -> Result<(), SystemException> {
        let data = match announcement {
            Announcement::Mention(mention) => {
                let start = start(self.request_id, self.key, &[], self.call);
                let says = self.form.other().map(|messaging| Mentioning { messaging, mention });
                let form = says.as_ref().map_or(self.form, |says| Form::Other(says));
                let begun = form.request(buffer, ByteOrder::NATIVE, &start);
                return write_arguments(begun, self.text, gather, self.call);
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
        &self,
        contexts: &[ServiceContext<'_>],
        buffer: &mut Vec<u8>,
        gather: &mut Gather,
    ) -> Result<(), SystemException> {
        let start = start(self.request_id, self.key, contexts, self.call);
        let begun = self.form.request(buffer, ByteOrder::NATIVE, &start);
        write_arguments(begun, self.text, gather, self.call)
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

#[cold]
fn unwritten(error: CdrError) -> SystemException {
    let exception = SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest);
    exception.with_context(ErrorContext::new(Phase::Send).with_source(error))
}

/// Looks at the status of a reply; the caller reads results and user exceptions.
#[inline]
pub(super) fn judge(reply: &Reply<'_>, read: ReadReply<'_>) -> Attempt {
    match reply.start.status {
        ReplyStatus::NoException | ReplyStatus::UserException => match read.read(reply) {
            Ok(()) => Attempt::Done,
            Err(exception) => Attempt::Failed(exception),
        },
        _ => judge_other(reply),
    }
}

#[cold]
fn judge_other(reply: &Reply<'_>) -> Attempt {
    match reply.start.status {
        // They are judged already.
        ReplyStatus::NoException | ReplyStatus::UserException => Attempt::Done,
        ReplyStatus::SystemException => {
            let context = match reply.route {
                Some(route) => ErrorContext::remote(route.pool.endpoint.to_string()),
                None => ErrorContext::new(Phase::Upcall),
            };
            Attempt::Failed(match SystemException::read(&mut reply.body()) {
                Ok(exception) => match advice(&exception, reply.route) {
                    Some(hint) => exception.with_context(context.with_hint(hint)),
                    None => exception.with_context(context),
                },
                Err(error) => reply.undecodable(error),
            })
        }
        ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => {
            let read = Ior::read(&mut reply.body());
            match read {
                Ok(ior) => Attempt::Forward(ior),
                Err(error) => Attempt::Failed(reply.undecodable(error)),
            }
        }
        ReplyStatus::NeedsAddressingMode => in_full(false),
    }
}

/// What to try after an exception that the server's ORB raised.
#[cold]
fn advice(exception: &SystemException, route: Option<&Route>) -> Option<String> {
    use SystemExceptionKind::{BadOperation, Marshal, ObjectNotExist};
    match exception.kind {
        ObjectNotExist if exception.minor == minor::object_not_exist::UNKNOWN_KEY => {
            let key = std::str::from_utf8(&route?.key).ok();
            let key = key.filter(|key| !key.chars().any(char::is_control));
            Some(match key {
                Some(key) => format!("has the server published an object as {key:?}?"),
                None => "has the server restarted since it made the reference?".to_owned(),
            })
        }
        BadOperation | Marshal => Some("do both sides use the same IDL?".to_owned()),
        _ => None,
    }
}

/// What becomes of a request that the server does not understand: it is sent `again` where it has left
/// something out that the server does not remember. Otherwise key addressing is what every server takes;
/// none is known to ask for another.
#[cold]
fn in_full(again: bool) -> Attempt {
    let code = minor::no_implement::UNSUPPORTED_OPERATION;
    let exception = SystemException::no_implement(code, CompletionStatus::No);
    not_done(Failure { exception, again })
}
