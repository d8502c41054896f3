//! One-way calls over datagram protocols, which may lose any message.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use zorb::policy::{ConnectionTimeout, Policies, RelativeRoundtripTimeout, SyncScope};
use zorb::{CompletionStatus, Interface, ObjectRef, Orb, OrbBuilder, SystemExceptionKind};

use crate::calls::pattern;
use crate::idl::suite::{Notes, NotesServant, Record};
use crate::lanes::check_lanes;
use crate::limit::run_within_the_limit;

/// The number of sends after which a message counts as never arriving.
const ATTEMPTS: u32 = 1000;
/// The time after which a message is sent again, since it may have been lost.
const RESEND_AFTER: Duration = Duration::from_millis(300);

/// The subject of the suite for one-way calls: a datagram protocol.
#[derive(Clone, Copy, Debug)]
pub struct OneWay {
    /// Where servers listen; for groups, the endpoint of the additional protocol.
    url: &'static str,
    is_group: bool,
    plug_in: fn(OrbBuilder) -> OrbBuilder,
}

impl OneWay {
    /// A protocol of the facade, by a URL at which any number of servers can listen at the same
    /// time.
    #[must_use]
    pub fn at(url: &'static str) -> Self {
        Self { url, is_group: false, plug_in: |builder| builder }
    }

    /// A protocol that the facade does not register and `plug_in` does.
    #[must_use]
    pub fn built(url: &'static str, plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url, is_group: false, plug_in }
    }

    /// MIOP, registered by `plug_in` next to IIOP, so that packets stay on this machine.
    #[must_use]
    pub fn groups(plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url: "iiop://127.0.0.1:0", is_group: true, plug_in }
    }

    fn builder(&self) -> OrbBuilder {
        (self.plug_in)(Orb::builder().without_environment())
    }

    fn client(&self) -> Orb {
        self.builder().build().expect("a client")
    }

    fn server(&self) -> Server {
        self.server_at(self.endpoint().as_deref())
    }

    /// The group of a new server; `None` for a server that chooses its own endpoint.
    fn endpoint(&self) -> Option<String> {
        self.is_group.then(group_url)
    }

    /// A server at the endpoint or in the group of an earlier one.
    fn server_at(&self, address: Option<&str>) -> Server {
        self.server_of(self.builder(), address)
    }

    fn server_of(&self, builder: OrbBuilder, address: Option<&str>) -> Server {
        let url = if self.is_group { self.url } else { address.unwrap_or(self.url) };
        let orb = builder.listen(url).build().expect("a server");
        let (sender, received) = channel();
        let servant = RecordingServant { received: sender, gate: Mutex::new(()) };
        let notes: Notes = orb.root_poa().activate(servant).expect("active");
        let (address, reference) = match address.filter(|_| self.is_group) {
            Some(group) => {
                let whole = group_of(&orb, group);
                let id = orb.root_poa().id_of(&notes).expect("its id");
                orb.root_poa().associate(&whole, &id).expect("a member");
                (group.to_owned(), group.to_owned())
            }
            None => {
                orb.publish("notes", &notes).expect("published");
                let address = orb.endpoints().first().expect("an endpoint").clone();
                let (scheme, host) = address.split_once("://").expect("a URL");
                let reference = format!("corbaloc:{scheme}:1.2@{host}/notes");
                (address, reference)
            }
        };
        Server { orb, notes, received, address, reference, is_group: self.is_group }
    }
}

/// A group with a name and a port that no other test uses.
fn group_url() -> String {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let free = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = free.expect("a free port").port();
    format!("corbaloc:miop:1.0@1.0-conformance-{number}/239.255.81.{number}:{port}")
}

fn group_of(orb: &Orb, url: &str) -> ObjectRef {
    orb.string_to_object(url).expect("a reference").expect("a group")
}

/// A message that the servant has received.
#[derive(Debug, PartialEq)]
enum Received {
    Note(u32, Vec<u8>),
    Record(Record),
}

/// Reports what it receives, one message at a time.
struct RecordingServant {
    received: Sender<Received>,
    gate: Mutex<()>,
}

impl RecordingServant {
    fn tell(&self, received: Received) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        // The test may be over.
        let _ = self.received.send(received);
    }
}

impl NotesServant for RecordingServant {
    fn note(&self, number: u32, data: &[u8]) {
        self.tell(Received::Note(number, data.to_vec()));
    }

    fn tell(&self, what: &Record) {
        Self::tell(self, Received::Record(what.clone()));
    }

    fn wait(&self) -> zorb::Result<()> {
        Ok(())
    }
}

struct Server {
    orb: Orb,
    notes: Notes,
    received: Receiver<Received>,
    /// The endpoint or group, at which another server can replace this one.
    address: String,
    /// The reference by which clients find the current server.
    reference: String,
    is_group: bool,
}

impl Server {
    /// A client's reference to this server's object.
    fn seen_by(&self, client: &Orb) -> Notes {
        if self.is_group {
            return self.resolve_in(client);
        }
        client.resolve(&self.notes.as_object().to_ior_string()).expect("an object")
    }

    /// A client's reference to the object of the current server.
    fn resolve_in(&self, client: &Orb) -> Notes {
        group_of(client, &self.reference).unchecked_narrow()
    }

    /// The address for datagrams.
    fn address(&self) -> &str {
        let end = if self.is_group { self.address.rsplit_once('/') } else { None };
        end.or_else(|| self.address.split_once("://")).expect("an address").1
    }

    /// Sends until the message arrives.
    fn expect_received(&self, expected: &Received, send: impl Fn() -> zorb::Result<()>) {
        for _ in 0..ATTEMPTS {
            send().expect("it is sent");
            loop {
                match self.received.recv_timeout(RESEND_AFTER) {
                    Ok(received) if received == *expected => return,
                    // An earlier message that arrives late.
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        }
        panic!("none of {ATTEMPTS} arrived");
    }

    fn hears_note(&self, there: &Notes, number: u32, size: usize) {
        let data = pattern(size);
        self.expect_received(&Received::Note(number, data.clone()), || there.note(number, &data));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// Messages of all sizes that fit into a datagram.
pub fn one_way_calls_arrive(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for (number, size) in (0..).zip([0, 1, 100, 1400, 1500, 5000, 60_000]) {
        server.hears_note(&there, number, size);
    }
}

/// Arguments of every alignment, and text.
pub fn arguments_are_preserved(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for (number, text) in (0..).zip(["", "plain", "naïve Ægir", "\u{7f}"]) {
        let record = Record {
            kind: number,
            value: f64::from(number) / 7.0,
            number: -i16::from(number),
            name: text.to_owned(),
            title: "日本 🦀".to_owned(),
        };
        server.expect_received(&Received::Record(record.clone()), || there.tell(&record));
    }
}

/// Calls that expect a reply are rejected without sending anything.
pub fn calls_with_replies_are_rejected(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let exception = there.wait().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
    // So is a one-way call that waits for the server.
    let surely = Policies::new().with(SyncScope::WithServer);
    let exception = there.with_policies(&surely).unwrap().note(1, &[]).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
    server.hears_note(&there, 1, 1);
}

/// Options and policies of connections and replies have no effect.
pub fn inapplicable_policies_are_ignored(on: &OneWay) {
    let with_options = |builder: OrbBuilder| {
        let options = [("IdleTimeout", "1"), ("MaxConnections", "1"), ("BusyWait", "20")];
        let sizes =
            [("SendBuffer", "200000"), ("ReceiveBuffer", "200000"), ("RoundTripTimeout", "60")];
        let all = options.into_iter().chain(sizes);
        all.fold(builder, |builder, (name, value)| builder.option(name, value))
    };
    let server = on.server_of(with_options(on.builder()), on.endpoint().as_deref());
    let client = with_options(on.builder()).build().unwrap();
    let policies = Policies::new()
        .with(RelativeRoundtripTimeout(Duration::from_secs(60)))
        .with(ConnectionTimeout(Duration::from_secs(60)));
    client.policy_manager().add(&policies).unwrap();
    let there = server.seen_by(&client).with_policies(&policies).unwrap();
    for (number, size) in (0..).zip([0, 5000, 60_000]) {
        server.hears_note(&there, number, size);
    }
}

/// Messages that are too large are rejected before anything is sent.
pub fn too_large_requests_are_rejected(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let exception = there.note(1, &pattern(3 << 20)).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ImpLimit, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
    server.hears_note(&there, 2, 1);
}

/// Malformed datagrams are dropped, regardless of their sender.
pub fn garbage_is_dropped(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    server.hears_note(&there, 1, 10);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let all: [&[u8]; 9] = [
        b"",
        b"GIOP",
        b"MIOP",
        b"GIOP\x01\x02\x01\x05\0\0\0\0",
        b"GIOP\x01\x02\x01\0\xff\xff\xff\xff",
        b"MIOP\x10\x02\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\xff",
        &[0; 64],
        &[0xff; 2000],
        &[7; 60_000],
    ];
    for garbage in all {
        // This socket may be unable to reach a group; the group then receives nothing.
        let _ = socket.send_to(garbage, server.address());
        server.hears_note(&there, 2, 10);
    }
}

/// Packets of messages that are never completed, requests that nobody serves and such that wait for replies, from many
/// senders: they keep no other sender out.
pub fn unknown_senders_keep_no_sender_out(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    server.hears_note(&there, 1, 10);
    let sockets = [(); 16].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    for number in 0..2000_u32 {
        let packet = first_packet(number);
        let unknown = request_to_nobody(number);
        for datagram in [&packet[..], &unknown] {
            // As with garbage.
            let _ = sockets[number as usize % 16].send_to(datagram, server.address());
        }
        if number % 200 == 0 {
            server.hears_note(&there, number + 2, 5000);
        }
    }
    server.hears_note(&there, 1, 60_000);
}

/// The first of two packets of a message, in MIOP.
fn first_packet(number: u32) -> Vec<u8> {
    let payload = pattern(1000 + number as usize % 7 * 8);
    let mut packet = b"MIOP\x10\x01".to_vec();
    packet.extend(u16::try_from(payload.len()).expect("short").to_le_bytes());
    // The first of two, with an id of eight octets.
    for word in [0, 2, 8, number, !number] {
        packet.extend(word.to_le_bytes());
    }
    packet.resize(packet.len().next_multiple_of(8), 0);
    packet.extend(payload);
    packet
}

/// A request of GIOP 1.0 to an object that no server has; every other one expects a reply.
fn request_to_nobody(number: u32) -> Vec<u8> {
    let mut body = [0_u32.to_le_bytes(), number.to_le_bytes()].concat();
    body.extend([(number % 2) as u8, 0, 0, 0]);
    body.extend(b"\x04\0\0\0none\x02\0\0\0x\0\0\0\0\0\0\0");
    let size = u32::try_from(body.len()).expect("short").to_le_bytes();
    [&b"GIOP\x01\x00\x01\x00"[..], &size, &body].concat()
}

/// A client does not wait for a busy server: messages beyond the receive buffer are lost.
pub fn a_flood_does_not_block_the_sender(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let data = pattern(20_000);
    for _ in 0..500 {
        there.note(1, &data).unwrap();
    }
    server.hears_note(&there, 2, 1);
    // The messages that did arrive are complete.
    for received in server.received.try_iter() {
        assert!(matches!(received, Received::Note(1 | 2, found) if data.starts_with(&found)));
    }
}

/// Requests of several threads are not mixed up.
pub fn many_threads_send_at_once(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    thread::scope(|scope| {
        for number in 0..4_u32 {
            let there = &there;
            scope.spawn(move || {
                let data = pattern(1000 * (number as usize + 1));
                for _ in 0..100 {
                    there.note(number, &data).unwrap();
                }
            });
        }
    });
    server.hears_note(&there, 77, 3);
    for received in server.received.try_iter() {
        let Received::Note(number, data) = received else { panic!("{received:?}") };
        assert!(number == 77 || data == pattern(1000 * (number as usize + 1)), "{number}");
    }
}

/// A client does not notice that a server has ended, and finds the next one at its endpoint.
pub fn a_restarted_server_is_found(on: &OneWay) {
    let (first, client) = (on.server(), on.client());
    let there = first.resolve_in(&client);
    first.hears_note(&there, 1, 10);
    let address = first.address.clone();
    drop(first);
    for _ in 0..10 {
        there.note(2, &[]).unwrap();
    }
    let second = on.server_at(Some(&address));
    second.hears_note(&there, 3, 10);
}

/// Runs one test of the suite. Called by [`one_way_suite!`](crate::one_way_suite).
///
/// # Panics
/// When the test fails or takes longer than `LIMIT`.
pub fn run_one_way(subject: OneWay, test: fn(&OneWay)) {
    run_within_the_limit(move || test(&subject));
}

/// Lanes listen at the interface where their ORB listens; groups have no lanes.
pub fn lanes_listen_where_their_orb_listens(subject: &OneWay) {
    if !subject.is_group {
        check_lanes(subject.builder(), subject.url);
    }
}

/// Makes a `#[test]` of every function of the suite for one-way calls.
#[macro_export]
macro_rules! one_way_suite {
    ($subject:expr) => {
        $crate::one_way_suite! { @tests $subject;
            one_way_calls_arrive
            arguments_are_preserved
            calls_with_replies_are_rejected
            inapplicable_policies_are_ignored
            too_large_requests_are_rejected
            garbage_is_dropped
            unknown_senders_keep_no_sender_out
            a_flood_does_not_block_the_sender
            many_threads_send_at_once
            a_restarted_server_is_found
            lanes_listen_where_their_orb_listens
        }
    };
    (@tests $subject:expr; $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::run_one_way($subject, $crate::one_way::$test);
            }
        )*
    };
}
