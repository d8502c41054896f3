//! Sending a call without waiting for its reply.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::gather::WriteBody;
use zorb_base::interceptor::{ClientRequestInfo, copied_thread_slots};
use zorb_cdr::CdrWriter;
use zorb_giop::{DetachedMessage, ProtocolError, ProtocolErrorKind};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::super::attempt::send_over;
use super::super::call::Call;
use super::super::connect_time::ConnectTime;
use super::super::connection::{CallReply, Connection};
use super::super::effective::{parameters, plain_parameters};
use super::super::endpoint_cache::Wanted;
use super::super::invoke::attempt;
use super::super::level_policies::CallParameters;
use super::super::multiplexed::{MultiplexedCall, PendingReply, PendingRequest};
use super::super::outcome::{Attempt, Unfinished};
use super::super::redirections::{Next, Redirections};
use super::super::reply::{ReadReply, Reply};
use super::super::route::{Route, Routes};
use super::super::selection::{Selection, select_route, too_many_pending};
use super::at_once::OpenRoute;
use super::call::PendingCall;
use super::count::CountedCall;
use super::interception::intercept_sending;
use super::operation_call::{Attempted, OperationCall, OwnParameters};
use super::sending::{BodyStart, Sending};
use super::sent::SentRequest;
use super::state::{Answer, SendState, State};
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
    let plain = plain_parameters(object);
    let options = core.options();
    let (calls, octets) = (options.max_pending_calls, options.max_pending_octets);
    let counted = CountedCall::enter(calls, octets, core.pending_watch());
    let is_usual = plain
        .is_some_and(|it| it.round_trip.is_none() && it.request.is_none() && !it.is_redirected);
    let mut unusual = match is_usual && counted.is_some() && core.is_running() {
        true => None,
        false => Some(Unusual::new(object, plain, counted.is_none())),
    };
    let (object, own) = match &mut unusual {
        None => (object, None),
        Some(Unusual { wanted, own, failed }) => {
            let (object, own) = (wanted.as_ref().unwrap_or(object), own.take());
            if let Some(exception) = failed.take() {
                return ended(NewCall { object, operation, own, counted }, exception);
            }
            (object, own)
        }
    };
    begin(NewCall { object, operation, own, counted }, arguments)
}

/// A call that is about to be sent.
struct NewCall<'o> {
    object: &'o ObjectRef,
    operation: Cow<'static, str>,
    own: Option<Box<OwnParameters>>,
    /// `None` if it is refused.
    counted: Option<CountedCall>,
}

impl NewCall<'_> {
    #[inline(always)] // as `begin`
    fn with_state(self, state: State) -> Arc<PendingCall> {
        let Self { object, operation, own, counted } = self;
        let (object, slots) = (object.clone(), copied_thread_slots());
        PendingCall::new(OperationCall { object, operation, own, slots }, counted, state)
    }
}

/// What distinguishes a call from most: parameters of its own, or that it fails before it is sent.
struct Unusual {
    /// The reference that its policies select; `None` for the given one.
    wanted: Option<ObjectRef>,
    own: Option<Box<OwnParameters>>,
    failed: Option<SystemException>,
}

impl Unusual {
    #[cold]
    #[inline(never)]
    fn new(object: &ObjectRef, plain: Option<&CallParameters>, is_refused: bool) -> Self {
        let (parameters, expired) = match plain {
            Some(plain) => (*plain, None),
            None => match parameters(object) {
                Ok(parameters) => (parameters, None),
                Err(exception) => (*object.core().plain_parameters(), Some(exception)),
            },
        };
        let (wanted, wrong) = match parameters.is_redirected.then(|| object.as_wanted()) {
            None => (None, None),
            Some(Ok(wanted)) => (Some(wanted.into_owned()), None),
            Some(Err(exception)) => (None, Some(exception)),
        };
        let failed = wrong
            .or(expired)
            .or_else(|| object.core().check_running().err())
            .or_else(|| is_refused.then(too_many_pending));
        Self { wanted, own: Some(OwnParameters::start(&parameters)), failed }
    }
}

/// A call that has failed before it is sent.
#[cold]
fn ended(new: NewCall<'_>, exception: SystemException) -> Arc<PendingCall> {
    let (attempt, redirections) = (Attempted::default(), Redirections::new(false));
    let call = new.with_state(State::new(attempt, redirections, SendState::Sending));
    finish(&call, Answer::Failed(exception));
    call
}

/// Sends a call for the first time.
#[inline(always)] // a part of `send`
fn begin(new: NewCall<'_>, arguments: WriteBody<'_>) -> Arc<PendingCall> {
    let object = new.object;
    let forwarded = object.forwarded().to_arc();
    let target = forwarded.as_deref().unwrap_or_else(|| object.binding());
    let open = OpenRoute::to(object.core(), target);
    let attempt = Attempted {
        forwarded: forwarded.clone(),
        route: open.as_ref().map(OpenRoute::number),
        ..Attempted::default()
    };
    let redirections = Redirections::new(forwarded.is_some());
    let call = new.with_state(State::new(attempt, redirections, SendState::AtOnce));
    let unfinished = match open.and_then(|open| open.begin(&call)) {
        Some(begun) => match begun.send(&call, arguments) {
            Ok(()) => return call,
            Err(unfinished) => Some(unfinished),
        },
        None => None,
    };
    begin_otherwise(&call, arguments, unfinished);
    call
}

/// The same if it cannot be sent at once. No connection knows the call.
#[cold]
#[inline(never)]
fn begin_otherwise(call: &Arc<PendingCall>, arguments: WriteBody<'_>, first: Option<Unfinished>) {
    let sending = {
        let mut state = call.state.lock();
        state.sending = SendState::Sending;
        state.attempt.route = None;
        let forwarded = state.attempt.forwarded.clone();
        Sending { forwarded, redirections: state.redirections, makes_upcalls: true }
    };
    if let Err(exception) = proceed(call, arguments, sending, first) {
        finish(call, Answer::Failed(exception));
    }
}

/// Makes attempts until the request has been sent. `first` is an attempt that has not completed the call. The call is
/// marked as being sent. Returns what it needs to be sent if that is an upcall, which the thread does not make.
///
/// # Errors
/// The exception with which the call has failed.
pub(super) fn proceed(
    call: &Arc<PendingCall>,
    arguments: WriteBody<'_>,
    mut sending: Sending,
    mut first: Option<Unfinished>,
) -> Result<Option<Sending>, SystemException> {
    let connect_time = ConnectTime::default();
    let begun = call.state.lock().first;
    let body = Cell::new(None);
    let noted = |writer: &mut CdrWriter<'_>| {
        let start = BodyStart { at: writer.offset(), text: writer.text() };
        arguments.write(writer)?;
        body.set(Some(start));
        Ok(())
    };
    let mut own = call.of.as_call(&noted, &connect_time);
    if let Some(begun) = begun {
        connect_time.first.note(begun);
        // What is left for its reply is counted by the connection, here and below.
        own.sending = own.again().sending;
    }
    loop {
        let unfinished = match first.take() {
            Some(unfinished) => unfinished,
            None if !sending.makes_upcalls && sending.is_local(call) => return Ok(Some(sending)),
            None => match attempt_at(call, &own, &body, &mut sending) {
                Ok(()) => return Ok(None),
                Err(unfinished) => unfinished,
            },
        };
        let Sending { forwarded, redirections, .. } = &mut sending;
        let target = forwarded.as_deref().unwrap_or_else(|| call.of.object.binding());
        match redirections.next(&own, target, unfinished)? {
            Next::Again => {}
            Next::Original => *forwarded = None,
            Next::Forwarded(binding) => *forwarded = Some(binding),
        }
        own.sending = own.again().sending;
        if call.state.lock().is_cancelled {
            return Ok(None);
        }
    }
}

/// Ends a call on the thread that would have sent it.
pub(super) fn finish(call: &Arc<PendingCall>, answer: Answer) {
    if call.complete(call.state.lock(), answer) {
        call.run_call_back();
    }
}

/// One attempt, after which the request has been sent.
#[inline]
fn attempt_at(
    call: &Arc<PendingCall>,
    own: &Call<'_>,
    body: &Cell<Option<BodyStart>>,
    sending: &mut Sending,
) -> Attempt {
    let forwarded = sending.forwarded.clone();
    let target = forwarded.as_deref().unwrap_or_else(|| call.of.object.binding());
    let routes = target.routes(call.of.object.core()).map_err(Unfinished::Failed)?;
    if routes.local.is_some() {
        let answer = RefCell::new(None);
        let read = |reply: &Reply<'_>| store(reply, &answer);
        attempt(&Call { read: ReadReply::Raw(&read), ..*own }, target)?;
        if let Some(reply) = answer.take() {
            let text = super::super::in_memory::LOCAL_TEXT;
            call.state.lock().attempt = Attempted { text, ..Attempted::default() };
            finish(call, Answer::Reply(reply));
        }
        return Ok(());
    }
    if routes.interceptors.is_empty() {
        return send_by(call, own, body, (routes, sending));
    }
    intercept_sending(&call.of, target, routes, |info: &ClientRequestInfo<'_>| {
        send_by(call, &Call { info: Some(info), ..*own }, body, (routes, sending))
    })
}

/// Stores the reply to a call inside this ORB.
fn store(reply: &Reply<'_>, answer: &RefCell<Option<PendingReply>>) -> Result<(), SystemException> {
    let received = &reply.received;
    let CallReply { message, fragment_starts, order, start, .. } = *received;
    let copied = match fragment_starts {
        [] => PendingReply::copy_of(message, order, start)?,
        _ => None,
    };
    let stored = match copied {
        Some(copied) => copied,
        None => {
            let mut octets = DetachedMessage::default();
            octets.copy_from(message, fragment_starts)?;
            if !octets.charge_whole(reply.core.message_budget()) {
                let error = ProtocolErrorKind::OutOfMemory(message.len());
                return Err(ProtocolError::new(error).into());
            }
            PendingReply::of(octets, order, start, None)
        }
    };
    *answer.borrow_mut() = Some(stored);
    Ok(())
}

/// Sends the request by the first route that connects.
fn send_by(
    call: &Arc<PendingCall>,
    own: &Call<'_>,
    body: &Cell<Option<BodyStart>>,
    (routes, sending): (&Routes, &mut Sending),
) -> Attempt {
    body.set(None);
    let (route, mut connection) = connect(call, own, routes)?;
    let begun = match send_over(own, route, &mut connection) {
        Ok(begun) => Some(begun),
        // If it is not there any more, the reader ends the call: the connection has ended.
        Err(unfinished) if connection.take_back() => {
            let first = *call.state.lock().first.get_or_insert(connection.begun());
            own.connect_time.first.note(first);
            return Err(unfinished);
        }
        Err(_) => None,
    };
    let over = begun.as_ref().map(|begun| (Arc::clone(connection.connection()), begun.request_id));
    let began = connection.begun();
    let body = connection.outgoing().zip(body.take());
    let arguments =
        body.map(|(outgoing, body)| (outgoing.octets().get(body.at..).unwrap_or_default(), body));
    let sent = SentRequest {
        attempt: Attempted {
            forwarded: sending.forwarded.take(),
            route: routes.number_of(route),
            text: begun.as_ref().map(|begun| begun.text).unwrap_or_default(),
            is_intercepted: own.info.is_some(),
        },
        begun: began,
        redirections: std::mem::take(&mut sending.redirections),
        arguments,
        over,
    };
    let noted = sent.note(call);
    if noted.is_left {
        connection.connection().end_left();
    }
    if noted.is_watched {
        connection.connection().watch();
    }
    match &begun {
        Some(_) => connection.detach(),
        None => drop(connection),
    }
    noted.end(call);
    Ok(())
}

/// Selects a route, and a connection on which few enough requests wait for their replies. The connection has a reader
/// then.
fn connect<'r>(
    call: &Arc<PendingCall>,
    own: &Call<'_>,
    routes: &'r Routes,
) -> Result<(&'r Route, MultiplexedCall), Unfinished> {
    let most = call.of.object.core().options().max_pending_calls_per_connection;
    let selection = Selection { wanted: own.wanted(), expects_reply: true, info: own.info };
    let connect = |route: &Route, wanted: Wanted<'_>| route.cache.pending_connection(wanted, most);
    let selected = select_route(own.object, routes, &selection, connect);
    let (route, mut connection) = selected.map_err(Unfinished::Failed)?;
    let linger = route.cache.idle_limit().unwrap_or(LINGER);
    let request: Arc<dyn PendingRequest> = Arc::<PendingCall>::clone(call);
    if let Some(first) = call.state.lock().first {
        connection.waits_since(first);
    }
    let reads = connection.reply_to(request, call.of.object.core().threads(), linger);
    reads.map_err(|error| Unfinished::Failed(no_reader(error)))?;
    Ok((route, connection))
}

/// The exception if the reader of the connection could not be started.
#[cold]
fn no_reader(error: io::Error) -> SystemException {
    let context = ErrorContext::new(Phase::Send).with_source(error);
    SystemException::no_resources(minor::no_resources::THREADS, CompletionStatus::No)
        .with_context(context)
}
