//! POA managers.

use std::sync::atomic::Ordering;
use std::thread;

use zorb::SystemExceptionKind::{ObjAdapter, ObjectNotExist, Transient};
use zorb::poa::{ManagerState, Poa, PoaError, PoaManager, PoaPolicies};
use zorb::policy::Policies;
use zorb::{CompletionStatus, SystemException};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::{Scene, until};
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.2 get_state", "a new manager holds", Kind::ALL, new_managers_hold),
    ("15.3.2 activate", "serves what is held", Kind::ALL, activation_serves_what_is_held),
    ("15.3.2 hold_requests", "beyond the limits: TRANSIENT", Kind::ALL, limits),
    ("15.3.2 hold_requests", "objects are activated meanwhile", Kind::ACTIVE, activated_meanwhile),
    (
        "15.3.2 hold_requests",
        "an adapter destroyed meanwhile: OBJECT_NOT_EXIST",
        Kind::ALL,
        destroyed_meanwhile,
    ),
    ("15.3.2 discard_requests", "TRANSIENT", Kind::ALL, discarding),
    ("15.3.2 discard_requests", "objects are activated all the same", Kind::ACTIVE, activates),
    ("15.3.2 discard_requests", "discards what is held", Kind::ALL, discards_what_is_held),
    ("15.3.2 deactivate", "OBJ_ADAPTER, for ever", Kind::ALL, deactivated),
    ("15.3.2 deactivate", "objects are activated all the same", Kind::ACTIVE, activates),
    ("15.3.2 deactivate", "rejects what is held", Kind::ALL, rejects_what_is_held),
    ("15.3.2 get_id", "the id of its creation", Kind::ACTIVE, factory),
    (
        "15.3.2 hold_requests",
        "wait_for_completion: returns after running requests",
        Kind::ALL,
        holds_and_waits,
    ),
    ("15.3.3 create_POAManager", "an id once", Kind::ACTIVE, factory),
    ("15.3.3 list", "all managers", Kind::ACTIVE, factory),
    ("15.3.3 find", "by id, or none", Kind::ACTIVE, factory),
    ("15.3.9 the_POAManager", "that of the parent, or another one", Kind::ALL, shared_by_default),
];

pub(super) fn managed(scene: &Scene) -> (Poa, PoaManager, Desk) {
    let manager = scene.server.create_poa_manager();
    let policies = scene.policies(PoaPolicies::new().user_ids());
    let root = scene.server.root_poa();
    let poa = root.create_with_manager("managed", policies, manager.clone()).unwrap();
    let desk = scene.object(&poa, "1");
    (poa, manager, desk)
}

fn new_managers_hold(scene: &Scene) {
    let (_, manager, _) = managed(scene);
    assert_eq!(manager.state(), ManagerState::Holding);
}

fn activation_serves_what_is_held(scene: &Scene) {
    let (_, manager, desk) = managed(scene);
    let [(_, here), (_, there)] = scene.views(&desk);
    let served = || scene.book.served.load(Ordering::SeqCst);
    thread::scope(|scope| {
        let remote = scope.spawn(|| there.served());
        until(|| manager.held_requests() == 1);
        let collocated = scope.spawn(|| here.served());
        assert_eq!(served(), 0);
        manager.activate().unwrap();
        assert_eq!(remote.join().unwrap().as_deref(), Ok("1"));
        assert_eq!(collocated.join().unwrap().as_deref(), Ok("1"));
    });
    assert_eq!(served(), 2);
    manager.hold_requests().unwrap();
    assert_eq!(manager.state(), ManagerState::Holding);
    manager.activate().unwrap();
    scene.assert_served(&desk, "1");
}

fn discarding(scene: &Scene) {
    let (_, manager, desk) = managed(scene);
    manager.discard_requests().unwrap();
    scene.assert_refused(&desk, Transient, 1);
    manager.activate().unwrap();
    scene.assert_served(&desk, "1");
    // Also for references that have been used.
    manager.discard_requests().unwrap();
    scene.assert_refused(&desk, Transient, 1);
}

fn activates(scene: &Scene) {
    let (poa, manager, _) = managed(scene);
    manager.discard_requests().unwrap();
    let discarded = scene.object(&poa, "2");
    scene.assert_refused(&discarded, Transient, 1);
    manager.activate().unwrap();
    scene.assert_served(&discarded, "2");
    manager.deactivate();
    let rejected = scene.object(&poa, "3");
    assert_eq!((poa.active_objects(), poa.id_of(&rejected)), (3, Ok("3".into())));
    scene.assert_refused(&rejected, ObjAdapter, 1);
}

fn deactivated(scene: &Scene) {
    let (_, manager, desk) = managed(scene);
    manager.activate().unwrap();
    scene.assert_served(&desk, "1");
    manager.deactivate();
    scene.assert_refused(&desk, ObjAdapter, 1);
    for refused in [manager.activate(), manager.hold_requests(), manager.discard_requests()] {
        assert_eq!(refused, Err(PoaError::AdapterInactive));
    }
    assert_eq!(manager.state(), ManagerState::Inactive);
}

fn shared_by_default(scene: &Scene) {
    let (poa, manager, _) = managed(scene);
    let child = poa.create("child", scene.policies(PoaPolicies::new().user_ids())).unwrap();
    let desk = scene.object(&child, "2");
    manager.discard_requests().unwrap();
    scene.assert_refused(&desk, Transient, 1);
    manager.activate().unwrap();
    scene.assert_served(&desk, "2");
}

/// Calls collocated and remotely, and `work` when the manager holds both requests. Returns what they got.
fn during_two_held(
    scene: &Scene,
    manager: &PoaManager,
    desk: &Desk,
    work: impl FnOnce(),
) -> [Result<String, SystemException>; 2] {
    let views = scene.views(desk);
    thread::scope(|scope| {
        let calls = views.each_ref().map(|(_, desk)| scope.spawn(|| desk.served()));
        until(|| manager.held_requests() == 2);
        work();
        calls.map(|call| call.join().unwrap())
    })
}

fn discards_what_is_held(scene: &Scene) {
    let (_, manager, desk) = managed(scene);
    let answers = during_two_held(scene, &manager, &desk, || manager.discard_requests().unwrap());
    for refused in answers.map(Result::unwrap_err) {
        assert_eq!((refused.kind, refused.minor.code()), (Transient, 1));
    }
    assert_eq!(manager.held_requests(), 0);
}

fn rejects_what_is_held(scene: &Scene) {
    let (_, manager, desk) = managed(scene);
    let answers = during_two_held(scene, &manager, &desk, || manager.deactivate());
    for refused in answers.map(Result::unwrap_err) {
        assert_eq!((refused.kind, refused.minor.code()), (ObjAdapter, 1));
    }
}

fn activated_meanwhile(scene: &Scene) {
    let (poa, manager, _) = managed(scene);
    let desk: Desk = poa.create_reference_with_id("2").unwrap();
    let answers = during_two_held(scene, &manager, &desk, || {
        scene.object(&poa, "2");
        manager.activate().unwrap();
    });
    answers.into_iter().for_each(|answer| assert_eq!(answer.as_deref(), Ok("2")));
}

fn destroyed_meanwhile(scene: &Scene) {
    let (poa, manager, desk) = managed(scene);
    let answers = during_two_held(scene, &manager, &desk, || {
        poa.destroy();
        manager.activate().unwrap();
    });
    for refused in answers.map(Result::unwrap_err) {
        assert_eq!((refused.kind, refused.minor.code()), (ObjectNotExist, 2));
    }
}

fn limits(scene: &Scene) {
    const CALLS: usize = 8;
    let options = [("MaxHeldRequests", "4")];
    let scene = Scene::with_options(scene.serving, scene.kind, &options);
    let (_, manager, desk) = managed(&scene);
    for (view, desk) in scene.views(&desk) {
        thread::scope(|scope| {
            let calls = [(); CALLS].map(|()| scope.spawn(|| desk.served()));
            let refused = || calls.iter().filter(|call| call.is_finished()).count();
            until(|| manager.held_requests() + refused() == CALLS);
            let held = manager.held_requests();
            assert!((1..=4).contains(&held), "{view}: {held}");
            manager.activate().unwrap();
            let (served, refused): (Vec<_>, Vec<_>) =
                calls.map(|call| call.join().unwrap()).into_iter().partition(Result::is_ok);
            assert_eq!(served.len(), held, "{view}");
            for refused in refused.into_iter().map(Result::unwrap_err) {
                assert_eq!(refused.kind, Transient, "{view}");
                assert_eq!(refused.completed, CompletionStatus::No, "{view}");
            }
            manager.hold_requests().unwrap();
        });
    }
    manager.activate().unwrap();
    scene.assert_served(&desk, "1");
    scene.end();
}

fn factory(scene: &Scene) {
    let factory = scene.server.root_poa().manager_factory().unwrap();
    let manager = factory.create("control", &Policies::new()).unwrap();
    assert_eq!((manager.id(), manager.state()), ("control", ManagerState::Holding));
    let again = factory.create("control", &Policies::new()).unwrap_err();
    assert_eq!(again, PoaError::ManagerAlreadyExists);
    assert_eq!(factory.find("control"), Some(manager.clone()));
    assert_eq!(factory.find("nobody"), None);
    assert!(factory.list().contains(&manager));
    assert!(factory.list().contains(&scene.server.root_poa().manager()));
    // It controls the adapters that are created with it.
    let root = scene.server.root_poa();
    let policies = scene.policies(PoaPolicies::new().user_ids());
    let poa = root.create_with_manager("controlled", policies, manager.clone()).unwrap();
    let desk = scene.object(&poa, "1");
    manager.discard_requests().unwrap();
    scene.assert_refused(&desk, Transient, 1);
    manager.activate().unwrap();
    scene.assert_served(&desk, "1");
}

fn holds_and_waits(scene: &Scene) {
    let (_, manager, desk) = managed(scene);
    for (view, desk) in scene.views(&desk) {
        manager.activate().unwrap();
        let gate = scene.act_at_gate();
        thread::scope(|scope| {
            let call = scope.spawn(|| desk.act());
            gate.when_reached(1, || {
                scope.spawn(|| {
                    manager.hold_requests_and_wait().unwrap();
                    scene.book.note("holds");
                });
                until(|| manager.state() == ManagerState::Holding);
                (0..20).for_each(|_| thread::yield_now());
            });
            assert!(call.join().unwrap().is_ok(), "{view}");
        });
        assert_eq!(scene.book.events(), ["begins", "ends", "holds"], "{view}");
    }
}
