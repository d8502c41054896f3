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

/// How many datagrams were no requests.
pub fn dropped(orb: &Orb) -> u64 {
    let Some(diop) = orb.protocols().by_scheme("diop") else { return 0 };
    diop.counters().iter().filter(|(name, _)| *name != "requests").map(|(_, count)| count).sum()
}

#[test]
fn nothing_is_dropped_where_nothing_comes() {
    let orb = Orb::builder().listen("diop://127.0.0.1:0").build().unwrap();
    assert_eq!(dropped(&orb), 0);
    orb.shutdown(true).unwrap();
}

#[test]
fn an_orb_of_giop_lite_alone() {
    let orb = as_tao_has_it().unwrap();
    assert!(orb.endpoints()[0].starts_with("lite+iiop://127.0.0.1:"));
    orb.shutdown(true).unwrap();
}
