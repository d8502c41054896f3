//! The policies of adapters.

use zorb::SystemExceptionKind::{ObjAdapter, ObjectNotExist};
use zorb::poa::{PoaError, PoaPolicies};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::Scene;
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.8.2", "transient: references end with the adapter", Kind::ALL, transient),
    ("15.3.8.2", "persistent: references outlive the adapter", Kind::ALL, persistent),
    ("15.3.8.3", "unique ids: a servant has one", Kind::ACTIVE, unique_ids),
    ("15.3.8.3", "multiple ids: a servant has any number", Kind::ALL, multiple_ids),
    ("15.3.8.5", "retain: an active object is found until deactivated", Kind::ACTIVE, retain),
    ("15.3.8.5", "non-retain: nothing is activated", Kind::BY_DEFAULT, non_retain),
    ("15.3.8.6", "active objects only: others do not exist", Kind::ACTIVE, active_only),
    (
        "15.3.8.6",
        "the active object map comes before the default servant",
        Kind::BY_DEFAULT,
        map_first,
    ),
    ("15.3.8.6", "without a default servant: OBJ_ADAPTER", Kind::BY_DEFAULT, no_default_servant),
    ("15.3.8.7", "implicit activation: taking a reference activates", Kind::ACTIVE, implicit),
    (
        "15.3.8.7",
        "implicit activation with multiple ids: each time anew",
        Kind::ACTIVE,
        implicit_anew,
    ),
    ("15.3.8.7", "no implicit activation: it does not", Kind::ACTIVE, explicit),
];

fn transient(scene: &Scene) {
    let policies = || PoaPolicies::new().user_ids();
    let poa = scene.poa("again", policies());
    let desk = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
    poa.destroy();
    let poa = scene.poa("again", policies());
    let new = scene.object(&poa, "1");
    scene.assert_refused(&desk, ObjectNotExist, 2);
    scene.assert_served(&new, "1");
}

fn persistent(scene: &Scene) {
    let policies = || PoaPolicies::new().user_ids().persistent();
    let poa = scene.poa("again", policies());
    let desk = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
    poa.destroy();
    scene.assert_refused(&desk, ObjectNotExist, 2);
    let poa = scene.poa("again", policies());
    let _new = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
}

fn unique_ids(scene: &Scene) {
    let poa = scene.poa("unique", PoaPolicies::new().user_ids());
    let servant = scene.servant();
    let desk = scene.object_of(&poa, "1", &servant).unwrap();
    let refused = scene.object_of(&poa, "2", &servant).unwrap_err();
    assert_eq!(refused, PoaError::ServantAlreadyActive);
    scene.assert_served(&desk, "1");
    let poa = scene.poa("system", PoaPolicies::new());
    let desk = scene.activate(&poa, None, &servant).unwrap();
    let refused = scene.activate(&poa, None, &servant).unwrap_err();
    assert_eq!(refused, PoaError::ServantAlreadyActive);
    let id = poa.id_of(&desk).unwrap();
    poa.deactivate(&id).unwrap();
    let again = scene.activate(&poa, None, &servant).unwrap();
    assert_ne!(poa.id_of(&again), Ok(id));
}

fn multiple_ids(scene: &Scene) {
    let poa = scene.poa("multiple", PoaPolicies::new().user_ids().multiple_ids());
    let servant = scene.servant();
    let desks = ["1", "2", "3"].map(|id| (id, scene.object_of(&poa, id, &servant).unwrap()));
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
}

fn retain(scene: &Scene) {
    let poa = scene.poa("retain", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    assert_eq!(poa.active_objects(), 1);
    scene.assert_served(&desk, "1");
    poa.deactivate(&"1".into()).unwrap();
    scene.assert_refused(&desk, ObjectNotExist, 1);
    assert_eq!(poa.deactivate(&"1".into()), Err(PoaError::ObjectNotActive));
}

fn non_retain(scene: &Scene) {
    let poa = scene.poa("non-retain", PoaPolicies::new().user_ids().non_retain());
    let servant = scene.servant();
    let desks = ["1", "2"].map(|id| (id, scene.object_of(&poa, id, &servant).unwrap()));
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
    assert_eq!(poa.active_objects(), 0);
    let refused = scene.activate(&poa, Some("3".into()), &servant).unwrap_err();
    assert_eq!(refused, PoaError::WrongPolicy);
    assert_eq!(poa.deactivate(&"1".into()), Err(PoaError::WrongPolicy));
}

fn active_only(scene: &Scene) {
    let poa = scene.poa("active", PoaPolicies::new().user_ids());
    let desk: Desk = poa.create_reference_with_id("1").unwrap();
    scene.assert_refused(&desk, ObjectNotExist, 1);
    scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
}

fn map_first(scene: &Scene) {
    let poa = scene.poa("both", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "1");
    scene.assert_served(&desk, "1");
    let servant = scene.servant();
    scene.activate(&poa, Some("1".into()), &servant).unwrap();
    assert_eq!(poa.id_to_servant(&"1".into()), Ok(servant.any()));
    scene.assert_served(&desk, "1");
    poa.deactivate(&"1".into()).unwrap();
    assert_eq!(poa.id_to_servant(&"1".into()), poa.servant());
    scene.assert_served(&desk, "1");
}

fn no_default_servant(scene: &Scene) {
    let poa = scene.poa("without", PoaPolicies::new().user_ids());
    let desk: Desk = poa.create_reference_with_id("1").unwrap();
    assert_eq!(poa.servant().unwrap_err(), PoaError::NoServant);
    scene.assert_refused(&desk, ObjAdapter, 3);
    poa.set_servant(scene.servant().any()).unwrap();
    scene.assert_served(&desk, "1");
}

fn implicit(scene: &Scene) {
    let poa = scene.poa("implicit", PoaPolicies::new().implicit_activation());
    let servant = scene.servant().any();
    let id = poa.servant_to_id(&servant).unwrap();
    assert_eq!(poa.active_objects(), 1);
    // It is active now.
    assert_eq!(poa.servant_to_id(&servant), Ok(id.clone()));
    let desk: Desk = poa.reference(&id).unwrap();
    scene.assert_served(&desk, &id.to_string());
}

fn implicit_anew(scene: &Scene) {
    let poa = scene.poa("implicit", PoaPolicies::new().implicit_activation().multiple_ids());
    let servant = scene.servant().any();
    let ids = [(); 2].map(|()| poa.servant_to_id(&servant).unwrap());
    assert_ne!(ids[0], ids[1]);
    assert_eq!(poa.active_objects(), 2);
    for id in ids {
        let desk: Desk = poa.reference(&id).unwrap();
        scene.assert_served(&desk, &id.to_string());
    }
}

fn explicit(scene: &Scene) {
    let poa = scene.poa("explicit", PoaPolicies::new());
    assert_eq!(poa.servant_to_id(&scene.servant().any()), Err(PoaError::ServantNotActive));
    assert_eq!(poa.active_objects(), 0);
}
