//! The stamps of frames, for servants.

use std::sync::Arc;

use zorb_base::interceptor::{ServerRequestInfo, ServerRequestInterceptor, UpcallSlot, with_slot};
use zorb_base::policy::Policies;
use zorb_cdr::{ByteOrder, CdrReader, CdrResult};
use zorb_giop::ServiceId;
use zorb_types::SystemException;

/// The size of a stamp in a message: a ulong, four octets of padding, and a ulonglong.
pub(crate) const STAMP_SIZE: usize = 16;

thread_local! {
    static CURRENT: UpcallSlot<Stamp> = const { UpcallSlot::new() };
}

/// Identifies a frame within its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The sequence number.
    pub sequence: u32,
    /// The sending time, in microseconds of the sender's clock.
    pub sent: u64,
}

impl Stamp {
    /// The stamp of the request whose upcall this thread executes; `None` if it did not arrive as a frame, and in ORBs
    /// without the [interceptor](interceptor).
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.with(UpcallSlot::value)
    }

    /// Reads the stamp from the data of the service context [`ServiceId::ZORB_FRAME_STAMP`] of a frame, whose integers
    /// have this byte order.
    ///
    /// # Errors
    /// `Truncated`.
    pub fn read(data: &[u8], order: ByteOrder) -> CdrResult<Self> {
        let mut reader = CdrReader::new(data, order);
        Ok(Self { sequence: reader.read_u32()?, sent: reader.read_u64()? })
    }
}

/// The factory of the server request interceptor that makes stamps available to servants, by [`Stamp::current`]. Add it
/// to the ORB that receives frames: `orb.add_server_request_interceptor("AV", zorb_av::interceptor)`.
#[must_use]
pub fn interceptor(_: &Policies) -> Option<Arc<dyn ServerRequestInterceptor>> {
    Some(Arc::new(PassStamps))
}

/// Passes the stamps of frames to their servants.
#[derive(Debug)]
struct PassStamps;

impl ServerRequestInterceptor for PassStamps {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let order = info.arguments().order();
        let stamp = info
            .request_service_context(ServiceId::ZORB_FRAME_STAMP)
            .and_then(|data| Stamp::read(data, order).ok());
        with_slot(&CURRENT, stamp, || info.proceed())
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}
