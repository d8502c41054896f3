//! Policies choose protocols: in references, and among those of a reference.
#![cfg(all(feature = "shm", feature = "toml", feature = "unix"))]
#![allow(clippy::unwrap_used)]

use std::io::Read;
use std::net::TcpListener;
use std::thread;

use zorb::giop::{Ior, ProfileTag};
use zorb::poa::{PoaError, PoaPolicies};
use zorb::policy::{
    ClientProtocols, ConnectionProperties, Policies, Policy, PolicyType, PrivateConnection,
    ProtocolChoice, ServerProtocols, SetOverrideType, TypedPolicy as _,
};
use zorb::{Error, ObjectRef, Orb, SystemExceptionKind};
use zorb_cdr::{ByteOrder, CdrReader};
use zorb_testkit::PortMap;

const IIOP: ProfileTag = ProfileTag::INTERNET_IOP;
const UIOP: ProfileTag = ProfileTag::TAO_UIOP;
const SHMIOP: ProfileTag = ProfileTag::TAO_SHMIOP;

/// An ORB over TCP and a Unix-domain socket.
fn server() -> Orb {
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").listen("uiop://");
    orb.build().unwrap()
}

fn client() -> Orb {
    Orb::builder().without_environment().build().unwrap()
}

/// A reference to an object that is not active, of an adapter with these policies.
fn reference(orb: &Orb, name: &str, policies: PoaPolicies) -> Result<ObjectRef, PoaError> {
    let poa = orb.root_poa().create(name, policies.user_ids())?;
    poa.create_reference_with_id(&b"nobody"[..])
}

fn seen_by(orb: &Orb, ior: &Ior) -> ObjectRef {
    orb.string_to_object(&ior.to_stringified().unwrap()).unwrap().unwrap()
}

fn only(tags: &[ProfileTag]) -> Policies {
    Policies::new().with(ClientProtocols::new(tags.iter().copied()))
}

fn tags(object: &ObjectRef) -> Vec<ProfileTag> {
    object.ior().profiles.iter().map(|profile| profile.tag).collect()
}

#[test]
fn references_offer_the_protocols_of_their_adapter_in_its_order() {
    let orb = server();
    let offered = |name, chosen: &[ProfileTag]| {
        let policies = PoaPolicies::new().with(ServerProtocols::new(chosen.iter().copied()));
        reference(&orb, name, policies).map(|object| tags(&object))
    };
    assert_eq!(tags(&reference(&orb, "plain", PoaPolicies::new()).unwrap()), [IIOP, UIOP]);
    assert_eq!(offered("turned", &[UIOP, SHMIOP, IIOP]).unwrap(), [UIOP, IIOP]);
    assert_eq!(offered("one", &[UIOP]).unwrap(), [UIOP]);
    let PoaError::System(none) = offered("none", &[SHMIOP]).unwrap_err() else {
        panic!("it is a system exception")
    };
    assert_eq!(none.kind, SystemExceptionKind::InvPolicy);
}

#[test]
fn a_client_uses_the_protocols_that_it_wants() {
    let server = server();
    let object = reference(&server, "plain", PoaPolicies::new()).unwrap();
    let ior = object.ior().clone();
    let orb = client();
    let there = seen_by(&orb, &ior);
    for wanted in [&[IIOP][..], &[UIOP], &[SHMIOP, UIOP], &[UIOP, IIOP]] {
        let shaped = there.with_policies(&only(wanted)).unwrap();
        assert_eq!(shaped.non_existent(), Ok(true), "{wanted:?}: the server has answered");
    }
    let neither = there.with_policies(&only(&[SHMIOP])).unwrap();
    assert_eq!(neither.non_existent().unwrap_err().kind, SystemExceptionKind::InvPolicy);
    let any = Policies::new().with(ClientProtocols::new([SHMIOP]).or_any());
    assert_eq!(neither.for_call(&any).unwrap().non_existent(), Ok(true));
    assert_eq!(there.non_existent(), Ok(true), "the reference itself is as it was");

    // If no server answers, the error names the only endpoint that was tried.
    server.shutdown(true).unwrap();
    let orb = client();
    let there = seen_by(&orb, &ior);
    for (wanted, scheme) in [(IIOP, "iiop://"), (UIOP, "uiop://")] {
        let shaped = there.with_policies(&only(&[wanted])).unwrap();
        let failure = Error::from(shaped.non_existent().unwrap_err()).to_string();
        assert!(failure.contains(scheme), "{failure}");
    }
}

/// Of the protocols that a policy names, the next is tried where the preferred one's server is not there;
/// others of the reference only where they may follow.
#[test]
fn a_policys_next_protocol_stands_in_for_one_that_is_down() {
    let server = server();
    let object = reference(&server, "plain", PoaPolicies::new()).unwrap();
    let ior = object.ior().clone();
    let uiop = server.endpoints()[1].strip_prefix("uiop://").unwrap().to_owned();
    std::fs::remove_file(uiop).unwrap();
    let levels = |policies: &Policies| {
        let by_call = seen_by(&client(), &ior).for_call(policies).unwrap().non_existent();
        let by_reference = seen_by(&client(), &ior).with_policies(policies).unwrap();
        let orb = client();
        let of_thread = seen_by(&orb, &ior);
        let by_thread = orb.policy_current().during(policies, || of_thread.non_existent()).unwrap();
        let orb = client();
        orb.policy_manager().add(policies).unwrap();
        let by_orb = seen_by(&orb, &ior).non_existent();
        [by_call, by_reference.non_existent(), by_thread, by_orb]
            .map(|outcome| outcome.map_err(|exception| exception.kind))
    };
    assert_eq!(levels(&only(&[UIOP, IIOP])), [Ok(true); 4]);
    let any = Policies::new().with(ClientProtocols::new([UIOP]).or_any());
    assert_eq!(levels(&any), [Ok(true); 4]);
    assert_eq!(levels(&only(&[UIOP])), [Err(SystemExceptionKind::Transient); 4]);
}

#[test]
fn the_orbs_protocols_hold_for_references_without_their_own() {
    let server = server();
    let object = reference(&server, "plain", PoaPolicies::new()).unwrap();
    let orb = client();
    orb.policy_manager()
        .set_policy_overrides(&only(&[SHMIOP]), SetOverrideType::SetOverride)
        .unwrap();
    let there = seen_by(&orb, object.ior());
    assert_eq!(there.non_existent().unwrap_err().kind, SystemExceptionKind::InvPolicy);
    let own = there.with_policies(&only(&[UIOP])).unwrap();
    assert_eq!(own.non_existent(), Ok(true));
    let of_thread = orb.policy_current().during(&only(&[IIOP]), || there.non_existent()).unwrap();
    assert_eq!(of_thread, Ok(true));
    assert_eq!(there.non_existent().unwrap_err().kind, SystemExceptionKind::InvPolicy);
    assert_eq!(there.inconsistent_policies(), Ok(vec![PolicyType::CLIENT_PROTOCOL]));
    orb.policy_manager()
        .set_policy_overrides(&Policies::new(), SetOverrideType::SetOverride)
        .unwrap();
    assert_eq!(there.non_existent(), Ok(true));
}

#[test]
fn a_server_has_clients_know_which_protocols_to_use() {
    let server = server();
    let policies = PoaPolicies::new().with(ClientProtocols::new([UIOP]));
    let object = reference(&server, "told", policies).unwrap();
    let orb = client();
    let there = seen_by(&orb, object.ior());
    assert_eq!(there.exposed_policy(), Ok(Some(ClientProtocols::new([UIOP]))));
    assert_eq!(there.with_policies(&only(&[IIOP])).unwrap().non_existent(), Ok(true));
    // An ORB with this option uses it for references without a cached route.
    orb.policy_manager().register_policy::<ClientProtocols>();
    let there = seen_by(&orb, object.ior());
    assert_eq!(there.non_existent(), Ok(true));
    let same = there.with_policies(&only(&[UIOP])).unwrap();
    assert_eq!(same.non_existent(), Ok(true));
    let other = there.with_policies(&only(&[IIOP])).unwrap();
    assert_eq!(other.non_existent().unwrap_err().kind, SystemExceptionKind::InvPolicy);
}

#[test]
fn a_private_connection_is_one_references_own() {
    let private = Policies::new().with(PrivateConnection);
    for private_first in [false, true] {
        let server = Orb::builder().without_environment();
        let server = server.listen("iiop://127.0.0.1:0").build().unwrap();
        server.serve().unwrap();
        let address = server.endpoints()[0].trim_start_matches("iiop://").parse().unwrap();
        let map = PortMap::tcp(address);
        let orb = client();
        let url = format!("corbaloc:iiop:1.2@{}/nobody", map.address());
        let plain = orb.string_to_object(&url).unwrap().unwrap();
        let own = plain.with_policies(&private).unwrap();
        let (first, second) = if private_first { (&own, &plain) } else { (&plain, &own) };
        assert_eq!(first.non_existent(), Ok(true));
        assert_eq!(first.clone().non_existent(), Ok(true));
        assert_eq!(map.passed(), 1, "clones share what they have");
        assert_eq!(second.non_existent(), Ok(true));
        assert_eq!(map.passed(), 2);
    }
}

/// What the first octets of a request to an object with a key of 600 octets are.
fn request_header(fragment_size: Option<u32>, version: &str) -> [u8; 12] {
    let orb = client();
    let mut properties = ConnectionProperties::default();
    properties.fragment_size = fragment_size;
    orb.policy_manager().add(&Policies::new().with(properties)).unwrap();
    request_header_of(&orb, version)
}

fn request_header_of(orb: &Orb, version: &str) -> [u8; 12] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let reads = thread::spawn(move || {
        let mut header = [0; 12];
        listener.accept().unwrap().0.read_exact(&mut header).unwrap();
        header
    });
    let url = format!("corbaloc:iiop:{version}@{address}/{}", "k".repeat(600));
    let object = orb.string_to_object(&url).unwrap().unwrap();
    object.non_existent().unwrap_err();
    reads.join().unwrap()
}

#[test]
fn requests_go_in_fragments_where_the_version_has_them() {
    let size =
        |header: [u8; 12]| u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
    let first = request_header(Some(256), "1.2");
    assert_eq!((&first[..4], first[6] & 2, size(first)), (&b"GIOP"[..], 2, 256 - 12));
    for (fragment_size, version) in [(None, "1.2"), (Some(256), "1.0"), (Some(4096), "1.2")] {
        let whole = request_header(fragment_size, version);
        assert_eq!(whole[6] & 2, 0, "{fragment_size:?} {version}");
        assert!(size(whole) > 600, "{fragment_size:?} {version}");
    } // The option alone does the same, and a policy of no fragments wins over it.
    let by_option = || {
        let builder = Orb::builder().without_environment().option("FragmentSize", "256");
        builder.build().unwrap()
    };
    let cut = request_header_of(&by_option(), "1.2");
    assert_eq!((cut[6] & 2, size(cut)), (2, 256 - 12));
    let orb = by_option();
    let mut properties = ConnectionProperties::default();
    properties.fragment_size = Some(0);
    orb.policy_manager().add(&Policies::new().with(properties)).unwrap();
    assert_eq!(request_header_of(&orb, "1.2")[6] & 2, 0);
}

/// The protocols define TAO's connection properties of their profiles: all protocols of the program, those that an ORB
/// does without as well.
#[test]
fn protocols_have_the_encoding_that_tao_writes() {
    let builder = Orb::builder().without_environment().option("Protocols", "lite+uiop");
    let _orb = builder.build().unwrap();
    let mut properties = ConnectionProperties::default();
    properties.send_buffer = Some(0x1_0000);
    properties.keep_alive = Some(true);
    let tcp = ProtocolChoice { profile: IIOP, properties: Some(properties) };
    let mut direct = ConnectionProperties::default();
    (direct.dont_route, direct.no_delay) = (Some(true), Some(false));
    let direct = ProtocolChoice { profile: IIOP, properties: Some(direct) };
    let others = [UIOP, SHMIOP, ProfileTag(7)].map(ProtocolChoice::from);
    let protocols = ClientProtocols::new([tcp, others[0], others[1], direct, others[2]]);
    let written = [
        &[1, 0, 0, 0][..],
        &[5, 0, 0, 0],
        // TCP: both buffers, keep_alive, dont_route, no_delay
        &[0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0],
        // Unix-domain sockets: both buffers
        &[0, 0x4f, 0x41, 0x54, 0, 0, 0, 0, 0, 0, 0, 0],
        // shared memory: one buffer, and two names
        &[2, 0x4f, 0x41, 0x54, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        // TCP again
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        // a protocol with unknown properties
        &[7, 0, 0, 0],
    ]
    .concat();
    let octets = Policy::new(protocols.clone()).to_wire(ByteOrder::Little).unwrap().value;
    assert_eq!(octets, written);
    let read = |octets: &[u8]| {
        CdrReader::for_encapsulation(octets).and_then(|mut it| ClientProtocols::read(&mut it))
    };
    assert_eq!(read(&written).unwrap(), protocols);
    for cut in 4..written.len() {
        assert!(read(&written[..cut]).is_err(), "{cut}");
    }
    assert!(read(&[1, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f]).is_err(), "too many");
}
