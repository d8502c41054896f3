//! Values of the type `any` that are long enough to be sent from where they are, over all streams.
#![cfg(all(feature = "shm", feature = "unix"))]
#![allow(clippy::unwrap_used, clippy::use_self, missing_debug_implementations)]

use zorb::codegen;
use zorb::{Any, ObjectRef, Orb, Result};

/// An interface with the operation `any mirror(in any value)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Mirror(ObjectRef);

codegen::interface!(Mirror(ObjectRef), "IDL:zorb.test/Mirror:1.0", "Mirror", []);

impl Mirror {
    fn mirror(&self, value: &Any) -> Result<Any> {
        codegen::invoke!(self, mirror, [Any => value], [Any])
    }
}

trait MirrorServant: Send + Sync + 'static {
    fn mirror(&self, value: &Any) -> Result<Any>;
}

codegen::skeleton!(Mirror, MirrorServant, {
    0 "mirror" mirror(value: Any => &value) [result: Any],
});

struct Mirroring;

impl MirrorServant for Mirroring {
    fn mirror(&self, value: &Any) -> Result<Any> {
        Ok(value.clone())
    }
}

#[test]
fn long_values_arrive_in_both_directions() {
    let client = Orb::builder().without_environment().build().unwrap();
    for url in ["iiop://127.0.0.1:0", "uiop://", "shmiop://"] {
        let server = Orb::builder().without_environment().listen(url).build().unwrap();
        let mirror: Mirror = server.root_poa().activate(Mirroring).unwrap();
        let ior = mirror.0.to_ior_string();
        let mirror: Mirror = client.resolve(&ior).unwrap();
        for length in [3, 1_000, 100_000] {
            let numbers: Vec<i32> = (0..length).collect();
            let text = "x".repeat(numbers.len());
            let values = [Any::new::<Vec<i32>>(&numbers), Any::new::<String>(&text)];
            for value in values.map(std::result::Result::unwrap) {
                assert!(mirror.mirror(&value).unwrap() == value, "{url} {length}");
            }
        }
        server.shutdown(true).unwrap();
    }
    client.shutdown(true).unwrap();
}
