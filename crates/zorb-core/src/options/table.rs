//! The one definition of every option.

mod protocols;
mod queues;
mod realtime;

use crate::collocation::CollocationStrategy;

pub(super) use queues::{MAX_QUEUED_CALLS, MAX_QUEUED_OCTETS};

/// The form of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// Any text.
    Text,
    /// URLs separated by `;` or `,`.
    Urls,
    /// Names separated by `;` or `,`.
    Names,
    /// `NAME=URL`; may be given more than once.
    NamedUrl,
    /// `NAME=WORDS`; may be given more than once.
    Named,
    /// A whole number between the two, both included.
    Number(u64, u64),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// One option: its names, form, default, unit and meaning.
#[derive(Debug)]
pub struct OptionSpec {
    /// The name as in `-ORBName`; matched without regard to case.
    pub name: &'static str,
    /// The key in `zorb.toml`; in capitals after `ZORB_` it is the environment variable.
    pub key: &'static str,
    /// The form of its value.
    pub kind: OptionKind,
    /// The default, as text.
    pub default: &'static str,
    /// The unit of a number: `"ms"`, `"us"`, `"octets"`, or empty.
    pub unit: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
}

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

/// Every option there is.
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
        help: "how long a thread that waits for a message looks for it before it sleeps, which wants a processor to itself; 0 sleeps at once",
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
        help: "class of service of TCP connections that routers see (DSCP); 0 leaves it to the system",
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
        help: "most octets a second that a TCP connection sends; 0 for no limit",
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
    OptionSpec {
        name: "SsliopCertificate",
        key: "ssliop_certificate",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "file in PEM with this side's certificate and the chain to its authority",
    },
    OptionSpec {
        name: "SsliopKey",
        key: "ssliop_key",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "file in PEM with the private key of SsliopCertificate",
    },
    OptionSpec {
        name: "SsliopRoots",
        key: "ssliop_roots",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "file in PEM with the certificates of the authorities that peers are checked by",
    },
    OptionSpec {
        name: "SsliopClientCertificates",
        key: "ssliop_client_certificates",
        kind: OptionKind::OneOf(&["required", "wished", "none"]),
        default: "required",
        unit: "",
        help: "whether clients over TLS have to show a certificate",
    },
    OptionSpec {
        name: "SsliopAllow",
        key: "ssliop_allow",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "clients that are let in over TLS, separated by ;, by subject, dns:NAME, ip:ADDRESS, uri:URI, email:ADDRESS or sha256:DIGITS; empty lets in all whose certificate is good",
    },
    OptionSpec {
        name: "SsliopServerName",
        key: "ssliop_server_name",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "name that certificates of servers have to be for, in place of the host that is called",
    },
    OptionSpec {
        name: "SsliopHandshakeTimeout",
        key: "ssliop_handshake_timeout",
        kind: OptionKind::Number(1, HOUR_MS),
        default: "10000",
        unit: "ms",
        help: "longest time that a TLS handshake may take",
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
    OptionSpec {
        name: "MiopHops",
        key: "miop_hops",
        kind: OptionKind::Number(0, 255),
        default: "1",
        unit: "",
        help: "how many networks requests to groups go through, the first one included; 0 keeps them on the machine",
    },
    OptionSpec {
        name: "MiopInterface",
        key: "miop_interface",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "interface that groups are reached over, by its name or IPv4 address; empty lets the system choose",
    },
    OptionSpec {
        name: "MiopLoopBack",
        key: "miop_loop_back",
        kind: OptionKind::OneOf(&["yes", "no"]),
        default: "yes",
        unit: "",
        help: "whether requests to groups also go to members on the sender's machine",
    },
];

impl OptionSpec {
    /// The environment variable that sets this option.
    pub fn variable(&self) -> String {
        format!("ZORB_{}", self.key.to_ascii_uppercase())
    }

    pub(super) fn parse_number(&self, value: &str) -> Result<u64, String> {
        let OptionKind::Number(least, most) = self.kind else {
            return Err("not a number".to_owned());
        };
        let number: u64 = value
            .trim()
            .parse()
            .map_err(|_| format!("expected a number from {least} to {most}"))?;
        if (least..=most).contains(&number) {
            Ok(number)
        } else {
            Err(format!("out of range: {least} to {most} {}", self.unit).trim_end().to_owned())
        }
    }
}

/// The option with this `-ORB` name or file key, without regard to case.
pub(super) fn find(name: &str) -> Option<&'static OptionSpec> {
    TABLE
        .iter()
        .find(|spec| spec.name.eq_ignore_ascii_case(name) || spec.key.eq_ignore_ascii_case(name))
}

/// The option whose name shares the longest beginning with `name`, for hints.
pub(super) fn nearest(name: &str) -> Option<&'static OptionSpec> {
    let shared = |spec: &OptionSpec| {
        let pairs = spec.name.bytes().zip(name.bytes());
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    };
    // Of equals the shortest, which has the least left over.
    let closeness = |spec: &&OptionSpec| (shared(spec), std::cmp::Reverse(spec.name.len()));
    TABLE.iter().max_by_key(closeness).filter(|spec| shared(spec) >= 3)
}
