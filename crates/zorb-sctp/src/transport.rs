//! The transport.

use zorb_tcp::datagrams::DrivenTransport;

use crate::connection::Connection;

/// The scheme of the URLs.
pub const SCIOP_SCHEME: &str = "sciop";

/// The default UDP port: the one of SCTP in UDP (RFC 6951, 4.1).
pub const DEFAULT_PORT: u16 = 9899;

/// SCTP in UDP as a [`Transport`](zorb_transport::Transport): `sciop://host:9899`.
pub type SctpTransport = DrivenTransport<Connection>;
