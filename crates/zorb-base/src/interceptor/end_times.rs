//! End times of requests: clients send them, and servers refuse expired requests.

mod context;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use super::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
    UpcallSlot, with_slot,
};
use crate::policy::{Deadline, Policies, ServeInTime};
use context::RequestEnd;

thread_local! {
    /// The reply end time of the request of the upcall, and the policy of its adapter.
    static REPLY_END_TIME: UpcallSlot<(Deadline, ServeInTime)> = const { UpcallSlot::new() };
}

/// The reply end time of the request that the calling thread serves.
pub fn reply_end_time() -> Option<Deadline> {
    REPLY_END_TIME.with(UpcallSlot::value).map(|(end, _)| end)
}

/// The time by which calls of the upcall that the calling thread makes must end, also those inside its collocated calls.
pub fn end_of_nested_calls() -> Option<Deadline> {
    REPLY_END_TIME.with(UpcallSlot::enclosing_value).map(|(end, policy)| policy.extended(end))
}

/// The interceptor of the requests of a reference with these policies: it sends their end times `to_all` servers, or
/// only to those whose references contain the policy.
pub fn sending_end_times(
    policies: &Policies,
    to_all: bool,
) -> Option<Arc<dyn ClientRequestInterceptor>> {
    let sends = to_all || policies.value::<ServeInTime>().is_some();
    sends.then(|| Arc::new(SendEndTimes) as Arc<dyn ClientRequestInterceptor>)
}

/// The interceptor of the requests to an object with these policies.
pub fn checking_end_times(policies: &Policies) -> Option<Arc<dyn ServerRequestInterceptor>> {
    Some(Arc::new(CheckEndTimes(*policies.value()?)))
}

/// Sends the end times of requests.
#[derive(Debug)]
struct SendEndTimes;

impl ClientRequestInterceptor for SendEndTimes {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let times = info.end_times();
        let ends = RequestEnd {
            request: times.request.map(Deadline::at),
            reply: times.reply.map(Deadline::at),
        };
        if ends == RequestEnd::default() {
            return Ok(());
        }
        let data = context::encode(ends, ByteOrder::NATIVE).map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest)
        })?;
        info.add_request_service_context(ServiceId::INVOCATION_POLICIES, &data, false)
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}

/// Refuses requests after their end times.
#[derive(Debug)]
struct CheckEndTimes(ServeInTime);

impl ServerRequestInterceptor for CheckEndTimes {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let ends = match info.request_service_context(ServiceId::INVOCATION_POLICIES) {
            Some(data) => context::decode(data).map_err(|error| {
                SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
            })?,
            None => RequestEnd::default(),
        };
        check(self.0, ends)?;
        let reply = ends.reply.map(|end| (end, self.0));
        with_slot(&REPLY_END_TIME, reply, || info.proceed())
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}

/// Checks that a request has not expired.
///
/// # Errors
/// `TIMEOUT`, completed NO, minor `REQUEST_EXPIRED` or `REPLY_EXPIRED`.
fn check(policy: ServeInTime, ends: RequestEnd) -> Result<(), SystemException> {
    let has_passed = |end: Option<Deadline>| end.is_some_and(|end| policy.has_passed(end));
    let code = if has_passed(ends.request) {
        minor::timeout::REQUEST_EXPIRED
    } else if has_passed(ends.reply) {
        minor::timeout::REPLY_EXPIRED
    } else {
        return Ok(());
    };
    Err(SystemException::timeout(code, CompletionStatus::No))
}
