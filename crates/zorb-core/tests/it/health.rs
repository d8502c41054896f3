//! What probes learn about a server.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::support::{Acting, Echo, Servant, builder, client, until};
use zorb_core::lanes::{LaneSettings, PoolSettings, Strategy};
use zorb_core::poa::PoaPolicies;
use zorb_core::{Health, Interface, Orb};

const LONG: Duration = Duration::from_secs(3600);

/// A server with an object for probes, and a prober's view of it.
fn server(stuck_after: Duration) -> (Orb, Orb, Health) {
    server_at("127.0.0.1", stuck_after)
}

/// The same at an address of this machine.
fn server_at(address: &str, stuck_after: Duration) -> (Orb, Orb, Health) {
    let orb = builder().listen(format!("iiop://{address}:0")).build().unwrap();
    orb.publish_health("Health", stuck_after).unwrap();
    let (prober, health) = prober_of(&orb);
    (orb, prober, health)
}

/// A prober, and its view of a server.
fn prober_of(orb: &Orb) -> (Orb, Health) {
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let prober = builder().build().unwrap();
    let health = prober.resolve(&format!("corbaloc::{address}/Health")).unwrap();
    (prober, health)
}

#[test]
fn a_server_is_ready_while_all_managers_are_active() {
    // An address without other servers, lest one of them takes the port at the end.
    let (orb, _prober, health) = server_at("127.0.0.17", LONG);
    assert_eq!(health.ready(), Ok((false, "the program is starting".to_owned())));
    orb.serve().unwrap();
    assert_eq!(health.ready(), Ok((true, String::new())));
    assert_eq!(health.live(), Ok((true, String::new())));
    let manager = orb.create_poa_manager();
    let policies = PoaPolicies::new();
    let accounts = orb.root_poa().create_with_manager("accounts", policies, manager).unwrap();
    accounts.create("closed", PoaPolicies::new()).unwrap();
    let why_not = "the POA manager of accounts is holding".to_owned();
    assert_eq!(health.ready(), Ok((false, why_not)));
    accounts.manager().activate().unwrap();
    assert_eq!(health.ready(), Ok((true, String::new())));
    // It has a manager of its own.
    orb.root_poa().manager().discard_requests().unwrap();
    let why_not = "the POA manager of RootPOA is discarding".to_owned();
    assert_eq!(health.ready(), Ok((false, why_not)));
    assert_eq!(health.live(), Ok((true, String::new())));
    orb.publish_health("Again", LONG).unwrap_err();
    assert!(health.ready().is_ok());
    orb.shutdown(true).unwrap();
    health.ready().unwrap_err();
}

#[test]
fn a_program_adds_conditions_of_readiness() {
    let (orb, _prober, health) = server(LONG);
    let missing = Arc::new(Mutex::new(Some("the disk is full".to_owned())));
    let checked = Arc::clone(&missing);
    orb.add_readiness_check(|| Ok(()));
    orb.add_readiness_check(move || checked.lock().unwrap().clone().map_or(Ok(()), Err));
    orb.serve().unwrap();
    assert_eq!(health.ready(), Ok((false, "the disk is full".to_owned())));
    assert_eq!(health.live(), Ok((true, String::new())));
    *missing.lock().unwrap() = None;
    assert_eq!(health.ready(), Ok((true, String::new())));
    orb.shutdown(true).unwrap();
}

#[test]
fn a_key_that_is_taken_leaves_nothing_behind() {
    let (orb, _prober, _health) = server(LONG);
    let other = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let echo: Echo = other.root_poa().activate(Servant::default()).unwrap();
    other.publish("Health", &echo).unwrap();
    other.publish_health("Health", LONG).unwrap_err();
    other.unpublish("Health");
    other.publish_health("Health", LONG).unwrap();
    orb.shutdown(true).unwrap();
}

/// A gate that upcalls wait for.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let is_open = self.is_open.lock().unwrap();
        drop(self.changed.wait_while(is_open, |is_open| !*is_open).unwrap());
    }

    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.changed.notify_all();
    }
}

#[test]
fn a_server_is_not_live_while_the_upcalls_of_its_own_endpoints_are_stuck() {
    // They are stuck if no upcall ends between two probes this far apart.
    let (orb, _prober, health) = server(Duration::from_millis(1));
    orb.serve().unwrap();
    let gate = Arc::<Gate>::default();
    let passing = Arc::clone(&gate);
    let servant = Acting(move |value| {
        passing.pass();
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let (_client, there) = client(&echo);
    assert_eq!(health.live(), Ok((true, String::new())));
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.twice(1));
        // Nor is a probe of readiness a sign of progress.
        let (_prober, readiness) = prober_of(&orb);
        until(|| {
            readiness.ready().unwrap();
            !health.live().unwrap().0
        });
        // Probes over new connections are no sign of progress.
        let (_other, again) = prober_of(&orb);
        let (is_live, why_not) = again.live().unwrap();
        assert!(!is_live);
        assert_eq!(why_not, "no thread of lane zorb-serve makes progress");
        gate.open();
        assert_eq!(call.join().unwrap(), Ok(1));
        until(|| health.live().unwrap().0);
    });
    orb.shutdown(true).unwrap();
}

#[test]
fn a_server_is_not_live_while_the_upcall_of_a_request_that_was_held_is_stuck() {
    // A call, and a one-way request whose client has gone.
    for has_client in [true, false] {
        let (orb, _prober, health) = server(Duration::from_millis(1));
        orb.serve().unwrap();
        let gate = Arc::<Gate>::default();
        let passing = Arc::clone(&gate);
        let servant = Acting(move |value| {
            passing.pass();
            Ok(value)
        });
        let manager = orb.create_poa_manager();
        let root = orb.root_poa();
        let poa = root.create_with_manager("held", PoaPolicies::new(), manager.clone()).unwrap();
        let echo: Echo = poa.activate(servant).unwrap();
        let (caller, there) = client(&echo);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| match has_client {
                true => assert_eq!(there.twice(1), Ok(1)),
                false => there.note(1).unwrap(),
            });
            until(|| manager.held_requests() == 1);
            if !has_client {
                caller.shutdown(true).unwrap();
                // That of the prober stays.
                until(|| orb.metrics().lanes[0].counts.connections == 1);
            }
            let connections = orb.metrics().lanes[0].counts.connections;
            assert_eq!(health.live(), Ok((true, String::new())), "none runs");
            manager.activate().unwrap();
            until(|| !health.live().unwrap().0);
            // It stays so.
            assert!(!health.live().unwrap().0);
            gate.open();
            call.join().unwrap();
            until(|| health.live().unwrap().0);
            assert_eq!(orb.metrics().lanes[0].counts.connections, connections);
        });
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_connection_that_a_probe_has_used_does_not_hide_other_calls() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let published = orb.publish_health("Health", Duration::from_millis(1)).unwrap();
    let gateway = builder().build().unwrap();
    let health: Health = gateway.resolve(&published.as_object().to_ior_string()).unwrap();
    orb.serve().unwrap();
    let gate = Arc::<Gate>::default();
    let passing = Arc::clone(&gate);
    let (begun, has_begun) = std::sync::mpsc::channel();
    let servant = Acting(move |value| {
        begun.send(()).unwrap();
        passing.pass();
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let there: Echo = gateway.resolve(&echo.object().to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        // Calls of one thread go over the same connection.
        let call = scope.spawn(|| {
            let probed = (health.live(), health.ready());
            (probed, there.twice(1))
        });
        has_begun.recv().unwrap();
        let accepted = orb.metrics().lanes[0].counts.accepted;
        let (_prober, other) = prober_of(&orb);
        until(|| !other.live().unwrap().0);
        assert!(!health.live().unwrap().0);
        assert!(!other.live().unwrap().0);
        gate.open();
        let yes = Ok((true, String::new()));
        assert_eq!(call.join().unwrap(), ((yes.clone(), yes), Ok(1)));
        assert_eq!(accepted, 1);
        until(|| other.live().unwrap().0);
        assert_eq!(there.twice(2), Ok(2));
        until(|| health.live().unwrap().0);
    });
    orb.shutdown(true).unwrap();
}

#[test]
fn an_upcall_that_asks_for_the_health_is_no_probe() {
    for ask in [Health::live, Health::ready] {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let published = orb.publish_health("Health", Duration::from_millis(1)).unwrap();
        orb.serve().unwrap();
        let gate = Arc::<Gate>::default();
        let passing = Arc::clone(&gate);
        let (asked, has_asked) = std::sync::mpsc::channel();
        let servant = Acting(move |value| {
            asked.send(ask(&published)).unwrap();
            passing.pass();
            Ok(value)
        });
        let echo: Echo = orb.root_poa().activate(servant).unwrap();
        let (_client, there) = client(&echo);
        let (_prober, health) = prober_of(&orb);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| there.twice(1));
            assert_eq!(has_asked.recv().unwrap(), Ok((true, String::new())));
            until(|| !health.live().unwrap().0);
            gate.open();
            assert_eq!(call.join().unwrap(), Ok(1));
        });
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_server_is_not_live_while_the_threads_of_a_lane_are_stuck() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
        // Each probe that sees the lane busy again finds it stuck.
        let (orb, _prober, health) = server(Duration::ZERO);
        orb.serve().unwrap();
        let settings = PoolSettings { strategy: Some(strategy), ..PoolSettings::new("worker") };
        let lanes = vec![LaneSettings::new(None, 1)];
        let pool = orb.create_pool(PoolSettings { lanes, ..settings }).unwrap();
        let policies = PoaPolicies::new().with(pool.policy());
        let poa = orb.root_poa().create("worked", policies).unwrap();
        let gate = Arc::<Gate>::default();
        let passing = Arc::clone(&gate);
        let servant = Acting(move |value| {
            passing.pass();
            Ok(value)
        });
        let echo: Echo = poa.activate(servant).unwrap();
        let (_client, there) = client(&echo);
        until(|| health.live().unwrap().0);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| there.twice(1));
            until(|| {
                let (is_live, why_not) = health.live().unwrap();
                assert!(is_live || why_not.starts_with("no thread of lane "), "{why_not}");
                !is_live
            });
            assert!(health.ready().unwrap().0);
            gate.open();
            assert_eq!(call.join().unwrap(), Ok(1));
        });
        until(|| health.live().unwrap().0);
        orb.shutdown(true).unwrap();
    }
}
