//! Object references.

use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};

use arrayvec::{ArrayString, ArrayVec};
use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};
use zorb_giop::{Corbaloc, GiopVersion, HostPort, Ior, MAX_PROFILES, ObjectUrl, ProfileTag};
use zorb_types::{SystemExceptionKind, Transfer, minor};

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

    /// Reads a reference that is a parameter, and leaves the reader at its end; `None` if it is nil. It does not allocate.
    pub(crate) fn read(reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
        reader.read_string_octets(u32::MAX, "type_id")?;
        let count = reader.read_count(8, "profile list")?;
        if count > MAX_PROFILES {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "profile list"));
        }
        let mut usable = None;
        for _ in 0..count {
            let tag = ProfileTag(reader.read_u32()?);
            let profile = reader.read_octets()?;
            if usable.is_none() && tag == ProfileTag::INTERNET_IOP {
                usable = Self::read_profile(profile).unwrap_or_default();
            }
        }
        match usable {
            None if count > 0 => Err(reader.error(CdrErrorKind::BadReference, "reference")),
            usable => Ok(usable),
        }
    }

    /// Reads a reference that a server forwards to, which is not nil.
    pub(crate) fn read_forward(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let nil = |reader: &CdrReader<'_>| reader.error(CdrErrorKind::BadReference, "forward");
        Self::read(reader)?.ok_or_else(|| nil(reader))
    }

    /// Reads an IIOP profile, whose layout `zorb_giop::IiopProfile` documents; `None` if it cannot be used.
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

    /// The reference as an IOR for other ORBs, with the repository id `type_id`. It allocates.
    ///
    /// # Errors
    /// `BAD_PARAM`, `DATA_CONVERSION` for an id that has no encoding.
    pub fn to_ior(&self, type_id: &str) -> Result<Ior, SystemException> {
        let mut octets = Vec::new();
        let read = self.write(type_id, &mut CdrWriter::new(&mut octets, ByteOrder::NATIVE));
        let ior = read.and_then(|()| Ior::read(&mut CdrReader::new(&octets, ByteOrder::NATIVE)));
        ior.map_err(|error| SystemException::of_cdr(error, Transfer::SendRequest))
    }

    /// Octets of the reference as a parameter, at most.
    pub(crate) fn max_size(&self, type_id: &str) -> usize {
        type_id.len() + self.key.len() + MAX_HOST + 64
    }

    /// Writes the reference as a parameter: an IOR with one IIOP profile.
    pub(crate) fn write(&self, type_id: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(type_id)?;
        writer.write_u32(1);
        writer.write_u32(ProfileTag::INTERNET_IOP.0);
        writer.write_encapsulation(|profile| {
            profile.put(&[1, self.version.minor()]);
            profile.write_latin1(&host(self.address.ip()))?;
            profile.write_u16(self.address.port());
            profile.write_octets(&self.key)?;
            if self.version > GiopVersion::V1_0 {
                // The number of components.
                profile.write_u32(0);
            }
            Ok(())
        })
    }
}

/// Characters of an address as text, at most.
const MAX_HOST: usize = 39;

/// An address as text. The formatting of the standard library would be larger than most other parts of an image.
fn host(address: IpAddr) -> ArrayString<MAX_HOST> {
    let mut text = ArrayString::new();
    let mut push = |octet: u8| {
        // There is room for the longest address.
        let _ = text.try_push(char::from(octet));
    };
    match address {
        IpAddr::V4(address) => {
            for (index, octet) in address.octets().into_iter().enumerate() {
                if index > 0 {
                    push(b'.');
                }
                for power in [100, 10, 1] {
                    if octet >= power || power == 1 {
                        push(b'0' + octet / power % 10);
                    }
                }
            }
        }
        IpAddr::V6(address) => {
            for (index, group) in address.segments().into_iter().enumerate() {
                if index > 0 {
                    push(b':');
                }
                for shift in [12, 8, 4, 0] {
                    push(b"0123456789abcdef"[usize::from(group >> shift & 15)]);
                }
            }
        }
    }
    text
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
