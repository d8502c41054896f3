//! A connection that calls use one at a time: the driver of the connection machine that needs no lock.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::gather::{Tail, WriteBody};
use zorb_base::orb_core::OrbCore;
use zorb_cdr::TextCoding;
use zorb_giop::{
    BegunRequest, ClientConnection, ClientSession, ConnectionEnd, Inbound, MessageHeader,
    Messaging, Received, RequestBuffer,
};
use zorb_os::probe;
#[cfg(feature = "buffers")]
use zorb_transport::ReceivedBuffer;
use zorb_transport::{Stream, WaitPolicy, Waits};
use zorb_types::SystemException;

use super::connection::{
    Alive, CallReply, Connection, FAREWELL_TIMEOUT, NewCall, NoReply, limits, not_begun,
    sends_again, since,
};
use super::place::Lease;
use super::pool::EndpointPool;
use super::time_limit::TimeLimit;

/// A connection to a server that one call at a time has to itself.
#[derive(Debug)]
pub(crate) struct ExclusiveConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) inbound: Inbound,
    pub(super) outgoing: RequestBuffer,
    /// Which request is outstanding, what was agreed on, and how it ended.
    pub(super) machine: ClientConnection,
    /// When it was opened: deadlines count from here.
    pub(super) opened: Instant,
    /// Whether an earlier call used it.
    pub(super) used: bool,
    /// Whether the server has been told which band of priorities it is for.
    pub(super) band_told: bool,
    /// When it was last known to be alive: sending a one-way request does not show that.
    pub(super) alive: Alive,
    /// When its present call began.
    begun: Alive,
    /// Whether it was opened although there were as many as there may be.
    pub(super) beyond_limit: bool,
    /// From how many octets on the end of a message is sent from where it lies.
    pub(super) copy_threshold: usize,
    /// The end of the current message, where the stream has lent it.
    #[cfg(feature = "buffers")]
    lent: Option<ReceivedBuffer>,
    wait: Waits,
    /// The stream's time-outs, once they were set.
    timeouts: Timeouts,
}

/// What was set last, so that setting it again is not even a call.
#[derive(Debug, Default)]
struct Timeouts {
    sending: Option<Option<Duration>>,
    receiving: Option<Option<Duration>>,
}

/// What a new connection is made of.
pub(super) struct NewConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) session: ClientSession,
    pub(super) messaging: Option<&'static dyn Messaging>,
    pub(super) max_message_size: usize,
    pub(super) copy_threshold: usize,
    pub(super) wait: WaitPolicy,
}

impl ExclusiveConnection {
    pub(super) fn new(new: NewConnection) -> Self {
        let NewConnection { stream, session, messaging, .. } = new;
        let preferred = stream.gather_threshold().unwrap_or(usize::MAX);
        Self {
            copy_threshold: new.copy_threshold.min(preferred),
            stream,
            inbound: Inbound::new(limits(new.max_message_size)).of(messaging),
            outgoing: RequestBuffer::default(),
            machine: ClientConnection::new(session, messaging),
            opened: Instant::now(),
            used: false,
            band_told: false,
            alive: Alive::now(),
            begun: Alive::now(),
            beyond_limit: false,
            #[cfg(feature = "buffers")]
            lent: None,
            wait: new.wait.waits(),
            timeouts: Timeouts::default(),
        }
    }

    /// Whether it may be used without a look at it.
    #[inline]
    pub(super) fn is_fresh(&self) -> bool {
        self.alive.is_fresh()
    }

    /// The same for a call that begins now.
    #[inline]
    pub(super) fn begin(&mut self) -> bool {
        self.begun = Alive::now();
        self.begun.is_soon_after(self.alive)
    }

    #[inline]
    fn limit_sending(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.timeouts.sending != Some(limit) {
            self.stream.set_send_timeout(limit)?;
            self.timeouts.sending = Some(limit);
        }
        Ok(())
    }

    #[inline]
    fn limit_receiving(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.timeouts.receiving != Some(limit) {
            self.stream.set_recv_timeout(limit)?;
            self.timeouts.receiving = Some(limit);
        }
        Ok(())
    }

    /// Sends the request in the outgoing buffer.
    #[inline]
    fn send(&mut self, time_limit: &TimeLimit) -> io::Result<()> {
        self.limit_sending(time_limit.next_wait()?)?;
        probe!(MessagingSend);
        let sent = self.stream.send_all(self.outgoing.octets());
        probe!(TransportSend);
        sent
    }

    /// Sends the request in the outgoing buffer and its tail, which `arguments` wrote.
    fn send_with(
        &mut self,
        time_limit: &TimeLimit,
        tail: Tail,
        text: TextCoding,
        arguments: WriteBody<'_>,
    ) -> io::Result<()> {
        self.limit_sending(time_limit.next_wait()?)?;
        probe!(MessagingSend);
        let mut send = |parts: &mut [IoSlice<'_>]| self.stream.send_vectored_all(parts);
        let sent = tail.send(self.outgoing.behind_header(), text, arguments, &mut send);
        probe!(TransportSend);
        sent
    }

    /// Waits for the Reply to the outstanding request; it is the inbound side's current message then.
    #[inline]
    fn receive(&mut self, time_limit: &TimeLimit) -> Result<CallReply<'_>, NoReply> {
        let (order, start) = loop {
            #[cfg(feature = "buffers")]
            self.release_lent();
            let header = self.next_message(time_limit)?;
            match self.machine.receive(&self.inbound, &header) {
                Received::Reply(start) => break (header.order, start),
                other => self.pass_over(other)?,
            }
        };
        // In truth later than that; it saves a look at the clock.
        self.alive = self.begun;
        let (message, seams) = (self.inbound.current(), self.inbound.seams());
        Ok(CallReply {
            message,
            seams,
            #[cfg(feature = "buffers")]
            end: self.lent.as_ref(),
            order,
            start,
        })
    }

    /// Waits for the LocateReply to the outstanding request, likewise.
    fn receive_location(&mut self, time_limit: &TimeLimit) -> Result<MessageHeader, NoReply> {
        loop {
            let header = self.next_message(time_limit)?;
            match self.machine.receive(&self.inbound, &header) {
                Received::LocateReply(_) => {
                    self.alive = self.begun;
                    return Ok(header);
                }
                other => self.pass_over(other)?,
            }
        }
    }

    /// Goes on after a message that is not the reply: one that comes late, unless it ended the
    /// connection.
    #[cold]
    fn pass_over(&mut self, received: Received) -> Result<(), NoReply> {
        if received == Received::End {
            return Err(NoReply::ended(self.machine.ended(), None));
        }
        self.alive = self.begun;
        Ok(())
    }

    /// Releases the end of a message that has been read.
    #[cfg(feature = "buffers")]
    #[inline]
    fn release_lent(&mut self) {
        if self.lent.is_some() {
            self.lent = None;
        }
    }

    /// Has the stream lend the end of the next message, which is whole then.
    #[cfg(feature = "buffers")]
    fn borrow_end(&mut self) -> Option<MessageHeader> {
        if self.inbound.messaging().is_some() {
            return None;
        }
        let missing = self.inbound.missing_end()?;
        let end = self.stream.borrow(missing)?;
        let header = self.inbound.end_is_elsewhere()?;
        self.lent = Some(end);
        Some(header)
    }

    /// Waits for the next whole message.
    #[inline]
    fn next_message(&mut self, time_limit: &TimeLimit) -> Result<MessageHeader, NoReply> {
        // Mostly nothing is there before it is waited for.
        if !self.inbound.has_buffered() {
            self.receive_more(time_limit)?;
        }
        loop {
            let polled = self.inbound.poll();
            #[cfg(feature = "buffers")]
            let polled = match polled {
                Ok(None) => Ok(self.borrow_end()),
                polled => polled,
            };
            match polled {
                Ok(Some(header)) => return Ok(header),
                Ok(None) => self.receive_more(time_limit)?,
                Err(error) => return Err(NoReply::Broken(error)),
            }
        }
    }

    /// Receives what comes next of the stream.
    #[inline]
    fn receive_more(&mut self, time_limit: &TimeLimit) -> Result<(), NoReply> {
        // Anew for every wait: the server may send its reply octet by octet, or the replies to
        // other requests without end.
        let received = time_limit.next_wait().and_then(|limit| {
            self.limit_receiving(limit)?;
            let space = self.inbound.space();
            probe!(MessagingReceive);
            self.wait.recv(&*self.stream, space, limit)
        });
        probe!(TransportReceive);
        match received {
            Ok(count) if count > 0 => {
                self.inbound.advance(count);
                Ok(())
            }
            Ok(_) => Err(NoReply::Lost(None)),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(NoReply::TimedOut),
            Err(error) => Err(NoReply::Lost(Some(error))),
        }
    }

    /// Sends what the machine has to send.
    #[cold]
    fn transmit(&mut self) -> io::Result<()> {
        while self.machine.poll_transmit(self.outgoing.any_octets()) {
            self.limit_sending(Some(FAREWELL_TIMEOUT))?;
            self.stream.send_all(self.outgoing.octets())?;
        }
        Ok(())
    }

    /// Closes the connection; from GIOP 1.2 on a client says so first.
    #[cold]
    pub(super) fn close(&mut self) {
        self.machine.close();
        // When it does not arrive the server notices the end of the stream all the same.
        let _ = self.transmit();
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Connection for Lease<'_> {
    #[inline]
    fn begin(
        &mut self,
        core: &OrbCore,
        call: &NewCall<'_>,
    ) -> Result<BegunRequest, SystemException> {
        let connection = self.connection().ok_or_else(|| core.shut_down())?;
        let request = call.request(core, connection.opened);
        connection.machine.begin(&request, true, ()).map_err(not_begun)
    }

    #[cold]
    fn tells_band(&mut self) -> bool {
        self.connection().is_some_and(|it| !std::mem::replace(&mut it.band_told, true))
    }

    #[cold]
    fn untell_band(&mut self) {
        if let Some(connection) = self.connection() {
            connection.band_told = false;
        }
    }

    #[inline]
    fn outgoing(&mut self) -> Option<&mut RequestBuffer> {
        self.connection().map(|connection| &mut connection.outgoing)
    }

    #[inline]
    fn copy_threshold(&self, _: usize) -> usize {
        self.kept().map_or(usize::MAX, |connection| connection.copy_threshold)
    }

    fn stream(&self) -> Option<&Arc<dyn Stream>> {
        self.kept().map(|connection| &connection.stream)
    }

    #[inline]
    fn send(
        &mut self,
        begun: &BegunRequest,
        time_limit: &TimeLimit,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()> {
        let connection = self.connection().ok_or(io::ErrorKind::NotConnected)?;
        match rest {
            None => connection.send(time_limit)?,
            Some((tail, arguments)) => {
                connection.send_with(time_limit, tail, begun.text, arguments)?;
            }
        }
        connection.machine.sent(begun);
        Ok(())
    }

    #[inline]
    fn receive(&mut self, time_limit: &TimeLimit) -> Result<CallReply<'_>, NoReply> {
        self.connection().ok_or(NoReply::Lost(None))?.receive(time_limit)
    }

    #[cfg(feature = "buffers")]
    #[inline]
    fn release_lent(&mut self) {
        if let Some(connection) = self.connection() {
            connection.release_lent();
        }
    }

    fn receive_location(
        &mut self,
        time_limit: &TimeLimit,
    ) -> Result<(MessageHeader, &[u8]), NoReply> {
        let connection = self.connection().ok_or(NoReply::Lost(None))?;
        let header = connection.receive_location(time_limit)?;
        Ok((header, connection.inbound.current()))
    }

    #[cold]
    fn sends_again(&mut self, request_id: u32, end: ConnectionEnd) -> bool {
        self.connection().is_some_and(|it| sends_again(&it.machine, request_id, end, it.used))
    }

    #[cold]
    fn time_out(&mut self, _: u32, time_limit: &TimeLimit) -> io::Result<()> {
        let connection = self.connection().ok_or(io::ErrorKind::NotConnected)?;
        if let Some(deadline) = time_limit.deadline() {
            connection.machine.handle_timeout(since(connection.opened, deadline));
        }
        connection.transmit()
    }

    #[cold]
    fn discard(&mut self, _: &EndpointPool) {
        self.close();
    }

    #[cold]
    fn say_all_in_full(&mut self) -> bool {
        self.connection().is_some_and(|it| it.machine.session().say_all_in_full())
    }
}
