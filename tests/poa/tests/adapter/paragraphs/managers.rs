//! POA managers.

use std::sync::atomic::Ordering;
use std::thread;

use zorb::SystemExceptionKind::{ObjAdapter, Transient};
use zorb::poa::{ManagerState, Poa, PoaError, PoaManager, PoaPolicies};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::Scene;
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.2", "a new manager holds", Kind::ALL, new_managers_hold),
    ("15.3.2.1", "activation serves what is held", Kind::ALL, activation_serves_what_is_held),
    ("15.3.2.3", "a discarding manager answers TRANSIENT", Kind::ALL, discarding),
    ("15.3.2.4", "a deactivated manager refuses, for ever", Kind::ALL, deactivated),
    ("15.3.9", "adapters share their parent's manager", Kind::ALL, shared_by_default),
];

fn managed(scene: &Scene) -> (Poa, PoaManager, Desk) {
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
        while manager.held_requests() == 0 {
            thread::yield_now();
        }
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
