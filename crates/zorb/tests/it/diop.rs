//! One-way calls in datagrams, from one ORB to another.
#![cfg(feature = "udp")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::net::UdpSocket;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::support::{Notice, NoticeServant};
use zorb::giop::{IiopProfile, ProfileTag};
use zorb::{CompletionStatus, Orb, OrbBuilder, SystemExceptionKind};

const LIMIT: Duration = Duration::from_secs(60);

fn builder() -> OrbBuilder {
    Orb::builder().without_environment()
}

/// Sends its arguments to the test.
struct Board(Sender<(u32, usize)>);

impl NoticeServant for Board {
    fn post(&self, number: u32, data: &[u8]) {
        self.0.send((number, data.len())).unwrap();
    }

    fn count(&self) -> zorb::Result<i32> {
        Ok(7)
    }
}

fn server(urls: &[&str]) -> (Orb, Notice, Receiver<(u32, usize)>) {
    let builder = urls.iter().fold(builder(), |builder, url| builder.listen(*url));
    let orb = builder.build().unwrap();
    let (sender, posted) = channel();
    let notice = orb.root_poa().activate(Board(sender)).unwrap();
    (orb, notice, posted)
}

fn there(client: &Orb, notice: &Notice) -> Notice {
    client.resolve(&notice.object().to_ior_string()).unwrap()
}

/// Sends until a datagram arrives, because any may be lost.
fn post(there: &Notice, number: u32, size: usize, posted: &Receiver<(u32, usize)>) {
    let data = vec![1; size];
    for _ in 0..100 {
        there.post(number, &data).unwrap();
        // One that was posted before, and again, may come only now.
        while let Ok(found) = posted.recv_timeout(LIMIT / 100) {
            if found == (number, size) {
                return;
            }
        }
    }
    panic!("none of 100 datagrams arrived");
}

/// The server's count of such datagrams.
fn counted(orb: &Orb, what: &str) -> u64 {
    let counters = orb.protocols().by_scheme("diop").unwrap().counters();
    counters.iter().find(|(name, _)| *name == what).unwrap().1
}

#[test]
fn one_way_calls_arrive() {
    let (orb, notice, posted) = server(&["diop://127.0.0.1:0"]);
    assert_eq!(notice.object().ior().profiles[0].tag, ProfileTag::TAO_DIOP);
    let clients: Vec<Orb> = (0..3).map(|_| builder().build().unwrap()).collect();
    for (number, client) in (0..).zip(&clients) {
        let there = there(client, &notice);
        for size in [0, 1, 3000, 5000, 60_000] {
            post(&there, number, size, &posted);
        }
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn two_way_calls_use_another_protocol_or_fail() {
    let (orb, notice, posted) = server(&["diop://127.0.0.1:0"]);
    let client = builder().build().unwrap();
    let alone = there(&client, &notice);
    for exception in [alone.count().unwrap_err(), alone.object().locate().unwrap_err()] {
        assert_eq!(exception.kind, SystemExceptionKind::NoImplement);
        assert_eq!(exception.completed, CompletionStatus::No);
    }
    post(&alone, 1, 1, &posted);
    orb.shutdown(true).unwrap();

    let (orb, notice, posted) = server(&["diop://127.0.0.1:0", "iiop://127.0.0.1:0"]);
    let there = there(&client, &notice);
    for number in 0..3 {
        assert_eq!(there.count().unwrap(), 7);
        let before = counted(&orb, "requests");
        post(&there, number, 10, &posted);
        assert!(counted(&orb, "requests") > before, "the first way stays the first");
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn too_large_requests_fail() {
    let (orb, notice, posted) = server(&["diop://127.0.0.1:0"]);
    let client = builder().build().unwrap();
    let there = there(&client, &notice);
    let exception = there.post(1, &vec![0; 70_000]).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ImpLimit);
    assert_eq!(exception.completed, CompletionStatus::No);
    post(&there, 2, 2, &posted);
    orb.shutdown(true).unwrap();
}

#[test]
fn garbage_is_dropped() {
    let (orb, notice, posted) = server(&["diop://127.0.0.1:0"]);
    let client = builder().build().unwrap();
    let there = there(&client, &notice);
    let address = orb.endpoints()[0].trim_start_matches("diop://").to_owned();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for garbage in [
        &b""[..],
        b"GIOP",
        b"GIOP\x01\x02\x01\x05\0\0\0\0",
        b"GIOP\x01\x02\x01\0\xff\xff\xff\xff",
        b"GIOP\x01\x02\x03\0\0\0\0\0",
        &[0xff; 2000],
    ] {
        socket.send_to(garbage, &address).unwrap();
    }
    post(&there, 1, 1, &posted);
    // Datagrams may be lost, but dropped ones were counted with the right reason.
    assert!(counted(&orb, "requests") >= 1);
    for (dropped, most) in [("no message", 3), ("wrong length", 2), ("malformed", 0)] {
        assert!(counted(&orb, dropped) <= most, "{dropped}");
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn a_request_beyond_the_limit_is_dropped_and_others_go_on() {
    let server = builder().option("MaxMessageSize", "4096").listen("diop://127.0.0.1:0");
    let orb = server.build().unwrap();
    let (sender, posted) = channel();
    let notice = orb.root_poa().activate(Board(sender)).unwrap();
    let client = builder().build().unwrap();
    let there = there(&client, &notice);
    for _ in 0..3 {
        there.post(1, &[0; 5000]).unwrap();
        post(&there, 2, 2, &posted);
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn nobody_there_is_no_error() {
    let (orb, notice, _posted) = server(&["diop://127.0.0.1:0"]);
    let client = builder().build().unwrap();
    let there = there(&client, &notice);
    orb.shutdown(true).unwrap();
    for number in 0..10 {
        there.post(number, &[]).unwrap();
    }
}

/// The forward that answers a two-way call to such a key has no way back.
#[test]
fn a_published_key_leads_to_its_object() {
    let (orb, notice, posted) = server(&["diop://127.0.0.1:0"]);
    orb.publish("board", &notice).unwrap();
    let client = builder().build().unwrap();
    let address = orb.endpoints()[0].trim_start_matches("diop://").to_owned();
    let by_key = |key: &str| -> Notice {
        let url = format!("corbaloc:diop:1.2@{address}/{key}");
        client.string_to_object(&url).unwrap().unwrap().unchecked_narrow()
    };
    post(&by_key("board"), 1, 10, &posted);
    // And a key that an adapter made, which outlives references.
    let profile = IiopProfile::decode(&notice.object().ior().profiles[0].data).unwrap();
    let escaped: String = profile.object_key.iter().map(|octet| format!("%{octet:02x}")).collect();
    post(&by_key(&escaped), 2, 10, &posted);
    by_key("nobody").post(3, &[]).unwrap();
    post(&by_key("board"), 4, 10, &posted);
    orb.shutdown(true).unwrap();
}
