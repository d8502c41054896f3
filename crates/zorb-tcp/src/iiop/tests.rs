use zorb_giop::ComponentTag;
use zorb_transport::MAX_PROFILE_ENDPOINTS;

use super::*;

fn endpoints(urls: &[&str]) -> Vec<Endpoint> {
    urls.iter().map(|url| url.parse().unwrap()).collect()
}

/// The octets of a profile as a peer would write them.
fn profile(host: &str, port: u16, alternates: &[(&str, u16)]) -> TaggedProfile {
    let mut profile = IiopProfile {
        version: GiopVersion::V1_2,
        host: host.to_owned(),
        port,
        object_key: b"key".to_vec(),
        components: Vec::new(),
    };
    for &(host, port) in alternates {
        let alternate = AlternateIiopAddress { host: host.to_owned(), port };
        profile.add(&alternate, ByteOrder::Big).unwrap();
    }
    profile.encode(ByteOrder::Big).unwrap()
}

fn decoded(profile: &TaggedProfile) -> Result<Vec<String>, ProfileError> {
    let resolved = IiopProtocol::new().decode_profile(profile)?;
    Ok(resolved.endpoints.iter().map(ToString::to_string).collect())
}

#[test]
fn a_profile_makes_the_round_trip() {
    let iiop = IiopProtocol::new();
    let all = endpoints(&["iiop://server:2809", "iiop://[2001:db8::1]:1", "iiop://192.0.2.1:2"]);
    let component = TaggedComponent { tag: ComponentTag(77), data: vec![1, 2, 3] };
    for version in [GiopVersion::V1_1, GiopVersion::V1_2] {
        let profile =
            iiop.encode_profile(&all, version, b"k\0ey", std::slice::from_ref(&component)).unwrap();
        let resolved = iiop.decode_profile(&profile).unwrap();
        assert_eq!(resolved.version, version);
        assert_eq!(resolved.endpoints, all);
        assert_eq!(resolved.object_key, b"k\0ey");
        assert_eq!(resolved.components[0], component);
        assert_eq!(resolved.components.len(), 3);
    }
    let oldest = iiop.encode_profile(&all, GiopVersion::V1_0, b"k", &[component]).unwrap();
    let resolved = iiop.decode_profile(&oldest).unwrap();
    assert_eq!(resolved.endpoints, all[..1], "1.0 has no room for more");
    assert!(resolved.components.is_empty());
}

#[test]
fn ipv6_has_no_brackets_on_the_wire_but_they_are_understood() {
    let iiop = IiopProtocol::new();
    let v6 = endpoints(&["iiop://[2001:db8::1]:1"]);
    let written = iiop.encode_profile(&v6, GiopVersion::V1_2, b"k", &[]).unwrap();
    assert_eq!(IiopProfile::decode(&written.data).unwrap().host, "2001:db8::1");
    assert_eq!(decoded(&profile("[2001:DB8::1]", 1, &[])).unwrap(), ["iiop://[2001:db8::1]:1"]);
}

#[test]
fn alternates_follow_the_first_address_without_repeating_it() {
    let found = decoded(&profile("A", 1, &[("b", 2), ("a", 1), ("b", 2), ("c d", 3), ("c", 0)]));
    assert_eq!(found.unwrap(), ["iiop://a:1", "iiop://b:2"]);
}

#[test]
fn alternates_save_a_profile_whose_own_address_is_of_no_use() {
    assert_eq!(decoded(&profile("a", 0, &[("b", 2)])).unwrap(), ["iiop://b:2"]);
    assert_eq!(decoded(&profile("a b", 1, &[("b", 2)])).unwrap(), ["iiop://b:2"]);
    assert_eq!(decoded(&profile("a", 0, &[])), Err(ProfileError::NoEndpoint));
    assert!(matches!(decoded(&profile("a b", 1, &[])), Err(ProfileError::Endpoint(_))));
    assert!(matches!(decoded(&profile("", 1, &[])), Err(ProfileError::Endpoint(_))));
}

#[test]
fn a_flood_of_alternates_is_cut_off() {
    let hosts: Vec<String> = (0..500).map(|n| format!("host-{n}")).collect();
    let alternates: Vec<_> = hosts.iter().map(|host| (host.as_str(), 1)).collect();
    let found = decoded(&profile("first", 1, &alternates)).unwrap();
    assert_eq!(found.len(), MAX_PROFILE_ENDPOINTS);
}

#[test]
fn other_kinds_and_truncated_profiles_are_refused() {
    let iiop = IiopProtocol::new();
    let whole = profile("server", 2809, &[("b", 2)]);
    for len in 0..whole.data.len() {
        let cut = TaggedProfile { tag: whole.tag, data: whole.data[..len].to_vec() };
        assert!(matches!(iiop.decode_profile(&cut), Err(ProfileError::Codec(_))), "{len}");
    }
    let foreign = TaggedProfile { tag: ProfileTag(5), ..whole };
    assert!(matches!(iiop.decode_profile(&foreign), Err(ProfileError::WrongTag { .. })));
    let other = endpoints(&["uiop://path"]);
    let error = iiop.encode_profile(&other, GiopVersion::V1_2, b"k", &[]).unwrap_err();
    assert!(error.to_string().contains("iiop"), "{error}");
}

#[test]
fn corbaloc_addresses_have_the_usual_port_and_host() {
    let iiop = IiopProtocol::new();
    let parsed = |text: &str| iiop.parse_corbaloc_address(text).unwrap().to_string();
    assert_eq!(iiop.corbaloc_prefix(), "iiop");
    assert_eq!(parsed("host"), "iiop://host:2809");
    assert_eq!(parsed("Host:1234"), "iiop://host:1234");
    assert_eq!(parsed("[::1]:5"), "iiop://[::1]:5");
    assert_eq!(parsed(""), "iiop://localhost:2809");
    for bad in ["ho st", "host:0", "iiop://host:1", "::1"] {
        assert!(iiop.parse_corbaloc_address(bad).is_err(), "{bad}");
    }
}

#[test]
fn endpoints_with_priorities_are_written_and_read_as_tao_does() {
    let iiop = IiopProtocol::new();
    let own = endpoints(&["iiop://server:2809"]);
    let lane = iiop.priority_component(&own, 20).unwrap();
    let tao = |host: &str, port, priority| TaoEndpoint { host: host.to_owned(), port, priority };
    assert_eq!(lane.body(), Ok(Some(TaoEndpoints(vec![tao("server", 2809, 20)]))));
    let foreign = endpoints(&["other://somewhere"]);
    assert!(iiop.priority_component(&foreign, 20).is_none());

    let list = vec![tao("Server", 2809, 7), tao("server", 2810, 9), tao("server", 2811, -1)];
    let list = TaggedComponent::with_body(&TaoEndpoints(list), ByteOrder::Big).unwrap();
    let written = iiop.encode_profile(&own, GiopVersion::V1_2, b"k", &[list]).unwrap();
    let read = iiop.decode_profile(&written).unwrap();
    let found: Vec<_> = read
        .endpoints
        .iter()
        .map(|endpoint| (endpoint.as_str(), iiop.endpoint_priority(&read, endpoint).unwrap()))
        .collect();
    let expected = [
        ("iiop://server:2809", Some(7)),
        ("iiop://server:2810", Some(9)),
        ("iiop://server:2811", None),
    ];
    assert_eq!(found, expected);
}
