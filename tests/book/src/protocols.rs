//! `docs/src/protocols.md`: halves put together.

use std::sync::Arc;

use zorb::giop::{GiopLite, ProfileTag};
use zorb::protocols::IiopProtocol;
use zorb::transport::Composed;
use zorb::{Orb, OrbBuilder};

/// An ORB that speaks GIOPlite where others expect GIOP.
pub fn as_tao_has_it() -> Result<Orb, zorb::Error> {
    let lite = Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag::INTERNET_IOP);
    OrbBuilder::new().protocol(Arc::new(lite)).listen("lite+iiop://127.0.0.1:0").build()
}

#[test]
fn an_orb_of_giop_lite_alone() {
    let orb = as_tao_has_it().unwrap();
    assert!(orb.endpoints()[0].starts_with("lite+iiop://127.0.0.1:"));
    orb.shutdown(true).unwrap();
}
