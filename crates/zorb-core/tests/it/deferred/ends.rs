//! What waits for deferred replies: shutdown, the destruction of adapters, the end of objects. What does not wait: clients
//! that have gone.

use super::*;

/// A request of a client, or of this ORB, that is answered while the ORB shuts down.
fn answered_in_shutdown(scene: &Scene, late: &Echo) {
    thread::scope(|scope| {
        let waits = call(scope, late, 1);
        let asked = scene.asked.recv().unwrap();
        let orb = &scene.orb;
        let shutdown = scope.spawn(|| orb.shutdown(true));
        // It has begun.
        until(|| scene.free.twice(0).is_err());
        assert!(!shutdown.is_finished());
        asked.answer();
        assert_eq!(waits.join().unwrap(), Ok(2));
        shutdown.join().unwrap().unwrap();
    });
}

#[test]
fn a_shutdown_waits_for_deferred_replies() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        answered_in_shutdown(&scene, &scene.late);
        let scene = Scene::new(strategy);
        let (_client, there) = client(&scene.late);
        answered_in_shutdown(&scene, &there);
    }
}

/// A request that is answered after the end of the shutdown.
fn answered_after_shutdown(scene: &Scene, late: &Echo) {
    thread::scope(|scope| {
        let waits = call(scope, late, 1);
        let asked = scene.asked.recv().unwrap();
        let exception = SystemException::from(scene.orb.shutdown(true).unwrap_err());
        assert_eq!(exception.minor, minor::timeout::SHUTDOWN);
        asked.answer();
        assert_eq!(waits.join().unwrap(), Ok(2));
    });
}

#[test]
fn a_shutdown_waits_within_the_grace_time_and_the_request_can_be_answered_later() {
    for strategy in STRATEGIES {
        let scene = || Scene::with(strategy, builder().shutdown_grace(Duration::from_millis(1)));
        let local = scene();
        answered_after_shutdown(&local, &local.late);
        let remote = scene();
        let (_client, there) = client(&remote.late);
        answered_after_shutdown(&remote, &there);
    }
}

#[test]
fn replies_to_clients_that_have_gone_are_discarded() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        let mut raw = scene.connect();
        raw.twice(&scene.late, 1, TWO_WAY);
        raw.twice(&scene.late, 2, TWO_WAY);
        let [first, second] = receive(&scene.asked, 2).try_into().unwrap();
        drop(raw);
        first.answer();
        drop(second);
        let (_client, there) = client(&scene.late);
        thread::scope(|scope| {
            let next = call(scope, &there, 3);
            scene.asked.recv().unwrap().answer();
            assert_eq!(next.join().unwrap(), Ok(6));
        });
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn an_adapter_and_its_objects_end_after_their_deferred_replies() {
    let scene = Scene::new(None);
    let remote = builder().build().unwrap();
    for is_local in [false, true] {
        for destroys in [false, true] {
            let poa = scene.orb.root_poa().create("ends", scene.policies.clone()).unwrap();
            let (servant, asked) = asks();
            let alive = Arc::downgrade(servant.servant());
            let mut ends: Echo = poa.activate(servant).unwrap();
            if !is_local {
                ends = remote.resolve(&ends.object().to_ior_string()).unwrap();
            }
            thread::scope(|scope| {
                let waits = call(scope, &ends, 1);
                let waiting = asked.recv().unwrap();
                let end = scope.spawn(|| match destroys {
                    true => poa.destroy_with(true, true).unwrap(),
                    false => poa.deactivate(&poa.id_of(&ends).unwrap()).unwrap(),
                });
                until(|| {
                    ends.noted().is_err_and(|exception| {
                        exception.kind == SystemExceptionKind::ObjectNotExist
                    })
                });
                assert!(alive.strong_count() > 0);
                assert!(!destroys || !end.is_finished());
                waiting.answer();
                assert_eq!(waits.join().unwrap(), Ok(2));
                end.join().unwrap();
                until(|| alive.strong_count() == 0);
            });
            poa.destroy_with(true, true).unwrap();
        }
    }
}
