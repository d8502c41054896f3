//! Profiles of references: one for each endpoint.

use arrayvec::ArrayVec;
use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{ComponentTag, GiopVersion, ProfileTag};

use crate::endpoint::{Protocol, Transport};
use crate::host::{host, socket_address};
use crate::{Address, Endpoint};

/// The most endpoints that a reference remembers.
pub const MAX_ENDPOINTS: usize = 4;

/// Octets of a profile besides the object key, at most.
pub(crate) const MAX_SIZE: usize = if cfg!(feature = "unix") { 240 } else { 160 };

/// The endpoints of a reference.
pub(crate) type Endpoints = ArrayVec<Endpoint, MAX_ENDPOINTS>;

/// Adds the endpoints of a profile, as far as there is room, and returns its object key; `None` if it cannot be used. The
/// layouts are those of `zorb_giop::IiopProfile` and of TAO's UIOP, which has a path in place of host and port.
pub(crate) fn read<'a>(
    tag: ProfileTag,
    profile: &'a [u8],
    endpoints: &mut Endpoints,
) -> CdrResult<Option<&'a [u8]>> {
    let Some(protocol) = Protocol::of_profile(tag) else { return Ok(None) };
    let mut reader = CdrReader::for_encapsulation(profile)?;
    let version = GiopVersion::of_profile(reader.read_u8()?, reader.read_u8()?);
    let host = reader.read_string_octets(u32::MAX, "host")?;
    let address = match protocol.transport {
        Transport::Ip(of_ip) => socket_address(host, reader.read_u16()?).map(of_ip),
        #[cfg(feature = "unix")]
        Transport::Unix => crate::SocketName::new(host).ok().map(Address::Unix),
    };
    let key = reader.read_octets()?;
    let Some((version, address)) = version.zip(address) else { return Ok(None) };
    let at = endpoints.len();
    let _ = endpoints.try_push(protocol.endpoint(address, version));
    if cfg!(feature = "lanes") && version > GiopVersion::V1_0 {
        // Without readable priorities it is an endpoint for all.
        let _ = read_lanes(&mut reader, endpoints, at);
    }
    Ok(Some(key))
}

/// The object key of a profile of any protocol of this ORB; `None` for other profiles.
pub(crate) fn object_key(tag: ProfileTag, profile: &[u8]) -> CdrResult<Option<&[u8]>> {
    let Some(protocol) = Protocol::of_profile(tag) else { return Ok(None) };
    let mut reader = CdrReader::for_encapsulation(profile)?;
    reader.take(2, "version")?;
    reader.read_string_octets(u32::MAX, "host")?;
    if matches!(protocol.transport, Transport::Ip(_)) {
        reader.read_u16()?;
    }
    reader.read_octets().map(Some)
}

/// Reads priorities from the components of the profile whose endpoint is the one `at` this index.
fn read_lanes(reader: &mut CdrReader<'_>, endpoints: &mut Endpoints, at: usize) -> CdrResult<()> {
    for _ in 0..reader.read_count(8, "component list")? {
        let tag = ComponentTag(reader.read_u32()?);
        let component = reader.read_octets()?;
        let Some(&own) = endpoints.get(at) else { return Ok(()) };
        let mut found = |endpoint: Endpoint| match endpoints.get_mut(at) {
            Some(own) if own.address == endpoint.address => *own = endpoint,
            _ => drop(endpoints.try_push(endpoint)),
        };
        match tag {
            ComponentTag::ZORB_LANE_PRIORITY => {
                let priority = CdrReader::for_encapsulation(component)?.read_i16()?;
                found(own.with_priority(Some(priority)));
            }
            ComponentTag::TAO_ENDPOINTS if matches!(own.address, Address::Tcp(_)) => {
                let mut reader = CdrReader::for_encapsulation(component)?;
                for _ in 0..reader.read_count(9, "endpoint list")? {
                    let host = reader.read_string_octets(u32::MAX, "host")?;
                    let address = socket_address(host, reader.read_u16()?);
                    // TAO's number for an endpoint for all priorities is below all priorities.
                    let priority = Some(reader.read_i16()?).filter(|priority| *priority >= 0);
                    if let Some(address) = address {
                        found(own.at(Address::Tcp(address)).with_priority(priority));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes the profile of an endpoint.
pub(crate) fn write(endpoint: &Endpoint, key: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_u32(endpoint.profile_tag().0);
    writer.write_encapsulation(|profile| {
        profile.put(&[1, endpoint.version.minor()]);
        match endpoint.address {
            #[cfg(feature = "unix")]
            Address::Unix(name) => {
                let name = name.as_octets();
                profile.write_count(name.len() + 1, "path")?;
                profile.put(name);
                profile.write_u8(0);
            }
            other => write_host_and_port(other, profile)?,
        }
        profile.write_octets(key)?;
        if endpoint.version > GiopVersion::V1_0 {
            write_components(endpoint, profile)?;
        }
        Ok(())
    })
}

fn write_host_and_port(address: Address, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let unnamed = writer.error(CdrErrorKind::BadReference, "address");
    let address = address.ip().ok_or(unnamed)?;
    writer.write_latin1(&host(address.ip()))?;
    writer.write_u16(address.port());
    Ok(())
}

/// The priority, in Zorb's component, and in TAO's in profiles of IIOP.
fn write_components(endpoint: &Endpoint, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let Some(priority) = endpoint.priority() else {
        writer.write_u32(0);
        return Ok(());
    };
    let of_tao = endpoint.profile_tag() == ProfileTag::INTERNET_IOP;
    writer.write_u32(if of_tao { 2 } else { 1 });
    writer.write_u32(ComponentTag::ZORB_LANE_PRIORITY.0);
    writer.write_encapsulation(|component| {
        component.write_i16(priority);
        Ok(())
    })?;
    if of_tao {
        writer.write_u32(ComponentTag::TAO_ENDPOINTS.0);
        writer.write_encapsulation(|component| {
            component.write_u32(1);
            write_host_and_port(endpoint.address, component)?;
            component.write_i16(priority);
            Ok(())
        })?;
    }
    Ok(())
}
