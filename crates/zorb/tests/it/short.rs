//! Short messages between ORBs: their size, and recovery if the state of the two ends of a connection differs.
#![cfg(feature = "short")]
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::support::{Adder, AdderServant, Servant};
use zorb::cdr::ByteOrder;
use zorb::giop::{IiopProfile, Ior, ProfileTag, TaggedProfile};
use zorb::protocols::{IiopProtocol, short_uiop};
use zorb::{Orb, OrbBuilder};

fn builder() -> OrbBuilder {
    Orb::builder().without_environment()
}

/// Adds a constant to each sum, which identifies the object.
struct Biased(i32);

impl AdderServant for Biased {
    fn add(&self, left: i32, right: i32) -> zorb::Result<i32> {
        Ok(left + right + self.0)
    }

    fn mirror(&self, data: &[u8]) -> zorb::Result<Vec<u8>> {
        Ok(data.to_vec())
    }
}

/// A relay between client and server that counts octets and modifies requests for a test.
#[derive(Default)]
struct Counts {
    connections: AtomicU64,
    from_client: AtomicU64,
    from_server: AtomicU64,
    /// The next request's index gets this value, unless it is 0.
    other_index: AtomicU64,
    /// Ends the connection before the request after so many octets, unless it is 0.
    cut_after: AtomicU64,
}

/// Listens, and passes on to `port`, as long as the process lives.
fn stand_between(port: u16) -> (u16, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let counts = Arc::new(Counts::default());
    let shared = Arc::clone(&counts);
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", port)));
            let server = server.unwrap();
            shared.connections.fetch_add(1, Ordering::SeqCst);
            let (to_server, to_client) = (server.try_clone(), client.try_clone());
            let forth = Arc::clone(&shared);
            thread::spawn(move || requests(client, to_server.unwrap(), &forth));
            let back = Arc::clone(&shared);
            thread::spawn(move || copy(server, to_client.unwrap(), &back.from_server));
        }
    });
    (own, counts)
}

fn requests(mut from: TcpStream, mut to: TcpStream, counts: &Counts) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // A client that waits for its replies sends one request at a time.
        let request = &mut buffer[..count];
        let cut = counts.cut_after.load(Ordering::SeqCst);
        if cut != 0 && counts.from_client.load(Ordering::SeqCst) >= cut {
            counts.cut_after.store(0, Ordering::SeqCst);
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
        let by_index = request.get(8).is_some_and(|how| how & 0b1100 == 0b1000);
        if by_index && let Some(index) = request.get_mut(9) {
            match counts.other_index.swap(0, Ordering::SeqCst) {
                0 => {}
                other => *index = other as u8,
            }
        }
        counts.from_client.fetch_add(count as u64, Ordering::SeqCst);
        if to.write_all(request).is_err() {
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

fn copy(mut from: TcpStream, mut to: TcpStream, counted: &AtomicU64) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        counted.fetch_add(count as u64, Ordering::SeqCst);
        if to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// The reference with the port of its first profile replaced, and no other profile.
fn through(adder: &Adder, between: Option<u16>) -> (Ior, Arc<Counts>) {
    let ior = adder.object().ior();
    let profile = &ior.profiles[0];
    let mut address = IiopProfile::decode(&profile.data).unwrap();
    let (port, counts) = match between {
        Some(port) => (port, Arc::default()),
        None => stand_between(address.port),
    };
    address.port = port;
    let data = address.encode(ByteOrder::NATIVE).unwrap().data;
    let profile = TaggedProfile { tag: profile.tag, data };
    (Ior { type_id: ior.type_id.clone(), profiles: vec![profile] }, counts)
}

fn there(client: &Orb, ior: &Ior) -> Adder {
    client.resolve(&ior.to_stringified().unwrap()).unwrap()
}

/// Octets of a call to add two numbers, both ways, once the first calls are over.
fn octets_a_call(url: &str) -> (u64, u64) {
    let orb = builder().listen(url).build().unwrap();
    let adder: Adder = orb.root_poa().activate(Servant).unwrap();
    let (ior, counts) = through(&adder, None);
    let client = builder().build().unwrap();
    let there = there(&client, &ior);
    let so_far = || {
        let of = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        (of(&counts.from_client), of(&counts.from_server))
    };
    for n in 0..3 {
        assert_eq!(there.add(n, 1).unwrap(), n + 1);
    }
    let before = so_far();
    for n in 0..10 {
        assert_eq!(there.add(n, 1).unwrap(), n + 1);
    }
    let after = so_far();
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    ((after.0 - before.0) / 10, (after.1 - before.1) / 10)
}

#[test]
fn a_call_takes_few_octets() {
    // Header, id and index take 10, and the two numbers begin at 12.
    assert_eq!(octets_a_call("short+iiop://127.0.0.1:0"), (20, 16));
    let (request, reply) = octets_a_call("iiop://127.0.0.1:0");
    assert!(request > 3 * 20 && reply > 16, "{request} {reply}");
}

#[test]
fn an_index_that_means_nothing_is_answered_and_the_call_is_made_all_the_same() {
    let orb = builder().listen("short+iiop://127.0.0.1:0").build().unwrap();
    let adder: Adder = orb.root_poa().activate(Servant).unwrap();
    let (ior, counts) = through(&adder, None);
    let client = builder().build().unwrap();
    let there = there(&client, &ior);
    for n in 0..4 {
        assert_eq!(there.add(n, 1).unwrap(), n + 1);
    }
    counts.other_index.store(99, Ordering::SeqCst);
    for n in 0..4 {
        assert_eq!(there.add(n, 2).unwrap(), n + 2);
    }
    assert_eq!(counts.other_index.load(Ordering::SeqCst), 0, "it was changed");
    assert_eq!(counts.connections.load(Ordering::SeqCst), 1, "and the connection was kept");
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn a_new_connection_begins_anew_and_leads_to_the_same_objects() {
    let orb = builder().listen("short+iiop://127.0.0.1:0").build().unwrap();
    let poa = orb.root_poa();
    let first: Adder = poa.activate(Biased(100)).unwrap();
    let second: Adder = poa.activate(Biased(200)).unwrap();
    let (ior, counts) = through(&first, None);
    let port = IiopProfile::decode(&ior.profiles[0].data).unwrap().port;
    let client = builder().build().unwrap();
    let first = there(&client, &ior);
    let second = there(&client, &through(&second, Some(port)).0);
    for round in 0..6 {
        for n in 0..3 {
            // A call that was on its way when its connection ended may fail; none is answered wrongly.
            for (object, bias) in [(&first, 100), (&second, 200)] {
                let sum = object.add(n, round).or_else(|_| object.add(n, round)).unwrap();
                assert_eq!(sum, n + round + bias);
            }
        }
        let so_far = counts.from_client.load(Ordering::SeqCst);
        counts.cut_after.store(so_far, Ordering::SeqCst);
    }
    assert!(counts.connections.load(Ordering::SeqCst) > 3);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn clients_without_short_messages_use_another_profile() {
    let orb = builder().listen("short+iiop://127.0.0.1:0").listen("iiop://127.0.0.1:0");
    let orb = orb.build().unwrap();
    let adder: Adder = orb.root_poa().activate(Servant).unwrap();
    let ior = adder.object().ior();
    let tags: Vec<_> = ior.profiles.iter().map(|profile| profile.tag).collect();
    assert_eq!(tags, [ProfileTag::ZORB_SHORT_IIOP, ProfileTag::INTERNET_IOP]);
    // One that knows GIOP alone, and one that knows short messages over something else.
    let plain = OrbBuilder::new().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let other = OrbBuilder::new().without_environment().protocol(Arc::new(IiopProtocol::new()));
    for builder in [plain, other.protocol(Arc::new(short_uiop())), builder()] {
        let client = builder.build().unwrap();
        assert_eq!(there(&client, ior).add(20, 3).unwrap(), 23);
        client.shutdown(true).unwrap();
    }
    orb.shutdown(true).unwrap();
}
