//! Changes of POA managers that wait for the requests in progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use zorb_core::lanes::Strategy;
use zorb_core::poa::{AnyServant, ManagerState, Poa, PoaError, PoaManager, PoaPolicies};
use zorb_core::{CollocationStrategy, Interface, Orb};
use zorb_types::{SystemException, SystemExceptionKind, minor};

use crate::held::STRATEGIES;
use crate::support::{Acting, Echo, builder, client, served_by, until};

/// The argument with which the servant waits for a permission.
const WAITS: i32 = 1;

/// The kinds of adapters.
const KINDS: [fn(PoaPolicies) -> PoaPolicies; 4] = [
    PoaPolicies::user_ids,
    |policies| policies,
    |policies| policies.user_ids().single_thread(),
    |policies| policies.user_ids().multiple_ids().default_servant(),
];

type Change = fn(&PoaManager) -> Result<(), PoaError>;

const CHANGES: [(ManagerState, Change); 4] = [
    (ManagerState::Holding, PoaManager::hold_requests_and_wait),
    (ManagerState::Discarding, PoaManager::discard_requests_and_wait),
    (ManagerState::Inactive, |manager| manager.deactivate_with(false, true)),
    (ManagerState::Inactive, |manager| manager.deactivate_with(true, true)),
];

/// An object whose adapter has a manager of its own.
struct Stage {
    orb: Orb,
    poa: Poa,
    manager: PoaManager,
    object: Echo,
    has_begun: Arc<AtomicBool>,
    has_ended: Arc<AtomicBool>,
    permits: Sender<()>,
}

impl Stage {
    fn new(strategy: Option<Strategy>, own: impl Fn(PoaPolicies) -> PoaPolicies) -> Self {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let policies = own(served_by(&orb, strategy, 1).policies);
        let poa = orb.root_poa().create_with_manager("waits", policies, None).unwrap();
        let manager = poa.manager();
        let (permits, permitted) = channel();
        let permitted = Mutex::new(permitted);
        let [has_begun, has_ended] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let servant = Arc::new(Acting({
            let (has_begun, has_ended) = (Arc::clone(&has_begun), Arc::clone(&has_ended));
            move |value| {
                if value == WAITS {
                    has_begun.store(true, Ordering::SeqCst);
                    permitted.lock().unwrap().recv().unwrap();
                    has_ended.store(true, Ordering::SeqCst);
                }
                Ok(2 * value)
            }
        }));
        let object = if poa.set_servant(AnyServant::of::<Echo, _>(Arc::clone(&servant))).is_ok() {
            poa.create_reference_with_id("one")
        } else {
            let by_program = poa.activate_shared_with_id("one", &servant);
            by_program.or_else(|_| poa.activate_shared(&servant))
        };
        manager.activate().unwrap();
        Self { orb, poa, manager, object: object.unwrap(), has_begun, has_ended, permits }
    }

    /// The object as its own ORB, by two strategies, and another one see it.
    fn views(&self) -> (Orb, [Echo; 3]) {
        let (orb, there) = client(&self.object);
        let by = |strategy| self.object.with_collocation(strategy);
        (orb, [by(CollocationStrategy::ThruPoa), by(CollocationStrategy::Marshalled), there])
    }

    fn begin<'s>(
        &self,
        scope: &'s thread::Scope<'s, '_>,
        view: &'s Echo,
    ) -> thread::ScopedJoinHandle<'s, Result<i32, SystemException>> {
        self.has_begun.store(false, Ordering::SeqCst);
        self.has_ended.store(false, Ordering::SeqCst);
        let call = scope.spawn(|| view.twice(WAITS));
        until(|| self.has_begun.load(Ordering::SeqCst));
        call
    }
}

#[test]
fn a_change_waits_for_the_requests_in_progress() {
    for strategy in STRATEGIES {
        for own in KINDS {
            for (state, change) in CHANGES {
                for of_view in 0..3 {
                    let stage = Stage::new(strategy, own);
                    let (_client, views) = stage.views();
                    // A reference that has bound its object, too.
                    assert_eq!(views[of_view].twice(4), Ok(8));
                    thread::scope(|scope| {
                        let call = stage.begin(scope, &views[of_view]);
                        let permit = || {
                            until(|| stage.manager.state() == state);
                            stage.permits.send(()).unwrap();
                        };
                        scope.spawn(permit);
                        change(&stage.manager).unwrap();
                        assert!(stage.has_ended.load(Ordering::SeqCst), "{strategy:?} {state:?}");
                        assert_eq!(call.join().unwrap(), Ok(2 * WAITS));
                    });
                    if state != ManagerState::Inactive {
                        stage.manager.activate().unwrap();
                        assert!(views.iter().all(|view| view.twice(3) == Ok(6)));
                    }
                    stage.orb.shutdown(true).unwrap();
                }
            }
        }
    }
}

#[test]
fn objects_remain_what_they_are_after_a_wait() {
    let stage = Stage::new(None, |policies| policies);
    let (_client, views) = stage.views();
    let id = stage.poa.id_of(&stage.object).unwrap();
    let servant = stage.poa.id_to_servant(&id).unwrap();
    for _ in 0..2 {
        assert!(views.iter().all(|view| view.twice(3) == Ok(6)));
        stage.manager.hold_requests_and_wait().unwrap();
        assert_eq!(stage.poa.active_objects(), 1);
        assert_eq!(stage.poa.id_to_servant(&id), Ok(servant.clone()));
        assert_eq!(stage.poa.servant_to_id(&servant), Ok(id.clone()));
        stage.manager.activate().unwrap();
    }
    stage.poa.deactivate(&id).unwrap();
    for view in &views {
        assert_eq!(view.twice(3).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
    }
}

#[test]
fn another_change_ends_a_wait() {
    for view in 0..3 {
        let stage = Stage::new(None, PoaPolicies::user_ids);
        let (_client, views) = stage.views();
        thread::scope(|scope| {
            let call = stage.begin(scope, &views[view]);
            let wait = scope.spawn(|| stage.manager.hold_requests_and_wait());
            until(|| stage.manager.state() == ManagerState::Holding);
            stage.manager.activate().unwrap();
            wait.join().unwrap().unwrap();
            assert!(!stage.has_ended.load(Ordering::SeqCst));
            stage.permits.send(()).unwrap();
            assert_eq!(call.join().unwrap(), Ok(2 * WAITS));
        });
    }
}

#[test]
fn an_upcall_may_not_wait_for_itself() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    // Another manager than that of the object: all of an ORB are the same in this.
    let managers = [orb.root_poa().manager(), orb.create_poa_manager()];
    let states = || [managers[0].state(), managers[1].state()];
    let before = states();
    let refused = Acting({
        let managers = managers.clone();
        move |_| {
            for manager in &managers {
                for (_, change) in CHANGES {
                    match change(manager) {
                        Err(PoaError::System(refused))
                            if refused.kind == SystemExceptionKind::BadInvOrder
                                && refused.minor == minor::bad_inv_order::WOULD_DEADLOCK => {}
                        other => panic!("{other:?}"),
                    }
                }
            }
            Ok(0)
        }
    });
    let object: Echo = orb.root_poa().activate(refused).unwrap();
    let (_client, there) = client(&object);
    for view in [&object, &there] {
        assert_eq!(view.twice(1), Ok(0));
    }
    assert_eq!(states(), before);
    managers[0].deactivate_with(true, true).unwrap();
    assert_eq!(managers[0].deactivate_with(true, true), Err(PoaError::AdapterInactive));
}
