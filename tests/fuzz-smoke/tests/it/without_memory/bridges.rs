//! Bridges.

use zorb_bridge::{Bridge, Settings};
use zorb_testkit::in_own_process;

use super::servers::{Target, check, serve};

/// A bridge to a server at an endpoint.
fn check_bridge(url: &str) {
    let server = serve(url);
    let registry = server.orb.protocols();
    let settings = Settings::default();
    let bridge = Bridge::open(registry, server.object.ior(), &["iiop://127.0.0.1:0"], settings);
    let bridge = bridge.unwrap();
    check(&Target::new(&bridge.reference().unwrap()));
    bridge.close();
    server.orb.shutdown(true).unwrap();
}

#[test]
fn a_bridge_without_memory_for_a_message_ends_its_connection_alone() {
    let name =
        "without_memory::bridges::a_bridge_without_memory_for_a_message_ends_its_connection_alone";
    in_own_process(name, || check_bridge("iiop://127.0.0.1:0"));
}

/// The bridge joins fragments, and writes new headers.
#[test]
fn a_bridge_without_memory_to_convert_a_message_ends_its_connection_alone() {
    let name = "without_memory::bridges::\
                a_bridge_without_memory_to_convert_a_message_ends_its_connection_alone";
    in_own_process(name, || check_bridge("lite+iiop://127.0.0.1:0"));
}
