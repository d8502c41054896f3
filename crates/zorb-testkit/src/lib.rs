//! Test support for Zorb's crates, and for transports and protocols of others.
//!
//! * [`conformance`]: the conformance suite of transports, which one line runs ([`conformance_suite!`]).
//! * [`driven`]: the conformance suite of reliable streams over datagrams ([`driven_suite!`]), with a simulated network
//!   and clock.
//! * [`Scripted`]: a stream whose receiving side a test scripts. [`Watched`]: a protocol whose streams can be observed.
//!   [`lossy`]: a protocol over a network that loses datagrams. [`PortMap`]: a port that leads to a server elsewhere. [`WithTransport`]: a protocol whose transport a test
//!   changes.
//! * [`LOCATE_REQUEST`]: a message for clients without an ORB.
//! * [`Log`]: records what is logged. [`until`] waits for an event.
//! * [`free_port`] and [`stop_listening`]: ports that processes of other tests do not keep.
//! * [`giop`]: properties of GIOP that hold for arbitrary octets, which the fuzz targets check.
//!
//! The suite of calls that every protocol must pass is in the crate `zorb-conformance`.
//!
//! Everything here is for tests: it panics if an expectation does not hold.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "tests fail by panicking"
)]

pub mod conformance;
pub mod driven;
mod environment;
pub mod giop;
mod hostile_clients;
mod log;
mod lossy;
mod own_process;
mod plain_client;
mod port_map;
mod scripted;
mod until;
mod watched;
mod with_transport;

pub use environment::{free_port, require_loopback, short_folder, stop_listening};
pub use hostile_clients::HostileClients;
pub use log::{Log, LogLine};
pub use lossy::{Lossy, lossy};
pub use own_process::{
    end_of_own_process, exhaust_descriptors, in_own_process, limit_address_space,
    limit_descriptors, limit_file_size, open_sockets,
};
pub use plain_client::{
    CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST, connect_from, read_message,
};
pub use port_map::PortMap;
pub use scripted::Scripted;
pub use until::until;
pub use watched::{Toward, Watch, Watched, WatchedStream};
pub use with_transport::{Around, WithTransport};

/// `len` pseudo-random octets, different for each `seed`.
#[must_use]
pub fn pattern(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[4]
    };
    (0..len).map(|_| next()).collect()
}
