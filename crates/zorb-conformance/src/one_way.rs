//! Calls that nobody answers, over protocols whose messages are datagrams: any of them may be lost.

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
use crate::limit::{LIMIT, run_within_the_limit};

/// How often something is sent before it counts as never arriving.
const ATTEMPTS: u32 = 100;

/// What the suite for one-way calls is run on.
#[derive(Clone, Copy, Debug)]
pub struct OneWay {
    /// Where servers listen; of groups, where their members do beside.
    url: &'static str,
    is_group: bool,
    plug_in: fn(OrbBuilder) -> OrbBuilder,
}

impl OneWay {
    /// A protocol that the facade registers, by a URL at which any number of servers may listen at once.
    #[must_use]
    pub fn at(url: &'static str) -> Self {
        Self { url, is_group: false, plug_in: |builder| builder }
    }

    /// A protocol that the facade does not know and `plug_in` registers.
    #[must_use]
    pub fn built(url: &'static str, plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url, is_group: false, plug_in }
    }

    /// MIOP, which `plug_in` registers beside IIOP so that packets stay in this machine.
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
        self.server_at(self.place().as_deref())
    }

    /// Where a server is to be, if it does not choose itself.
    fn place(&self) -> Option<String> {
        self.is_group.then(group_url)
    }

    /// A server at the place where another one was.
    fn server_at(&self, place: Option<&str>) -> Server {
        self.server_of(self.builder(), place)
    }

    fn server_of(&self, builder: OrbBuilder, place: Option<&str>) -> Server {
        let url = if self.is_group { self.url } else { place.unwrap_or(self.url) };
        let orb = builder.listen(url).build().expect("a server");
        let (sender, heard) = channel();
        let servant = Wall { heard: sender, gate: Mutex::new(()) };
        let notes: Notes = orb.root_poa().activate(servant).expect("active");
        let (place, reference) = match place.filter(|_| self.is_group) {
            Some(group) => {
                let whole = group_of(&orb, group);
                let id = orb.root_poa().id_of(&notes).expect("its id");
                orb.root_poa().associate(&whole, &id).expect("a member");
                (group.to_owned(), group.to_owned())
            }
            None => {
                orb.publish("notes", &notes).expect("published");
                let place = orb.endpoints().first().expect("an endpoint").clone();
                let (scheme, address) = place.split_once("://").expect("a URL");
                let reference = format!("corbaloc:{scheme}:1.2@{address}/notes");
                (place, reference)
            }
        };
        Server { orb, notes, heard, place, reference, is_group: self.is_group }
    }
}

/// A group that nobody else has, at a port that nobody has.
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

/// What a note was.
#[derive(Debug, PartialEq)]
enum Heard {
    Note(u32, Vec<u8>),
    Record(Record),
}

/// Tells what it hears, one after the other.
struct Wall {
    heard: Sender<Heard>,
    gate: Mutex<()>,
}

impl Wall {
    fn tell(&self, heard: Heard) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        // The test may be over.
        let _ = self.heard.send(heard);
    }
}

impl NotesServant for Wall {
    fn note(&self, number: u32, data: &[u8]) {
        self.tell(Heard::Note(number, data.to_vec()));
    }

    fn tell(&self, what: &Record) {
        Self::tell(self, Heard::Record(what.clone()));
    }

    fn wait(&self) -> zorb::Result<()> {
        Ok(())
    }
}

struct Server {
    orb: Orb,
    notes: Notes,
    heard: Receiver<Heard>,
    /// Where another server can take its place.
    place: String,
    /// By which clients find whoever is there.
    reference: String,
    is_group: bool,
}

impl Server {
    /// A client's view of the object.
    fn seen_by(&self, client: &Orb) -> Notes {
        if self.is_group {
            return self.found_by(client);
        }
        client.resolve(&self.notes.as_object().to_ior_string()).expect("an object")
    }

    /// A client's view of whoever is there.
    fn found_by(&self, client: &Orb) -> Notes {
        group_of(client, &self.reference).unchecked_narrow()
    }

    /// Where datagrams to it go.
    fn address(&self) -> &str {
        let end = if self.is_group { self.place.rsplit_once('/') } else { None };
        end.or_else(|| self.place.split_once("://")).expect("an address").1
    }

    /// Sends until it is heard.
    fn hears(&self, expected: &Heard, send: impl Fn() -> zorb::Result<()>) {
        for _ in 0..ATTEMPTS {
            send().expect("it is sent");
            loop {
                match self.heard.recv_timeout(LIMIT / ATTEMPTS / 2) {
                    Ok(heard) if heard == *expected => return,
                    // What was sent before, and arrives late.
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        }
        panic!("none of {ATTEMPTS} arrived");
    }

    fn hears_note(&self, there: &Notes, number: u32, size: usize) {
        let data = pattern(size);
        self.hears(&Heard::Note(number, data.clone()), || there.note(number, &data));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// Of all sizes that fit.
pub fn one_way_calls_arrive(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for (number, size) in (0..).zip([0, 1, 100, 1400, 1500, 5000, 60_000]) {
        server.hears_note(&there, number, size);
    }
}

/// Arguments of every alignment, and text.
pub fn arguments_arrive_as_they_were(on: &OneWay) {
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
        server.hears(&Heard::Record(record.clone()), || there.tell(&record));
    }
}

/// There is no way back, and nothing is sent.
pub fn what_awaits_an_answer_is_refused(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let exception = there.wait().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
    // So is a one-way call whose sender wants to know that it has arrived.
    let surely = Policies::new().with(SyncScope::WithServer);
    let exception = there.with_policies(&surely).unwrap().note(1, &[]).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
    server.hears_note(&there, 1, 1);
}

/// Options and policies of connections and of answers: there are none.
pub fn what_does_not_apply_is_ignored(on: &OneWay) {
    let with_options = |builder: OrbBuilder| {
        let options = [("IdleTimeout", "1"), ("MaxConnections", "1"), ("Spin", "20")];
        let sizes =
            [("SendBuffer", "200000"), ("ReceiveBuffer", "200000"), ("RoundTripTimeout", "60")];
        let all = options.into_iter().chain(sizes);
        all.fold(builder, |builder, (name, value)| builder.option(name, value))
    };
    let server = on.server_of(with_options(on.builder()), on.place().as_deref());
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

/// Before anything is sent.
pub fn what_is_too_large_is_refused(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let exception = there.note(1, &pattern(3 << 20)).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ImpLimit, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
    server.hears_note(&there, 2, 1);
}

/// Whoever sends it.
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
        // A group may be out of this socket's reach, which is the same to it.
        let _ = socket.send_to(garbage, server.address());
        server.hears_note(&there, 2, 10);
    }
}

/// A client does not wait for a server that is busy: what there is no room for is lost.
pub fn a_flood_holds_nobody_up(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let data = pattern(20_000);
    for _ in 0..500 {
        there.note(1, &data).unwrap();
    }
    server.hears_note(&there, 2, 1);
    // What did arrive is whole.
    for heard in server.heard.try_iter() {
        assert!(matches!(heard, Heard::Note(1 | 2, found) if data.starts_with(&found)));
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
    for heard in server.heard.try_iter() {
        let Heard::Note(number, data) = heard else { panic!("{heard:?}") };
        assert!(number == 77 || data == pattern(1000 * (number as usize + 1)), "{number}");
    }
}

/// That a server has gone is not noticed, and the next one at its place is found.
pub fn servers_come_and_go(on: &OneWay) {
    let (first, client) = (on.server(), on.client());
    let there = first.found_by(&client);
    first.hears_note(&there, 1, 10);
    let place = first.place.clone();
    drop(first);
    for _ in 0..10 {
        there.note(2, &[]).unwrap();
    }
    let second = on.server_at(Some(&place));
    second.hears_note(&there, 3, 10);
}

/// Runs one test of the suite. Called by [`one_way_suite!`](crate::one_way_suite).
///
/// # Panics
/// When the test fails or takes longer than [`LIMIT`].
pub fn run_one_way(subject: OneWay, test: fn(&OneWay)) {
    run_within_the_limit(move || test(&subject));
}

/// Makes a `#[test]` of every function of the suite for one-way calls.
#[macro_export]
macro_rules! one_way_suite {
    ($subject:expr) => {
        $crate::one_way_suite! { @tests $subject;
            one_way_calls_arrive
            arguments_arrive_as_they_were
            what_awaits_an_answer_is_refused
            what_does_not_apply_is_ignored
            what_is_too_large_is_refused
            garbage_is_dropped
            a_flood_holds_nobody_up
            many_threads_send_at_once
            servers_come_and_go
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
