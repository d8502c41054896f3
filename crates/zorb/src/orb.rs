//! The ORB with the protocols of this build.

use std::ops::Deref;
use std::sync::Arc;

use zorb_core::Error;

use crate::protocols::{IiopProtocol, ShmiopProtocol, UiopProtocol, lite_iiop, lite_uiop};

/// An object request broker that speaks IIOP, UIOP and SHMIOP between the processes of one machine,
/// and GIOPlite over TCP and Unix-domain sockets; in builds with them SSLIOP (feature `tls`), DIOP and
/// MIOP (feature `udp`), short messages over both kinds of socket (feature
/// `short`), GIOP over a reliable stream over UDP (feature `arq`), and over SCTP in UDP (feature
/// `sctp`).
///
/// It is the ORB of [`zorb_core`] with the default protocols registered; what it does is found
/// there, reached through `Deref`. Clones are the same ORB.
///
/// ```
/// let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:0").build()?;
/// assert!(orb.endpoints()[0].starts_with("iiop://127.0.0.1:"));
/// orb.shutdown(true)?;
///
/// // Over TCP and a Unix-domain socket of its own: references tell of both, in this order.
/// let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:0").listen("uiop://").build()?;
/// assert!(orb.endpoints()[1].starts_with("uiop:///"));
/// orb.shutdown(true)?;
/// # Ok::<(), zorb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Orb(zorb_core::Orb);

/// Sets an [`Orb`] up: options, further protocols, endpoints.
pub type OrbBuilder = zorb_core::OrbBuilder<Orb>;

impl Orb {
    /// An ORB with the options of the environment and of the file that `ZORB_CONFIG` names, that
    /// listens when it first hands out a reference.
    ///
    /// # Errors
    /// A bad option in the environment or the file.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// A builder with the default protocols: IIOP, which is what an ORB listens with that is told
    /// of no endpoint, UIOP, SHMIOP, and GIOPlite over the sockets of the first two; then those of features.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::new()
            .protocol(Arc::new(IiopProtocol::new()))
            .protocol(Arc::new(UiopProtocol::new()))
            .protocol(Arc::new(ShmiopProtocol::new()))
            .protocol(Arc::new(lite_iiop()))
            .protocol(Arc::new(lite_uiop()))
            .with_rt()
            .with_tls()
            .with_udp()
            .with_short()
            .with_rudp()
            .with_sctp()
            .left_out(LEFT_OUT)
    }
}

/// The protocols and extensions that are not in the build, each with the feature that brings it.
const LEFT_OUT: &[(&str, &str)] = &[
    #[cfg(not(feature = "rt"))]
    ("rt", "rt"),
    #[cfg(not(feature = "tls"))]
    ("ssliop", "tls"),
    #[cfg(not(feature = "udp"))]
    ("diop", "udp"),
    #[cfg(not(feature = "udp"))]
    ("miop", "udp"),
    #[cfg(not(feature = "short"))]
    ("short+iiop", "short"),
    #[cfg(not(feature = "short"))]
    ("short+uiop", "short"),
    #[cfg(not(feature = "arq"))]
    ("rudp", "arq"),
    #[cfg(not(feature = "sctp"))]
    ("sciop", "sctp"),
];

/// Adds what is in the build.
trait WithFeatures {
    fn with_rt(self) -> Self;
    fn with_tls(self) -> Self;
    fn with_udp(self) -> Self;
    fn with_short(self) -> Self;
    fn with_rudp(self) -> Self;
    fn with_sctp(self) -> Self;
}

impl WithFeatures for OrbBuilder {
    #[cfg(feature = "rt")]
    fn with_rt(self) -> Self {
        self.declare(zorb_rt::RtOptions::default())
    }

    #[cfg(not(feature = "rt"))]
    fn with_rt(self) -> Self {
        self
    }

    #[cfg(feature = "tls")]
    fn with_tls(self) -> Self {
        match zorb_tls::SsliopProtocol::from_options() {
            Ok(ssliop) => self.protocol(Arc::new(ssliop)),
            Err(_) => self,
        }
    }

    #[cfg(not(feature = "tls"))]
    fn with_tls(self) -> Self {
        self
    }

    #[cfg(feature = "udp")]
    fn with_udp(self) -> Self {
        self.protocol(Arc::new(crate::protocols::DiopProtocol::new()))
            .protocol(Arc::new(crate::protocols::MiopProtocol::new()))
    }

    #[cfg(not(feature = "udp"))]
    fn with_udp(self) -> Self {
        self
    }

    #[cfg(feature = "short")]
    fn with_short(self) -> Self {
        self.protocol(Arc::new(crate::protocols::short_iiop()))
            .protocol(Arc::new(crate::protocols::short_uiop()))
    }

    #[cfg(not(feature = "short"))]
    fn with_short(self) -> Self {
        self
    }

    #[cfg(feature = "arq")]
    fn with_rudp(self) -> Self {
        self.protocol(Arc::new(crate::protocols::ArqProtocol::new()))
    }

    #[cfg(not(feature = "arq"))]
    fn with_rudp(self) -> Self {
        self
    }

    #[cfg(feature = "sctp")]
    fn with_sctp(self) -> Self {
        self.protocol(Arc::new(crate::protocols::SciopProtocol::new()))
    }

    #[cfg(not(feature = "sctp"))]
    fn with_sctp(self) -> Self {
        self
    }
}

impl From<zorb_core::Orb> for Orb {
    fn from(orb: zorb_core::Orb) -> Self {
        Self(orb)
    }
}

impl Deref for Orb {
    type Target = zorb_core::Orb;

    fn deref(&self) -> &zorb_core::Orb {
        &self.0
    }
}
