//! What can be chosen about connections.
//!
//! Write these with `..Default::default()` at the end: fields will be added.

use std::time::Duration;

use crate::Workers;

/// How a connected stream is set up, on both sides. A transport passes over what it has no
/// counterpart for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StreamOptions {
    /// Send small messages at once (`TCP_NODELAY`). Default `true`: a request or reply is
    /// written whole, so waiting for more only adds delay.
    pub no_delay: bool,
    /// Let the system probe idle connections (`SO_KEEPALIVE`). Default `false`.
    pub keep_alive: bool,
    /// The system's send buffer in bytes (`SO_SNDBUF`). Default `None`: the system's choice.
    /// The in-process transport uses it as the size of its pipe.
    pub send_buffer: Option<usize>,
    /// The system's receive buffer in bytes (`SO_RCVBUF`). Default `None`: the system's choice.
    pub recv_buffer: Option<usize>,
    /// Send to hosts of this one's own networks alone, past all routers (`SO_DONTROUTE`). Default
    /// `false`.
    pub dont_route: bool,
    /// The class of service that routers see (DSCP, 0 to 63). Default `None`: the system's choice.
    pub dscp: Option<u8>,
    /// The priority of what is sent among what this machine sends (`SO_PRIORITY`): queueing
    /// disciplines go by it. From 7 on it takes a privilege. Default `None`: what the class of
    /// service has the system choose.
    pub priority: Option<u32>,
    /// The most octets a second that are sent (`SO_MAX_PACING_RATE`). Default `None`: no limit.
    pub pacing: Option<u64>,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            no_delay: true,
            keep_alive: false,
            send_buffer: None,
            recv_buffer: None,
            dont_route: false,
            dscp: None,
            priority: None,
            pacing: None,
        }
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
