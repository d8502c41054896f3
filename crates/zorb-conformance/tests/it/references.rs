//! References to the objects of one adapter: they are not encoded one by one, but look as if they were.

use zorb::giop::Ior;
use zorb::poa::{ObjectId, Poa, PoaPolicies};
use zorb::rt::{LaneBuilder, Priority, RtOrb};
use zorb::{ObjectRef, Orb, OrbBuilder};

use crate::tls::with_tls;

/// Endpoints of all protocols with references to single objects, and several of one.
const ENDPOINTS: [&[&str]; 4] = [
    &["iiop://127.0.0.1:0"],
    &["iiop://127.0.0.1:0", "uiop://", "iiop://127.0.0.1:0"],
    &["ssliop://127.0.0.1:0", "iiop://127.0.0.1:0", "shmiop://", "lite+iiop://127.0.0.1:0"],
    &["rudp://127.0.0.1:0", "sciop://127.0.0.1:0", "diop://127.0.0.1:0", "short+uiop://"],
];

fn builder(urls: &[&str]) -> OrbBuilder {
    let builder = with_tls(Orb::builder().without_environment());
    urls.iter().fold(builder, |builder, url| builder.listen(*url))
}

/// Ids of many lengths, also ones that consist of octets that are elsewhere in references.
fn ids() -> Vec<ObjectId> {
    let of_length = |length: u8| {
        let ids = [vec![0; length.into()], vec![0xff; length.into()], (0..length).collect()];
        ids.map(ObjectId::new)
    };
    (0..30)
        .flat_map(of_length)
        .chain([ObjectId::from("objects"), ObjectId::from("127.0.0.1")])
        .collect()
}

/// Compares with the first reference of an adapter, which is always encoded.
fn check(orb: &Orb, policies: &PoaPolicies) {
    let create = || orb.root_poa().create("objects", policies.clone()).unwrap();
    let reference = |poa: &Poa, id: &ObjectId| -> Ior {
        poa.create_reference_with_id::<ObjectRef>(id.clone()).unwrap().ior().clone()
    };
    let encoded = |id: &ObjectId| {
        let poa = create();
        let first = reference(&poa, id);
        poa.destroy_with(false, true).unwrap();
        first
    };
    let all: Vec<(ObjectId, Ior)> =
        ids().into_iter().map(|id| (id.clone(), encoded(&id))).collect();
    let poa = create();
    for round in 0..3 {
        for (id, expected) in &all {
            assert_eq!(reference(&poa, id), *expected, "round {round}: {id:?}");
            let object = orb.object(expected.clone());
            assert_eq!(poa.id_of(&object).unwrap(), *id);
        }
    }
    poa.destroy();
}

fn persistent() -> PoaPolicies {
    PoaPolicies::new().persistent().user_ids()
}

#[test]
fn references_are_as_if_each_were_encoded_for_itself() {
    for urls in ENDPOINTS {
        let orb = builder(urls).build().unwrap();
        check(&orb, &persistent());
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn references_to_objects_in_lanes_are_as_if_each_were_encoded_for_itself() {
    let orb = builder(&["iiop://127.0.0.1:0", "uiop://"]).build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let priority = |number| Priority::new(number).unwrap();
    let pool = [1000, 2000].into_iter().fold(rt.threadpool("lanes"), |pool, number| {
        pool.lane(LaneBuilder::new(priority(number), 1))
    });
    let pool = pool.create().unwrap();
    let policies = persistent().with(pool.policy());
    check(&orb, &policies.clone().with(rt.client_propagated(priority(1000))));
    check(&orb, &policies.with(rt.server_declared(priority(2000))));
    orb.shutdown(true).unwrap();
}
