//! The current, and servants that ask for themselves.

use zorb::poa::{AnyServant, ObjectId, Poa, PoaCurrent, PoaError, PoaPolicies};
use zorb::{Caller, ObjectRef};
use zorb_poa_tests::Desk;

use super::Row;
use crate::scene::Scene;
use crate::servants::{Kind, Servant};

pub(super) const TABLE: &[Row] = &[
    ("15.3.10 get_POA", "that of the object being served", Kind::ALL, poa),
    ("15.3.10 get_object_id", "the id being served, also of nested upcalls", Kind::ALL, object_id),
    ("15.3.10 get_reference", "of the object being served", Kind::ALL, reference),
    ("15.3.10 get_servant", "the servant that serves", Kind::ALL, servant),
    ("15.3.10 NoContext", "outside of upcalls", Kind::ALL, no_context),
    ("15.3.9 servant_to_reference", "in an upcall, of the object being served", Kind::ALL, this),
    (
        "15.3.9 servant_to_id",
        "in an upcall of the default servant, its id",
        Kind::BY_DEFAULT,
        own_id,
    ),
    ("15.3.9 servant_to_id", "outside: ServantNotActive", Kind::BY_DEFAULT, outside),
];

fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().multiple_ids()
}

/// Two objects with one servant.
fn pair(scene: &Scene) -> (Poa, Servant, [(&'static str, Desk); 2]) {
    let poa = scene.poa("current", policies());
    let servant = scene.servant();
    let desks = ["1", "2"].map(|id| (id, scene.object_of(&poa, id, &servant).unwrap()));
    (poa, servant, desks)
}

/// Calls both objects collocated and remotely, whose upcalls then call `check`.
fn check(
    scene: &Scene,
    check: impl Fn(&PoaCurrent, &ObjectId) -> Result<(), PoaError> + Send + Sync + 'static,
) {
    let (_poa, _servant, desks) = pair(scene);
    let current = scene.book.current.clone();
    scene.act(move |upcall| {
        check(&current, upcall.object_id()).unwrap();
        assert_eq!(current.operation().as_deref(), Ok(upcall.operation()));
        let address = |caller: Option<Caller>| caller.map(|caller| caller.address().to_owned());
        assert_eq!(current.caller().map(address), Ok(address(upcall.caller())));
        Ok(())
    });
    for (view, desk) in desks.iter().flat_map(|(_, desk)| scene.views(desk)) {
        assert!(desk.act().is_ok(), "{view}");
    }
}

fn poa(scene: &Scene) {
    check(scene, |current, _| {
        assert_eq!(current.poa()?.path(), "current");
        Ok(())
    });
}

fn object_id(scene: &Scene) {
    let nested = scene.object(&scene.poa("nested", policies()), "inner");
    check(scene, move |current, id| {
        assert_eq!(current.object_id()?, *id);
        assert_eq!(nested.served().as_deref(), Ok("inner"));
        assert_eq!(current.object_id()?, *id);
        Ok(())
    });
}

fn reference(scene: &Scene) {
    check(scene, |current, id| {
        let here: Desk = current.reference()?;
        assert_eq!(current.poa()?.id_of(&here)?, *id);
        Ok(())
    });
}

fn servant(scene: &Scene) {
    let (poa, servant, desks) = pair(scene);
    let (known, current) = (servant.any(), scene.book.current.clone());
    scene.act(move |upcall| {
        assert_eq!(current.servant(), Ok(known.clone()));
        assert_eq!(upcall.servant(), known);
        Ok(())
    });
    for (view, desk) in desks.iter().flat_map(|(_, desk)| scene.views(desk)) {
        assert!(desk.act().is_ok(), "{view}");
    }
    poa.destroy();
}

fn no_context(scene: &Scene) {
    let current: PoaCurrent = scene.server.initial_local("POACurrent").unwrap();
    let (_poa, _servant, desks) = pair(scene);
    desks.iter().for_each(|(id, desk)| scene.assert_served(desk, id));
    assert_eq!(current.object_id(), Err(PoaError::NoContext));
    assert_eq!(current.poa().unwrap_err(), PoaError::NoContext);
    assert_eq!(current.reference::<Desk>().unwrap_err(), PoaError::NoContext);
    assert_eq!(current.servant(), Err(PoaError::NoContext));
    assert_eq!(current.operation(), Err(PoaError::NoContext));
    assert_eq!(current.caller().unwrap_err(), PoaError::NoContext);
    // An upcall is one of its own ORB alone.
    let other = scene.client.poa_current();
    scene.act(move |_| {
        assert_eq!(other.object_id(), Err(PoaError::NoContext));
        Ok(())
    });
    for (view, desk) in scene.views(&desks[0].1) {
        assert!(desk.act().is_ok(), "{view}");
    }
}

/// The id in the reference of a servant by itself.
fn this_id(poa: &Poa, servant: &AnyServant) -> Result<ObjectId, PoaError> {
    match Servant::of(servant) {
        Servant::Typed(servant) => poa.id_of(&poa.reference_of::<_, Desk>(&servant)?),
        Servant::Dynamic(servant) => poa.id_of(&poa.reference_of::<_, ObjectRef>(&servant)?),
    }
}

fn this(scene: &Scene) {
    let (poa, servant, desks) = pair(scene);
    scene.act(|upcall| {
        let this = this_id(&upcall.poa()?, &upcall.servant())?;
        assert_eq!(this, *upcall.object_id());
        Ok(())
    });
    for (view, desk) in desks.iter().flat_map(|(_, desk)| scene.views(desk)) {
        assert!(desk.act().is_ok(), "{view}");
    }
    // Outside, a servant with any number of ids has no reference.
    assert_eq!(this_id(&poa, &servant.any()), Err(PoaError::WrongPolicy));
}

fn own_id(scene: &Scene) {
    check(scene, |current, id| {
        assert_eq!(current.poa()?.servant_to_id(&current.servant()?)?, *id);
        Ok(())
    });
}

fn outside(scene: &Scene) {
    let (poa, servant, _) = pair(scene);
    assert_eq!(poa.servant_to_id(&servant.any()), Err(PoaError::ServantNotActive));
}
