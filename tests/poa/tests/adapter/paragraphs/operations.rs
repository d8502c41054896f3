//! The operations of adapters.

use std::collections::HashSet;

use zorb::SystemExceptionKind::{BadInvOrder, ObjAdapter, ObjectNotExist};
use zorb::poa::{ObjectId, Poa, PoaError, PoaPolicies};
use zorb::{Interface as _, ObjectRef};
use zorb_poa_tests::Desk;

use super::Row;
use crate::closures::{Activator, Locator};
use crate::scene::{Scene, system};
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.9 the_name", "and parent and children", Kind::ALL, family),
    ("15.3.9 id", "of one adapter, for ever if it is persistent", Kind::ALL, id),
    ("15.3.9 activate_object_with_id", "an id once", Kind::ACTIVE, active_once),
    ("15.3.9 create_reference", "activates nothing", Kind::ALL, create_reference),
    ("15.3.9 create_reference_with_id", "whether active or not", Kind::ALL, create_with_id),
    ("15.3.9 reference_to_id", "of an object's reference", Kind::ALL, reference_to_id),
    ("15.3.9 reference_to_servant", "of an active object, or by default", Kind::ALL, to_servant),
    ("15.3.9 id_to_servant", "of an active object, or by default", Kind::ALL, to_servant),
    ("15.3.9 id_to_reference", "of an active object", Kind::ACTIVE, to_reference),
    ("15.3.9 servant_to_id", "of an active servant with a unique id", Kind::ACTIVE, servant_to_id),
    ("15.3.9 get_servant", "NoServant before set_servant", Kind::BY_DEFAULT, default_servant),
    ("15.3.9 set_servant", "replaces the servant", Kind::BY_DEFAULT, default_servant),
    ("15.3.9 get_servant_manager", "what has been set, or none", Kind::ACTIVE, one_manager),
    ("15.3.9 set_servant_manager", "once, and of the right kind", Kind::ACTIVE, one_manager),
    ("15.3.9 WrongPolicy", "operations that the policies do not allow", Kind::ACTIVE, wrong_policy),
    ("15.3.9 WrongAdapter", "references of other adapters are refused", Kind::ALL, wrong_adapter),
    ("15.2.6", "the implicit operations", Kind::ALL, implicit_operations),
];

fn family(scene: &Scene) {
    let poa = scene.poa("parent", PoaPolicies::new());
    let child = poa.create("child", scene.policies(PoaPolicies::new())).unwrap();
    assert_eq!((child.name(), child.path().as_str()), ("child", "parent/child"));
    assert_eq!(child.parent().unwrap().name(), "parent");
    assert_eq!(
        poa.children().iter().map(|poa| poa.name().to_owned()).collect::<Vec<_>>(),
        ["child"]
    );
    assert_eq!(poa.find("other").unwrap_err(), PoaError::AdapterNonExistent);
    child.destroy();
    assert!(poa.children().is_empty());
}

fn id(scene: &Scene) {
    let root = scene.server.root_poa();
    let mut ids = HashSet::from([root.id()]);
    for (name, policies) in
        [("transient", PoaPolicies::new()), ("persistent", PoaPolicies::new().persistent())]
    {
        let poa = scene.poa(name, policies.clone());
        let child = poa.create(name, scene.policies(policies.clone())).unwrap();
        assert!([&poa, &child].iter().all(|poa| ids.insert(poa.id())), "{name}");
        assert_eq!(root.find(name).unwrap().id(), poa.id());
        poa.destroy_with(true, true).unwrap();
        let again = scene.poa(name, policies);
        assert_eq!(again.id() == poa.id(), name == "persistent");
    }
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

fn create_with_id(scene: &Scene) {
    let poa = scene.poa("references", PoaPolicies::new().user_ids());
    let early: Desk = poa.create_reference_with_id("1").unwrap();
    let desk = scene.object(&poa, "1");
    let late: Desk = poa.create_reference_with_id("1").unwrap();
    for reference in [&early, &late] {
        assert!(reference.as_object().is_equivalent(desk.as_object()));
        scene.assert_served(reference, "1");
    }
}

fn reference_to_id(scene: &Scene) {
    let poa = scene.poa("ids", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    scene.views(&desk).iter().for_each(|(_, desk)| assert_eq!(poa.id_of(desk), Ok("1".into())));
    // Also of an object that is not active.
    let other: Desk = poa.create_reference_with_id("2").unwrap();
    assert_eq!(poa.id_of(&other), Ok("2".into()));
}

fn to_servant(scene: &Scene) {
    let poa = scene.poa("servants", PoaPolicies::new().user_ids());
    let servant = scene.servant();
    let desk = scene.object_of(&poa, "1", &servant).unwrap();
    let other: Desk = poa.create_reference_with_id("2").unwrap();
    assert_eq!(poa.id_to_servant(&"1".into()), Ok(servant.any()));
    assert_eq!(poa.reference_to_servant(&desk), Ok(servant.any()));
    let expected = match scene.kind.is_by_default() {
        true => Ok(servant.any()),
        false => Err(PoaError::ObjectNotActive),
    };
    assert_eq!(poa.id_to_servant(&"2".into()), expected);
    assert_eq!(poa.reference_to_servant(&other), expected);
}

fn to_reference(scene: &Scene) {
    let poa = scene.poa("references", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    let same: Desk = poa.reference(&"1".into()).unwrap();
    assert!(same.as_object().is_equivalent(desk.as_object()));
    scene.assert_served(&same, "1");
    assert_eq!(poa.reference::<Desk>(&"2".into()).unwrap_err(), PoaError::ObjectNotActive);
}

fn servant_to_id(scene: &Scene) {
    let poa = scene.poa("servants", PoaPolicies::new().user_ids());
    let servant = scene.servant();
    assert_eq!(poa.servant_to_id(&servant.any()), Err(PoaError::ServantNotActive));
    scene.object_of(&poa, "1", &servant).unwrap();
    assert_eq!(poa.servant_to_id(&servant.any()), Ok("1".into()));
    poa.deactivate(&"1".into()).unwrap();
    assert_eq!(poa.servant_to_id(&servant.any()), Err(PoaError::ServantNotActive));
}

fn default_servant(scene: &Scene) {
    let poa = scene.poa("defaults", PoaPolicies::new().user_ids());
    assert_eq!(poa.servant(), Err(PoaError::NoServant));
    for _ in 0..2 {
        let servant = scene.servant();
        let desk = scene.object_of(&poa, "1", &servant).unwrap();
        assert_eq!(poa.servant(), Ok(servant.any()));
        let current = scene.book.current.clone();
        scene.act(move |_| {
            assert_eq!(current.servant(), Ok(servant.any()));
            Ok(())
        });
        for (view, desk) in scene.views(&desk) {
            assert!(desk.act().is_ok(), "{view}");
        }
    }
}

fn one_manager(scene: &Scene) {
    let servant = scene.servant().any();
    let activator = || {
        let servant = servant.clone();
        Activator(
            move |_: &Poa, _: &ObjectId| Ok(servant.clone()),
            |_: &Poa, _: &ObjectId, _, _| {},
        )
    };
    let locator = || {
        let servant = servant.clone();
        Locator(
            move |_: &ObjectId, _: &str| Ok((servant.clone(), 0)),
            |_: &ObjectId, _: &str, _, _| Ok(()),
        )
    };
    /// Whether the adapter has a servant manager of this type.
    fn has<M: Send + Sync + 'static>(poa: &Poa, _: &M) -> Result<bool, PoaError> {
        Ok(poa.servant_manager::<M>()?.is_some())
    }
    let none = scene.poa("none", PoaPolicies::new());
    assert_eq!(has(&none, &activator()), Err(PoaError::WrongPolicy));
    let policies = PoaPolicies::new().user_ids().multiple_ids().servant_manager();
    let retains = scene.poa("retains", policies.clone());
    let others = scene.poa("others", policies.non_retain());
    let code = |refused: PoaError| {
        let refused = system(refused);
        (refused.kind, refused.minor.code())
    };
    assert_eq!(code(retains.set_servant_locator(locator()).unwrap_err()), (ObjAdapter, 4));
    assert_eq!(code(others.set_servant_activator(activator()).unwrap_err()), (ObjAdapter, 4));
    assert_eq!((has(&retains, &activator()), has(&others, &locator())), (Ok(false), Ok(false)));
    retains.set_servant_activator(activator()).unwrap();
    others.set_servant_locator(locator()).unwrap();
    assert_eq!((has(&retains, &activator()), has(&others, &locator())), (Ok(true), Ok(true)));
    assert_eq!((has(&retains, &locator()), has(&others, &activator())), (Ok(false), Ok(false)));
    assert_eq!(code(retains.set_servant_activator(activator()).unwrap_err()), (BadInvOrder, 6));
    assert_eq!(code(others.set_servant_locator(locator()).unwrap_err()), (BadInvOrder, 6));
    for poa in [retains, others] {
        scene.assert_served(&poa.create_reference_with_id("1").unwrap(), "1");
    }
    let plain = scene.poa("plain", PoaPolicies::new());
    assert_eq!(plain.set_servant_activator(activator()).unwrap_err(), PoaError::WrongPolicy);
    assert_eq!(plain.set_servant_locator(locator()).unwrap_err(), PoaError::WrongPolicy);
}

fn wrong_policy(scene: &Scene) {
    let servant = scene.servant();
    let wrong = Err(PoaError::WrongPolicy);
    let plain = scene.poa("plain", PoaPolicies::new());
    assert_eq!(plain.servant(), Err(PoaError::WrongPolicy));
    assert_eq!(plain.set_servant(servant.any()), wrong);
    let located = PoaPolicies::new().user_ids().non_retain().servant_manager();
    let located = scene.poa("located", located);
    let (desk, id) = (located.create_reference_with_id::<Desk>("1").unwrap(), "1".into());
    assert_eq!(located.deactivate(&id), wrong);
    assert_eq!(located.id_to_servant(&id).unwrap_err(), PoaError::WrongPolicy);
    assert_eq!(located.reference_to_servant(&desk).unwrap_err(), PoaError::WrongPolicy);
    assert_eq!(located.reference::<Desk>(&id).unwrap_err(), PoaError::WrongPolicy);
    assert_eq!(located.servant_to_id(&servant.any()).unwrap_err(), PoaError::WrongPolicy);
    let activated = scene.activate(&located, Some(id), &servant).unwrap_err();
    assert_eq!(activated, PoaError::WrongPolicy);
    // With any number of ids, a servant has none of its own.
    let multiple = scene.poa("multiple", PoaPolicies::new().user_ids().multiple_ids());
    scene.object_of(&multiple, "1", &servant).unwrap();
    assert_eq!(multiple.servant_to_id(&servant.any()), Err(PoaError::WrongPolicy));
}

fn wrong_adapter(scene: &Scene) {
    let [poa, other] = ["one", "other"].map(|name| scene.poa(name, PoaPolicies::new().user_ids()));
    let desk = scene.object(&poa, "1");
    assert_eq!(other.id_of(&desk), Err(PoaError::WrongAdapter));
    assert_eq!(other.reference_to_servant(&desk), Err(PoaError::WrongAdapter));
    // An adapter of this name and place in another ORB.
    let stranger = scene.client.root_poa().create("one", PoaPolicies::new().user_ids()).unwrap();
    let elsewhere: Desk = stranger.create_reference_with_id("1").unwrap();
    assert_eq!(poa.id_of(&elsewhere), Err(PoaError::WrongAdapter));
    assert_eq!(poa.reference_to_servant(&elsewhere), Err(PoaError::WrongAdapter));
    assert_eq!(stranger.id_of(&desk), Err(PoaError::WrongAdapter));
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
