//! Classes of service of connections that share a socket.

use zorb_arq::ArqTransport;
use zorb_transport::conformance;

#[test]
fn connections_of_a_server_have_classes_of_their_own() {
    conformance::connections_of_a_server_have_classes_of_their_own(&ArqTransport::new());
}
