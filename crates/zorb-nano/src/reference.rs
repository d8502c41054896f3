//! Object references.

use alloc::vec::Vec;

use arrayvec::ArrayVec;
use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};
use zorb_giop::{GiopVersion, Ior, MAX_PROFILES, ProfileTag};
use zorb_types::{SystemExceptionKind, Transfer, minor};

use crate::profile::{self, Endpoints};
use crate::url::{self, Url};
use crate::{Address, Endpoint, SystemException};

/// The maximum length of an object key in octets.
pub const MAX_KEY: usize = 128;

/// An object: what a client needs of an IOR. It remembers the first [`MAX_ENDPOINTS`](crate::MAX_ENDPOINTS) endpoints of
/// profiles that can be used.
///
/// ```
/// use zorb_nano::Reference;
///
/// let reference = Reference::parse("corbaloc:iiop:1.2@192.0.2.7:2809/sensor").unwrap();
/// assert_eq!(reference.address().to_string(), "192.0.2.7:2809");
/// assert_eq!(reference.key(), b"sensor");
/// // Nothing here resolves names.
/// assert!(Reference::parse("corbaloc::sensor.example.org/sensor").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// At least one.
    endpoints: Endpoints,
    key: ArrayVec<u8, MAX_KEY>,
}

impl Reference {
    /// An object with this key at an address or endpoint, which a client calls in GIOP 1.2.
    ///
    /// # Errors
    /// `IMP_LIMIT` for a key of more than [`MAX_KEY`] octets.
    pub fn new(endpoint: impl Into<Endpoint>, key: &[u8]) -> Result<Self, SystemException> {
        let mut reference = Self::at([endpoint.into()]);
        reference.set_key(key)?;
        Ok(reference)
    }

    /// No object yet, at the first of these endpoints.
    pub(crate) fn at(endpoints: impl IntoIterator<Item = Endpoint>) -> Self {
        let mut reference = Self { endpoints: Endpoints::new(), key: ArrayVec::new() };
        for endpoint in endpoints {
            if reference.endpoints.try_push(endpoint).is_err() {
                break;
            }
        }
        reference
    }

    /// The same object at other endpoints: at most [`MAX_ENDPOINTS`](crate::MAX_ENDPOINTS), of which the first is for
    /// clients without a priority. The servers of several lanes, each in its own thread, are then one object to
    /// clients.
    ///
    /// # Errors
    /// `BAD_PARAM` without endpoints.
    pub fn with_endpoints(
        mut self,
        endpoints: impl IntoIterator<Item = Endpoint>,
    ) -> Result<Self, SystemException> {
        self.endpoints = Self::at(endpoints).endpoints;
        self.usable(SystemException::before(
            SystemExceptionKind::BadParam,
            minor::bad_param::BAD_ADDRESS,
        ))
    }

    /// Parses an `IOR:` or a `corbaloc:`, whose hosts are IP addresses or `localhost`. For an `IOR:` it allocates.
    ///
    /// # Errors
    /// `BAD_PARAM` if it is neither; `INV_OBJREF` without a profile or address that can be used; `IMP_LIMIT` for a
    /// long object key; `NO_MEMORY`.
    pub fn parse(text: &str) -> Result<Self, SystemException> {
        match Url::parse(text)? {
            Url::Ior(digits) => Self::of_ior(&url::octets(digits)?),
            Url::Corbaloc(locations) => Self::of_corbaloc(locations),
        }
    }

    fn of_ior(octets: &[u8]) -> Result<Self, SystemException> {
        let profiles = CdrReader::for_encapsulation(octets)
            .and_then(|mut reader| Self::read_profiles(&mut reader));
        let Profiles { reference, refused, .. } = profiles.map_err(|_| url::MALFORMED)?;
        reference.usable(refused)
    }

    fn of_corbaloc(locations: &str) -> Result<Self, SystemException> {
        let mut reference = Self::at([]);
        let key = url::endpoints(locations, |endpoint| {
            // Further ones are not remembered.
            let _ = reference.endpoints.try_push(endpoint);
        })?;
        let mut is_too_long = false;
        url::unescape(key, |octet| is_too_long |= reference.key.try_push(octet).is_err())?;
        let reference = reference.usable(UNUSABLE)?;
        if is_too_long { Err(LONG_KEY) } else { Ok(reference) }
    }

    /// Reads a reference that is a parameter, and leaves the reader at its end; `None` if it is nil. It does not allocate.
    pub(crate) fn read(reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
        let Profiles { reference, count, .. } = Self::read_profiles(reader)?;
        match reference.usable(UNUSABLE) {
            Ok(usable) => Ok(Some(usable)),
            Err(_) if count == 0 => Ok(None),
            Err(_) => Err(reader.error(CdrErrorKind::BadReference, "reference")),
        }
    }

    fn read_profiles(reader: &mut CdrReader<'_>) -> CdrResult<Profiles> {
        reader.read_string_octets(u32::MAX, "type_id")?;
        let count = reader.read_count(8, "profile list")?;
        if count > MAX_PROFILES {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "profile list"));
        }
        let mut profiles = Profiles { reference: Self::at([]), count, refused: UNUSABLE };
        for _ in 0..count {
            let tag = ProfileTag(reader.read_u32()?);
            if let Err(error) = profiles.reference.add_profile(tag, reader.read_octets()?) {
                profiles.refused = error;
            }
        }
        Ok(profiles)
    }

    /// Reads a reference that a server forwards to, which is not nil.
    pub(crate) fn read_forward(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let nil = |reader: &CdrReader<'_>| reader.error(CdrErrorKind::BadReference, "forward");
        Self::read(reader)?.ok_or_else(|| nil(reader))
    }

    /// Adds the endpoints of a profile, if it can be used and has the key of those before it.
    fn add_profile(&mut self, tag: ProfileTag, profile: &[u8]) -> Result<(), SystemException> {
        let before = self.endpoints.len();
        if let Ok(Some(key)) = profile::read(tag, profile, &mut self.endpoints) {
            let known = if before == 0 { self.set_key(key) } else { Ok(()) };
            if *self.key != *key {
                self.endpoints.truncate(before);
            }
            return known;
        }
        Ok(())
    }

    pub(crate) fn set_key(&mut self, key: &[u8]) -> Result<(), SystemException> {
        self.key.clear();
        self.key.try_extend_from_slice(key).map_err(|_| LONG_KEY)
    }

    /// The reference, or `otherwise` without endpoints.
    fn usable(self, otherwise: SystemException) -> Result<Self, SystemException> {
        if self.endpoints.is_empty() { Err(otherwise) } else { Ok(self) }
    }

    /// The endpoints of the object. Calls use the first of those for the client's [priority](crate::Os::priority).
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    fn first(&self) -> Endpoint {
        // There is at least one.
        self.endpoints
            .first()
            .copied()
            .unwrap_or_else(|| Endpoint::new(core::net::SocketAddr::from(([0, 0, 0, 0], 0))))
    }

    /// The address of the first endpoint.
    pub fn address(&self) -> Address {
        self.first().address
    }

    /// The highest GIOP version that the server speaks at the first endpoint.
    pub fn version(&self) -> GiopVersion {
        self.first().version
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
        type_id.len() + 16 + self.endpoints.len() * (self.key.len() + profile::MAX_SIZE)
    }

    /// Writes the reference as a parameter: an IOR with a profile for each endpoint.
    pub(crate) fn write(&self, type_id: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(type_id)?;
        writer.write_count(self.endpoints.len(), "profile list")?;
        self.endpoints.iter().try_for_each(|endpoint| profile::write(endpoint, &self.key, writer))
    }
}

/// The profiles of a reference as far as they can be used.
struct Profiles {
    reference: Reference,
    /// The number of all.
    count: usize,
    /// Why the last of those that cannot be used was refused.
    refused: SystemException,
}

const UNUSABLE: SystemException =
    SystemException::before(SystemExceptionKind::InvObjref, minor::inv_objref::NO_USABLE_PROFILE);
const LONG_KEY: SystemException =
    SystemException::before(SystemExceptionKind::ImpLimit, minor::imp_limit::TOO_LONG);
