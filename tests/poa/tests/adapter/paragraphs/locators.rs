//! Servant locators.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use zorb::SystemExceptionKind::{NoMemory, NoPermission, ObjAdapter, ObjectNotExist, Unknown};
use zorb::poa::{AnyServant, ObjectId, Poa, PoaPolicies, ServantManagerError};
use zorb::{CompletionStatus, Interface as _, SystemException, minor};
use zorb_poa_tests::desk::ActError;
use zorb_poa_tests::{Desk, Refused};

use super::Row;
use super::activators::reference;
use crate::closures::Locator;
use crate::scene::Scene;
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.7 preinvoke", "before each request, with its operation", Kind::ACTIVE, around),
    ("15.3.7 preinvoke", "an exception is the client's, without postinvoke", Kind::ACTIVE, raises),
    ("15.3.7 preinvoke", "ForwardRequest leads elsewhere", Kind::ACTIVE, forwards),
    ("15.3.7 preinvoke", "for the implicit operations, too", Kind::ACTIVE, implicit_operations),
    ("15.3.7 postinvoke", "gets the cookie and servant of its request", Kind::ACTIVE, cookies),
    ("15.3.7 postinvoke", "after exceptions and panics", Kind::ACTIVE, after_exceptions),
    ("15.3.7 postinvoke", "its exception replaces the results", Kind::ACTIVE, replaces),
    ("15.3.7 postinvoke", "on the thread of preinvoke and the upcall", Kind::ACTIVE, one_thread),
    ("15.3.8.6", "without a servant locator: OBJ_ADAPTER", Kind::ACTIVE, no_locator),
];

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().non_retain().servant_manager()
}

fn no_permission() -> SystemException {
    SystemException::no_permission(minor::no_permission::POLICY_LEVEL, CompletionStatus::No)
}

/// An adapter whose locator has one servant, numbers the requests, and records its calls.
fn locating(
    scene: &Scene,
    before: impl Fn(&ObjectId) -> Result<(), ServantManagerError> + Send + Sync + 'static,
    after: impl Fn(&ObjectId) -> Result<(), SystemException> + Send + Sync + 'static,
) -> Poa {
    let poa = scene.poa("locating", policies());
    let (servant, cookies) = (scene.servant().any(), AtomicUsize::new(0));
    let (known, book) = (servant.clone(), [(); 2].map(|()| Arc::clone(&scene.book)));
    let [first, last] = book;
    let locator = Locator(
        move |id: &ObjectId, operation: &str| {
            let cookie = cookies.fetch_add(1, Ordering::SeqCst);
            first.note(format!("before {operation} of {id}: {cookie}"));
            before(id)?;
            Ok((servant.clone(), cookie))
        },
        move |id: &ObjectId, operation: &str, servant: AnyServant, cookie: usize| {
            assert_eq!(servant, known);
            last.note(format!("after {operation} of {id}: {cookie}"));
            after(id)
        },
    );
    poa.set_servant_locator(locator).unwrap();
    poa
}

fn around(scene: &Scene) {
    let poa = locating(scene, |_| Ok(()), |_| Ok(()));
    let desk = reference(&poa, "1");
    for (view, desk) in scene.views(&desk) {
        assert_eq!(desk.served().as_deref(), Ok("1"), "{view}");
        desk.stay().unwrap();
    }
    let expected = ["served", "stay", "served", "stay"]
        .iter()
        .enumerate()
        .flat_map(|(at, name)| ["before", "after"].map(|when| format!("{when} {name} of 1: {at}")));
    assert_eq!(scene.book.events(), expected.collect::<Vec<_>>());
    assert_eq!(poa.active_objects(), 0);
}

fn raises(scene: &Scene) {
    let poa = locating(scene, |_| Err(no_permission().into()), |_| Ok(()));
    for (_, desk) in scene.views(&reference(&poa, "1")) {
        assert_eq!(desk.served().unwrap_err().kind, NoPermission);
    }
    assert_eq!(scene.book.events(), ["before served of 1: 0", "before served of 1: 1"]);
    let gone = |_: &ObjectId| {
        let code = minor::object_not_exist::NO_MATCH;
        Err(SystemException::object_not_exist(code, CompletionStatus::No).into())
    };
    poa.destroy();
    let poa = locating(scene, gone, |_| Ok(()));
    scene.assert_refused(&reference(&poa, "1"), ObjectNotExist, 1);
}

fn forwards(scene: &Scene) {
    let there = scene.poa("there", PoaPolicies::new().user_ids());
    let elsewhere = scene.object(&there, "elsewhere");
    let poa = locating(scene, move |_| Err(ServantManagerError::forward(&elsewhere)), |_| Ok(()));
    scene.assert_served(&reference(&poa, "1"), "elsewhere");
    assert!(scene.book.events().iter().all(|event| event.starts_with("before served of 1")));
}

fn implicit_operations(scene: &Scene) {
    let poa = locating(scene, |_| Ok(()), |_| Ok(()));
    for (view, desk) in scene.views(&reference(&poa, "1")) {
        let object = desk.as_object();
        assert!(!object.non_existent().unwrap(), "{view}");
        assert!(!object.is_a("IDL:Other:1.0").unwrap(), "{view}");
        let names = scene.book.events();
        let names: Vec<_> = names.iter().map(|event| event.split(" of").next().unwrap()).collect();
        let expected =
            ["before _non_existent", "after _non_existent", "before _is_a", "after _is_a"];
        assert_eq!(names, expected, "{view}");
    }
}

/// The servants and cookies of requests that run at the same time do not mix.
fn cookies(scene: &Scene) {
    let poa = scene.poa("locating", policies());
    let (kind, book, number) = (scene.kind, Arc::clone(&scene.book), AtomicUsize::new(0));
    let provided = Arc::<std::sync::Mutex<Vec<AnyServant>>>::default();
    let known = Arc::clone(&provided);
    let returned = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&returned);
    let locator = Locator(
        move |_: &ObjectId, _: &str| {
            let servant = crate::servants::Servant::new(kind, &book).any();
            let mut provided = provided.lock().unwrap();
            provided.push(servant.clone());
            assert_eq!(number.fetch_add(1, Ordering::SeqCst), provided.len() - 1);
            Ok((servant, provided.len() - 1))
        },
        move |_: &ObjectId, _: &str, servant: AnyServant, cookie: usize| {
            assert_eq!(known.lock().unwrap()[cookie], servant);
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(())
        },
    );
    poa.set_servant_locator(locator).unwrap();
    let views = scene.views(&reference(&poa, "1"));
    thread::scope(|scope| {
        for (_, desk) in views.iter().chain(&views) {
            scope.spawn(|| (0..5).for_each(|_| desk.stay().unwrap()));
        }
    });
    assert_eq!(returned.load(Ordering::SeqCst), 20);
}

fn after_exceptions(scene: &Scene) {
    let poa = locating(scene, |_| Ok(()), |_| Ok(()));
    for (view, desk) in scene.views(&reference(&poa, "1")) {
        scene.act(|_| Err(Refused {}.into()));
        assert!(matches!(desk.act().unwrap_err(), ActError::Refused(_)), "{view}");
        scene.act(|_| Err(no_permission().into()));
        let ActError::System(refused) = desk.act().unwrap_err() else { panic!("{view}") };
        assert_eq!(refused.kind, NoPermission, "{view}");
        scene.act(|_| panic!("as asked"));
        let ActError::System(refused) = desk.act().unwrap_err() else { panic!("{view}") };
        assert_eq!(refused.kind, Unknown, "{view}");
        let events = scene.book.events();
        let after = events.iter().filter(|event| event.starts_with("after act"));
        assert_eq!((events.len(), after.count()), (6, 3), "{view}: {events:?}");
    }
}

fn replaces(scene: &Scene) {
    let poa = locating(
        scene,
        |_| Ok(()),
        |_| {
            let code = minor::no_memory::OUT_OF_MEMORY;
            Err(SystemException::no_memory(code, CompletionStatus::Yes))
        },
    );
    let views: [(_, Desk); 2] = scene.views(&reference(&poa, "1"));
    for (view, desk) in views {
        assert_eq!(desk.served().unwrap_err().kind, NoMemory, "{view}");
        assert_eq!(scene.book.events().len(), 2, "{view}");
    }
}

fn one_thread(scene: &Scene) {
    let threads = Arc::<std::sync::Mutex<Vec<thread::ThreadId>>>::default();
    let notes = |threads: &Arc<std::sync::Mutex<Vec<_>>>| {
        let threads = Arc::clone(threads);
        move || threads.lock().unwrap().push(thread::current().id())
    };
    let (before, during, after) = (notes(&threads), notes(&threads), notes(&threads));
    scene.act(move |_| {
        during();
        Ok(())
    });
    let poa = locating(
        scene,
        move |_| {
            before();
            Ok(())
        },
        move |_| {
            after();
            Ok(())
        },
    );
    for (view, desk) in scene.views(&reference(&poa, "1")) {
        desk.act().unwrap();
        let threads = std::mem::take(&mut *threads.lock().unwrap());
        assert_eq!(threads, [threads[0]; 3], "{view}");
    }
}

fn no_locator(scene: &Scene) {
    let poa = scene.poa("without", policies());
    scene.assert_refused(&reference(&poa, "1"), ObjAdapter, 4);
}
