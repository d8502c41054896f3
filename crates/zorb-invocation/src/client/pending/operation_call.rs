//! The operation of a pending call, with the parameters of the call.

use std::borrow::Cow;
use std::sync::Arc;

use zorb_base::gather::WriteBody;
use zorb_base::interceptor::SlotTable;
use zorb_cdr::TextCoding;
use zorb_giop::ResponseFlags;

use super::super::call::Call;
use super::super::connect_time::ConnectTime;
use super::super::level_policies::CallParameters;
use super::super::multiplexed::PendingReply;
use super::super::reply::{ReadReply, Reply};
use super::super::route::Route;
use super::super::time_limit::TimeLimit;
use crate::object::{Binding, ObjectRef};

/// The operation that is called, and the parameters of the call.
pub(super) struct OperationCall {
    pub(super) object: ObjectRef,
    pub(super) operation: Cow<'static, str>,
    /// `None` if the parameters of its ORB apply, and it has no time limit.
    pub(super) own: Option<Box<OwnParameters>>,
    /// The slots of the thread that has made it.
    pub(super) slots: Option<SlotTable>,
}

/// The parameters of a call that differ from those of most calls.
pub(super) struct OwnParameters {
    pub(super) parameters: CallParameters,
    time_limit: TimeLimit,
    sending: TimeLimit,
}

/// The last attempt of a call.
#[derive(Clone, Default)]
pub(super) struct Attempted {
    /// The reference that its server has forwarded to; `None` for the original one.
    pub(super) forwarded: Option<Arc<Binding>>,
    /// The number of its route; `None` for an object of this ORB.
    pub(super) route: Option<usize>,
    pub(super) text: TextCoding,
    /// Whether interceptors have seen the request, and are to see how it ends.
    pub(super) is_intercepted: bool,
}

impl OwnParameters {
    /// Starts the limits.
    #[cold]
    pub(super) fn start(parameters: &CallParameters) -> Box<Self> {
        let [time_limit, sending] = parameters.start_limits();
        Box::new(Self { parameters: *parameters, time_limit, sending })
    }
}

impl OperationCall {
    /// The limit of the whole call.
    #[inline]
    pub(super) fn time_limit(&self) -> TimeLimit {
        self.own.as_ref().map_or(TimeLimit::NONE, |own| own.time_limit)
    }

    /// The limit of connecting and sending.
    #[inline]
    pub(super) fn sending_limit(&self) -> TimeLimit {
        self.own.as_ref().map_or(TimeLimit::NONE, |own| own.sending)
    }

    /// Its parameters as a call with these `arguments`.
    pub(super) fn as_call<'a>(
        &'a self,
        arguments: WriteBody<'a>,
        connect_time: &'a ConnectTime,
    ) -> Call<'a> {
        Call {
            object: &self.object,
            operation: &self.operation,
            response: ResponseFlags::SyncWithTarget,
            arguments,
            read: ReadReply::Nobody,
            time_limit: self.time_limit(),
            sending: self.sending_limit(),
            parameters: self.parameters(),
            connect_time,
            info: None,
        }
    }

    #[inline]
    pub(super) fn parameters(&self) -> &CallParameters {
        match &self.own {
            Some(own) => &own.parameters,
            None => self.object.core().plain_parameters(),
        }
    }

    /// The route of an attempt.
    pub(super) fn route<'a>(&'a self, attempt: &'a Attempted) -> Option<&'a Route> {
        let binding = attempt.forwarded.as_deref().unwrap_or_else(|| self.object.binding());
        // They were resolved for the attempt.
        binding.routes(self.object.core()).ok()?.by_number(attempt.route?)
    }

    /// A reply to an attempt, over `route`.
    #[inline]
    pub(super) fn reply<'a>(
        &'a self,
        attempt: &Attempted,
        route: Option<&'a Route>,
        reply: &'a PendingReply,
    ) -> Reply<'a> {
        let received = reply.received();
        let core = self.object.core();
        Reply { core, operation: &self.operation, route, received, text: attempt.text }
    }
}
