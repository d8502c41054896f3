use super::*;

fn endpoints(urls: &[&str]) -> Vec<Endpoint> {
    urls.iter().map(|url| url.parse().unwrap()).collect()
}

/// Written by hand after TAO's layout: version 1.2, the hosts "a" and "b", port 9899, one stream, the key
/// "key", no components.
const BIG_ENDIAN: &[u8] = b"\0\x01\x02\0\0\0\0\x02\0\0\0\x02a\0\0\0\0\0\0\x02b\0\x26\xab\0\x01\0\0\
    \0\0\0\x03key\0\0\0\0\0";

#[test]
fn profiles_are_laid_out_as_taos() {
    let profile = TaggedProfile { tag: ProfileTag::TAO_SCIOP, data: BIG_ENDIAN.to_vec() };
    let resolved = SciopProtocol::new().decode_profile(&profile).unwrap();
    assert_eq!(resolved.endpoints, endpoints(&["sciop://a:9899", "sciop://b:9899"]));
    assert_eq!(resolved.object_key, b"key");
    assert_eq!(resolved.version, GiopVersion::V1_2);
    let decoded = SciopProfile::decode(BIG_ENDIAN).unwrap();
    assert_eq!(decoded.max_streams, 1);
    assert_eq!(decoded.encode(ByteOrder::Big).unwrap().data, BIG_ENDIAN);
}

#[test]
fn a_profile_comes_back_with_the_endpoints_of_its_port() {
    let protocol = SciopProtocol::new();
    let all = endpoints(&["sciop://192.0.2.1:5", "sciop://[2001:db8::1]:5", "sciop://x:6"]);
    let profile = protocol.encode_profile(&all, GiopVersion::V1_2, b"k", &[]).unwrap();
    assert_eq!(profile.tag, ProfileTag::TAO_SCIOP);
    let resolved = protocol.decode_profile(&profile).unwrap();
    assert_eq!(resolved.endpoints, all[..2]);
    let shares = |other: &Endpoint| protocol.shares_profile(&all[0], other);
    assert!(shares(&all[1]) && !shares(&all[2]));
    let none = protocol.encode_profile(&[], GiopVersion::V1_2, b"k", &[]);
    assert!(matches!(none, Err(ProfileError::NoEndpoint)));
}

#[test]
fn truncated_and_foreign_profiles_are_rejected() {
    let protocol = SciopProtocol::new();
    for end in 0..BIG_ENDIAN.len() {
        let profile =
            TaggedProfile { tag: ProfileTag::TAO_SCIOP, data: BIG_ENDIAN[..end].to_vec() };
        assert!(protocol.decode_profile(&profile).is_err(), "{end}");
    }
    // A thousand million hosts, and none.
    for count in [0x4000_0000_u32, 0] {
        let mut data = BIG_ENDIAN.to_vec();
        data[4..8].copy_from_slice(&count.to_be_bytes());
        let profile = TaggedProfile { tag: ProfileTag::TAO_SCIOP, data };
        assert!(protocol.decode_profile(&profile).is_err(), "{count}");
    }
    let foreign = TaggedProfile { tag: ProfileTag::INTERNET_IOP, data: BIG_ENDIAN.to_vec() };
    assert!(protocol.decode_profile(&foreign).is_err());
}
