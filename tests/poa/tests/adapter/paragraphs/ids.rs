//! Object ids.

use std::collections::HashSet;

use zorb::SystemExceptionKind::BadParam;
use zorb::poa::{Lifespan, ObjectId, Poa, PoaError, PoaPolicies};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::{Scene, system};
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.3.8.4", "user ids are those of the program", Kind::ALL, user_ids),
    ("15.3.8.4", "user ids are any octets", Kind::ALL, octets_mut),
    ("15.3.8.4", "system ids are the adapter's, and no others", Kind::ACTIVE, system_ids),
    ("15.3.9 activate_object", "no id is assigned twice, by lifespan", Kind::ACTIVE, assigned_once),
    ("15.3.9 create_reference", "no id is assigned twice, by lifespan", Kind::ALL, created_once),
];

fn user_ids(scene: &Scene) {
    let poa = scene.poa("user", PoaPolicies::new().user_ids());
    let desk = scene.object(&poa, "any octets");
    assert_eq!(poa.id_of(&desk), Ok("any octets".into()));
    scene.assert_served(&desk, "any octets");
    let refused = scene.activate(&poa, None, &scene.servant()).unwrap_err();
    assert_eq!(refused, PoaError::WrongPolicy);
    assert_eq!(poa.create_reference::<Desk>().unwrap_err(), PoaError::WrongPolicy);
}

fn system_ids(scene: &Scene) {
    for (name, policies) in
        [("transient", PoaPolicies::new()), ("persistent", PoaPolicies::new().persistent())]
    {
        let poa = scene.poa(name, policies);
        let activate = |id: Option<ObjectId>| scene.activate(&poa, id, &scene.servant());
        let [one, other] = [(); 2].map(|()| activate(None).unwrap());
        let ids = [&one, &other].map(|desk| poa.id_of(desk).unwrap());
        assert_ne!(ids[0], ids[1]);
        scene.assert_served(&one, &ids[0].to_string());
        let refused = system(activate(Some("mine".into())).unwrap_err());
        assert_eq!((refused.kind, refused.minor.code()), (BadParam, 14));
        assert_foreign_ids_are_refused(scene, &poa);
        // One that it has assigned may be used again.
        poa.deactivate(&ids[0]).unwrap();
        let again = activate(Some(ids[0].clone())).unwrap();
        scene.assert_served(&again, &ids[0].to_string());
    }
}

/// Ids of an adapter with the same policies: a persistent adapter cannot tell them from those of its earlier runs.
fn assert_foreign_ids_are_refused(scene: &Scene, poa: &Poa) {
    if poa.policies().lifespan == Lifespan::Persistent {
        return;
    }
    let other = scene.poa("other", PoaPolicies::new());
    let desks: Vec<_> =
        (0..10).map(|_| scene.activate(&other, None, &scene.servant()).unwrap()).collect();
    let last = other.id_of(&desks[9]).unwrap();
    let created = other.id_of(&other.create_reference::<Desk>().unwrap()).unwrap();
    for id in [last, created] {
        let refused = [
            scene.activate(poa, Some(id.clone()), &scene.servant()).unwrap_err(),
            poa.create_reference_with_id::<Desk>(id).unwrap_err(),
        ];
        for refused in refused.map(system) {
            assert_eq!((refused.kind, refused.minor.code()), (BadParam, 14));
        }
    }
}

fn octets_mut(scene: &Scene) {
    let ids: [&[u8]; 6] =
        [b"", &[0], &[0; 300], b"a/b%c\\d", &[255, 254, 0, 1], "\u{fc}".as_bytes()];
    for (name, policies) in
        [("transient", PoaPolicies::new()), ("persistent", PoaPolicies::new().persistent())]
    {
        let poa = scene.poa(name, policies.user_ids());
        scene.act(|upcall| {
            let here: Desk = upcall.reference()?;
            assert_eq!(upcall.poa()?.id_of(&here)?, *upcall.object_id());
            Ok(())
        });
        for id in ids {
            let desk: Desk = if scene.kind.is_by_default() {
                poa.set_servant(scene.servant().any()).unwrap();
                poa.create_reference_with_id(id).unwrap()
            } else {
                scene.activate(&poa, Some(id.into()), &scene.servant()).unwrap()
            };
            assert_eq!(poa.id_of(&desk), Ok(id.into()));
            for (view, desk) in scene.views(&desk) {
                assert!(desk.act().is_ok(), "{view}: {id:?}");
            }
        }
    }
}

fn assigned_once(scene: &Scene) {
    for policies in [PoaPolicies::new(), PoaPolicies::new().persistent()] {
        let mut ids = HashSet::<ObjectId>::new();
        for _ in 0..3 {
            let poa = scene.poa("system", policies.clone());
            for _ in 0..20 {
                let desk = scene.activate(&poa, None, &scene.servant()).unwrap();
                let id = poa.id_of(&desk).unwrap();
                scene.assert_served(&desk, &id.to_string());
                poa.deactivate(&id).unwrap();
                // Ids of a transient adapter are unique as long as it lives.
                assert!(ids.insert(id), "{policies:?}");
            }
            poa.destroy();
            if policies == PoaPolicies::new() {
                ids.clear();
            }
        }
    }
}

fn created_once(scene: &Scene) {
    for policies in [PoaPolicies::new(), PoaPolicies::new().persistent()] {
        let poa = scene.poa("system", policies.clone());
        let ids = (0..20).map(|_| poa.id_of(&poa.create_reference::<Desk>().unwrap()).unwrap());
        assert_eq!(ids.collect::<HashSet<_>>().len(), 20, "{policies:?}");
        poa.destroy();
    }
}
