//! Server request interceptors.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use zorb_cdr::CdrReader;
use zorb_giop::{RequestHeader, ServiceId};
use zorb_types::{Any, CompletionStatus, SystemException, minor};

use super::context::AddedContexts;
use super::outcome::RequestOutcome;
use super::slots::{SlotId, SlotTable};
use crate::object_id::ObjectId;
use crate::policy::Policies;

/// Code that runs when a server has received a request, around its upcall, and before the reply is written
/// (`PortableInterceptor::ServerRequestInterceptor`).
///
/// All methods but [`queue_priority`](Self::queue_priority) run on the thread that makes the upcall. First
/// [`receive_request_service_contexts`](Self::receive_request_service_contexts) of all interceptors run, then
/// each [`around_upcall`](Self::around_upcall) encloses those of the interceptors that follow. Each successful
/// `receive_request_service_contexts` is followed by exactly one of the `send_` methods, in reverse order
/// of the interceptors, when the outcome is known and before the reply is written: for results and user
/// exceptions within `around_upcall`, after the servant has returned. An exception that one of these raises
/// replaces the outcome for those that follow, and for the client.
///
/// Pseudo-operations such as `_is_a`, which the ORB answers itself, are not intercepted.
pub trait ServerRequestInterceptor: fmt::Debug + Send + Sync + 'static {
    /// The priority by which a request is queued, in lanes that queue requests in order of priority. The first
    /// interceptor that returns one decides. It may run on another thread than the upcall; there are no arguments
    /// yet, and nothing can be added to the reply. Default: `None`.
    fn queue_priority(&self, info: &ServerRequestInfo<'_>) -> Option<i16> {
        let _ = info;
        None
    }

    /// Runs first, to read the service contexts of a request. Default: nothing.
    ///
    /// # Errors
    /// The system exception to reply with. No upcall is made.
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Makes the upcall by calling [`proceed`](ServerRequestInfo::proceed) once; what it does before that is the
    /// point `receive_request`. An interceptor that returns `Ok` without doing so has executed the request
    /// itself; the reply has no results. `proceed` may panic. Default: calls `proceed`.
    ///
    /// # Errors
    /// The system exception to reply with, for example that of `proceed`. Once `proceed` has returned `Ok`, the
    /// other interceptors know another outcome: raise such an exception in [`send_reply`](Self::send_reply).
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        info.proceed()
    }

    /// Runs before a reply with results is written.
    ///
    /// # Errors
    /// The system exception that replaces the results.
    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Runs before a reply with the exception in [`outcome`](ServerRequestInfo::outcome) is written, also
    /// if it was raised by an interceptor or by the ORB, and if no reply is expected.
    ///
    /// # Errors
    /// The system exception that replaces it.
    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Runs when a request without a reply has succeeded.
    ///
    /// # Errors
    /// The system exception that the interceptors that follow see.
    fn send_other(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Whether [`queue_priority`](Self::queue_priority) and [`around_upcall`](Self::around_upcall) are its only
    /// points, so that requests do not take the time to call the others. Default: no.
    fn surrounds_upcalls_only(&self) -> bool {
        false
    }

    /// Whether calls within the same ORB must be requests in order to be intercepted; otherwise they may
    /// call the servant directly. Default: yes.
    fn intercepts_collocated_calls(&self) -> bool {
        true
    }
}

/// A request for an object whose policies have interceptors.
pub trait InterceptedRequest {
    /// Its header.
    fn header(&self) -> &RequestHeader<'_>;

    /// The id of the object.
    fn object_id(&self) -> &ObjectId;

    /// The repository id of the object's most derived interface; `None` before and after the upcall's interceptors.
    fn most_derived_interface(&self) -> Option<Cow<'_, str>>;

    /// The policies of the object.
    fn policies(&self) -> &Policies;

    /// A reader of the arguments.
    fn arguments(&self) -> CdrReader<'_>;

    /// The priority of the lane that received the request, if it has one.
    fn lane_priority(&self) -> Option<i16>;

    /// The service contexts of the reply; `None` if it has been written, or before the request is served.
    fn reply_contexts(&mut self) -> Option<&mut AddedContexts>;

    /// The slots of the request; `None` before it is served.
    fn slots(&mut self) -> Option<SlotTable>;

    /// Makes the upcall and writes the reply.
    fn upcall(&mut self) -> Result<(), SystemException>;
}

/// A request, for interceptors (`PortableInterceptor::ServerRequestInfo`).
pub struct ServerRequestInfo<'a> {
    request: &'a mut dyn InterceptedRequest,
    /// The interceptors that have not run yet.
    remaining: &'a [Arc<dyn ServerRequestInterceptor>],
    outcome: Option<&'a RequestOutcome>,
}

impl fmt::Debug for ServerRequestInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequestInfo")
            .field("header", self.request.header())
            .field("object_id", self.request.object_id())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl<'a> ServerRequestInfo<'a> {
    /// Creates the information about a request, for which [`proceed`](Self::proceed) runs these interceptors.
    #[doc(hidden)]
    #[inline]
    pub fn new(
        request: &'a mut dyn InterceptedRequest,
        interceptors: &'a [Arc<dyn ServerRequestInterceptor>],
    ) -> Self {
        Self { request, remaining: interceptors, outcome: None }
    }

    /// Runs the interceptors that follow and makes the upcall, on the calling thread.
    ///
    /// # Errors
    /// The system exception to reply with; `BAD_INV_ORDER` (OMG 14) outside of
    /// [`around_upcall`](ServerRequestInterceptor::around_upcall), and when it is called again.
    pub fn proceed(&mut self) -> Result<(), SystemException> {
        match self.remaining.split_first() {
            None => self.request.upcall(),
            Some((next, remaining)) => {
                self.remaining = remaining;
                next.around_upcall(self)
            }
        }
    }

    /// The operation's name.
    pub fn operation(&self) -> &str {
        &self.request.header().operation
    }

    /// The id of the object.
    pub fn object_id(&self) -> &ObjectId {
        self.request.object_id()
    }

    /// The repository id of the object's most derived interface (`target_most_derived_interface`); only in
    /// [`around_upcall`](ServerRequestInterceptor::around_upcall).
    pub fn target_most_derived_interface(&self) -> Option<Cow<'_, str>> {
        self.request.most_derived_interface()
    }

    /// The data of the first service context of service `id`, usually an encapsulation
    /// (`get_request_service_context`).
    pub fn request_service_context(&self, id: ServiceId) -> Option<&[u8]> {
        self.request.header().service_contexts.find(id)
    }

    /// Adds a service context to the reply (`add_reply_service_context`). With `replace` it replaces one with the same id that an
    /// interceptor has added before. `data` is usually an encapsulation.
    /// Replies of all kinds carry it, also exceptions. Contexts of more than 72 octets are allocated.
    /// Requests without replies, and protocols other than GIOP, omit it.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 15) if there is such a context and `replace` is not set; `BAD_INV_ORDER` (OMG 14)
    /// after the reply has been written, and in [`queue_priority`](ServerRequestInterceptor::queue_priority);
    /// `IMP_LIMIT`, minor `TOO_MANY_CONTEXTS`, for more than 1,022 contexts; `NO_MEMORY`.
    pub fn add_reply_service_context(
        &mut self,
        id: ServiceId,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        let completed = match self.outcome {
            None => CompletionStatus::No,
            Some(_) => CompletionStatus::Maybe,
        };
        let contexts = self.request.reply_contexts().ok_or_else(invalid_call)?;
        contexts.add(id, data, replace, completed)
    }

    /// How the request has ended; `None` before the `send_` methods.
    pub fn outcome(&self) -> Option<&RequestOutcome> {
        self.outcome
    }

    /// The value of a slot of the request (`get_slot`), which the servant sees in the slots of its thread
    /// (`Orb::pi_current`); `None` if neither it nor an interceptor has set it, and in
    /// [`queue_priority`](ServerRequestInterceptor::queue_priority).
    #[doc(alias = "get_slot")]
    pub fn slot(&mut self, slot: SlotId) -> Option<Any> {
        self.request.slots()?.value(slot)
    }

    /// Sets the value of a slot of the request (`set_slot`); `None` empties it.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 14) in [`queue_priority`](ServerRequestInterceptor::queue_priority).
    pub fn set_slot(&mut self, slot: SlotId, value: Option<Any>) -> Result<(), SystemException> {
        self.request.slots().map(|slots| slots.set(slot, value)).ok_or_else(invalid_call)
    }

    /// The slots of the request.
    #[doc(hidden)]
    pub fn slots(&mut self) -> Option<SlotTable> {
        self.request.slots()
    }

    /// A reader of the arguments. There are none in
    /// [`queue_priority`](ServerRequestInterceptor::queue_priority) and in the `send_` methods.
    pub fn arguments(&self) -> CdrReader<'_> {
        self.request.arguments()
    }

    /// The policies of the object adapter, overridden by those of the object (`get_server_policy`).
    pub fn policies(&self) -> &Policies {
        self.request.policies()
    }

    /// The priority of the lane that received the request; `None` for a collocated call, and without a
    /// lane.
    pub fn lane_priority(&self) -> Option<i16> {
        self.request.lane_priority()
    }
}

/// Runs the `send_` methods of these interceptors in reverse order, and returns how the request has ended then.
/// `replies` is whether a reply is written.
#[doc(hidden)]
pub fn end_request(
    request: &mut dyn InterceptedRequest,
    interceptors: &[Arc<dyn ServerRequestInterceptor>],
    mut outcome: RequestOutcome,
    replies: bool,
) -> RequestOutcome {
    for interceptor in interceptors.iter().rev() {
        let mut info = ServerRequestInfo { request, remaining: &[], outcome: Some(&outcome) };
        let ended = match outcome {
            RequestOutcome::SystemException(_) | RequestOutcome::UserException(_) => {
                interceptor.send_exception(&mut info)
            }
            RequestOutcome::Successful if replies => interceptor.send_reply(&mut info),
            _ => interceptor.send_other(&mut info),
        };
        if let Err(exception) = ended {
            outcome = RequestOutcome::SystemException(exception);
        }
    }
    outcome
}

/// `BAD_INV_ORDER` (OMG 14), completed NO: a call that interceptors may not make at this point.
#[cold]
pub fn invalid_call() -> SystemException {
    SystemException::bad_inv_order(minor::bad_inv_order::INTERCEPTOR_CALL, CompletionStatus::No)
}
