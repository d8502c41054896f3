//! A reply that has been received: results or a user exception, in the receive buffer.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use zorb_base::gather::Body;
use zorb_base::interceptor::ClientRequestInfo;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, TextCoding, fallible};
use zorb_giop::{HEADER_SIZE, ReplyStatus};
use zorb_os::probe;
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer, minor};

use super::connection::CallReply;
use super::raw_reply::RawReply;
use super::route::Route;

use crate::client::core::ClientCore;

/// A call of one operation with its types erased, as the ORB sees it. The body is the arguments.
pub trait Invocation: Body {
    /// Reads the results; one-way operations have none.
    ///
    /// # Errors
    /// The octets do not encode them.
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        let _ = reader;
        Ok(())
    }

    /// Reads the members of the user exception `id`; `false` if the operation does not raise it.
    ///
    /// # Errors
    /// The octets do not encode the exception.
    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        let _ = (id, reader);
        Ok(false)
    }
}

/// The code that reads the reply to a call.
#[derive(Clone, Copy)]
pub enum ReadReply<'r> {
    /// One-way calls have none.
    Nobody,
    /// Code that knows the types of the operation.
    Typed(&'r dyn Invocation),
    /// Code that gets the types at run time.
    Raw(&'r dyn Fn(&Reply<'_>) -> Result<(), SystemException>),
}

impl fmt::Debug for ReadReply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadReply").finish_non_exhaustive()
    }
}

impl ReadReply<'_> {
    /// Reads a reply with results or a user exception.
    #[inline]
    pub(super) fn read(&self, reply: &Reply<'_>) -> Result<(), SystemException> {
        match *self {
            Self::Typed(invocation) => reply.read(invocation),
            Self::Raw(read) => read(reply),
            Self::Nobody => Ok(()),
        }
    }
}

/// The outcome of a call, set by the code that reads the reply, and again if it reads it in another way.
pub struct Outcome<T, E>(Cell<Result<T, E>>);

impl<T, E> fmt::Debug for Outcome<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome").finish_non_exhaustive()
    }
}

impl<T, E: Raises> Outcome<T, E> {
    /// The outcome of a call without a reply yet.
    #[inline]
    pub fn missing() -> Self {
        Self(Cell::new(Err(E::from_system(NO_REPLY))))
    }

    /// Stores the results, or what the operation raised.
    #[inline]
    pub fn set(&self, outcome: Result<T, E>) {
        self.0.set(outcome);
    }

    /// Stores the first outcome: nothing is dropped, which takes a collocated call ten instructions less.
    #[inline]
    pub fn set_first(&self, outcome: Result<T, E>) {
        // The one of `missing` owns no memory.
        std::mem::forget(self.0.replace(outcome));
    }

    /// Takes the outcome out.
    #[inline]
    pub fn take(&self) -> Result<T, E> {
        self.0.replace(Err(E::from_system(NO_REPLY)))
    }

    /// Reads the members of the user exception `id`; `false` if the operation does not raise it.
    ///
    /// # Errors
    /// The octets do not encode the exception.
    #[inline]
    pub fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        let raised = E::read(id, reader)?;
        Ok(raised.map(|raised| self.set(Err(raised))).is_some())
    }

    /// Takes the result for the caller, once the call has `ended`.
    ///
    /// # Errors
    /// What the operation raised, the system exception of the failed call, or `INTERNAL` without a reply.
    #[inline]
    pub fn after(&self, ended: Result<(), SystemException>) -> Result<T, E> {
        match ended {
            Ok(()) => {
                // Not as a whole, which was written in parts: 7 ns of a collocated call.
                let results = self.take()?;
                Ok(results)
            }
            Err(exception) => Err(E::from_system(exception)),
        }
    }
}

/// A call whose operation is given by closures.
pub struct Request<W, R, T, E> {
    pub(crate) arguments: W,
    /// Reads the results.
    pub(crate) read: R,
    pub(crate) outcome: Outcome<T, E>,
}

impl<W, R, T, E> fmt::Debug for Request<W, R, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("outcome", &self.outcome).finish_non_exhaustive()
    }
}

impl<W: Body, R, T, E> Body for Request<W, R, T, E> {
    #[inline]
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.arguments.write(writer)
    }
}

impl<W, R, T, E> Invocation for Request<W, R, T, E>
where
    W: Body,
    R: Fn(&mut CdrReader<'_>) -> CdrResult<T>,
    E: Raises,
{
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.outcome.set(Ok((self.read)(reader)?));
        Ok(())
    }

    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.outcome.read_exception(id, reader)
    }
}

/// The exception for a two-way call without a reply, which does not occur.
pub const NO_REPLY: SystemException =
    SystemException::internal(minor::internal::BROKEN_INVARIANT, CompletionStatus::Maybe);

/// A reply, in the buffer of the connection that it came over.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'r> {
    pub(super) core: &'r Arc<ClientCore>,
    pub(super) operation: &'r str,
    /// The route of the request; `None` inside this ORB.
    pub(super) route: Option<&'r Route>,
    pub(super) received: CallReply<'r>,
    pub(super) text: TextCoding,
}

impl<'r> Reply<'r> {
    /// A reader at the body.
    pub(super) fn body(&self) -> CdrReader<'_> {
        body(self.core, &self.received, self.text)
    }

    /// Reads the results or the user exception.
    #[inline]
    fn read(&self, invocation: &dyn Invocation) -> Result<(), SystemException> {
        let mut body = self.body();
        probe!(MessagingReceive);
        if self.received.start.status != ReplyStatus::NoException || !body.is_evenly_aligned() {
            return self.read_in_parts(invocation, &mut body);
        }
        let read = read_results(invocation, &mut body);
        probe!(Demarshal);
        read.map_err(|error| self.undecodable(error))
    }

    /// Reads a user exception, or results that may have several parts.
    #[cold]
    fn read_in_parts(
        &self,
        invocation: &dyn Invocation,
        body: &mut CdrReader<'_>,
    ) -> Result<(), SystemException> {
        let read = body.read_in_parts(|body| match self.received.start.status {
            ReplyStatus::NoException => read_results(invocation, body).map(Ok),
            _ => read_exception(invocation, body),
        });
        probe!(Demarshal);
        read.map_err(|error| self.undecodable(error))?.map_err(|exception| self.named(exception))
    }

    /// Passes the reply as it is to `read`.
    pub(crate) fn take_raw<T>(
        &self,
        read: impl FnOnce(&RawReply<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let body = self.body();
        let exception = match self.received.start.status {
            ReplyStatus::NoException => None,
            _ => Some(exception_id(&body).map_err(|error| self.undecodable(error))?),
        };
        let Self { core, received: CallReply { message, fragment_starts, .. }, .. } = *self;
        read(&RawReply { exception, message, fragment_starts, body, core })
            .map_err(|error| self.undecodable(error))
    }

    /// Copies its service contexts for the interceptors of the request.
    #[cold]
    pub(super) fn copy_contexts_to(&self, info: &ClientRequestInfo<'_>) {
        let CallReply { message, order, start, .. } = self.received;
        info.receive_contexts(&start.service_contexts(message, order));
    }

    /// The repository id of its user exception, if it is one.
    ///
    /// # Errors
    /// The exception for a reply whose id cannot be decoded.
    #[cold]
    pub(super) fn user_exception_id(&self) -> Result<Option<String>, SystemException> {
        if self.received.start.status != ReplyStatus::UserException {
            return Ok(None);
        }
        let body = self.body();
        let id = exception_id(&body).and_then(|id| match id {
            Cow::Owned(id) => Ok(id),
            Cow::Borrowed(id) => fallible::copy_text(id)
                .map_err(|_| body.error(CdrErrorKind::OutOfMemory, "exception id")),
        });
        id.map(Some).map_err(|error| self.undecodable(error))
    }

    /// The exception for a reply that cannot be decoded.
    #[cold]
    pub(super) fn undecodable(&self, error: CdrError) -> SystemException {
        self.named(decoding(error))
    }

    /// The exception for a forward that cannot be decoded: the request was not processed.
    #[cold]
    pub(super) fn undecodable_forward(&self, error: CdrError) -> SystemException {
        not_processed(self.undecodable(error))
    }

    /// `exception` with the operation and the server in its context.
    fn named(&self, exception: SystemException) -> SystemException {
        let exception = exception.in_operation(self.operation);
        match self.route {
            Some(route) => exception.at(Phase::Decode, &route.cache.endpoint),
            None => exception,
        }
    }
}

/// A reader at the body of a reply.
#[inline]
fn body<'r>(
    core: &'r Arc<ClientCore>,
    received: &'r CallReply<'r>,
    text: TextCoding,
) -> CdrReader<'r> {
    let mut reader = CdrReader::new(received.message, received.order);
    reader.set_parts(received.fragment_starts, HEADER_SIZE);
    reader.set_text(text);
    reader.set_context(core);
    // The header has been decoded before, so the octets are there.
    let _ = reader.take(received.start.body_start, "reply header");
    #[cfg(feature = "buffers")]
    if let Some(tail) = &received.tail {
        reader.set_tail(tail);
    }
    reader
}

/// Reads results without an [`Invocation`]; `None` if the reply has none, or has several parts.
#[inline]
pub(super) fn read_plainly<T>(
    core: &Arc<ClientCore>,
    received: &CallReply<'_>,
    text: TextCoding,
    results: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
) -> Option<CdrResult<T>> {
    if received.start.status != ReplyStatus::NoException {
        return None;
    }
    let mut body = body(core, received, text);
    if !body.is_evenly_aligned() {
        return None;
    }
    probe!(MessagingReceive);
    let read = match results(&mut body) {
        Ok(read) => read,
        Err(error) => return Some(Err(error)),
    };
    let ended = body.expect_end("results");
    probe!(Demarshal);
    match ended {
        Ok(()) => Some(Ok(read)),
        Err(error) => Some(Err(error)),
    }
}

/// Reads the results of a message, behind which nothing may follow.
#[inline]
fn read_results(invocation: &dyn Invocation, body: &mut CdrReader<'_>) -> CdrResult<()> {
    invocation.read_results(body)?;
    body.expect_end("results")
}

/// The repository id at the position of the reader.
#[inline(never)]
fn exception_id<'r>(body: &CdrReader<'r>) -> CdrResult<Cow<'r, str>> {
    body.clone().read_latin1("exception id")
}

/// Reads a user exception: its repository id and its members. Returns the system exception for one that the operation
/// does not raise: `UNKNOWN`, completed MAYBE.
///
/// # Errors
/// The octets do not encode the exception.
pub fn read_exception(
    invocation: &dyn Invocation,
    body: &mut CdrReader<'_>,
) -> CdrResult<Result<(), SystemException>> {
    let id = body.read_latin1("exception id")?;
    let is_listed = invocation.read_exception(&id, body)?;
    if !is_listed {
        return Ok(Err(unlisted(&id)));
    }
    body.expect_end("exception")?;
    Ok(Ok(()))
}

/// The exception for a user exception that the operation does not raise.
#[cold]
fn unlisted(id: &str) -> SystemException {
    let context = ErrorContext::new(Phase::Decode).with_source(format!("it raised {id:.256}"));
    SystemException::unknown(minor::unknown::UNLISTED_USER_EXCEPTION, CompletionStatus::Maybe)
        .with_context(context)
}

/// The exception for a request that was not processed.
#[cold]
pub(super) fn not_processed(mut exception: SystemException) -> SystemException {
    exception.completed = CompletionStatus::No;
    exception
}

/// The exception for results that cannot be decoded.
#[cold]
pub fn decoding(error: CdrError) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::ReceiveReply)
        .with_context(ErrorContext::new(Phase::Decode).with_source(error))
}
