//! The sizes and the timeout of exchanges.

use std::time::Duration;

/// The timeout of a call.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// The octets of a request and its reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) request: u32,
    pub(super) reply: u32,
}

/// The size of a call on the wire, including GIOP headers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) call: Exchange,
    /// Of the nested call by the servant.
    pub(super) callback: Option<Exchange>,
}
