//! Servers that clients reach at another address than their own: behind NAT, or the port map of a container.

use std::net::TcpListener;

use crate::support::{Echo, Servant, builder, client};
use zorb_giop::IiopProfile;
use zorb_testkit::{PortMap, free_port};

#[test]
fn references_lead_through_a_port_map_to_the_server() {
    let map = TcpListener::bind("127.0.0.9:0").unwrap();
    let outside = map.local_addr().unwrap();
    // Nobody else uses this address.
    let inside = free_port("127.0.0.10");
    let url = format!("iiop://{inside}/publish={outside}");
    let orb = builder().listen(url).build().unwrap();
    assert_eq!(orb.endpoints(), [format!("iiop://{outside}")]);
    let here: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    let map = PortMap::tcp_at(map, inside);
    let profile = IiopProfile::decode(&here.object().ior().profiles[0].data).unwrap();
    assert_eq!((profile.host, profile.port), (outside.ip().to_string(), outside.port()));
    let (_client, there) = client(&here);
    assert_eq!(there.twice(1).unwrap(), 2);
    assert_eq!(map.passed(), 1);
}
