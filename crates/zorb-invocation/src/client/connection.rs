//! The operations of a call on a connection, exclusive or multiplexed, and the outcomes of waiting for a reply.
//!
//! Both kinds of connections drive the state machine of `zorb-giop`, which decides how each request ends.
//! They send and receive octets, and pass it the time.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::connection_count::{ConnectionCount, Counted};
use zorb_base::gather::{Tail, WriteBody};
use zorb_base::options::Options;
use zorb_cdr::ByteOrder;
use zorb_giop::{
    BeginError, BegunRequest, ClientConnection, ConnectionEnd, FailureCause, Inbound, Limits,
    MessageBudget, MessageHeader, Messaging, NewRequest, ProtocolError, ReplyStart, RequestBuffer,
    RequestFailure,
};
use zorb_os::clock::MonotonicTime;
use zorb_transport::{PeerShares, Stream, WaitPolicy};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::request_octets::CountedOctets;
use super::time_limit::TimeLimit;

/// The maximum time for sending a CancelRequest or CloseConnection: the server may have stopped reading.
pub(super) const CONTROL_TIMEOUT: Duration = Duration::from_millis(100);

/// A connection on which nothing was received for longer than this is checked before it is used again: the
/// server may have closed it. Some ticks of the coarse clock.
const UNCHECKED: Duration = Duration::from_millis(20);

/// Other threads can take a connection on which nothing was received for longer than this.
const RECENT: Duration = Duration::from_millis(500);

/// The parts of a connection in the connections that the process has opened, and in those of upcalls if one opened it.
#[derive(Debug)]
pub(super) struct Counts {
    pub(super) of_clients: Counted,
    pub(super) of_upcalls: Option<Counted>,
}

impl Counts {
    /// Whether the connection is one of those that `count` counts.
    pub(super) fn are_of(&self, count: &'static ConnectionCount) -> bool {
        self.of_clients.is_of(count)
            || self.of_upcalls.as_ref().is_some_and(|counted| counted.is_of(count))
    }
}

/// When something was last received on a connection, to a few milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LastReceived(MonotonicTime);

impl LastReceived {
    #[inline]
    pub(super) fn now() -> Self {
        Self(MonotonicTime::coarse())
    }

    /// So long ago that every connection has to be checked.
    #[cfg(test)]
    pub(super) fn long_ago() -> Self {
        Self(MonotonicTime::from_nanos(0))
    }

    /// Whether its thread uses the connection all the time.
    pub(super) fn is_recent(self) -> bool {
        !self.is_older_than(RECENT)
    }

    /// Whether the connection needs no check before it is used now.
    #[inline]
    pub(super) fn is_known_to_work(self) -> bool {
        self.is_known_to_work_at(Self::now())
    }

    /// Whether nothing has been received for at least this time.
    pub(super) fn is_older_than(self, limit: Duration) -> bool {
        self.is_older_at(Self::now(), limit)
    }

    /// The same at `now`.
    #[inline]
    pub(super) fn is_older_at(self, now: Self, limit: Duration) -> bool {
        u128::from(now.0.nanos_since(self.0)) >= limit.as_nanos()
    }

    /// What is left of a time that began then.
    #[cold]
    pub(super) fn left_of(self, time: Duration) -> Duration {
        self.left_of_at(Self::now(), time)
    }

    /// The same at `now`.
    #[inline]
    pub(super) fn left_of_at(self, now: Self, time: Duration) -> Duration {
        time.saturating_sub(now.0.duration_since(self.0))
    }

    /// The same for a use at `now`.
    #[inline]
    pub(super) fn is_known_to_work_at(self, now: Self) -> bool {
        now.0.nanos_since(self.0) < UNCHECKED.as_nanos() as u64
    }
}

/// Why waiting for a reply ended without one.
#[derive(Debug)]
pub(super) enum NoReply {
    /// The server sent CloseConnection; it has not processed the request.
    Closed,
    /// The stream ended or failed.
    Lost(Option<io::Error>),
    /// The deadline passed.
    TimedOut,
    /// The server could not read the request.
    MessageError,
    /// The server broke the protocol.
    Broken(ProtocolError),
}

impl NoReply {
    /// The reason for a waiting call if the connection ended so; `error` is that of a stream that failed.
    #[cold]
    pub(super) fn of_end(end: Option<ConnectionEnd>, error: Option<io::Error>) -> Self {
        match end {
            Some(ConnectionEnd::CloseConnection) => Self::Closed,
            Some(ConnectionEnd::MessageError) => Self::MessageError,
            Some(ConnectionEnd::ProtocolError(error)) => Self::Broken(error),
            Some(ConnectionEnd::Lost | ConnectionEnd::ClosedLocally) | None => Self::Lost(error),
        }
    }

    /// How the connection ends by it; a deadline does not end it.
    pub(super) fn end(&self) -> Option<ConnectionEnd> {
        match self {
            Self::Closed => Some(ConnectionEnd::CloseConnection),
            Self::Lost(_) => Some(ConnectionEnd::Lost),
            Self::MessageError => Some(ConnectionEnd::MessageError),
            Self::Broken(error) => Some(ConnectionEnd::ProtocolError(*error)),
            Self::TimedOut => None,
        }
    }
}

/// How the connections of a client receive.
#[derive(Clone, Debug)]
pub(crate) struct Receiving {
    max_message_size: usize,
    shares: PeerShares,
    pub(super) wait: WaitPolicy,
    /// The maximum time that calls without a limit wait for the server.
    pub(super) longest_wait: Option<Duration>,
}

impl Receiving {
    /// According to `options`; large messages are charged to the share of the server.
    pub(crate) fn new(options: &Options, shares: &PeerShares) -> Self {
        let max_message_size = options.max_message_size;
        Self {
            max_message_size,
            shares: shares.clone(),
            wait: options.wait_policy(),
            longest_wait: options.max_reply_wait,
        }
    }

    /// The receiving half of a connection.
    pub(super) fn inbound(
        &self,
        messaging: Option<&'static dyn Messaging>,
        stream: &dyn Stream,
    ) -> Inbound {
        let max_message_size = self.max_message_size;
        let limits =
            Limits::DEFAULT.max_message_size(max_message_size).max_partial_octets(max_message_size);
        Inbound::new(limits).with_messaging(messaging).with_budget(self.share(stream))
    }

    /// What the messages of a connection are charged to.
    pub(super) fn share(&self, stream: &dyn Stream) -> Arc<MessageBudget> {
        self.shares.share(stream)
    }
}

/// Whether to send a request again over another connection if this one ended, or would now end, as `end`
/// says: the protocol allows it, and it can succeed. If a connection breaks that has been used before, the
/// server had closed it while it was idle; if a new one breaks, another new one would as well.
#[cold]
pub(super) fn may_resend<C>(
    machine: &ClientConnection<C>,
    request_id: u32,
    end: ConnectionEnd,
    used: bool,
) -> bool {
    failed_may_resend(machine.failure_by(request_id, end), used)
}

/// Whether to send a request again that failed so; see [`may_resend`].
#[cold]
pub(super) fn failed_may_resend(failure: RequestFailure, used: bool) -> bool {
    let can_succeed = match failure.cause {
        FailureCause::Ended(end) => can_succeed_over_another(end, used),
        FailureCause::TimedOut => false,
    };
    can_succeed && failure.is_safe_to_resend()
}

/// Whether a request whose connection ended so can succeed over another one.
fn can_succeed_over_another(end: ConnectionEnd, used: bool) -> bool {
    match end {
        ConnectionEnd::CloseConnection => true,
        ConnectionEnd::Lost => used,
        _ => false,
    }
}

/// Why a request has not begun. Nothing was sent. It is boxed: what `begin` returns is moved on every call.
#[derive(Debug)]
pub(super) enum NotBegun {
    /// The connection has ended, or did not become free in time.
    Unsent {
        error: io::Error,
        /// Whether to send the request over another connection: see [`may_resend`].
        again: bool,
    },
    /// The connection goes on without the request.
    Refused(SystemException),
}

impl NotBegun {
    /// For a request that the state machine refuses.
    #[cold]
    pub(super) fn new<C>(
        error: BeginError,
        machine: &ClientConnection<C>,
        used: bool,
    ) -> Box<Self> {
        let no = CompletionStatus::No;
        let exception = match error {
            BeginError::TooManyRequests { .. } => {
                SystemException::no_resources(minor::no_resources::OUTSTANDING_REQUESTS, no)
            }
            BeginError::CodeSets(error) => error.into(),
            _ => return Self::ended(io::ErrorKind::NotConnected.into(), machine, used),
        };
        Box::new(Self::Refused(exception))
    }

    /// For a request over a connection that has ended with `error`.
    #[cold]
    pub(super) fn ended<C>(
        error: io::Error,
        machine: &ClientConnection<C>,
        used: bool,
    ) -> Box<Self> {
        let again = machine.ended().is_some_and(|end| can_succeed_over_another(end, used));
        Box::new(Self::Unsent { error, again })
    }
}

/// A deadline in the time of the state machine of a connection that was opened at `opened`.
pub(super) fn machine_time(opened: Instant, deadline: Instant) -> Duration {
    deadline.saturating_duration_since(opened)
}

/// A Reply, not decoded yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallReply<'c> {
    pub(super) message: &'c [u8],
    /// The offsets of the parts that have their own alignment base.
    pub(super) fragment_starts: &'c [u32],
    /// The end of the message if it is in a shared buffer.
    #[cfg(feature = "buffers")]
    pub(super) tail: Option<zorb_cdr::Tail<'c>>,
    pub(super) order: ByteOrder,
    pub(super) start: ReplyStart,
}

/// A connection as one call uses it.
///
/// Calls are generic over it, so that a call over an exclusive connection has no dynamic dispatch.
pub(super) trait Connection {
    /// When it was opened; the state machine's time starts here.
    fn opened(&self) -> Instant;

    /// When the call began to use it.
    fn begun(&self) -> LastReceived;

    /// Begins a request, which must be sent by `send_deadline`: allocates its id, and determines its text
    /// encoding and what it announces to the server.
    fn begin(
        &mut self,
        request: &NewRequest<'_>,
        send_deadline: Option<Instant>,
    ) -> Result<BegunRequest, Box<NotBegun>>;

    /// The buffer for the request.
    fn outgoing(&mut self) -> Option<&mut RequestBuffer>;

    /// The minimum size in octets of a sequence at the end of a message that is sent without a copy.
    fn copy_threshold(&self) -> usize;

    /// Its stream.
    fn stream(&self) -> &Arc<dyn Stream>;

    /// Keeps what counts the octets of a large request until the call ends.
    fn keep(&mut self, counted: CountedOctets);

    /// Sends the request in the outgoing buffer; `rest` is its tail, if it has one, and what writes it.
    fn send(
        &mut self,
        begun: &BegunRequest,
        time_limit: &TimeLimit,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()>;

    /// Waits for the Reply to the request.
    fn receive(&mut self, time_limit: &TimeLimit) -> Result<CallReply<'_>, NoReply>;

    /// Releases the shared buffer with the end of a Reply that has been read.
    #[cfg(feature = "buffers")]
    fn release_buffer(&mut self);

    /// Waits for the LocateReply to the request; returns its header and the message.
    fn receive_location(
        &mut self,
        time_limit: &TimeLimit,
    ) -> Result<(MessageHeader, &[u8]), NoReply>;

    /// Whether to send the request again over another connection after this one ended so: see
    /// [`may_resend`].
    fn may_resend(&mut self, request_id: u32, end: ConnectionEnd) -> bool;

    /// Cancels a request whose deadline has passed, and notifies the server.
    fn time_out(&mut self, request_id: u32, time_limit: &TimeLimit) -> io::Result<()>;

    /// Prevents further use of a connection that is useless after a failure. A server that broke the protocol is
    /// told.
    fn discard(&mut self, end: ConnectionEnd);

    /// Stops omitting parts of requests; returns whether parts were omitted.
    fn send_in_full(&mut self) -> bool;
}
