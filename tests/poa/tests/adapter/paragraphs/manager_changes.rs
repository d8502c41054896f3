//! Changes of POA managers that wait or etherealize, and activations of objects that change.

use std::sync::Arc;
use std::thread;

use zorb::SystemExceptionKind::{BadInvOrder, NoPermission};
use zorb::poa::{AnyServant, ManagerState, ObjectId, Poa, PoaError, PoaManager, PoaPolicies};
use zorb::{CompletionStatus, SystemException, minor};

use super::Row;
use super::activators::{reference, with_new_servants};
use super::managers::managed;
use crate::closures::Activator;
use crate::scene::{Gate, Scene, system, until};
use crate::servants::{Kind, Servant};

pub(super) const TABLE: &[Row] = &[
    (
        "15.3.2 discard_requests",
        "wait_for_completion: returns after running requests",
        Kind::ALL,
        discards_and_waits,
    ),
    (
        "15.3.2 deactivate",
        "wait_for_completion: returns after running requests",
        Kind::ALL,
        deactivates_and_waits,
    ),
    (
        "15.3.2 deactivate",
        "wait_for_completion in an upcall: BAD_INV_ORDER",
        Kind::ALL,
        waits_for_itself,
    ),
    (
        "15.3.2 deactivate",
        "etherealize_objects: after their last requests, or not",
        Kind::ACTIVE,
        etherealizes,
    ),
    (
        "15.3.9 activate_object_with_id",
        "waits while the object is etherealized",
        Kind::ACTIVE,
        after_an_end,
    ),
    (
        "15.3.9 activate_object_with_id",
        "waits while the object is incarnated",
        Kind::ACTIVE,
        after_an_incarnation,
    ),
];

type Change = fn(&PoaManager) -> Result<(), PoaError>;

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().servant_manager()
}

/// Makes a change while a request runs, and checks that it returns afterwards. Returns what has happened.
fn during_a_request(
    scene: &Scene,
    manager: &PoaManager,
    desk: &zorb_poa_tests::Desk,
    (state, change): (ManagerState, Change),
) -> Vec<String> {
    let gate = scene.act_at_gate();
    thread::scope(|scope| {
        let call = scope.spawn(|| desk.act());
        gate.when_reached(1, || {
            scope.spawn(|| {
                change(manager).unwrap();
                scene.book.note("changed");
            });
            until(|| manager.state() == state);
            (0..20).for_each(|_| thread::yield_now());
        });
        assert!(call.join().unwrap().is_ok());
    });
    scene.book.events()
}

fn waits(scene: &Scene, change: (ManagerState, Change)) {
    for at in 0..2 {
        let (poa, manager, desk) = managed(scene);
        manager.activate().unwrap();
        let (view, desk) = &scene.views(&desk)[at];
        let events = during_a_request(scene, &manager, desk, change);
        assert_eq!(events, ["begins", "ends", "changed"], "{view}");
        poa.destroy_with(true, true).unwrap();
    }
}

fn discards_and_waits(scene: &Scene) {
    waits(scene, (ManagerState::Discarding, PoaManager::discard_requests_and_wait));
}

fn deactivates_and_waits(scene: &Scene) {
    waits(scene, (ManagerState::Inactive, |manager| manager.deactivate_with(false, true)));
}

fn waits_for_itself(scene: &Scene) {
    const CHANGES: [Change; 3] =
        [PoaManager::hold_requests_and_wait, PoaManager::discard_requests_and_wait, |manager| {
            manager.deactivate_with(true, true)
        }];
    let (_, manager, desk) = managed(scene);
    manager.activate().unwrap();
    scene.act(|upcall| {
        let manager = upcall.poa()?.manager();
        for change in CHANGES {
            let refused = system(change(&manager).unwrap_err());
            assert_eq!((refused.kind, refused.minor.code()), (BadInvOrder, 3));
        }
        Ok(())
    });
    for (view, desk) in scene.views(&desk) {
        assert!(desk.act().is_ok(), "{view}");
        assert_eq!(manager.state(), ManagerState::Active, "{view}");
    }
}

fn etherealizes(scene: &Scene) {
    const ETHEREALIZED: &str = "etherealize activating 1 true false";
    let changes: [(bool, Change); 2] = [
        (true, |manager| manager.deactivate_with(true, true)),
        (false, |manager| manager.deactivate_with(false, true)),
    ];
    for (etherealizes, change) in changes {
        for at in 0..2 {
            let poa = with_new_servants(scene, policies());
            let desk = reference(&poa, "1");
            scene.assert_served(&desk, "1");
            assert_eq!(scene.book.events(), ["incarnate activating 1"]);
            let (view, desk) = &scene.views(&desk)[at];
            let change = (ManagerState::Inactive, change);
            let events = during_a_request(scene, &poa.manager(), desk, change);
            let (now, later): (&[_], &[_]) =
                if etherealizes { (&[ETHEREALIZED], &[]) } else { (&[], &[ETHEREALIZED]) };
            let expected = [&["begins", "ends"], now, &["changed"]].concat();
            assert_eq!(events, expected, "{view}");
            assert_eq!(poa.active_objects(), usize::from(!etherealizes), "{view}");
            poa.destroy_with(true, true).unwrap();
            assert_eq!(scene.book.events(), later, "{view}");
        }
    }
}

/// An adapter whose activator incarnates and etherealizes as these do.
fn changing(
    scene: &Scene,
    incarnate: impl Fn(AnyServant) -> Result<AnyServant, SystemException> + Send + Sync + 'static,
    etherealize: impl Fn() + Send + Sync + 'static,
) -> Poa {
    let (kind, book) = (scene.kind, Arc::clone(&scene.book));
    let poa = scene.poa("changing", policies());
    let activator = Activator(
        move |_: &Poa, _: &ObjectId| Ok(incarnate(Servant::new(kind, &book).any())?),
        move |_: &Poa, _: &ObjectId, _, _| etherealize(),
    );
    poa.set_servant_activator(activator).unwrap();
    poa
}

fn after_an_end(scene: &Scene) {
    let gate = Arc::<Gate>::default();
    let (at_gate, book) = (Arc::clone(&gate), Arc::clone(&scene.book));
    let poa = changing(scene, Ok, move || {
        at_gate.pass();
        book.note("etherealized");
    });
    let desk = reference(&poa, "1");
    scene.assert_served(&desk, "1");
    thread::scope(|scope| {
        scope.spawn(|| poa.deactivate(&"1".into()).unwrap());
        gate.when_reached(1, || {
            scope.spawn(|| {
                scene.object(&poa, "1");
                scene.book.note("activated");
            });
            (0..20).for_each(|_| thread::yield_now());
        });
    });
    assert_eq!(scene.book.events(), ["etherealized", "activated"]);
    scene.assert_served(&desk, "1");
}

fn after_an_incarnation(scene: &Scene) {
    for succeeds in [true, false] {
        let gate = Arc::<Gate>::default();
        let (at_gate, book) = (Arc::clone(&gate), Arc::clone(&scene.book));
        let incarnate = move |servant| {
            at_gate.pass();
            book.note("incarnated");
            match succeeds {
                true => Ok(servant),
                false => Err(SystemException::no_permission(
                    minor::no_permission::POLICY_LEVEL,
                    CompletionStatus::No,
                )),
            }
        };
        let poa = changing(scene, incarnate, || {});
        let desk = reference(&poa, "1");
        let (_, there) = &scene.views(&desk)[1];
        thread::scope(|scope| {
            let request = scope.spawn(|| there.served());
            gate.when_reached(1, || {
                scope.spawn(|| {
                    let activated = scene.object_of(&poa, "1", &scene.servant());
                    scene.book.note("activated");
                    match succeeds {
                        true => assert_eq!(activated.unwrap_err(), PoaError::ObjectAlreadyActive),
                        false => assert!(activated.is_ok()),
                    }
                });
                (0..20).for_each(|_| thread::yield_now());
            });
            match request.join().unwrap() {
                Ok(served) => assert_eq!((served.as_str(), succeeds), ("1", true)),
                Err(refused) => assert_eq!((refused.kind, succeeds), (NoPermission, false)),
            }
        });
        assert_eq!(scene.book.events(), ["incarnated", "activated"]);
        scene.assert_served(&desk, "1");
        poa.destroy_with(true, true).unwrap();
    }
}
