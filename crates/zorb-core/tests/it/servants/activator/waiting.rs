//! Requests that wait for an incarnation or an etherealization.

use std::sync::Mutex;

use zorb_core::lanes::Strategy;
use zorb_core::poa::PoaPolicies;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::reference;
use super::stage::{MANY, Stage, WAITS, one_by_one, recv};
use crate::held::{DONE, STRATEGIES, TWO_WAY};
use crate::support::until;

#[test]
fn a_thousand_requests_wait_for_an_incarnation_and_delay_nobody() {
    for strategy in STRATEGIES {
        let stage = Stage::new(strategy, |policies| policies, recv);
        let (mut client, mut other) = (stage.connect(), stage.connect());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(0));
            until(|| stage.log.has("incarnate activated one"));
            (1..=MANY).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            client.twice(&stage.free, MANY + 1, TWO_WAY);
            assert_eq!(client.reply(), (MANY + 1, DONE), "{strategy:?}");
            other.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(other.reply(), (7, DONE), "{strategy:?}");
            assert_eq!(stage.log.taken(), ["incarnate activated one"], "{strategy:?}");
            stage.permits.send(()).unwrap();
            // It may not overtake the others.
            client.twice(&stage.object, MANY + 2, TWO_WAY);
            assert_eq!(first.join().unwrap(), Ok(0));
        });
        let mut replies: Vec<_> = (0..=MANY).map(|_| client.reply()).collect();
        replies.sort_unstable_by_key(|(id, _)| *id);
        let ids = (1..=MANY).chain([MANY + 2]);
        assert!(replies.into_iter().eq(ids.map(|id| (id, DONE))), "{strategy:?}");
        assert!(!stage.log.has("incarnate activated one"), "{strategy:?}");
        assert_eq!(stage.poa.active_objects(), 1);
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_that_waited_for_an_incarnation_are_served_in_order() {
    // Connections with threads of their own serve resumed requests on several threads.
    let own_threads = Some(Strategy::ThreadPerConnection);
    for strategy in STRATEGIES.into_iter().filter(|it| *it != own_threads).flatten() {
        let stage = Stage::new(Some(strategy), |policies| policies, recv);
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(WAITS));
            until(|| stage.log.has("incarnate activated one"));
            (1..=100).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            client.twice(&stage.free, 101, TWO_WAY);
            assert_eq!(client.reply(), (101, DONE), "{strategy:?}");
            stage.permits.send(()).unwrap();
            (102..=200).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            for value in (1..=100).chain(102..=200) {
                assert_eq!(client.reply(), (value, DONE), "{strategy:?}");
            }
            stage.permits.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(WAITS));
        });
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn when_an_incarnation_fails_the_next_request_incarnates() {
    let attempts = Mutex::new(0);
    let stage = Stage::new(
        None,
        |policies| policies,
        move |permitted| {
            permitted.recv().unwrap();
            let mut attempts = attempts.lock().unwrap();
            *attempts += 1;
            match *attempts {
                1 => Err(SystemException::no_memory(
                    minor::no_memory::OUT_OF_MEMORY,
                    CompletionStatus::No,
                )),
                _ => Ok(()),
            }
        },
    );
    let mut client = stage.connect();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| stage.object.twice(0));
        until(|| stage.log.has("incarnate activated one"));
        (1..=10).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
        client.twice(&stage.free, 11, TWO_WAY);
        assert_eq!(client.reply(), (11, DONE));
        stage.log.taken();
        stage.permits.send(()).unwrap();
        assert_eq!(first.join().unwrap().unwrap_err().kind, SystemExceptionKind::NoMemory);
        until(|| stage.log.has("incarnate activated one"));
        stage.permits.send(()).unwrap();
        let mut replies: Vec<_> = (1..=10).map(|_| client.reply()).collect();
        replies.sort_unstable_by_key(|(id, _)| *id);
        assert!(replies.into_iter().eq((1..=10).map(|id| (id, DONE))));
    });
    let events = stage.log.taken();
    assert_eq!(events.iter().filter(|event| event.starts_with("inc")).count(), 1, "{events:?}");
}

#[test]
fn an_object_is_etherealized_after_its_last_request_and_then_incarnated_anew() {
    for strategy in STRATEGIES {
        let stage = Stage::new(strategy, |policies| policies, |_| Ok(()));
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(WAITS));
            until(|| stage.log.has("begin 100000"));
            stage.poa.deactivate(&"one".into()).unwrap();
            assert_eq!(stage.poa.active_objects(), 0);
            let second = scope.spawn(|| stage.object.twice(5));
            client.twice(&stage.object, 6, TWO_WAY);
            client.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(client.reply(), (7, DONE), "{strategy:?}");
            assert_eq!(stage.log.taken(), ["incarnate activated one", "begin 100000"]);
            stage.permits.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(WAITS));
            assert_eq!(second.join().unwrap(), Ok(5));
            assert_eq!(client.reply(), (6, DONE), "{strategy:?}");
        });
        let events = stage.log.taken();
        let expected =
            ["end 100000", "etherealize activated one [0, 0]", "incarnate activated one"];
        assert_eq!(events[..3], expected, "{strategy:?}");
        assert_eq!(events.len(), 7, "{events:?}");
        // After a remote request, too.
        client.twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.log.has("begin 100000"));
        stage.poa.deactivate(&"one".into()).unwrap();
        stage.permits.send(()).unwrap();
        assert_eq!(client.reply(), (WAITS, DONE), "{strategy:?}");
        until(|| stage.log.has("etherealize activated one [0, 0]"));
        let expected = ["begin 100000", "end 100000", "etherealize activated one [0, 0]"];
        assert_eq!(stage.log.taken(), expected, "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn an_adapter_with_one_upcall_at_a_time_etherealizes_at_its_turn() {
    for strategy in STRATEGIES {
        let stage = Stage::new(strategy, PoaPolicies::single_thread, |_| Ok(()));
        let idle = reference(&stage.poa, "idle");
        assert_eq!(idle.twice(1), Ok(1));
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(WAITS));
            until(|| stage.log.has("begin 100000"));
            stage.poa.deactivate(&"idle".into()).unwrap();
            client.twice(&stage.object, 6, TWO_WAY);
            client.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(client.reply(), (7, DONE), "{strategy:?}");
            stage.log.taken();
            stage.permits.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(WAITS));
            assert_eq!(client.reply(), (6, DONE), "{strategy:?}");
        });
        let mut expected = vec!["end 100000".to_owned()];
        expected.push("etherealize activated idle [0, 0]".to_owned());
        expected.extend(one_by_one([6]));
        assert_eq!(stage.log.taken(), expected, "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}
