//! Several protocols at once, in one ORB and in one reference.
#![cfg(all(feature = "shm", feature = "toml", feature = "unix"))]
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use crate::support::{Adder, Servant};
use zorb::giop::{GiopLite, Ior, ProfileTag, TaggedProfile};
use zorb::protocols::{IiopProtocol, ShmiopProtocol, lite_iiop};
use zorb::transport::{Composed, RegistryError};
use zorb::{Orb, OrbBuilder, SystemExceptionKind};

fn builder() -> OrbBuilder {
    Orb::builder().without_environment()
}

/// A server at all of these, and its object.
fn server(builder: OrbBuilder, urls: &[&str]) -> (Orb, Adder) {
    let builder = urls.iter().fold(builder, |builder, url| builder.listen(*url));
    let orb = builder.build().unwrap();
    let adder = orb.root_poa().activate(Servant).unwrap();
    (orb, adder)
}

fn there(client: &Orb, ior: &Ior) -> Adder {
    client.resolve(&ior.to_stringified().unwrap()).unwrap()
}

const ALL: [&str; 7] = [
    "iiop://127.0.0.1:0",
    "lite+iiop://127.0.0.1:0",
    "uiop://",
    "lite+uiop://",
    "uiop://@",
    "shmiop://",
    "iiop://127.0.0.1:0",
];

#[test]
fn one_orb_serves_all_and_one_reference_tells_of_all() {
    let (orb, adder) = server(builder(), &ALL);
    let ior = adder.object().ior();
    let tags: Vec<_> = ior.profiles.iter().map(|profile| profile.tag).collect();
    assert_eq!(
        tags,
        [
            ProfileTag::INTERNET_IOP,
            ProfileTag::ZORB_LITE_IIOP,
            ProfileTag::TAO_UIOP,
            ProfileTag::ZORB_LITE_UIOP,
            ProfileTag::TAO_UIOP,
            ProfileTag::TAO_SHMIOP,
            ProfileTag::INTERNET_IOP,
        ]
    );
    let schemes: Vec<_> =
        orb.endpoints().iter().map(|url| url.split("://").next().unwrap().to_owned()).collect();
    assert_eq!(schemes, ALL.map(|url| url.split("://").next().unwrap().to_owned()));
    // Each profile alone leads to the object, and so do all together.
    let client = builder().build().unwrap();
    for (profile, scheme) in ior.profiles.iter().zip(&schemes) {
        let alone = Ior { profiles: vec![profile.clone()], ..ior.clone() };
        assert_eq!(there(&client, &alone).add(2, 2).unwrap(), 4, "{scheme}");
    }
    assert_eq!(there(&client, ior).add(3, 3).unwrap(), 6);
    orb.shutdown(true).unwrap();
}

#[test]
fn unknown_profiles_are_preserved() {
    let (orb, adder) = server(builder(), &["lite+iiop://127.0.0.1:0", "iiop://127.0.0.1:0"]);
    let mut ior = adder.object().ior().clone();
    let data = (0..=255).collect();
    ior.profiles.insert(1, TaggedProfile { tag: ProfileTag(0x666f_7265), data });
    let text = ior.to_stringified().unwrap();
    // One ORB has only IIOP, the other all protocols: both preserve the reference.
    let plain = OrbBuilder::new().without_environment();
    let plain = plain.protocol(Arc::new(IiopProtocol::new())).build().unwrap();
    let seen: Adder = plain.resolve(&text).unwrap();
    assert_eq!(seen.object().to_ior_string(), text);
    assert_eq!(seen.add(1, 2).unwrap(), 3);
    let client = builder().build().unwrap();
    let seen: Adder = client.resolve(&text).unwrap();
    assert_eq!(seen.object().to_ior_string(), text);
    assert_eq!(seen.add(1, 2).unwrap(), 3);
    orb.shutdown(true).unwrap();
}

#[test]
fn protocols_are_registered_while_the_orb_runs() {
    const TAG: ProfileTag = ProfileTag(0x7a6c_7368);
    let composed = || Arc::new(Composed::new(&GiopLite, ShmiopProtocol::new(), TAG));
    let (orb, adder) = server(builder().protocol(composed()), &["lite+shmiop://@"]);
    let ior = adder.object().ior().clone();
    let client = builder().build().unwrap();
    let before = there(&client, &ior);
    assert_eq!(before.add(1, 1).unwrap_err().kind, SystemExceptionKind::Transient);
    client.protocols().register(composed()).unwrap();
    assert_eq!(there(&client, &ior).add(1, 1).unwrap(), 2);
    // Names and numbers are taken once.
    let again = client.protocols().register(composed()).unwrap_err();
    assert!(matches!(again, RegistryError::Scheme(scheme) if scheme == "lite+shmiop"));
    assert!(client.protocols().register(Arc::new(lite_iiop())).is_err());
    orb.shutdown(true).unwrap();
}

#[test]
fn giop_and_giop_lite_do_not_take_each_other_for_their_own() {
    let (orb, adder) = server(builder(), &["lite+iiop://127.0.0.1:0", "iiop://127.0.0.1:0"]);
    orb.publish("adder", &adder).unwrap();
    let [lite, plain] =
        [0, 1].map(|place| orb.endpoints()[place].split("://").nth(1).unwrap().to_owned());
    let client = builder().round_trip_timeout(std::time::Duration::from_secs(20)).build().unwrap();
    for (scheme, address, well) in
        [("lite+iiop", &lite, true), ("iiop", &plain, true), ("iiop", &lite, false)]
    {
        let url = format!("corbaloc:{scheme}:1.2@{address}/adder");
        let object = client.string_to_object(&url).unwrap().unwrap();
        let adder: Adder = object.unchecked_narrow();
        match adder.add(1, 2) {
            Ok(sum) => assert!(well && sum == 3, "{url}"),
            Err(exception) => {
                assert!(!well, "{url}: {exception}");
                assert_eq!(exception.kind, SystemExceptionKind::CommFailure, "{url}");
            }
        }
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn giop_lite_may_have_the_tag_that_tao_gives_it() {
    let orb = || {
        let lite = Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag::INTERNET_IOP);
        OrbBuilder::new().without_environment().protocol(Arc::new(lite))
    };
    let server = orb().listen("lite+iiop://127.0.0.1:0").build().unwrap();
    let adder: Adder = server.root_poa().activate(Servant).unwrap();
    assert_eq!(adder.object().ior().profiles[0].tag, ProfileTag::INTERNET_IOP);
    let client = orb().build().unwrap();
    let there: Adder = client.resolve(&adder.object().to_ior_string()).unwrap();
    assert_eq!(there.add(1, 2).unwrap(), 3);
    server.shutdown(true).unwrap();
}
