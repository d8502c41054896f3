//! MIOP: one-way calls to groups of objects by UDP multicast (OMG MIOP 1.0).
//!
//! A request goes to all members of a group at once, in as many [packets](packet) as it takes. Who
//! receives them [puts it together](collect) within limits, and hands it to each object of its ORB that
//! has joined the group, as if it had been sent to that one alone.
#![expect(clippy::disallowed_types, reason = "written when the program starts")]

pub(crate) mod client;
pub mod collect;
mod group;
mod members;
mod options;
pub mod packet;
mod protocol;
mod receive;
mod request;
mod transport;

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, PoisonError, RwLock};

use zorb_os::interface;

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

impl MiopOptions {
    /// Sets what an option of the ORB says, whose name is given without `Miop`.
    fn set(&mut self, name: &str, value: &str) -> io::Result<()> {
        let bad = |why| io::Error::new(io::ErrorKind::InvalidInput, format!("{value:?} {why}"));
        match name.to_ascii_lowercase().as_str() {
            "hops" => self.hops = value.parse().map_err(|_| bad("is no number up to 255"))?,
            "interface" => {
                let by_address: Option<Ipv4Addr> = value.parse().ok();
                let addresses = interface::addresses()?;
                let found = addresses.iter().find(|found| match by_address {
                    Some(address) => found.address == address,
                    None => found.name == value && found.address.is_ipv4(),
                });
                let name = found.map_or(value, |found| &found.name);
                self.interface = match found.map(|found| found.address) {
                    Some(IpAddr::V4(address)) => Some(address),
                    _ => None,
                };
                self.interface_index =
                    interface::index(name).map_err(|_| bad("is no interface of this machine"))?;
            }
            "loopback" => self.loops_back = !value.eq_ignore_ascii_case("no"),
            _ => return Err(bad("is for no option of miop")),
        }
        Ok(())
    }
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
    options: RwLock<MiopOptions>,
    members: Members,
    counters: Arc<Counters>,
}

impl Shared {
    fn options(&self) -> MiopOptions {
        *self.options.read().unwrap_or_else(PoisonError::into_inner)
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn options_of_the_orb_are_taken() {
        let mut options = MiopOptions::default();
        options.set("Hops", "7").unwrap();
        options.set("LoopBack", "no").unwrap();
        assert_eq!((options.hops, options.loops_back), (7, false));
        for loop_back in ["lo", "127.0.0.1"] {
            options.set("Interface", loop_back).unwrap();
            assert_eq!(options.interface, Some(Ipv4Addr::LOCALHOST));
            assert_eq!(options.interface_index, interface::index("lo").unwrap());
        }
        for spec in options::OPTIONS.iter().filter(|spec| !spec.default.is_empty()) {
            let name = spec.name.strip_prefix("Miop").unwrap();
            options.set(name, spec.default).unwrap();
        }
        let defaults = MiopOptions::default();
        assert_eq!((options.hops, options.loops_back), (defaults.hops, defaults.loops_back));
        for (name, value) in [("Hops", "256"), ("Interface", "none such"), ("Colour", "red")] {
            options.set(name, value).unwrap_err();
        }
    }
}
