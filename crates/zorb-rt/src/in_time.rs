//! Requests that tell until when they are of use, and are not served beyond that.

mod context;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_core::policy::{
    AroundUpcall, EndTimes, Levels, PolicyType, RequestContext, ShortContext, TypedPolicy,
};
use zorb_core::{ObjectRef, Served, ServerCall};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use super::Deadline;
use context::Ends;

/// The policy of an object adapter by which requests are not served that are of no use any more, as
/// their clients say: those that reach their object after the end of their time
/// (`Messaging::RequestEndTimePolicy`, which clients make of `RelativeRequestTimeoutPolicy`), or after
/// the time when their reply was wanted (`ReplyEndTimePolicy`, of `RelativeRoundtripTimeoutPolicy`). They
/// fail with `TIMEOUT`, completed NO. Default: such times are not looked at.
///
/// It stands in the adapter's references, and clients with a real-time side tell such servers the times
/// of their requests. Others tell them or not: of requests that say nothing there is nothing to be kept.
/// Calls inside one ORB come late by no network, and are served.
///
/// The times are those of clocks on the wall: server and clients have to have the same time, but for
/// [`tolerance`](Self::tolerance).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ServeInTime {
    tolerance: Duration,
}

impl ServeInTime {
    /// Serves requests until their time has ended.
    #[must_use]
    pub const fn new() -> Self {
        Self { tolerance: Duration::ZERO }
    }

    /// And for so long beyond it, as the clocks of clients may be wrong. Default: no longer.
    #[must_use]
    pub const fn tolerance(self, tolerance: Duration) -> Self {
        Self { tolerance }
    }

    /// Refuses a request whose time has ended.
    fn check(self, ends: Ends) -> Result<(), SystemException> {
        let over = |end: Option<Deadline>| {
            end.is_some_and(|end| end.time_left().is_zero() && end.time_since() >= self.tolerance)
        };
        let code = if over(ends.request) {
            minor::timeout::REQUEST_EXPIRED
        } else if over(ends.reply) {
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

    fn around_upcalls(&self) -> Option<Arc<dyn AroundUpcall>> {
        Some(Arc::new(InTime(*self)))
    }

    fn request_context(&self) -> Option<Arc<dyn RequestContext>> {
        Some(Arc::new(TellEnds))
    }
}

thread_local! {
    /// By when the reply of the request that this thread serves is to be with its client.
    static WANTED: Cell<Option<Deadline>> = const { Cell::new(None) };
}

/// By when the client of the request that the calling thread serves has to have its reply.
pub(crate) fn wanted() -> Option<Deadline> {
    WANTED.get()
}

/// Has requests tell until when they are of use.
#[derive(Debug)]
pub(crate) struct TellEnds;

impl RequestContext for TellEnds {
    fn context(&self) -> Result<Option<ShortContext>, SystemException> {
        Ok(None)
    }

    fn context_within(
        &self,
        _: &ObjectRef,
        times: EndTimes,
    ) -> Result<Option<ShortContext>, SystemException> {
        let ends =
            Ends { request: times.request.map(Deadline::at), reply: times.reply.map(Deadline::at) };
        if ends == Ends::default() {
            return Ok(None);
        }
        let data = context::encode(ends, ByteOrder::NATIVE).map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest)
        })?;
        Ok(ShortContext::new(ServiceId::INVOCATION_POLICIES, &data))
    }
}

/// Serves requests whose time has not ended.
#[derive(Debug)]
struct InTime(ServeInTime);

impl AroundUpcall for InTime {
    fn upcall(
        &self,
        call: &mut ServerCall<'_>,
        run: &mut dyn FnMut(&mut ServerCall<'_>) -> Served,
    ) -> Served {
        let ends = match call.service_context(ServiceId::INVOCATION_POLICIES) {
            Some(data) => context::decode(data).map_err(|error| {
                SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
            })?,
            None => Ends::default(),
        };
        self.0.check(ends)?;
        let _before = Before(WANTED.replace(ends.reply));
        run(call)
    }

    fn is_about_connections(&self) -> bool {
        true
    }
}

/// What the thread was serving before, which it serves again, also when the servant panics.
struct Before(Option<Deadline>);

impl Drop for Before {
    fn drop(&mut self) {
        WANTED.set(self.0);
    }
}
