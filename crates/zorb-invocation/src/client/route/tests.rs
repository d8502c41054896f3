use zorb_base::local_endpoints::MAX_ROUTES;
use zorb_giop::IiopProfile;
use zorb_tcp::IiopProtocol;

use super::*;
use crate::client::core::ClientCore;

#[test]
fn a_reference_has_a_limited_number_of_ways() {
    let core = ClientCore::for_tests();
    core.protocols().register(Arc::new(IiopProtocol::new())).unwrap();
    let profile = |port| {
        let profile = IiopProfile {
            version: GiopVersion::V1_2,
            host: "127.0.0.1".to_owned(),
            port,
            object_key: b"key".to_vec(),
            components: Vec::new(),
        };
        profile.encode(zorb_cdr::ByteOrder::Big).unwrap()
    };
    let ior = Ior { type_id: String::new(), profiles: (1..1000).map(profile).collect() };
    assert_eq!(Routes::resolve(&core, &ior, None).unwrap().in_order().count(), MAX_ROUTES);
}
