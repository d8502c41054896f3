use super::*;

use std::io::{Read, Write};
use std::net::TcpStream;

/// Connections that do not end by themselves.
const LONG: Duration = Duration::from_secs(24 * 3600);

fn start(connections: usize, time: Duration, page: String) -> HttpServer {
    let handler = move |_: &Request| Response::page("text/plain", page.clone());
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let limits = Limits { connections, time };
    HttpServer::start_with(address, Hosts::Any, Arc::new(handler), limits).unwrap()
}

/// A connection that has sent these octets.
fn sent(server: &HttpServer, octets: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(octets.as_bytes()).unwrap();
    stream
}

/// What the server sends from now on.
fn received(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

const REQUEST: &str = "GET / HTTP/1.1\r\n\r\n";
const HALF: &str = "GET / HTTP/1.1\r\n";

#[test]
fn clients_that_send_half_a_request_keep_no_others_out() {
    let server = start(4, LONG, "page".to_owned());
    let mut silent: Vec<_> = (0..6).map(|_| sent(&server, HALF)).collect();
    assert!(received(sent(&server, REQUEST)).ends_with("\r\n\r\npage"));
    // The last ones are still there; the first ones have made room.
    let mut last = silent.pop().unwrap();
    last.write_all(b"\r\n").unwrap();
    assert!(received(last).ends_with("\r\n\r\npage"));
    for mut closed in silent.drain(..3) {
        // What it has sent may not have been read.
        assert!(!matches!(closed.read(&mut [0]), Ok(1)));
    }
}

#[test]
fn a_client_that_does_not_read_delays_no_other() {
    let page = "x".repeat(16 << 20);
    let server = start(4, LONG, page.clone());
    let slow = sent(&server, REQUEST);
    assert!(received(sent(&server, REQUEST)).ends_with(&page));
    assert!(received(slow).ends_with(&page));
}

#[test]
fn a_page_that_panics_ends_no_other() {
    let handler = |request: &Request| match request.is_head {
        true => panic!("a page that fails"),
        false => Response::page("text/plain", "page".to_owned()),
    };
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let limits = Limits { connections: 4, time: LONG };
    let server = HttpServer::start_with(address, Hosts::Any, Arc::new(handler), limits).unwrap();
    let failed = received(sent(&server, "HEAD / HTTP/1.1\r\n\r\n"));
    assert!(failed.starts_with("HTTP/1.1 500 "), "{failed}");
    assert!(received(sent(&server, REQUEST)).ends_with("\r\n\r\npage"));
}

#[test]
fn a_connection_ends_at_its_time() {
    let server = start(4, Duration::ZERO, String::new());
    let mut silent = TcpStream::connect(server.address()).unwrap();
    assert_eq!(silent.read(&mut [0]).unwrap(), 0);
}

#[test]
fn connections_are_a_part_of_the_descriptors() {
    let limits = [Some(16), Some(256), Some(1 << 20), None].map(Limits::of);
    assert_eq!(limits.map(|limits| limits.connections), [4, 8, 32, 32]);
}

#[test]
fn the_address_with_most_connections_makes_room() {
    let server = start(4, LONG, String::new());
    let ready = ReadySet::new().unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut connections = Connections {
        listener,
        ready,
        ending: Arc::new(EventFd::new().unwrap()),
        hosts: Hosts::Any,
        handler: Arc::new(|_: &Request| Response::not_found()),
        limits: Limits { connections: 4, time: LONG },
        open: BTreeMap::new(),
        next: FIRST,
    };
    let mut accept = |last: u8| {
        connections.make_room();
        let peer = Ipv4Addr::new(192, 0, 2, last).into();
        let exchange = Exchange::new(sent(&server, ""), peer, Instant::now() + LONG);
        connections.open.insert(connections.next, exchange);
        connections.next += 1;
        connections.open.keys().map(|key| key - FIRST).collect::<Vec<_>>()
    };
    for last in [1, 2, 1] {
        accept(last);
    }
    assert_eq!(accept(1), [0, 1, 2, 3]);
    assert_eq!(accept(3), [1, 2, 3, 4], "the oldest of the address that has three");
    assert_eq!(accept(3), [1, 3, 4, 5]);
    assert_eq!(accept(3), [1, 3, 5, 6], "it has as many as it may");
    assert_eq!(accept(3), [1, 3, 6, 7]);
}
