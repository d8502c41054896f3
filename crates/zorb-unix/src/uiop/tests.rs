use zorb_giop::{CodeSetComponentInfo, ComponentTag, OrbType};
use zorb_transport::MAX_PROFILE_ENDPOINTS;

use super::*;

fn endpoints(urls: &[&str]) -> Vec<Endpoint> {
    urls.iter().map(|url| url.parse().unwrap()).collect()
}

/// A profile of these octets.
fn octets(parts: &[&[u8]]) -> TaggedProfile {
    TaggedProfile { tag: ProfileTag::TAO_UIOP, data: parts.concat() }
}

/// A profile as a peer would write it.
fn profile(path: &[u8], alternates: &[&[u8]]) -> TaggedProfile {
    let mut components = Vec::new();
    if !alternates.is_empty() {
        let list = UiopEndpoints(alternates.iter().map(|path| path.to_vec()).collect());
        components.push(TaggedComponent::with_body(&list, ByteOrder::Big).unwrap());
    }
    let profile = UiopProfile {
        version: GiopVersion::V1_2,
        rendezvous_point: path.to_vec(),
        object_key: b"key".to_vec(),
        components,
    };
    profile.encode(ByteOrder::Big).unwrap()
}

fn decoded(profile: &TaggedProfile) -> Result<Vec<String>, ProfileError> {
    let resolved = UiopProtocol::new().decode_profile(profile)?;
    Ok(resolved.endpoints.iter().map(ToString::to_string).collect())
}

#[test]
fn octets_written_by_hand_are_understood() {
    let uiop = UiopProtocol::new();
    // Big-endian, version 1.2, "/tmp/s", key "ky", one component: ORB type TAO.
    let big = octets(&[
        &[0, 1, 2, 0],
        &[0, 0, 0, 7],
        b"/tmp/s\0",
        &[0],
        &[0, 0, 0, 2],
        b"ky",
        &[0, 0],
        &[0, 0, 0, 1],
        &[0, 0, 0, 0],
        &[0, 0, 0, 8],
        &[0, 0, 0, 0, 0x54, 0x41, 0x4f, 0x00],
    ]);
    let resolved = uiop.decode_profile(&big).unwrap();
    assert_eq!(resolved.version, GiopVersion::V1_2);
    assert_eq!(resolved.endpoints, endpoints(&["uiop:///tmp/s"]));
    assert_eq!(resolved.object_key, b"ky");
    assert_eq!(resolved.components.len(), 1);
    assert_eq!(resolved.components[0].body::<OrbType>().unwrap(), Some(OrbType::TAO));
    // Little-endian, version 1.0: it ends with the key.
    let little = octets(&[&[1, 1, 0, 0], &[7, 0, 0, 0], b"/tmp/s\0", &[0], &[2, 0, 0, 0], b"ky"]);
    let resolved = uiop.decode_profile(&little).unwrap();
    assert_eq!(resolved.version, GiopVersion::V1_0);
    assert_eq!(resolved.endpoints, endpoints(&["uiop:///tmp/s"]));
    assert!(resolved.components.is_empty());
}

#[test]
fn profiles_have_the_layout_of_taos() {
    let component = TaggedComponent { tag: ComponentTag(0x0102_0304), data: vec![9, 8] };
    let profile = UiopProfile {
        version: GiopVersion::V1_1,
        rendezvous_point: b"/a".to_vec(),
        object_key: vec![7; 5],
        components: vec![component],
    };
    let written = profile.encode(ByteOrder::Big).unwrap();
    assert_eq!(written.tag.0, 0x5441_4f00);
    let expected: &[&[u8]] = &[
        &[0, 1, 1, 0],
        &[0, 0, 0, 3],
        b"/a\0",
        &[0],
        &[0, 0, 0, 5],
        &[7, 7, 7, 7, 7],
        &[0, 0, 0],
        &[0, 0, 0, 1],
        &[1, 2, 3, 4],
        &[0, 0, 0, 2],
        &[9, 8],
    ];
    assert_eq!(written.data, expected.concat());
    let oldest = UiopProfile { version: GiopVersion::V1_0, ..profile };
    let written = oldest.encode(ByteOrder::Little).unwrap();
    let expected: &[&[u8]] =
        &[&[1, 1, 0, 0], &[3, 0, 0, 0], b"/a\0", &[0], &[5, 0, 0, 0], &[7, 7, 7, 7, 7]];
    assert_eq!(written.data, expected.concat());
}

#[test]
fn the_endpoint_list_is_laid_out_like_taos() {
    let list = UiopEndpoints(vec![b"/a".to_vec(), b"/bc".to_vec()]);
    let component = TaggedComponent::with_body(&list, ByteOrder::Big).unwrap();
    assert_eq!(component.tag.0, 0x5441_4f02);
    let expected: &[&[u8]] = &[
        &[0, 0, 0, 0],
        &[0, 0, 0, 2],
        &[0, 0, 0, 3],
        b"/a\0",
        &[0],
        &[0xff, 0xff],
        &[0, 0],
        &[0, 0, 0, 4],
        b"/bc\0",
        &[0xff, 0xff],
    ];
    assert_eq!(component.data, expected.concat());
    assert_eq!(component.body::<UiopEndpoints>().unwrap(), Some(list));
}

#[test]
fn a_profile_makes_the_round_trip() {
    let uiop = UiopProtocol::new();
    let all = endpoints(&["uiop:///tmp/x", "uiop://@name", "uiop:///tmp/é"]);
    let component = TaggedComponent { tag: ComponentTag(77), data: vec![1, 2, 3] };
    for version in [GiopVersion::V1_1, GiopVersion::V1_2] {
        let profile =
            uiop.encode_profile(&all, version, b"k\0ey", std::slice::from_ref(&component)).unwrap();
        let resolved = uiop.decode_profile(&profile).unwrap();
        assert_eq!(resolved.version, version);
        assert_eq!(resolved.endpoints, all);
        assert_eq!(resolved.object_key, b"k\0ey");
        assert_eq!(resolved.components[0], component);
        assert_eq!(resolved.components.len(), 2);
    }
    let one = uiop.encode_profile(&all[1..2], GiopVersion::V1_2, b"k", &[]).unwrap();
    let resolved = uiop.decode_profile(&one).unwrap();
    assert_eq!(resolved.endpoints, all[1..2]);
    assert!(resolved.components.is_empty(), "one endpoint needs no list");
    let oldest = uiop.encode_profile(&all, GiopVersion::V1_0, b"k", &[component]).unwrap();
    let resolved = uiop.decode_profile(&oldest).unwrap();
    assert_eq!(resolved.endpoints, all[..1], "1.0 has no room for more");
    assert!(resolved.components.is_empty());
}

#[test]
fn endpoints_without_profile_are_rejected() {
    let uiop = UiopProtocol::new();
    let encoded = |urls: &[&str]| {
        uiop.encode_profile(&endpoints(urls), GiopVersion::V1_2, b"k", &[]).unwrap_err()
    };
    assert_eq!(encoded(&[]), ProfileError::NoEndpoint);
    for urls in [&["iiop:///tmp/x"][..], &["uiop://x"], &["uiop:///x", "uiop://y"]] {
        assert!(matches!(encoded(urls), ProfileError::Endpoint(_)), "{urls:?}");
    }
    assert!(encoded(&["iiop:///tmp/x"]).to_string().contains("uiop"));
}

#[test]
fn alternates_follow_the_first_path_without_repeating_it() {
    let found = decoded(&profile(b"/a", &[b"//a", b"/b", b"relative", b"/b", b"", b"@c", b"\xff"]));
    assert_eq!(found.unwrap(), ["uiop:///a", "uiop:///b", "uiop://@c"]);
}

#[test]
fn alternates_save_a_profile_whose_own_path_is_of_no_use() {
    assert_eq!(decoded(&profile(b"relative", &[b"/b"])).unwrap(), ["uiop:///b"]);
    assert_eq!(decoded(&profile(b"/a b", &[b"/b"])).unwrap(), ["uiop:///b"]);
}

#[test]
fn hostile_paths_are_refused() {
    let long = [b"/".as_slice(), &[b'x'; 107]].concat();
    let huge = [b"/".as_slice(), &vec![b'x'; 1 << 20]].concat();
    let many = b"/.".repeat(100_000);
    for path in
        [b"".as_slice(), b"x", b"@", b"/", b"/a\n", b"/a b", b"/\xc3", b"\xff", &long, &huge, &many]
    {
        let error = decoded(&profile(path, &[])).unwrap_err();
        assert!(matches!(error, ProfileError::Endpoint(_)), "{error}");
        assert!(error.to_string().len() < 1000, "messages stay short");
    }
    let deep = [&b"/.".repeat(100_000)[..], b"/x"].concat();
    assert_eq!(decoded(&profile(&deep, &[])).unwrap(), ["uiop:///x"]);
}

#[test]
fn a_flood_of_alternates_is_cut_off() {
    let paths: Vec<_> = (0..500).map(|n| format!("/tmp/{n}").into_bytes()).collect();
    let alternates: Vec<_> = paths.iter().map(Vec::as_slice).collect();
    assert_eq!(decoded(&profile(b"/first", &alternates)).unwrap().len(), MAX_PROFILE_ENDPOINTS);
    let too_many = vec![b"/x".as_slice(); 1025];
    assert_eq!(decoded(&profile(b"/first", &too_many)).unwrap(), ["uiop:///first"]);
}

#[test]
fn lengths_that_lie_are_refused_before_anything_is_set_aside() {
    let head: &[u8] = &[0, 1, 2, 0];
    let path: &[u8] = b"\0\0\0\x03/a\0\0";
    let most: &[u8] = &[0xff; 4];
    for lying in [
        octets(&[]),
        octets(&[head, most]),
        octets(&[head, &[0, 0, 0, 0], &[0; 8]]),
        octets(&[head, b"\0\0\0\x03/ab\0", &[0; 8]]),
        octets(&[head, b"\0\0\0\x04/\0a\0", &[0; 8]]),
        octets(&[head, path, most]),
        octets(&[head, path, &[0; 4], most]),
        octets(&[head, path, &[0; 4], &[0, 0, 0, 1], &[0; 4], most]),
        // One component more than a profile may have, with all of its octets.
        octets(&[head, path, &[0; 4], &1025_u32.to_be_bytes(), &[0; 8 * 1025]]),
        // Another major version.
        octets(&[&[0, 2, 0, 0], path, &[0; 4]]),
    ] {
        let error = decoded(&lying).unwrap_err();
        assert!(matches!(error, ProfileError::Codec(_)), "{error}");
    }
    // A later minor version, and octets that belong to it.
    let later = octets(&[&[0, 1, 9, 0], path, &[0; 8], b"later"]);
    let resolved = UiopProtocol::new().decode_profile(&later).unwrap();
    assert_eq!(resolved.version, GiopVersion::V1_2);
}

#[test]
fn other_kinds_and_truncated_profiles_are_refused() {
    let uiop = UiopProtocol::new();
    let whole = profile(b"/tmp/x", &[b"/b"]);
    for len in 0..whole.data.len() {
        let cut = TaggedProfile { tag: whole.tag, data: whole.data[..len].to_vec() };
        assert!(matches!(uiop.decode_profile(&cut), Err(ProfileError::Codec(_))), "{len}");
    }
    let foreign = TaggedProfile { tag: ProfileTag::INTERNET_IOP, ..whole };
    assert!(matches!(uiop.decode_profile(&foreign), Err(ProfileError::WrongTag { .. })));
}

#[test]
fn a_malformed_endpoint_list_costs_only_itself() {
    let list = TaggedComponent { tag: ComponentTag::TAO_ENDPOINTS, data: vec![0, 0, 0, 0, 0xff] };
    let profile = UiopProfile {
        version: GiopVersion::V1_2,
        rendezvous_point: b"/a".to_vec(),
        object_key: Vec::new(),
        components: vec![list.clone()],
    };
    let resolved = UiopProtocol::new().decode_profile(&profile.encode(ByteOrder::Big).unwrap());
    let resolved = resolved.unwrap();
    assert_eq!(resolved.endpoints, endpoints(&["uiop:///a"]));
    assert_eq!(resolved.components, [list], "it is kept as received");
    assert!(resolved.components[0].body::<CodeSetComponentInfo>().unwrap().is_none());
}

#[test]
fn corbaloc_addresses_are_paths_and_abstract_names() {
    let uiop = UiopProtocol::new();
    let parsed = |text: &str| uiop.parse_corbaloc_address(text).unwrap().to_string();
    assert_eq!(uiop.corbaloc_prefix(), "uiop");
    assert_eq!(parsed("/tmp/x.sock"), "uiop:///tmp/x.sock");
    assert_eq!(parsed("/tmp/a@b"), "uiop:///tmp/a@b");
    assert_eq!(parsed("@name"), "uiop://@name");
    for bad in ["", "x", "/", "uiop:///x", "host:1"] {
        assert!(uiop.parse_corbaloc_address(bad).is_err(), "{bad}");
    }
}

#[test]
fn urls_hand_their_addresses_over() {
    let parsed = |url: &str| {
        let zorb_giop::ObjectUrl::Corbaloc(corbaloc) = zorb_giop::ObjectUrl::parse(url).unwrap()
        else {
            panic!("{url}");
        };
        let address = &corbaloc.addresses[0];
        assert_eq!(address.protocol, "uiop");
        let endpoint = UiopProtocol::new().parse_corbaloc_address(&address.address).unwrap();
        (endpoint.to_string(), address.version, corbaloc.key)
    };
    let v1_2 = Some(GiopVersion::V1_2);
    for (url, endpoint, version) in [
        ("corbaloc:uiop:1.2@/tmp/x|k", "uiop:///tmp/x", v1_2),
        ("corbaloc:uiop:/tmp/x|k", "uiop:///tmp/x", None),
        ("corbaloc:UIOP:1.2@@name|k", "uiop://@name", v1_2),
        ("corbaloc:uiop:@name|k", "uiop://@name", None),
    ] {
        assert_eq!(parsed(url), (endpoint.to_owned(), version, b"k".to_vec()), "{url}");
    }
}
