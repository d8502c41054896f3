//! The server's side.

use std::fmt;

use zorb_cdr::{ByteOrder, CdrReader};
use zorb_giop::{OperationName, ServiceContexts, ServiceId};
use zorb_types::SystemException;

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

    /// Makes the upcall by calling `next` once, on the same thread. An interceptor that returns `Ok` without
    /// calling `next` has executed the request itself; the reply has no results. `next` may panic.
    /// Default: calls `next`.
    ///
    /// # Errors
    /// The system exception to reply with, for example that of `next`.
    fn around_upcall(
        &self,
        info: &mut ServerRequestInfo<'_>,
        next: &mut dyn FnMut(&mut ServerRequestInfo<'_>) -> Result<(), SystemException>,
    ) -> Result<(), SystemException> {
        next(info)
    }

    /// Whether calls within the same ORB must be requests in order to be intercepted; otherwise they may
    /// call the servant directly. Default: yes.
    fn intercepts_collocated_calls(&self) -> bool {
        true
    }
}

/// The request as it was received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerRequest<'a> {
    /// Converted to text only when it is asked for, as that validates it.
    pub(crate) operation: &'a OperationName<'a>,
    pub(crate) object_id: &'a ObjectId,
    pub(crate) contexts: ServiceContexts<'a>,
    pub(crate) arguments: Arguments<'a>,
    pub(crate) policies: &'a Policies,
    pub(crate) lane_priority: Option<i16>,
}

/// The octets of a request's arguments: smaller than a reader, which few interceptors need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a> {
    pub(crate) octets: &'a [u8],
    /// The offset of the octets in the message.
    pub(crate) offset: usize,
    pub(crate) order: ByteOrder,
}

/// A request, for interceptors (`PortableInterceptor::ServerRequestInfo`).
#[derive(Debug)]
pub struct ServerRequestInfo<'a> {
    request: ServerRequest<'a>,
    priority: Option<i16>,
}

impl<'a> ServerRequestInfo<'a> {
    #[inline]
    pub(crate) fn new(request: ServerRequest<'a>) -> Self {
        Self { request, priority: None }
    }

    /// The operation's name.
    pub fn operation(&self) -> &str {
        self.request.operation
    }

    /// The id of the object.
    pub fn object_id(&self) -> &ObjectId {
        self.request.object_id
    }

    /// The data of the first service context of service `id`, usually an encapsulation
    /// (`get_request_service_context`).
    pub fn request_service_context(&self, id: ServiceId) -> Option<&'a [u8]> {
        self.request.contexts.find(id)
    }

    /// A reader of the arguments.
    pub fn arguments(&self) -> CdrReader<'a> {
        let Arguments { octets, offset, order } = self.request.arguments;
        CdrReader::new(octets, order).with_origin(offset)
    }

    /// The policies of the object adapter, overridden by those of the object (`get_server_policy`).
    pub fn policies(&self) -> &Policies {
        self.request.policies
    }

    /// The priority of the lane that received the request; `None` for a collocated call, and without a
    /// lane.
    pub fn lane_priority(&self) -> Option<i16> {
        self.request.lane_priority
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

/// Calls `upcall` inside all `interceptors`, the first outermost.
pub(crate) fn intercept_upcall(
    interceptors: &[std::sync::Arc<dyn ServerRequestInterceptor>],
    info: &mut ServerRequestInfo<'_>,
    upcall: &mut dyn FnMut() -> Result<(), SystemException>,
) -> Result<(), SystemException> {
    match interceptors.split_first() {
        None => upcall(),
        Some((first, rest)) => {
            first.around_upcall(info, &mut |info| intercept_upcall(rest, info, upcall))
        }
    }
}
