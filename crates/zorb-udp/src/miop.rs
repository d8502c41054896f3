//! MIOP: one-way calls to groups of objects by UDP multicast (OMG MIOP 1.0).
//!
//! A request goes to all members of a group at once, in as many [packets](packet) as it takes. Who
//! receives them [puts it together](collect) within limits, and hands it to each object of its ORB that
//! has joined the group, as if it had been sent to that one alone.

mod client;
pub mod collect;
mod group;
mod members;
pub mod packet;
mod protocol;
mod receive;
mod request;
mod transport;

use std::net::Ipv4Addr;
use std::sync::Arc;

use crate::counters::Counters;
use collect::CollectLimits;
use members::Members;

pub use protocol::MiopProtocol;
pub use transport::MiopTransport;

/// The scheme of URLs that mean UDP multicast.
pub const MIOP_SCHEME: &str = "miop";

/// How packets travel, and what is held of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiopOptions {
    /// How many networks packets are sent through, the first one included: they pass `hops - 1`
    /// routers; with 0 they stay on the machine. Default: 1.
    pub hops: u8,
    /// The address of the interface that groups of IPv4 are reached over. Default: `None`, the system
    /// chooses.
    pub interface: Option<Ipv4Addr>,
    /// The number of the interface that groups of IPv6 are reached over. Default: 0, the system
    /// chooses.
    pub interface_index: u32,
    /// Whether packets also go to members on this machine. Default: `true`. Without it no program
    /// here gets what another one here sends.
    pub loops_back: bool,
    /// What is held of packets that are received.
    pub limits: CollectLimits,
}

impl Default for MiopOptions {
    fn default() -> Self {
        Self {
            hops: 1,
            interface: None,
            interface_index: 0,
            loops_back: true,
            limits: CollectLimits::default(),
        }
    }
}

/// What a protocol and its sockets share.
#[derive(Debug)]
struct Shared {
    options: MiopOptions,
    members: Members,
    counters: Arc<Counters>,
}

/// The names of what is counted.
mod counter {
    pub(super) const REQUESTS: &str = "requests";
    pub(super) const PARTS: &str = "parts";
    pub(super) const GIVEN_UP: &str = "given up";
    pub(super) const AGAIN: &str = "again";
    pub(super) const NO_PACKET: &str = "no packet";
    pub(super) const INCONSISTENT: &str = "inconsistent";
    pub(super) const TOO_LARGE: &str = "too large";
    pub(super) const NOT_FOR_A_GROUP: &str = "not for a group";
    pub(super) const NOBODY_HERE: &str = "nobody here";

    pub(super) const ALL: [&str; 9] = [
        REQUESTS,
        PARTS,
        GIVEN_UP,
        AGAIN,
        NO_PACKET,
        INCONSISTENT,
        TOO_LARGE,
        NOT_FOR_A_GROUP,
        NOBODY_HERE,
    ];
}
