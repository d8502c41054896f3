//! The protocols of the build, for programs that configure or combine them.
//!
//! [`Orb::builder`](crate::Orb::builder) registers them with their defaults. One line creates another combination, for
//! example GIOPlite over shared memory:
//!
//! ```
//! use std::sync::Arc;
//! use zorb::giop::{GiopLite, ProfileTag};
//! use zorb::protocols::ShmiopProtocol;
//! use zorb::transport::Composed;
//!
//! // The tag of its profiles, on which both sides must agree.
//! let tag = ProfileTag(0x6d79_0001);
//! let lite_shmiop = Composed::new(&GiopLite, ShmiopProtocol::new(), tag);
//! let orb = zorb::Orb::builder().protocol(Arc::new(lite_shmiop)).listen("lite+shmiop://@").build()?;
//! assert!(orb.endpoints()[0].starts_with("lite+shmiop://@"));
//! orb.shutdown(true)?;
//! # Ok::<(), zorb::Error>(())
//! ```

use zorb_giop::{GiopLite, ProfileTag};
use zorb_transport::Composed;

#[cfg(feature = "arq")]
pub use zorb_arq::{ArqProtocol, ArqTransport};
#[cfg(feature = "sctp")]
pub use zorb_sctp::{SciopProfile, SciopProtocol, SctpTransport};
#[cfg(feature = "shm")]
pub use zorb_shm::{ShmTransport, ShmiopProtocol};
#[cfg(feature = "short")]
pub use zorb_short::Short;
pub use zorb_tcp::{IiopProtocol, TcpTransport};
#[cfg(feature = "udp")]
pub use zorb_udp::miop::{
    MiopOptions, MiopProtocol, MiopSettings, MiopTransport, SetMiopOptions,
    collect::ReassemblyLimits,
};
#[cfg(feature = "udp")]
pub use zorb_udp::{DiopProtocol, UdpTransport};
#[cfg(feature = "unix")]
pub use zorb_unix::{UiopProtocol, UnixTransport};

/// GIOPlite over TCP: `lite+iiop://host:port`.
#[must_use]
pub fn lite_iiop() -> Composed {
    Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag::ZORB_LITE_IIOP)
}

/// GIOPlite over Unix-domain sockets: `lite+uiop:///path`.
#[cfg(feature = "unix")]
#[must_use]
pub fn lite_uiop() -> Composed {
    Composed::new(&GiopLite, UiopProtocol::new(), ProfileTag::ZORB_LITE_UIOP)
}

/// Short messages over TCP: `short+iiop://host:port`.
#[cfg(feature = "short")]
#[must_use]
pub fn short_iiop() -> Composed {
    Composed::new(&Short, IiopProtocol::new(), ProfileTag::ZORB_SHORT_IIOP)
}

/// Short messages over Unix-domain sockets: `short+uiop:///path`.
#[cfg(all(feature = "short", feature = "unix"))]
#[must_use]
pub fn short_uiop() -> Composed {
    Composed::new(&Short, UiopProtocol::new(), ProfileTag::ZORB_SHORT_UIOP)
}
