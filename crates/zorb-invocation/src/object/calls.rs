//! The calls of a reference: those of stubs, and those that every object answers.

use std::cell::Cell;

use zorb_base::object_id::OBJECT_ID;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_giop::ResponseFlags;
use zorb_os::probe;
use zorb_types::SystemException;

use super::ObjectRef;
use crate::client::{Outcome, ReadReply, Request, invoke, locate, validate};
use crate::interface::Interface;

impl ObjectRef {
    /// Makes a call: what stubs do. `arguments` writes the `in` and `inout` parameters, `results`
    /// reads the result and the `inout` and `out` parameters.
    ///
    /// # Errors
    /// What the operation raises, or the system exception that kept it from running.
    #[inline]
    pub fn invoke<T, E: Raises>(
        &self,
        operation: &str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
        results: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
    ) -> Result<T, E> {
        probe!(Begin);
        let read = Cell::new(Some(results));
        let request = Request { arguments, read, outcome: Outcome::missing() };
        let (response, reply) = (ResponseFlags::SyncWithTarget, ReadReply::Typed(&request));
        let ended = invoke(self, operation, response, &request, reply);
        probe!(Reference);
        request.outcome.after(ended)
    }

    /// Sends a one-way request and does not wait for anything.
    ///
    /// # Errors
    /// The system exception that kept it from being sent.
    #[inline]
    pub fn invoke_oneway(
        &self,
        operation: &str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        invoke(self, operation, ResponseFlags::NoResponse, &arguments, ReadReply::Nobody)
    }

    /// Asks the object whether it supports the interface `id` (`_is_a`). A reference that says so
    /// itself is believed without a call.
    ///
    /// # Errors
    /// The system exception that kept the call from being made.
    #[doc(alias = "_is_a")]
    pub fn is_a(&self, id: &str) -> Result<bool, SystemException> {
        if id == OBJECT_ID || self.ior().type_id == id {
            return Ok(true);
        }
        self.invoke("_is_a", |writer| writer.write_latin1(id), |reader| reader.read_bool())
    }

    /// Asks the server whether it has the object, without calling it (LocateRequest). A server that
    /// forwards is followed.
    ///
    /// # Errors
    /// The system exception that kept the question from being answered.
    pub fn locate(&self) -> Result<bool, SystemException> {
        locate(self)
    }

    /// Binds the reference now, so that the next call takes no longer than those after it
    /// (`_validate_connection`): finds the way to the object, connects, follows forwards, agrees on
    /// code sets, and has both sides make the buffers that calls need.
    ///
    /// The object is asked `_non_existent` for it, twice. A connection is a thread's own unless the
    /// option `MaxCallsPerConnection` says otherwise, so the thread that will call is the one to bind.
    /// What has been bound stays so until a connection is closed, by the server's `IdleTimeout` for
    /// one; binding again then connects again, and otherwise does no harm. A reference to an object of
    /// this ORB is tied to its servant.
    ///
    /// Policies of the client and the server that contradict each other make it fail, with
    /// `INV_POLICY`; [`inconsistent_policies`](Self::inconsistent_policies) tells which.
    ///
    /// # Errors
    /// The system exception that a call would fail with; `OBJECT_NOT_EXIST` when the object is gone.
    #[doc(alias = "_validate_connection")]
    pub fn validate_connection(&self) -> Result<(), SystemException> {
        validate(self)
    }

    /// Asks whether the object is gone for good (`_non_existent`).
    ///
    /// # Errors
    /// The system exception that kept the question from being answered; `OBJECT_NOT_EXIST` is the
    /// answer `true`.
    #[doc(alias = "_non_existent")]
    pub fn non_existent(&self) -> Result<bool, SystemException> {
        let answer = self.invoke("_non_existent", |_| Ok(()), |reader| reader.read_bool());
        match answer {
            Err(SystemException {
                kind: zorb_types::SystemExceptionKind::ObjectNotExist, ..
            }) => Ok(true),
            other => other,
        }
    }

    /// Asks the object for its most derived interface (`_repository_id`); old ORBs do not answer.
    ///
    /// # Errors
    /// The system exception of the call; `BAD_OPERATION` from ORBs without it.
    #[doc(alias = "_repository_id")]
    pub fn repository_id(&self) -> Result<String, SystemException> {
        self.invoke(
            "_repository_id",
            |_| Ok(()),
            |reader| reader.read_latin1("repository id").map(std::borrow::Cow::into_owned),
        )
    }

    /// The typed face of this object, after asking whether it has that type; `None` when not.
    ///
    /// # Errors
    /// As [`is_a`](Self::is_a).
    #[doc(alias = "_narrow")]
    pub fn narrow<T: Interface>(&self) -> Result<Option<T>, SystemException> {
        Ok(self.is_a(T::REPOSITORY_ID)?.then(|| T::from_object(self.clone())))
    }

    /// The typed face of this object, without asking.
    #[doc(alias = "_unchecked_narrow")]
    pub fn unchecked_narrow<T: Interface>(&self) -> T {
        T::from_object(self.clone())
    }
}
