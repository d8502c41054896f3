//! Settings of a bridge.

use std::time::Duration;

use zorb_transport::{StreamOptions, WaitPolicy};

/// Settings of a [`Bridge`](crate::Bridge). End a struct expression with `..Default::default()`,
/// because fields will be added.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether clients may access every object of the target's server by its object key. Default
    /// `false`: only the target, and objects that it has forwarded clients to.
    pub all_objects: bool,
    /// The connect timeout to the server. Default 10 s.
    pub connect_timeout: Duration,
    /// The send timeout to either side; the connections are closed then. Default 60 s.
    pub send_timeout: Duration,
    /// The idle timeout of a client without outstanding replies; `None` disables it. Default 300 s.
    pub idle_timeout: Option<Duration>,
    /// The maximum number of concurrent clients; further ones are rejected. Default 1024.
    pub max_connections: usize,
    /// The maximum size of a message or fragment, in octets. Default 64 MiB.
    pub max_message_size: usize,
    /// The maximum size of all messages that are buffered, beyond 64 KiB for each direction of a connection, in octets;
    /// 0 for what bridges and ORBs of the process share, a quarter of the memory. A message is buffered until its header
    /// is complete; all of it if the bridge rewrites headers. Default 0.
    pub max_buffered_octets: usize,
    /// The part of it for the connections to one IP address, and for those to local peers together; 0 for half. Default 0.
    pub max_buffered_octets_per_peer: usize,
    /// The stream options of connections on both sides.
    pub stream: StreamOptions,
    /// The strategy by which threads wait for octets.
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
            max_buffered_octets: 0,
            max_buffered_octets_per_peer: 0,
            stream: StreamOptions::default(),
            wait: WaitPolicy::default(),
        }
    }
}
