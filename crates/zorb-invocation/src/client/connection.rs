//! The connection that one call uses, exclusive or shared, and how waiting for a reply ends.
//!
//! Either kind drives the machine of `zorb-giop`, which decides how each request ends; what is here
//! and beside it moves octets and tells the time.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::gather::{Tail, WriteBody};
use zorb_base::orb_core::OrbCore;
use zorb_cdr::ByteOrder;
use zorb_giop::{
    BeginError, BegunRequest, ClientConnection, CodeSetComponentInfo, ConnectionEnd, FailureCause,
    Form, Limits, MessageHeader, NewRequest, ProtocolError, ReplyStart, RequestBuffer, RequestKind,
};
use zorb_os::clock::MonotonicTime;
#[cfg(feature = "buffers")]
use zorb_transport::ReceivedBuffer;
use zorb_transport::Stream;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::place::Lease;
use super::pool::EndpointPool;
use super::shared::SharedCall;
use super::time_limit::TimeLimit;

/// The longest that sending a CancelRequest or CloseConnection may take: the server may have stopped
/// reading.
pub(super) const FAREWELL_TIMEOUT: Duration = Duration::from_millis(100);

/// A connection on which nothing was received for longer than this is probed before it is used
/// again: the server may have closed it.
const FRESH: Duration = Duration::from_millis(500);

/// When something was last received on a connection, to a few milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alive(MonotonicTime);

impl Alive {
    #[inline]
    pub(super) fn now() -> Self {
        Self(MonotonicTime::coarse())
    }

    /// Whether that was just now.
    #[inline]
    pub(super) fn is_fresh(self) -> bool {
        Self::now().is_soon_after(self)
    }

    /// Whether the connection needs no probe at this moment, if it was alive at `earlier`.
    #[inline]
    pub(super) fn is_soon_after(self, earlier: Self) -> bool {
        self.0.nanos_since(earlier.0) < FRESH.as_nanos() as u64
    }
}

/// What ended the wait for a reply without one.
#[derive(Debug)]
pub(super) enum NoReply {
    /// The server sent CloseConnection; it has not processed the request.
    Closed,
    /// The stream ended or failed.
    Lost(Option<io::Error>),
    /// The time ran out.
    TimedOut,
    /// The server could not read the request.
    MessageError,
    /// The server broke the protocol.
    Broken(ProtocolError),
}

impl NoReply {
    /// What the end of the connection is to a call that waits; `error` is that of a stream that failed.
    #[cold]
    pub(super) fn ended(end: Option<ConnectionEnd>, error: Option<io::Error>) -> Self {
        match end {
            Some(ConnectionEnd::CloseConnection) => Self::Closed,
            Some(ConnectionEnd::MessageError) => Self::MessageError,
            Some(ConnectionEnd::ProtocolError(error)) => Self::Broken(error),
            Some(ConnectionEnd::Lost | ConnectionEnd::ClosedHere) | None => Self::Lost(error),
        }
    }

    /// How it ends the connection; a wait that took too long does not.
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

/// What a client lets a server make it hold.
pub(super) fn limits(max_message_size: usize) -> Limits {
    Limits { max_message_size, max_partial_octets: max_message_size, ..Limits::default() }
}

/// Whether a request is to be sent again over another connection, where this one ended, or would
/// now end as `end` says: the protocol allows it, and it is of use. A connection that broke after it
/// had been good (`used`) is one that its server gave up while it lay idle; a new one that breaks
/// would break again.
#[cold]
pub(super) fn sends_again<C>(
    machine: &ClientConnection<C>,
    request_id: u32,
    end: ConnectionEnd,
    used: bool,
) -> bool {
    let failure = machine.failure_by(request_id, end);
    let of_use = match failure.cause {
        FailureCause::Ended(ConnectionEnd::CloseConnection) => true,
        FailureCause::Ended(ConnectionEnd::Lost) => used,
        FailureCause::Ended(_) | FailureCause::TimedOut => false,
    };
    of_use && failure.is_safe_to_resend()
}

/// The exception for a request that was not begun.
#[cold]
pub(super) fn not_begun(error: BeginError) -> SystemException {
    let no = CompletionStatus::No;
    match error {
        BeginError::Ended => SystemException::comm_failure(minor::comm_failure::SEND_FAILED, no),
        BeginError::TooManyRequests { .. } => {
            SystemException::no_resources(minor::no_resources::QUEUE_FULL, no)
        }
        BeginError::CodeSets(error) => error.into(),
    }
}

/// A request that a call is about to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewCall<'a> {
    pub(super) kind: RequestKind,
    pub(super) form: Form<'static>,
    pub(super) key: &'a [u8],
    /// The server's code sets, if its profile contains them.
    pub(super) code_sets: Option<&'a CodeSetComponentInfo>,
    pub(super) operation: &'a str,
    /// Until when it may be sent.
    pub(super) send_deadline: Option<Instant>,
    /// Until when its reply is waited for.
    pub(super) reply_deadline: Option<Instant>,
}

impl<'a> NewCall<'a> {
    /// The same for the machine of a connection that was opened at `opened`.
    #[inline]
    pub(super) fn request(&self, core: &'a OrbCore, opened: Instant) -> NewRequest<'a> {
        let Self { kind, form, key, code_sets, operation, .. } = *self;
        NewRequest {
            kind,
            form,
            key,
            operation,
            code_sets: code_sets.map(|server| [core.code_sets(), server]),
            deadline: self.reply_deadline.map(|deadline| since(opened, deadline)),
        }
    }
}

/// A deadline as the machine of a connection counts time.
#[inline(never)]
pub(super) fn since(opened: Instant, deadline: Instant) -> Duration {
    deadline.saturating_duration_since(opened)
}

/// A Reply as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallReply<'c> {
    pub(super) message: &'c [u8],
    /// Where the parts of the message begin whose alignment is their own.
    pub(super) seams: &'c [u32],
    /// The end of the message, where that lies elsewhere.
    #[cfg(feature = "buffers")]
    pub(super) end: Option<&'c ReceivedBuffer>,
    pub(super) order: ByteOrder,
    pub(super) start: ReplyStart,
}

/// Either of the two kinds.
#[derive(Debug)]
pub(super) enum AnyConnection<'r> {
    Exclusive(Lease<'r>),
    Shared(SharedCall),
}

/// The connection that one call uses. Dropping it ends the call's part in it.
///
/// Code is generic over it, so that the steps of a call over an exclusive connection are those of a
/// call that could use no other.
pub(super) trait Connection: Sized {
    /// Begins a request: allocates its id, and finds how its text is written and what it has to tell
    /// the server.
    fn begin(
        &mut self,
        core: &OrbCore,
        call: &NewCall<'_>,
    ) -> Result<BegunRequest, SystemException>;

    /// Whether the server has not been told yet which band of priorities the connection is for; it
    /// counts as told from now on.
    fn tells_band(&mut self) -> bool;

    /// Says that the request that was to tell the band has not been sent.
    fn untell_band(&mut self);

    /// The buffer for what is to be sent; there is none once the connection is
    /// [discarded](Self::discard).
    fn outgoing(&mut self) -> Option<&mut RequestBuffer>;

    /// From how many octets on the end of a message is sent from where it lies, `own` at most.
    fn copy_threshold(&self, own: usize) -> usize;

    /// What carries its octets.
    fn stream(&self) -> Option<&Arc<dyn Stream>>;

    /// Sends the request in the outgoing buffer, which was begun so, and its tail if it has one, with
    /// what wrote it.
    fn send(
        &mut self,
        begun: &BegunRequest,
        time_limit: &TimeLimit,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()>;

    /// Waits for the Reply to the request.
    fn receive(&mut self, time_limit: &TimeLimit) -> Result<CallReply<'_>, NoReply>;

    /// Releases the end of a Reply that has been read, where the stream had lent it.
    #[cfg(feature = "buffers")]
    fn release_lent(&mut self);

    /// Waits for the LocateReply to the request; its header and itself.
    fn receive_location(
        &mut self,
        time_limit: &TimeLimit,
    ) -> Result<(MessageHeader, &[u8]), NoReply>;

    /// Whether the request, whose connection ended so, is to be sent again over another one: see
    /// [`sends_again`].
    fn sends_again(&mut self, request_id: u32, end: ConnectionEnd) -> bool;

    /// Gives up a request whose deadline has passed: tells the server that nobody waits for the reply.
    fn time_out(&mut self, request_id: u32, time_limit: &TimeLimit) -> io::Result<()>;

    /// Sees to it that a connection that is of no more use is not used again.
    fn discard(&mut self, pool: &EndpointPool);

    /// Sees to it that requests leave nothing out any more; whether they could.
    fn say_all_in_full(&mut self) -> bool;
}
