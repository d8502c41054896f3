//! A reply that has arrived: results or a user exception, still in the receive buffer.

use std::sync::Arc;

#[cfg(feature = "buffers")]
use zorb_cdr::Tail;
use zorb_cdr::{ByteOrder, CdrError, CdrReader, CdrResult, TextCoding};
use zorb_giop::{HEADER_SIZE, ReplyStart, ReplyStatus};
use zorb_os::probe;
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer, minor};

use super::route::Route;

use crate::object::RawReply;
use crate::orb::OrbCore;
use crate::raises::Raises;

/// Reads a reply, results or a user exception, where it lies. It is called once, if there is one.
pub(crate) type ReadReply<'r> = &'r mut dyn FnMut(&Reply<'_>);

/// A reply, in the buffer of the connection that it came over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply<'r> {
    pub(super) core: &'r Arc<OrbCore>,
    pub(super) operation: &'r str,
    /// What it came by; `None` inside this ORB.
    pub(super) route: Option<&'r Route>,
    pub(super) message: &'r [u8],
    /// Where the parts of the message begin whose alignment is their own.
    pub(super) seams: &'r [u32],
    /// The end of the message, where that lies elsewhere.
    #[cfg(feature = "buffers")]
    pub(super) end: Option<Tail<'r>>,
    pub(super) order: ByteOrder,
    pub(super) start: ReplyStart,
    pub(super) text: TextCoding,
}

impl<'r> Reply<'r> {
    /// The exception for a two-way call that came back without a reply, which does not happen.
    #[cold]
    pub(crate) fn missing() -> SystemException {
        SystemException::internal(minor::internal::BROKEN_INVARIANT, CompletionStatus::Maybe)
    }

    /// A reader at the body.
    pub(super) fn body(&self) -> CdrReader<'_> {
        let mut reader = CdrReader::new(self.message, self.order);
        reader.set_parts(self.seams, HEADER_SIZE);
        reader.set_text(self.text);
        reader.set_context(self.core);
        // The header was read up to here before, so the octets are there.
        let _ = reader.take(self.start.body_at, "reply header");
        #[cfg(feature = "buffers")]
        if let Some(end) = &self.end {
            reader.set_tail(end);
        }
        reader
    }

    /// Takes the results with `read`, or the exception.
    #[inline]
    pub(crate) fn take<T, E: Raises>(
        &self,
        read: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
    ) -> Result<T, E> {
        let mut body = self.body();
        probe!(MessagingReceive);
        if self.start.status == ReplyStatus::NoException {
            let results = read(&mut body).map_err(|error| self.undecodable(error).into());
            probe!(Demarshal);
            return results;
        }
        self.take_user_exception(&mut body)
    }

    /// Hands the reply over as it is.
    pub(crate) fn take_raw<T>(
        &self,
        read: impl FnOnce(&RawReply<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let body = self.body();
        let exception = match self.start.status {
            ReplyStatus::NoException => None,
            _ => Some(
                body.clone()
                    .read_latin1("exception id")
                    .map_err(|error| self.undecodable(error))?,
            ),
        };
        let Self { core, message, seams, .. } = *self;
        read(&RawReply { exception, message, seams, body, core })
            .map_err(|error| self.undecodable(error))
    }

    /// The exception for a reply that cannot be decoded.
    #[cold]
    pub(super) fn undecodable(&self, error: CdrError) -> SystemException {
        self.named(decoding(error))
    }

    /// `exception` with the operation and the server in its context.
    fn named(&self, exception: SystemException) -> SystemException {
        let exception = exception.in_operation(self.operation);
        match self.route {
            Some(route) => exception.at(Phase::Decode, &route.pool.endpoint),
            None => exception,
        }
    }

    #[cold]
    fn take_user_exception<T, E: Raises>(&self, body: &mut CdrReader<'_>) -> Result<T, E> {
        let id = body.read_latin1("exception id").map_err(|error| self.undecodable(error))?;
        Err(match E::read(&id, body).map_err(|error| self.undecodable(error))? {
            Some(raised) => raised,
            None => self.named(unlisted(&id)).into(),
        })
    }
}

/// The exception for a user exception that the operation does not raise.
#[cold]
pub(crate) fn unlisted(id: &str) -> SystemException {
    let context = ErrorContext::new(Phase::Decode).with_source(format!("it raised {id}"));
    SystemException::unknown(minor::unknown::UNLISTED_USER_EXCEPTION, CompletionStatus::Maybe)
        .with_context(context)
}

/// The exception for results that cannot be decoded.
#[cold]
pub(crate) fn decoding(error: CdrError) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::ReceiveReply)
        .with_context(ErrorContext::new(Phase::Decode).with_source(error))
}
