//! MIOP: one-way calls to groups of objects over UDP multicast (OMG MIOP 1.0).
//!
//! A request is sent once to all members of a group, in one or more [packets](packet). A receiver
//! [reassembles](collect) it within limits, and delivers it to each object of its ORB in the group,
//! as if it had been sent to that object alone.
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
use collect::ReassemblyLimits;
use members::Members;

pub use options::{MiopOptions, SetMiopOptions};
pub use protocol::MiopProtocol;
pub use transport::MiopTransport;

/// The scheme of MIOP URLs.
pub const MIOP_SCHEME: &str = "miop";

/// How packets are sent, and the limits of reassembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MiopSettings {
    /// The maximum number of networks that packets cross, including the first one: they pass `hops
    /// - 1` routers; with 0 they stay on the machine. Default: 1.
    pub hops: u8,
    /// The address of the interface for IPv4 groups. Default: `None`, the system chooses.
    pub interface: Option<Ipv4Addr>,
    /// The index of the interface for IPv6 groups. Default: 0, the system chooses.
    pub interface_index: u32,
    /// Whether packets also go to members on this machine. Default: `true`. Otherwise no program on
    /// this machine receives what another one sends.
    pub loops_back: bool,
    /// The limits of reassembly.
    pub limits: ReassemblyLimits,
}

impl MiopSettings {
    /// The settings as options.
    fn to_options(self) -> MiopOptions {
        let miop_interface = self.interface.map(|address| address.to_string()).unwrap_or_default();
        MiopOptions { miop_hops: self.hops, miop_interface, miop_loop_back: self.loops_back }
    }

    /// The settings of `options`.
    fn take(&mut self, options: &MiopOptions) -> io::Result<()> {
        if *options == self.to_options() {
            return Ok(());
        }
        (self.hops, self.loops_back) = (options.miop_hops, options.miop_loop_back);
        if !options.miop_interface.is_empty() {
            self.set_interface(&options.miop_interface)?;
        }
        Ok(())
    }

    fn set_interface(&mut self, value: &str) -> io::Result<()> {
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
        self.interface_index = interface::index(name).map_err(|_| {
            let why = format!("MiopInterface = {value:?} is not an interface of this machine");
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })?;
        Ok(())
    }
}

impl Default for MiopSettings {
    fn default() -> Self {
        Self {
            hops: 1,
            interface: None,
            interface_index: 0,
            loops_back: true,
            limits: ReassemblyLimits::default(),
        }
    }
}

/// The state shared by a protocol and its sockets.
#[derive(Debug)]
struct Shared {
    settings: RwLock<MiopSettings>,
    members: Members,
    counters: Arc<Counters>,
}

impl Shared {
    fn settings(&self) -> MiopSettings {
        *self.settings.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of the counters.
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
        let taken = |change: &dyn Fn(&mut MiopOptions)| {
            let mut settings = MiopSettings::default();
            let mut options = settings.to_options();
            assert_eq!(options, MiopOptions::default());
            change(&mut options);
            settings.take(&options).map(|()| settings)
        };
        assert_eq!(taken(&|_| ()).unwrap(), MiopSettings::default());
        let settings = taken(&|options| {
            (options.miop_hops, options.miop_loop_back) = (7, false);
        });
        let settings = settings.unwrap();
        assert_eq!((settings.hops, settings.loops_back), (7, false));
        for loop_back in ["lo", "127.0.0.1"] {
            let settings = taken(&|options| options.miop_interface = loop_back.to_owned()).unwrap();
            assert_eq!(settings.interface, Some(Ipv4Addr::LOCALHOST));
            assert_eq!(settings.interface_index, interface::index("lo").unwrap());
        }
        taken(&|options| options.miop_interface = "none such".to_owned()).unwrap_err();
    }
}
