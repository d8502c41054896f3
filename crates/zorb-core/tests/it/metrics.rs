//! What an ORB tells about itself in numbers.

use std::io::Read;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::support::{Acting, Echo, EchoServant, Servant, builder, client, one_lane, until};
use zorb_core::lanes::{LaneCounts, LaneMetrics, Strategy};
use zorb_core::poa::PoaPolicies;
use zorb_core::{Orb, OrbBuilder};
use zorb_testkit::CLOSE_CONNECTION;

fn server(builder: OrbBuilder) -> (Orb, Echo) {
    let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
    let echo = orb.root_poa().activate(Servant::default()).unwrap();
    (orb, echo)
}

/// The metrics of the ORB's own lane.
fn own_lane(orb: &Orb) -> LaneMetrics {
    orb.metrics().lanes.remove(0)
}

#[test]
fn an_orb_counts_its_connections_messages_and_objects() {
    let (orb, echo) = server(builder().id("metrics of a server"));
    let child = orb.root_poa().create("child", PoaPolicies::new()).unwrap();
    let _other: Echo = child.activate(Servant::default()).unwrap();
    let metrics = orb.metrics();
    assert_eq!(metrics.orb, "metrics of a server");
    assert_eq!((metrics.adapters, metrics.active_objects), (2, 2));
    assert!(metrics.threads > 0 && metrics.max_buffered_octets > 0);

    let (first, there) = client(&echo);
    (0..5).for_each(|value| assert_eq!(there.twice(value), Ok(2 * value)));
    until(|| orb.metrics().threads == metrics.threads + 1);
    let lane = own_lane(&orb);
    assert_eq!((&*lane.pool, &*lane.lane, lane.priority), ("", "zorb-serve", None));
    assert_eq!((lane.counts.connections, lane.counts.accepted), (1, 1));
    assert_eq!((lane.counts.messages, lane.counts.evicted, lane.counts.rejected), (5, 0, 0));
    let calling = first.metrics();
    assert_eq!((calling.client_connections, calling.client_connects), (1, 1));
    assert!(calling.orb.is_empty() && calling.lanes.is_empty());

    // The messages of connections that have ended still count.
    first.shutdown(true).unwrap();
    until(|| own_lane(&orb).counts.connections == 0);
    let before = own_lane(&orb).counts.messages;
    assert!((5..=6).contains(&before), "{before}: also CloseConnection, if it has arrived");
    let (second, there) = client(&echo);
    assert_eq!(there.twice(1), Ok(2));
    let counts = own_lane(&orb).counts;
    assert_eq!((counts.messages, counts.connections, counts.accepted), (before + 1, 1, 2));
    second.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn connections_that_make_room_are_counted() {
    let limits = builder().option("MaxConnections", "1").option("MaxConnectionsPerPeer", "1");
    let (orb, _) = server(limits);
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    // They are idle: none has sent a request.
    let clients = [1, 2, 3].map(|accepted| {
        let client = TcpStream::connect(&address).unwrap();
        let closed = |counts: LaneCounts| (counts.accepted, counts.evicted);
        until(|| closed(own_lane(&orb).counts) == (accepted, accepted - 1));
        client
    });
    let counts = own_lane(&orb).counts;
    assert_eq!((counts.rejected, counts.messages), (0, 0));
    for mut client in clients.into_iter().take(2) {
        let mut last = Vec::new();
        client.read_to_end(&mut last).unwrap();
        assert_eq!((&last[..4], last[7]), (&b"GIOP"[..], CLOSE_CONNECTION));
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn lanes_of_pools_are_named_and_count_what_waits_in_them() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let pool = one_lane(&orb, "workers", Some(Strategy::HalfSync), 1);
    let poa = orb.root_poa().create("poa", PoaPolicies::new().with(pool.policy())).unwrap();
    let servant = Arc::new(Servant::default());
    let echo: Echo = poa.activate_shared(&servant).unwrap();
    let clients = [client(&echo), client(&echo), client(&echo)];
    std::thread::scope(|scope| {
        let calls = clients.each_ref().map(|(_, there)| scope.spawn(move || there.wait_for(1)));
        let lane = || orb.metrics().lanes.into_iter().find(|lane| lane.pool == "workers").unwrap();
        until(|| servant.waiting.load(Ordering::SeqCst) && lane().counts.queued == 2);
        assert_eq!((&*lane().lane, lane().counts.connections), ("workers", 3));
        servant.note(1);
        calls.into_iter().for_each(|call| assert_eq!(call.join().unwrap(), Ok(())));
        assert_eq!((lane().counts.queued, lane().counts.messages), (0, 3));
    });
    orb.shutdown(true).unwrap();
}

#[test]
fn held_and_refused_requests_are_counted() {
    // A peer has half of the queue.
    let (orb, _) = server(builder().option("MaxHeldRequests", "4"));
    let manager = orb.create_poa_manager();
    let root = orb.root_poa();
    let poa = root.create_with_manager("held", PoaPolicies::new(), manager.clone()).unwrap();
    let noted = Arc::<Mutex<Vec<i32>>>::default();
    let notes = Arc::clone(&noted);
    let acting = Acting(move |value| {
        notes.lock().unwrap().push(value);
        Ok(value)
    });
    let echo: Echo = poa.activate(acting).unwrap();
    let (caller, there) = client(&echo);
    (0..3).for_each(|value| there.note(value).unwrap());
    until(|| orb.metrics().held_refused == 1);
    let metrics = orb.metrics();
    assert_eq!((metrics.held, metrics.held_expired), (2, 0));
    manager.activate().unwrap();
    until(|| noted.lock().unwrap().len() == 2);
    assert_eq!((orb.metrics().held, orb.metrics().held_refused), (0, 1));
    // What ends with its queue is no longer held.
    manager.hold_requests().unwrap();
    there.note(3).unwrap();
    until(|| orb.metrics().held == 1);
    caller.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    assert_eq!(orb.metrics().held, 0);
}
