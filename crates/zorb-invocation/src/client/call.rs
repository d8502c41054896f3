//! A call and its parameters.

use std::time::Duration;

use zorb_base::gather::WriteBody;
use zorb_base::interceptor::{ClientRequestInfo, EndTimes};
use zorb_base::policy::SyncScope;
use zorb_giop::ResponseFlags;
use zorb_types::{CompletionStatus, ErrorContext, MinorCode, Phase, SystemException};

use super::level_policies::CallParameters;
use super::time_limit::TimeLimit;

/// A call.
pub(super) struct Call<'a> {
    pub(super) operation: &'a str,
    pub(super) response: ResponseFlags,
    /// Writes the arguments; called again when the request has to be sent to another place.
    pub(super) arguments: WriteBody<'a>,
    pub(super) time_limit: TimeLimit,
    /// For what comes before the wait, where that has a limit of its own.
    pub(super) own_sending: Option<TimeLimit>,
    pub(super) parameters: &'a CallParameters,
    /// What interceptors have set for this attempt.
    pub(super) info: Option<&'a ClientRequestInfo<'a>>,
}

impl<'a> Call<'a> {
    #[inline]
    pub(super) fn new(
        operation: &'a str,
        response: ResponseFlags,
        arguments: WriteBody<'a>,
        parameters: &'a CallParameters,
    ) -> Self {
        let answered = response.expects_reply();
        Self {
            operation,
            response: if answered { response } else { response_to(parameters.sync_scope) },
            arguments,
            time_limit: TimeLimit::new(parameters.round_trip),
            own_sending: parameters.request.map(|limit| limit_of_sending(parameters, limit)),
            parameters,
            info: None,
        }
    }

    /// How long getting a connection and sending may take.
    #[inline]
    pub(super) fn sending(&self) -> &TimeLimit {
        self.own_sending.as_ref().unwrap_or(&self.time_limit)
    }

    /// Until when its request is of use.
    pub(super) fn end_times(&self) -> EndTimes {
        let reply = self.response.expects_reply().then(|| self.time_limit.deadline()).flatten();
        EndTimes { request: self.own_sending.and_then(TimeLimit::deadline), reply }
    }

    /// The exception of a call that would now reach the object in another way than its policy lets.
    #[cold]
    pub(super) fn no_rebind(&self, minor: MinorCode) -> SystemException {
        let context = ErrorContext::new(Phase::Resolve)
            .with_operation(self.operation)
            .with_hint("the policy Rebind has the program choose the object anew");
        SystemException::rebind(minor, CompletionStatus::No).with_context(context)
    }
}

/// How a one-way request is answered.
fn response_to(scope: SyncScope) -> ResponseFlags {
    match scope {
        SyncScope::None | SyncScope::WithTransport => ResponseFlags::NoResponse,
        SyncScope::WithServer => ResponseFlags::SyncWithServer,
        SyncScope::WithTarget => ResponseFlags::SyncWithTarget,
    }
}

/// The limit for sending: what the policies say, and no more than the whole call has.
#[cold]
fn limit_of_sending(parameters: &CallParameters, limit: Duration) -> TimeLimit {
    TimeLimit::new(Some(parameters.round_trip.map_or(limit, |whole| whole.min(limit))))
}
