//! What a profile says.

use zorb::giop::{
    GiopVersion, HostPort, IiopProfile, OrbType, ProfileTag, TaggedComponent, TaggedProfile,
    read_components,
};
use zorb::protocols::SciopProfile;
use zorb_cdr::{CdrError, CdrReader, CdrResult};

use super::facts::Facts;
use super::{component, key, url};

pub(super) fn explain(profile: &TaggedProfile) -> Facts {
    let name = match profile.tag {
        ProfileTag::INTERNET_IOP => "IIOP".to_owned(),
        tag => tag.name().unwrap_or("unknown kind").to_owned(),
    };
    let head = Facts::new(format!("{name} ({:#x})", profile.tag.0))
        .with_detail("tag", profile.tag.0)
        .with_detail("kind", name.clone());
    let explained = match profile.tag {
        tag if url::is_like_iiop(tag) => iiop(profile, head),
        ProfileTag::MULTIPLE_COMPONENTS => multiple_components(profile, head),
        tag if is_like_uiop(tag) => uiop(profile, head),
        ProfileTag::TAO_SCIOP => sciop(profile, head),
        ProfileTag::UIPMC => multicast(profile, head),
        _ => Ok(head.with("octets", profile.data.as_slice())),
    };
    explained.unwrap_or_else(|error: CdrError| {
        Facts::new(format!("{name} ({:#x}), malformed", profile.tag.0))
            .with_detail("tag", profile.tag.0)
            .with_detail("kind", name)
            .with("malformed", error.to_string())
            .with("octets", profile.data.as_slice())
    })
}

fn iiop(profile: &TaggedProfile, mut facts: Facts) -> CdrResult<Facts> {
    let iiop = IiopProfile::decode(&profile.data)?;
    let address = HostPort { host: iiop.host.clone(), port: iiop.port };
    let kind = match profile.tag {
        ProfileTag::INTERNET_IOP => "IIOP",
        tag => tag.name().unwrap_or_default(),
    };
    // Zorb's shared memory has a socket's name for the host.
    let place = match profile.tag {
        ProfileTag::TAO_SHMIOP if iiop.port == 0 => iiop.host.clone(),
        _ => address.to_string(),
    };
    facts.set_title(format!("{kind} {}, {place}", iiop.version));
    let mut facts = facts
        .with_detail("version", iiop.version.to_string())
        .with_detail("host", iiop.host.as_str())
        .with_detail("port", iiop.port);
    if profile.tag == ProfileTag::INTERNET_IOP && iiop.port != 0 {
        facts.add("url", url::corbaloc_of(iiop.version, &address, &iiop.object_key));
    }
    let orb = iiop.component::<OrbType>().ok().flatten();
    facts.add("object_key", key::explain(&iiop.object_key, orb));
    if iiop.version > GiopVersion::V1_0 {
        facts.add("components", explain_components(&iiop.components));
    }
    Ok(facts)
}

fn multiple_components(profile: &TaggedProfile, facts: Facts) -> CdrResult<Facts> {
    let mut reader = CdrReader::for_encapsulation(&profile.data)?;
    let components = read_components(&mut reader)?;
    Ok(facts.with("components", explain_components(&components)))
}

/// Whether profiles of this kind are laid out like TAO's UIOP.
fn is_like_uiop(tag: ProfileTag) -> bool {
    matches!(tag, ProfileTag::TAO_UIOP | ProfileTag::ZORB_LITE_UIOP | ProfileTag::ZORB_SHORT_UIOP)
}

/// Octets of the version, the path of a socket, the key and, from 1.1, components.
fn uiop(profile: &TaggedProfile, mut facts: Facts) -> CdrResult<Facts> {
    let mut reader = CdrReader::for_encapsulation(&profile.data)?;
    let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
    let path = reader.read_latin1("rendezvous point")?.into_owned();
    let object_key = reader.read_octets()?;
    let components = if minor > 0 { read_components(&mut reader)? } else { Vec::new() };
    let kind = profile.tag.name().unwrap_or_default();
    facts.set_title(format!("{kind} {major}.{minor}, {path}"));
    facts.add("version", format!("{major}.{minor}"));
    facts.add("path", path);
    let orb = orb_type(&components);
    facts.add("object_key", key::explain(object_key, orb));
    Ok(facts.with("components", explain_components(&components)))
}

/// The hosts of one server, with one port.
fn sciop(profile: &TaggedProfile, facts: Facts) -> CdrResult<Facts> {
    let SciopProfile { version, hosts, port, max_streams, object_key, components } =
        SciopProfile::decode(&profile.data)?;
    let places: Vec<String> =
        hosts.iter().map(|host| HostPort { host: host.clone(), port }.to_string()).collect();
    let mut facts = facts
        .with_detail("version", version.to_string())
        .with_detail("hosts", hosts)
        .with_detail("port", port);
    facts.set_title(format!("TAO SCIOP {version}, {}", places.join(", ")));
    facts.add("max_streams", max_streams);
    facts.add("object_key", key::explain(&object_key, orb_type(&components)));
    Ok(facts.with("components", explain_components(&components)))
}

/// Octets of the version, a group's address and port, components.
fn multicast(profile: &TaggedProfile, mut facts: Facts) -> CdrResult<Facts> {
    let mut reader = CdrReader::for_encapsulation(&profile.data)?;
    let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
    let host = reader.read_latin1("group address")?.into_owned();
    let port = reader.read_u16()?;
    let components = read_components(&mut reader)?;
    let address = HostPort { host, port };
    facts.set_title(format!("multicast, {address}"));
    facts.add("version", format!("{major}.{minor}"));
    facts.add("host", address.host);
    facts.add("port", port);
    Ok(facts.with("components", explain_components(&components)))
}

fn orb_type(components: &[TaggedComponent]) -> Option<OrbType> {
    components.iter().find_map(|component| component.body::<OrbType>().ok().flatten())
}

fn explain_components(components: &[TaggedComponent]) -> Vec<Facts> {
    components.iter().map(component::explain).collect()
}
