//! The order of one-way requests of one connection, as the book's chapter on threads has it: with and without holding.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::held::{DONE, TWO_WAY};
use crate::support::{Acting, Echo, builder, until};
use crate::turns::{Stage, one_by_one};
use zorb_core::Orb;
use zorb_core::lanes::Strategy;
use zorb_core::poa::ThreadModel;
use zorb_giop::ResponseFlags;

const ONE_WAY: ResponseFlags = ResponseFlags::NoResponse;
/// The number of one-way requests.
const MANY: i32 = 200;

/// Connections with threads of their own, in lanes with several threads; `None` for the ORB's own lane.
const PER_CONNECTION: [(Option<Strategy>, usize); 2] =
    [(None, 4), (Some(Strategy::ThreadPerConnection), 4)];

/// Lanes of one thread.
const ONE_THREAD: [(Option<Strategy>, usize); 4] = [
    (Some(Strategy::ThreadPerConnection), 1),
    (Some(Strategy::LeaderFollowers), 1),
    (Some(Strategy::HalfSync), 1),
    (Some(Strategy::SingleThread), 1),
];

/// Whether requests are held at first.
const HOLDING: [bool; 2] = [false, true];

/// An adapter with the ORB-controlled model. The watchdog does not intervene: no upcall is slow.
fn stage((strategy, threads): (Option<Strategy>, usize)) -> Stage {
    let builder = builder().option("StallTakeover", "3600000");
    Stage::with(ThreadModel::OrbControlled, strategy, threads, builder)
}

fn until_held(stage: &Stage, count: i32) {
    until(|| i32::try_from(stage.manager().held_requests()) == Ok(count));
}

#[test]
fn each_is_finished_before_the_next_one_begins() {
    for lane in PER_CONNECTION.into_iter().chain(ONE_THREAD) {
        for holds in HOLDING {
            let stage = stage(lane);
            let mut client = stage.connect();
            if holds {
                stage.manager().hold_requests().unwrap();
            }
            (1..=MANY / 2).for_each(|value| client.twice(&stage.object, value, ONE_WAY));
            if holds {
                until_held(&stage, MANY / 2);
                stage.manager().activate().unwrap();
            }
            // Some of these arrive while those that were held are served.
            (MANY / 2 + 1..=MANY).for_each(|value| client.twice(&stage.object, value, ONE_WAY));
            let expected = one_by_one(1..=MANY);
            until(|| stage.events().len() == expected.len());
            assert_eq!(stage.events(), expected, "{lane:?}, holds: {holds}");
            stage.orb.shutdown(true).unwrap();
        }
    }
}

#[test]
fn one_that_was_held_is_finished_before_a_later_one_begins() {
    for lane in PER_CONNECTION.into_iter().chain(ONE_THREAD) {
        let stage = stage(lane);
        let (permits, permitted) = channel();
        let permitted = Mutex::new(permitted);
        let events = Arc::<Mutex<Vec<i32>>>::default();
        let note = Arc::clone(&events);
        let poa = stage.orb.root_poa().find("turns").unwrap();
        let noting = Acting(move |value| {
            note.lock().unwrap().push(value);
            if value == 1 {
                permitted.lock().unwrap().recv().unwrap();
                // The other one would begin meanwhile.
                for _ in 0..20_000 {
                    std::thread::yield_now();
                }
            }
            note.lock().unwrap().push(-value);
            Ok(value)
        });
        let object: Echo = poa.activate(noting).unwrap();
        let mut client = stage.connect();
        stage.manager().hold_requests().unwrap();
        client.twice(&object, 1, ONE_WAY);
        until_held(&stage, 1);
        stage.manager().activate().unwrap();
        // It has been admitted: no others are held behind it.
        until(|| !events.lock().unwrap().is_empty());
        client.twice(&object, 2, ONE_WAY);
        permits.send(()).unwrap();
        until(|| events.lock().unwrap().len() == 4);
        assert_eq!(*events.lock().unwrap(), one_by_one(1..=2), "{lane:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

/// An object whose first request calls back: as soon as it is permitted, and until the test ends that call.
struct Nesting {
    client: Orb,
    object: Echo,
    permits: Sender<()>,
    /// The nested call.
    entered: Receiver<()>,
    ends: Sender<()>,
    events: Receiver<i32>,
}

impl Nesting {
    fn new(stage: &Stage) -> Self {
        let client = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let (enters, entered) = channel();
        let (ends, ended) = channel();
        let ended = Mutex::new(ended);
        let here: Echo = client
            .root_poa()
            .activate(Acting(move |value| {
                enters.send(()).unwrap();
                ended.lock().unwrap().recv().unwrap();
                Ok(value)
            }))
            .unwrap();
        let back: Echo = stage.orb.resolve(&here.object().to_ior_string()).unwrap();
        let (permits, permitted) = channel();
        let permitted = Mutex::new(permitted);
        let (sender, events) = channel();
        let poa = stage.orb.root_poa().find("turns").unwrap();
        let object = poa.activate(Acting(move |value: i32| {
            sender.send(value).unwrap();
            if value == 1 {
                permitted.lock().unwrap().recv().unwrap();
                back.twice(value)?;
            }
            sender.send(-value).unwrap();
            Ok(value)
        }));
        Self { client, object: object.unwrap(), permits, entered, ends, events }
    }

    /// Sends three requests, and returns when the first one calls back.
    fn call(&self, stage: &Stage, holds: bool) {
        let mut client = stage.connect();
        if holds {
            stage.manager().hold_requests().unwrap();
        }
        (1..=3).for_each(|value| client.twice(&self.object, value, ONE_WAY));
        if holds {
            until_held(stage, 3);
            stage.manager().activate().unwrap();
        }
        // All have arrived: then the ORB need not wait for the watchdog.
        self.permits.send(()).unwrap();
        self.entered.recv().unwrap();
    }

    fn take(&self, count: usize) -> Vec<i32> {
        self.events.iter().take(count).collect()
    }
}

#[test]
fn those_behind_one_that_blocks_follow_in_order_where_connections_have_threads() {
    for lane in PER_CONNECTION {
        for holds in HOLDING {
            let stage = stage(lane);
            let nesting = Nesting::new(&stage);
            nesting.call(&stage, holds);
            assert_eq!(nesting.take(5), [1, 2, -2, 3, -3], "{lane:?}, holds: {holds}");
            nesting.ends.send(()).unwrap();
            assert_eq!(nesting.take(1), [-1], "{lane:?}, holds: {holds}");
            stage.orb.shutdown(true).unwrap();
            nesting.client.shutdown(true).unwrap();
        }
    }
}

#[test]
fn those_behind_one_that_blocks_wait_in_lanes_of_one_thread() {
    for lane in ONE_THREAD {
        for holds in HOLDING {
            let stage = stage(lane);
            let nesting = Nesting::new(&stage);
            nesting.call(&stage, holds);
            nesting.ends.send(()).unwrap();
            assert_eq!(nesting.take(6), one_by_one(1..=3), "{lane:?}, holds: {holds}");
            stage.orb.shutdown(true).unwrap();
            nesting.client.shutdown(true).unwrap();
        }
    }
}

#[test]
fn a_slow_resumed_request_does_not_stop_its_connection() {
    for (strategy, threads) in PER_CONNECTION {
        let builder = builder().option("StallTakeover", "1");
        let stage = Stage::with(ThreadModel::OrbControlled, strategy, threads, builder);
        let (permits, permitted) = channel();
        let permitted = Mutex::new(permitted);
        let poa = stage.orb.root_poa().find("turns").unwrap();
        let waiting = Acting(move |value| {
            permitted.lock().unwrap().recv().unwrap();
            Ok(value)
        });
        let slow: Echo = poa.activate(waiting).unwrap();
        let mut client = stage.connect();
        stage.manager().hold_requests().unwrap();
        client.twice(&slow, 1, TWO_WAY);
        client.twice(&stage.object, 2, TWO_WAY);
        until_held(&stage, 2);
        stage.manager().activate().unwrap();
        assert_eq!(client.reply(), (2, DONE), "{strategy:?}");
        // Nor does one that was not held wait for it.
        client.twice(&stage.free, 3, TWO_WAY);
        assert_eq!(client.reply(), (3, DONE), "{strategy:?}");
        permits.send(()).unwrap();
        assert_eq!(client.reply(), (1, DONE), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}
