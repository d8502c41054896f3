//! Classes of service of connections that share a socket.

use zorb_arq::ArqTransport;
use zorb_testkit::conformance;

#[test]
fn connections_of_a_server_have_their_own_dscp() {
    conformance::connections_of_a_server_have_their_own_dscp(&ArqTransport::new());
}
