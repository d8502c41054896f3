//! What can be chosen about connections.
//!
//! Write these with `..Default::default()` at the end: fields will be added.

use std::time::Duration;

use crate::Workers;

crate::options! {
    /// How a connected stream is set up, on both sides. A transport ignores what it has no counterpart for.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub struct StreamOptions of "sockets", set by (trait SetStreamOptions) {
        /// Send small messages immediately (`TCP_NODELAY`).
        "NoDelay" no_delay: bool = true;
        /// Probe idle TCP connections (`SO_KEEPALIVE`).
        "KeepAlive" keep_alive: bool = false;
        /// Size of a socket's send buffer (`SO_SNDBUF`); 0 for the system's default.
        "SendBuffer" send_buffer: Option<usize> = None, 0..=1 << 30, "octets";
        /// Size of a socket's receive buffer (`SO_RCVBUF`); 0 for the system's default.
        "ReceiveBuffer" receive_buffer: Option<usize> = None, 0..=1 << 30, "octets";
        /// Send only to hosts on directly connected networks, bypassing routing (`SO_DONTROUTE`).
        "DontRoute" dont_route: bool = false;
        /// Differentiated services code point of what TCP and UDP send (DSCP); 0 for the system's default.
        "Dscp" dscp: Option<u8> = None, 0..=63;
        /// Priority in this machine's queueing disciplines of what TCP and UDP send (`SO_PRIORITY`); 7 and
        /// above need a privilege; 0 for the system's default.
        "SocketPriority" socket_priority: Option<u32> = None, 0..=15;
        /// Maximum send rate of a TCP connection, or with the queueing discipline fq of a UDP socket
        /// (`SO_MAX_PACING_RATE`); 0 for no limit.
        "PacingRate" pacing_rate: Option<u64> = None, 0..=1 << 40, "octets/s";
    }
}

/// How a connection is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectOptions {
    /// The longest time that connecting may take over all of the endpoint's addresses.
    /// Default `None`: the system's own limit, about two minutes an address. Looking up the
    /// host's name is the system's business and is not cut short.
    pub timeout: Option<Duration>,
    /// How the stream is set up.
    pub stream: StreamOptions,
}

impl ConnectOptions {
    /// The default options with a time-out.
    #[must_use]
    pub fn with_timeout(timeout: Option<Duration>) -> Self {
        Self { timeout, ..Self::default() }
    }
}

/// How an endpoint is listened on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenOptions {
    /// How many connections may wait to be accepted. Default 128, the system cuts it to its
    /// own limit.
    pub backlog: u32,
    /// Bind although connections of an earlier run still linger (`SO_REUSEADDR`). Default
    /// `true`.
    pub reuse_address: bool,
    /// The host that goes into references in place of the bound one. Default `None`. An option
    /// in the URL (`iiop://:2809/hostname_in_ior=name`) wins over this one.
    pub published_host: Option<String>,
    /// How accepted streams are set up.
    pub stream: StreamOptions,
    /// What those threads are like that the transport has of its own for the endpoint. Default: as the
    /// system starts them.
    pub workers: Workers,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            backlog: 128,
            reuse_address: true,
            published_host: None,
            stream: StreamOptions::default(),
            workers: Workers::default(),
        }
    }
}
