//! Adapters with the main-thread model: their requests wait for `perform_work` or `run`, and delay nobody else.

use std::sync::{Arc, Mutex};
use std::thread::{ThreadId, current};
use std::time::Duration;

use crate::held::{DONE, STRATEGIES, TWO_WAY};
use crate::support::{Acting, Echo, builder, until};
use crate::turns::{Stage, one_by_one};
use zorb_core::poa::{PoaPolicies, ThreadModel};
use zorb_core::{CollocationStrategy, Interface, Orb};
use zorb_giop::ReplyStatus;
use zorb_types::SystemExceptionKind;

const MANY: i32 = 1_000;

/// An object in an adapter with the main-thread model, and the threads of its upcalls.
fn object(orb: &Orb) -> (Echo, Arc<Mutex<Vec<ThreadId>>>) {
    let threads = Arc::<Mutex<Vec<ThreadId>>>::default();
    let note = Arc::clone(&threads);
    let servant = Acting(move |value| {
        note.lock().unwrap().push(current().id());
        Ok(value)
    });
    let poa = orb.root_poa().create("main", PoaPolicies::new().main_thread()).unwrap();
    (poa.activate(servant).unwrap(), threads)
}

#[test]
fn requests_wait_for_perform_work_and_delay_nobody() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::MainThread, strategy, 1);
        let mut client = stage.connect();
        assert!(!stage.orb.work_pending().unwrap() && !stage.orb.perform_work().unwrap());
        (1..=MANY).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
        client.twice(&stage.free, MANY + 1, TWO_WAY);
        assert_eq!(client.reply(), (MANY + 1, DONE), "{strategy:?}");
        assert!(stage.events().is_empty() && stage.orb.work_pending().unwrap(), "{strategy:?}");
        for value in 1..=MANY {
            assert!(stage.orb.perform_work().unwrap());
            assert_eq!(client.reply(), (value, DONE), "{strategy:?}");
        }
        assert!(!stage.orb.perform_work().unwrap());
        assert_eq!(stage.events(), one_by_one(1..=MANY), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn run_executes_requests_on_its_thread_until_the_shutdown() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::MainThread, strategy, 1);
        let orb = stage.orb.clone();
        let ending = Arc::new(orb.clone());
        let poa = orb.root_poa().find("turns").unwrap();
        let (threads, note) = {
            let threads = Arc::<Mutex<Vec<ThreadId>>>::default();
            (Arc::clone(&threads), threads)
        };
        let ends: Echo = poa
            .activate(Acting(move |value| {
                note.lock().unwrap().push(current().id());
                if value == 3 {
                    ending.shutdown(false)?;
                }
                Ok(value)
            }))
            .unwrap();
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let calls = scope.spawn(|| {
                for value in 1..=3 {
                    client.twice(&ends, value, TWO_WAY);
                    assert_eq!(client.reply(), (value, DONE), "{strategy:?}");
                }
            });
            orb.run().unwrap();
            calls.join().unwrap();
        });
        assert_eq!(*threads.lock().unwrap(), [current().id(); 3], "{strategy:?}");
        let error = orb.perform_work().unwrap_err();
        assert_eq!(error.system_exception().unwrap().kind, SystemExceptionKind::BadInvOrder);
        assert!(orb.work_pending().is_err());
    }
}

#[test]
fn requests_that_wait_at_the_shutdown_are_answered() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::MainThread, strategy, 1);
        let mut client = stage.connect();
        client.twice(&stage.object, 1, TWO_WAY);
        until(|| stage.orb.work_pending().unwrap());
        stage.orb.shutdown(true).unwrap();
        assert_eq!(client.reply(), (1, ReplyStatus::SystemException), "{strategy:?}");
        assert!(stage.events().is_empty(), "{strategy:?}");
    }
}

#[test]
fn requests_keep_their_order_although_the_manager_holds_them_meanwhile() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::MainThread, strategy, 1);
        let manager = stage.manager();
        let mut client = stage.connect();
        (1..=3).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
        client.twice(&stage.free, 9, TWO_WAY);
        assert_eq!(client.reply(), (9, DONE), "{strategy:?}");
        manager.hold_requests().unwrap();
        client.twice(&stage.object, 4, TWO_WAY);
        until(|| manager.held_requests() == 1);
        while stage.orb.perform_work().unwrap() {}
        assert_eq!((stage.events().len(), manager.held_requests()), (0, 4), "{strategy:?}");
        manager.activate().unwrap();
        for value in 1..=4 {
            assert!(stage.orb.perform_work_within(Duration::MAX).unwrap());
            assert_eq!(client.reply(), (value, DONE), "{strategy:?}");
        }
        assert_eq!(stage.events(), one_by_one(1..=4), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn collocated_calls_of_other_threads_are_made_on_the_main_thread() {
    let strategies = [
        CollocationStrategy::Direct,
        CollocationStrategy::ThruPoa,
        CollocationStrategy::Marshalled,
    ];
    for strategy in strategies {
        let orb = builder().build().unwrap();
        let (object, threads) = object(&orb);
        let object = object.with_collocation(strategy);
        let here = current().id();
        std::thread::scope(|scope| {
            let call = scope.spawn(|| object.twice(1));
            assert!(orb.perform_work_within(Duration::MAX).unwrap());
            assert_eq!(call.join().unwrap(), Ok(1), "{strategy:?}");
            let one_way = scope.spawn(|| object.note(2));
            assert!(orb.perform_work_within(Duration::MAX).unwrap());
            assert_eq!(one_way.join().unwrap(), Ok(()), "{strategy:?}");
            // Nobody executes it.
            let hasty: Echo =
                Interface::from_object(object.object().with_timeout(Duration::from_millis(1)));
            let late = scope.spawn(move || hasty.twice(3)).join().unwrap().unwrap_err();
            assert_eq!(late.kind, SystemExceptionKind::Timeout, "{strategy:?}");
        });
        while orb.perform_work().unwrap() {}
        assert_eq!(*threads.lock().unwrap(), [here; 2], "{strategy:?}: the late call is not made");
        // The main thread need not wait for itself.
        assert_eq!(object.twice(4), Ok(4), "{strategy:?}");
        assert_eq!(threads.lock().unwrap().last(), Some(&here));
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_call_that_is_refused_on_the_main_thread_says_so() {
    let orb = builder().build().unwrap();
    let (object, threads) = object(&orb);
    let poa = orb.root_poa().find("main").unwrap();
    let refused = std::thread::scope(|scope| {
        let call = scope.spawn(|| object.twice(1));
        until(|| orb.work_pending().unwrap());
        poa.deactivate(&poa.id_of(&object).unwrap()).unwrap();
        assert!(orb.perform_work().unwrap());
        call.join().unwrap().unwrap_err()
    });
    assert_eq!(refused.kind, SystemExceptionKind::ObjectNotExist);
    let text = format!("{refused:?}");
    assert!(text.starts_with("twice: using an object adapter: OBJECT_NOT_EXIST"), "{text}");
    assert!(text.contains("waited for the main thread"), "{text}");
    assert!(threads.lock().unwrap().is_empty());
    orb.shutdown(true).unwrap();
}
