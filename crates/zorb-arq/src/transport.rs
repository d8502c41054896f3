//! The transport.

use zorb_tcp::datagrams::DrivenTransport;

use crate::connection::Connection;

/// The scheme of the URLs.
pub const ARQ_SCHEME: &str = "rudp";

/// The default port, as for IIOP.
pub const DEFAULT_PORT: u16 = 2809;

/// A reliable stream over UDP as a [`Transport`](zorb_transport::Transport): `rudp://host:2809`.
pub type ArqTransport = DrivenTransport<Connection>;
