//! Where such streams connect and listen.

use zorb_tcp::datagrams::DrivenTransport;

use crate::connection::Connection;

/// The scheme of URLs.
pub const RUDP_SCHEME: &str = "rudp";

/// The port where none is given, as for IIOP.
pub const DEFAULT_PORT: u16 = 2809;

/// A reliable stream over UDP as a [`Transport`](zorb_transport::Transport): `rudp://host:2809`.
pub type RudpTransport = DrivenTransport<Connection>;
