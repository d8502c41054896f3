//! Sending a call without waiting for its reply.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use zorb_base::gather::WriteBody;
use zorb_base::interceptor::ClientRequestInfo;
use zorb_cdr::CdrWriter;
use zorb_giop::{Detached, ResponseFlags};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::super::attempt::{Attempt, Unfinished, send_over};
use super::super::call::Call;
use super::super::connect_time::ConnectTime;
use super::super::connection::Connection;
use super::super::effective::{parameters, plain_parameters};
use super::super::endpoint_cache::Wanted;
use super::super::invoke::attempt;
use super::super::multiplexed::{Ended, MultiplexedCall, NotPending, PendingReply, PendingRequest};
use super::super::redirections::{Next, Redirections};
use super::super::reply::{ReadReply, Reply};
use super::super::route::{Route, Routes};
use super::super::selection::{Selection, select_route};
use super::super::time_limit::TimeLimit;
use super::arguments::Arguments;
use super::call::{Answer, PendingCall};
use super::count::CountedCall;
use super::interception::intercept_sending;
use crate::object::ObjectRef;

/// How long a connection keeps its reader without pending calls if connections have no idle limit.
const LINGER: Duration = Duration::from_secs(300);

/// Sends a call.
pub(super) fn send(
    object: &ObjectRef,
    operation: Cow<'static, str>,
    arguments: WriteBody<'_>,
) -> Arc<PendingCall> {
    let core = object.core();
    let parameters = match plain_parameters(object) {
        Some(plain) => *plain,
        None => parameters(object),
    };
    let connect_time = ConnectTime::default();
    let mut call = Call {
        object,
        operation: &operation,
        response: ResponseFlags::SyncWithTarget,
        arguments,
        read: ReadReply::Nobody,
        time_limit: TimeLimit::NONE,
        sending: TimeLimit::NONE,
        parameters: &parameters,
        connect_time: &connect_time,
        info: None,
    };
    call.apply_parameters();
    let limits = [call.time_limit, call.sending];
    let wanted = match parameters.is_redirected {
        true => object.as_wanted().map(Cow::into_owned),
        false => Ok(object.clone()),
    };
    let options = core.options();
    let counted = CountedCall::enter(options.max_pending_calls, options.max_pending_octets);
    let is_refused = counted.is_none();
    let (object, failed) = match wanted {
        Ok(object) => (object, None),
        Err(exception) => (object.clone(), Some(exception)),
    };
    let call = PendingCall::new(object, operation, parameters, limits, counted);
    let failed = failed
        .or_else(|| call.object.core().check_running().err())
        .or_else(|| is_refused.then(too_many));
    let sent = match failed {
        Some(exception) => Err(exception),
        None => {
            let forwarded = call.object.forwarded().to_arc();
            {
                let mut state = call.state.lock();
                state.redirections = Redirections::new(forwarded.is_some());
                state.attempt.forwarded = forwarded;
            }
            proceed(&call, arguments, None)
        }
    };
    if let Err(exception) = sent {
        finish(&call, Answer::Failed(exception));
    }
    call
}

/// Makes attempts until the request has been sent. `first` is an attempt that has not completed the call. No other
/// thread sends it.
///
/// # Errors
/// The exception with which the call has failed.
pub(super) fn proceed(
    call: &Arc<PendingCall>,
    arguments: WriteBody<'_>,
    mut first: Option<Unfinished>,
) -> Result<(), SystemException> {
    let connect_time = ConnectTime::default();
    let own = call.as_call(arguments, &connect_time);
    loop {
        if call.state.lock().is_cancelled {
            return Ok(());
        }
        let outcome = match first.take() {
            Some(unfinished) => Err(unfinished),
            None => attempt_at(call, &own),
        };
        let Err(unfinished) = outcome else { return Ok(()) };
        let (forwarded, mut redirections) = {
            let mut state = call.state.lock();
            (state.attempt.forwarded.clone(), std::mem::take(&mut state.redirections))
        };
        let target = forwarded.as_deref().unwrap_or_else(|| call.object.binding());
        let next = redirections.next(&own, target, unfinished);
        let mut state = call.state.lock();
        state.redirections = redirections;
        match next? {
            Next::Again => {}
            Next::Original => state.attempt.forwarded = None,
            Next::Forwarded(binding) => state.attempt.forwarded = Some(binding),
        }
    }
}

/// Ends a call on the thread that would have sent it.
pub(super) fn finish(call: &Arc<PendingCall>, answer: Answer) {
    if let Some(calls_back) = Arc::clone(call).complete(answer) {
        calls_back.run_call_back();
    }
}

/// One attempt, after which the request has been sent.
fn attempt_at(call: &Arc<PendingCall>, own: &Call<'_>) -> Attempt {
    let forwarded = {
        let mut state = call.state.lock();
        state.attempt.is_intercepted = false;
        state.attempt.forwarded.clone()
    };
    let target = forwarded.as_deref().unwrap_or_else(|| call.object.binding());
    let routes = target.routes(call.object.core());
    if routes.local.is_some() {
        let answer = RefCell::new(None);
        let keep = |reply: &Reply<'_>| keep(reply, &answer);
        attempt(&Call { read: ReadReply::Raw(&keep), ..*own }, target)?;
        if let Some(reply) = answer.take() {
            call.state.lock().attempt.text = super::super::in_memory::LOCAL_TEXT;
            finish(call, Answer::Reply(reply));
        }
        return Ok(());
    }
    if routes.interceptors.is_empty() {
        return send_by(call, own, routes);
    }
    intercept_sending(call, target, routes, |info: &ClientRequestInfo<'_>| {
        send_by(call, &Call { info: Some(info), ..*own }, routes)
    })
}

/// Keeps the reply to a call inside this ORB.
fn keep(reply: &Reply<'_>, answer: &RefCell<Option<PendingReply>>) -> Result<(), SystemException> {
    let received = &reply.received;
    let mut octets = Detached::default();
    octets.copy_from(received.message, received.seams)?;
    let kept = PendingReply { order: received.order, start: received.start, octets, tail: None };
    *answer.borrow_mut() = Some(kept);
    Ok(())
}

/// Sends the request by the first route that connects.
fn send_by(call: &Arc<PendingCall>, own: &Call<'_>, routes: &Routes) -> Attempt {
    let selection = Selection { wanted: own.wanted(), expects_reply: true, info: own.info };
    let connect = |route: &Route, wanted: Wanted<'_>| route.cache.pending_connection(wanted);
    let selected = select_route(own.object, routes, &selection, connect);
    let (route, mut connection) = selected.map_err(Unfinished::Failed)?;
    {
        let mut state = call.state.lock();
        state.attempt.route = routes.number_of(route);
        state.is_sending = true;
    }
    let sent = send_request(call, own, route, &mut connection);
    let mut state = call.state.lock();
    state.is_sending = false;
    let ended = state.ended_while_sent.take();
    sent?;
    state.attempt.is_intercepted = own.info.is_some();
    let is_cancelled = state.is_cancelled;
    drop(state);
    if is_cancelled {
        call.cancel();
    } else if let Some(ended) = ended
        && let Some(calls_back) = Arc::clone(call).end_request(ended)
    {
        calls_back.run_call_back();
    }
    Ok(())
}

/// Sends the request over a connection. Once it has been sent, the connection's reader ends the call.
fn send_request(
    call: &Arc<PendingCall>,
    own: &Call<'_>,
    route: &Route,
    connection: &mut MultiplexedCall,
) -> Attempt {
    let core = call.object.core();
    let linger = route.cache.idle_limit().unwrap_or(LINGER);
    let most = core.options().max_pending_calls_per_connection;
    let request: Arc<dyn PendingRequest> = Arc::<PendingCall>::clone(call);
    connection.reply_to(request, most, core.threads(), linger).map_err(|reason| {
        Unfinished::Failed(match reason {
            NotPending::TooMany => too_many(),
            NotPending::NoThread(error) => {
                let code = minor::no_resources::THREADS;
                let context = ErrorContext::new(Phase::Send).with_source(error);
                SystemException::no_resources(code, CompletionStatus::No).with_context(context)
            }
        })
    })?;
    let body_at = Cell::new(None);
    let arguments = |writer: &mut CdrWriter<'_>| {
        let at = writer.offset();
        own.arguments.write(writer)?;
        body_at.set(Some((at, writer.text())));
        Ok(())
    };
    let sent = send_over(&Call { arguments: &arguments, ..*own }, route, connection);
    let begun = match sent {
        Ok(begun) => Some(begun),
        // If it is not there any more, the reader ends the call: the connection has ended.
        Err(unfinished) if connection.take_back() => return Err(unfinished),
        Err(_) => None,
    };
    let over = connection.begun().map(|(connection, id)| (Arc::clone(connection), id));
    let mut state = call.state.lock();
    if let Some(begun) = &begun {
        state.attempt.text = begun.text;
        state.over = over;
    }
    // Then it will not be sent again.
    let is_answered = state.ended_while_sent.as_ref().is_some_and(Ended::has_result);
    if let Some(outgoing) = connection.outgoing()
        && let Some((at, text)) = body_at.get()
        && !is_answered
    {
        let body = outgoing.octets().get(at..).unwrap_or_default();
        state.arguments = Some(Arguments::new(body, at, text));
        if let Some(counted) = &call.counted {
            counted.release();
            counted.retain(body.len());
        }
    }
    drop(state);
    connection.detach();
    Ok(())
}

/// The exception if as many calls are pending as may.
#[cold]
fn too_many() -> SystemException {
    let context = ErrorContext::new(Phase::Send).with_hint(
        "MaxPendingCalls, MaxPendingCallsPerConnection and MaxPendingOctets set the limits",
    );
    SystemException::transient(minor::transient::TOO_MANY_PENDING, CompletionStatus::No)
        .with_context(context)
}
