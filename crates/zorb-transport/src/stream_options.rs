//! Options of connections.
//!
//! Write these with `..Default::default()` at the end: fields will be added.

use std::time::Duration;

use crate::{PublishRules, Workers};

crate::options! {
    /// Options of a connected stream, on both sides. A transport ignores options that do not apply.
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

/// Options for connecting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectOptions {
    /// The maximum duration of connecting over all addresses of the endpoint. Default `None`: the
    /// system's limit, about two minutes per address, and none for looking up the host's name.
    pub timeout: Option<Duration>,
    /// Options of the stream.
    pub stream: StreamOptions,
}

impl ConnectOptions {
    /// The default options with a timeout.
    #[must_use]
    pub fn with_timeout(timeout: Option<Duration>) -> Self {
        Self { timeout, ..Self::default() }
    }

    /// The default options with these options of the stream.
    #[must_use]
    pub fn with_stream(stream: StreamOptions) -> Self {
        Self { stream, ..Self::default() }
    }
}

/// Options for listening.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListenOptions {
    /// The maximum number of connections waiting to be accepted. Default 4096; the system limits it further
    /// (`net.core.somaxconn`).
    pub backlog: u32,
    /// Bind although connections of an earlier process linger (`SO_REUSEADDR`). Default `true`.
    pub reuse_address: bool,
    /// The host for references instead of the bound one. Default `None`. An option in the URL
    /// (`iiop://:2809/hostname_in_ior=name`) takes precedence.
    pub published_host: Option<String>,
    /// Which addresses references may contain, and in which order. Default: no rules.
    pub publish_rules: PublishRules,
    /// Only bind, so that the address is taken and known, until [`Acceptor::listen`](crate::Acceptor::listen) is
    /// called. Default `false`.
    pub bind_only: bool,
    /// Options of accepted streams.
    pub stream: StreamOptions,
    /// The worker threads of the endpoint. Default: as the system starts them.
    pub workers: Workers,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            backlog: 4096,
            reuse_address: true,
            published_host: None,
            publish_rules: PublishRules::default(),
            bind_only: false,
            stream: StreamOptions::default(),
            workers: Workers::default(),
        }
    }
}

impl ListenOptions {
    /// The default options with these options of accepted streams.
    #[must_use]
    pub fn with_stream(stream: StreamOptions) -> Self {
        Self { stream, ..Self::default() }
    }
}
