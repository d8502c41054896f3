//! Successful calls.

use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use zorb::policy::{Policies, PrivateConnection};
use zorb::{Interface, SystemExceptionKind};

use crate::Subject;
use crate::idl::suite::{self as idl, Listener, ListenerServant, Record, subject};

/// `len` octets without short repetitions.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at.wrapping_mul(0x9e37_79b1) >> 16) as u8).collect()
}

/// Two-way calls with arguments and results of every alignment.
pub fn two_way_calls_return(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for number in 0..100 {
        assert_eq!(there.add(number, 1).unwrap(), number + 1);
    }
    let records: Vec<Record> = (0..17)
        .map(|number| Record {
            kind: number,
            value: f64::from(number) / 7.0,
            number: -i16::from(number),
            name: "n".repeat(usize::from(number)),
            title: "t".repeat(usize::from(number % 5)),
        })
        .collect();
    let reversed = there.reversed(&records).unwrap();
    assert!(reversed.iter().eq(records.iter().rev()));
    assert_eq!(there.reversed(&[]).unwrap(), []);
}

/// Narrow and wide text, also beyond ASCII.
pub fn text_is_preserved(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for text in ["", "plain", "Käse", "naïve Ægir", "\u{7f}"] {
        let record =
            Record { name: text.to_owned(), title: "日本 🦀".to_owned(), ..Record::default() };
        assert_eq!(there.reversed(std::slice::from_ref(&record)).unwrap(), [record]);
    }
    assert_eq!(there.letter('z').unwrap(), 'z');
    assert_eq!(there.wide_letter('日').unwrap(), '日');
}

/// Messages of up to three million octets, with the sizes around every threshold.
pub fn tiny_and_large_messages_are_echoed(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for len in (0..34).chain([255, 256, 257, 4095, 4096, 65_535, 65_536, 1 << 20, 3_000_001]) {
        let data = pattern(len);
        assert_eq!(there.mirror(&data).unwrap(), data, "{len} octets");
    }
    assert_eq!(there.add(1, 1).unwrap(), 2);
}

/// User exceptions, system exceptions of servants, and those of the ORB.
pub fn exceptions_are_raised(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    match there.refuse("because", 7).unwrap_err() {
        subject::RefuseError::Refused(refused) => {
            assert_eq!((&*refused.why, refused.code), ("because", 7));
        }
        other => panic!("{other}"),
    }
    assert_eq!(there.panic_now().unwrap_err().kind, SystemExceptionKind::Unknown);
    // The object has another interface, and an object that does not exist.
    assert!(there.as_object().narrow::<Listener>().unwrap().is_none());
    server.deactivate();
    assert_eq!(there.add(1, 1).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
}

/// A thousand one-way calls, followed by a two-way call.
pub fn one_way_calls_arrive_in_order(on: &Subject, _: &'static str) {
    let (server, client) = (on.server_in_order(), on.client());
    let there = server.seen_by(&client);
    for number in 0..1000 {
        there.note(number, &[0; 3]).unwrap();
    }
    let tally = there.noted().unwrap();
    assert_eq!((tally.calls, tally.octets, tally.in_order), (1000, 3000, true));
}

/// The sender waits for the receiver when their buffers are full.
pub fn a_flood_waits_for_its_servant(on: &Subject, _: &'static str) {
    let (server, client) = (on.server_in_order(), on.client());
    let there = server.seen_by(&client);
    // Far more than sockets and rings can buffer.
    let data = pattern(256 << 10);
    for number in 0..100 {
        there.note(number, &data).unwrap();
    }
    let tally = there.noted().unwrap();
    assert_eq!((tally.calls, tally.octets, tally.in_order), (100, 100 * data.len() as u64, true));
}

/// Records the numbers that it receives.
#[derive(Debug, Default)]
struct NumberRecorder(Mutex<Vec<i32>>);

impl ListenerServant for NumberRecorder {
    fn heard(&self, value: i32) -> zorb::Result<i32> {
        self.0.lock().unwrap().push(value);
        Ok(value * 2)
    }
}

/// A servant calls back into a client that waits for its reply.
pub fn a_servant_calls_its_client(on: &Subject, _: &'static str) {
    let (server, caller) = (on.server(), on.server());
    let there = server.seen_by(&caller.orb);
    let ear = caller.orb.root_poa().activate(NumberRecorder::default()).unwrap();
    for value in 0..10 {
        assert_eq!(there.call_back(Some(&ear), value).unwrap(), value * 2 + 1);
    }
}

/// Threads of one client, each with its own connections.
pub fn many_threads_call_at_once(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    call_from_threads(&server.seen_by(&client));
}

/// Threads of one client that share a single connection.
pub fn many_threads_share_a_connection(on: &Subject, _: &'static str) {
    let server = on.server();
    let options = [("MaxCallsPerConnection", "8"), ("MaxConnectionsPerEndpoint", "1")];
    let builder = options.iter().fold(on.builder(), |it, (name, value)| it.option(name, *value));
    let client = builder.build().unwrap();
    call_from_threads(&server.seen_by(&client));
}

/// Blocks its caller until the test releases it.
struct BlockingServant {
    entered: Sender<()>,
    leave: Mutex<Receiver<()>>,
}

impl ListenerServant for BlockingServant {
    fn heard(&self, value: i32) -> zorb::Result<i32> {
        self.entered.send(()).unwrap();
        self.leave.lock().unwrap().recv().unwrap();
        Ok(value)
    }
}

/// A private connection is available while the only connection of all other references is in use.
pub fn a_private_connection_serves_one_reference(on: &Subject, _: &'static str) {
    let server = on.server();
    let options = [("MaxCallsPerConnection", "1"), ("MaxConnectionsPerEndpoint", "1")];
    let builder = options.iter().fold(on.builder(), |it, (name, value)| it.option(name, *value));
    let caller = on.server_of(builder);
    let there = server.seen_by(&caller.orb);
    let private = Policies::new().with(PrivateConnection);
    let own = || -> idl::Subject {
        there.as_object().with_policies(&private).unwrap().unchecked_narrow()
    };
    let (first, second) = (own(), own());
    assert_eq!(first.add(1, 2).unwrap(), 3);
    let ((entered, enters), (leave, leaves)) = (mpsc::channel(), mpsc::channel());
    let blocking = BlockingServant { entered, leave: Mutex::new(leaves) };
    let blocking = caller.orb.root_poa().activate(blocking).unwrap();
    thread::scope(|scope| {
        let blocked = scope.spawn(|| there.call_back(Some(&blocking), 1));
        enters.recv().unwrap();
        for (own, number) in [(&first, 3), (&second, 4), (&first, 5)] {
            assert_eq!(own.add(number, 1).unwrap(), number + 1);
        }
        leave.send(()).unwrap();
        assert_eq!(blocked.join().unwrap(), Ok(2));
    });
}

fn call_from_threads(there: &crate::idl::suite::Subject) {
    thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for number in 0..50 {
                    assert_eq!(there.add(thread, number).unwrap(), thread + number);
                    let data = pattern((thread * 50 + number) as usize * 7);
                    assert_eq!(there.mirror(&data).unwrap(), data);
                }
            });
        }
    });
}

/// LocateRequest, for an object that exists and one that does not.
pub fn an_object_is_located(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    assert!(there.as_object().locate().unwrap());
    assert!(!there.as_object().non_existent().unwrap());
    server.deactivate();
    assert!(!there.as_object().locate().unwrap());
    assert!(there.as_object().non_existent().unwrap());
}
