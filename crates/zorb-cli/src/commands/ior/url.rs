//! Decodes references of all forms.

use zorb::giop::{Corbaloc, CorbalocAddress, HostPort, Ior, NamingContextAddress, ObjectUrl};

use super::fields::{Node, Value};
use super::{input, key, profile};
use crate::failure::Failure;

/// Decodes the reference `text`.
pub(super) fn explain(text: &str) -> Result<Node, Failure> {
    Ok(match input::parse(text)? {
        ObjectUrl::Ior(ior) => explain_ior(text, &ior),
        ObjectUrl::Corbaloc(corbaloc) => {
            let mut fields = Node::default().with("form", "corbaloc");
            add_corbaloc(&mut fields, &corbaloc);
            fields
        }
        ObjectUrl::Rir { key } => {
            Node::default().with("form", "corbaloc").with("initial_reference", key)
        }
        ObjectUrl::Corbaname(corbaname) => {
            let mut fields = Node::default().with("form", "corbaname");
            match &corbaname.context {
                NamingContextAddress::Corbaloc(corbaloc) => add_corbaloc(&mut fields, corbaloc),
                NamingContextAddress::Rir { key } => fields.add("initial_reference", key.as_str()),
            }
            fields.with("name", corbaname.name)
        }
        ObjectUrl::File(path) => Node::default().with("form", "file").with("path", path),
    })
}

fn explain_ior(text: &str, ior: &Ior) -> Node {
    // The parser has checked that these digits exist.
    let order = match text.trim_start().get("IOR:".len().."IOR:00".len()) {
        Some("00") => "big-endian",
        _ => "little-endian",
    };
    let type_id = match ior.type_id.as_str() {
        "" => "(none: only the object knows its type)",
        id => id,
    };
    let mut fields = Node::default()
        .with("form", "IOR")
        .with("type_id", type_id)
        .with("byte_order", order)
        .with("nil", ior.is_nil());
    let profiles: Vec<Node> = ior.profiles.iter().map(profile::explain).collect();
    fields.add("profiles", profiles);
    fields
}

fn add_corbaloc(fields: &mut Node, corbaloc: &Corbaloc) {
    let addresses: Vec<Node> = corbaloc.addresses.iter().map(explain_address).collect();
    fields.add("addresses", addresses);
    // The URL of a group has an address where others have an object key.
    match corbaloc.addresses.as_slice() {
        [address] if is_group(address) => {
            let address = String::from_utf8_lossy(&corbaloc.key);
            match address.split_once(';') {
                Some((address, two_way)) => {
                    fields.add("address", address);
                    fields.add("two_way_calls_at", two_way);
                }
                None => fields.add("address", &*address),
            }
        }
        _ => fields.add("object_key", key::explain(&corbaloc.key, None)),
    }
}

/// Whether it names an object group instead of a host.
fn is_group(address: &CorbalocAddress) -> bool {
    address.protocol == "miop"
}

fn explain_address(address: &CorbalocAddress) -> Node {
    let version = match address.version {
        Some(version) => Value::Text(version.to_string()),
        None => Value::Text(format!("{} (default)", address.effective_version())),
    };
    let mut fields = Node::new(address.to_string())
        .with("protocol", address.protocol.as_str())
        .with("version", version);
    if is_group(address) {
        fields.add("group", address.address.as_str());
        return fields;
    }
    // TLS and UDP addresses have the same syntax.
    match HostPort::parse(&address.address) {
        Ok(HostPort { host, port }) if !address.address.starts_with(['/', '@']) => {
            fields.add("host", host);
            fields.add("port", port);
        }
        _ => fields.add("address", address.address.as_str()),
    }
    fields
}
