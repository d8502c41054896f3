//! The ORB with the protocols of this build.

use std::ops::Deref;
use std::sync::Arc;

use zorb_core::{Error, ObjectRef};
use zorb_dynamic::{CodecFactory, DynAnyFactory};

use crate::protocols::{IiopProtocol, lite_iiop};

/// An object request broker with the protocols of the build: creates and resolves references, serves objects.
///
/// The methods are those of the type that it dereferences to. Its clones are the same ORB.
///
/// ```
/// let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:0").build()?;
/// assert!(orb.endpoints()[0].starts_with("iiop://127.0.0.1:"));
/// orb.shutdown(true)?;
///
/// // Over TCP and a Unix-domain socket: references contain both endpoints, in this order.
/// let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:0").listen("uiop://").build()?;
/// assert!(orb.endpoints()[1].starts_with("uiop:///"));
/// orb.shutdown(true)?;
/// # Ok::<(), zorb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Orb(zorb_core::Orb);

/// Configures and creates an [`Orb`]: options, protocols, endpoints.
pub type OrbBuilder = zorb_core::OrbBuilder<Orb>;

impl Orb {
    /// An ORB with the options of the environment and of the file that `ZORB_CONFIG` names. It starts to listen when
    /// the first reference to an object of its own is created.
    ///
    /// # Errors
    /// An option of the environment or of the file is invalid.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// The ORB of a reference (`_get_orb`); `None` if it has been dropped.
    #[doc(alias = "_get_orb")]
    pub fn of(object: &ObjectRef) -> Option<Self> {
        zorb_core::Orb::of(object).map(Self)
    }

    /// A builder with the protocols of the build: IIOP, GIOPlite over TCP, and those of enabled features; by default UIOP,
    /// SHMIOP, and GIOPlite over Unix-domain sockets. An ORB without configured endpoints listens with SSLIOP if TLS is configured, otherwise with
    /// IIOP.
    pub fn builder() -> OrbBuilder {
        let builder = OrbBuilder::new().protocol(Arc::new(IiopProtocol::new()));
        #[cfg(feature = "unix")]
        let builder = builder.protocol(Arc::new(crate::protocols::UiopProtocol::new()));
        #[cfg(feature = "shm")]
        let builder = builder.protocol(Arc::new(crate::protocols::ShmiopProtocol::new()));
        let builder = builder.protocol(Arc::new(lite_iiop()));
        #[cfg(feature = "unix")]
        let builder = builder.protocol(Arc::new(crate::protocols::lite_uiop()));
        let builder = builder.missing_features(MISSING_FEATURES);
        #[cfg(feature = "rt")]
        let builder = builder.declare(zorb_rt::RtOptions::default());
        #[cfg(feature = "ziop")]
        let builder = builder.declare(zorb_ziop::ZiopOptions::default());
        #[cfg(feature = "usage")]
        let builder = builder.declare(zorb_usage::UsageOptions::default());
        #[cfg(feature = "tls")]
        let builder = match zorb_tls::SsliopProtocol::from_options() {
            Ok(ssliop) => builder.protocol(Arc::new(ssliop)),
            Err(_) => builder,
        };
        #[cfg(feature = "udp")]
        let builder = builder
            .protocol(Arc::new(crate::protocols::DiopProtocol::new()))
            .protocol(Arc::new(crate::protocols::MiopProtocol::new()));
        #[cfg(feature = "short")]
        let builder = builder.protocol(Arc::new(crate::protocols::short_iiop()));
        #[cfg(all(feature = "short", feature = "unix"))]
        let builder = builder.protocol(Arc::new(crate::protocols::short_uiop()));
        #[cfg(feature = "arq")]
        let builder = builder.protocol(Arc::new(crate::protocols::ArqProtocol::new()));
        #[cfg(feature = "sctp")]
        let builder = builder.protocol(Arc::new(crate::protocols::SciopProtocol::new()));
        builder
    }
}

/// The protocols and extensions that are not in the build, with the features that add them.
const MISSING_FEATURES: &[(&str, &str)] = &[
    #[cfg(not(feature = "unix"))]
    ("uiop", "unix"),
    #[cfg(not(feature = "shm"))]
    ("shmiop", "shm"),
    #[cfg(not(feature = "unix"))]
    ("lite+uiop", "unix"),
    #[cfg(not(feature = "rt"))]
    ("rt", "rt"),
    #[cfg(not(feature = "ziop"))]
    ("ziop", "ziop"),
    #[cfg(not(feature = "usage"))]
    ("usage", "usage"),
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
    #[cfg(all(feature = "short", not(feature = "unix")))]
    ("short+uiop", "unix"),
    #[cfg(not(feature = "arq"))]
    ("rudp", "arq"),
    #[cfg(not(feature = "sctp"))]
    ("sciop", "sctp"),
];

impl From<zorb_core::Orb> for Orb {
    fn from(orb: zorb_core::Orb) -> Self {
        // The names are free in a new ORB.
        let _ = orb.register_initial_local("CodecFactory", |_| CodecFactory::new());
        let _ = orb.register_initial_local("DynAnyFactory", |_| DynAnyFactory::new());
        #[cfg(feature = "ziop")]
        zorb_ziop::attach(&orb);
        #[cfg(feature = "usage")]
        zorb_usage::attach(&orb);
        Self(orb)
    }
}

impl Deref for Orb {
    type Target = zorb_core::Orb;

    fn deref(&self) -> &zorb_core::Orb {
        &self.0
    }
}
