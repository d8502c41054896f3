//! Client request interceptors.

use std::cell::OnceCell;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

use zorb_giop::{Ior, ServiceContext, ServiceContexts, ServiceId};
use zorb_types::{Any, CompletionStatus, SystemException};

use super::context::AddedContexts;
use super::outcome::RequestOutcome;
use super::slots::{SlotId, SlotTable, thread_slots};
use crate::policy::EffectivePolicies;

/// Code that runs when a client sends a request and when the request has ended
/// (`PortableInterceptor::ClientRequestInterceptor`).
///
/// All methods run on the calling thread, once for each attempt to send the request: a request that is
/// sent again, to the same or another server, is intercepted again. Each successful
/// [`send_request`](Self::send_request) is followed by exactly one of the `receive_` methods, in reverse
/// order of the interceptors. An exception that one of these raises replaces the outcome for those that
/// follow, and for the caller.
pub trait ClientRequestInterceptor: fmt::Debug + Send + Sync + 'static {
    /// Runs before the endpoint of the request is selected. It may add service contexts, set the
    /// request's priority, and restrict the endpoints.
    ///
    /// # Errors
    /// The system exception with which the attempt fails. The request is not sent.
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException>;

    /// Runs instead of [`send_request`](Self::send_request) where the ORB needs a connection but sends no
    /// request, or one without service contexts: for a LocateRequest, a loan, or the check of policies.
    /// It sets priority and endpoints as `send_request` does. Default: nothing.
    ///
    /// # Errors
    /// The system exception with which the operation fails.
    fn select_endpoint(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Runs when the reply with the results has been received.
    ///
    /// # Errors
    /// The system exception that replaces the results.
    fn receive_reply(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Runs when the attempt has failed with the exception in [`outcome`](ClientRequestInfo::outcome): one
    /// that the server replied, that the ORB has raised, or that an interceptor has raised before.
    ///
    /// # Errors
    /// The system exception that replaces it.
    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Runs when the attempt has ended otherwise: a one-way request has been sent, the server forwards
    /// the client, or the request is to be sent again.
    ///
    /// # Errors
    /// The system exception with which the request fails.
    fn receive_other(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Whether calls within the same ORB must be requests in order to be intercepted; otherwise they may
    /// call the servant directly. Default: yes.
    fn intercepts_collocated_calls(&self) -> bool {
        true
    }
}

/// The times after which a request is useless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndTimes {
    /// When it must have reached its object, from
    /// [`RelativeRequestTimeout`](crate::policy::RelativeRequestTimeout) and
    /// [`RequestEndTime`](crate::policy::RequestEndTime).
    pub request: Option<Instant>,
    /// When its reply must have arrived, from
    /// [`RelativeRoundtripTimeout`](crate::policy::RelativeRoundtripTimeout) and
    /// [`ReplyEndTime`](crate::policy::ReplyEndTime); only if a reply is expected.
    pub reply: Option<Instant>,
}

impl EndTimes {
    /// The end times of a request and its reply; `None` for no limit.
    #[must_use]
    pub const fn new(request: Option<Instant>, reply: Option<Instant>) -> Self {
        Self { request, reply }
    }
}

/// The request as its caller makes it.
#[derive(Clone, Copy, Debug)]
pub struct ClientRequest<'a> {
    /// The operation's name; empty if no request is sent.
    pub operation: &'a str,
    /// The reference that is called.
    pub target: &'a Ior,
    /// Whether there will be a reply.
    pub response_expected: bool,
    /// The times after which it is useless.
    pub end_times: EndTimes,
    /// The policies in force for it.
    pub policies: EffectivePolicies<'a>,
}

/// A request, for interceptors (`PortableInterceptor::ClientRequestInfo`).
#[derive(Debug)]
pub struct ClientRequestInfo<'a> {
    request: ClientRequest<'a>,
    contexts: AddedContexts,
    priority: Option<i16>,
    endpoint_priorities: Option<RangeInclusive<i16>>,
    required: Required,
    reply_contexts: OnceCell<AddedContexts>,
    outcome: Option<RequestOutcome>,
    slots: Slots<'a>,
}

/// The slots of a request.
#[derive(Clone, Copy, Debug)]
enum Slots<'a> {
    /// Those of the calling thread.
    OfThread,
    /// Those that its caller had when it made the call; `None` if none was set.
    OfCaller(Option<&'a SlotTable>),
}

/// Whether the service contexts must reach the server.
#[derive(Clone, Copy, Debug)]
enum Required {
    No,
    /// Unless the endpoint serves only this priority.
    UnlessServedAt(i16),
    Yes,
}

impl<'a> ClientRequestInfo<'a> {
    /// The information about `request`, to which interceptors have added nothing.
    #[doc(hidden)]
    pub fn new(request: ClientRequest<'a>) -> Self {
        Self {
            request,
            contexts: AddedContexts::default(),
            priority: None,
            endpoint_priorities: None,
            required: Required::No,
            reply_contexts: OnceCell::new(),
            outcome: None,
            slots: Slots::OfThread,
        }
    }

    /// The same with the slots that its caller had when it made the call; `None` if none was set. Interceptors see it
    /// on other threads, too.
    #[doc(hidden)]
    #[must_use]
    pub fn with_slots(self, slots: Option<&'a SlotTable>) -> Self {
        Self { slots: Slots::OfCaller(slots), ..self }
    }

    /// The operation's name; empty if no request is sent.
    pub fn operation(&self) -> &str {
        self.request.operation
    }

    /// The reference to which the attempt is made (`effective_target`).
    pub fn target(&self) -> &Ior {
        self.request.target
    }

    /// Whether the client waits for a reply (`response_expected`).
    pub fn response_expected(&self) -> bool {
        self.request.response_expected
    }

    /// The times after which the request is useless.
    pub fn end_times(&self) -> EndTimes {
        self.request.end_times
    }

    /// The client's policies for this request (`get_request_policy`).
    pub fn policies(&self) -> EffectivePolicies<'a> {
        self.request.policies
    }

    /// Adds a service context to the request (`add_request_service_context`). With `replace` it replaces one with the same id that an
    /// interceptor has added before. `data` is usually an encapsulation.
    /// Contexts of more than 72 octets are allocated. Protocols without service contexts omit them, unless
    /// they are [required](Self::require_contexts).
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 15) if there is such a context and `replace` is not set; `IMP_LIMIT`, minor
    /// `TOO_MANY_CONTEXTS`, for more than 1,022 contexts; `NO_MEMORY`.
    pub fn add_request_service_context(
        &mut self,
        id: ServiceId,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        self.contexts.add(id, data, replace, CompletionStatus::No)
    }

    /// The data of the reply's first service context of service `id`, usually an encapsulation
    /// (`get_reply_service_context`). `None` before there is a reply, and in replies of protocols other than
    /// GIOP.
    pub fn reply_service_context(&self, id: ServiceId) -> Option<&[u8]> {
        self.reply_contexts.get()?.find(id)
    }

    /// The value of a slot of the thread that makes the call (`get_slot`): see `Orb::pi_current`. `None` if it has not
    /// been set. For a pending call, it is the value from when the call was made, on whichever thread it ends or is
    /// sent again.
    #[doc(alias = "get_slot")]
    pub fn slot(&self, slot: SlotId) -> Option<Any> {
        match self.slots {
            Slots::OfThread => thread_slots().value(slot),
            Slots::OfCaller(slots) => slots?.value(slot),
        }
    }

    /// How the attempt has ended; `None` before it has.
    pub fn outcome(&self) -> Option<&RequestOutcome> {
        self.outcome.as_ref()
    }

    /// Copies the service contexts of the reply.
    #[doc(hidden)]
    pub fn receive_contexts(&self, contexts: &ServiceContexts<'_>) {
        if !contexts.is_empty() {
            // There is one reply.
            let _ = self.reply_contexts.set(AddedContexts::copy_of(contexts));
        }
    }

    /// Runs the `receive_` methods of these interceptors in reverse order, and returns how the attempt has
    /// ended then.
    #[doc(hidden)]
    pub fn end(
        &mut self,
        outcome: RequestOutcome,
        interceptors: &[Arc<dyn ClientRequestInterceptor>],
    ) -> RequestOutcome {
        self.outcome = Some(outcome);
        for interceptor in interceptors.iter().rev() {
            let response_expected = self.request.response_expected;
            let ended = match self.outcome {
                Some(RequestOutcome::Successful) if response_expected => {
                    interceptor.receive_reply(self)
                }
                Some(RequestOutcome::SystemException(_) | RequestOutcome::UserException(_)) => {
                    interceptor.receive_exception(self)
                }
                _ => interceptor.receive_other(self),
            };
            if let Err(exception) = ended {
                self.outcome = Some(RequestOutcome::SystemException(exception));
            }
        }
        self.outcome.take().unwrap_or(RequestOutcome::Successful)
    }

    /// Excludes endpoints of protocols without service contexts. `implied_by` is a priority that tells the
    /// server the same: an endpoint that serves only this priority is not excluded.
    pub fn require_contexts(&mut self, implied_by: Option<i16>) {
        self.required = match (implied_by, self.required) {
            (Some(priority), Required::No) => Required::UnlessServedAt(priority),
            (Some(priority), Required::UnlessServedAt(known)) if priority == known => self.required,
            _ => Required::Yes,
        };
    }

    /// Sets the priority of the request, which selects its priority band.
    pub fn set_priority(&mut self, priority: i16) {
        self.priority = Some(priority);
    }

    /// The priority of the request, if an interceptor has set one.
    pub fn priority(&self) -> Option<i16> {
        self.priority
    }

    /// Excludes endpoints that serve only one priority and whose priority is not in this range. Without
    /// it, requests go to any endpoint. Priority bands replace it by the band.
    pub fn restrict_endpoints(&mut self, priorities: RangeInclusive<i16>) {
        self.endpoint_priorities.get_or_insert(priorities);
    }

    /// The priorities of endpoints that serve only one, if an interceptor has restricted them.
    #[doc(hidden)]
    pub fn endpoint_priorities(&self) -> Option<&RangeInclusive<i16>> {
        self.endpoint_priorities.as_ref()
    }

    /// Whether an endpoint that serves only `priority`, or all, may omit the service contexts.
    #[doc(hidden)]
    pub fn may_omit_contexts(&self, priority: Option<i16>) -> bool {
        match self.required {
            Required::No => true,
            Required::UnlessServedAt(implied) => priority == Some(implied),
            Required::Yes => false,
        }
    }

    /// The service contexts that interceptors have added.
    #[doc(hidden)]
    pub fn contexts(&self) -> impl Iterator<Item = ServiceContext<'_>> {
        self.contexts.iter()
    }
}
