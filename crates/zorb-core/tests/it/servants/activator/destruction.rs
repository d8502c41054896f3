//! The end of adapters and ORBs with servants.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use zorb_core::CollocationStrategy;
use zorb_core::poa::{AnyServant, PoaPolicies};
use zorb_types::{SystemExceptionKind, minor};

use super::stage::{Stage, WAITS, recv};
use super::views;
use super::{Log, reference};
use crate::held::{DONE, TWO_WAY};
use crate::support::{Acting, Echo, Servant, builder, server, until};

#[test]
fn destruction_waits_for_requests_and_etherealizes_if_asked() {
    for (etherealizes, log) in [(true, &["etherealize activated one [1, 0]"][..]), (false, &[])] {
        let stage = Stage::new(None, |policies| policies, |_| Ok(()));
        let mut client = stage.connect();
        client.twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.log.has("begin 100000"));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| stage.poa.destroy_with(etherealizes, true));
            until(|| stage.orb.root_poa().find("activated").is_err());
            until(|| stage.poa.active_objects() == 0);
            let refused = stage.object.twice(1).unwrap_err();
            assert_eq!(refused.kind, SystemExceptionKind::ObjectNotExist);
            assert!(!waits.is_finished());
            stage.permits.send(()).unwrap();
            waits.join().unwrap().unwrap();
        });
        let expected = ["incarnate activated one", "begin 100000", "end 100000"];
        assert!(stage.log.taken().iter().eq(expected.iter().chain(log)));
        assert_eq!(client.reply(), (WAITS, DONE));
    }
}

#[test]
fn a_second_destruction_waits_for_the_children_that_the_first_has_destroyed() {
    let stage = Stage::new(None, |policies| policies, |_| Ok(()));
    let mut client = stage.connect();
    client.twice(&stage.object, WAITS, TWO_WAY);
    until(|| stage.log.has("begin 100000"));
    let root = stage.orb.root_poa();
    root.destroy();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            root.destroy_with(true, true).unwrap();
            stage.log.note("destroyed");
        });
        (0..100).for_each(|_| std::thread::yield_now());
        stage.permits.send(()).unwrap();
    });
    let events = stage.log.taken();
    let last = ["end 100000", "etherealize activated one [1, 0]", "destroyed"];
    assert!(events.ends_with(&last.map(str::to_owned)), "{events:?}");
    assert_eq!(client.reply(), (WAITS, DONE));
}

#[test]
fn destruction_without_etherealization_is_so_for_objects_that_are_being_incarnated() {
    for (etherealizes, log) in [(true, &["etherealize activated one [1, 0]"][..]), (false, &[])] {
        let stage = Stage::new(None, |policies| policies, recv);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| stage.object.twice(1));
            until(|| stage.log.has("incarnate activated one"));
            stage.poa.destroy_with(etherealizes, false).unwrap();
            stage.permits.send(()).unwrap();
            assert_eq!(call.join().unwrap(), Ok(1));
        });
        stage.poa.destroy_with(true, true).unwrap();
        let expected = ["incarnate activated one", "begin 1", "end 1"];
        assert!(stage.log.taken().iter().eq(expected.iter().chain(log)));
    }
}

#[test]
fn a_shutdown_does_not_wait_for_a_reference_that_has_bound_an_object_early() {
    let stage = Stage::new(None, |policies| policies, recv);
    let (mut first, mut second) = (stage.connect(), stage.connect());
    first.twice(&stage.object, 1, TWO_WAY);
    until(|| stage.log.has("incarnate activated one"));
    second.twice(&stage.object, 2, TWO_WAY);
    second.twice(&stage.free, 3, TWO_WAY);
    assert_eq!(second.reply(), (3, DONE));
    stage.permits.send(()).unwrap();
    assert_eq!((first.reply(), second.reply()), ((1, DONE), (2, DONE)));
    // Requests have waited for the object, so that it is not in the active object map yet.
    assert_eq!(stage.object.twice(4), Ok(4));
    std::thread::scope(|scope| {
        let ends = scope.spawn(|| stage.orb.shutdown(true));
        // Before the grace time has elapsed.
        until(|| ends.is_finished());
        ends.join().unwrap().unwrap();
    });
}

#[test]
fn destruction_waits_for_default_servants_but_not_inside_an_upcall() {
    let (orb, _) = server();
    let policies = PoaPolicies::new().user_ids().multiple_ids().default_servant();
    let poa = orb.root_poa().create("defaults", policies).unwrap();
    let (events, permits) = (Log::default(), channel::<()>());
    let (permits, permitted) = (permits.0, Mutex::new(permits.1));
    let (log, itself) = (events.clone(), poa.clone());
    let servant = Acting(move |value| {
        if value == 0 {
            return Err(itself.destroy_with(true, true).unwrap_err().into());
        }
        log.note("begin");
        permitted.lock().unwrap().recv().unwrap();
        log.note("end");
        Ok(value)
    });
    poa.set_servant(AnyServant::of::<Echo, _>(Arc::new(servant))).unwrap();
    let (_client, views) = views(&reference(&poa, "one"));
    for view in &views {
        let refused = view.twice(0).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
        assert_eq!(refused.minor, minor::bad_inv_order::WOULD_DEADLOCK);
    }
    std::thread::scope(|scope| {
        let call = scope.spawn(|| views[1].twice(1));
        until(|| events.has("begin"));
        let waits = scope.spawn(|| poa.destroy_with(true, true));
        until(|| orb.root_poa().find("defaults").is_err());
        assert!(!waits.is_finished());
        permits.send(()).unwrap();
        waits.join().unwrap().unwrap();
        assert_eq!(events.taken(), ["begin", "end"]);
        assert_eq!(call.join().unwrap(), Ok(1));
    });
}

#[test]
fn destruction_does_not_wait_for_references_that_bypass_the_adapter() {
    let direct = CollocationStrategy::Direct;
    let orb = builder().listen("iiop://127.0.0.1:0").collocation_strategy(direct).build().unwrap();
    let poa = orb.root_poa().create("direct", PoaPolicies::new()).unwrap();
    let echo: Echo = poa.activate(Servant::default()).unwrap();
    assert_eq!(echo.twice(1), Ok(2));
    poa.destroy_with(true, true).unwrap();
    assert_eq!(echo.twice(1), Ok(2));
}
