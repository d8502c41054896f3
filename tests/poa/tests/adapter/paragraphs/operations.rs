//! The operations of adapters, and of the current.

use zorb::SystemExceptionKind::ObjectNotExist;
use zorb::poa::{PoaCurrent, PoaError, PoaPolicies};
use zorb::{Interface as _, ObjectRef};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::Scene;
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.9", "create_POA: a name once below a parent", Kind::ACTIVE, names),
    ("15.3.9", "destroy: the children, too", Kind::ALL, destroy),
    ("15.3.9", "activate_object_with_id: an id once", Kind::ACTIVE, active_once),
    ("15.3.9", "create_reference: activates nothing", Kind::ALL, create_reference),
    ("15.3.9", "servant_to_id: outside of an upcall", Kind::BY_DEFAULT, default_servant_to_id),
    ("15.3.9", "servant, id and reference lead to each other", Kind::ACTIVE, conversions),
    ("15.3.9", "references of other adapters are refused", Kind::ALL, wrong_adapter),
    ("15.3.9", "the implicit operations", Kind::ALL, implicit_operations),
    ("15.3.10", "the current outside of upcalls: NoContext", Kind::ALL, no_context),
];

fn names(scene: &Scene) {
    let poa = scene.poa("parent", PoaPolicies::new());
    let child = poa.create("child", scene.policies(PoaPolicies::new())).unwrap();
    let again = poa.create("child", scene.policies(PoaPolicies::new())).unwrap_err();
    assert_eq!(again, PoaError::AdapterAlreadyExists);
    assert_eq!(poa.find("child").unwrap().path(), child.path());
    assert_eq!(child.path(), "parent/child");
    assert_eq!(poa.find("other").unwrap_err(), PoaError::AdapterNonExistent);
    assert_eq!(child.parent().unwrap().name(), "parent");
}

fn destroy(scene: &Scene) {
    let poa = scene.poa("parent", PoaPolicies::new().user_ids());
    let child = poa.create("child", scene.policies(PoaPolicies::new().user_ids())).unwrap();
    let desks = [(&poa, "1"), (&child, "2")].map(|(poa, id)| (id, scene.object(poa, id)));
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
    poa.destroy();
    desks.iter().for_each(|(_, desk)| scene.assert_refused(desk, ObjectNotExist, 2));
    let missing = scene.server.root_poa().find("parent").unwrap_err();
    assert_eq!(missing, PoaError::AdapterNonExistent);
}

fn active_once(scene: &Scene) {
    let poa = scene.poa("once", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    let refused = scene.object_of(&poa, "1", &scene.servant()).unwrap_err();
    assert_eq!(refused, PoaError::ObjectAlreadyActive);
    scene.assert_served(&desk, "1");
}

fn create_reference(scene: &Scene) {
    let poa = scene.poa("references", PoaPolicies::new());
    let desk: Desk = poa.create_reference().unwrap();
    assert_eq!(poa.active_objects(), 0);
    let id = poa.id_of(&desk).unwrap();
    if scene.kind.is_by_default() {
        poa.set_servant(scene.servant().any()).unwrap();
    } else {
        scene.assert_refused(&desk, ObjectNotExist, 1);
        scene.activate(&poa, Some(id.clone()), &scene.servant()).unwrap();
    }
    scene.assert_served(&desk, &id.to_string());
}

fn default_servant_to_id(scene: &Scene) {
    let poa = scene.poa("by default", PoaPolicies::new().user_ids());
    let servant = scene.servant();
    scene.object_of(&poa, "1", &servant).unwrap();
    assert_eq!(poa.servant_to_id(&servant.any()), Err(PoaError::ServantNotActive));
}

fn conversions(scene: &Scene) {
    let poa = scene.poa("all ways", PoaPolicies::new().user_ids());
    let (servant, id) = (scene.servant(), "1".into());
    let desk = scene.object_of(&poa, "1", &servant).unwrap();
    assert_eq!(poa.id_of(&desk).as_ref(), Ok(&id));
    assert_eq!(poa.servant_to_id(&servant.any()).as_ref(), Ok(&id));
    assert_eq!(poa.id_to_servant(&id), Ok(servant.any()));
    assert_eq!(poa.reference_to_servant(&desk), Ok(servant.any()));
    let same: Desk = poa.reference(&id).unwrap();
    assert!(same.as_object().is_equivalent(desk.as_object()));
    assert_eq!(poa.id_to_servant(&"2".into()), Err(PoaError::ObjectNotActive));
    assert_eq!(poa.reference::<Desk>(&"2".into()).unwrap_err(), PoaError::ObjectNotActive);
}

fn wrong_adapter(scene: &Scene) {
    let [poa, other] = ["one", "other"].map(|name| scene.poa(name, PoaPolicies::new().user_ids()));
    let desk = scene.object(&poa, "1");
    assert_eq!(other.id_of(&desk), Err(PoaError::WrongAdapter));
    assert_eq!(other.reference_to_servant(&desk), Err(PoaError::WrongAdapter));
    scene.assert_served(&desk, "1");
}

fn implicit_operations(scene: &Scene) {
    let poa = scene.poa("objects", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    for (_, desk) in scene.views(&desk) {
        let object: &ObjectRef = desk.as_object();
        assert!(object.is_a(Desk::REPOSITORY_ID).unwrap());
        assert!(!object.is_a("IDL:Other:1.0").unwrap());
        assert!(!object.non_existent().unwrap());
    }
    poa.destroy();
    for (_, desk) in scene.views(&desk) {
        assert!(desk.as_object().non_existent().unwrap());
    }
}

fn no_context(scene: &Scene) {
    let current: PoaCurrent = scene.server.initial_local("POACurrent").unwrap();
    let poa = scene.poa("current", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
    assert_eq!(current.object_id(), Err(PoaError::NoContext));
    assert_eq!(current.poa().unwrap_err(), PoaError::NoContext);
    assert_eq!(current.reference::<Desk>().unwrap_err(), PoaError::NoContext);
    assert_eq!(current.servant(), Err(PoaError::NoContext));
}
