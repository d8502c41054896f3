//! `NamingContextExt::to_url`.

use zorb::giop::{Escaped, ObjectUrl};

use super::path::Path;
use crate::cos_naming::naming_context::InvalidName;
use crate::cos_naming::naming_context_ext::{InvalidAddress, ToUrlError};

/// The `corbaname:` of a stringified name at an address (Naming Service 1.3, 2.5.3). As in RFC 2396, all octets of the
/// name are escaped but letters, digits and `;/:?@&=+$,-_.!~*'()`.
pub(crate) fn to_url(address: &str, name: &str) -> Result<String, ToUrlError> {
    let prefix = format!("corbaname:{address}");
    let is_address = !address.is_empty() && !address.contains('#');
    if !is_address || ObjectUrl::parse(&prefix).is_err() {
        return Err(InvalidAddress.into());
    }
    if Path::parse(name).is_none() {
        return Err(InvalidName.into());
    }
    Ok(format!("{prefix}#{}", Escaped(name.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let url = |name: &str| to_url(":host:2809", name).unwrap();
        assert_eq!(url("a/b.c"), "corbaname::host:2809#a/b.c");
        assert_eq!(url("<%\"ä>"), "corbaname::host:2809#%3c%25%22%c3%a4%3e");
        assert_eq!(url(r"a\.b"), r"corbaname::host:2809#a%5c.b");
    }

    #[test]
    fn addresses_and_names_are_checked() {
        for address in ["", "host", ":h#x", ":h:port port", "iiop:9.9@h"] {
            let refused = to_url(address, "a").unwrap_err();
            assert_eq!(refused, ToUrlError::InvalidAddress(InvalidAddress), "{address}");
        }
        for name in ["", "a//b", "a.", r"a\x"] {
            let refused = to_url(":h", name).unwrap_err();
            assert_eq!(refused, ToUrlError::InvalidName(InvalidName), "{name}");
        }
        to_url("iiop:1.2@h:1,:k/NameService", "a").unwrap();
        to_url("rir:/NameService", "a").unwrap();
    }
}
