//! Server request interceptors.

use std::fmt;
use std::sync::Arc;

use zorb_cdr::CdrReader;
use zorb_giop::{RequestHeader, ServiceId};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::object_id::ObjectId;
use crate::policy::Policies;

/// Code that runs when a server has received a request, and around its upcall
/// (`PortableInterceptor::ServerRequestInterceptor`).
///
/// Pseudo-operations such as `_is_a`, which the ORB answers itself, are not intercepted.
pub trait ServerRequestInterceptor: fmt::Debug + Send + Sync + 'static {
    /// Runs before a request is queued in order of priority, possibly on another thread than the upcall.
    /// It may [set the priority](ServerRequestInfo::set_priority) by which the request is queued. It does
    /// not run for requests that are not queued by priority. Default: nothing.
    fn receive_request_service_contexts(&self, info: &mut ServerRequestInfo<'_>) {
        let _ = info;
    }

    /// Makes the upcall by calling [`proceed`](ServerRequestInfo::proceed) once. An interceptor that returns
    /// `Ok` without doing so has executed the request itself; the reply has no results. `proceed` may panic.
    /// Default: calls `proceed`.
    ///
    /// # Errors
    /// The system exception to reply with, for example that of `proceed`.
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        info.proceed()
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

    /// The policies of the object.
    fn policies(&self) -> &Policies;

    /// A reader of the arguments.
    fn arguments(&self) -> CdrReader<'_>;

    /// The priority of the lane that received the request, if it has one.
    fn lane_priority(&self) -> Option<i16>;

    /// Makes the upcall and writes the reply.
    fn upcall(&mut self) -> Result<(), SystemException>;
}

/// A request, for interceptors (`PortableInterceptor::ServerRequestInfo`).
pub struct ServerRequestInfo<'a> {
    request: &'a mut dyn InterceptedRequest,
    /// The interceptors that have not run yet.
    remaining: &'a [Arc<dyn ServerRequestInterceptor>],
    priority: Option<i16>,
}

impl fmt::Debug for ServerRequestInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequestInfo")
            .field("header", self.request.header())
            .field("object_id", self.request.object_id())
            .field("priority", &self.priority)
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
        Self { request, remaining: interceptors, priority: None }
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

    /// The data of the first service context of service `id`, usually an encapsulation
    /// (`get_request_service_context`).
    pub fn request_service_context(&self, id: ServiceId) -> Option<&[u8]> {
        self.request.header().service_contexts.find(id)
    }

    /// A reader of the arguments.
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

    /// Sets the priority by which the request is queued.
    pub fn set_priority(&mut self, priority: i16) {
        self.priority = Some(priority);
    }

    /// The priority by which the request is queued, if an interceptor has set one.
    pub fn priority(&self) -> Option<i16> {
        self.priority
    }
}

/// `BAD_INV_ORDER` (OMG 14), completed NO: a call that interceptors may not make at this point.
#[cold]
pub fn invalid_call() -> SystemException {
    SystemException::bad_inv_order(minor::bad_inv_order::INTERCEPTOR_CALL, CompletionStatus::No)
}
