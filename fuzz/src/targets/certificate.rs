//! The names in DER certificates.

use zorb_tls::certificate_identity;

use super::{AllocationBound, Target};

/// A certificate is read for the names of its holder. They are logged and compared with lists, so none may contain a
/// control character.
pub const TARGET: Target = Target {
    name: "certificate",
    run,
    allocation: AllocationBound { per_octet: 128, constant: 16_384 },
    words: &[
        b"\x30\x82",
        b"\x30\x03\x06\x01",
        b"\x31\x0b",
        b"\x55\x04\x03",
        b"\x55\x1d\x11",
        b"\x82\x00",
        b"\x87\x04",
        b"\xa3\x81",
        b"\x80",
        b"\x83\xff\xff\xff",
        b"\x1e\x02\xd8\x00",
    ],
};

fn run(octets: &[u8]) {
    let identity = certificate_identity(octets);
    assert_eq!(identity.chain(), [octets]);
    let shown = identity.to_string();
    for name in
        identity.names().iter().chain([&shown]).map(String::as_str).chain([identity.subject()])
    {
        assert!(!name.contains(char::is_control), "{name:?}");
    }
    for name in identity.names().iter().map(String::as_str).chain([identity.subject()]) {
        assert!(name.is_empty() || identity.has_name(name), "{name:?}");
    }
}
