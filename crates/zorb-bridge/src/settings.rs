//! What can be chosen about a bridge.

use std::time::Duration;

use zorb_transport::{StreamOptions, WaitPolicy};

/// What can be chosen about a [`Bridge`](crate::Bridge). Write it with `..Default::default()` at the
/// end: fields will be added.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Lets clients reach every object of the target's server, by its object key. Default `false`: the
    /// target alone, and objects that it has forwarded clients to.
    pub all_objects: bool,
    /// The longest wait for a connection to the server. Default 10 s.
    pub connect_timeout: Duration,
    /// The longest wait for either side to take octets; the connections end then. Default 60 s.
    pub send_timeout: Duration,
    /// How long a client may be silent before its connection is closed, unless a reply of its is still
    /// to come; `None` waits for ever. Default 300 s.
    pub idle_timeout: Option<Duration>,
    /// The most clients at once; further ones are turned away. Default 1024.
    pub max_connections: usize,
    /// The largest message, of fragmented ones the largest part, in octets. Default 64 MiB.
    pub max_message_size: usize,
    /// How connections on both sides are set up.
    pub stream: StreamOptions,
    /// How threads wait for octets.
    pub wait: WaitPolicy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            all_objects: false,
            connect_timeout: Duration::from_secs(10),
            send_timeout: Duration::from_secs(60),
            idle_timeout: Some(Duration::from_secs(300)),
            max_connections: 1024,
            max_message_size: 64 << 20,
            stream: StreamOptions::default(),
            wait: WaitPolicy::default(),
        }
    }
}
