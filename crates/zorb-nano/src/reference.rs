//! Object references.

use core::net::{IpAddr, SocketAddr};

use arrayvec::ArrayVec;
use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};
use zorb_giop::{
    Corbaloc, GiopVersion, HostPort, IiopProfile, Ior, MAX_PROFILES, ObjectUrl, ProfileTag,
};
use zorb_types::{SystemExceptionKind, minor};

use crate::SystemException;

/// The maximum length of an object key in octets.
pub const MAX_KEY: usize = 128;

/// An object at an address: what a client needs of an IOR's first usable IIOP profile.
///
/// ```
/// use zorb_nano::Reference;
///
/// let reference = Reference::parse("corbaloc:iiop:1.2@192.0.2.7:2809/sensor").unwrap();
/// assert_eq!(reference.address(), "192.0.2.7:2809".parse().unwrap());
/// assert_eq!(reference.key(), b"sensor");
/// // Nothing here resolves names.
/// assert!(Reference::parse("corbaloc::sensor.example.org/sensor").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    address: SocketAddr,
    version: GiopVersion,
    key: ArrayVec<u8, MAX_KEY>,
}

impl Reference {
    /// An object with this key at an address, which a client calls in GIOP 1.2.
    ///
    /// # Errors
    /// `IMP_LIMIT` for a key of more than [`MAX_KEY`] octets.
    pub fn new(address: SocketAddr, key: &[u8]) -> Result<Self, SystemException> {
        Self::of_parts(address, GiopVersion::V1_2, key)
    }

    /// Parses an `IOR:` or a `corbaloc:`, whose host is an IP address or `localhost`. It allocates.
    ///
    /// # Errors
    /// `BAD_PARAM` if it is neither; `INV_OBJREF` without an IIOP profile or address that can be used; `IMP_LIMIT` for a
    /// long object key.
    pub fn parse(text: &str) -> Result<Self, SystemException> {
        match ObjectUrl::parse(text) {
            Ok(ObjectUrl::Ior(ior)) => Self::of_ior(&ior),
            Ok(ObjectUrl::Corbaloc(corbaloc)) => Self::of_corbaloc(&corbaloc),
            Ok(_) => {
                let minor = minor::bad_param::BAD_SCHEME;
                Err(SystemException::before(SystemExceptionKind::BadParam, minor))
            }
            Err(error) => {
                Err(SystemException::before(SystemExceptionKind::BadParam, error.minor()))
            }
        }
    }

    /// The first profile that can be used.
    fn of_ior(ior: &Ior) -> Result<Self, SystemException> {
        let mut usable = ior.iiop_profiles().filter_map(|profile| {
            let address = socket_address(profile.host.as_bytes(), profile.port)?;
            Some((address, profile))
        });
        let (address, profile) = usable.next().ok_or(UNUSABLE)?;
        Self::of_parts(address, profile.version, &profile.object_key)
    }

    /// The first address that can be used.
    fn of_corbaloc(corbaloc: &Corbaloc) -> Result<Self, SystemException> {
        let iiop = corbaloc.addresses.iter().filter(|address| address.protocol == "iiop");
        let mut usable = iiop.filter_map(|address| {
            let HostPort { host, port } = HostPort::parse(&address.address).ok()?;
            Some((socket_address(host.as_bytes(), port)?, address.effective_version()))
        });
        let (address, version) = usable.next().ok_or(UNUSABLE)?;
        Self::of_parts(address, version, &corbaloc.key)
    }

    /// Reads a reference that a server forwards to. It does not allocate.
    pub(crate) fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_string_octets(u32::MAX, "type_id")?;
        let count = reader.read_count(8, "profile list")?.min(MAX_PROFILES);
        for _ in 0..count {
            let tag = ProfileTag(reader.read_u32()?);
            let profile = reader.read_octets()?;
            if tag == ProfileTag::INTERNET_IOP
                && let Ok(Some(reference)) = Self::read_profile(profile)
            {
                return Ok(reference);
            }
        }
        Err(reader.error(CdrErrorKind::BadReference, "reference without a usable profile"))
    }

    /// Reads an IIOP profile, whose layout [`IiopProfile`] documents; `None` if it cannot be used.
    fn read_profile(profile: &[u8]) -> CdrResult<Option<Self>> {
        let mut reader = CdrReader::for_encapsulation(profile)?;
        let version = GiopVersion::of_profile(reader.read_u8()?, reader.read_u8()?);
        let host = reader.read_string_octets(u32::MAX, "host")?;
        let address = socket_address(host, reader.read_u16()?);
        let key = reader.read_octets()?;
        let usable = version.zip(address);
        Ok(usable.and_then(|(version, address)| Self::of_parts(address, version, key).ok()))
    }

    fn of_parts(
        address: SocketAddr,
        version: GiopVersion,
        key: &[u8],
    ) -> Result<Self, SystemException> {
        let mut reference = Self { address, version, key: ArrayVec::new() };
        let copied = reference.key.try_extend_from_slice(key);
        copied.map_err(|_| {
            let minor = minor::imp_limit::TOO_LONG;
            SystemException::before(SystemExceptionKind::ImpLimit, minor)
        })?;
        Ok(reference)
    }

    /// The address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The highest GIOP version that the server speaks.
    pub fn version(&self) -> GiopVersion {
        self.version
    }

    /// The object key.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The reference as an IOR for other ORBs, with the repository id `type_id`, and the server at `host`, which is an
    /// address as text or a name that they can resolve. It allocates.
    ///
    /// # Errors
    /// `BAD_PARAM`, `DATA_CONVERSION` for text that has no encoding.
    pub fn to_ior(&self, type_id: &str, host: &str) -> Result<Ior, SystemException> {
        let profile = IiopProfile {
            version: self.version,
            host: host.into(),
            port: self.address.port(),
            object_key: self.key.to_vec(),
            components: alloc::vec::Vec::new(),
        };
        let profile = profile
            .encode(zorb_cdr::ByteOrder::NATIVE)
            .map_err(|error| SystemException::of_cdr(error, zorb_types::Transfer::SendRequest))?;
        Ok(Ior { type_id: type_id.into(), profiles: alloc::vec![profile] })
    }
}

const UNUSABLE: SystemException =
    SystemException::before(SystemExceptionKind::InvObjref, minor::inv_objref::NO_USABLE_PROFILE);

/// The address of a host that is an IP address or `localhost`.
fn socket_address(host: &[u8], port: u16) -> Option<SocketAddr> {
    let host = match host {
        b"localhost" => "127.0.0.1",
        other => core::str::from_utf8(other).ok()?,
    };
    let address = host.parse::<IpAddr>().ok()?;
    (port != 0).then_some(SocketAddr::new(address, port))
}
