//! The client: calls, one at a time.

mod converse;
mod question;

use zorb_cdr::{ByteOrder, CdrError, CdrReader};
use zorb_giop::{LocateStatus, ReplyStart, ReplyStatus, ResponseFlags};
use zorb_types::{CompletionStatus, SystemExceptionKind, Transfer, minor};

use self::converse::{BROKEN, Connections, Received};
pub use self::question::Arguments;
use self::question::Question;
use crate::{Limits, Os, Reader, Reference, SystemException, Writer};

/// The maximum number of references that a call is forwarded to.
const MAX_FORWARDS: usize = 3;

/// Makes calls, one at a time: each waits for its reply.
///
/// Connections are opened when they are needed, and stay open. If the maximum is reached, the one that was idle for the
/// longest time is closed.
#[derive(Debug)]
pub struct Client<O> {
    connections: Connections<O>,
}

impl<O: Os> Client<O> {
    /// A client over an operating system, which needs a socket for each connection. All buffers are allocated here. If
    /// the memory is not enough, it has fewer connections than the limit; without any, calls raise `NO_MEMORY`.
    pub fn new(os: O, limits: Limits) -> Self {
        Self { connections: Connections::new(os, limits) }
    }

    /// Calls an operation and waits for its reply, which borrows the receive buffer. If the server forwards the call, it
    /// goes to the other reference, up to three times; [`locate`](Self::locate) finds that once for many calls.
    ///
    /// # Errors
    /// The system exception that the server replies with or that `arguments` returns; `TRANSIENT` if the server cannot be
    /// reached; `TIMEOUT`; `COMM_FAILURE` if the connection breaks; `IMP_LIMIT` for a message above the limit; `INV_POLICY`,
    /// minor `NO_LANE`, if the reference has no endpoint for the [priority](Os::priority) of the thread; `NO_IMPLEMENT` if
    /// all its endpoints are for one-way calls only.
    pub fn call(
        &mut self,
        target: &Reference,
        operation: &str,
        arguments: &mut Arguments<'_>,
    ) -> Result<Reply<'_>, SystemException> {
        let response = ResponseFlags::SyncWithTarget;
        let deadline = self.connections.deadline();
        let mut forwarded = None;
        for _ in 0..=MAX_FORWARDS {
            let to = forwarded.as_ref().unwrap_or(target);
            let question = Question::request(operation, &mut *arguments, response);
            let Received { link, header, reply } =
                self.connections.converse(to, question, deadline)?;
            let Some(ReplyStart { status, body_start, .. }) = reply else { return Err(BROKEN) };
            match status {
                ReplyStatus::NoException | ReplyStatus::UserException => {
                    let body = self.body(link, header.order, body_start);
                    let is_exception = status == ReplyStatus::UserException;
                    return Ok(Reply {
                        body: Reader::new(body, Transfer::ReceiveReply),
                        is_exception,
                    });
                }
                ReplyStatus::SystemException => {
                    let mut body = self.body(link, header.order, body_start);
                    return Err(
                        SystemException::read(&mut body).unwrap_or_else(undecodable_exception)
                    );
                }
                ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => {
                    let mut body = self.body(link, header.order, body_start);
                    forwarded =
                        Some(Reference::read_forward(&mut body).map_err(undecodable_forward)?);
                }
                // The key is all that the client has.
                ReplyStatus::NeedsAddressingMode => return Err(NO_ADDRESSING),
            }
        }
        Err(TOO_MANY_FORWARDS)
    }

    /// Calls a one-way operation: returns when the operating system has the request. Over UDP it may be lost.
    ///
    /// # Errors
    /// As [`call`](Self::call), without those of replies.
    pub fn send(
        &mut self,
        target: &Reference,
        operation: &str,
        arguments: &mut Arguments<'_>,
    ) -> Result<(), SystemException> {
        let mut question = Question::request(operation, arguments, ResponseFlags::NoResponse);
        self.connections.tell(target, &mut question)
    }

    /// Sends a one-way request to many objects, as [`send`](Self::send) does to one. `arguments` writes them once, and again
    /// for an object whose messages encode them otherwise than those before (in GIOPlite, or at another alignment), and for
    /// one that shares the connection of the object before it. Returns how often it did.
    ///
    /// # Errors
    /// The first error. The other objects get the request nevertheless.
    pub fn send_to_all<'t>(
        &mut self,
        targets: impl IntoIterator<Item = &'t Reference>,
        operation: &str,
        arguments: &mut Arguments<'_>,
    ) -> Result<u32, SystemException> {
        let mut encodings = 0;
        let mut counted = |writer: &mut Writer<'_>| {
            encodings += 1;
            arguments(writer)
        };
        let mut question = Question::request(operation, &mut counted, ResponseFlags::NoResponse);
        let mut all = Ok(());
        for target in targets {
            all = all.and(self.connections.tell(target, &mut question));
        }
        all.map(|()| encodings)
    }

    /// Asks where an object is: at the reference itself, at another one, or nowhere (`None`).
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn locate(&mut self, target: &Reference) -> Result<Option<Reference>, SystemException> {
        let deadline = self.connections.deadline();
        let mut at = target.clone();
        for _ in 0..=MAX_FORWARDS {
            let Received { link, header, .. } =
                self.connections.converse(&at, Question::Locate, deadline)?;
            let (message, encoding) = self.connections.message(link);
            let reply = encoding.form().read_locate_reply(message, &header);
            let (reply, mut body) = reply.map_err(|_| BROKEN)?;
            match reply.status {
                LocateStatus::UnknownObject => return Ok(None),
                LocateStatus::ObjectHere => return Ok(Some(at)),
                LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => {
                    at = Reference::read_forward(&mut body).map_err(undecodable_forward)?;
                }
                LocateStatus::LocSystemException => {
                    return Err(
                        SystemException::read(&mut body).unwrap_or_else(undecodable_exception)
                    );
                }
                LocateStatus::LocNeedsAddressingMode => return Err(NO_ADDRESSING),
            }
        }
        Err(TOO_MANY_FORWARDS)
    }

    /// Closes all connections.
    pub fn close(&mut self) {
        self.connections.close();
    }

    /// The operating system.
    pub fn os(&mut self) -> &mut O {
        &mut self.connections.os
    }

    /// The body of the reply that is the current message of a link.
    fn body(&self, link: usize, order: ByteOrder, start: usize) -> CdrReader<'_> {
        let (message, encoding) = self.connections.message(link);
        let mut body = CdrReader::new(message, order).with_text(encoding.text());
        // The header has been read.
        let _ = body.take(start, "reply header");
        body
    }
}

/// A reply.
#[derive(Debug)]
pub struct Reply<'c> {
    body: Reader<'c>,
    is_exception: bool,
}

impl<'c> Reply<'c> {
    /// The results: the result, then the `out` and `inout` arguments.
    ///
    /// # Errors
    /// `UNKNOWN` if the reply is a user exception.
    pub fn results(&mut self) -> Result<&mut Reader<'c>, SystemException> {
        if self.is_exception {
            return Err(SystemException::UNLISTED);
        }
        Ok(&mut self.body)
    }

    /// The user exception, if the reply is one: its repository id as a `string`, then its members.
    pub fn exception(&mut self) -> Option<&mut Reader<'c>> {
        self.is_exception.then_some(&mut self.body)
    }
}

const NO_ADDRESSING: SystemException =
    SystemException::before(SystemExceptionKind::InvObjref, minor::inv_objref::NO_USABLE_PROFILE);
const TOO_MANY_FORWARDS: SystemException =
    SystemException::before(SystemExceptionKind::ImpLimit, minor::imp_limit::TOO_MANY_FORWARDS);

/// A forward to a reference that cannot be used: the call was not made.
#[cold]
fn undecodable_forward(error: CdrError) -> SystemException {
    let completed = CompletionStatus::No;
    SystemException { completed, ..SystemException::of_cdr(error, Transfer::ReceiveReply) }
}

/// A system exception that does not say whether the operation was carried out.
#[cold]
fn undecodable_exception(error: CdrError) -> SystemException {
    let completed = CompletionStatus::Maybe;
    SystemException { completed, ..SystemException::of_cdr(error, Transfer::ReceiveReply) }
}
