//! A reply that has arrived: results or a user exception, still in the receive buffer.

use std::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult, TextCoding};
use zorb_giop::{HEADER_SIZE, MessageHeader, ReplyStatus};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use super::place::Lease;
use super::shared::Share;
use crate::object::RawReply;
use crate::orb::OrbCore;
use crate::raises::Raises;

/// A reply, with the connection or buffer that holds it.
#[derive(Debug)]
pub(crate) struct Reply<'c> {
    pub(super) core: &'c Arc<OrbCore>,
    pub(super) holder: Holder,
    pub(super) header: MessageHeader,
    pub(super) status: ReplyStatus,
    pub(super) body_offset: usize,
    pub(super) text: TextCoding,
}

#[derive(Debug)]
pub(super) enum Holder {
    /// The receive buffer of a connection, which goes back when the reply has been read.
    Own(Lease),
    /// The buffer of a share in a connection.
    Shared(Share),
    /// The buffer of a call inside this ORB.
    Local(LocalReply),
}

/// The buffer of a reply from inside this ORB; it goes back to its thread when dropped.
#[derive(Debug)]
pub(super) struct LocalReply(pub(super) Vec<u8>);

impl Drop for LocalReply {
    fn drop(&mut self) {
        super::invoke::recycle(std::mem::take(&mut self.0));
    }
}

impl Holder {
    fn message(&self) -> &[u8] {
        match self {
            Self::Own(lease) => lease.message(),
            Self::Shared(share) => share.message(),
            Self::Local(LocalReply(buffer)) => buffer,
        }
    }

    /// Sees to it that requests on the reply's connection leave nothing out any more; whether they
    /// could.
    #[cold]
    pub(super) fn say_all_in_full(&mut self) -> bool {
        match self {
            Self::Own(lease) => {
                lease.connection().is_some_and(|connection| connection.state.say_all_in_full())
            }
            Self::Shared(share) => share.say_all_in_full(),
            Self::Local(_) => false,
        }
    }

    fn seams(&self) -> &[u32] {
        match self {
            Self::Own(lease) => lease.seams(),
            Self::Shared(share) => share.seams(),
            Self::Local(_) => &[],
        }
    }
}

impl Reply<'_> {
    /// The exception for a two-way call that came back without a reply, which does not happen.
    #[cold]
    pub(crate) fn missing() -> SystemException {
        SystemException::internal(minor::internal::BROKEN_INVARIANT, CompletionStatus::Maybe)
    }

    /// Whether the reply came over a connection.
    pub(super) fn came_from_elsewhere(&self) -> bool {
        !matches!(self.holder, Holder::Local(_))
    }

    /// A reader at the body.
    pub(super) fn body(&self) -> CdrReader<'_> {
        let mut reader = CdrReader::new(self.holder.message(), self.header.order);
        reader.set_parts(self.holder.seams(), HEADER_SIZE);
        reader.set_text(self.text);
        reader.set_context(self.core);
        // The header was read up to here before, so the octets are there.
        let _ = reader.take(self.body_offset, "reply header");
        reader
    }

    /// Takes the results with `read`, or the exception.
    #[inline]
    pub(crate) fn take<T, E: Raises>(
        self,
        read: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
    ) -> Result<T, E> {
        let mut body = self.body();
        probe!(MessagingReceive);
        if self.status == ReplyStatus::NoException {
            let results = read(&mut body).map_err(|error| decoding(error).into());
            probe!(Demarshal);
            return results;
        }
        Self::take_user_exception(&mut body)
    }

    /// Hands the reply over as it is.
    pub(crate) fn take_raw<T>(
        self,
        read: impl FnOnce(&RawReply<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let body = self.body();
        let exception = match self.status {
            ReplyStatus::NoException => None,
            _ => Some(body.clone().read_latin1("exception id").map_err(decoding)?),
        };
        let (message, seams) = (self.holder.message(), self.holder.seams());
        read(&RawReply { exception, message, seams, body, core: self.core }).map_err(decoding)
    }

    #[cold]
    fn take_user_exception<T, E: Raises>(body: &mut CdrReader<'_>) -> Result<T, E> {
        let id = body.read_latin1("exception id").map_err(decoding)?;
        Err(match E::read(&id, body).map_err(decoding)? {
            Some(raised) => raised,
            None => Self::unlisted().into(),
        })
    }

    /// The exception for a user exception that the operation does not raise.
    #[cold]
    pub(crate) fn unlisted() -> SystemException {
        let maybe = CompletionStatus::Maybe;
        SystemException::unknown(minor::unknown::UNLISTED_USER_EXCEPTION, maybe)
    }
}

#[cold]
pub(crate) fn decoding(error: zorb_cdr::CdrError) -> SystemException {
    use crate::error::{Error, Phase};
    let exception = SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::ReceiveReply);
    Error::new(Phase::Decode, "the reply").because(error).remember(exception)
}
