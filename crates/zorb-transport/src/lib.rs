//! How bytes move under a Zorb protocol.
//!
//! The ORB core never names a concrete protocol. It sees these things, all defined here:
//!
//! * [`Endpoint`]: where a server listens, as a value (`iiop://host:port`). It keys the
//!   connection cache.
//! * [`Transport`]: one way of moving bytes, known by its URL scheme. It connects and listens.
//! * [`Acceptor`]: a bound endpoint that hands out incoming connections.
//! * [`Stream`]: a connected, blocking, ordered byte stream with `&self` methods, so that one
//!   thread may send while another receives.
//! * [`Protocol`]: a messaging protocol, GIOP or [another](zorb_giop::Messaging), over a transport as
//!   object references know it (its kind of profile, its `corbaloc` prefix), found in a
//!   [`ProtocolRegistry`].
//!
//! A crate [defines](options!) its [options](OptionSet) once. [`Groups`] is what protocols for groups of objects have beside that. [`Composed`] puts another messaging protocol over the transport of a protocol,
//! [`socket`] has what the transports over the system's stream sockets share, [`driven`] what those of
//! reliable streams over datagrams do, [`inproc`] is a
//! transport inside one process; [`conformance`] is the suite that every
//! transport passes by adding one line ([`conformance_suite!`]).
//!
//! This crate is for Zorb itself and for authors of transports. Applications use the facade
//! crate `zorb`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod acceptor;
mod composed;
pub mod conformance;
pub mod driven;
mod endpoint;
mod error;
mod groups;
mod identity;
pub mod inproc;
mod option;
mod protocol;
pub mod socket;
mod stream;
mod stream_options;
mod transport;
mod wait;
mod workers;

pub use acceptor::{AcceptError, Acceptor, Backoff};
pub use composed::Composed;
pub use endpoint::{Endpoint, EndpointError, MAX_URL_LEN};
pub use error::{ConnectAttempt, ConnectError, ConnectPhase, ListenError};
pub use groups::Groups;
pub use identity::PeerIdentity;
pub use option::{
    Named, OptionKind, OptionNumber, OptionSet, OptionSets, OptionSpec, OptionValue, SetOption,
};
pub use protocol::{
    MAX_PROFILE_ENDPOINTS, ProfileError, PropertyField, Protocol, ProtocolRegistry, RegistryError,
    ResolvedProfile, join_profiles, property_fields,
};
pub use stream::Stream;
pub use stream_options::{ConnectOptions, ListenOptions, SetStreamOptions, StreamOptions};
pub use transport::{Transport, strip_scheme};
pub use wait::{WaitPolicy, Waits};
pub use workers::{WorkerThreads, Workers};
pub use zorb_os::buffers::{ReceivedBuffer, SendBuffer};

#[doc(hidden)]
pub use option::{check_key, word};
