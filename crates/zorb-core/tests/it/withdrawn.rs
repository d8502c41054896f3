//! Held requests for whose replies nobody waits any more leave their queues; those that clients hold keep no others out.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;

use zorb_core::lanes::{Buffering, LaneSettings, PoolSettings, Strategy};
use zorb_core::poa::{PoaPolicies, ThreadModel};
use zorb_giop::{GiopVersion, MessageWriter, ReplyStatus, ResponseFlags};
use zorb_testkit::{CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST};

use crate::held::{DONE, Raw, STRATEGIES, Scene, TWO_WAY, held};
use crate::support::{Acting, Echo, builder, until};
use crate::turns::{Stage, one_by_one};

const ONE_WAY: ResponseFlags = ResponseFlags::NoResponse;
/// The argument with which the servant of a [`Stage`] waits for a permission.
const WAITS: i32 = 100_000;

impl Raw {
    fn cancel(&mut self, value: i32) {
        let (mut octets, id) = (Vec::new(), u32::try_from(value).unwrap());
        let order = zorb_cdr::ByteOrder::Little;
        MessageWriter::cancel_request(&mut octets, GiopVersion::V1_2, order, id);
        self.0.write_all(&octets).unwrap();
    }

    /// Waits until the thread of the connection has finished with its requests: this one does not count as such.
    fn settle(&mut self) {
        self.0.write_all(LOCATE_REQUEST).unwrap();
        let mut reply = [0; 20];
        self.0.read_exact(&mut reply).unwrap();
        assert_eq!(reply[7], LOCATE_REPLY);
    }
}

fn sorted_replies(client: &mut Raw, count: usize) -> Vec<(i32, ReplyStatus)> {
    let mut replies: Vec<_> = (0..count).map(|_| client.reply()).collect();
    replies.sort_unstable_by_key(|(id, _)| *id);
    replies
}

#[test]
fn the_requests_of_a_client_that_has_gone_give_back_its_share() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy, 3);
        for _ in 0..10 {
            let mut gone = scene.connect();
            (0..3).for_each(|value| gone.twice(&scene.held, value, TWO_WAY));
            until(|| held(&scene.manager) == 3);
            gone.twice(&scene.held, 3, TWO_WAY);
            assert_eq!(gone.reply(), (3, ReplyStatus::SystemException), "{strategy:?}");
            drop(gone);
            until(|| held(&scene.manager) == 0);
        }
        let mut gone = scene.connect();
        gone.twice(&scene.held, 4, TWO_WAY);
        gone.twice(&scene.held, 5, ONE_WAY);
        until(|| held(&scene.manager) == 2);
        drop(gone);
        until(|| held(&scene.manager) == 1);
        let mut client = scene.connect();
        (6..8).for_each(|value| client.twice(&scene.held, value, TWO_WAY));
        until(|| held(&scene.manager) == 3);
        scene.manager.activate().unwrap();
        assert_eq!(sorted_replies(&mut client, 2), [(6, DONE), (7, DONE)], "{strategy:?}");
        until(|| scene.asked.lock().unwrap().len() == 3);
        let mut asked = scene.asked.lock().unwrap().clone();
        asked.sort_unstable();
        assert_eq!(asked, [5, 6, 7], "{strategy:?}");
        assert_eq!(held(&scene.manager), 0);
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_cancelled_request_leaves_the_queue_and_is_not_served() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy, 4);
        let (mut client, mut other) = (scene.connect(), scene.connect_from("127.0.0.2"));
        (0..3).for_each(|value| client.twice(&scene.held, value, TWO_WAY));
        client.twice(&scene.held, 3, ONE_WAY);
        other.twice(&scene.held, 1, TWO_WAY);
        until(|| held(&scene.manager) == 5);
        // Others than that with this id, and of this client, stay; so do one-way requests.
        [1, 3, 9].into_iter().for_each(|value| client.cancel(value));
        until(|| held(&scene.manager) == 4);
        client.twice(&scene.free, 7, TWO_WAY);
        assert_eq!(client.reply(), (7, DONE), "{strategy:?}");
        assert_eq!(held(&scene.manager), 4, "{strategy:?}");
        // Another one with the same id has its place, and is another one.
        client.twice(&scene.held, 1, TWO_WAY);
        until(|| held(&scene.manager) == 5);
        client.cancel(2);
        until(|| held(&scene.manager) == 4);
        scene.manager.activate().unwrap();
        assert_eq!(sorted_replies(&mut client, 2), [(0, DONE), (1, DONE)], "{strategy:?}");
        assert_eq!(other.reply(), (1, DONE), "{strategy:?}");
        until(|| scene.asked.lock().unwrap().len() == 4);
        let mut asked = scene.asked.lock().unwrap().clone();
        asked.sort_unstable();
        assert_eq!(asked, [0, 1, 1, 3], "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_that_wait_for_their_turn_are_not_served_after_their_client_has_gone() {
    for strategy in STRATEGIES.into_iter().filter(|it| *it != Some(Strategy::SingleThread)) {
        let stage = Stage::new(ThreadModel::SingleThread, strategy, 2);
        let mut client = stage.connect();
        client.twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.events() == [WAITS]);
        client.twice(&stage.object, 1, TWO_WAY);
        client.twice(&stage.object, 2, ONE_WAY);
        (3..10).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
        until(|| stage.orb.metrics().held == 9);
        // Its running request is not touched.
        client.cancel(WAITS);
        client.cancel(9);
        until(|| stage.orb.metrics().held == 8);
        drop(client);
        until(|| stage.orb.metrics().held == 1);
        stage.permits.send(()).unwrap();
        until(|| stage.events().len() == 4);
        let mut other = stage.connect();
        other.twice(&stage.object, 20, TWO_WAY);
        assert_eq!(other.reply(), (20, DONE), "{strategy:?}");
        assert_eq!(stage.events(), one_by_one([WAITS, 2, 20]), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn connections_whose_requests_are_all_held_make_room_for_others() {
    // The lanes of pools have a limit of their own. The watchdog hands no connection over, so that they settle.
    let builder = builder().option("StallTakeover", "3600000").option("MaxConnections", "2");
    let scene = Scene::with(None, builder);
    let mut holding = ["127.0.0.2", "127.0.0.3"].map(|address| scene.connect_from(address));
    for (client, value) in holding.iter_mut().zip([2, 3]) {
        client.twice(&scene.held, value, TWO_WAY);
        client.settle();
        assert_eq!(held(&scene.manager), value - 1);
    }
    let mut newcomer = scene.connect_from("127.0.0.4");
    newcomer.twice(&scene.free, 4, TWO_WAY);
    assert_eq!(newcomer.reply(), (4, DONE));
    newcomer.settle();
    // That which has sent nothing for longest; its request has not been served.
    let mut last = Vec::new();
    holding[0].0.read_to_end(&mut last).unwrap();
    assert_eq!((last.len(), last[7]), (12, CLOSE_CONNECTION));
    until(|| held(&scene.manager) == 1);
    // An idle one goes before the other.
    let mut again = scene.connect_from("127.0.0.5");
    again.twice(&scene.free, 5, TWO_WAY);
    assert_eq!(again.reply(), (5, DONE));
    assert_eq!(held(&scene.manager), 1);
    scene.manager.activate().unwrap();
    assert_eq!(holding[1].reply(), (3, DONE));
    assert_eq!(*scene.asked.lock().unwrap(), [3]);
    scene.orb.shutdown(true).unwrap();
}

/// A server with at most `most` connections. One address may have them all.
fn scene_of(most: usize) -> Scene {
    let builder = builder().option("StallTakeover", "3600000");
    let limits = ["MaxConnections", "MaxConnectionsPerPeer"].map(|name| (name, most.to_string()));
    Scene::with(None, limits.into_iter().fold(builder, |it, (name, most)| it.option(name, most)))
}

#[test]
fn an_address_that_waits_on_most_connections_makes_room_with_these() {
    let scene = scene_of(6);
    let waits_from = |address: &str, value: i32| {
        let mut client = scene.connect_from(address);
        let before = held(&scene.manager);
        client.twice(&scene.held, value, TWO_WAY);
        client.settle();
        assert_eq!(held(&scene.manager), before + 1);
        client
    };
    // They have waited for longest.
    let mut patient = [2, 3].map(|last| waits_from(&format!("127.0.0.{last}"), last));
    let mut greedy: Vec<_> = (10..14).map(|value| waits_from("127.0.0.9", value)).collect();
    for round in 0..10 {
        // Another address, which then goes, so that the greedy one has all connections again.
        let mut newcomer = scene.connect_from("127.0.0.4");
        newcomer.twice(&scene.free, round, TWO_WAY);
        assert_eq!(newcomer.reply(), (round, DONE));
        let mut last = Vec::new();
        greedy.remove(0).0.read_to_end(&mut last).unwrap();
        assert_eq!((last.len(), last[7]), (12, CLOSE_CONNECTION));
        drop(newcomer);
        until(|| held(&scene.manager) == 5 && scene.orb.metrics().lanes[0].counts.connections == 5);
        greedy.push(waits_from("127.0.0.9", 100 + round));
        // And one too many of its own.
        let mut again = scene.connect_from("127.0.0.9");
        again.twice(&scene.held, 200 + round, TWO_WAY);
        again.settle();
        let mut last = Vec::new();
        greedy.remove(0).0.read_to_end(&mut last).unwrap();
        assert_eq!((last.len(), last[7]), (12, CLOSE_CONNECTION));
        until(|| held(&scene.manager) == 6);
        greedy.push(again);
    }
    scene.manager.activate().unwrap();
    for (client, value) in patient.iter_mut().zip([2, 3]) {
        assert_eq!(client.reply(), (value, DONE));
    }
    scene.orb.shutdown(true).unwrap();
}

#[test]
fn a_request_that_is_cancelled_while_it_waits_for_a_thread_is_not_held() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let pool = orb.create_pool(PoolSettings {
        strategy: Some(Strategy::HalfSync),
        buffering: Some(Buffering { max_requests: 8, max_octets: None }),
        lanes: vec![LaneSettings::new(None, 1)],
        ..PoolSettings::new("pool")
    });
    let pool = pool.unwrap();
    let policies = PoaPolicies::new().with(pool.policy());
    let manager = orb.create_poa_manager();
    let behind = orb.root_poa().create_with_manager("held", policies.clone(), manager.clone());
    let (asked, was_asked) = channel();
    let behind: Echo = behind
        .unwrap()
        .activate(Acting(move |value| {
            asked.send(value).unwrap();
            Ok(value)
        }))
        .unwrap();
    let (begun, has_begun) = channel();
    let (permits, permitted) = channel();
    let permitted = Mutex::new(permitted);
    let free: Echo = orb
        .root_poa()
        .create("free", policies)
        .unwrap()
        .activate(Acting(move |value| {
            begun.send(()).unwrap();
            permitted.lock().unwrap().recv().unwrap();
            Ok(value)
        }))
        .unwrap();
    let address = pool.endpoints()[0][0].trim_start_matches("iiop://").to_owned();
    let [mut other, mut client] = [(); 2].map(|()| Raw(TcpStream::connect(&address).unwrap()));
    other.twice(&free, 1, TWO_WAY);
    has_begun.recv().unwrap();
    (2..5).for_each(|value| client.twice(&behind, value, TWO_WAY));
    client.cancel(3);
    // The thread that reads has seen the CancelRequest, and that which would hold the requests is busy.
    client.settle();
    assert_eq!(held(&manager), 0);
    (0..2).for_each(|_| permits.send(()).unwrap());
    assert_eq!(other.reply(), (1, DONE));
    client.twice(&free, 5, TWO_WAY);
    assert_eq!(client.reply(), (5, DONE));
    assert_eq!(held(&manager), 2);
    manager.activate().unwrap();
    assert_eq!(sorted_replies(&mut client, 2), [(2, DONE), (4, DONE)]);
    assert_eq!(was_asked.try_iter().collect::<Vec<_>>(), [2, 4]);
    orb.shutdown(true).unwrap();
}
