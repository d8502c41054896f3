//! Servant activators: `etherealize`.

use std::sync::Arc;
use std::thread;

use zorb::poa::{IdUniqueness, PoaPolicies};

use super::Row;
use super::activators::{activating, reference, with_new_servants};
use crate::scene::{Scene, until};
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    (
        "15.3.6 etherealize",
        "when an object is deactivated, by uniqueness of ids",
        Kind::ACTIVE,
        flags,
    ),
    (
        "15.3.6 etherealize",
        "also of an object that the program has activated",
        Kind::ACTIVE,
        activated,
    ),
    ("15.3.6 etherealize", "after the last request", Kind::ACTIVE, after_the_last_request),
    (
        "15.3.6 etherealize",
        "requests meanwhile wait, and incarnate anew",
        Kind::ACTIVE,
        incarnated_anew,
    ),
    (
        "15.3.6 etherealize",
        "when the adapter is destroyed: cleanup_in_progress",
        Kind::ACTIVE,
        cleanup,
    ),
    ("15.3.6 etherealize", "after the request that destroys it", Kind::ACTIVE, by_its_request),
    ("15.3.6 etherealize", "not when it is destroyed without", Kind::ACTIVE, without),
    (
        "15.3.9 destroy",
        "etherealizes after the last requests of the children",
        Kind::ACTIVE,
        after_the_children,
    ),
    ("15.3.6 etherealize", "in turn, if the adapter has a single thread", Kind::ACTIVE, in_turn),
];

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().servant_manager()
}

fn flags(scene: &Scene) {
    for policies in [
        policies(),
        policies().persistent(),
        policies().multiple_ids(),
        policies().multiple_ids().persistent(),
        policies().multiple_ids().single_thread(),
    ] {
        let is_shared = policies.id_uniqueness == IdUniqueness::Multiple;
        let poa = if is_shared {
            let servant = scene.servant().any();
            activating(scene, policies, move |_| Ok(servant.clone()))
        } else {
            with_new_servants(scene, policies)
        };
        let ids = ["1", "2", "3"];
        ids.iter().for_each(|id| scene.assert_served(&reference(&poa, id), id));
        scene.book.events();
        for id in ids {
            poa.deactivate(&id.into()).unwrap();
            let others = is_shared && id != "3";
            assert_eq!(
                scene.book.events(),
                [format!("etherealize activating {id} false {others}")]
            );
        }
        poa.destroy();
        assert!(scene.book.events().is_empty());
    }
}

fn activated(scene: &Scene) {
    let poa = with_new_servants(scene, policies());
    let desk = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
    poa.deactivate(&"1".into()).unwrap();
    assert_eq!(scene.book.events(), ["etherealize activating 1 false false"]);
    scene.assert_served(&desk, "1");
    assert_eq!(scene.book.events(), ["incarnate activating 1"]);
}

fn after_the_last_request(scene: &Scene) {
    for (at, view) in ["1", "2"].into_iter().enumerate() {
        let poa = with_new_servants(scene, policies());
        let gate = scene.act_at_gate();
        let (_, desk) = &scene.views(&reference(&poa, view))[at];
        thread::scope(|scope| {
            let calls: Vec<_> = (0..scene.threads()).map(|_| scope.spawn(|| desk.act())).collect();
            gate.when_reached(calls.len(), || {
                poa.deactivate(&view.into()).unwrap();
                assert!(scene.book.events().iter().all(|event| !event.starts_with("ether")));
            });
            calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
        });
        let ended = format!("etherealize activating {view} false false");
        until_noted(scene, &ended, scene.threads());
        poa.destroy();
    }
}

/// Waits for an event, which must come after so many ends of upcalls.
#[track_caller]
fn until_noted(scene: &Scene, last: &str, ends: usize) {
    let events = std::cell::RefCell::new(Vec::new());
    until(|| {
        events.borrow_mut().extend(scene.book.events());
        events.borrow().iter().any(|event| event == last)
    });
    let events = events.into_inner();
    assert_eq!(events.last().map(String::as_str), Some(last), "{events:?}");
    assert_eq!(events.iter().filter(|event| *event == "ends").count(), ends, "{events:?}");
}

fn incarnated_anew(scene: &Scene) {
    let poa = with_new_servants(scene, policies());
    let gate = scene.act_at_gate();
    let desk = reference(&poa, "1");
    let [(_, here), (_, there)] = scene.views(&desk);
    thread::scope(|scope| {
        let running = scope.spawn(|| here.act());
        let waiting = gate.when_reached(1, || {
            poa.deactivate(&"1".into()).unwrap();
            scope.spawn(|| there.served())
        });
        running.join().unwrap().unwrap();
        assert_eq!(waiting.join().unwrap().as_deref(), Ok("1"));
    });
    let expected = [
        "incarnate activating 1",
        "begins",
        "ends",
        "etherealize activating 1 false false",
        "incarnate activating 1",
    ];
    assert_eq!(scene.book.events(), expected);
}

fn cleanup(scene: &Scene) {
    let servant = scene.servant().any();
    let poa = activating(scene, policies().multiple_ids(), move |_| Ok(servant.clone()));
    let ids = ["1", "2", "3"];
    ids.iter().for_each(|id| scene.assert_served(&reference(&poa, id), id));
    scene.book.events();
    poa.destroy_with(true, true).unwrap();
    let mut events = scene.book.events();
    // The servant has no other object when the last one is etherealized.
    assert!(events.last().unwrap().ends_with("true false"), "{events:?}");
    assert_eq!(events.iter().filter(|event| event.ends_with("true true")).count(), 2);
    events.iter_mut().for_each(|event| event.truncate("etherealize activating 1".len()));
    events.sort_unstable();
    assert_eq!(events, ids.map(|id| format!("etherealize activating {id}")));
}

fn by_its_request(scene: &Scene) {
    for at in 0..2 {
        let poa = with_new_servants(scene, policies());
        let book = Arc::clone(&scene.book);
        scene.act(move |upcall| {
            book.note("begins");
            upcall.poa()?.destroy();
            book.note("ends");
            Ok(())
        });
        let (view, desk) = &scene.views(&reference(&poa, "1"))[at];
        assert!(desk.act().is_ok(), "{view}");
        until_noted(scene, "etherealize activating 1 true false", 1);
        poa.destroy_with(true, true).unwrap();
    }
}

fn without(scene: &Scene) {
    let poa = with_new_servants(scene, policies());
    scene.assert_served(&reference(&poa, "1"), "1");
    scene.book.events();
    poa.destroy_with(false, true).unwrap();
    assert!(scene.book.events().is_empty());
}

fn after_the_children(scene: &Scene) {
    for at in 0..2 {
        let poa = with_new_servants(scene, policies());
        let own = scene.policies(PoaPolicies::new().user_ids());
        let child = poa.create("child", own).unwrap();
        scene.assert_served(&reference(&poa, "1"), "1");
        scene.book.events();
        let gate = scene.act_at_gate();
        let (view, desk) = &scene.views(&scene.object(&child, "2"))[at];
        thread::scope(|threads| {
            let running = threads.spawn(|| desk.act());
            let again = gate.when_reached(1, || {
                poa.destroy_with(true, false).unwrap();
                assert_eq!(scene.book.events(), ["begins"], "{view}");
                threads.spawn(|| {
                    poa.destroy_with(true, true).unwrap();
                    scene.book.note("destroyed");
                })
            });
            running.join().unwrap().unwrap();
            again.join().unwrap();
        });
        let ended = ["ends", "etherealize activating 1 true false", "destroyed"];
        assert_eq!(scene.book.events(), ended, "{view}");
    }
}

fn in_turn(scene: &Scene) {
    let poa = with_new_servants(scene, policies().single_thread());
    scene.assert_served(&reference(&poa, "2"), "2");
    scene.book.events();
    let gate = scene.act_at_gate();
    let (_, desk) = &scene.views(&reference(&poa, "1"))[0];
    thread::scope(|scope| {
        let running = scope.spawn(|| desk.act());
        gate.when_reached(1, || {
            poa.deactivate(&"2".into()).unwrap();
            assert_eq!(scene.book.events(), ["incarnate activating 1", "begins"]);
        });
        running.join().unwrap().unwrap();
    });
    until_noted(scene, "etherealize activating 2 false false", 1);
}
