//! The threads of upcalls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use zorb::poa::{ObjectId, PoaPolicies};

use super::Row;
use super::activators::{activating, reference};
use crate::closures::Locator;
use crate::scene::{Scene, until};
use crate::servants::{Kind, Servant};

pub(super) const TABLE: &[Row] = &[
    ("15.2.8", "requests of an adapter may be served at the same time", Kind::ALL, at_once),
    ("15.3.8.1", "single thread: one upcall at a time", Kind::ALL, single_thread),
    ("15.3.8.1", "single thread: without retention, too", Kind::BY_DEFAULT, without_map),
    ("15.3.8.1", "single thread: servant activators, too", Kind::ACTIVE, incarnates_in_turn),
    ("15.3.8.1", "single thread: servant locators, too", Kind::ACTIVE, locates_in_turn),
    ("15.3.8.1", "single thread: an upcall may call its adapter", Kind::ALL, reentrant),
    ("15.3.8.1", "main thread: upcalls are made in perform_work", Kind::ALL, main_thread),
    ("15.3.8.1", "main thread: servant managers are called there", Kind::ACTIVE, managers_there),
    ("15.3.8.1", "main thread: work_pending tells of them", Kind::ALL, work_pending),
];

fn at_once(scene: &Scene) {
    let poa = scene.poa("objects", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    let gate = scene.act_at_gate();
    let views = scene.views(&desk);
    thread::scope(|scope| {
        let calls = views.each_ref().map(|(_, desk)| scope.spawn(|| desk.act()));
        gate.when_reached(2, || assert_eq!(scene.book.events(), ["begins", "begins"]));
        calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
}

fn overlapping(scene: &Scene, policies: PoaPolicies) -> usize {
    let poa = scene.poa("turns", policies.user_ids().multiple_ids());
    let servant = scene.servant();
    let desks = ["1", "2"].map(|id| scene.object_of(&poa, id, &servant).unwrap());
    thread::scope(|scope| {
        for (_, view) in desks.iter().flat_map(|desk| scene.views(desk)) {
            scope.spawn(move || (0..10).for_each(|_| view.stay().unwrap()));
        }
    });
    scene.book.most.load(Ordering::SeqCst)
}

fn single_thread(scene: &Scene) {
    assert_eq!(overlapping(scene, PoaPolicies::new().single_thread()), 1);
}

fn without_map(scene: &Scene) {
    assert_eq!(overlapping(scene, PoaPolicies::new().single_thread().non_retain()), 1);
}

fn incarnates_in_turn(scene: &Scene) {
    let policies = PoaPolicies::new().single_thread().user_ids().servant_manager();
    let (inside, kind, book) = (AtomicUsize::new(0), scene.kind, Arc::clone(&scene.book));
    let poa = activating(scene, policies, move |_| {
        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "another incarnation");
        (0..100).for_each(|_| thread::yield_now());
        inside.fetch_sub(1, Ordering::SeqCst);
        Ok(Servant::new(kind, &book).any())
    });
    let desks = ["1", "2", "3", "4"].map(|id| (id, reference(&poa, id)));
    thread::scope(|scope| {
        for (id, desk) in &desks {
            for (view, desk) in scene.views(desk) {
                scope.spawn(move || assert_eq!(desk.served().as_deref(), Ok(*id), "{view}"));
            }
        }
    });
}

/// From `preinvoke` to `postinvoke`.
fn locates_in_turn(scene: &Scene) {
    let policies = PoaPolicies::new().single_thread().user_ids().non_retain().servant_manager();
    let poa = scene.poa("locating", policies);
    let (inside, servant) = (Arc::new(AtomicUsize::new(0)), scene.servant().any());
    let leaving = Arc::clone(&inside);
    let locator = Locator(
        move |_: &ObjectId, _: &str| {
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "another request");
            Ok((servant.clone(), 0))
        },
        move |_: &ObjectId, _: &str, _, _| {
            assert_eq!(leaving.fetch_sub(1, Ordering::SeqCst), 1, "another request");
            Ok(())
        },
    );
    poa.set_servant_locator(locator).unwrap();
    let desks = ["1", "2"].map(|id| reference(&poa, id));
    thread::scope(|scope| {
        for (_, view) in desks.iter().flat_map(|desk| scene.views(desk)) {
            scope.spawn(move || (0..10).for_each(|_| view.stay().unwrap()));
        }
    });
    assert_eq!(scene.book.most.load(Ordering::SeqCst), 1);
}

fn reentrant(scene: &Scene) {
    let poa = scene.poa("turns", PoaPolicies::new().single_thread().user_ids().multiple_ids());
    let servant = scene.servant();
    let [desk, other] = ["1", "2"].map(|id| scene.object_of(&poa, id, &servant).unwrap());
    scene.act(move |upcall| {
        assert_eq!(other.served().as_deref(), Ok("2"));
        assert_eq!(*upcall.object_id(), "1".into());
        Ok(())
    });
    for (_, desk) in scene.views(&desk) {
        desk.act().unwrap();
    }
}

fn main_thread(scene: &Scene) {
    let poa = scene.poa("main", PoaPolicies::new().main_thread().user_ids());
    let desk = scene.object(&poa, "1");
    let main = thread::current().id();
    scene.act(move |_| {
        assert_eq!(thread::current().id(), main);
        Ok(())
    });
    for (view, desk) in scene.views(&desk) {
        thread::scope(|scope| {
            let call = scope.spawn(|| desk.act());
            until(|| scene.server.perform_work().unwrap() || call.is_finished());
            until(|| call.is_finished());
            assert!(call.join().unwrap().is_ok(), "{view}");
        });
    }
}

fn managers_there(scene: &Scene) {
    let main = thread::current().id();
    let policies = PoaPolicies::new().main_thread().user_ids().servant_manager();
    let servant = scene.servant().any();
    let given = servant.clone();
    let activated = activating(scene, policies.clone(), move |_| {
        assert_eq!(thread::current().id(), main);
        Ok(given.clone())
    });
    let located = scene.poa("located", policies.non_retain());
    let locator = Locator(
        move |_: &ObjectId, _: &str| {
            assert_eq!(thread::current().id(), main);
            Ok((servant.clone(), 0))
        },
        move |_: &ObjectId, _: &str, _, _| {
            assert_eq!(thread::current().id(), main);
            Ok(())
        },
    );
    located.set_servant_locator(locator).unwrap();
    for poa in [activated, located] {
        for (view, desk) in scene.views(&reference(&poa, "1")) {
            thread::scope(|scope| {
                let call = scope.spawn(|| desk.served());
                until(|| {
                    scene.server.perform_work().unwrap();
                    call.is_finished()
                });
                assert_eq!(call.join().unwrap().as_deref(), Ok("1"), "{view}");
            });
        }
    }
}

fn work_pending(scene: &Scene) {
    let server = &scene.server;
    let poa = scene.poa("main", PoaPolicies::new().main_thread().user_ids());
    let desk = scene.object(&poa, "1");
    assert!(!server.work_pending().unwrap());
    assert!(!server.perform_work().unwrap());
    let [_, (_, there)] = &scene.views(&desk);
    thread::scope(|scope| {
        let calls = [(); 2].map(|()| scope.spawn(|| there.served()));
        // Each execution is one request.
        for _ in &calls {
            until(|| server.work_pending().unwrap());
            assert!(server.perform_work().unwrap());
        }
        calls.into_iter().for_each(|call| assert_eq!(call.join().unwrap().as_deref(), Ok("1")));
    });
    assert!(!server.work_pending().unwrap());
    assert_eq!(scene.book.served.load(Ordering::SeqCst), 2);
}
