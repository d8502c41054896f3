//! How connections of a bridge end, and hostile peers.
#![allow(clippy::panic)]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::support::*;
use zorb_bridge::{Bridge, BridgeError, Settings};
use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, Ior, LocateStatus, MessageFormat, MessageKind, MessageWriter, ReplyStatus,
    TargetAddress,
};
use zorb_testkit::until;
use zorb_transport::ProtocolRegistry;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

const LITTLE: ByteOrder = ByteOrder::Little;
const NEWEST: GiopVersion = GiopVersion::V1_2;

fn close_connection() -> Vec<u8> {
    let mut octets = Vec::new();
    MessageWriter::close_connection(&mut octets, NEWEST, LITTLE);
    octets
}

#[test]
fn an_unreachable_server_is_transient() {
    let mut bridge = TestBridge::without_server(Settings::default());
    let client = bridge.client();
    client.send(&request(NEWEST, LITTLE, 1, KEY, b"x"));
    let exception = exception_in(&client.message(), 1);
    assert_eq!(exception.kind, SystemExceptionKind::Transient);
    assert_eq!(exception.completed, CompletionStatus::No);
    // The object is not reported as unknown.
    client.send(&locate_request(LITTLE, 3, &TargetAddress::Key(KEY)));
    let answer = client.message();
    let form = MessageFormat::Giop(NEWEST);
    let (located, mut body) = form.read_locate_reply(&answer, &header_of(&answer)).unwrap();
    assert_eq!((located.request_id, located.status), (3, LocateStatus::LocSystemException));
    assert_eq!(SystemException::read(&mut body).unwrap(), exception);
    // Without a status for the failure, the object is reported as here: a request will fail.
    for version in [GiopVersion::V1_0, GiopVersion::V1_1] {
        let (form, mut octets) = (MessageFormat::Giop(version), Vec::new());
        let asked = form.locate_request(&mut octets, LITTLE, 4, &TargetAddress::Key(KEY));
        asked.and_then(MessageWriter::finish).unwrap();
        client.send(&octets);
        let answer = client.message();
        let (located, _) = form.read_locate_reply(&answer, &header_of(&answer)).unwrap();
        assert_eq!((located.request_id, located.status), (4, LocateStatus::ObjectHere));
    }
    // Once the server runs, the same client connection works.
    bridge.serve();
    let again = request(NEWEST, LITTLE, 2, KEY, b"x");
    client.send(&again);
    assert_eq!(bridge.server().message(), again);
}

#[test]
fn an_orderly_close_is_forwarded() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    server.send(&close_connection());
    assert_eq!(client.message(), close_connection());
    client.end();
    server.end();

    let (client, server) = bridge.met();
    client.send(&close_connection());
    assert_eq!(server.message(), close_connection());
    server.end();
    drop(server);
    client.end();
}

#[test]
fn closing_either_side_closes_the_other() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    drop(server);
    client.end();
    let (client, server) = bridge.met();
    drop(client);
    server.end();
}

#[test]
fn replies_are_forwarded_after_the_client_shuts_down_sending() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    client.0.shutdown(std::net::Shutdown::Write).unwrap();
    server.end();
    let answer = reply(NEWEST, LITTLE, (1, ReplyStatus::NoException), |body| body.put(b"late"));
    server.send(&answer);
    assert_eq!(client.message(), answer);
    drop(server);
    client.end();
}

#[test]
fn garbage_is_answered_and_ends_the_connection() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    client.send(b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(header_of(&client.message()).kind, MessageKind::MessageError);
    client.end();
    server.end();

    let (client, server) = bridge.met();
    server.send(b"HTTP/1.1 200 OK\r\n");
    assert_eq!(header_of(&server.message()).kind, MessageKind::MessageError);
    server.end();
    client.end();

    // A header with invalid lengths.
    let (client, server) = bridge.met();
    let mut lying = request(NEWEST, LITTLE, 7, KEY, b"x");
    lying[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
    client.send(&lying);
    assert_eq!(header_of(&client.message()).kind, MessageKind::MessageError);
    client.end();
    server.end();
}

#[test]
fn messages_above_the_limit_end_the_connection() {
    let bridge = TestBridge::new(Settings { max_message_size: 1000, ..Settings::default() });
    let (client, server) = bridge.met();
    client.send(&request(NEWEST, LITTLE, 2, KEY, &[7; 2000])[..12]);
    client.end();
    server.end();
    let (client, server) = bridge.met();
    let long = reply(NEWEST, LITTLE, (1, ReplyStatus::NoException), |body| body.put(&[7; 2000]));
    server.send(&long[..12]);
    client.end();
    server.end();
}

#[test]
fn an_endless_header_is_rejected() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    // In GIOP 1.0 the object key follows all service contexts.
    let mut endless = request(GiopVersion::V1_0, LITTLE, 2, KEY, &vec![7; 1 << 20]);
    endless[20..24].copy_from_slice(&(1_u32 << 20).to_le_bytes());
    std::thread::scope(|scope| {
        // The bridge may close the connection before everything is sent.
        scope.spawn(|| client.0.send_all(&endless));
        client.end();
    });
    assert_eq!(bridge.bridge.statistics().requests, 0);
}

#[test]
fn back_pressure_of_the_server_reaches_the_client() {
    let bridge = TestBridge::new(Settings::default());
    let (client, _server) = bridge.met();
    client.0.set_send_timeout(Some(Duration::from_millis(50))).unwrap();
    let huge = request(NEWEST, LITTLE, 2, KEY, &vec![7; 4 << 20]);
    let error = client.0.send_all(&huge).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[test]
fn an_idle_client_is_closed() {
    let idle_timeout = Some(Duration::from_millis(1));
    let bridge = TestBridge::new(Settings { idle_timeout, ..Settings::default() });
    let client = bridge.client();
    assert_eq!(header_of(&client.message()).kind, MessageKind::CloseConnection);
    client.end();
}

#[test]
fn clients_above_the_limit_are_rejected() {
    let bridge = TestBridge::new(Settings { max_connections: 2, ..Settings::default() });
    let kept = [bridge.met(), bridge.met()];
    let beyond = bridge.client();
    assert_eq!(header_of(&beyond.message()).kind, MessageKind::CloseConnection);
    beyond.end();
    // The bridge counts the connection until it has closed it, which the client sees first.
    until(|| bridge.bridge.connections() == 2);
    drop(kept);
}

#[test]
fn requests_that_cannot_be_forwarded_yet_share_a_budget() {
    let bridge = TestBridge::new(Settings {
        max_buffered_octets: 100_000,
        max_buffered_octets_per_peer: 100_000,
        ..Settings::default()
    });
    // The start of a request whose object key does not end in its first fragment.
    let mut part = request(NEWEST, LITTLE, 1, &[7; 50_000], b"");
    part.truncate(40_000);
    part[6] |= 2;
    part[8..12].copy_from_slice(&(40_000_u32 - 12).to_le_bytes());
    let unknown = request(NEWEST, LITTLE, 2, b"unknown", b"");
    for _ in 0..3 {
        let first = bridge.client();
        first.send(&part);
        first.send(&unknown);
        exception_in(&first.message(), 2);
        // There is no memory for another one, but for small requests.
        let second = bridge.client();
        second.send(&part);
        assert_eq!(header_of(&second.message()).kind, MessageKind::CloseConnection);
        second.end();
        let third = bridge.client();
        third.send(&unknown);
        exception_in(&third.message(), 2);
        drop((first, second, third));
        until(|| bridge.bridge.connections() == 0);
    }
}

#[test]
fn closing_the_bridge_closes_all_connections() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    bridge.bridge.close();
    client.end();
    server.end();
    until(|| bridge.bridge.connections() == 0);
    assert_eq!(bridge.bridge.statistics().requests, 1);
    bridge.bridge.close();
}

#[test]
fn failures_to_open_a_bridge_have_errors() {
    let bridge = TestBridge::new(Settings::default());
    let open = |target: &Ior, urls: &[&str]| {
        Bridge::open(&bridge.registry, target, urls, Settings::default()).unwrap_err()
    };
    let target = bridge.bridge.reference().unwrap();
    assert!(matches!(open(&Ior::NIL, &["inproc://x"]), BridgeError::Nil));
    assert!(matches!(open(&target, &[]), BridgeError::NoListener));
    assert!(matches!(open(&target, &["nowhere://x"]), BridgeError::NoProtocol(_)));
    assert!(matches!(open(&target, &["inproc://bridge"]), BridgeError::Listen(_)));
    let profiles = vec![profile(&*bridge.protocol(), "loop", KEY)];
    let own = Ior { profiles, ..Ior::default() };
    assert!(matches!(open(&own, &["inproc://loop"]), BridgeError::Loop(_)));
    let none = Arc::new(ProtocolRegistry::new());
    let error = Bridge::open(&none, &target, &["inproc://y"], Settings::default()).unwrap_err();
    assert!(matches!(error, BridgeError::NoUsableProfile(None)), "{error}");
}

#[test]
fn references_to_a_bridge_obey_the_rules_for_addresses() {
    let target = TestBridge::new(Settings::default());
    let registry = &target.registry;
    registry.register(Arc::new(zorb_tcp::IiopProtocol::new())).unwrap();
    let object = target.bridge.reference().unwrap();
    let open = |rules: &str| {
        let publish_rules = rules.parse().unwrap();
        let settings = Settings { publish_rules, ..Settings::default() };
        let urls = ["iiop://:0/publish=192.0.2.1:1&publish=[2001:db8::1]:2"];
        Bridge::open(registry, &object, &urls, settings)
    };
    let bridge = open("-ipv4").unwrap();
    assert_eq!(bridge.endpoints(), ["iiop://[2001:db8::1]:2".parse().unwrap()]);
    assert!(bridge.corbaloc().starts_with("corbaloc:iiop:1.2@[2001:db8::1]:2/"));
    let error = open("private").unwrap_err();
    assert!(matches!(error, BridgeError::Listen(_)), "{error}");
}
