use std::iter;

use zorb_giop::ComponentTag;
use zorb_transport::MAX_PROFILE_ENDPOINTS;

use super::*;

const KEY: &[u8] = b"key";

fn endpoint(name: &str) -> Endpoint {
    ShmTransport::new().parse_endpoint(name).unwrap()
}

fn encoded(version: GiopVersion, names: &[&str]) -> TaggedProfile {
    let endpoints: Vec<_> = names.iter().map(|name| endpoint(name)).collect();
    let components = [TaggedComponent { tag: ComponentTag(77), data: vec![1, 2] }];
    ShmiopProtocol::new().encode_profile(&endpoints, version, KEY, &components).unwrap()
}

#[test]
fn profiles_survive_a_round_trip() {
    let profile = encoded(GiopVersion::V1_2, &["/tmp/a.sock", "@b", "/tmp/ünïcödé-☃"]);
    assert_eq!(profile.tag, ProfileTag::TAO_SHMIOP);
    let resolved = ShmiopProtocol::new().decode_profile(&profile).unwrap();
    assert_eq!(resolved.version, GiopVersion::V1_2);
    let urls: Vec<_> = resolved.endpoints.iter().map(Endpoint::as_str).collect();
    assert_eq!(urls, ["shmiop:///tmp/a.sock", "shmiop://@b", "shmiop:///tmp/ünïcödé-☃"]);
    assert_eq!(resolved.object_key, KEY);
    let tags: Vec<_> = resolved.components.iter().map(|component| component.tag).collect();
    assert_eq!(tags, [ComponentTag(77), ComponentTag::ZORB_SHM_ENDPOINTS]);
    // The profile itself cannot contain the name.
    let profile = encoded(GiopVersion::V1_1, &["/tmp/☃"]);
    let resolved = ShmiopProtocol::new().decode_profile(&profile).unwrap();
    assert_eq!(resolved.endpoints, [endpoint("/tmp/☃")]);
}

#[test]
fn the_profile_is_laid_out_like_iiops() {
    let profile = encoded(GiopVersion::V1_0, &["/tmp/a", "@b"]);
    let iiop = IiopProfile::decode(&profile.data).unwrap();
    assert_eq!((iiop.host.as_str(), iiop.port), ("/tmp/a", 0));
    assert!(iiop.components.is_empty());
    let resolved = ShmiopProtocol::new().decode_profile(&profile).unwrap();
    assert_eq!(resolved.endpoints, [endpoint("/tmp/a")]);
}

#[test]
fn a_server_on_another_machine_is_not_tried() {
    let profile = encoded(GiopVersion::V1_2, &["/tmp/a"]);
    let protocol = ShmiopProtocol::new();
    let decoded = |machine| protocol.decode(&profile, machine).map(|resolved| resolved.endpoints);
    assert_eq!(decoded(boot_id()), Ok(vec![endpoint("/tmp/a")]));
    assert_eq!(decoded(Some("another")), Err(ProfileError::Elsewhere));
    // A client that does not know its machine has to try.
    assert_eq!(decoded(None), Ok(vec![endpoint("/tmp/a")]));
}

fn profile(host: &str, port: u16) -> TaggedProfile {
    let (version, object_key) = (GiopVersion::V1_2, KEY.to_vec());
    let profile =
        IiopProfile { version, host: host.to_owned(), port, object_key, components: vec![] };
    TaggedProfile { tag: ProfileTag::TAO_SHMIOP, ..profile.encode(ByteOrder::NATIVE).unwrap() }
}

#[test]
fn profiles_that_lead_nowhere_are_refused() {
    let decode = |profile: &TaggedProfile| ShmiopProtocol::new().decode_profile(profile);
    assert!(decode(&profile("/tmp/a", 0)).is_ok());
    // A profile of TAO, with a TCP port.
    assert_eq!(decode(&profile("host.example", 5000)), Err(ProfileError::NoEndpoint));
    for host in ["", "relative", "/", "@", "/a b"] {
        assert!(matches!(decode(&profile(host, 0)), Err(ProfileError::Endpoint(_))), "{host}");
    }
    let foreign = TaggedProfile { tag: ProfileTag::INTERNET_IOP, ..profile("/tmp/a", 0) };
    assert!(matches!(decode(&foreign), Err(ProfileError::WrongTag { .. })));
    let none: [Endpoint; 0] = [];
    let version = GiopVersion::V1_2;
    let encode =
        |endpoints: &[Endpoint]| ShmiopProtocol::new().encode_profile(endpoints, version, KEY, &[]);
    assert_eq!(encode(&none), Err(ProfileError::NoEndpoint));
    let other = Endpoint::new("iiop", "/tmp/a").unwrap();
    assert!(matches!(encode(&[other]), Err(ProfileError::Endpoint(_))));
}

#[test]
fn no_octets_make_it_panic() {
    let whole = encoded(GiopVersion::V1_2, &["/tmp/a.sock", "@b"]).data;
    let cuts = (0..whole.len()).map(|len| whole[..len].to_vec());
    let flips = (0..whole.len()).flat_map(|at| {
        iter::repeat_n(&whole, 3).zip([1, 0x80, 0xff]).map(move |(whole, bits)| {
            let mut data = whole.clone();
            data[at] ^= bits;
            data
        })
    });
    let mut failed = 0;
    for data in cuts.chain(flips) {
        let profile = TaggedProfile { tag: ProfileTag::TAO_SHMIOP, data };
        match ShmiopProtocol::new().decode_profile(&profile) {
            Ok(resolved) => assert!(!resolved.endpoints.is_empty()),
            Err(_) => failed += 1,
        }
    }
    assert!(failed > whole.len(), "every cut is an error, and some flips: {failed}");
}

#[test]
fn no_more_endpoints_are_taken_than_may_be() {
    let names: Vec<_> = (0..100).map(|n| format!("/tmp/{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let profile = encoded(GiopVersion::V1_2, &names);
    let resolved = ShmiopProtocol::new().decode_profile(&profile).unwrap();
    assert_eq!(resolved.endpoints.len(), MAX_PROFILE_ENDPOINTS);
}
