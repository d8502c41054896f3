//! The reply of a request, as its skeleton writes it: results, or an exception.

use std::borrow::Cow;

use zorb_base::gather::WriteBody;
use zorb_base::interceptor::RequestOutcome;
use zorb_base::raises::{AnyUserException, Raises};
use zorb_cdr::{CdrResult, CdrWriter};
use zorb_giop::ReplyStatus;
use zorb_interp::{List, RaisedException, Source, Values};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::ServerCall;
use crate::reply::Served;

impl ServerCall<'_> {
    /// Writes the reply: the results, with `write`, or the user exception.
    ///
    /// # Errors
    /// The system exception that the servant raised, or that of a result without an encoding, completed YES.
    #[inline]
    pub fn reply<T, E: Raises>(
        &mut self,
        outcome: Result<T, E>,
        write: impl Fn(&mut CdrWriter<'_>, &T) -> CdrResult<()>,
    ) -> Served {
        probe!(Upcall);
        match outcome {
            Ok(results) => {
                self.write_results(&|writer: &mut CdrWriter<'_>| write(writer, &results))
            }
            Err(raised) => self.reply_raised(raised),
        }
    }

    /// Writes the reply of an operation without results.
    ///
    /// # Errors
    /// The system exception that the servant raised.
    #[inline]
    pub fn reply_without_results<E: Raises>(&mut self, outcome: Result<(), E>) -> Served {
        match outcome {
            Ok(()) => self.done(),
            Err(raised) => self.reply_raised(raised),
        }
    }

    /// Writes the reply: the results, by their layout tables, or the user exception.
    ///
    /// # Errors
    /// As [`reply`](Self::reply).
    #[inline(always)] // the results are not moved
    pub fn interpret_reply<L: List, E: Raises>(&mut self, outcome: Result<L::Values, E>) -> Served {
        probe!(Upcall);
        match outcome {
            Ok(results) => self.write_source(&Values::<L>::new(results).source()),
            Err(raised) => self.reply_raised(raised),
        }
    }

    #[inline(never)]
    pub(super) fn write_source(&mut self, results: &Source<'_>) -> Served {
        self.write_results(&|writer: &mut CdrWriter<'_>| results.write(writer))
    }

    fn write_results(&mut self, results: WriteBody<'_>) -> Served {
        self.end_successfully()?;
        self.reply.write_results(results)
    }

    /// Writes a user exception as the reply.
    #[inline(never)]
    fn write_user_exception(&mut self, exception: &dyn AnyUserException) -> Served {
        if self.reply.flow.is_some() {
            self.end_by_user_exception(exception.repository_id())?;
        }
        self.reply.write(ReplyStatus::UserException, |writer| exception.write(writer))
    }

    /// The same for one that a layout table describes.
    pub(super) fn interpret_user_exception(&mut self, exception: &RaisedException<'_>) -> Served {
        if self.reply.flow.is_some() {
            self.end_by_user_exception(exception.id())?;
        }
        self.reply.write(ReplyStatus::UserException, |writer| exception.write(writer))
    }

    #[cold]
    fn end_by_user_exception(&mut self, id: &'static str) -> Served {
        self.end_flow(RequestOutcome::UserException(Cow::Borrowed(id)))
    }

    fn reply_raised<E: Raises>(&mut self, raised: E) -> Served {
        match raised.into_system() {
            Ok(exception) => Err(exception),
            Err(raised) => self.answer_raised(raised.user()),
        }
    }

    #[inline(never)]
    fn answer_raised(&mut self, raised: Result<&dyn AnyUserException, &SystemException>) -> Served {
        match raised {
            Ok(exception) => self.write_user_exception(exception),
            Err(exception) => Err(exception.clone()),
        }
    }

    /// Writes a reply of types that are known only at run time: the results, or the repository id and the members of
    /// the user exception of this id.
    ///
    /// # Errors
    /// The system exception of a value without an encoding, completed YES.
    pub fn reply_dynamic(
        &mut self,
        exception: Option<&str>,
        write: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Served {
        probe!(Upcall);
        let Some(id) = exception else { return self.write_results(&write) };
        if self.reply.flow.is_some() {
            self.end_flow(RequestOutcome::UserException(Cow::Owned(id.to_owned())))?;
        }
        self.reply.write(ReplyStatus::UserException, write)
    }

    /// Sets how the reply is written: the copy threshold, and the number of octets to preallocate. A reply that may
    /// be sent in fragments is copied, whatever the threshold.
    pub(crate) fn write_reply_as(
        &mut self,
        threshold: Option<usize>,
        preallocate: Option<usize>,
        fragments: Option<usize>,
    ) {
        self.reply.threshold = match fragments {
            Some(_) => usize::MAX,
            None => threshold.unwrap_or(self.reply.threshold),
        };
        self.reply.most = fragments.unwrap_or(usize::MAX);
        if let Some(octets) = preallocate {
            self.reply.buffer.reserve(octets);
        }
    }

    /// Sends the reply in the fragments that were [set](Self::write_reply_as), if it is larger and GIOP 1.2.
    pub(crate) fn send_in_fragments(&mut self) {
        self.reply.send_in_fragments();
    }

    /// Writes the empty reply of an operation without results, if a reply is expected.
    ///
    /// # Errors
    /// None in practice.
    pub fn done(&mut self) -> Served {
        probe!(Upcall);
        self.end_successfully()?;
        self.reply.write_empty()
    }

    /// Answers a request for an operation that the interface does not have.
    ///
    /// # Errors
    /// Always `BAD_OPERATION` (OMG 2).
    #[cold]
    pub fn unknown_operation(&mut self) -> Served {
        Err(SystemException::bad_operation(
            minor::bad_operation::OPERATION_UNKNOWN,
            CompletionStatus::No,
        ))
    }
}
