//! Adapter activators.

use std::sync::Arc;
use std::thread;

use zorb::SystemExceptionKind::{ObjAdapter, ObjectNotExist};
use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb::{CompletionStatus, SystemException, minor};
use zorb_poa_tests::Desk;

use super::Row;
use crate::closures::Creates;
use crate::scene::{Scene, system, until};
use crate::servants::{Kind, Servant};

pub(super) const TABLE: &[Row] = &[
    ("15.3.4 unknown_adapter", "TRUE: the request reaches the new adapter", Kind::ALL, creates),
    ("15.3.4 unknown_adapter", "for each missing adapter of the path", Kind::ALL, each_of_the_path),
    ("15.3.4 unknown_adapter", "FALSE: OBJECT_NOT_EXIST", Kind::ALL, refuses),
    ("15.3.4 unknown_adapter", "TRUE without an adapter: OBJECT_NOT_EXIST", Kind::ALL, forgets),
    ("15.3.4 unknown_adapter", "an exception: OBJ_ADAPTER", Kind::ALL, raises),
    ("15.3.4 unknown_adapter", "once for requests at the same time", Kind::ALL, once_for_all),
    ("15.3.4 unknown_adapter", "not for transient references", Kind::ALL, not_for_transient),
    ("15.3.4 unknown_adapter", "not while its adapter holds requests", Kind::ALL, after_holding),
    ("15.3.9 find_POA", "with activate_it, the activator creates it", Kind::ALL, find),
    ("15.3.9 the_activator", "without one: OBJECT_NOT_EXIST", Kind::ALL, no_activator),
    ("15.3.9 the_activator", "is what has been set last, or none", Kind::ALL, set_again),
];

/// A reference to the object `1` of an adapter that does not exist any more.
fn of_missing(scene: &Scene, path: &[&str]) -> Desk {
    let root = scene.server.root_poa();
    let poa = path.iter().fold(root.clone(), |above, name| {
        let policies = scene.policies(PoaPolicies::new().user_ids().persistent());
        above.create(name, policies).unwrap()
    });
    let desk = poa.create_reference_with_id("1").unwrap();
    root.find(path[0]).unwrap().destroy();
    desk
}

/// Lets the activator of the root adapter record the adapters that it is asked for, and then do as `create` says.
fn activator(
    scene: &Scene,
    create: impl Fn(&Poa, &str) -> Result<bool, SystemException> + Send + Sync + 'static,
) {
    let book = Arc::clone(&scene.book);
    scene.server.root_poa().set_adapter_activator(Creates(move |parent: &Poa, name: &str| {
        book.note(format!("{} {name}", parent.name()));
        create(parent, name)
    }));
}

/// Creates an adapter with the object `1`.
fn creating(scene: &Scene) -> impl Fn(&Poa, &str) -> Poa + Send + Sync + Clone + 'static {
    let policies = scene.policies(PoaPolicies::new().user_ids().persistent());
    let (kind, book) = (scene.kind, Arc::clone(&scene.book));
    move |parent, name| {
        let poa = parent.create(name, policies.clone()).unwrap();
        match Servant::new(kind, &book) {
            servant if kind.is_by_default() => poa.set_servant(servant.any()).unwrap(),
            Servant::Typed(servant) => {
                let _: Desk = poa.activate_shared_with_id("1", &servant).unwrap();
            }
            Servant::Dynamic(servant) => {
                let _: zorb::ObjectRef = poa.activate_shared_with_id("1", &servant).unwrap();
            }
        }
        poa
    }
}

fn creates(scene: &Scene) {
    let desk = of_missing(scene, &["late"]);
    let create = creating(scene);
    activator(scene, move |parent, name| {
        create(parent, name);
        Ok(true)
    });
    for (view, desk) in scene.views(&desk) {
        assert_eq!(desk.served().as_deref(), Ok("1"), "{view}");
        assert_eq!(scene.book.events(), ["RootPOA late"], "{view}");
        scene.assert_served(&desk, "1");
        assert!(scene.book.events().is_empty(), "{view}");
        scene.server.root_poa().find("late").unwrap().destroy();
    }
}

fn each_of_the_path(scene: &Scene) {
    let desk = of_missing(scene, &["a", "b", "c"]);
    let create = creating(scene);
    let (below, book) = (create.clone(), Arc::clone(&scene.book));
    activator(scene, move |parent, name| {
        let (below, book) = (below.clone(), Arc::clone(&book));
        // The one that `b` has not got an activator is created by `a`'s, together with its child.
        create(parent, name).set_adapter_activator(Creates(move |parent: &Poa, name: &str| {
            book.note(format!("{} {name}", parent.name()));
            below(&below(parent, name), "c");
            Ok(true)
        }));
        Ok(true)
    });
    for (view, desk) in scene.views(&desk) {
        assert_eq!(desk.served().as_deref(), Ok("1"), "{view}");
        assert_eq!(scene.book.events(), ["RootPOA a", "a b"], "{view}");
        scene.server.root_poa().find("a").unwrap().destroy();
    }
}

fn set_again(scene: &Scene) {
    let desk = of_missing(scene, &["late"]);
    let root = scene.server.root_poa();
    let refusing = |_: &Poa, _: &str| Ok(false);
    /// Whether an adapter has an activator that does as this function.
    fn has<C: Send + Sync + 'static>(poa: &Poa, _: C) -> bool {
        poa.adapter_activator::<Creates<C>>().is_some()
    }
    assert!(!has(&root, refusing));
    root.set_adapter_activator(Creates(refusing));
    assert!(has(&root, refusing));
    scene.assert_refused(&desk, ObjectNotExist, 2);
    let create = creating(scene);
    activator(scene, move |parent, name| {
        create(parent, name);
        Ok(true)
    });
    assert!(!has(&root, refusing));
    scene.assert_served(&desk, "1");
    root.find("late").unwrap().destroy();
    root.unset_adapter_activator();
    scene.assert_refused(&desk, ObjectNotExist, 2);
}

fn refuses(scene: &Scene) {
    let desk = of_missing(scene, &["never"]);
    activator(scene, |_, _| Ok(false));
    scene.assert_refused(&desk, ObjectNotExist, 2);
    assert_eq!(scene.book.events(), ["RootPOA never", "RootPOA never"]);
    let missing = scene.server.root_poa().find_or_activate("never").unwrap_err();
    assert_eq!(missing, PoaError::AdapterNonExistent);
}

fn forgets(scene: &Scene) {
    let desk = of_missing(scene, &["forgotten"]);
    activator(scene, |_, _| Ok(true));
    scene.assert_refused(&desk, ObjectNotExist, 2);
}

fn raises(scene: &Scene) {
    let [desk, panics] = ["fails", "panics"].map(|name| of_missing(scene, &[name]));
    activator(scene, |_, name| {
        assert_ne!(name, "panics", "as asked");
        Err(SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, CompletionStatus::No))
    });
    scene.assert_refused(&desk, ObjAdapter, 1);
    scene.assert_refused(&panics, ObjAdapter, 1);
    let failed = system(scene.server.root_poa().find_or_activate("fails").unwrap_err());
    assert_eq!((failed.kind, failed.minor.code()), (ObjAdapter, 1));
}

fn once_for_all(scene: &Scene) {
    let desk = of_missing(scene, &["late"]);
    let create = creating(scene);
    activator(scene, move |parent, name| {
        (0..100).for_each(|_| thread::yield_now());
        create(parent, name);
        Ok(true)
    });
    let views = scene.views(&desk);
    thread::scope(|scope| {
        for (view, desk) in views.iter().chain(&views) {
            scope.spawn(move || assert_eq!(desk.served().as_deref(), Ok("1"), "{view}"));
        }
        let found = scope.spawn(|| scene.server.root_poa().find_or_activate("late"));
        assert_eq!(found.join().unwrap().unwrap().name(), "late");
    });
    assert_eq!(scene.book.events(), ["RootPOA late"]);
}

fn not_for_transient(scene: &Scene) {
    let poa = scene.poa("transient", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    poa.destroy();
    activator(scene, |_, _| Ok(false));
    scene.assert_refused(&desk, ObjectNotExist, 2);
    assert!(scene.book.events().is_empty());
}

fn after_holding(scene: &Scene) {
    let desk = of_missing(scene, &["late"]);
    let create = creating(scene);
    activator(scene, move |parent, name| {
        create(parent, name);
        Ok(true)
    });
    let manager = scene.server.root_poa().manager();
    manager.hold_requests().unwrap();
    let views = scene.views(&desk);
    thread::scope(|scope| {
        let calls = views.each_ref().map(|(_, desk)| scope.spawn(|| desk.served()));
        until(|| manager.held_requests() == 2);
        assert!(scene.book.events().is_empty());
        manager.activate().unwrap();
        calls.into_iter().for_each(|call| assert_eq!(call.join().unwrap().as_deref(), Ok("1")));
    });
    assert_eq!(scene.book.events(), ["RootPOA late"]);
}

fn find(scene: &Scene) {
    let root = scene.server.root_poa();
    let create = creating(scene);
    activator(scene, move |parent, name| {
        create(parent, name);
        Ok(true)
    });
    // Without activate_it, it is not asked.
    assert_eq!(root.find("late").unwrap_err(), PoaError::AdapterNonExistent);
    assert!(scene.book.events().is_empty());
    for _ in 0..2 {
        assert_eq!(root.find_or_activate("late").unwrap().path(), "late");
    }
    assert_eq!(scene.book.events(), ["RootPOA late"]);
}

fn no_activator(scene: &Scene) {
    let desk = of_missing(scene, &["missing"]);
    scene.assert_refused(&desk, ObjectNotExist, 2);
    let missing = scene.server.root_poa().find_or_activate("missing").unwrap_err();
    assert_eq!(missing, PoaError::AdapterNonExistent);
}
