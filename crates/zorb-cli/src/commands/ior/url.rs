//! The forms of references.

use zorb::giop::{
    Corbaloc, CorbalocAddress, HostPort, Ior, NamingContextAddress, ObjectUrl, ProfileTag, UrlError,
};

use super::facts::{Fact, Facts};
use super::{key, profile};
use crate::failure::Failure;

/// Everything that the reference `text` says.
pub(super) fn explain(text: &str) -> Result<Facts, Failure> {
    Ok(match parse(text)? {
        ObjectUrl::Ior(ior) => explain_ior(text, &ior),
        ObjectUrl::Corbaloc(corbaloc) => {
            let mut facts = Facts::default().with("form", "corbaloc");
            add_corbaloc(&mut facts, &corbaloc);
            facts
        }
        ObjectUrl::Rir { key } => {
            Facts::default().with("form", "corbaloc").with("initial_reference", key)
        }
        ObjectUrl::Corbaname(corbaname) => {
            let mut facts = Facts::default().with("form", "corbaname");
            match &corbaname.context {
                NamingContextAddress::Corbaloc(corbaloc) => add_corbaloc(&mut facts, corbaloc),
                NamingContextAddress::Rir { key } => facts.add("initial_reference", key.as_str()),
            }
            facts.with("name", corbaname.name)
        }
        ObjectUrl::File(path) => Facts::default().with("form", "file").with("path", path),
    })
}

/// What the file of a `file:` URL holds.
pub(super) fn read_file_url(text: &str) -> Result<String, Failure> {
    match parse(text)? {
        ObjectUrl::File(path) => super::read_file(&path),
        _ => Ok(text.to_owned()),
    }
}

fn parse(text: &str) -> Result<ObjectUrl, Failure> {
    ObjectUrl::parse(text).map_err(|error| {
        let UrlError { reason, position, hint, cause, .. } = error;
        let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
        Failure::new(format!("this is no reference: {reason} at position {position}{cause}"))
            .hint(hint)
    })
}

fn explain_ior(text: &str, ior: &Ior) -> Facts {
    // The parser has seen to it that there are digits.
    let order = match text.trim_start().get("IOR:".len().."IOR:00".len()) {
        Some("00") => "big-endian",
        _ => "little-endian",
    };
    let type_id = match ior.type_id.as_str() {
        "" => "(none: the object has to be asked)",
        id => id,
    };
    let mut facts = Facts::default()
        .with("form", "IOR")
        .with("type_id", type_id)
        .with("byte_order", order)
        .with("nil", ior.is_nil());
    let profiles: Vec<Facts> = ior.profiles.iter().map(profile::explain).collect();
    facts.add("profiles", profiles);
    facts
}

fn add_corbaloc(facts: &mut Facts, corbaloc: &Corbaloc) {
    let addresses: Vec<Facts> = corbaloc.addresses.iter().map(explain_address).collect();
    facts.add("addresses", addresses);
    // Where a group's URL says where it is reached, others have the key.
    match corbaloc.addresses.as_slice() {
        [address] if is_group(address) => {
            let place = String::from_utf8_lossy(&corbaloc.key);
            match place.split_once(';') {
                Some((place, two_way)) => {
                    facts.add("reached_at", place);
                    facts.add("two_way_calls_at", two_way);
                }
                None => facts.add("reached_at", &*place),
            }
        }
        _ => facts.add("object_key", key::explain(&corbaloc.key, None)),
    }
}

/// Whether it names a group of objects, and not a place.
fn is_group(address: &CorbalocAddress) -> bool {
    address.protocol == "miop"
}

fn explain_address(address: &CorbalocAddress) -> Facts {
    let version = match address.version {
        Some(version) => Fact::Text(version.to_string()),
        None => Fact::Text(format!("{} (as none is given)", address.effective_version())),
    };
    let mut facts = Facts::new(address.to_string())
        .with("protocol", address.protocol.as_str())
        .with("version", version);
    if is_group(address) {
        facts.add("group", address.address.as_str());
        return facts;
    }
    // TLS and UDP addresses are written the same way.
    match HostPort::parse(&address.address) {
        Ok(HostPort { host, port }) if !address.address.starts_with(['/', '@']) => {
            facts.add("host", host);
            facts.add("port", port);
        }
        _ => facts.add("address", address.address.as_str()),
    }
    facts
}

/// A `corbaloc:` URL that means the same as an IIOP profile of one address.
pub(super) fn corbaloc_of(
    version: zorb::giop::GiopVersion,
    address: &HostPort,
    key: &[u8],
) -> String {
    let address = CorbalocAddress {
        protocol: "iiop".to_owned(),
        version: Some(version),
        address: address.to_string(),
    };
    ObjectUrl::Corbaloc(Corbaloc { addresses: vec![address], key: key.to_vec() }).to_string()
}

/// Whether profiles of this kind are laid out like IIOP's.
pub(super) fn is_like_iiop(tag: ProfileTag) -> bool {
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
