//! Decodes profiles.

use zorb::giop::{
    Corbaloc, CorbalocAddress, GiopVersion, HostPort, IiopProfile, ObjectUrl, OrbType, ProfileTag,
    TaggedComponent, TaggedProfile, read_components,
};
use zorb::protocols::SciopProfile;
use zorb_cdr::{CdrError, CdrReader, CdrResult};

use super::fields::Node;
use super::{component, key};

pub(super) fn explain(profile: &TaggedProfile) -> Node {
    let name = match profile.tag {
        ProfileTag::INTERNET_IOP => "IIOP".to_owned(),
        tag => tag.name().unwrap_or("unknown kind").to_owned(),
    };
    let head = Node::new(format!("{name} ({:#x})", profile.tag.0))
        .with_detail("tag", profile.tag.0)
        .with_detail("kind", name.clone());
    let explained = match profile.tag {
        tag if is_like_iiop(tag) => iiop(profile, head),
        ProfileTag::MULTIPLE_COMPONENTS => multiple_components(profile, head),
        tag if is_like_uiop(tag) => uiop(profile, head),
        ProfileTag::TAO_SCIOP => sciop(profile, head),
        ProfileTag::UIPMC => multicast(profile, head),
        _ => Ok(head.with("octets", profile.data.as_slice())),
    };
    explained.unwrap_or_else(|error: CdrError| {
        Node::new(format!("{name} ({:#x}), malformed", profile.tag.0))
            .with_detail("tag", profile.tag.0)
            .with_detail("kind", name)
            .with("malformed", error.to_string())
            .with("octets", profile.data.as_slice())
    })
}

fn iiop(profile: &TaggedProfile, mut fields: Node) -> CdrResult<Node> {
    let iiop = IiopProfile::decode(&profile.data)?;
    let address = HostPort { host: iiop.host.clone(), port: iiop.port };
    let kind = match profile.tag {
        ProfileTag::INTERNET_IOP => "IIOP",
        tag => tag.name().unwrap_or_default(),
    };
    // Zorb's shared-memory profile has a socket name in place of the host.
    let location = match profile.tag {
        ProfileTag::TAO_SHMIOP if iiop.port == 0 => iiop.host.clone(),
        _ => address.to_string(),
    };
    fields.set_title(format!("{kind} {}, {location}", iiop.version));
    let mut fields = fields
        .with_detail("version", iiop.version.to_string())
        .with_detail("host", iiop.host.as_str())
        .with_detail("port", iiop.port);
    if profile.tag == ProfileTag::INTERNET_IOP && iiop.port != 0 {
        fields.add("url", corbaloc_of(iiop.version, &address, &iiop.object_key));
    }
    let orb = iiop.component::<OrbType>().ok().flatten();
    fields.add("object_key", key::explain(&iiop.object_key, orb));
    if iiop.version > GiopVersion::V1_0 {
        fields.add("components", explain_components(&iiop.components));
    }
    Ok(fields)
}

fn multiple_components(profile: &TaggedProfile, fields: Node) -> CdrResult<Node> {
    let mut reader = CdrReader::for_encapsulation(&profile.data)?;
    let components = read_components(&mut reader)?;
    Ok(fields.with("components", explain_components(&components)))
}

/// Whether profiles of this kind have the format of TAO's UIOP.
fn is_like_uiop(tag: ProfileTag) -> bool {
    matches!(tag, ProfileTag::TAO_UIOP | ProfileTag::ZORB_LITE_UIOP | ProfileTag::ZORB_SHORT_UIOP)
}

/// Version octets, socket path, object key and, from 1.1 on, components.
fn uiop(profile: &TaggedProfile, mut fields: Node) -> CdrResult<Node> {
    let mut reader = CdrReader::for_encapsulation(&profile.data)?;
    let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
    let path = reader.read_latin1("rendezvous point")?.into_owned();
    let object_key = reader.read_octets()?;
    let components = if minor > 0 { read_components(&mut reader)? } else { Vec::new() };
    let kind = profile.tag.name().unwrap_or_default();
    fields.set_title(format!("{kind} {major}.{minor}, {path}"));
    fields.add("version", format!("{major}.{minor}"));
    fields.add("path", path);
    let orb = orb_type(&components);
    fields.add("object_key", key::explain(object_key, orb));
    Ok(fields.with("components", explain_components(&components)))
}

/// The hosts of one server, with a common port.
fn sciop(profile: &TaggedProfile, fields: Node) -> CdrResult<Node> {
    let SciopProfile { version, hosts, port, max_streams, object_key, components } =
        SciopProfile::decode(&profile.data)?;
    let addresses: Vec<String> =
        hosts.iter().map(|host| HostPort { host: host.clone(), port }.to_string()).collect();
    let mut fields = fields
        .with_detail("version", version.to_string())
        .with_detail("hosts", hosts)
        .with_detail("port", port);
    fields.set_title(format!("TAO SCIOP {version}, {}", addresses.join(", ")));
    fields.add("max_streams", max_streams);
    fields.add("object_key", key::explain(&object_key, orb_type(&components)));
    Ok(fields.with("components", explain_components(&components)))
}

/// Version octets, group address and port, components.
fn multicast(profile: &TaggedProfile, mut fields: Node) -> CdrResult<Node> {
    let mut reader = CdrReader::for_encapsulation(&profile.data)?;
    let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
    let host = reader.read_latin1("group address")?.into_owned();
    let port = reader.read_u16()?;
    let components = read_components(&mut reader)?;
    let address = HostPort { host, port };
    fields.set_title(format!("multicast, {address}"));
    fields.add("version", format!("{major}.{minor}"));
    fields.add("host", address.host);
    fields.add("port", port);
    Ok(fields.with("components", explain_components(&components)))
}

fn orb_type(components: &[TaggedComponent]) -> Option<OrbType> {
    components.iter().find_map(|component| component.body::<OrbType>().ok().flatten())
}

fn explain_components(components: &[TaggedComponent]) -> Vec<Node> {
    components.iter().map(component::explain).collect()
}

/// Whether profiles of this kind have the format of IIOP.
fn is_like_iiop(tag: ProfileTag) -> bool {
    matches!(
        tag,
        ProfileTag::INTERNET_IOP
            | ProfileTag::TAO_DIOP
            | ProfileTag::TAO_SHMIOP
            | ProfileTag::ZORB_LITE_IIOP
            | ProfileTag::ZORB_AV_DIOP
            | ProfileTag::ZORB_SHORT_IIOP
            | ProfileTag::ZORB_RUDP
    )
}

/// The `corbaloc:` URL that is equivalent to an IIOP profile with one address.
fn corbaloc_of(version: GiopVersion, address: &HostPort, key: &[u8]) -> String {
    let address = CorbalocAddress {
        protocol: "iiop".to_owned(),
        version: Some(version),
        address: address.to_string(),
    };
    ObjectUrl::Corbaloc(Corbaloc { addresses: vec![address], key: key.to_vec() }).to_string()
}
