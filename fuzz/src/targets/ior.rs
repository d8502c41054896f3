//! References: stringified ones, and the octets of their encapsulations, profiles and components.

use std::sync::OnceLock;

use zorb::Orb;
use zorb_giop::Ior;
use zorb_testkit::giop;

use super::{AllocationBound, Target};

/// Text after `IOR:` is read as a stringified reference, anything else as an encapsulation.
pub const TARGET: Target = Target {
    name: "ior",
    run,
    allocation: AllocationBound { per_octet: 256, constant: 8 << 10 },
    words: &[
        b"IOR:",
        b"IDL:a:1.0\0",
        b"127.0.0.1\0",
        b"\0\0\0\0",
        b"\x01\x01\x02\0",
        b"\0\x01\x02\0",
        b"\xff\xff\xff\xff",
        b"\x14\0\0\0",
        b"00000001",
    ],
};

fn run(octets: &[u8]) {
    let orb = orb();
    if !octets.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"IOR:")) {
        giop::reference(octets);
        return;
    }
    let text = String::from_utf8_lossy(octets);
    if let Ok(ior) = Ior::from_stringified(&text) {
        let printed = ior.to_stringified().expect("a reference that was read can be written");
        assert_eq!(Ior::from_stringified(&printed).as_ref(), Ok(&ior));
        for profile in &ior.profiles {
            giop::reference(&profile.data);
        }
    }
    // As a program would: no connection is made before the first call.
    if let Ok(Some(object)) = orb.string_to_object(&text) {
        assert_eq!(Ior::from_stringified(&object.to_ior_string()).as_ref(), Ok(object.ior()));
    }
}

/// An ORB that speaks all protocols of the facade, which read the profiles.
fn orb() -> &'static Orb {
    static ORB: OnceLock<Orb> = OnceLock::new();
    ORB.get_or_init(|| Orb::builder().without_environment().build().expect("an ORB"))
}
