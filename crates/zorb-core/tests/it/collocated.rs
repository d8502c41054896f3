//! Calls within one ORB with every strategy: what they check, wait for and keep alive.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crate::support::{Acting, Echo, Refused, RepeatError, Servant, builder, client, server, until};
use zorb_core::poa::{ObjectId, PoaPolicies};
use zorb_core::{CollocationStrategy, Interface, ObjectRef, Orb};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

const ALL: [CollocationStrategy; 3] =
    [CollocationStrategy::ThruPoa, CollocationStrategy::Direct, CollocationStrategy::Marshalled];
/// The strategies that involve the object adapter.
const ASKING: [CollocationStrategy; 2] =
    [CollocationStrategy::ThruPoa, CollocationStrategy::Marshalled];

fn kind<T: std::fmt::Debug>(outcome: Result<T, SystemException>) -> SystemExceptionKind {
    outcome.unwrap_err().kind
}

#[test]
fn every_strategy_answers_as_a_server_does() {
    let (orb, echo) = server();
    let (_client, there) = client(&echo);
    let others = ALL.map(|strategy| echo.with_collocation(strategy));
    // Twice, because the first call of a reference resolves it.
    for here in others.iter().chain(&others) {
        assert_eq!(here.twice(21), there.twice(21));
        assert_eq!(here.repeat("ab", 2), there.repeat("ab", 2));
        let refused: RepeatError = Refused { why: "-1 is negative".into() }.into();
        assert_eq!(here.repeat("ab", -1), Err(refused));
        assert_eq!(here.repeat("ab", -1), there.repeat("ab", -1));
        // No NUL in arguments, nor in results and exceptions.
        assert_eq!(here.repeat("a\0b", 1), there.repeat("a\0b", 1));
        assert_eq!(here.mirror(b"data"), there.mirror(b"data"));
        here.note(7).unwrap();
        assert_eq!(here.noted(), Ok(7));
        let panicked =
            SystemException::unknown(minor::unknown::SERVANT_PANICKED, CompletionStatus::Maybe);
        assert_eq!(here.panic_now(), Err(panicked.clone()));
        assert_eq!(there.panic_now(), Err(panicked));
        assert_eq!(here.unknown(), there.unknown());
        assert_eq!(here.call_back(Some(here), 5), Ok(5));
        assert_eq!(here.call_back(Some(here), 5), there.call_back(Some(here), 5));
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn results_that_have_no_encoding_fail_as_from_a_server() {
    struct Bad;
    impl crate::support::EchoServant for Bad {
        fn twice(&self, _: i32) -> zorb_core::Result<i32> {
            Err(SystemException::transient(minor::transient::CLOSED_BY_PEER, CompletionStatus::Yes))
        }
        fn repeat(&self, text: &str, times: i32) -> Result<String, RepeatError> {
            if times == 0 {
                Ok("\0".into())
            } else {
                Err(Refused { why: format!("{text}\0") }.into())
            }
        }
        fn mirror(&self, _: &[u8]) -> zorb_core::Result<Vec<u8>> {
            Ok(Vec::new())
        }
        fn note(&self, _: i32) {
            panic!("in a test")
        }
        fn noted(&self) -> zorb_core::Result<i32> {
            Ok(0)
        }
        fn call_back(&self, _: Option<&Echo>, _: i32) -> zorb_core::Result<i32> {
            Ok(0)
        }
        fn panic_now(&self) -> zorb_core::Result<()> {
            Ok(())
        }
        fn wait_for(&self, _: i32) -> zorb_core::Result<()> {
            Ok(())
        }
    }
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let echo: Echo = orb.root_poa().activate(Bad).unwrap();
    let (_client, there) = client(&echo);
    for here in ALL.map(|strategy| echo.with_collocation(strategy)) {
        for times in [0, 1, 0] {
            let error = here.repeat("x", times).unwrap_err();
            assert_eq!(Err(error.clone()), there.repeat("x", times));
            assert!(
                matches!(error, RepeatError::System(it) if it.completed == CompletionStatus::Yes)
            );
        }
        assert_eq!(here.twice(1), there.twice(1));
        // No caller waits for a oneway call, even if it fails.
        assert_eq!(here.note(1), Ok(()));
    }
}

/// An ORB, a servant that only its object and a weak pointer refer to, and its reference.
fn known_weakly() -> (Orb, ObjectId, Weak<Servant>, Echo) {
    let (orb, _) = server();
    let servant = Arc::new(Servant::default());
    let echo: Echo = orb.root_poa().activate_shared(&servant).unwrap();
    let id = orb.root_poa().id_of(&echo).unwrap();
    let weak = Arc::downgrade(&servant);
    (orb, id, weak, echo)
}

#[test]
fn a_deactivated_object_is_gone_and_its_servant_with_it() {
    for strategy in ASKING {
        let (orb, id, servant, echo) = known_weakly();
        let echo = echo.with_collocation(strategy);
        assert_eq!(echo.twice(1), Ok(2));
        orb.root_poa().deactivate(&id).unwrap();
        assert_eq!(servant.strong_count(), 0, "{strategy}: a reference keeps no servant");
        assert_eq!(kind(echo.twice(1)), SystemExceptionKind::ObjectNotExist);
        assert_eq!(echo.note(1), Ok(()), "no caller waits for it");
    }
}

#[test]
fn a_direct_reference_keeps_the_servant_it_has_called() {
    let (orb, id, servant, echo) = known_weakly();
    let (direct, other) = (echo.with_collocation(CollocationStrategy::Direct), echo);
    assert_eq!(direct.twice(1), Ok(2));
    orb.root_poa().deactivate(&id).unwrap();
    assert_eq!(direct.twice(2), Ok(4), "it does not involve the adapter");
    assert_eq!(kind(other.twice(1)), SystemExceptionKind::ObjectNotExist, "it does");
    // A reference involves the adapter before its first call.
    let (orb, id, unused, late) = known_weakly();
    orb.root_poa().deactivate(&id).unwrap();
    let late = late.with_collocation(CollocationStrategy::Direct);
    assert_eq!(kind(late.twice(1)), SystemExceptionKind::ObjectNotExist);
    assert_eq!(unused.strong_count(), 0);
    drop((direct, other));
    assert_eq!(servant.strong_count(), 0, "no reference, no servant");
}

#[test]
fn a_running_call_keeps_its_servant_and_no_other_does() {
    for strategy in ASKING {
        let (orb, id, servant, echo) = known_weakly();
        let echo = echo.with_collocation(strategy);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| echo.wait_for(1));
            until(|| servant.upgrade().is_some_and(|it| it.waiting.load(Ordering::SeqCst)));
            orb.root_poa().deactivate(&id).unwrap();
            assert_eq!(kind(echo.twice(1)), SystemExceptionKind::ObjectNotExist);
            crate::support::EchoServant::note(&*servant.upgrade().unwrap(), 1);
            call.join().unwrap().unwrap();
        });
        assert_eq!(servant.strong_count(), 0);
    }
}

#[test]
fn a_servant_may_end_its_own_object() {
    for strategy in ASKING {
        let (orb, _) = server();
        let own = Arc::new(OnceLock::new());
        let (inside, known) = (orb.root_poa(), Arc::clone(&own));
        let echo: Echo = orb
            .root_poa()
            .activate(Acting(move |value| {
                inside.deactivate(known.get().unwrap()).unwrap();
                Ok(value)
            }))
            .unwrap();
        own.set(orb.root_poa().id_of(&echo).unwrap()).unwrap();
        let echo = echo.with_collocation(strategy);
        assert_eq!(echo.twice(3), Ok(3));
        assert_eq!(kind(echo.twice(3)), SystemExceptionKind::ObjectNotExist);
    }
}

#[test]
fn a_reference_finds_what_is_active_under_its_id_now() {
    let (orb, _) = server();
    let policies = PoaPolicies::new().persistent().user_ids();
    for strategy in ASKING {
        let mut poa = orb.root_poa().create("again", policies.clone()).unwrap();
        let echo: Echo = poa.create_reference_with_id("one").unwrap();
        let echo = echo.with_collocation(strategy);
        for round in 0..4 {
            assert_eq!(kind(echo.twice(1)), SystemExceptionKind::ObjectNotExist);
            let _: Echo =
                poa.activate_with_id("one", Acting(move |value| Ok(value + round))).unwrap();
            assert_eq!(echo.twice(10), Ok(10 + round));
            if round % 2 == 0 {
                poa.deactivate(&"one".into()).unwrap();
            } else {
                poa.destroy();
                assert_eq!(kind(echo.twice(1)), SystemExceptionKind::ObjectNotExist);
                poa = orb.root_poa().create("again", policies.clone()).unwrap();
            }
        }
        poa.destroy();
    }
}

#[test]
fn a_manager_holds_discards_and_refuses() {
    for strategy in ASKING {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let manager = orb.create_poa_manager();
        let policies = PoaPolicies::new();
        let poa = orb.root_poa().create_with_manager("child", policies, manager.clone()).unwrap();
        let echo: Echo = poa.activate(Servant::default()).unwrap();
        let echo = echo.with_collocation(strategy);
        for _ in 0..2 {
            std::thread::scope(|scope| {
                let call = scope.spawn(|| echo.twice(4));
                until(|| manager.held_requests() == 1);
                manager.activate().unwrap();
                assert_eq!(call.join().unwrap(), Ok(8));
            });
            assert_eq!(echo.twice(4), Ok(8));
            manager.hold_requests().unwrap();
        }
        manager.discard_requests().unwrap();
        assert_eq!(kind(echo.twice(4)), SystemExceptionKind::Transient);
        assert_eq!(echo.note(4), Ok(()));
        manager.deactivate();
        assert_eq!(kind(echo.twice(4)), SystemExceptionKind::ObjAdapter);
    }
}

#[test]
fn failed_calls_say_whether_the_adapter_or_the_servant_is_the_cause() {
    let text = |outcome: Result<i32, SystemException>| {
        let exception = outcome.unwrap_err();
        (exception.to_string(), format!("{exception:?}"))
    };
    for strategy in ASKING {
        let orb = builder().listen("iiop://127.0.0.1:0").option("MaxHeldTime", "1");
        let orb = orb.build().unwrap();
        let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
        let echo = echo.with_collocation(strategy);
        let manager = orb.root_poa().manager();
        manager.hold_requests().unwrap();
        let (held, cause) = text(echo.twice(4));
        assert!(held.contains("using an object adapter: TRANSIENT"), "{held}");
        assert!(cause.contains("the POA manager holds requests"), "{cause}");
        manager.discard_requests().unwrap();
        let (discarded, _) = text(echo.twice(4));
        assert!(discarded.contains("using an object adapter: TRANSIENT"), "{discarded}");
        manager.activate().unwrap();
        let (panicked, _) = text(echo.panic_now().map(|()| 0));
        assert!(!panicked.contains("using an object adapter"), "{panicked}");
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn direct_calls_do_not_ask_the_manager() {
    let (orb, echo) = server();
    let direct = echo.with_collocation(CollocationStrategy::Direct);
    orb.root_poa().manager().discard_requests().unwrap();
    assert_eq!(kind(direct.twice(1)), SystemExceptionKind::Transient, "the first call asks");
    orb.root_poa().manager().activate().unwrap();
    assert_eq!(direct.twice(1), Ok(2));
    orb.root_poa().manager().discard_requests().unwrap();
    assert_eq!(direct.twice(1), Ok(2));
    assert_eq!(kind(echo.twice(1)), SystemExceptionKind::Transient);
}

#[test]
fn a_shutdown_waits_for_running_calls() {
    for strategy in ASKING {
        let (orb, _) = server();
        let servant = Arc::new(Servant::default());
        let echo: Echo = orb.root_poa().activate_shared(&servant).unwrap();
        let echo = echo.with_collocation(strategy);
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| echo.wait_for(1));
            until(|| servant.waiting.load(Ordering::SeqCst));
            let shutdown = scope.spawn(|| {
                orb.shutdown(true).unwrap();
                ended.store(true, Ordering::SeqCst);
            });
            // No new call is accepted once it has begun.
            until(|| echo.twice(1).is_err());
            assert_eq!(kind(echo.twice(1)), SystemExceptionKind::BadInvOrder);
            (0..100).for_each(|_| std::thread::yield_now());
            assert!(!ended.load(Ordering::SeqCst), "{strategy}");
            crate::support::EchoServant::note(&*servant, 1);
            call.join().unwrap().unwrap();
            shutdown.join().unwrap();
        });
    }
}

#[test]
fn an_upcall_cannot_wait_for_itself() {
    let other = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    for strategy in ASKING {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let inside = orb.clone();
        let echo: Echo = orb
            .root_poa()
            .activate(Acting(move |value| {
                inside.shutdown(true)?;
                Ok(value)
            }))
            .unwrap();
        let echo = echo.with_collocation(strategy);
        let would_deadlock = SystemException::bad_inv_order(
            minor::bad_inv_order::WOULD_DEADLOCK,
            CompletionStatus::No,
        );
        assert_eq!(echo.twice(1), Err(would_deadlock.clone()));
        // Nor with another ORB's upcall in between.
        let inner = echo.clone();
        let between: Echo =
            other.root_poa().activate(Acting(move |value| inner.twice(value))).unwrap();
        let outer: Echo =
            orb.root_poa().activate(Acting(move |value| between.twice(value))).unwrap();
        assert_eq!(outer.with_collocation(strategy).twice(1), Err(would_deadlock));
        orb.shutdown(true).unwrap();
        assert_eq!(kind(echo.twice(1)), SystemExceptionKind::BadInvOrder);
    }
}

#[test]
fn no_servant_is_called_after_a_shutdown() {
    for strategy in ALL {
        let (orb, echo) = server();
        let echo = echo.with_collocation(strategy);
        assert_eq!(echo.twice(1), Ok(2));
        orb.shutdown(true).unwrap();
        assert_eq!(kind(echo.twice(1)), SystemExceptionKind::BadInvOrder);
        assert_eq!(kind(echo.note(1)), SystemExceptionKind::BadInvOrder);
    }
}

#[test]
fn references_of_another_orb_arrive_as_the_object_s_own() {
    for strategy in ALL {
        let (orb, echo) = server();
        let (elsewhere, there) = server();
        let (client_orb, seen) = client(&there);
        let kept = Arc::new(OnceLock::<Echo>::new());
        let keeping = Arc::clone(&kept);
        struct Keeping(Arc<OnceLock<Echo>>);
        impl crate::support::EchoServant for Keeping {
            fn twice(&self, _: i32) -> zorb_core::Result<i32> {
                Ok(0)
            }
            fn repeat(&self, _: &str, _: i32) -> Result<String, RepeatError> {
                Ok(String::new())
            }
            fn mirror(&self, _: &[u8]) -> zorb_core::Result<Vec<u8>> {
                Ok(Vec::new())
            }
            fn note(&self, _: i32) {}
            fn noted(&self) -> zorb_core::Result<i32> {
                Ok(0)
            }
            fn call_back(&self, other: Option<&Echo>, _: i32) -> zorb_core::Result<i32> {
                self.0.set(other.unwrap().clone()).unwrap();
                Ok(0)
            }
            fn panic_now(&self) -> zorb_core::Result<()> {
                Ok(())
            }
            fn wait_for(&self, _: i32) -> zorb_core::Result<()> {
                Ok(())
            }
        }
        let servant: Echo = orb.root_poa().activate(Keeping(keeping)).unwrap();
        servant.with_collocation(strategy).call_back(Some(&seen), 1).unwrap();
        client_orb.shutdown(true).unwrap();
        assert_eq!(kind(seen.twice(1)), SystemExceptionKind::BadInvOrder);
        assert_eq!(kept.get().unwrap().twice(1), Ok(2), "{strategy}: it is of the servant's ORB");
        drop(echo);
        orb.shutdown(true).unwrap();
        elsewhere.shutdown(true).unwrap();
    }
}

#[test]
fn published_names_and_wrong_types_are_found_out() {
    let (orb, echo) = server();
    orb.publish("echo", &echo).unwrap();
    let endpoint = orb.endpoints().remove(0).replace("iiop://", "corbaloc::");
    let named: ObjectRef = orb.string_to_object(&format!("{endpoint}/echo")).unwrap().unwrap();
    let named: Echo = named.unchecked_narrow();
    for _ in 0..3 {
        assert_eq!(named.twice(1), Ok(2));
    }
    orb.root_poa().deactivate(&orb.root_poa().id_of(&echo).unwrap()).unwrap();
    assert_eq!(kind(named.twice(1)), SystemExceptionKind::ObjectNotExist);
}

#[test]
fn threads_call_while_objects_come_and_go() {
    let (orb, _) = server();
    let poa = orb.root_poa().create("busy", PoaPolicies::new().persistent().user_ids()).unwrap();
    let echo: Echo = poa.create_reference_with_id("one").unwrap();
    let calls = AtomicI32::new(0);
    let done = AtomicBool::new(false);
    let alive = Arc::new(());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    match echo.twice(5) {
                        Ok(value) => assert_eq!(value, 10),
                        Err(error) => assert_eq!(error.kind, SystemExceptionKind::ObjectNotExist),
                    }
                    calls.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..50 {
            let held = Arc::clone(&alive);
            let servant = Acting(move |value| {
                let _ = &held;
                Ok(value * 2)
            });
            let _: Echo = poa.activate_with_id("one", servant).unwrap();
            let before = calls.load(Ordering::SeqCst);
            until(|| calls.load(Ordering::SeqCst) > before + 3);
            poa.deactivate(&"one".into()).unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(Arc::strong_count(&alive), 1, "every servant is gone");
    orb.shutdown(true).unwrap();
}

#[test]
fn the_option_says_how_references_call() {
    for strategy in ALL {
        let builder = builder().option("CollocationStrategy", strategy.to_string());
        let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
        assert_eq!(orb.options().collocation_strategy, strategy);
        let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
        assert_eq!(echo.twice(4), Ok(8));
        orb.root_poa().manager().discard_requests().unwrap();
        assert_eq!(echo.twice(4).is_ok(), strategy == CollocationStrategy::Direct);
    }
    let error = builder().option("CollocationStrategy", "sideways").build().unwrap_err();
    assert!(error.to_string().contains("thru_poa, direct, marshalled"), "{error}");
}
