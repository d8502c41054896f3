//! The names in a certificate (RFC 5280).

use std::net::IpAddr;

use super::name::distinguished_name;
use super::{BOOLEAN, Der, OCTETS, OID, SEQUENCE};

#[cfg(test)]
mod tests;

/// `subjectAltName`, 2.5.29.17.
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
/// The maximum number of alternative names.
const MAX_NAMES: usize = 256;

/// The names in a certificate.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The subject in RFC 4514 notation.
    pub(crate) subject: String,
    /// The alternative names with their kind and `:`.
    pub(crate) alternatives: Vec<String>,
}

/// Reads the names in a certificate.
pub(crate) fn names(certificate: &[u8]) -> Option<Names> {
    let mut body = Der(certificate).open(SEQUENCE)?.open(SEQUENCE)?;
    body.optional(0xa0); // version
    body.next()?; // serial number
    body.next()?; // signature algorithm
    body.next()?; // issuer
    body.next()?; // validity
    let subject = distinguished_name(body.open(SEQUENCE)?)?;
    body.next()?; // public key
    body.optional(0x81); // unique ids
    body.optional(0x82);
    let mut alternatives = Vec::new();
    if let Some(extensions) = body.optional(0xa3) {
        let mut extensions = Der(extensions).open(SEQUENCE)?;
        while !extensions.is_empty() {
            let mut extension = extensions.open(SEQUENCE)?;
            let id = extension.expect(OID)?;
            extension.optional(BOOLEAN); // critical
            if id == ALTERNATIVE_NAMES {
                alternatives = general_names(Der(extension.expect(OCTETS)?).open(SEQUENCE)?)?;
            }
        }
    }
    Some(Names { subject, alternatives })
}

fn general_names(mut names: Der<'_>) -> Option<Vec<String>> {
    let mut found = Vec::new();
    while !names.is_empty() && found.len() < MAX_NAMES {
        let (kind, value) = names.next()?;
        // Names are logged, also those of rejected peers: they must not contain line ends.
        let graphic = value.iter().all(u8::is_ascii_graphic);
        let text = || std::str::from_utf8(value).ok().filter(|_| graphic);
        let name = match kind {
            0x81 => text().map(|mail| format!("email:{mail}")),
            0x82 => text().map(|host| format!("dns:{}", host.to_ascii_lowercase())),
            0x86 => text().map(|uri| format!("uri:{uri}")),
            0x87 => address(value).map(|address| format!("ip:{address}")),
            _ => None,
        };
        found.extend(name);
    }
    Some(found)
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(octets).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(octets).map(IpAddr::from)).ok()
}
