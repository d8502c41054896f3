//! The options of real-time programs: what `zorb-rt` takes.

use super::{HOUR_MS, OptionKind, OptionSpec};

pub(super) const MAPPING: OptionSpec = OptionSpec {
    name: "RtMapping",
    key: "rt_mapping",
    kind: OptionKind::OneOf(&["linear", "direct", "continuous"]),
    default: "linear",
    unit: "",
    help: "what CORBA's priorities are in the system's scheduler, where the program does not say",
};

pub(super) const LOWEST_PRIORITY: OptionSpec = OptionSpec {
    name: "RtLowestPriority",
    key: "rt_lowest_priority",
    kind: OptionKind::Number(0, 99),
    default: "0",
    unit: "",
    help: "lowest of the system's priorities that RtMapping leads to; 0 is no real-time one, and continuous begins at 1 by default",
};

pub(super) const HIGHEST_PRIORITY: OptionSpec = OptionSpec {
    name: "RtHighestPriority",
    key: "rt_highest_priority",
    kind: OptionKind::Number(0, 99),
    default: "89",
    unit: "",
    help: "highest of the system's priorities that RtMapping leads to",
};

pub(super) const SCHEDULING: OptionSpec = OptionSpec {
    name: "RtScheduling",
    key: "rt_scheduling",
    kind: OptionKind::OneOf(&["fifo", "rr"]),
    default: "fifo",
    unit: "",
    help: "how threads of one real-time priority share a processor: each until it waits, or in turns",
};

pub(super) const DENIED: OptionSpec = OptionSpec {
    name: "RtDenied",
    key: "rt_denied",
    kind: OptionKind::OneOf(&["run", "refuse"]),
    default: "run",
    unit: "",
    help: "what becomes of calls where the system does not let their priorities be set",
};

pub(super) const LOCK_MEMORY: OptionSpec = OptionSpec {
    name: "RtLockMemory",
    key: "rt_lock_memory",
    kind: OptionKind::OneOf(&["no", "yes"]),
    default: "no",
    unit: "",
    help: "whether all memory of a real-time program stays resident, and stacks are touched before they are used",
};

pub(super) const NETWORK: OptionSpec = OptionSpec {
    name: "RtNetwork",
    key: "rt_network",
    kind: OptionKind::OneOf(&["none", "linear"]),
    default: "none",
    unit: "",
    help: "classes in the network of connections that serve one priority: those of Dscp, or linear",
};

pub(super) const POOL: OptionSpec = OptionSpec {
    name: "RtPool",
    key: "rt_pool",
    kind: OptionKind::Named,
    default: "",
    unit: "",
    help: "a thread pool of a real-time program, as in control=1000:2 30000:1+1: lanes of a priority with static and dynamic threads, and settings",
};

pub(super) const ADAPTER: OptionSpec = OptionSpec {
    name: "RtAdapter",
    key: "rt_adapter",
    kind: OptionKind::Named,
    default: "",
    unit: "",
    help: "real-time policies of object adapters by their names, / for the root, * for all others below it, as in valves=server-declared=20000 pool=control",
};

pub(super) const MAX_CLIENT_PRIORITY: OptionSpec = OptionSpec {
    name: "RtMaxClientPriority",
    key: "rt_max_client_priority",
    kind: OptionKind::Number(0, 32_767),
    default: "32767",
    unit: "",
    help: "highest CORBA priority that clients have upcalls and threads of a real-time server run at; what they send beyond it counts as it",
};

pub(super) const BANDS: OptionSpec = OptionSpec {
    name: "RtBands",
    key: "rt_bands",
    kind: OptionKind::Text,
    default: "",
    unit: "",
    help: "bands of priorities that a real-time program's calls have connections of their own for, as in 0-9999,10000-32767; empty for none",
};

pub(super) const PRIVATE_CONNECTIONS: OptionSpec = OptionSpec {
    name: "RtPrivateConnections",
    key: "rt_private_connections",
    kind: OptionKind::OneOf(&["no", "yes"]),
    default: "no",
    unit: "",
    help: "whether each reference of a real-time program has connections of its own",
};

pub(super) const ONEWAYS: OptionSpec = OptionSpec {
    name: "RtOneways",
    key: "rt_oneways",
    kind: OptionKind::OneOf(&["direct", "queued"]),
    default: "direct",
    unit: "",
    help: "whether one-way calls of a real-time program go straight to the system, or wait in a queue that MaxQueuedCalls and MaxQueuedOctets limit",
};

pub(super) const REQUEST_TIMEOUT: OptionSpec = OptionSpec {
    name: "RtRequestTimeout",
    key: "rt_request_timeout",
    kind: OptionKind::Number(0, HOUR_MS),
    default: "0",
    unit: "ms",
    help: "longest time until a request of a real-time program is sent, connecting included; 0 for no limit but that of the call",
};

pub(super) const END_TIMES: OptionSpec = OptionSpec {
    name: "RtEndTimes",
    key: "rt_end_times",
    kind: OptionKind::OneOf(&["asked", "all"]),
    default: "asked",
    unit: "",
    help: "which servers a real-time program tells until when its requests are of use, where calls have limits of time: those whose references ask for it, or all",
};

pub(super) const PROTOCOLS: OptionSpec = OptionSpec {
    name: "RtProtocols",
    key: "rt_protocols",
    kind: OptionKind::Text,
    default: "",
    unit: "",
    help: "protocols of a real-time program's calls in their order, and what connections of each are like, in the words that RtAdapter has for those of adapters; empty for what other options say",
};
