//! How connections end, and who makes place for whom.

use std::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, TargetAddress};
use zorb_nano::{Client, Limits, Os, OsError, Reference, Server, Socket};

use crate::calls::{add, client, server};
use crate::hostile::request;
use crate::simulated::{Network, Simulated, at};

const ZERO: Option<Duration> = Some(Duration::ZERO);

/// Reads until the end of the stream.
fn read_all(machine: &mut Simulated, stream: Socket) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut space = [0; 64];
    loop {
        match machine.read(stream, &mut space) {
            Ok(0) => return octets,
            Ok(count) => octets.extend_from_slice(&space[..count]),
            Err(error) => panic!("{error:?} after {octets:?}"),
        }
    }
}

/// The octets of a message without a body.
fn message(kind: u8) -> Vec<u8> {
    let flags = u8::from(cfg!(target_endian = "little"));
    vec![b'G', b'I', b'O', b'P', 1, 2, flags, kind, 0, 0, 0, 0]
}

#[test]
fn a_client_makes_place_for_another_and_comes_back() {
    let network = Network::default();
    let (server, _) = server(&network, 5, Limits::DEFAULT.max_connections(1));
    let meter = server.borrow_mut().reference(b"meter").unwrap();
    let [mut first, mut second] = [(), ()].map(|()| client(&network, 5, &server));
    for _ in 0..3 {
        assert_eq!(add(&mut first, &meter), Ok(5));
        assert_eq!(add(&mut second, &meter), Ok(5));
    }
    // The server has a listener and one connection.
    assert_eq!(server.borrow_mut().os().open(), 2);
}

#[test]
fn a_client_closes_the_connection_that_was_idle_longest() {
    let network = Network::default();
    let servers: Vec<_> = (0..3).map(|_| server(&network, 99, Limits::DEFAULT).0).collect();
    let references: Vec<_> =
        servers.iter().map(|server| server.borrow_mut().reference(b"meter").unwrap()).collect();
    let all = servers.clone();
    let machine = network.machine(99, 2).with_others(move || {
        for server in &all {
            server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
        }
    });
    let mut client = zorb_nano::Client::new(machine, Limits::DEFAULT.max_connections(2));
    for reference in references.iter().chain(&references) {
        assert_eq!(add(&mut client, reference), Ok(5));
        assert!(client.os().open() <= 2);
    }
}

#[test]
fn a_server_sends_close_connection() {
    let network = Network::default();
    let (server, _) = server(&network, 99, Limits::DEFAULT);
    let mut server = server.borrow_mut();
    let mut machine = network.machine(99, 1);
    let stream = machine.connect(server.address()).unwrap();
    server.perform_work(Some(Duration::ZERO)).unwrap();
    server.close();
    assert_eq!(read_all(&mut machine, stream), message(5), "a CloseConnection");
    assert_eq!(server.os().open(), 0);
    assert!(network.machine(1, 1).connect(server.address()).is_err());
    // Nothing is left to wait for.
    server.perform_work(None).unwrap();
    server.close();
}

#[test]
fn close_connection_has_the_version_of_the_last_request() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let mut server = server.borrow_mut();
    let mut machine = network.machine(usize::MAX, 1);
    let stream = machine.connect(server.address()).unwrap();
    server.perform_work(ZERO).unwrap();
    let (version, order) = (GiopVersion::V1_0, ByteOrder::Big);
    machine.write(stream, &request(version, order, TargetAddress::Key(b"meter"))).unwrap();
    server.perform_work(ZERO).unwrap();
    server.close();
    let answer = read_all(&mut machine, stream);
    let mut close = message(5);
    close[5] = 0;
    assert_eq!(answer[7], 1, "a Reply");
    assert!(answer.ends_with(&close), "{answer:?}");
}

#[test]
fn a_client_whose_request_has_arrived_is_not_idle() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT.max_connections(1));
    let mut server = server.borrow_mut();
    let mut machine = network.machine(usize::MAX, 2);
    let first = machine.connect(server.address()).unwrap();
    server.perform_work(ZERO).unwrap();
    let (version, order) = (GiopVersion::V1_2, ByteOrder::Big);
    machine.write(first, &request(version, order, TargetAddress::Key(b"meter"))).unwrap();
    machine.connect(server.address()).unwrap();
    server.perform_work(ZERO).unwrap();
    let answer = read_all(&mut machine, first);
    assert_eq!(answer[7], 1, "a Reply");
    assert!(answer.ends_with(&message(5)), "then it makes place: {answer:?}");
}

#[test]
fn no_client_makes_place_for_one_that_cannot_be_accepted() {
    let network = Network::default();
    // One socket less than the server needs.
    let (os, address) = (network.machine(99, 2), "192.0.2.1:0".parse().unwrap());
    let mut server = Server::new(os, address, Limits::DEFAULT.max_connections(1)).unwrap();
    let mut machine = network.machine(99, 2);
    let first = machine.connect(server.address()).unwrap();
    server.perform_work(ZERO).unwrap();
    let second = machine.connect(server.address()).unwrap();
    let pause = Duration::from_millis(100);
    for round in 0..3 {
        // The listener is ready, but the system has no socket. Then the server waits.
        server.perform_work(Some(Duration::from_secs(60))).unwrap();
        assert_eq!(network.now(), pause * round);
        server.perform_work(Some(Duration::from_secs(60))).unwrap();
        assert_eq!(network.now(), pause * (round + 1));
    }
    assert_eq!(machine.read(first, &mut [0; 1]), Err(OsError::WouldBlock), "it is still open");
    machine.close(first);
    server.perform_work(ZERO).unwrap();
    server.perform_work(ZERO).unwrap();
    assert_eq!(server.os().open(), 2);
    server.close();
    assert_eq!(read_all(&mut machine, second), message(5), "it was accepted");
}

#[test]
fn one_way_calls_take_no_connection_that_the_server_has_closed() {
    let network = Network::default();
    let mut server = network.machine(usize::MAX, 4);
    let listener = server.listen(at("192.0.2.1:0")).unwrap();
    let target = Reference::new(server.bound(listener).unwrap(), b"key").unwrap();
    let mut client = Client::new(network.machine(usize::MAX, 4), Limits::DEFAULT);
    let mut space = [0; 256];
    // It says so, and the end of the stream follows later, or never.
    for _ in 0..2 {
        client.send(&target, "store", &mut |_| Ok(())).unwrap();
        let stream = server.accept(listener).expect("another connection");
        assert!(server.read(stream, &mut space).is_ok_and(|count| count > 12));
        server.write(stream, &message(5)).unwrap();
    }
    assert_eq!(client.os().open(), 1);
}

#[test]
fn a_connection_in_use_is_checked_now_and_then() {
    let network = Network::default();
    let mut server = network.machine(usize::MAX, 4);
    let listener = server.listen(at("192.0.2.1:0")).unwrap();
    let target = Reference::new(server.bound(listener).unwrap(), b"key").unwrap();
    let mut client = Client::new(network.machine(usize::MAX, 4), Limits::DEFAULT);
    let mut send = || client.send(&target, "store", &mut |_| Ok(())).unwrap();
    send();
    let stream = server.accept(listener).unwrap();
    // This one checks.
    send();
    server.write(stream, &message(5)).unwrap();
    network.advance(Duration::from_millis(19));
    send();
    assert_eq!(server.accept(listener), Err(OsError::WouldBlock), "the connection is not checked");
    network.advance(Duration::from_millis(1));
    send();
    assert!(server.accept(listener).is_ok(), "another connection");
}

#[test]
fn a_client_that_stops_in_a_message_is_left_after_the_timeout() {
    let network = Network::default();
    let (server, _) = server(&network, 99, Limits::DEFAULT.timeout(Duration::from_secs(3)));
    let mut server = server.borrow_mut();
    let mut machine = network.machine(99, 2);
    let [slow, idle] = [(), ()].map(|()| machine.connect(server.address()).unwrap());
    for _ in 0..2 {
        server.perform_work(Some(Duration::ZERO)).unwrap();
    }
    machine.write(slow, b"GIO").unwrap();
    server.perform_work(Some(Duration::ZERO)).unwrap();
    // It waits until the client takes too long, although it may wait for longer.
    server.perform_work(Some(Duration::from_secs(60))).unwrap();
    assert_eq!(network.now(), Duration::from_secs(3));
    assert_eq!(read_all(&mut machine, slow), []);
    assert_eq!(machine.read(idle, &mut [0; 1]), Err(OsError::WouldBlock), "this one may stay");
}

#[test]
fn a_client_that_sends_an_octet_now_and_then_is_left_after_the_timeout() {
    let network = Network::default();
    let (server, _) = server(&network, 99, Limits::DEFAULT.timeout(Duration::from_secs(3)));
    let mut server = server.borrow_mut();
    let mut machine = network.machine(99, 1);
    let slow = machine.connect(server.address()).unwrap();
    server.perform_work(Some(Duration::ZERO)).unwrap();
    let message = [b'G', b'I', b'O', b'P', 1, 2, 0, 0];
    let sent = message.iter().take_while(|octet| {
        let written = machine.write(slow, &[**octet]);
        // Receives the octet, then waits for the next one.
        server.perform_work(Some(Duration::ZERO)).unwrap();
        server.perform_work(Some(Duration::from_secs(1))).unwrap();
        written.is_ok()
    });
    assert_eq!(sent.count(), 3);
}

#[test]
fn a_client_that_does_not_read_makes_nobody_wait() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let meter = server.borrow_mut().reference(b"meter").unwrap();
    let mut other = client(&network, usize::MAX, &server);
    let mut deaf = network.machine(usize::MAX, 1);
    let stream = deaf.connect(meter.address()).unwrap();
    let mut request = Vec::new();
    let start = zorb_giop::RequestStart {
        request_id: 1,
        response: zorb_giop::ResponseFlags::SyncWithTarget,
        target: zorb_giop::TargetAddress::Key(b"meter"),
        operation: "fill",
        service_contexts: &[],
    };
    let (version, order) = (zorb_giop::GiopVersion::V1_2, zorb_cdr::ByteOrder::Big);
    let mut message =
        zorb_giop::MessageWriter::request(&mut request, version, order, &start).unwrap();
    message.body(zorb_cdr::TextCoding::default()).write_u32(500);
    message.finish().unwrap();
    let mut sent = 0;
    // The server stops reading as soon as a reply does not fit into the stream.
    while deaf.write(stream, &request).is_ok() {
        sent += 1;
        assert!(sent < 100, "the server reads on");
        server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
        server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
        assert_eq!(add(&mut other, &meter), Ok(5));
    }
    assert!(sent > 1);
    server.borrow_mut().perform_work(Some(Duration::from_secs(60))).unwrap();
    server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
    assert_eq!(network.now(), Duration::from_secs(10), "the default timeout");
    let broken_pipe = Err(OsError::Other(32));
    assert_eq!(deaf.write(stream, b"x"), broken_pipe, "the server has closed the connection");
}
