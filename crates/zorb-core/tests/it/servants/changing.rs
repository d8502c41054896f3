//! Objects that are being incarnated or etherealized: who waits for that, and who would wait for itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use zorb_core::poa::{
    AnyServant, Etherealization, ManagerState, ObjectId, Poa, PoaError, PoaPolicies,
    ServantActivator,
};
use zorb_core::{CollocationStrategy, Interface, Orb};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::activator::{Log, Made, policies, reference, servant};
use super::views;
use crate::support::{Acting, Echo, Servant, server, until};

/// Incarnates and etherealizes objects as its functions do, and notes their ends.
struct Ending<I, E> {
    log: Log,
    incarnate: I,
    etherealize: E,
}

impl<I, E> ServantActivator for Ending<I, E>
where
    I: Fn(&Poa, &ObjectId) -> Made + Send + Sync + 'static,
    E: Fn(&Poa, &ObjectId) + Send + Sync + 'static,
{
    fn incarnate(&self, poa: &Poa, id: &ObjectId) -> Made {
        (self.incarnate)(poa, id)
    }

    fn etherealize(&self, poa: &Poa, id: &ObjectId, _: AnyServant, ended: Etherealization) {
        (self.etherealize)(poa, id);
        self.log.note(format!("{id} {}", u8::from(ended.cleanup_in_progress)));
    }
}

/// An adapter with a manager of its own.
fn ending<I, E>(own: PoaPolicies, incarnate: I, etherealize: E) -> (Orb, Poa, Log)
where
    I: Fn(&Poa, &ObjectId) -> Made + Send + Sync + 'static,
    E: Fn(&Poa, &ObjectId) + Send + Sync + 'static,
{
    let (orb, _) = server();
    let poa = orb.root_poa().create_with_manager("ending", own, None).unwrap();
    poa.manager().activate().unwrap();
    let log = Log::default();
    poa.set_servant_activator(Ending { log: log.clone(), incarnate, etherealize }).unwrap();
    (orb, poa, log)
}

fn would_deadlock() -> SystemException {
    SystemException::bad_inv_order(minor::bad_inv_order::WOULD_DEADLOCK, CompletionStatus::No)
}

/// Checks that a call of the object, and its activation, would wait for the calling thread.
fn assert_waits_for_itself(poa: &Poa, id: &ObjectId) {
    let object: Echo = poa.create_reference_with_id(id.clone()).unwrap();
    for strategy in [CollocationStrategy::ThruPoa, CollocationStrategy::Marshalled] {
        assert_eq!(object.with_collocation(strategy).twice(1), Err(would_deadlock()));
    }
    let refused = poa.activate_with_id::<_, Echo>(id.clone(), Servant::default()).unwrap_err();
    assert_eq!(refused, PoaError::System(would_deadlock()));
}

#[test]
fn an_etherealization_does_not_wait_for_itself() {
    for own in [policies(), policies().single_thread()] {
        let checked = Arc::new(AtomicBool::new(false));
        let checks = Arc::clone(&checked);
        let (_orb, poa, log) = ending(
            own,
            |_, _| Ok(servant()),
            move |poa, id| {
                assert_waits_for_itself(poa, id);
                let refused = PoaError::System(would_deadlock());
                assert_eq!(poa.destroy_with(true, true).unwrap_err(), refused);
                assert_eq!(poa.manager().hold_requests_and_wait().unwrap_err(), refused);
                checks.store(true, Ordering::SeqCst);
            },
        );
        let (_client, views) = views(&reference(&poa, "one"));
        for view in &views {
            assert_eq!(view.twice(1), Ok(2));
            poa.deactivate(&"one".into()).unwrap();
            until(|| log.has("one 0"));
            assert!(checked.swap(false, Ordering::SeqCst));
            log.taken();
        }
    }
}

#[test]
fn an_upcall_does_not_wait_for_its_own_end() {
    for own in [policies(), policies().single_thread()] {
        let incarnate = |poa: &Poa, id: &ObjectId| {
            let (poa, id) = (poa.clone(), id.clone());
            Ok(AnyServant::of::<Echo, _>(Arc::new(Acting(move |value| {
                match value {
                    1 => {
                        poa.deactivate(&id).unwrap();
                        assert_waits_for_itself(&poa, &id);
                    }
                    // By way of another object.
                    2 => return reference(&poa, "other").twice(3),
                    3 => {
                        poa.deactivate(&"one".into()).unwrap();
                        assert_waits_for_itself(&poa, &"one".into());
                    }
                    _ => {}
                }
                Ok(value)
            }))))
        };
        let (_orb, poa, log) = ending(own, incarnate, |_, _| {});
        let (_client, views) = views(&reference(&poa, "one"));
        for view in &views {
            for (value, answer) in [(1, 1), (2, 3)] {
                // Of an object that is active, and of one that the request incarnates.
                for is_active in [true, false] {
                    if is_active {
                        assert_eq!(view.twice(0), Ok(0));
                    }
                    assert_eq!(view.twice(value), Ok(answer));
                    until(|| log.has("one 0"));
                    log.taken();
                }
            }
        }
    }
}

#[test]
fn an_upcall_does_not_wait_for_an_etherealization_after_it() {
    let incarnate = move |poa: &Poa, _: &ObjectId| {
        let poa = poa.clone();
        Ok(AnyServant::of::<Echo, _>(Arc::new(Acting(move |value| {
            if value == 1 {
                // The etherealization waits for the turn of this upcall, and the other thread does not.
                let deactivate = poa.clone();
                let other = thread::spawn(move || deactivate.deactivate(&"idle".into()));
                other.join().unwrap().unwrap();
                assert_waits_for_itself(&poa, &"idle".into());
            }
            Ok(value)
        }))))
    };
    let (_orb, poa, log) = ending(policies().single_thread(), incarnate, |_, _| {});
    assert_eq!(reference(&poa, "idle").twice(0), Ok(0));
    assert_eq!(reference(&poa, "busy").twice(1), Ok(1));
    until(|| log.has("idle 0"));
    assert_eq!(reference(&poa, "idle").twice(0), Ok(0));
}

#[test]
fn an_object_is_etherealized_after_the_requests_that_a_manager_has_waited_for() {
    let ends: [fn(&Poa); 2] =
        [|poa| poa.deactivate(&"one".into()).unwrap(), |poa| poa.manager().deactivate()];
    for (end, event) in ends.into_iter().zip(["one 0", "one 1"]) {
        for (of_client, waits) in [(0, 1), (0, 2), (1, 1), (1, 2)] {
            let (permits, permitted) = channel::<()>();
            let permitted = Arc::new(Mutex::new(permitted));
            let has_begun = Arc::new(AtomicBool::new(false));
            let begins = Arc::clone(&has_begun);
            let incarnate = move |_: &Poa, _: &ObjectId| {
                let (begins, permitted) = (Arc::clone(&begins), Arc::clone(&permitted));
                Ok(AnyServant::of::<Echo, _>(Arc::new(Acting(move |value| {
                    if value == 1 {
                        begins.store(true, Ordering::SeqCst);
                        permitted.lock().unwrap().recv().unwrap();
                    }
                    Ok(value)
                }))))
            };
            let (_orb, poa, log) = ending(policies(), incarnate, |_, _| {});
            let (_client, views) = views(&reference(&poa, "one"));
            assert_eq!(views[of_client].twice(0), Ok(0));
            thread::scope(|scope| {
                let running = scope.spawn(|| views[of_client].twice(1));
                until(|| has_begun.load(Ordering::SeqCst));
                for _ in 0..waits {
                    let wait = scope.spawn(|| poa.manager().hold_requests_and_wait());
                    until(|| poa.manager().state() == ManagerState::Holding);
                    poa.manager().activate().unwrap();
                    wait.join().unwrap().unwrap();
                }
                end(&poa);
                let is_early = log.has(event);
                permits.send(()).unwrap();
                assert_eq!(running.join().unwrap(), Ok(1));
                assert!(!is_early);
                until(|| log.has(event));
            });
        }
    }
}

#[test]
fn etherealizations_wait_for_their_turn_whatever_the_limits_are() {
    let (permits, permitted) = channel::<()>();
    let permitted = Mutex::new(permitted);
    let (_orb, poa, log) = ending(policies().single_thread(), |_, _| Ok(servant()), |_, _| {});
    let has_begun = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&has_begun);
    let busy = Acting(move |value| {
        begins.store(true, Ordering::SeqCst);
        permitted.lock().unwrap().recv().unwrap();
        Ok(value)
    });
    let busy: Echo = poa.activate_with_id("busy", busy).unwrap();
    // More than the queue holds of one peer.
    let idle: Vec<ObjectId> = (0..600).map(|number| number.to_string().as_str().into()).collect();
    for id in &idle {
        let _: Echo = poa.activate_with_id(id.clone(), Servant::default()).unwrap();
    }
    thread::scope(|scope| {
        let running = scope.spawn(|| busy.twice(1));
        until(|| has_begun.load(Ordering::SeqCst));
        idle.iter().for_each(|id| poa.deactivate(id).unwrap());
        let early = log.taken();
        permits.send(()).unwrap();
        assert_eq!(running.join().unwrap(), Ok(1));
        assert!(early.is_empty(), "{early:?}");
    });
    until(|| log.has("599 0"));
    assert_eq!(log.taken().len(), idle.len());
}

#[test]
fn an_activation_waits_for_the_end_of_the_object() {
    let (permits, permitted) = channel::<()>();
    let permitted = Mutex::new(permitted);
    let (_orb, poa, log) = ending(
        policies(),
        |_, _| Ok(servant()),
        move |_, _| {
            permitted.lock().unwrap().recv().unwrap();
        },
    );
    assert_eq!(reference(&poa, "one").twice(1), Ok(2));
    let asks = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| poa.deactivate(&"one".into()).unwrap());
        until(|| poa.active_objects() == 0);
        scope.spawn(|| {
            until(|| asks.load(Ordering::SeqCst));
            assert!(log.taken().is_empty());
            permits.send(()).unwrap();
        });
        asks.store(true, Ordering::SeqCst);
        let echo: Echo = poa.activate_with_id("one", Acting(|_| Ok(7))).unwrap();
        assert!(log.has("one 0"));
        assert_eq!(echo.twice(1), Ok(7));
    });
    permits.send(()).unwrap();
    poa.destroy();
}

#[test]
fn an_activation_waits_for_an_incarnation() {
    for succeeds in [true, false] {
        let (permits, permitted) = channel::<()>();
        let permitted = Mutex::new(permitted);
        let has_begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&has_begun);
        let (_orb, poa, _) = ending(
            policies(),
            move |poa, id| {
                if id.as_bytes() == b"itself" {
                    assert_waits_for_itself(poa, id);
                } else {
                    begins.store(true, Ordering::SeqCst);
                    permitted.lock().unwrap().recv().unwrap();
                }
                match succeeds {
                    true => Ok(servant()),
                    false => Err(would_deadlock().into()),
                }
            },
            |_, _| {},
        );
        let asks = AtomicBool::new(false);
        let echo = reference(&poa, "one");
        thread::scope(|scope| {
            let request = scope.spawn(|| echo.twice(2));
            until(|| has_begun.load(Ordering::SeqCst));
            scope.spawn(|| {
                until(|| asks.load(Ordering::SeqCst));
                permits.send(()).unwrap();
            });
            asks.store(true, Ordering::SeqCst);
            let activated = poa.activate_with_id::<_, Echo>("one", Acting(|_| Ok(7)));
            match succeeds {
                true => assert_eq!(activated.unwrap_err(), PoaError::ObjectAlreadyActive),
                false => assert_eq!(activated.unwrap().twice(1), Ok(7)),
            }
            assert_eq!(request.join().unwrap().is_ok(), succeeds);
        });
        let itself = reference(&poa, "itself").twice(2);
        assert_eq!(itself, if succeeds { Ok(4) } else { Err(would_deadlock()) });
    }
}

#[test]
fn a_manager_that_is_deactivated_etherealizes_and_says_so() {
    let (permits, permitted) = channel::<()>();
    let permitted = Arc::new(Mutex::new(permitted));
    let incarnate = move |_: &Poa, id: &ObjectId| {
        let permitted = Arc::clone(&permitted);
        if id.as_bytes() == b"late" {
            permitted.lock().unwrap().recv().unwrap();
        }
        Ok(AnyServant::of::<Echo, _>(Arc::new(Acting(move |value| {
            if value == 1 {
                permitted.lock().unwrap().recv().unwrap();
            }
            Ok(value)
        }))))
    };
    for (etherealizes, waits) in [(true, true), (true, false), (false, true), (false, false)] {
        let begun = Arc::new(AtomicBool::new(false));
        let noting = {
            let (begun, incarnate) = (Arc::clone(&begun), incarnate.clone());
            move |poa: &Poa, id: &ObjectId| {
                if id.as_bytes() == b"late" {
                    begun.store(true, Ordering::SeqCst);
                }
                incarnate(poa, id)
            }
        };
        let (_orb, poa, log) = ending(policies(), noting, |_, _| {});
        let _: Echo = poa.activate_with_id("explicit", Servant::default()).unwrap();
        for id in ["idle", "single"] {
            assert_eq!(reference(&poa, id).twice(2), Ok(2));
        }
        poa.deactivate(&"single".into()).unwrap();
        assert_eq!(log.taken(), ["single 0"]);
        let late = reference(&poa, "late");
        thread::scope(|scope| {
            // Its object is incarnated when the manager is inactive.
            let request = scope.spawn(|| late.twice(2));
            until(|| begun.load(Ordering::SeqCst));
            let manager = poa.manager();
            let permits = permits.clone();
            scope.spawn(move || {
                until(|| manager.state() == ManagerState::Inactive);
                permits.send(()).unwrap();
            });
            poa.manager().deactivate_with(etherealizes, waits).unwrap();
            let has_ended = log.has("late 1");
            assert_eq!(request.join().unwrap(), Ok(2));
            assert!(!waits || has_ended == etherealizes);
        });
        let mut ended = log.taken();
        ended.sort();
        let all = ["explicit 1", "idle 1", "late 1"];
        assert!(ended.iter().eq(&all[..if etherealizes { 3 } else { 0 }]), "{ended:?}");
        assert_eq!(poa.active_objects(), if etherealizes { 0 } else { 3 });
        let refused = late.twice(2).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::ObjAdapter);
        poa.destroy();
        let mut ended = log.taken();
        ended.sort();
        assert!(ended.iter().eq(&all[..if etherealizes { 0 } else { 3 }]), "{ended:?}");
    }
}
