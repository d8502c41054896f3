//! The service contexts of a request.

use std::ops::RangeInclusive;

use zorb_base::interceptor::{ClientRequestInfo, InlineContext, MAX_CONTEXTS};
use zorb_cdr::ByteOrder;
use zorb_giop::{ServiceContext, ServiceId};

/// The service contexts of a request, except that of the code sets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contexts<'a> {
    /// Those that interceptors have added.
    pub(super) info: Option<&'a ClientRequestInfo<'a>>,
    /// The priority band of the connection, in the first request over it.
    pub(super) band: Option<&'a RangeInclusive<i16>>,
}

impl Contexts<'_> {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.info.is_none() && self.band.is_none()
    }

    /// Calls `write` with these contexts after those `of_connection`.
    pub(super) fn write<T>(
        &self,
        of_connection: Option<ServiceContext<'_>>,
        write: impl FnOnce(&[ServiceContext<'_>]) -> T,
    ) -> T {
        let band = self.band.and_then(declared_band);
        let added = self.info.into_iter().flat_map(ClientRequestInfo::contexts).chain(&band);
        let mut contexts =
            of_connection.into_iter().chain(added.map(InlineContext::as_context)).fuse();
        let Some(first) = contexts.next() else { return write(&[]) };
        let Some(second) = contexts.next() else { return write(&[first]) };
        let nothing: &[u8] = &[];
        let mut all: [ServiceContext<'_>; MAX_CONTEXTS + 2] =
            std::array::from_fn(|_| ServiceContext::new(ServiceId(0), nothing));
        let mut count = 0;
        for (slot, context) in all.iter_mut().zip([first, second].into_iter().chain(contexts)) {
            *slot = context;
            count += 1;
        }
        write(all.get(..count).unwrap_or_default())
    }
}

/// The context that declares the priority band of a connection (`RTCorbaPriorityRange`).
///
/// ```text
/// +------------+---------+-----------+-----------+
/// | byte order | padding | short min | short max |
/// +------------+---------+-----------+-----------+
/// ```
fn declared_band(band: &RangeInclusive<i16>) -> Option<InlineContext> {
    let flag = u8::from(ByteOrder::NATIVE == ByteOrder::Little);
    let ([a, b], [c, d]) = (band.start().to_ne_bytes(), band.end().to_ne_bytes());
    InlineContext::new(ServiceId::RT_CORBA_PRIORITY_RANGE, &[flag, 0, a, b, c, d])
}
