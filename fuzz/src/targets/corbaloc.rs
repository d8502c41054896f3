//! URLs of objects: `corbaloc:`, `corbaname:`, `file:` and the addresses in them.

use zorb_giop::StringName;
use zorb_testkit::giop;

use super::{AllocationBound, Target};

/// Text parsed as a URL, an address and a stringified name; the printed form must parse to the same value.
pub const TARGET: Target = Target {
    name: "corbaloc",
    run,
    allocation: AllocationBound { per_octet: 512, constant: 4096 },
    words: &[
        b"corbaloc:",
        b"corbaname:",
        b"iiop:",
        b"ssliop:",
        b"rir:",
        b"file://",
        b"IOR:",
        b"1.2@",
        b"[::1]",
        b":2809",
        b":65536",
        b"/",
        b",",
        b"#",
        b"%2f",
        b"%",
        b"\\.",
        "ä".as_bytes(),
    ],
};

fn run(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    giop::url(&text);
    if let Ok(name) = text.parse::<StringName>() {
        let printed = name.to_string();
        assert_eq!(printed.parse().as_ref(), Ok(&name), "{printed}");
    }
}
