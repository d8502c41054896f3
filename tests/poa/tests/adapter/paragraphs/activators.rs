//! Servant activators: `incarnate`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use zorb::SystemExceptionKind::{NoPermission, ObjAdapter, ObjectNotExist, Unknown};
use zorb::poa::{AnyServant, ObjectId, Poa, PoaPolicies, ServantManagerError};
use zorb::{CompletionStatus, SystemException, minor};
use zorb_poa_tests::Desk;

use super::Row;
use crate::closures::Activator;
use crate::scene::Scene;
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.6 incarnate", "once, then the object is active", Kind::ACTIVE, once),
    ("15.3.6 incarnate", "once for requests at the same time", Kind::ACTIVE, once_for_all),
    (
        "15.3.6 incarnate",
        "an exception is the client's, and it is asked again",
        Kind::ACTIVE,
        raises,
    ),
    ("15.3.6 incarnate", "ForwardRequest leads elsewhere", Kind::ACTIVE, forwards),
    (
        "15.3.6 incarnate",
        "a servant that is active, with unique ids: OBJ_ADAPTER",
        Kind::ACTIVE,
        active_servant,
    ),
    ("15.3.6 incarnate", "it may serve several ids with multiple ids", Kind::ACTIVE, several_ids),
    ("15.3.6 incarnate", "not for an object that has been activated", Kind::ACTIVE, activated),
    ("15.3.8.6", "without a servant activator: OBJ_ADAPTER", Kind::ACTIVE, no_activator),
];

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().servant_manager()
}

/// An adapter with a manager of its own, whose activator records the ids that it incarnates, and then does as `incarnate` says.
pub(super) fn activating(
    scene: &Scene,
    policies: PoaPolicies,
    incarnate: impl Fn(&ObjectId) -> Result<AnyServant, ServantManagerError> + Send + Sync + 'static,
) -> Poa {
    let manager = scene.server.create_poa_manager();
    manager.activate().unwrap();
    let (root, policies) = (scene.server.root_poa(), scene.policies(policies));
    let poa = root.create_with_manager("activating", policies, manager).unwrap();
    let (book, ended) = (Arc::clone(&scene.book), Arc::clone(&scene.book));
    let activator = Activator(
        move |poa: &Poa, id: &ObjectId| {
            book.note(format!("incarnate {} {id}", poa.name()));
            incarnate(id)
        },
        move |poa: &Poa, id: &ObjectId, servant: AnyServant, how: zorb::poa::Etherealization| {
            drop(servant);
            let (cleanup, others) = (how.cleanup_in_progress, how.remaining_activations);
            ended.note(format!("etherealize {} {id} {cleanup} {others}", poa.name()));
        },
    );
    poa.set_servant_activator(activator).unwrap();
    poa
}

/// The same with a new servant for each object.
pub(super) fn with_new_servants(scene: &Scene, policies: PoaPolicies) -> Poa {
    let (kind, book) = (scene.kind, Arc::clone(&scene.book));
    activating(scene, policies, move |_| Ok(crate::servants::Servant::new(kind, &book).any()))
}

pub(super) fn reference(poa: &Poa, id: &str) -> Desk {
    poa.create_reference_with_id(id).unwrap()
}

fn once(scene: &Scene) {
    let poa = with_new_servants(scene, policies());
    let desks = ["1", "2"].map(|id| (id, reference(&poa, id)));
    assert_eq!((poa.active_objects(), scene.book.events()), (0, vec![]));
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
    assert_eq!(poa.active_objects(), 2);
    assert_eq!(scene.book.events(), ["incarnate activating 1", "incarnate activating 2"]);
    // Operations that look at the map incarnate nothing.
    assert!(poa.id_to_servant(&"3".into()).is_err());
    assert!(scene.book.events().is_empty());
}

fn once_for_all(scene: &Scene) {
    let (kind, book) = (scene.kind, Arc::clone(&scene.book));
    let poa = activating(scene, policies(), move |_| {
        (0..100).for_each(|_| thread::yield_now());
        Ok(crate::servants::Servant::new(kind, &book).any())
    });
    for id in ["1", "2", "3"] {
        let views = scene.views(&reference(&poa, id));
        thread::scope(|scope| {
            for (view, desk) in views.iter().chain(&views) {
                scope.spawn(move || assert_eq!(desk.served().as_deref(), Ok(id), "{view}"));
            }
        });
        assert_eq!(scene.book.events(), [format!("incarnate activating {id}")]);
    }
}

fn raises(scene: &Scene) {
    let (kind, book, fails) = (scene.kind, Arc::clone(&scene.book), AtomicBool::new(true));
    let poa = activating(scene, policies(), move |id| match id.to_string().as_str() {
        "panics" => panic!("as asked"),
        _ if fails.fetch_xor(true, Ordering::SeqCst) => {
            let code = minor::no_permission::POLICY_LEVEL;
            Err(SystemException::no_permission(code, CompletionStatus::No).into())
        }
        _ => Ok(crate::servants::Servant::new(kind, &book).any()),
    });
    for id in ["1", "2"] {
        let (_, desk) = &scene.views(&reference(&poa, id))[usize::from(id == "2")];
        let refused = desk.served().unwrap_err();
        assert_eq!(refused.kind, NoPermission);
        assert!(poa.id_to_servant(&id.into()).is_err());
        assert_eq!(desk.served().as_deref(), Ok(id));
        let twice = [(); 2].map(|()| format!("incarnate activating {id}"));
        assert_eq!(scene.book.events(), twice);
    }
    for (_, desk) in scene.views(&reference(&poa, "panics")) {
        assert_eq!(desk.served().unwrap_err().kind, Unknown);
    }
}

fn forwards(scene: &Scene) {
    let there = scene.poa("there", PoaPolicies::new().user_ids());
    let elsewhere = scene.object(&there, "elsewhere");
    let to = elsewhere.clone();
    let poa = activating(scene, policies(), move |_| Err(ServantManagerError::forward(&to)));
    let desk = reference(&poa, "1");
    scene.assert_served(&desk, "elsewhere");
    assert_eq!(poa.active_objects(), 0);
    assert!(scene.book.events().contains(&"incarnate activating 1".to_owned()));
}

fn active_servant(scene: &Scene) {
    let servant = scene.servant().any();
    let provided = servant.clone();
    let poa = activating(scene, policies(), move |_| Ok(provided.clone()));
    scene.assert_served(&reference(&poa, "1"), "1");
    scene.assert_refused(&reference(&poa, "2"), ObjAdapter, 5);
    assert_eq!(poa.active_objects(), 1);
    assert_eq!(poa.id_to_servant(&"1".into()), Ok(servant));
}

fn several_ids(scene: &Scene) {
    let servant = scene.servant().any();
    let provided = servant.clone();
    let poa = activating(scene, policies().multiple_ids(), move |_| Ok(provided.clone()));
    for id in ["1", "2"] {
        scene.assert_served(&reference(&poa, id), id);
        assert_eq!(poa.id_to_servant(&id.into()).as_ref(), Ok(&servant));
    }
}

fn activated(scene: &Scene) {
    let poa = with_new_servants(scene, policies());
    let desk = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
    assert!(scene.book.events().is_empty());
    // An adapter with system ids activates with those.
    let poa = scene.poa("system", PoaPolicies::new().servant_manager());
    let book = Arc::clone(&scene.book);
    let incarnate = move |_: &Poa, id: &ObjectId| {
        book.note(id.to_string());
        let code = minor::object_not_exist::NO_MATCH;
        Err(SystemException::object_not_exist(code, CompletionStatus::No).into())
    };
    let activator = Activator(incarnate, |_: &Poa, _: &ObjectId, _: AnyServant, _| {});
    poa.set_servant_activator(activator).unwrap();
    let desk: Desk = poa.create_reference().unwrap();
    scene.assert_refused(&desk, ObjectNotExist, 1);
    let id = poa.id_of(&desk).unwrap();
    assert_eq!(scene.book.events(), [id.to_string(), id.to_string()]);
    scene.activate(&poa, Some(id.clone()), &scene.servant()).unwrap();
    scene.assert_served(&desk, &id.to_string());
    assert!(scene.book.events().is_empty());
}

fn no_activator(scene: &Scene) {
    let poa = scene.poa("without", policies());
    scene.assert_refused(&reference(&poa, "1"), ObjAdapter, 4);
}
