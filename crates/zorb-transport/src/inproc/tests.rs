use std::io::ErrorKind;
use std::time::Duration;

use super::*;
use crate::{AcceptError, StreamOptions};

fn connect(transport: &InprocTransport, url: &str) -> Result<Arc<dyn Stream>, ConnectError> {
    transport.connect(&url.parse().unwrap(), &ConnectOptions::default())
}

fn listen(transport: &InprocTransport, url: &str) -> Result<Arc<dyn Acceptor>, ListenError> {
    transport.listen(url, &ListenOptions::default())
}

#[test]
fn worlds_are_apart_and_clones_share() {
    let (here, elsewhere) = (InprocTransport::new(), InprocTransport::new());
    let _acceptor = listen(&here, "inproc://server").unwrap();
    assert!(connect(&here.clone(), "inproc://server").is_ok());
    let error = connect(&elsewhere, "inproc://server").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn a_name_is_taken_until_its_listener_goes() {
    let transport = InprocTransport::new();
    let first = listen(&transport, "inproc://server").unwrap();
    assert_eq!(listen(&transport, "server").unwrap_err().kind(), ErrorKind::AddrInUse);
    drop(first);
    let second = listen(&transport, "server").unwrap();
    second.close();
    let third = listen(&transport, "server").unwrap();
    drop(second); // must not remove the third one's name
    assert!(connect(&transport, "inproc://server").is_ok());
    drop(third);
}

#[test]
fn empty_names_are_made_up_for_listening_alone() {
    let transport = InprocTransport::new();
    let _taken = listen(&transport, "inproc://auto-1").unwrap();
    let acceptor = listen(&transport, "inproc://").unwrap();
    assert_eq!(acceptor.endpoint().as_str(), "inproc://auto-2");
    assert!(transport.parse_endpoint("inproc://").is_err());
    assert!(transport.parse_endpoint("inproc://a b").is_err());
    assert!(transport.parse_endpoint("inproc://a/b").is_err());
    assert_eq!(connect(&transport, "iiop://x").unwrap_err().phase(), ConnectPhase::Address);
}

#[test]
fn a_full_backlog_makes_connecting_wait() {
    let transport = InprocTransport::new();
    let options = ListenOptions { backlog: 1, ..ListenOptions::default() };
    let acceptor = transport.listen("server", &options).unwrap();
    let endpoint = acceptor.endpoint().clone();
    let _first = transport.connect(&endpoint, &ConnectOptions::default()).unwrap();
    let in_time = ConnectOptions::with_timeout(Some(Duration::from_millis(1)));
    let error = transport.connect(&endpoint, &in_time).unwrap_err();
    assert!(error.is_timed_out(), "{error}");
    acceptor.accept().unwrap();
    assert!(transport.connect(&endpoint, &in_time).is_ok());
}

#[test]
fn closing_ends_connections_not_yet_accepted() {
    let transport = InprocTransport::new();
    let acceptor = listen(&transport, "server").unwrap();
    let waiting = connect(&transport, "inproc://server").unwrap();
    acceptor.close();
    assert!(waiting.is_readable());
    assert_eq!(waiting.recv(&mut [0; 4]).unwrap(), 0);
    assert!(matches!(acceptor.accept(), Err(AcceptError::Closed)));
}

#[test]
fn the_send_buffer_bounds_what_is_under_way() {
    let transport = InprocTransport::new();
    let acceptor = listen(&transport, "server").unwrap();
    let stream = StreamOptions { send_buffer: Some(8), ..StreamOptions::default() };
    let options = ConnectOptions::with_stream(stream);
    let client = transport.connect(acceptor.endpoint(), &options).unwrap();
    let server = acceptor.accept().unwrap();
    client.set_send_timeout(Some(Duration::from_millis(1))).unwrap();
    client.send_all(b"12345678").unwrap();
    assert_eq!(client.send_all(b"9").unwrap_err().kind(), ErrorKind::TimedOut);
    let mut buffer = [0; 16];
    assert_eq!(server.recv(&mut buffer).unwrap(), 8);
    client.send_all(b"9").unwrap();
    assert_eq!(server.recv(&mut buffer).unwrap(), 1);
    assert_eq!(client.peer(), "inproc://server");
    assert_eq!(server.peer(), client.local());
}
