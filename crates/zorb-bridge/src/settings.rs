//! Settings of a bridge.

use std::time::Duration;

use zorb_transport::{PublishRules, StreamOptions, WaitPolicy};

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
    /// The limit from the first octet of a client's message to the last; `None` for none. Default 60 s.
    pub message_timeout: Option<Duration>,
    /// The limit from accepting a client to its first octet, a handshake included; `None` for none. Default 30 s.
    pub first_message_timeout: Option<Duration>,
    /// The maximum number of concurrent clients; 0 for as many as the process has descriptors, threads and memory for,
    /// at most 1024; each client needs two of each. At the limit the bridge closes the client that has been idle for
    /// longest or, if none is idle, the one that has left replies unread for longest. If there is neither, it rejects
    /// the new client. Default 0.
    pub max_connections: usize,
    /// The same for the clients at one IP address, or one IPv6 network of 64 bits; 0 for half, at most 512.
    /// Default 0.
    pub max_connections_per_peer: usize,
    /// The maximum number of threads of all bridges and ORBs of the process, above which bridges start none; 0 for
    /// half of what the system permits. Default 0.
    pub max_threads: usize,
    /// The maximum size of a message or fragment, in octets. Default 64 MiB.
    pub max_message_size: usize,
    /// The maximum size of all messages that are buffered, beyond 64 KiB for each direction of a connection, in octets;
    /// 0 for what bridges and ORBs of the process share, a quarter of the memory. A message is buffered until its header
    /// is complete; all of it if the bridge rewrites headers. Default 0.
    pub max_buffered_octets: usize,
    /// The part of it for the connections to one IP address, and for those to local peers together; 0 for half. Default 0.
    pub max_buffered_octets_per_peer: usize,
    /// Which addresses the bridge's references may contain, and in which order. Default: no rules.
    pub publish_rules: PublishRules,
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
            message_timeout: Some(Duration::from_secs(60)),
            first_message_timeout: Some(Duration::from_secs(30)),
            max_connections: 0,
            max_connections_per_peer: 0,
            max_threads: 0,
            max_message_size: 64 << 20,
            max_buffered_octets: 0,
            max_buffered_octets_per_peer: 0,
            publish_rules: PublishRules::default(),
            stream: StreamOptions::default(),
            wait: WaitPolicy::default(),
        }
    }
}
