//! The one definition of every option of the ORB itself. Those of protocols come with them.

mod protocols;
mod queues;
mod realtime;

use zorb_transport::{OptionKind, OptionSpec};

use crate::collocation::CollocationStrategy;

pub(super) use queues::{MAX_QUEUED_CALLS, MAX_QUEUED_OCTETS};

pub(super) const CONNECT_TIMEOUT_MS: u64 = 10_000;
pub(super) const IDLE_TIMEOUT_MS: u64 = 300_000;
pub(super) const SEND_TIMEOUT_MS: u64 = 60_000;
pub(super) const COPY_THRESHOLD: u64 = 16 << 10;
pub(super) const MAX_MESSAGE_SIZE: u64 = 64 << 20;
pub(super) const MAX_CONNECTIONS: u64 = 1024;
pub(super) const MAX_CONNECTIONS_PER_ENDPOINT: u64 = 64;
pub(super) const MAX_CALLS_PER_CONNECTION: u64 = 1;
pub(super) const MAX_THREADS_PER_CONNECTION: u64 = 16;
pub(super) const MAX_HELD_REQUESTS: u64 = 256;
pub(super) const MAX_FORWARDS: u64 = 8;
pub(super) const STALL_TAKEOVER_MS: u64 = 20;

const HOUR_MS: u64 = 3_600_000;

/// The options of every ORB, whatever protocols it has; an ORB's own
/// [table](super::Options::table) has those of its protocols too.
pub static TABLE: &[OptionSpec] = &[
    OptionSpec {
        name: "Id",
        key: "id",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "name of this ORB among those of the process",
    },
    OptionSpec {
        name: "ListenEndpoints",
        key: "listen_endpoints",
        kind: OptionKind::Urls,
        default: "",
        unit: "",
        // tidy: allow(neutral): an example for people
        help: "where to listen, as in iiop://host:port; without it an ephemeral port is opened when the first reference is made",
    },
    protocols::PROTOCOLS,
    protocols::CLIENT_PROTOCOLS,
    protocols::SERVER_PROTOCOLS,
    OptionSpec {
        name: "InitRef",
        key: "init_ref",
        kind: OptionKind::NamedUrl,
        default: "",
        unit: "",
        help: "an initial reference, as in NameService=corbaloc::host/NameService",
    },
    OptionSpec {
        name: "DefaultInitRef",
        key: "default_init_ref",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "URL prefix of initial references that InitRef does not name, as in corbaloc::host",
    },
    OptionSpec {
        name: "ConnectTimeout",
        key: "connect_timeout",
        kind: OptionKind::Number(1, HOUR_MS),
        default: "10000",
        unit: "ms",
        help: "longest wait for a connection",
    },
    OptionSpec {
        name: "RoundTripTimeout",
        key: "round_trip_timeout",
        kind: OptionKind::Number(0, HOUR_MS),
        default: "0",
        unit: "ms",
        help: "longest wait for a reply; 0 waits for ever",
    },
    OptionSpec {
        name: "IdleTimeout",
        key: "idle_timeout",
        kind: OptionKind::Number(0, 24 * HOUR_MS),
        default: "300000",
        unit: "ms",
        help: "how long a served connection may be silent before it is closed, which clients mend unseen; 0 is for ever",
    },
    OptionSpec {
        name: "SendTimeout",
        key: "send_timeout",
        kind: OptionKind::Number(1, HOUR_MS),
        default: "60000",
        unit: "ms",
        help: "longest wait of a server for a client to take a reply; the connection ends then",
    },
    OptionSpec {
        name: "Spin",
        key: "spin",
        kind: OptionKind::Number(0, 1_000_000),
        default: "0",
        unit: "us",
        help: "how long at most a thread that waits for a message looks for it before it sleeps, which wants a processor to itself; less on connections whose waits end in sleep; 0 sleeps at once",
    },
    OptionSpec {
        name: "SndSock",
        key: "snd_sock",
        kind: OptionKind::Number(0, 1 << 30),
        default: "0",
        unit: "octets",
        help: "size of the sockets' send queues; 0 leaves it to the system",
    },
    OptionSpec {
        name: "RcvSock",
        key: "rcv_sock",
        kind: OptionKind::Number(0, 1 << 30),
        default: "0",
        unit: "octets",
        help: "size of the sockets' receive queues; 0 leaves it to the system",
    },
    OptionSpec {
        name: "CopyThreshold",
        key: "copy_threshold",
        kind: OptionKind::Number(1, 1 << 31),
        default: "16384",
        unit: "octets",
        help: "from which size on a sequence of octets or numbers at the end of a request or reply is sent from where it lies, not copied into the message first",
    },
    OptionSpec {
        name: "NoDelay",
        key: "no_delay",
        kind: OptionKind::OneOf(&["yes", "no"]),
        default: "yes",
        unit: "",
        help: "whether TCP sends small messages at once",
    },
    OptionSpec {
        name: "KeepAlive",
        key: "keep_alive",
        kind: OptionKind::OneOf(&["yes", "no"]),
        default: "no",
        unit: "",
        help: "whether the system probes idle TCP connections",
    },
    OptionSpec {
        name: "DontRoute",
        key: "dont_route",
        kind: OptionKind::OneOf(&["yes", "no"]),
        default: "no",
        unit: "",
        help: "whether sockets of TCP and UDP send to hosts of this one's own networks alone, past all routers",
    },
    OptionSpec {
        name: "Dscp",
        key: "dscp",
        kind: OptionKind::Number(0, 63),
        default: "0",
        unit: "",
        help: "class of service of what TCP and UDP send, which routers see (DSCP); 0 leaves it to the system",
    },
    OptionSpec {
        name: "SocketPriority",
        key: "socket_priority",
        kind: OptionKind::Number(0, 15),
        default: "0",
        unit: "",
        help: "priority of TCP and UDP among what this machine sends (SO_PRIORITY), from 7 on for privileged processes; 0 leaves it to the system",
    },
    OptionSpec {
        name: "PacingRate",
        key: "pacing_rate",
        kind: OptionKind::Number(0, 1 << 40),
        default: "0",
        unit: "octets/s",
        help: "most octets a second that a TCP connection sends, or with the queue fq a socket of UDP; 0 for no limit",
    },
    OptionSpec {
        name: "Preallocate",
        key: "preallocate",
        kind: OptionKind::Number(0, 1 << 30),
        default: "0",
        unit: "octets",
        help: "memory that a client's connection has for requests from the start",
    },
    OptionSpec {
        name: "MaxMessageSize",
        key: "max_message_size",
        kind: OptionKind::Number(1024, 1 << 31),
        default: "67108864",
        unit: "octets",
        help: "largest GIOP message accepted, fragments joined; also the most octets of incomplete messages on a connection",
    },
    OptionSpec {
        name: "FragmentSize",
        key: "fragment_size",
        kind: OptionKind::Number(0, 1 << 30),
        default: "0",
        unit: "octets",
        help: "most octets of a request that is sent in one piece, by GIOP 1.2, larger ones being sent in fragments; 0 never cuts",
    },
    OptionSpec {
        name: "MaxConnections",
        key: "max_connections",
        kind: OptionKind::Number(1, 1 << 20),
        default: "1024",
        unit: "",
        help: "most connections served at once",
    },
    OptionSpec {
        name: "MaxConnectionsPerEndpoint",
        key: "max_connections_per_endpoint",
        kind: OptionKind::Number(1, 65_535),
        default: "64",
        unit: "",
        help: "most connections opened to one endpoint; further callers wait for one, except inside upcalls",
    },
    OptionSpec {
        name: "MaxCallsPerConnection",
        key: "max_calls_per_connection",
        kind: OptionKind::Number(1, 1024),
        default: "1",
        unit: "",
        help: "most calls at once over a client's connection; beyond 1, calls share connections when MaxConnectionsPerEndpoint are open",
    },
    queues::CALLS,
    queues::OCTETS,
    OptionSpec {
        name: "MaxThreadsPerConnection",
        key: "max_threads_per_connection",
        kind: OptionKind::Number(1, 1024),
        default: "16",
        unit: "",
        help: "most threads that serve one connection while its upcalls block",
    },
    OptionSpec {
        name: "MaxHeldRequests",
        key: "max_held_requests",
        kind: OptionKind::Number(0, 1 << 20),
        default: "256",
        unit: "",
        help: "most requests that a holding POA manager keeps waiting",
    },
    OptionSpec {
        name: "MaxForwards",
        key: "max_forwards",
        kind: OptionKind::Number(0, 1024),
        default: "8",
        unit: "",
        help: "most location forwards followed by one call",
    },
    OptionSpec {
        name: "StallTakeover",
        key: "stall_takeover",
        kind: OptionKind::Number(1, HOUR_MS),
        default: "20",
        unit: "ms",
        help: "how long an upcall may run before another thread reads on from its connection",
    },
    OptionSpec {
        name: "CollocationStrategy",
        key: "collocation_strategy",
        kind: OptionKind::OneOf(CollocationStrategy::NAMES),
        default: "thru_poa",
        unit: "",
        help: "how stubs call objects of their own ORB: through the object adapter, directly, or like remote ones",
    },
    realtime::MAPPING,
    realtime::LOWEST_PRIORITY,
    realtime::HIGHEST_PRIORITY,
    realtime::SCHEDULING,
    realtime::DENIED,
    realtime::LOCK_MEMORY,
    realtime::NETWORK,
    realtime::POOL,
    realtime::ADAPTER,
    realtime::MAX_CLIENT_PRIORITY,
    realtime::BANDS,
    realtime::PRIVATE_CONNECTIONS,
    realtime::ONEWAYS,
    realtime::REQUEST_TIMEOUT,
    realtime::END_TIMES,
    realtime::PROTOCOLS,
];

/// The option with this `-ORB` name or file key among these, without regard to case.
pub(super) fn find(
    mut all: impl Iterator<Item = &'static OptionSpec>,
    name: &str,
) -> Option<&'static OptionSpec> {
    all.find(|spec| spec.name.eq_ignore_ascii_case(name) || spec.key.eq_ignore_ascii_case(name))
}

/// The option among these whose name shares the longest beginning with `name`, for hints.
pub(super) fn nearest(
    all: impl Iterator<Item = &'static OptionSpec>,
    name: &str,
) -> Option<&'static OptionSpec> {
    let shared = |spec: &OptionSpec| {
        let pairs = spec.name.bytes().zip(name.bytes());
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    };
    // Of equals the shortest, which has the least left over.
    let closeness = |spec: &&OptionSpec| (shared(spec), std::cmp::Reverse(spec.name.len()));
    all.max_by_key(closeness).filter(|spec| shared(spec) >= 3)
}
