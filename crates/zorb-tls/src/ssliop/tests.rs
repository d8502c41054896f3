#![allow(clippy::unwrap_used)]

use std::time::Duration;

use zorb_tcp::IiopProtocol;

use super::*;
use crate::{Pem, Settings};

const ROOT: &str = include_str!("root.pem");

fn protocol(settings: Settings) -> SsliopProtocol {
    SsliopProtocol::new(settings.build().unwrap()).unwrap()
}

fn with_roots() -> SsliopProtocol {
    protocol(Settings::new().roots(Pem::text(ROOT)))
}

fn endpoint(url: &str) -> Endpoint {
    url.parse().unwrap()
}

fn encode(protocol: &dyn Protocol, url: &str, version: GiopVersion) -> TaggedProfile {
    protocol.encode_profile(&[endpoint(url)], version, b"key", &[]).unwrap()
}

#[test]
fn a_profile_of_tls_alone_has_port_0_and_the_component() {
    let ssliop = with_roots();
    let profile = encode(&ssliop, "ssliop://server:2810", GiopVersion::V1_2);
    assert_eq!(profile.tag, ProfileTag::INTERNET_IOP);
    let read = IiopProfile::decode(&profile.data).unwrap();
    assert_eq!((read.host.as_str(), read.port), ("server", 0));
    let offer = read.component::<SslSecTrans>().unwrap().unwrap();
    let expected = SslSecTrans { target_supports: 0x66, target_requires: 0x46, port: 2810 };
    assert_eq!(offer, expected, "clients need a certificate by default");
    let resolved = ssliop.decode_profile(&profile).unwrap();
    assert_eq!(resolved.endpoints, [endpoint("ssliop://server:2810")]);
    assert_eq!(resolved.object_key, b"key");
    assert!(matches!(IiopProtocol::new().decode_profile(&profile), Err(ProfileError::NoEndpoint)));
}

#[test]
fn the_component_contains_the_requirements_for_clients() {
    use ClientCertificates::{NotRequested, Optional, Required};
    for (asks, supports, requires) in
        [(Required, 0x66, 0x46), (Optional, 0x66, 6), (NotRequested, 0x26, 6)]
    {
        let ssliop = protocol(Settings::new().roots(Pem::text(ROOT)).client_certificates(asks));
        let offer = ssliop.component(1);
        assert_eq!((offer.target_supports, offer.target_requires), (supports, requires));
    }
}

#[test]
fn a_version_without_components_becomes_one_with() {
    let profile = encode(&with_roots(), "ssliop://server:2810", GiopVersion::V1_0);
    assert_eq!(IiopProfile::decode(&profile.data).unwrap().version, GiopVersion::V1_1);
}

#[test]
fn one_profile_tells_of_both_where_the_host_is_the_same() {
    let (ssliop, iiop) = (with_roots(), IiopProtocol::new());
    let own = encode(&ssliop, "ssliop://server:2810", GiopVersion::V1_2);
    let mut both = encode(&iiop, "iiop://server:2809", GiopVersion::V1_2);
    assert!(ssliop.join_profile(&own, &mut both));
    let resolved = iiop.decode_profile(&both).unwrap();
    assert_eq!(resolved.endpoints, [endpoint("iiop://server:2809")]);
    let resolved = ssliop.decode_profile(&both).unwrap();
    assert_eq!(resolved.endpoints, [endpoint("ssliop://server:2810")]);
    assert!(!ssliop.join_profile(&own, &mut both), "once");

    let mut elsewhere = encode(&iiop, "iiop://other:2809", GiopVersion::V1_2);
    let mut old = encode(&iiop, "iiop://server:2809", GiopVersion::V1_0);
    for other in [&mut elsewhere, &mut old, &mut own.clone()] {
        let before = other.clone();
        assert!(!ssliop.join_profile(&own, other));
        assert_eq!(*other, before);
    }
    let mut junk = TaggedProfile { data: vec![9; 3], ..own.clone() };
    assert!(!ssliop.join_profile(&own, &mut junk));
}

#[test]
fn without_roots_the_plain_way_is_left_to_others() {
    let own = encode(&with_roots(), "ssliop://server:2810", GiopVersion::V1_2);
    let mut both = encode(&IiopProtocol::new(), "iiop://server:2809", GiopVersion::V1_2);
    assert!(with_roots().join_profile(&own, &mut both));
    for unset in [protocol(Settings::new()), SsliopProtocol::from_options().unwrap()] {
        assert!(matches!(unset.decode_profile(&both), Err(ProfileError::NoEndpoint)));
        // If plain TCP is not available, an attempt reports what is missing.
        assert_eq!(unset.decode_profile(&own).unwrap().endpoints.len(), 1);
    }
}

#[test]
fn a_profile_without_the_component_is_not_its() {
    let plain = encode(&IiopProtocol::new(), "iiop://server:2809", GiopVersion::V1_2);
    assert!(matches!(with_roots().decode_profile(&plain), Err(ProfileError::NoEndpoint)));
    let mut profile = IiopProfile::decode(&plain.data).unwrap();
    for port in [0, 2810, 2811, 2810] {
        let offer = SslSecTrans { target_supports: 0, target_requires: 0, port };
        profile.add(&offer, ByteOrder::Big).unwrap();
    }
    let several = profile.encode(ByteOrder::Big).unwrap();
    let urls: Vec<_> = with_roots().decode_profile(&several).unwrap().endpoints;
    assert_eq!(urls, [endpoint("ssliop://server:2810"), endpoint("ssliop://server:2811")]);
}

#[test]
fn options_are_checked() {
    let configure = |change: &dyn Fn(&mut SsliopOptions)| {
        let ssliop = SsliopProtocol::from_options().unwrap();
        let mut options = SsliopOptions::default();
        change(&mut options);
        let mut sets = OptionSets::default();
        sets.add(Box::new(options));
        ssliop.configure(&sets).map_err(|error| error.to_string()).map(|()| ssliop)
    };
    assert!(configure(&|_| ()).unwrap().tls().is_none());
    let missing = configure(&|it| it.ssliop_roots = "/no/such/ca.pem".to_owned()).unwrap_err();
    assert!(missing.contains("/no/such/ca.pem"), "{missing}");
    let alone = configure(&|it| it.ssliop_key = "k.pem".to_owned()).unwrap_err();
    assert!(alone.contains("its certificate is missing"), "{alone}");
    let defaults = SsliopOptions { ssliop_server_name: "x".to_owned(), ..Default::default() };
    let defaults = defaults.settings().unwrap();
    assert_eq!(defaults.time_limit(), Settings::new().time_limit());
    assert_eq!(defaults.clients, Settings::new().clients);
    let tls = configure(&|it| {
        it.ssliop_allow = "CN=a,O=b; dns:c;".to_owned();
        it.ssliop_handshake_timeout = Duration::from_millis(250);
        it.ssliop_server_name = "server".to_owned();
    });
    let tls = tls.unwrap().tls().unwrap();
    let settings = tls.settings();
    assert_eq!(settings.allowed, ["CN=a,O=b", "dns:c"]);
    assert_eq!(settings.time_limit().as_millis(), 250);
    assert_eq!(settings.server_name.as_deref(), Some("server"));
}
