//! What an ORB tells about itself in numbers.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::support::{Acting, Echo, EchoServant, Servant, builder, client, one_lane, until};
use zorb_core::lanes::Strategy;
use zorb_core::poa::PoaPolicies;
use zorb_core::{Orb, OrbBuilder};

fn server(builder: OrbBuilder) -> (Orb, Echo) {
    let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
    let echo = orb.root_poa().activate(Servant::default()).unwrap();
    (orb, echo)
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
