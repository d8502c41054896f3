//! One call over a multiplexed connection.

use std::io::{self, IoSlice};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use zorb_base::gather::{self, Tail, WriteBody};
use zorb_giop::{
    BegunRequest, ConnectionEnd, MessageHeader, NewRequest, RequestBuffer, RequestKind,
};
use zorb_os::probe;
use zorb_transport::Stream;

use super::{CallBuffers, Follower, MultiplexedConnection, PendingRequest, copied};
use crate::client::connection::{
    CallReply, Connection, LastReceived, NoReply, NotBegun, may_resend,
};
use crate::client::longest_wait::Wait;
use crate::client::request_octets::CountedOctets;
use crate::client::time_limit::TimeLimit;

/// The use of a multiplexed connection by one call. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct MultiplexedCall {
    pub(super) connection: Arc<MultiplexedConnection>,
    /// `None` only while it is dropped.
    pub(super) buffers: Option<Box<CallBuffers>>,
    /// The id of its request if that has a reply.
    pub(super) id: Option<u32>,
    /// When its request began, or the first one of a pending call.
    pub(super) begun: Option<LastReceived>,
    /// Whether it holds the lock for sending.
    pub(super) sends: bool,
    /// Whether it is counted as a user of the connection.
    pub(super) is_user: bool,
    /// What gets the reply to the request that begins next, if the caller does not wait.
    pub(super) pending: Option<Arc<dyn PendingRequest>>,
    /// Whether its request is counted as pending, and this still answers for it.
    pub(super) is_counted: bool,
    /// Whether the connection had no reader when the call joined it.
    pub(super) needs_reader: bool,
    /// The octets of its request, if it is large.
    pub(super) request_octets: Option<CountedOctets>,
    /// The thread that locks sending has to unlock it.
    pub(super) of_this_thread: PhantomData<*const ()>,
}

impl MultiplexedCall {
    /// The call of a request that has begun, and counts as pending.
    #[cold]
    pub(super) fn of_begun(
        connection: Arc<MultiplexedConnection>,
        buffers: Box<CallBuffers>,
        id: u32,
    ) -> Self {
        Self {
            connection,
            buffers: Some(buffers),
            id: Some(id),
            begun: None,
            sends: false,
            is_user: false,
            pending: None,
            is_counted: true,
            needs_reader: false,
            request_octets: None,
            of_this_thread: PhantomData,
        }
    }

    /// Calls `send` while no other thread sends; it sets its last parameter once octets may have been sent.
    fn send_alone(
        &mut self,
        time_limit: &TimeLimit,
        send: impl FnOnce(&dyn Stream, &mut CallBuffers, &mut bool) -> io::Result<()>,
    ) -> io::Result<()> {
        let begun = self.begun();
        let connection = &*self.connection;
        let mut time_limit = *time_limit;
        if !self.sends {
            let has_waited = connection.lock_sending(time_limit.deadline())?;
            self.sends = true;
            if has_waited {
                let wait = Wait::since(begun, time_limit, connection.longest_wait);
                time_limit = wait.next().map_err(|_| io::ErrorKind::TimedOut)?;
            }
        }
        connection.limit_sending(time_limit.next_wait()?)?;
        let Some(buffers) = self.buffers.as_deref_mut() else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let mut begun = false;
        probe!(MessagingSend);
        let sent = send(&*connection.stream, buffers, &mut begun);
        probe!(TransportSend);
        if let Err(error) = &sent
            && begun
        {
            // Part of the message may have been sent, so the server would misread what follows.
            connection.end(&mut connection.state(), NoReply::Lost(Some(copied(error))));
        }
        sent
    }

    /// Unlocks sending if it is locked.
    fn unlock_sending(&mut self) {
        if std::mem::take(&mut self.sends) {
            self.connection.sending.unlock();
        }
    }

    fn message(&self) -> &[u8] {
        self.buffers.as_deref().map_or(&[], |buffers| buffers.received.message())
    }
}

impl Connection for MultiplexedCall {
    fn opened(&self) -> Instant {
        self.connection.opened
    }

    fn begun(&self) -> LastReceived {
        self.begun.unwrap_or_else(LastReceived::now)
    }

    /// Locks sending if the request announces what later requests rely on, as the first one announces the code
    /// sets and the priority band.
    fn begin(
        &mut self,
        request: &NewRequest<'_>,
        send_deadline: Option<Instant>,
    ) -> Result<BegunRequest, Box<NotBegun>> {
        let connection = &*self.connection;
        let now = *self.begun.get_or_insert_with(LastReceived::now);
        let mut state = connection.state();
        let must_be_sent_first = state.machine.must_be_sent_first(request);
        if must_be_sent_first.map_err(|error| NotBegun::new(error, &state.machine, state.used))? {
            drop(state);
            let locked = connection.lock_sending(send_deadline);
            state = connection.state();
            if let Err(error) = locked {
                return Err(NotBegun::ended(error, &state.machine, state.used));
            }
            self.sends = true;
        }
        let expects_reply = request.kind != RequestKind::Oneway;
        let follower = match self.pending.take() {
            Some(request) => {
                let oldest = state.pending.oldest.map_or(now, |oldest| oldest.min(now));
                state.pending.oldest = Some(oldest);
                Follower::Pending { request, begun: now }
            }
            None if !expects_reply => Follower::Nobody,
            None => {
                let buffers = self.buffers.as_deref_mut();
                Follower::Caller(buffers.map(CallBuffers::caller).unwrap_or_default())
            }
        };
        let begun = match state.machine.begin(request, self.sends, follower) {
            Ok(begun) => begun,
            Err(error) => return Err(NotBegun::new(error, &state.machine, state.used)),
        };
        if self.is_counted {
            state.machine.sent_ahead(begun.request_id);
            connection.pending_begun(&mut state, request.deadline);
        }
        drop(state);
        self.id = expects_reply.then_some(begun.request_id);
        // Another caller may have announced it meanwhile.
        if !begun.must_be_sent_first() {
            self.unlock_sending();
        }
        Ok(begun)
    }

    fn outgoing(&mut self) -> Option<&mut RequestBuffer> {
        self.buffers.as_deref_mut().map(|buffers| &mut buffers.outgoing)
    }

    fn copy_threshold(&self) -> usize {
        // A request whose caller does not wait is stored whole.
        if self.is_counted { usize::MAX } else { self.connection.copy_threshold }
    }

    fn stream(&self) -> &Arc<dyn Stream> {
        &self.connection.stream
    }

    fn keep(&mut self, counted: CountedOctets) {
        self.request_octets = Some(counted);
    }

    fn send(
        &mut self,
        request: &BegunRequest,
        time_limit: &TimeLimit,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()> {
        let text = request.text;
        let sent = self.send_alone(time_limit, |stream, buffers, begun| match rest {
            None => {
                *begun = true;
                stream.send_all(buffers.outgoing.octets())
            }
            Some((tail, arguments)) => {
                let mut send = |mut parts: &mut [IoSlice<'_>], gathered| {
                    *begun = true;
                    gather::try_send(stream, &mut parts, gathered)?;
                    if parts.is_empty() { Ok(()) } else { stream.send_vectored_all(parts) }
                };
                tail.send(buffers.outgoing.octets_after_header(), text, arguments, &mut send)
            }
        });
        // A request whose caller does not wait has been reported before.
        if sent.is_ok() && (!self.is_counted || request.must_be_sent_first()) {
            self.connection.state().machine.sent(request);
        }
        if sent.is_err() && self.is_counted {
            self.connection.state().machine.unsent(request.request_id);
        }
        self.unlock_sending();
        sent
    }

    fn receive(&mut self, time_limit: &TimeLimit) -> Result<CallReply<'_>, NoReply> {
        let (header, start) = self.wait(*time_limit)?;
        let Some(start) = start else { return Err(NoReply::Lost(None)) };
        let Some(buffers) = self.buffers.as_deref() else { return Err(NoReply::Lost(None)) };
        Ok(CallReply {
            message: buffers.received.message(),
            fragment_starts: &buffers.received.fragment_starts,
            #[cfg(feature = "buffers")]
            tail: buffers.tail.as_ref().map(|it| zorb_cdr::Tail::new(it).owned_by(it)),
            order: header.order,
            start,
        })
    }

    #[cfg(feature = "buffers")]
    fn release_buffer(&mut self) {
        // The call, which ends now, releases it.
    }

    fn receive_location(
        &mut self,
        time_limit: &TimeLimit,
    ) -> Result<(MessageHeader, &[u8]), NoReply> {
        let (header, _) = self.wait(*time_limit)?;
        Ok((header, self.message()))
    }

    #[cold]
    fn may_resend(&mut self, request_id: u32, end: ConnectionEnd) -> bool {
        let state = self.connection.state();
        may_resend(&state.machine, request_id, end, state.used)
    }

    #[cold]
    fn time_out(&mut self, _: u32, _: &TimeLimit) -> io::Result<()> {
        // `wait` has informed the state machine. The call's time is over, so it does not wait to tell the server.
        self.connection.send_cancels()
    }

    fn discard(&mut self, _: ConnectionEnd) {
        // No call begins on a connection that has ended, and others may go on if it has not.
    }

    #[cold]
    fn send_in_full(&mut self) -> bool {
        self.connection.send_in_full()
    }
}

impl Drop for MultiplexedCall {
    fn drop(&mut self) {
        if self.is_counted {
            self.take_back();
        }
        if let Some(buffers) = self.buffers.take() {
            self.connection.leave(buffers, self.id, self.sends, self.is_user);
        }
    }
}
