//! A connection that calls use one at a time: the driver of the connection's state machine that needs no
//! lock.

mod receiving;
mod sending;
#[cfg(test)]
mod tests;
mod timeouts;

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::connection_count::ConnectionCount;
use zorb_base::gather::{Tail, WriteBody};
use zorb_giop::{
    BegunRequest, ClientConnection, ClientSession, ConnectionEnd, Inbound, MessageHeader,
    Messaging, NewRequest, Received, RequestBuffer,
};
use zorb_os::probe;
#[cfg(feature = "buffers")]
use zorb_transport::ReceivedBuffer;
use zorb_transport::{BusyWait, MAX_LATENESS, Stream};

use super::connection::{
    CONTROL_TIMEOUT, CallReply, Connection, Counts, LastReceived, NoReply, NotBegun, Receiving,
    machine_time, may_resend,
};
use super::hangups::WatchedConnection;
use super::longest_wait::Wait;
use super::request_octets::CountedOctets;
use super::time_limit::TimeLimit;

/// A connection to a server that carries one call at a time.
#[derive(Debug)]
pub(crate) struct ExclusiveConnection {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) inbound: Inbound,
    pub(super) outgoing: RequestBuffer,
    /// Its state: the outstanding request, code sets, how it ended.
    pub(super) machine: ClientConnection,
    /// When it was opened; the state machine's time starts here.
    pub(super) opened: Instant,
    /// Whether an earlier call used it.
    pub(super) used: bool,
    /// When it was last known to work: the beginning of the last call with a reply.
    pub(super) last_received: LastReceived,
    /// When its present call began, or found that the stream did not take its request at once.
    begun: LastReceived,
    /// Whether the present request had to wait for the server to read. Otherwise the longest wait begins with receiving, and
    /// no clock is read, which takes 150 instructions.
    has_waited: bool,
    /// Whether it was opened in excess of the limit.
    pub(super) beyond_limit: bool,
    /// Whether it is useless after a failure.
    pub(super) discarded: bool,
    /// Set when the server has hung up; `None` if that is not watched.
    pub(super) watched: Option<WatchedConnection>,
    /// The minimum size in octets of a sequence at the end of a message that is sent without a copy.
    copy_threshold: usize,
    /// The shared buffer with the end of the current message.
    #[cfg(feature = "buffers")]
    received_buffer: Option<ReceivedBuffer>,
    wait: BusyWait,
    timeouts: Timeouts,
    /// The timeouts of the stream for calls without a limit.
    longest_wait: Option<Duration>,
    /// Its part of the connections of the process.
    counted: Counts,
    /// The octets of the present request, if it is large.
    pub(super) large_request: Option<LargeRequest>,
}

/// The timeouts of the stream that were set last; equal ones are not set again.
#[derive(Debug, Default)]
struct Timeouts {
    sending: Option<Option<Duration>>,
    receiving: Option<Option<Duration>>,
}

/// The parameters of a new connection.
pub(super) struct NewConnection<'a> {
    pub(super) stream: Arc<dyn Stream>,
    pub(super) session: ClientSession,
    pub(super) messaging: Option<&'static dyn Messaging>,
    pub(super) receiving: &'a Receiving,
    pub(super) copy_threshold: usize,
    /// Its part of the connections of the process.
    pub(super) counted: Counts,
}

/// A request whose octets count.
#[derive(Debug)]
pub(super) struct LargeRequest {
    _counted: CountedOctets,
    /// Whether its connection was opened in excess of the limit.
    pub(super) beyond_limit: bool,
}

impl ExclusiveConnection {
    pub(super) fn new(new: NewConnection<'_>) -> Self {
        let NewConnection { stream, session, messaging, .. } = new;
        let preferred = stream.gather_threshold().unwrap_or(usize::MAX);
        Self {
            copy_threshold: new.copy_threshold.min(preferred),
            inbound: new.receiving.inbound(messaging, &*stream),
            stream,
            outgoing: RequestBuffer::default(),
            machine: ClientConnection::new(session, messaging),
            opened: Instant::now(),
            used: false,
            last_received: LastReceived::now(),
            begun: LastReceived::now(),
            has_waited: false,
            beyond_limit: false,
            discarded: false,
            watched: None,
            #[cfg(feature = "buffers")]
            received_buffer: None,
            wait: new.receiving.wait.busy_wait(),
            timeouts: Timeouts::default(),
            longest_wait: new.receiving.longest_wait,
            counted: new.counted,
            large_request: None,
        }
    }

    /// Begins a call; `false` if the connection has to be checked first.
    #[inline]
    pub(super) fn begin_call(&mut self) -> bool {
        self.begun = LastReceived::now();
        self.last_received.is_known_to_work_at(self.begun)
    }

    /// Checks a connection on which nothing has been received for some time; `false` if its server has closed it, or
    /// has sent something that nobody expects. Then a request over it could be lost, and the client would not know
    /// whether the server has executed it.
    #[cold]
    pub(super) fn check(&mut self) -> bool {
        let works = !self.has_hung_up() && !self.stream.is_readable();
        if works {
            self.last_received = self.begun;
        }
        works
    }

    /// Whether it is one of those that `count` counts.
    pub(super) fn is_of(&self, count: &'static ConnectionCount) -> bool {
        self.counted.are_of(count)
    }

    /// When its last call began.
    pub(super) fn last_used(&self) -> LastReceived {
        self.begun
    }

    /// Whether its server is known to have hung up.
    pub(super) fn has_hung_up(&self) -> bool {
        self.watched.as_ref().is_some_and(WatchedConnection::has_hung_up)
    }

    /// Sends the control messages of the state machine, in at most `limit` each.
    #[cold]
    fn transmit(&mut self, limit: Duration) -> io::Result<()> {
        while self.machine.poll_transmit(self.outgoing.octets_mut()) {
            self.limit_sending(Some(limit))?;
            self.stream.send_all(self.outgoing.octets())?;
        }
        Ok(())
    }

    /// Closes the connection; since GIOP 1.2, a client sends CloseConnection first.
    #[cold]
    pub(super) fn close(&mut self) {
        self.machine.close();
        // If this fails, the server still notices the end of the stream.
        let _ = self.transmit(CONTROL_TIMEOUT);
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Connection for ExclusiveConnection {
    fn opened(&self) -> Instant {
        self.opened
    }

    fn begun(&self) -> LastReceived {
        self.begun
    }

    #[inline]
    fn begin(
        &mut self,
        request: &NewRequest<'_>,
        _: Option<Instant>,
    ) -> Result<BegunRequest, Box<NotBegun>> {
        match self.machine.begin(request, true, ()) {
            Ok(begun) => Ok(begun),
            Err(error) => Err(NotBegun::new(error, &self.machine, self.used)),
        }
    }

    #[inline]
    fn outgoing(&mut self) -> Option<&mut RequestBuffer> {
        Some(&mut self.outgoing)
    }

    #[inline]
    fn copy_threshold(&self) -> usize {
        self.copy_threshold
    }

    fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
    }

    fn keep(&mut self, counted: CountedOctets) {
        self.large_request =
            Some(LargeRequest { _counted: counted, beyond_limit: self.beyond_limit });
        // So that the release, which looks at this anyway, ends the count.
        self.beyond_limit = true;
    }

    #[inline]
    fn send(
        &mut self,
        begun: &BegunRequest,
        time_limit: &TimeLimit,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()> {
        self.limit_sending(time_limit.next_wait()?)?;
        probe!(MessagingSend);
        self.has_waited = false;
        let sent = match rest {
            None => self.send_octets(),
            Some((tail, arguments)) => self.send_gathered(begun.text, tail, arguments),
        };
        probe!(TransportSend);
        sent?;
        self.machine.sent(begun);
        Ok(())
    }

    #[inline]
    fn receive(&mut self, time_limit: &TimeLimit) -> Result<CallReply<'_>, NoReply> {
        #[cfg(feature = "buffers")]
        self.release_buffer();
        let header = match self.has_waited {
            false => self.next_message(time_limit)?,
            true => self.next_message(&self.rest_of(time_limit)?)?,
        };
        let (order, start) = match self.machine.receive(&self.inbound, &header) {
            Received::Reply(start) => (header.order, start),
            other => self.receive_later(other, time_limit)?,
        };
        // Actually later; this saves reading the clock.
        self.last_received = self.begun;
        Ok(CallReply {
            message: self.inbound.current(),
            fragment_starts: self.inbound.fragment_starts(),
            #[cfg(feature = "buffers")]
            tail: self.received_buffer.as_ref().map(|it| zorb_cdr::Tail::new(it).owned_by(it)),
            order,
            start,
        })
    }

    #[cfg(feature = "buffers")]
    #[inline]
    fn release_buffer(&mut self) {
        if self.received_buffer.is_some() {
            self.received_buffer = None;
        }
    }

    fn receive_location(
        &mut self,
        time_limit: &TimeLimit,
    ) -> Result<(MessageHeader, &[u8]), NoReply> {
        let wait = Wait::since(self.begun, *time_limit, self.longest_wait);
        loop {
            let header = self.next_message(&wait.next()?)?;
            match self.machine.receive(&self.inbound, &header) {
                Received::LocateReply(_) => {
                    self.last_received = self.begun;
                    return Ok((header, self.inbound.current()));
                }
                other => self.skip(other)?,
            }
        }
    }

    #[cold]
    fn may_resend(&mut self, request_id: u32, end: ConnectionEnd) -> bool {
        may_resend(&self.machine, request_id, end, self.used)
    }

    #[cold]
    fn time_out(&mut self, request_id: u32, time_limit: &TimeLimit) -> io::Result<()> {
        match time_limit.deadline() {
            Some(deadline) => self.machine.handle_timeout(machine_time(self.opened, deadline)),
            None => drop(self.machine.cancel(request_id)),
        }
        // The call's time is over: a server that does not read gets no CancelRequest.
        self.transmit(MAX_LATENESS)
    }

    #[cold]
    fn discard(&mut self, end: ConnectionEnd) {
        self.discarded = true;
        if matches!(end, ConnectionEnd::ProtocolError(_)) {
            self.machine.end(end);
            // The server notices the end of the stream if it does not read the MessageError.
            let _ = self.transmit(MAX_LATENESS);
        }
    }

    #[cold]
    fn send_in_full(&mut self) -> bool {
        self.machine.session().disable_abbreviation()
    }
}
