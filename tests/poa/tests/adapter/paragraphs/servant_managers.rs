//! Servant activators and locators.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use zorb::SystemExceptionKind::{ObjAdapter, ObjectNotExist};
use zorb::poa::{
    AnyServant, ObjectId, Poa, PoaPolicies, ServantActivator, ServantLocator, ServantManagerError,
};
use zorb::{CompletionStatus, SystemException, minor};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::Scene;
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.6", "incarnate: once, then the object is active", Kind::ACTIVE, incarnate_once),
    ("15.3.7", "preinvoke and postinvoke around each request", Kind::ACTIVE, around_each_request),
    ("15.3.7", "preinvoke may raise an exception", Kind::ACTIVE, refused_by_locator),
    ("15.3.8.6", "without a servant manager: OBJ_ADAPTER", Kind::ACTIVE, no_manager),
];

/// Provides one servant for all ids but `none`, and records what it is asked.
struct Manager {
    servant: AnyServant,
    calls: Arc<Mutex<Vec<String>>>,
    cookies: AtomicUsize,
}

impl Manager {
    fn new(scene: &Scene) -> (Self, Arc<Mutex<Vec<String>>>) {
        let calls = Arc::<Mutex<Vec<String>>>::default();
        let (servant, cookies) = (scene.servant().any(), AtomicUsize::new(0));
        (Self { servant, calls: Arc::clone(&calls), cookies }, calls)
    }

    fn provide(&self, id: &ObjectId, call: String) -> Result<AnyServant, ServantManagerError> {
        self.calls.lock().unwrap().push(call);
        if id.to_string() == "none" {
            let code = minor::object_not_exist::NO_MATCH;
            return Err(SystemException::object_not_exist(code, CompletionStatus::No).into());
        }
        Ok(self.servant.clone())
    }
}

impl ServantActivator for Manager {
    fn incarnate(&self, poa: &Poa, id: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        self.provide(id, format!("{} {id}", poa.name()))
    }
}

impl ServantLocator for Manager {
    type Cookie = usize;

    fn preinvoke(
        &self,
        _: &Poa,
        id: &ObjectId,
        operation: &str,
    ) -> Result<(AnyServant, usize), ServantManagerError> {
        let cookie = self.cookies.fetch_add(1, Ordering::SeqCst);
        Ok((self.provide(id, format!("before {operation} of {id}: {cookie}"))?, cookie))
    }

    fn postinvoke(
        &self,
        _: &Poa,
        id: &ObjectId,
        operation: &str,
        servant: AnyServant,
        cookie: usize,
    ) -> Result<(), SystemException> {
        assert_eq!(servant, self.servant);
        self.calls.lock().unwrap().push(format!("after {operation} of {id}: {cookie}"));
        Ok(())
    }
}

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().multiple_ids().servant_manager()
}

fn incarnate_once(scene: &Scene) {
    let poa = scene.poa("activated", policies());
    let (manager, calls) = Manager::new(scene);
    poa.set_servant_activator(manager).unwrap();
    let desks = ["1", "2"].map(|id| (id, poa.create_reference_with_id::<Desk>(id).unwrap()));
    assert_eq!(poa.active_objects(), 0);
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
    assert_eq!(poa.active_objects(), 2);
    assert_eq!(*calls.lock().unwrap(), ["activated 1", "activated 2"]);
    let none: Desk = poa.create_reference_with_id("none").unwrap();
    scene.assert_refused(&none, ObjectNotExist, 1);
}

fn around_each_request(scene: &Scene) {
    let poa = scene.poa("located", policies().non_retain());
    let (manager, calls) = Manager::new(scene);
    poa.set_servant_locator(manager).unwrap();
    let desk: Desk = poa.create_reference_with_id("1").unwrap();
    for (view, desk) in scene.views(&desk) {
        assert_eq!(desk.served().as_deref(), Ok("1"), "{view}");
        desk.stay().unwrap();
    }
    let calls = calls.lock().unwrap();
    let expected = ["served", "stay", "served", "stay"]
        .iter()
        .enumerate()
        .flat_map(|(at, name)| ["before", "after"].map(|when| format!("{when} {name} of 1: {at}")));
    assert_eq!(*calls, expected.collect::<Vec<_>>());
    assert_eq!(poa.active_objects(), 0);
}

fn refused_by_locator(scene: &Scene) {
    let poa = scene.poa("located", policies().non_retain());
    let (manager, calls) = Manager::new(scene);
    poa.set_servant_locator(manager).unwrap();
    let desk: Desk = poa.create_reference_with_id("none").unwrap();
    scene.assert_refused(&desk, ObjectNotExist, 1);
    // Without a servant there is no `postinvoke`.
    assert!(calls.lock().unwrap().iter().all(|call| call.starts_with("before served")));
}

fn no_manager(scene: &Scene) {
    for (name, policies) in [("activator", policies()), ("locator", policies().non_retain())] {
        let poa = scene.poa(name, policies);
        let desk: Desk = poa.create_reference_with_id("1").unwrap();
        scene.assert_refused(&desk, ObjAdapter, 4);
    }
}
