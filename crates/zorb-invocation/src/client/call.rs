//! A call and its parameters.

use zorb_base::gather::WriteBody;
use zorb_base::interceptor::{ClientRequestInfo, EndTimes};
use zorb_base::policy::SyncScope;
use zorb_giop::ResponseFlags;
use zorb_types::{CompletionStatus, ErrorContext, MinorCode, Phase, SystemException};

use super::connect_time::ConnectTime;
use super::endpoint_cache::Wanted;
use super::level_policies::CallParameters;
use super::reply::ReadReply;
use super::time_limit::TimeLimit;
use crate::object::ObjectRef;

/// A call.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) object: &'a ObjectRef,
    pub(super) operation: &'a str,
    pub(super) response: ResponseFlags,
    /// Writes the arguments, once for each attempt.
    pub(super) arguments: WriteBody<'a>,
    pub(super) read: ReadReply<'a>,
    /// For the whole call.
    pub(super) time_limit: TimeLimit,
    /// For connecting and sending; that of the whole call if policies set no other.
    pub(super) sending: TimeLimit,
    pub(super) parameters: &'a CallParameters,
    pub(super) connect_time: &'a ConnectTime,
    /// What interceptors have set for this attempt.
    pub(super) info: Option<&'a ClientRequestInfo<'a>>,
}

impl Call<'_> {
    /// Starts the time limits, and determines the response to a one-way request.
    #[inline]
    pub(super) fn apply_parameters(&mut self) {
        let CallParameters { round_trip, request, sync_scope, .. } = *self.parameters;
        if round_trip.is_some() || request.is_some() {
            [self.time_limit, self.sending] = self.parameters.start_limits();
        }
        if !self.response.expects_reply() {
            self.response = response_to(sync_scope);
        }
    }

    /// The same call for a further attempt: if it has no limit of its own, it has what the first attempt has left of the
    /// longest wait.
    #[cold]
    pub(super) fn again(self) -> Self {
        if self.time_limit.deadline().is_some() {
            return self;
        }
        let time_limit = self.connect_time.first.rest(self.object.core().options().max_reply_wait);
        let ends = [self.sending, time_limit].into_iter().filter(|it| it.deadline().is_some());
        let sending = ends.min_by_key(|it| it.deadline()).unwrap_or(self.sending);
        Self { time_limit, sending, ..self }
    }

    /// The limits for its connection.
    pub(super) fn wanted(&self) -> Wanted<'_> {
        let (connect, options) = (self.parameters.connect, self.object.core().options());
        Wanted::new(connect, options, self.connect_time, self.sending.deadline())
    }

    /// The times after which its request is useless.
    pub(super) fn end_times(&self) -> EndTimes {
        // The longest wait is not told to the server.
        let has_limit = self.response.expects_reply() && self.parameters.round_trip.is_some();
        let reply = self.time_limit.deadline().filter(|_| has_limit);
        let request = self.parameters.request.and_then(|_| self.sending.deadline());
        EndTimes::new(request, reply)
    }

    /// The exception of a call that the policy Rebind prevents.
    #[cold]
    pub(super) fn no_rebind(&self, minor: MinorCode) -> SystemException {
        let context = ErrorContext::new(Phase::Resolve).with_operation(self.operation).with_hint(
            "the policy Rebind forbids reconnecting transparently; resolve the reference again",
        );
        SystemException::rebind(minor, CompletionStatus::No).with_context(context)
    }
}

impl CallParameters {
    /// Starts the limits of the whole call, and of connecting and sending.
    #[inline]
    pub(super) fn start_limits(&self) -> [TimeLimit; 2] {
        let Self { round_trip, request, .. } = *self;
        let whole = TimeLimit::new(round_trip);
        let sending = match request {
            None => whole,
            Some(limit) => TimeLimit::new(Some(round_trip.map_or(limit, |it| it.min(limit)))),
        };
        [whole, sending]
    }
}

/// The response to a one-way request.
fn response_to(scope: SyncScope) -> ResponseFlags {
    match scope {
        SyncScope::None | SyncScope::WithTransport => ResponseFlags::NoResponse,
        SyncScope::WithServer => ResponseFlags::SyncWithServer,
        SyncScope::WithTarget => ResponseFlags::SyncWithTarget,
    }
}
