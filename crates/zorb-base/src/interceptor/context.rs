//! Service contexts that interceptors add to requests.

use zorb_giop::{ServiceContext, ServiceId};

/// The maximum number of service contexts that interceptors add to one request.
pub const MAX_CONTEXTS: usize = 8;

/// A service context of at most 72 octets, stored without an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineContext {
    id: ServiceId,
    length: u8,
    octets: [u8; Self::MAX],
}

impl InlineContext {
    /// The maximum number of octets.
    pub const MAX: usize = 72;

    /// The context of service `id` with `data`; `None` for more than [`MAX`](Self::MAX) octets.
    pub fn new(id: ServiceId, data: &[u8]) -> Option<Self> {
        let mut octets = [0; Self::MAX];
        octets.get_mut(..data.len())?.copy_from_slice(data);
        Some(Self { id, length: data.len() as u8, octets })
    }

    /// The context as messages contain it.
    #[doc(hidden)]
    pub fn as_context(&self) -> ServiceContext<'_> {
        let data = self.octets.get(..usize::from(self.length)).unwrap_or_default();
        ServiceContext::new(self.id, data)
    }
}
