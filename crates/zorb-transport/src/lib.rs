//! Transports and protocols: their traits, registry and options.
//!
//! The ORB core names no protocol. It uses these types:
//!
//! * [`Endpoint`]: where a server listens (`iiop://host:port`). It is the key of the connection
//!   cache.
//! * [`Transport`]: moves octets; named by a URL scheme. It connects and listens.
//! * [`Acceptor`]: a bound endpoint that accepts connections.
//! * [`Stream`]: a connected, blocking, ordered stream of octets. Its methods take `&self`, so that
//!   one thread can send while another receives.
//! * [`Protocol`]: a messaging protocol, GIOP or [another](zorb_giop::Messaging), over a transport,
//!   with its profiles and its `corbaloc` prefix. A [`ProtocolRegistry`] finds protocols.
//!
//! A crate [defines](options!) its [options](OptionSet) once. [`Groups`] is for protocols for
//! groups of objects. [`Composed`] combines a messaging protocol with the transport of another
//! protocol. [`socket`] contains the common code of transports over stream sockets, [`driven`] the
//! common code of reliable streams over datagrams, and [`inproc`] a transport within one process.
//! The crate `zorb-testkit` has a conformance suite for transports.
//!
//! This crate is for Zorb itself and for authors of transports. Applications use the facade
//! crate `zorb`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

// `#[inline]`: as in `zorb-base`, whose root says what the attributes of the crates on the path of calls save.

mod acceptor;
mod bidirectional;
mod composed;
pub mod driven;
mod endpoint;
mod error;
mod groups;
mod identity;
pub mod inproc;
mod log_limit;
mod message_budget;
mod option;
mod peer_network;
mod peer_shares;
mod protocol;
mod publish;
mod resolve;
pub mod socket;
mod stream;
mod stream_options;
mod transport;
mod wait;
mod workers;

pub use acceptor::{AcceptError, Acceptor, Backoff};
pub use bidirectional::{Bidirection, ServeStream};
pub use composed::Composed;
pub use endpoint::{Endpoint, EndpointError, MAX_URL_LEN};
pub use error::{ConnectAttempt, ConnectError, ConnectPhase, ListenError};
pub use groups::Groups;
pub use identity::PeerIdentity;
pub use log_limit::LogLimit;
pub use message_budget::process_budget;
pub use option::{
    NameValuePairs, OptionKind, OptionNumber, OptionSet, OptionSets, OptionSpec, OptionValue,
    SetOption,
};
pub use peer_network::peer_network;
pub use peer_shares::{PeerShares, ip_address};
pub use protocol::{
    MAX_PROFILE_ENDPOINTS, ProfileError, PropertyField, Protocol, ProtocolRegistry, RegistryError,
    ResolvedProfile, bodies_of, for_each_profile, join_profiles, property_fields, usable_endpoints,
};
pub use publish::{PublishRule, PublishRules, PublishVerdict};
pub use resolve::resolve;
pub use stream::Stream;
pub use stream_options::{ConnectOptions, ListenOptions, SetStreamOptions, StreamOptions};
pub use transport::{LocalSocket, Transport, strip_scheme};
pub use wait::{BusyWait, MAX_LATENESS, WaitPolicy};
pub use workers::{WorkerThreads, Workers};
pub use zorb_os::buffers::{ReceivedBuffer, SendBuffer};

#[doc(hidden)]
pub use option::{check_key, word};
