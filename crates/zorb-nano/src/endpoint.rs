//! Endpoints: an address, its messaging protocol, and the priority of its lane.

use core::net::SocketAddr;
use core::str::FromStr;

use zorb_cdr::TextCoding;
use zorb_giop::{GiopVersion, MessageFormat, ProfileTag};
use zorb_types::{SystemExceptionKind, minor};

use crate::{Address, SystemException, host};

/// An endpoint of a server: an address, the messaging protocol there, and the priority of its lane.
///
/// ```
/// use zorb_nano::Endpoint;
///
/// let endpoint: Endpoint = "192.0.2.7:2809".parse().unwrap();
/// assert_eq!(Ok(endpoint), "iiop://192.0.2.7:2809".parse());
/// # #[cfg(all(feature = "unix", feature = "lite"))]
/// let lite: Endpoint = "lite+uiop:///run/sensor.sock".parse().unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub(crate) address: Address,
    /// The highest version of GIOP there.
    pub(crate) version: GiopVersion,
    is_lite: bool,
    priority: Option<i16>,
}

impl Endpoint {
    /// GIOP at an address, for all priorities.
    pub fn new(address: impl Into<Address>) -> Self {
        let (address, version) = (address.into(), GiopVersion::V1_2);
        Self { address, version, is_lite: false, priority: None }
    }

    /// With GIOPlite in place of GIOP: shorter headers, for peers of the same byte order. UDP carries GIOP only.
    #[cfg(feature = "lite")]
    #[must_use]
    pub fn lite(mut self) -> Self {
        self.is_lite = !self.address.is_datagram();
        self
    }

    /// As the endpoint of a lane: for requests of this RT-CORBA priority, 0 to 32767.
    #[cfg(feature = "lanes")]
    #[must_use]
    pub fn of_lane(mut self, priority: i16) -> Self {
        self.priority = Some(priority.max(0));
        self
    }

    /// The same with another address.
    pub(crate) fn at(self, address: Address) -> Self {
        Self { address, ..self }
    }

    /// The same for a priority.
    pub(crate) fn with_priority(self, priority: Option<i16>) -> Self {
        Self { priority: priority.filter(|_| cfg!(feature = "lanes")), ..self }
    }

    /// The address.
    pub fn address(&self) -> Address {
        self.address
    }

    /// The priority of its lane; `None` if it serves all.
    pub fn priority(&self) -> Option<i16> {
        // Known to the compiler if the feature is off.
        self.priority.filter(|_| cfg!(feature = "lanes"))
    }

    pub(crate) fn is_lite(&self) -> bool {
        cfg!(feature = "lite") && self.is_lite
    }

    /// The encoding of messages of this version of GIOP, or of GIOPlite.
    pub(crate) fn encoding(&self, version: GiopVersion) -> Encoding {
        Encoding { version, is_lite: self.is_lite }
    }

    /// Whether a connection to the other endpoint serves for this one.
    pub(crate) fn shares_connections_of(&self, other: &Self) -> bool {
        self.address == other.address
            && self.is_lite() == other.is_lite()
            && self.priority() == other.priority()
    }

    /// The kind of its profiles.
    pub(crate) fn profile_tag(&self) -> ProfileTag {
        match self.address {
            Address::Tcp(_) if self.is_lite() => ProfileTag::ZORB_LITE_IIOP,
            Address::Tcp(_) => ProfileTag::INTERNET_IOP,
            #[cfg(feature = "unix")]
            Address::Unix(_) if self.is_lite() => ProfileTag::ZORB_LITE_UIOP,
            #[cfg(feature = "unix")]
            Address::Unix(_) => ProfileTag::TAO_UIOP,
            #[cfg(feature = "udp")]
            Address::Udp(_) => ProfileTag::TAO_DIOP,
        }
    }
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Self {
        Self::new(address)
    }
}

impl From<Address> for Endpoint {
    fn from(address: Address) -> Self {
        Self::new(address)
    }
}

/// An IP address and port, or a URL with the scheme of a protocol: `iiop`, `uiop`, `diop`, `lite+iiop`, `lite+uiop`.
impl FromStr for Endpoint {
    type Err = SystemException;

    fn from_str(text: &str) -> Result<Self, SystemException> {
        let bad = || {
            let minor = minor::bad_param::BAD_ADDRESS;
            SystemException::before(SystemExceptionKind::BadParam, minor)
        };
        let url = host::split_once(text, b':')
            .and_then(|(scheme, rest)| Some((scheme, rest.strip_prefix("//")?)));
        let (scheme, rest) = url.unwrap_or(("iiop", text));
        let protocol = Protocol::of_scheme(scheme).ok_or_else(bad)?;
        match protocol.transport {
            Transport::Ip(of_ip) => host::endpoint(rest)
                .map(|address| protocol.endpoint(of_ip(address), GiopVersion::V1_2))
                .ok_or_else(bad),
            #[cfg(feature = "unix")]
            Transport::Unix => crate::SocketName::new(rest.as_bytes())
                .map(|name| protocol.endpoint(Address::Unix(name), GiopVersion::V1_2)),
        }
    }
}

/// What the schemes of GIOPlite begin with.
const LITE: &str = "lite+";

/// A messaging protocol over a transport.
#[derive(Clone, Copy)]
pub(crate) struct Protocol {
    pub(crate) transport: Transport,
    is_lite: bool,
}

/// How a protocol's profiles and URLs name an address.
#[derive(Clone, Copy)]
pub(crate) enum Transport {
    /// By host and port.
    Ip(fn(SocketAddr) -> Address),
    /// By a name.
    #[cfg(feature = "unix")]
    Unix,
}

impl Protocol {
    /// The protocol of a URL scheme, in any case, if this ORB has it.
    pub(crate) fn of_scheme(scheme: &str) -> Option<Self> {
        let (scheme, is_lite) = match scheme.split_at_checked(LITE.len()) {
            Some((lite, scheme)) if cfg!(feature = "lite") && lite.eq_ignore_ascii_case(LITE) => {
                (scheme, true)
            }
            _ => (scheme, false),
        };
        if scheme.eq_ignore_ascii_case("iiop") {
            return Some(Self { transport: Transport::Ip(Address::Tcp), is_lite });
        }
        #[cfg(feature = "unix")]
        if scheme.eq_ignore_ascii_case("uiop") {
            return Some(Self { transport: Transport::Unix, is_lite });
        }
        #[cfg(feature = "udp")]
        if scheme.eq_ignore_ascii_case("diop") && !is_lite {
            return Some(Self { transport: Transport::Ip(Address::Udp), is_lite });
        }
        None
    }

    /// The protocol of a kind of profile, if this ORB has it.
    pub(crate) fn of_profile(tag: ProfileTag) -> Option<Self> {
        let (transport, is_lite) = match tag {
            ProfileTag::INTERNET_IOP => (Transport::Ip(Address::Tcp), false),
            #[cfg(feature = "lite")]
            ProfileTag::ZORB_LITE_IIOP => (Transport::Ip(Address::Tcp), true),
            #[cfg(feature = "unix")]
            ProfileTag::TAO_UIOP => (Transport::Unix, false),
            #[cfg(all(feature = "unix", feature = "lite"))]
            ProfileTag::ZORB_LITE_UIOP => (Transport::Unix, true),
            #[cfg(feature = "udp")]
            ProfileTag::TAO_DIOP => (Transport::Ip(Address::Udp), false),
            _ => return None,
        };
        Some(Self { transport, is_lite })
    }

    /// An endpoint of this protocol, at which servers speak GIOP up to `version`.
    pub(crate) fn endpoint(self, address: Address, version: GiopVersion) -> Endpoint {
        Endpoint { version, is_lite: self.is_lite, ..Endpoint::new(address) }
    }
}

/// The encoding of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding {
    /// The version of GIOP; the highest for GIOPlite.
    pub(crate) version: GiopVersion,
    is_lite: bool,
}

impl Encoding {
    pub(crate) const GIOP: Self = Self { version: GiopVersion::V1_2, is_lite: false };

    /// Without the feature, GIOPlite is known to the compiler to be none of the cases.
    pub(crate) fn is_lite(self) -> bool {
        cfg!(feature = "lite") && self.is_lite
    }

    pub(crate) fn form(self) -> MessageFormat<'static> {
        #[cfg(feature = "lite")]
        if self.is_lite {
            return MessageFormat::Other(&zorb_giop::GiopLite);
        }
        MessageFormat::Giop(self.version)
    }

    /// The encoding of text in the body.
    pub(crate) fn text(self) -> TextCoding {
        if self.is_lite() { TextCoding::UNICODE } else { TextCoding::default() }
    }
}
