//! The options of every ORB.

use std::time::Duration;

use zorb_transport::{NameValuePairs, PublishRules};

use super::{CharCodeSet, CollocationStrategy, ListenFrom, SendEndTimes};

const HOUR_MS: u64 = 3_600_000;

/// The definition, from which this module generates the struct, and that of the builder the setters.
#[doc(hidden)]
#[macro_export]
macro_rules! orb_options {
    ($($setters:tt)*) => {
        zorb_transport::options! {
            $($setters)*
            /// The options of every ORB, independent of its protocols and extensions.
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct OrbOptions of "orb", set by (elsewhere) {
                /// Name of this ORB among the ORBs of the process, which is in the names of its threads and in its log.
                "Id" id: String = String::new();
                // tidy: allow(neutral): an example for people
                /// Endpoints to listen on, such as iiop://host:port; without any, an ephemeral port is opened when
                /// the first reference is made.
                "ListenEndpoints" listen_endpoints: Vec<String> = Vec::new();
                /// When the ORB begins to listen: when its first reference is made, which activating an object does, or
                /// when the program serves (run, perform_work or serve). The addresses are bound before that.
                "ListenFrom" listen_from: ListenFrom = ListenFrom::Activation;
                /// Addresses that references may contain, in the order of rules; each rule is ipv4, ipv6, loopback,
                /// link-local, private, an address, a network such as 10.0.0.0/8, interface=NAME or name=HOST, or one
                /// of these after a - to exclude it; the first that applies decides; empty for the machine's first
                /// reachable address.
                "PublishRules" publish_rules: PublishRules = PublishRules::default();
                /// Protocols that the ORB uses, by scheme, the default one to listen with first; or, each after a
                /// -, those that it does not use; empty for all.
                "Protocols" protocols: Vec<String> = Vec::new();
                // tidy: allow(neutral): an example for people
                /// Protocols that calls use, by scheme, in order of preference, such as uiop,iiop; references with
                /// none of them cannot be called, unless the list ends in any; empty for all.
                "ClientProtocols" client_protocols: Vec<String> = Vec::new();
                /// Folders with sockets that references in messages may lead to, @ for abstract names, besides sockets
                /// with generated names in the folder for them, and those of references that the program resolves.
                "LocalSocketFolders" local_socket_folders: Vec<String> = Vec::new();
                /// Protocols to listen with, by scheme, in the order of their profiles in references; endpoints of
                /// other protocols are not opened, and without endpoints each protocol gets an ephemeral one.
                "ServerProtocols" server_protocols: Vec<String> = Vec::new();
                /// Initial reference, such as NameService=corbaloc::host/NameService.
                "InitRef" init_ref: NameValuePairs = Vec::new();
                /// URL prefix of the initial references that InitRef does not name, such as corbaloc::host.
                "DefaultInitRef" default_init_ref: String = String::new();
                /// Whether references to persistent objects contain the address of the implementation repository, the
                /// initial reference ImplRepoService, which starts the server when it is needed; the server tells it the
                /// names of its persistent adapters below the root, and its address, when it serves.
                "UseImr" use_imr: bool = false;
                /// Maximum time to establish a connection.
                "ConnectTimeout" connect_timeout: Duration = Duration::from_secs(10), 1..=HOUR_MS, "ms";
                /// Maximum total time to connect to an object at all its addresses; at least ConnectTimeout.
                "MaxConnectTime" max_connect_time: Duration = Duration::from_secs(30), 1..=HOUR_MS, "ms";
                /// Time until an endpoint that could not be reached is tried again; it doubles with each failure, and
                /// varies at random between half and all of that; calls wait for it if their deadline permits; 0
                /// tries at once.
                "ReconnectDelay" reconnect_delay: Duration = Duration::from_millis(10), 0..=HOUR_MS, "ms";
                /// Maximum time between two attempts to connect to an endpoint that cannot be reached.
                "MaxReconnectDelay" max_reconnect_delay: Duration = Duration::from_secs(1), 1..=HOUR_MS, "ms";
                /// Time after which calls that use a later address of a reference, because an earlier one could not
                /// be reached, try the earlier ones again; 0 for never.
                "FailbackTime" failback_time: Option<Duration> = Some(Duration::from_secs(60)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum time of a call, from its beginning to its reply; 0 for no limit but MaxReplyWait.
                "RoundTripTimeout" round_trip_timeout: Option<Duration> = None, 0..=HOUR_MS, "ms";
                /// Maximum time that a call without any other limit waits for its servers, in all of its attempts together; 0
                /// for no limit.
                "MaxReplyWait" max_reply_wait: Option<Duration> = Some(Duration::from_secs(300)),
                    0..=24 * HOUR_MS, "ms";
                /// Servers that receive the end times of calls with time limits: those whose references contain the
                /// policy ServeInTime, or all.
                "SendEndTimes" send_end_times: SendEndTimes = SendEndTimes::Requested;
                /// Idle time after which a server closes a connection, and a client one that it has opened, at most a
                /// quarter later; clients reconnect transparently; 0 for no limit.
                "IdleTimeout" idle_timeout: Option<Duration> = Some(Duration::from_secs(300)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum time from the first octet of a message until a server has received it whole; then the
                /// connection is closed; 0 for no limit.
                "MessageTimeout" message_timeout: Option<Duration> = Some(Duration::from_secs(60)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum time from accepting a connection until the first octet of a message; then the connection
                /// is closed; 0 for no limit.
                "FirstMessageTimeout" first_message_timeout: Option<Duration> = Some(Duration::from_secs(30)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum time that sending a reply, or a queued one-way call, waits for a peer that does not read;
                /// then the connection is closed.
                "SendTimeout" send_timeout: Duration = Duration::from_secs(60), 1..=HOUR_MS, "ms";
                /// Time between a signal that ends a server and its shutdown. Meanwhile the server reports that it is not
                /// ready and still serves new requests, so load balancers can redirect clients; 0 for none.
                "ShutdownDrain" shutdown_drain: Duration = Duration::ZERO, 0..=HOUR_MS, "ms";
                /// Maximum time that a shutdown waits for upcalls that are running; then it names them in the log and
                /// ends without them; 0 for no limit.
                "ShutdownGrace" shutdown_grace: Option<Duration> = Some(Duration::from_secs(30)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum size of the replies that a server's connection queues for a client that does not read; a
                /// larger reply is queued alone; beyond the limit the connection is closed.
                "MaxQueuedReplyOctets" max_queued_reply_octets: usize = 64 << 20, 1..=1 << 40, "octets";
                /// Maximum busy-wait for a message before blocking; each waiting thread then needs a processor of
                /// its own; shorter on connections whose busy-waits find nothing; 0 blocks immediately.
                "BusyWait" busy_wait: Duration = Duration::ZERO, 0..=1_000_000, "us";
                /// Minimum size of a sequence of octets or numbers at the end of a message that is sent directly from
                /// the caller's memory instead of being copied into the message.
                "CopyThreshold" copy_threshold: usize = 16 << 10, 1..=1 << 31, "octets";
                /// Initial size of the request buffer of a client's connection.
                "Preallocate" preallocate: usize = 0, 0..=1 << 30, "octets";
                /// Maximum size of a received GIOP message, fragments joined, and total size of the
                /// incomplete messages of a connection.
                "MaxMessageSize" max_message_size: usize = 64 << 20, 1024..=1 << 31, "octets";
                /// Maximum size of the messages in memory, beyond the 64 KiB that each connection may use: those that
                /// are being received, wait to be served, and wait for a client to read; 0 for what the ORBs of the
                /// process share, a quarter of the memory.
                "MaxBufferedOctets" max_buffered_octets: usize = 0, 0..=1 << 40, "octets";
                /// Maximum part of MaxBufferedOctets for the connections to one IP address, and for those to local
                /// peers together; decoded values may take half of it; 0 for half.
                "MaxBufferedOctetsPerPeer" max_buffered_octets_per_peer: usize = 0, 0..=1 << 40, "octets";
                /// Maximum size of a GIOP 1.2 request that is sent whole; larger ones are sent in fragments; 0
                /// never fragments.
                "FragmentSize" fragment_size: Option<u32> = None, 0..=1 << 30, "octets";
                /// Whether octets after the last argument or result of a message are ignored; otherwise they are a
                /// MARSHAL exception, since the peer's IDL is probably different.
                "AllowExtraOctets" allow_extra_octets: bool = false;
                /// Maximum number of clients that have connected to an endpoint and wait to be accepted; the system
                /// limits it further (net.core.somaxconn on Linux).
                "Backlog" backlog: u32 = 4096, 1..=1 << 30;
                /// Maximum number of connections that a server has open; when another client connects, the one
                /// that has been idle for longest is closed; 0 for as many as the process has descriptors, threads
                /// and memory for, at most 1,024.
                "MaxConnections" max_connections: usize = 0, 0..=1 << 20;
                /// Maximum number of connections that a server, and each lane of its pools, has open to one IP
                /// address; when that address connects again, its own connection that has been idle for longest is
                /// closed; 0 for half of all, at most 512.
                "MaxConnectionsPerPeer" max_connections_per_peer: usize = 0, 0..=1 << 20;
                /// Maximum number of connections that the clients of the process may have open when this ORB opens
                /// another; at the limit, the least recently used idle connection is closed, except those of queues of
                /// one-way calls; if all are in use, the call waits in order until its time to connect is over; 0 for
                /// what accepted connections leave of seven eighths of the descriptors, at least an eighth of that.
                "MaxClientConnections" max_client_connections: usize = 0, 0..=1 << 20;
                /// Maximum number of connections that a client opens to one endpoint, not counting those of queues of
                /// one-way calls; further callers wait for one, except inside upcalls.
                "MaxConnectionsPerEndpoint" max_connections_per_endpoint: usize = 64, 1..=65_535;
                /// Maximum time that a caller waits for a connection while other calls use all of them; 0 for no
                /// limit.
                "MaxConnectionWait" max_connection_wait: Option<Duration> = Some(Duration::from_secs(60)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum number of callers that wait for connections to one endpoint, for room on one that calls share, or
                /// until an endpoint that could not be reached is tried again; further ones get TRANSIENT at once; 0 for none.
                "MaxWaitingCalls" max_waiting_calls: usize = 65_536, 0..=1 << 20;
                /// Maximum number of concurrent calls on a client's connection; above 1, calls share connections
                /// when MaxConnectionsPerEndpoint are open.
                "MaxCallsPerConnection" max_calls_per_connection: usize = 1, 1..=1024;
                /// Maximum number of pending calls in the process, from sending until their results are taken; when it
                /// is reached, further ones that this ORB sends get TRANSIENT.
                "MaxPendingCalls" max_pending_calls: usize = 131_072, 0..=1 << 24;
                /// Maximum number of pending calls without a reply on a connection.
                "MaxPendingCallsPerConnection" max_pending_calls_per_connection: usize = 16_384, 0..=65_536;
                /// Size of the arguments of the pending calls without a reply in the process at which further ones get
                /// TRANSIENT.
                "MaxPendingOctets" max_pending_octets: usize = 64 << 20, 1..=1 << 40, "octets";
                /// Maximum size of the requests above 64 KiB to one endpoint that are being sent or wait for their replies;
                /// a larger request is sent alone; further ones get TRANSIENT.
                "MaxRequestOctetsPerEndpoint" max_request_octets_per_endpoint: usize = 1 << 30, 1..=1 << 40, "octets";
                /// Maximum number of one-way calls in the send queue of a client's connection.
                "MaxQueuedCalls" max_queued_calls: usize = 256, 1..=1 << 20;
                /// Maximum size of the one-way calls in the send queue of a client's connection; a larger call is
                /// queued alone.
                "MaxQueuedOctets" max_queued_octets: usize = 1 << 20, 1..=1 << 31, "octets";
                /// Maximum number of threads that the ORBs of the process have when this one starts another: for
                /// accepting, connections, lanes and queues of one-way calls; 0 for half of those that the system
                /// permits, at most 65,536.
                "MaxThreads" max_threads: usize = 0, 0..=1 << 20;
                /// Maximum part of MaxThreads for the connections to one IP address, and for those to local peers together,
                /// of all ORBs of the process; 0 for half.
                "MaxThreadsPerPeer" max_threads_per_peer: usize = 0, 0..=1 << 20;
                /// Maximum number of threads that serve one connection while its upcalls block.
                "MaxThreadsPerConnection" max_threads_per_connection: usize = 16, 1..=1024;
                /// Maximum number of requests in a queue of held requests, such as that of a POA manager in the holding
                /// state. Half of them may come from one IP address, or from all local peers together.
                "MaxHeldRequests" max_held_requests: usize = 512, 0..=1 << 20;
                /// Maximum size of the requests in a queue of held requests; half of it per peer.
                "MaxHeldOctets" max_held_octets: usize = 64 << 20, 0..=1 << 40, "octets";
                /// Maximum time that a request is held; 0 for no limit.
                "MaxHeldTime" max_held_time: Option<Duration> = Some(Duration::from_secs(60)),
                    0..=24 * HOUR_MS, "ms";
                /// Maximum number of requests that wait for deferred replies. Half of them may come from one IP
                /// address, or from local peers together, at all ORBs that share the memory for messages.
                "MaxDeferredRequests" max_deferred_requests: usize = 1 << 18, 0..=1 << 24;
                /// Maximum number of location forwards that one call follows.
                "MaxForwards" max_forwards: u32 = 8, 0..=1024;
                /// Time that an upcall may run before another thread takes over its connection.
                "StallTakeover" stall_takeover: Duration = Duration::from_millis(20), 1..=HOUR_MS, "ms";
                /// How stubs call objects of their own ORB: through the object adapter, directly on the servant, or
                /// by messages in memory, as if the object were remote.
                "CollocationStrategy" collocation_strategy: CollocationStrategy = CollocationStrategy::ThruPoa;
                /// Native code set of char and string, which references publish and clients prefer; iso-8859-1 for
                /// peers whose char has characters that are not ASCII.
                "NativeCharCodeSet" native_char_code_set: CharCodeSet = CharCodeSet::Utf8;
            }
        }
    };
}

orb_options!();
