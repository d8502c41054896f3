//! The limits of held requests: number, octets, memory and time.

use super::*;
use zorb_types::SystemExceptionKind;

#[test]
fn requests_beyond_the_limit_and_those_of_a_manager_that_refuses_are_answered() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy, 3);
        let mut client = scene.connect();
        (0..4).for_each(|value| client.twice(&scene.held, value, TWO_WAY));
        assert_eq!(client.reply(), (3, ReplyStatus::SystemException), "{strategy:?}");
        scene.manager.discard_requests().unwrap();
        let mut replies: Vec<_> = (0..3).map(|_| client.reply()).collect();
        replies.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(
            replies,
            (0..3).map(|id| (id, ReplyStatus::SystemException)).collect::<Vec<_>>()
        );
        assert!(scene.asked.lock().unwrap().is_empty());
        scene.manager.hold_requests().unwrap();
        client.twice(&scene.held, 9, TWO_WAY);
        until(|| held(&scene.manager) == 1);
        // The shutdown of the ORB answers all.
        scene.orb.shutdown(true).unwrap();
        assert_eq!(client.reply(), (9, ReplyStatus::SystemException), "{strategy:?}");
    }
}

#[test]
fn the_held_requests_of_one_address_leave_room_for_those_of_others() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy, 3);
        let [mut one, mut again] = [(); 2].map(|()| scene.connect_from("127.0.0.2"));
        (0..3).for_each(|value| one.twice(&scene.held, value, TWO_WAY));
        until(|| held(&scene.manager) == 3);
        for stranger in [&mut one, &mut again] {
            stranger.twice(&scene.held, 3, TWO_WAY);
            assert_eq!(stranger.reply(), (3, ReplyStatus::SystemException), "{strategy:?}");
        }
        let mut other = scene.connect();
        (5..8).for_each(|value| other.twice(&scene.held, value, TWO_WAY));
        until(|| held(&scene.manager) == 6);
        scene.manager.activate().unwrap();
        let mut done = [other.reply(), other.reply(), other.reply()];
        done.sort_by_key(|(id, _)| *id);
        assert_eq!(done, [(5, DONE), (6, DONE), (7, DONE)], "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_are_held_up_to_a_number_of_octets() {
    for strategy in STRATEGIES {
        // Each has between 64 and 128 octets, and a peer has half of them.
        let scene = Scene::with(strategy, builder().option("MaxHeldOctets", "512"));
        let mut client = scene.connect();
        let mut sent = 0;
        let refused = loop {
            client.twice(&scene.held, sent, TWO_WAY);
            sent += 1;
            client.twice(&scene.free, 100 + sent, TWO_WAY);
            match client.reply() {
                (id, DONE) => assert_eq!(id, 100 + sent, "{strategy:?}"),
                (id, status) => break (id, status),
            }
        };
        assert_eq!(refused, (sent - 1, ReplyStatus::SystemException), "{strategy:?}");
        assert!((2..=4).contains(&held(&scene.manager)), "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_are_held_while_there_is_memory_for_them() {
    for strategy in STRATEGIES {
        // The buffer of a short request has 4 KiB.
        let scene = Scene::with(strategy, builder().option("MaxBufferedOctetsPerPeer", "8192"));
        let mut client = scene.connect();
        for id in 0..2 {
            client.twice(&scene.held, id, TWO_WAY);
            until(|| held(&scene.manager) == id + 1);
        }
        client.twice(&scene.held, 2, TWO_WAY);
        let (id, status, octets) = client.whole_reply();
        assert_eq!((id, status), (2, ReplyStatus::SystemException), "{strategy:?}");
        let name = b"IDL:omg.org/CORBA/NO_RESOURCES:1.0";
        assert!(octets.windows(name.len()).any(|part| part == name), "{strategy:?}");
        assert_eq!(held(&scene.manager), 2, "{strategy:?}");
        scene.manager.activate().unwrap();
        let mut done = [client.reply(), client.reply()];
        done.sort_by_key(|(id, _)| *id);
        assert_eq!(done, [(0, DONE), (1, DONE)], "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_are_held_for_a_limited_time() {
    for strategy in STRATEGIES {
        let scene = Scene::with(strategy, builder().option("MaxHeldTime", "1"));
        let mut client = scene.connect();
        client.twice(&scene.held, 1, TWO_WAY);
        assert_eq!(client.reply(), (1, ReplyStatus::SystemException), "{strategy:?}");
        client.twice(&scene.held, 2, ResponseFlags::NoResponse);
        client.twice(&scene.held, 3, TWO_WAY);
        assert_eq!(client.reply(), (3, ReplyStatus::SystemException), "{strategy:?}");
        until(|| held(&scene.manager) == 0);
        // By a client that checks the exception, and within the process.
        let (_orb, there) = crate::support::client(&scene.held);
        for echo in [&there, &scene.held] {
            let exception = echo.twice(4).unwrap_err();
            let code = (exception.kind, exception.minor, exception.completed);
            let discarded = minor::transient::REQUEST_DISCARDED;
            let transient = SystemExceptionKind::Transient;
            assert_eq!(code, (transient, discarded, CompletionStatus::No), "{strategy:?}");
        }
        scene.manager.activate().unwrap();
        client.twice(&scene.held, 5, TWO_WAY);
        assert_eq!(client.reply(), (5, DONE), "{strategy:?}");
        assert_eq!(*scene.asked.lock().unwrap(), [5], "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}
