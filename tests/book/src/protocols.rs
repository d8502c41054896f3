//! `docs/src/protocols.md`: combining messaging protocols and transports.

use std::sync::Arc;

use zorb::giop::{GiopLite, ProfileTag};
use zorb::poa::{Poa, PoaError};
use zorb::protocols::IiopProtocol;
use zorb::transport::Composed;
use zorb::{ObjectRef, Orb, OrbBuilder};

use crate::quickstart::clock::Teller;

/// An ORB that uses GIOPlite with IIOP's profile tag.
pub fn tao_compatible() -> Result<Orb, zorb::Error> {
    let lite = Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag::INTERNET_IOP);
    OrbBuilder::new().protocol(Arc::new(lite)).listen("lite+iiop://127.0.0.1:0").build()
}

/// An ORB that receives frames.
pub fn studio() -> Result<Orb, zorb::Error> {
    let builder = Orb::builder().protocol(Arc::new(zorb_av::av_diop()));
    let orb = builder.listen("av+diop://127.0.0.1:0").build()?;
    orb.add_server_request_interceptor("AV", zorb_av::interceptor);
    Ok(orb)
}

#[test]
fn a_studio_has_an_endpoint_for_frames() {
    let orb = studio().unwrap();
    assert!(orb.endpoints()[0].starts_with("av+diop://127.0.0.1:"));
    orb.shutdown(true).unwrap();
}

/// Adds an object to a group.
pub fn join(poa: &Poa, group: &ObjectRef, teller: &Teller) -> Result<(), PoaError> {
    poa.associate(group, &poa.id_of(teller)?)
}

/// A reference to all members of a group.
pub fn group_reference(orb: &Orb, url: &str) -> Result<Option<Teller>, zorb::Error> {
    Ok(orb.string_to_object(url)?.map(|group| group.unchecked_narrow()))
}

#[test]
fn a_group_is_joined_by_its_reference() {
    use zorb::Interface;

    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let teller: Teller = orb.root_poa().activate(crate::quickstart::MyTeller).unwrap();
    // Only a group reference can be joined.
    let refused = join(&orb.root_poa(), teller.as_object(), &teller).unwrap_err();
    assert_eq!(refused, PoaError::NotAGroupObject);
    let group = group_reference(&orb, "corbaloc:miop:1.0@1.0-plant-7/239.1.2.3:5000").unwrap();
    assert_eq!(group.unwrap().as_object().ior().profiles[0].tag, ProfileTag::UIPMC);
    orb.shutdown(true).unwrap();
}

/// The number of datagrams that were not valid requests.
pub fn dropped(orb: &Orb) -> u64 {
    let Some(diop) = orb.protocols().by_scheme("diop") else { return 0 };
    diop.counters().iter().filter(|(name, _)| *name != "requests").map(|(_, count)| count).sum()
}

#[test]
fn the_counter_of_dropped_datagrams_starts_at_zero() {
    let orb = Orb::builder().listen("diop://127.0.0.1:0").build().unwrap();
    assert_eq!(dropped(&orb), 0);
    orb.shutdown(true).unwrap();
}

#[test]
fn an_orb_of_giop_lite_alone() {
    let orb = tao_compatible().unwrap();
    assert!(orb.endpoints()[0].starts_with("lite+iiop://127.0.0.1:"));
    orb.shutdown(true).unwrap();
}
