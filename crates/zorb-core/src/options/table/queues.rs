//! The options of queues in front of connections.

use super::{OptionKind, OptionSpec};

pub(in super::super) const MAX_QUEUED_CALLS: u64 = 256;
pub(in super::super) const MAX_QUEUED_OCTETS: u64 = 1 << 20;

pub(super) const CALLS: OptionSpec = OptionSpec {
    name: "MaxQueuedCalls",
    key: "max_queued_calls",
    kind: OptionKind::Number(1, 1 << 20),
    default: "256",
    unit: "",
    help: "most one-way calls that wait in a client's queue in front of a connection, where they are queued",
};

pub(super) const OCTETS: OptionSpec = OptionSpec {
    name: "MaxQueuedOctets",
    key: "max_queued_octets",
    kind: OptionKind::Number(1, 1 << 31),
    default: "1048576",
    unit: "octets",
    help: "most octets of the calls in such a queue together; a larger call goes alone",
};
