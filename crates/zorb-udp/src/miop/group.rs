//! Groups in references and URLs.

use std::collections::TryReserveError;
use std::net::SocketAddr;

use zorb_cdr::{ByteOrder, fallible};
use zorb_giop::{
    CodeSetComponentInfo, ComponentTag, Corbaloc, IiopProfile, ObjectUrl, ProfileTag, TagGroup,
    TaggedComponent, TaggedProfile, UipmcProfile,
};
use zorb_transport::{EndpointError, ProfileError};

/// The identity of a group. The version of its reference is not a part of it: members accept
/// requests from clients with any version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroupName {
    domain: String,
    id: u64,
}

impl From<TagGroup> for GroupName {
    fn from(group: TagGroup) -> Self {
        Self { domain: group.domain, id: group.id }
    }
}

fn error(text: &str, reason: &'static str) -> EndpointError {
    let shown: String = text.chars().take(80).collect();
    EndpointError::new(&shown, reason)
}

/// Parses `1.0-domain-id` or `1.0-domain-id-version`.
pub(crate) fn parse_group(text: &str) -> Result<TagGroup, EndpointError> {
    let form = || error(text, "a group is 1.0-domain-id or 1.0-domain-id-version");
    let parts: Vec<&str> = text.split('-').collect();
    let (domain, id, version) = match *parts.as_slice() {
        ["1.0", domain, id] => (domain, id, "0"),
        ["1.0", domain, id, version] => (domain, id, version),
        _ => return Err(form()),
    };
    let (Ok(id), Ok(reference_version)) = (id.parse(), version.parse()) else {
        return Err(form());
    };
    if domain.is_empty() {
        return Err(form());
    }
    Ok(TagGroup { domain: domain.to_owned(), id, reference_version })
}

/// Parses the address of a multicast group, `239.1.2.3:5000` or `[ff15::1]:5000`.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, EndpointError> {
    let address: SocketAddr =
        text.parse().map_err(|_| error(text, "the form is 239.1.2.3:5000 or [ff15::1]:5000"))?;
    if !address.ip().is_multicast() {
        return Err(error(text, "it is not a multicast address"));
    }
    if address.port() == 0 {
        return Err(error(text, "port 0 is not a port to send to"));
    }
    Ok(address)
}

/// The profile of `group` at `endpoint`: `address` or `address;location`, where the location is that
/// of an object for the group's two-way calls, as in `;iiop:1.2@host:port/key`.
pub(crate) fn profile(group: &TagGroup, endpoint: &[u8]) -> Result<TaggedProfile, ProfileError> {
    let endpoint = std::str::from_utf8(endpoint)
        .map_err(|_| error("", "the address of a group must be ASCII text"))?;
    let (address, location) = match endpoint.split_once(';') {
        Some((address, location)) => (address, Some(location)),
        None => (endpoint, None),
    };
    let address = parse_address(address)?;
    let order = ByteOrder::NATIVE;
    // A group has no common code sets: requests contain the code sets of their text.
    let mut components = vec![
        TaggedComponent::with_body(group, order)?,
        TaggedComponent::with_body(&CodeSetComponentInfo::zorb(), order)?,
    ];
    if let Some(location) = location {
        let data = iiop_profile(location)?.encode(order)?.data;
        components.push(TaggedComponent { tag: ComponentTag::GROUP_IIOP, data });
    }
    let profile =
        UipmcProfile { address: address.ip().to_string(), port: address.port(), components };
    Ok(profile.encode(order)?)
}

/// The profile of `iiop:1.2@host:port/key`.
fn iiop_profile(location: &str) -> Result<IiopProfile, EndpointError> {
    let bad = || error(location, "the part after `;` must have the form iiop:1.2@host:port/key");
    let Ok(ObjectUrl::Corbaloc(Corbaloc { addresses, key })) =
        ObjectUrl::parse(&format!("corbaloc:{location}"))
    else {
        return Err(bad());
    };
    let [address] = addresses.as_slice() else { return Err(bad()) };
    if address.protocol != "iiop" {
        return Err(bad());
    }
    let host_port =
        zorb_tcp::address::HostPort::parse_remote(&address.address, crate::DEFAULT_PORT)?;
    Ok(IiopProfile {
        version: address.effective_version(),
        host: host_port.host.to_profile_host(),
        port: host_port.port,
        object_key: key,
        components: Vec::new(),
    })
}

/// The profiles for the group's two-way calls.
pub(crate) fn two_way(
    components: &[TaggedComponent],
) -> Result<Vec<TaggedProfile>, TryReserveError> {
    let mut profiles = Vec::new();
    for component in components.iter().filter(|it| it.tag == ComponentTag::GROUP_IIOP) {
        let data = fallible::copy(&component.data)?;
        fallible::push(&mut profiles, TaggedProfile { tag: ProfileTag::INTERNET_IOP, data })?;
    }
    Ok(profiles)
}

/// The address in a profile.
pub(crate) fn address_of(profile: &UipmcProfile) -> Result<SocketAddr, EndpointError> {
    let ip = profile
        .address
        .parse()
        .map_err(|_| error(&profile.address, "the address of a group must be an IP address"))?;
    parse_address(&SocketAddr::new(ip, profile.port).to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn urls_name_group_and_address() {
        let group = parse_group("1.0-zorb-7-3").unwrap();
        assert_eq!(group, TagGroup { domain: "zorb".to_owned(), id: 7, reference_version: 3 });
        assert_eq!(parse_group("1.0-zorb-7").unwrap().reference_version, 0);
        for bad in ["", "1.0", "1.0-zorb", "2.0-zorb-7", "1.0--7", "1.0-zorb-x", "1.0-a-b-1-2"] {
            parse_group(bad).unwrap_err();
        }
        for bad in ["127.0.0.1:5000", "239.1.2.3", "239.1.2.3:0", "ff15::1:5000", "name:5000"] {
            parse_address(bad).unwrap_err();
        }
    }

    #[test]
    fn a_profile_has_the_octets_of_the_standard() {
        let group = TagGroup { domain: "zorb".to_owned(), id: 7, reference_version: 3 };
        let components = vec![TaggedComponent::with_body(&group, ByteOrder::Big).unwrap()];
        let profile = UipmcProfile { address: "239.1.2.3".to_owned(), port: 5000, components };
        let encoded = profile.encode(ByteOrder::Big).unwrap();
        let golden: &[u8] = b"\0\x01\0\0\0\0\0\x0a239.1.2.3\0\x13\x88\0\0\0\x01\
            \0\0\0\x27\0\0\0\x1c\0\x01\0\0\0\0\0\x05zorb\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0\x03";
        assert_eq!((encoded.tag, encoded.data.as_slice()), (ProfileTag::UIPMC, golden));
        assert_eq!(UipmcProfile::decode(golden).unwrap(), profile);
        assert_eq!(profile.group().unwrap(), group);
        // In TAO's format: the version is that of GIOP.
        let mut tao = golden.to_vec();
        tao[2] = 2;
        assert_eq!(UipmcProfile::decode(&tao).unwrap(), profile);
        for cut in 0..golden.len() {
            assert!(UipmcProfile::decode(&golden[..cut]).and_then(|p| p.group()).is_err(), "{cut}");
        }
    }

    #[test]
    fn two_way_calls_have_a_profile_of_their_own() {
        let group = parse_group("1.0-zorb-7").unwrap();
        let made = profile(&group, b"239.1.2.3:5000;iiop:1.2@example.com:2809/leader").unwrap();
        let decoded = UipmcProfile::decode(&made.data).unwrap();
        assert_eq!(address_of(&decoded).unwrap().to_string(), "239.1.2.3:5000");
        let [two_way] = two_way(&decoded.components).unwrap().try_into().unwrap();
        let iiop = IiopProfile::decode(&two_way.data).unwrap();
        assert_eq!((iiop.host.as_str(), iiop.port), ("example.com", 2809));
        assert_eq!(iiop.object_key, b"leader");
        for bad in [&b"239.1.2.3:5000;uiop:/path|key"[..], b"239.1.2.3:5000;", b"\xff", b""] {
            profile(&group, bad).unwrap_err();
        }
    }
}
