//! The service contexts of a request: what the connection and what policies have it say.

use std::cell::Cell;
use std::ops::RangeInclusive;

use zorb_cdr::ByteOrder;
use zorb_giop::{ServiceContext, ServiceId};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::call::Call;
use super::route::Routes;
use crate::object::ObjectRef;
use crate::policy::{MAX_CONTEXTS, RequestContext, ShortContext};

thread_local! {
    /// What the request that this thread is about to write tells of its connection's band.
    static BAND: Cell<Option<ShortContext>> = const { Cell::new(None) };
}

/// Has the request that is written next tell the server which band of priorities its connection is for
/// (`RTCorbaPriorityRange`).
///
/// ```text
/// +------------+---------+-----------+-----------+
/// | byte order | padding | short min | short max |
/// +------------+---------+-----------+-----------+
/// ```
///
/// Without a band, has it tell none.
pub(super) fn tell_band(band: Option<&RangeInclusive<i16>>) {
    BAND.set(band.and_then(|band| {
        let flag = u8::from(ByteOrder::NATIVE == ByteOrder::Little);
        let ([a, b], [c, d]) = (band.start().to_ne_bytes(), band.end().to_ne_bytes());
        ShortContext::new(ServiceId::RT_CORBA_PRIORITY_RANGE, &[flag, 0, a, b, c, d])
    }));
}

/// Has requests tell their connection's band when they are to.
#[derive(Debug)]
pub(super) struct TellBand;

impl RequestContext for TellBand {
    fn context(&self) -> Result<Option<ShortContext>, SystemException> {
        Ok(BAND.take())
    }
}

/// Writes a request by `write`, with the contexts of its connection and what the policies of its
/// reference have the calling thread's request say, which is mostly nothing.
#[inline]
pub(super) fn with_contexts<T>(
    object: &ObjectRef,
    routes: &Routes,
    of_connection: &[ServiceContext<'_>],
    call: &Call<'_>,
    mut write: impl FnMut(&[ServiceContext<'_>]) -> Result<T, SystemException>,
) -> Result<T, SystemException> {
    if routes.contexts.is_empty() {
        return write(of_connection);
    }
    with_policies(object, routes, of_connection, call, &mut write)
}

#[cold]
fn with_policies<T>(
    object: &ObjectRef,
    routes: &Routes,
    of_connection: &[ServiceContext<'_>],
    call: &Call<'_>,
    write: &mut dyn FnMut(&[ServiceContext<'_>]) -> Result<T, SystemException>,
) -> Result<T, SystemException> {
    let mut of_policies: [Option<ShortContext>; MAX_CONTEXTS] = [None; MAX_CONTEXTS];
    if routes.contexts.len() > of_policies.len() {
        let code = minor::imp_limit::TOO_MANY_CONTEXTS;
        return Err(SystemException::imp_limit(code, CompletionStatus::No));
    }
    for (place, policy) in of_policies.iter_mut().zip(&routes.contexts) {
        *place = policy.context_within(object, call.end_times())?;
    }
    let of_policies = of_policies.iter().flatten().map(ShortContext::as_context);
    let nothing: &[u8] = &[];
    let mut all: [ServiceContext<'_>; MAX_CONTEXTS + 1] =
        std::array::from_fn(|_| ServiceContext::new(ServiceId(0), nothing));
    let mut count = 0;
    for (place, context) in all.iter_mut().zip(of_connection.iter().cloned().chain(of_policies)) {
        *place = context;
        count += 1;
    }
    write(all.get(..count).unwrap_or_default())
}
