//! One call's share in a connection.

use std::io::{self, IoSlice};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    ConnectionEnd, Form, GiopVersion, MessageHeader, MessageKind, RequestBuffer, RequestProgress,
};
use zorb_os::{priority, probe};
use zorb_transport::Stream;

use super::{Call, End, Seat, SharedConnection, wait_until};
use crate::client::connection::{LAST_WORDS, NoReply, Opened, sends_again};
use crate::client::patience::Patience;
use crate::client::route::Route;
use crate::gather::{Tail, WriteBody};
use crate::orb::OrbCore;
use zorb_types::{CompletionStatus, SystemException, minor};

/// One call's share in a connection; dropping it ends the call's part.
#[derive(Debug)]
pub(crate) struct Share {
    connection: Arc<SharedConnection>,
    /// There until it is dropped.
    seat: Option<Box<Seat>>,
    /// The call's id, while its reply is due.
    id: Option<u32>,
    /// Whether it is this caller's turn to send.
    sends: bool,
    /// The thread that has a turn gives it back.
    of_this_thread: PhantomData<*const ()>,
    /// Whether later requests rely on what is being sent.
    is_first: bool,
}

impl Share {
    pub(super) fn new(connection: Arc<SharedConnection>, seat: Box<Seat>) -> Self {
        Self {
            connection,
            seat: Some(seat),
            id: None,
            sends: false,
            of_this_thread: PhantomData,
            is_first: false,
        }
    }

    /// Whether the server has been told which band of priorities its connection is for.
    pub(in crate::client) fn band_told(&self) -> &AtomicBool {
        &self.connection.band_told
    }

    /// The buffer for what is to be sent.
    pub(in crate::client) fn buffer(&mut self) -> Option<&mut RequestBuffer> {
        self.seat.as_deref_mut().map(|seat| &mut seat.outgoing)
    }

    /// What its connection is.
    pub(in crate::client) fn connected(&self) -> &Arc<dyn Stream> {
        &self.connection.stream
    }

    /// What the messages of its connection are written in, as far as reading them needs to know.
    pub(in crate::client) fn form(&self) -> Form<'static> {
        Form::new(self.connection.messaging, GiopVersion::HIGHEST)
    }

    /// The reply.
    pub(in crate::client) fn message(&self) -> &[u8] {
        self.seat.as_deref().map_or(&[], |seat| seat.received.message())
    }

    /// Where the parts of that message begin whose alignment is their own.
    pub(in crate::client) fn seams(&self) -> &[u32] {
        self.seat.as_deref().map_or(&[], |seat| &seat.received.seams)
    }

    /// The end of that message, where that lies elsewhere.
    #[cfg(feature = "buffers")]
    pub(in crate::client) fn end(&self) -> Option<&zorb_transport::ReceivedBuffer> {
        self.seat.as_deref()?.lent.as_ref()
    }

    /// Chooses the id of a request and what it tells the server. `expected` is the kind of its reply,
    /// if it has one.
    ///
    /// The first request on the wire tells the server the code sets, so its caller has its turn to
    /// send from here on; likewise where what it tells is relied on later.
    pub(in crate::client) fn open_request(
        &mut self,
        core: &OrbCore,
        (route, operation): (&Route, &str),
        expected: Option<MessageKind>,
        deadline: Option<Instant>,
    ) -> Result<Opened, SystemException> {
        let connection = &*self.connection;
        let mut state = connection.state();
        let agreed = &mut state.agreed;
        let mut opened = Opened::agree(agreed, core, route, operation, expected, false)?;
        if opened.tells.is_first() {
            drop(state);
            state = connection.claim(deadline).map_err(|error| not_opened(&error))?;
            // It may have been told by the one whose turn it was before.
            let agreed = &mut state.agreed;
            opened = match Opened::agree(agreed, core, route, operation, expected, true) {
                Ok(opened) => opened,
                Err(exception) => {
                    self.sends = true;
                    return Err(exception);
                }
            };
            self.sends = opened.tells.is_first();
            self.is_first = self.sends;
            if !self.sends {
                connection.turn.give_back();
            }
        }
        let state = &mut *state;
        let calls = &state.calls;
        let taken = |id| calls.iter().any(|call| call.id == id);
        let Some(id) = state.ids.allocate_free(taken) else {
            let no = CompletionStatus::No;
            return Err(SystemException::no_resources(minor::no_resources::QUEUE_FULL, no));
        };
        opened.request_id = id;
        if let (Some(expected), Some(seat)) = (expected, self.seat.as_deref_mut()) {
            let spare = std::mem::take(&mut seat.received.buffer);
            let wake = Arc::clone(&seat.wake);
            let (sleeps, urgency) = (false, priority::given());
            state.calls.push(Call { id, expected, sleeps, urgency, wake, spare, reply: None });
            self.id = Some(id);
        }
        Ok(opened)
    }

    /// Sends what is in the outgoing buffer, and its tail if it has one, when nobody else is sending.
    pub(in crate::client) fn send_message(
        &mut self,
        form: Form<'static>,
        patience: Patience,
        text: TextCoding,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()> {
        let connection = &*self.connection;
        let stream = &connection.stream;
        if !self.sends {
            drop(connection.claim(patience.deadline())?);
            self.sends = true;
        }
        stream.set_send_timeout(patience.next_wait()?)?;
        let Some(seat) = self.seat.as_deref_mut() else { return Ok(()) };
        probe!(MessagingSend);
        let mut begun = true;
        let sent = match rest {
            None => stream.send_all(seat.outgoing.octets()),
            Some((tail, arguments)) => {
                begun = false;
                let mut send = |parts: &mut [IoSlice<'_>]| {
                    begun = true;
                    stream.send_vectored_all(parts)
                };
                tail.send(seat.outgoing.behind_header(), text, arguments, &mut send)
            }
        };
        probe!(TransportSend);
        let mut state = connection.state();
        match &sent {
            Ok(()) => {
                state.form = form;
                if self.is_first {
                    state.agreed.was_told();
                }
            }
            // Part of it may be on its way, so nothing that follows would be understood.
            Err(error) if begun => connection.end(&mut state, End::Lost(Some(super::same(error)))),
            Err(_) => {}
        }
        drop(state);
        connection.turn.give_back();
        self.sends = false;
        sent
    }

    /// Waits for the reply, reading for others as well when nobody else does. It is the
    /// [message](Self::message) then.
    pub(in crate::client) fn wait(&mut self, patience: Patience) -> Result<MessageHeader, NoReply> {
        let connection = &*self.connection;
        let mut state = connection.state();
        loop {
            let Some(call) = state.call(self.id) else { return Err(NoReply::Lost(None)) };
            call.sleeps = false;
            if let Some((header, octets, lent)) = call.reply.take() {
                if let Some(seat) = self.seat.as_deref_mut() {
                    seat.received = octets;
                    seat.lent = lent;
                }
                return Ok(header);
            }
            if let Some(end) = &state.ended {
                return Err(end.reason());
            }
            if let Some(mut inbound) = state.inbound.take() {
                state.leader.begins();
                drop(state);
                let led = connection.lead(&mut inbound, patience, self.id);
                state = connection.state();
                state.leader.ends();
                state.inbound = Some(inbound);
                match led {
                    Ok(()) => {}
                    Err(NoReply::TimedOut) => {
                        connection.promote(&mut state);
                        return Err(NoReply::TimedOut);
                    }
                    Err(reason) => {
                        connection.end(&mut state, reason.into());
                        continue;
                    }
                }
                connection.promote(&mut state);
                continue;
            }
            let Some(seat) = self.seat.as_deref() else { return Err(NoReply::Lost(None)) };
            state.sleep(self.id, true);
            state.leader.hurries();
            let in_time;
            (state, in_time) = wait_until(&seat.wake, state, patience.deadline());
            if !in_time {
                // It may have been told to read on just now: somebody else does, then.
                state.sleep(self.id, false);
                connection.promote(&mut state);
                return Err(NoReply::TimedOut);
            }
        }
    }

    /// Whether the request is to be sent again over another connection: see
    /// [`sends_again`].
    #[cold]
    pub(in crate::client) fn may_go_again(
        &self,
        end: ConnectionEnd,
        progress: RequestProgress,
    ) -> bool {
        let state = self.connection.state();
        // What kept a request from being sent may be that the server has closed.
        let end = match &state.ended {
            Some(End::Closed) => ConnectionEnd::CloseConnection,
            _ => end,
        };
        sends_again(end, progress, state.used)
    }

    /// Tells the server that the reply is no longer waited for.
    #[cold]
    pub(in crate::client) fn cancel_request(&mut self, request_id: u32) -> io::Result<()> {
        let (form, order) = (self.connection.state().form, ByteOrder::NATIVE);
        let Some(outgoing) = self.buffer() else { return Ok(()) };
        form.cancel_request(outgoing.any_octets(), order, request_id);
        self.send_message(form, Patience::new(Some(LAST_WORDS)), TextCoding::default(), None)
    }

    /// Sees to it that requests leave nothing out any more; whether they could.
    #[cold]
    pub(in crate::client) fn say_all_in_full(&self) -> bool {
        self.connection.state().agreed.say_all_in_full()
    }

    /// The connection, if it is of no more use.
    #[cold]
    pub(in crate::client) fn ended(&self) -> Option<&Arc<SharedConnection>> {
        let ended = self.connection.state().ended.is_some();
        ended.then_some(&self.connection)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(seat) = self.seat.take() {
            self.connection.leave(seat, self.id, self.sends);
        }
    }
}

/// The exception for a request that was not even begun.
#[cold]
fn not_opened(error: &io::Error) -> SystemException {
    let no = CompletionStatus::No;
    match error.kind() {
        io::ErrorKind::TimedOut => SystemException::timeout(minor::timeout::SEND, no),
        io::ErrorKind::PermissionDenied => {
            SystemException::no_permission(minor::no_permission::PEER_REFUSED, no)
        }
        _ => SystemException::comm_failure(minor::comm_failure::SEND_FAILED, no),
    }
}
