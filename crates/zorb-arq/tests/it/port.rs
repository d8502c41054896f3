//! The port of a server.

use zorb_arq::ArqTransport;
use zorb_testkit::until;
use zorb_transport::{ConnectOptions, ListenOptions, Transport};

#[test]
fn a_server_has_its_port_until_its_last_stream_is_dropped() {
    let transport = ArqTransport::new();
    let acceptor = transport.listen("rudp://127.0.0.1:0", &ListenOptions::default()).unwrap();
    let endpoint = acceptor.endpoint().clone();
    let client = transport.connect(&endpoint, &ConnectOptions::default()).unwrap();
    let accepted = acceptor.accept().unwrap();
    let again = || transport.listen(endpoint.as_str(), &ListenOptions::default());
    acceptor.close();
    drop(acceptor);
    // Replies are still sent, and their acknowledgements received.
    again().unwrap_err();
    accepted.send_all(b"reply").unwrap();
    let mut reply = [0; 5];
    assert_eq!(client.recv(&mut reply).unwrap(), 5);
    drop(accepted);
    // Its connection may linger.
    until(|| again().is_ok());
}
