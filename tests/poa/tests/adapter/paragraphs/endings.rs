//! The end of objects and adapters.

use std::sync::{Arc, OnceLock};
use std::thread;

use zorb::SystemExceptionKind::{BadInvOrder, ObjectNotExist, Transient};
use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb_poa_tests::Desk;
use zorb_poa_tests::desk::ActError;

use super::Row;
use crate::closures::Creates;
use crate::scene::{Scene, system, until};
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.9 deactivate_object", "running requests complete", Kind::ACTIVE, running_complete),
    (
        "15.3.9 deactivate_object",
        "the servant ends after the last request",
        Kind::ACTIVE,
        servant_ends,
    ),
    ("15.3.9 deactivate_object", "by the object's own request", Kind::ACTIVE, by_itself),
    ("15.3.9 destroy", "the children, too", Kind::ALL, children_too),
    ("15.3.9 destroy", "does not wait for requests unless asked", Kind::ALL, does_not_wait),
    ("15.3.9 destroy", "wait_for_completion: returns after the last request", Kind::ALL, waits),
    (
        "15.3.9 destroy",
        "wait_for_completion in an upcall: BAD_INV_ORDER",
        Kind::ALL,
        waits_for_itself,
    ),
    ("15.3.9 destroy", "in an upcall without: the request completes", Kind::ALL, in_an_upcall),
    ("15.3.9 destroy", "creates no children afterwards: BAD_INV_ORDER", Kind::ALL, no_children),
    ("15.3.9 destroy", "operations afterwards: OBJECT_NOT_EXIST", Kind::ALL, no_operations),
    ("15.3.9 destroy", "its name may be used again", Kind::ALL, again),
    ("15.3.9 destroy", "its name is not free until then: TRANSIENT", Kind::ALL, not_yet),
];

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids()
}

/// Calls `act` collocated or remotely, and `work` while the upcall waits.
fn during_an_upcall(scene: &Scene, desk: &Desk, work: impl Fn() + Sync) {
    for (view, desk) in scene.views(desk) {
        let gate = scene.act_at_gate();
        thread::scope(|scope| {
            let call = scope.spawn(|| desk.act());
            gate.when_reached(1, || {
                work();
                assert_eq!(scene.book.events(), ["begins"], "{view}");
            });
            assert!(call.join().unwrap().is_ok(), "{view}");
        });
        let events = scene.book.events();
        assert_eq!(events.first().map(String::as_str), Some("ends"), "{view}: {events:?}");
    }
}

fn running_complete(scene: &Scene) {
    let poa = scene.poa("objects", policies());
    let desk = scene.object(&poa, "1");
    during_an_upcall(scene, &desk, || {
        poa.deactivate(&"1".into()).unwrap();
        assert_eq!(poa.active_objects(), 0);
        // The next view's.
        scene.object(&poa, "1");
    });
    poa.deactivate(&"1".into()).unwrap();
    scene.assert_refused(&desk, ObjectNotExist, 1);
}

fn servant_ends(scene: &Scene) {
    let poa = scene.poa("objects", policies());
    let servant = scene.servant();
    let ended = servant.is_dropped();
    let desk = scene.object_of(&poa, "1", &servant).unwrap();
    drop(servant);
    let gate = scene.act_at_gate();
    let (_, there) = &scene.views(&desk)[1];
    thread::scope(|scope| {
        let call = scope.spawn(|| there.act());
        gate.when_reached(1, || {
            poa.deactivate(&"1".into()).unwrap();
            assert!(!ended());
        });
        assert!(call.join().unwrap().is_ok());
    });
    until(ended);
}

fn by_itself(scene: &Scene) {
    let poa = scene.poa("objects", policies());
    scene.act(|upcall| {
        upcall.poa()?.deactivate(upcall.object_id())?;
        // It remains the current one until its end.
        assert_eq!(upcall.poa()?.id_of(&upcall.reference::<Desk>()?)?, *upcall.object_id());
        Ok(())
    });
    for id in ["1", "2"] {
        let desk = scene.object(&poa, id);
        let (_, desk) = &scene.views(&desk)[usize::from(id == "2")];
        assert!(desk.act().is_ok());
        scene.assert_refused(desk, ObjectNotExist, 1);
    }
}

fn children_too(scene: &Scene) {
    let poa = scene.poa("parent", policies());
    let child = poa.create("child", scene.policies(policies())).unwrap();
    let desks = [(&poa, "1"), (&child, "2")].map(|(poa, id)| (id, scene.object(poa, id)));
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
    poa.destroy();
    desks.iter().for_each(|(_, desk)| scene.assert_refused(desk, ObjectNotExist, 2));
    let missing = scene.server.root_poa().find("parent").unwrap_err();
    assert_eq!(missing, PoaError::AdapterNonExistent);
}

fn does_not_wait(scene: &Scene) {
    for at in 0..2 {
        let poa = scene.poa("parent", policies());
        let child = poa.create("child", scene.policies(policies())).unwrap();
        let desk = scene.object(&child, "1");
        let gate = scene.act_at_gate();
        let (view, desk) = &scene.views(&desk)[at];
        thread::scope(|scope| {
            let call = scope.spawn(|| desk.act());
            gate.when_reached(1, || poa.destroy_with(true, false).unwrap());
            assert!(call.join().unwrap().is_ok(), "{view}");
        });
        scene.assert_refused(desk, ObjectNotExist, 2);
    }
}

fn waits(scene: &Scene) {
    for at in 0..2 {
        let poa = scene.poa("parent", policies());
        let child = poa.create("child", scene.policies(policies())).unwrap();
        let desk = scene.object(&child, "1");
        let gate = scene.act_at_gate();
        let (view, desk) = &scene.views(&desk)[at];
        thread::scope(|scope| {
            let call = scope.spawn(|| desk.act());
            gate.when_reached(1, || {
                scope.spawn(|| {
                    poa.destroy_with(true, true).unwrap();
                    scene.book.note("destroyed");
                });
                until(|| scene.server.root_poa().find("parent").is_err());
                (0..20).for_each(|_| thread::yield_now());
            });
            assert!(call.join().unwrap().is_ok(), "{view}");
        });
        assert_eq!(scene.book.events(), ["begins", "ends", "destroyed"], "{view}");
    }
}

fn waits_for_itself(scene: &Scene) {
    let poa = scene.poa("parent", policies());
    let desk = scene.object(&poa, "1");
    scene.act(|upcall| {
        let refused = system(upcall.poa()?.destroy_with(true, true).unwrap_err());
        Err(refused.into())
    });
    for (view, desk) in scene.views(&desk) {
        let ActError::System(refused) = desk.act().unwrap_err() else { panic!("{view}") };
        assert_eq!((refused.kind, refused.minor.code()), (BadInvOrder, 3), "{view}");
    }
    // Nothing has been destroyed.
    scene.assert_served(&desk, "1");
}

fn in_an_upcall(scene: &Scene) {
    scene.act(|upcall| {
        upcall.poa()?.destroy();
        Ok(())
    });
    for at in 0..2 {
        let poa = scene.poa("parent", policies());
        let (view, desk) = &scene.views(&scene.object(&poa, "1"))[at];
        assert!(desk.act().is_ok(), "{view}");
        scene.assert_refused(desk, ObjectNotExist, 2);
    }
}

fn no_children(scene: &Scene) {
    let poa = scene.poa("parent", policies());
    let desk = scene.object(&poa, "1");
    let refused = Arc::new(OnceLock::new());
    let seen = Arc::clone(&refused);
    scene.act(move |upcall| {
        let poa = upcall.poa()?;
        poa.destroy();
        seen.set(poa.create("child", PoaPolicies::new()).map(|_| ())).unwrap();
        Ok(())
    });
    scene.views(&desk)[0].1.act().unwrap();
    let refuses = |refused: PoaError| {
        let refused = system(refused);
        assert_eq!((refused.kind, refused.minor.code()), (BadInvOrder, 17));
    };
    refuses(refused.get().unwrap().clone().unwrap_err());
    refuses(poa.create("child", PoaPolicies::new()).unwrap_err());
}

fn no_operations(scene: &Scene) {
    let poa = scene.poa("parent", policies());
    let (servant, id) = (scene.servant(), "1".into());
    let desk = scene.object_of(&poa, "1", &servant).unwrap();
    let gate = scene.act_at_gate();
    thread::scope(|scope| {
        let call = scope.spawn(|| desk.act());
        gate.when_reached(1, || {
            poa.destroy();
            // The destruction is not complete.
            assert_eq!(poa.id_of(&desk), Ok("1".into()));
        });
        assert!(call.join().unwrap().is_ok());
    });
    poa.destroy_with(true, true).unwrap();
    let refused = [
        poa.id_of(&desk).unwrap_err(),
        poa.reference::<Desk>(&id).unwrap_err(),
        poa.create_reference::<Desk>().unwrap_err(),
        poa.create_reference_with_id::<Desk>("1").unwrap_err(),
        poa.id_to_servant(&id).unwrap_err(),
        poa.reference_to_servant(&desk).unwrap_err(),
        poa.servant_to_id(&servant.any()).unwrap_err(),
        scene.activate(&poa, None, &servant).unwrap_err(),
        scene.activate(&poa, Some(id.clone()), &servant).unwrap_err(),
        poa.deactivate(&id).unwrap_err(),
        poa.set_servant(servant.any()).unwrap_err(),
        poa.servant().unwrap_err(),
        poa.servant_manager::<()>().unwrap_err(),
        poa.find("child").unwrap_err(),
        poa.find_or_activate("child").unwrap_err(),
    ];
    for (at, refused) in refused.into_iter().enumerate() {
        let refused = system(refused);
        assert_eq!((refused.kind, refused.minor.code()), (ObjectNotExist, 4), "{at}");
    }
}

fn again(scene: &Scene) {
    let mut parent: Option<Poa> = None;
    for _ in 0..3 {
        let poa = scene.poa("parent", policies());
        let desk = scene.object(&poa, "1");
        scene.assert_served(&desk, "1");
        poa.destroy_with(true, true).unwrap();
        // Destroying it again changes nothing, also not the new one of its name.
        if let Some(before) = parent.replace(poa) {
            before.destroy();
        }
    }
    let poa = scene.poa("parent", policies());
    parent.unwrap().destroy();
    scene.assert_served(&scene.object(&poa, "1"), "1");
}

fn not_yet(scene: &Scene) {
    let root = scene.server.root_poa();
    let book = Arc::clone(&scene.book);
    root.set_adapter_activator(Creates(move |_: &Poa, name: &str| {
        book.note(format!("unknown {name}"));
        Ok(false)
    }));
    for at in 0..2 {
        let poa = scene.poa("parent", policies().persistent());
        let desk = scene.object(&poa, "1");
        let gate = scene.act_at_gate();
        let (view, running) = &scene.views(&desk)[at];
        thread::scope(|threads| {
            let call = threads.spawn(|| running.act());
            gate.when_reached(1, || {
                poa.destroy();
                let refused = root.create("parent", scene.policies(policies())).unwrap_err();
                assert_eq!(refused, PoaError::AdapterAlreadyExists);
                assert_eq!(root.find("parent").unwrap_err(), PoaError::AdapterNonExistent);
                let refused = [
                    desk.served().unwrap_err(),
                    system(root.find_or_activate("parent").unwrap_err()),
                ];
                for refused in refused {
                    assert_eq!((refused.kind, refused.minor.code()), (Transient, 4), "{view}");
                }
                assert_eq!(scene.book.events(), ["begins"], "{view}");
            });
            assert!(call.join().unwrap().is_ok(), "{view}");
        });
        scene.assert_refused(&desk, ObjectNotExist, 2);
        let events = scene.book.events();
        assert_eq!(events, ["ends", "unknown parent", "unknown parent"], "{view}");
    }
}
