//! End times of requests: clients send them, and servers refuse expired requests.

mod context;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_core::Orb;
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
    UpcallSlot, with_slot,
};
use zorb_core::policy::{Levels, PolicyType, TypedPolicy};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use super::Deadline;
use context::RequestEnd;

/// The policy of an object adapter that refuses expired requests: those that reach their object after
/// their request end time (`Messaging::RequestEndTimePolicy`, which clients compute from
/// `RelativeRequestTimeoutPolicy`), or after their reply end time (`ReplyEndTimePolicy`, from
/// `RelativeRoundtripTimeoutPolicy`). They fail with `TIMEOUT`, completed NO. By default end times are
/// ignored.
///
/// The adapter's references contain the policy, and clients with a real-time side send such servers the
/// end times of their requests. Requests without end times, and collocated calls, are always served. The
/// policy takes effect in ORBs with a real-time side ([`RtOrb`](super::RtOrb)).
///
/// End times are wall-clock times: the clocks of servers and clients must be synchronized within the
/// [`tolerance`](Self::tolerance).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ServeInTime {
    tolerance: Duration,
}

impl ServeInTime {
    /// Refuses requests after their end times.
    #[must_use]
    pub const fn new() -> Self {
        Self { tolerance: Duration::ZERO }
    }

    /// Sets the time after an end time during which requests are still served, for clocks that are not synchronized.
    /// Default: zero.
    #[must_use]
    pub const fn tolerance(self, tolerance: Duration) -> Self {
        Self { tolerance }
    }

    /// Checks that a request has not expired.
    ///
    /// # Errors
    /// `TIMEOUT`, completed NO, minor `REQUEST_EXPIRED` or `REPLY_EXPIRED`.
    fn check(self, ends: RequestEnd) -> Result<(), SystemException> {
        let has_passed = |end: Option<Deadline>| {
            end.is_some_and(|end| end.time_left().is_zero() && end.time_since() >= self.tolerance)
        };
        let code = if has_passed(ends.request) {
            minor::timeout::REQUEST_EXPIRED
        } else if has_passed(ends.reply) {
            minor::timeout::REPLY_EXPIRED
        } else {
            return Ok(());
        };
        Err(SystemException::timeout(code, CompletionStatus::No))
    }
}

impl TypedPolicy for ServeInTime {
    const POLICY_TYPE: PolicyType = PolicyType::SERVE_IN_TIME;
    const LEVELS: Levels = Levels::SERVER;
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let units = self.tolerance.as_nanos().div_ceil(100);
        writer.write_u64(u64::try_from(units).unwrap_or(u64::MAX));
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let units = reader.read_u64()?;
        let tolerance = Duration::new(units / 10_000_000, (units % 10_000_000) as u32 * 100);
        Ok(Self { tolerance })
    }
}

thread_local! {
    /// The reply end time of the request of the upcall.
    static REPLY_END_TIME: UpcallSlot<Deadline> = const { UpcallSlot::new() };
}

/// The reply end time of the request that the calling thread serves.
pub(crate) fn reply_end_time() -> Option<Deadline> {
    REPLY_END_TIME.with(UpcallSlot::value)
}

/// Adds the interceptors to `orb`. Clients send the end times of requests `to_all` servers, or only to those whose
/// references contain the policy.
pub(crate) fn add_interceptors(orb: &Orb, to_all: bool) {
    let name = "Zorb::ServeInTimePolicy";
    orb.policy_manager().register_policy::<ServeInTime>();
    orb.add_client_request_interceptor(name, move |policies| {
        let sends = to_all || policies.value::<ServeInTime>().is_some();
        sends.then(|| Arc::new(SendEndTimes) as Arc<dyn ClientRequestInterceptor>)
    });
    orb.add_server_request_interceptor(name, |policies| {
        Some(Arc::new(CheckEndTimes(*policies.value()?)))
    });
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
        self.0.check(ends)?;
        with_slot(&REPLY_END_TIME, ends.reply, || info.proceed())
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}
