//! The creation of adapters.

use std::thread;

use zorb::SystemExceptionKind::BadParam;
use zorb::poa::{
    AnyServant, IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, ObjectId, Poa, PoaError,
    PoaPolicies, RequestProcessing, ServantRetention, ThreadModel,
};
use zorb_poa_tests::Desk;

use super::Row;
use crate::closures::{Activator, Locator};
use crate::scene::{Scene, system, until};
use crate::servants::Kind;

pub(super) const TABLE: &[Row] = &[
    ("15.2.3", "the policies of the root adapter", Kind::ACTIVE, root_policies),
    ("15.3.9 create_POA", "a name once below a parent", Kind::ACTIVE, names),
    ("15.3.9 create_POA", "policies have defaults, and are not inherited", Kind::ACTIVE, defaults),
    (
        "15.3.9 create_POA",
        "policies that contradict each other are refused",
        Kind::ACTIVE,
        contradictions,
    ),
    ("15.3.9 create_POA", "every legal combination of policies serves", Kind::ALL, combinations),
    (
        "15.3.9 create_reference",
        "with SYSTEM_ID, whatever the other policies are",
        Kind::ACTIVE,
        references,
    ),
    (
        "15.3.9 create_reference_with_id",
        "of the program with USER_ID, otherwise of the adapter",
        Kind::ACTIVE,
        references_with_ids,
    ),
];

fn contradictions(scene: &Scene) {
    let contradicting = [
        PoaPolicies::new().non_retain(),
        PoaPolicies::new().default_servant(),
        PoaPolicies::new().user_ids().implicit_activation(),
        PoaPolicies::new().implicit_activation().non_retain().servant_manager(),
    ];
    for policies in contradicting {
        let refused = scene.server.root_poa().create("wrong", policies.clone()).unwrap_err();
        let PoaError::InvalidPolicy { index, .. } = refused else { panic!("{refused:?}") };
        assert!(index.is_some(), "{policies:?}");
    }
}

fn root_policies(scene: &Scene) {
    let implicit = PoaPolicies::new().implicit_activation();
    let root = scene.server.root_poa();
    assert_eq!(root.policies(), implicit);
    assert_eq!((root.name(), root.parent().map(|poa| poa.path())), ("RootPOA", None));
}

fn names(scene: &Scene) {
    let poa = scene.poa("parent", PoaPolicies::new());
    let child = poa.create("child", scene.policies(PoaPolicies::new())).unwrap();
    let again = poa.create("child", scene.policies(PoaPolicies::new())).unwrap_err();
    assert_eq!(again, PoaError::AdapterAlreadyExists);
    assert_eq!(poa.find("child").unwrap().path(), child.path());
    // The same name below another parent.
    child.create("child", scene.policies(PoaPolicies::new())).unwrap();
}

fn defaults(scene: &Scene) {
    let policies = PoaPolicies::new().persistent().user_ids().multiple_ids().single_thread();
    let poa = scene.poa("parent", policies.servant_manager());
    let child = poa.create("child", PoaPolicies::new()).unwrap().policies();
    assert_eq!(child.thread_model, ThreadModel::OrbControlled);
    assert_eq!(child.lifespan, Lifespan::Transient);
    assert_eq!(child.id_uniqueness, IdUniqueness::Unique);
    assert_eq!(child.id_assignment, IdAssignment::System);
    assert_eq!(child.servant_retention, ServantRetention::Retain);
    assert_eq!(child.request_processing, RequestProcessing::ActiveObjectMapOnly);
    assert_eq!(child.implicit_activation, ImplicitActivation::Explicit);
}

/// All values of the seven policies.
fn all_policies() -> impl Iterator<Item = PoaPolicies> {
    let new = PoaPolicies::new;
    let threads = [new(), new().single_thread(), new().main_thread()].into_iter();
    threads
        .flat_map(|it| [it.clone(), it.persistent()])
        .flat_map(|it| [it.clone(), it.user_ids()])
        .flat_map(|it| [it.clone(), it.multiple_ids()])
        .flat_map(|it| [it.clone(), it.implicit_activation()])
        .flat_map(|it| [it.clone(), it.non_retain()])
        .flat_map(|it| [it.clone(), it.clone().default_servant(), it.servant_manager()])
}

/// Whether the standard allows a combination.
fn is_legal(policies: &PoaPolicies) -> bool {
    let retains = policies.servant_retention == ServantRetention::Retain;
    let is_multiple = policies.id_uniqueness == IdUniqueness::Multiple;
    let processing_is_legal = match policies.request_processing {
        RequestProcessing::ActiveObjectMapOnly => retains,
        RequestProcessing::DefaultServant => is_multiple,
        RequestProcessing::ServantManager => true,
    };
    let is_implicit = policies.implicit_activation == ImplicitActivation::Implicit;
    let implicit_is_legal = retains && policies.id_assignment == IdAssignment::System;
    processing_is_legal && (!is_implicit || implicit_is_legal)
}

/// An object that is served as the adapter's policies say.
fn object(scene: &Scene, poa: &Poa) -> Desk {
    let policies = poa.policies();
    let (servant, retains) =
        (scene.servant(), policies.servant_retention == ServantRetention::Retain);
    let given = servant.any();
    let unused = |_: &Poa, _: &ObjectId, _: AnyServant, _| {};
    match policies.request_processing {
        RequestProcessing::ActiveObjectMapOnly => {
            let id = (policies.id_assignment == IdAssignment::User).then(|| "1".into());
            return scene.activate(poa, id, &servant).unwrap();
        }
        RequestProcessing::DefaultServant => poa.set_servant(given),
        RequestProcessing::ServantManager if retains => poa.set_servant_activator(Activator(
            move |_: &Poa, _: &ObjectId| Ok(given.clone()),
            unused,
        )),
        RequestProcessing::ServantManager => poa.set_servant_locator(Locator(
            move |_: &ObjectId, _: &str| Ok((given.clone(), 0)),
            |_: &ObjectId, _: &str, _, _| Ok(()),
        )),
    }
    .unwrap();
    match policies.id_assignment {
        IdAssignment::User => poa.create_reference_with_id("1").unwrap(),
        IdAssignment::System => poa.create_reference().unwrap(),
    }
}

/// With active objects and servant managers for kinds of servants without default servants, and with those otherwise.
fn combinations(scene: &Scene) {
    let root = scene.server.root_poa();
    let (mut legal, mut illegal) = (0, 0);
    for policies in all_policies() {
        let is_by_default = policies.request_processing == RequestProcessing::DefaultServant;
        if !is_legal(&policies) {
            let refused = root.create("illegal", policies.clone()).unwrap_err();
            let PoaError::InvalidPolicy { index: Some(_), .. } = refused else {
                panic!("{refused:?}: {policies:?}");
            };
            illegal += 1;
        } else if is_by_default == scene.kind.is_by_default() {
            let poa = root.create("legal", scene.in_pool(policies.clone())).unwrap();
            let desk = object(scene, &poa);
            let id = poa.id_of(&desk).unwrap().to_string();
            for (view, desk) in scene.views(&desk) {
                let served = thread::scope(|scope| {
                    let call = scope.spawn(|| desk.served());
                    if policies.thread_model == ThreadModel::MainThread {
                        until(|| scene.server.perform_work().unwrap() || call.is_finished());
                    }
                    call.join().unwrap()
                });
                assert_eq!(served.as_deref(), Ok(id.as_str()), "{view}: {policies:?}");
            }
            poa.destroy();
            legal += 1;
        }
    }
    let of_kind = if scene.kind.is_by_default() { 30 } else { 96 };
    assert_eq!((legal, illegal), (of_kind, 162));
}

/// Calls `check` with an adapter for each legal combination, which no object is active in afterwards.
fn with_each(scene: &Scene, check: impl Fn(&Poa, IdAssignment)) {
    let legal = all_policies().filter(is_legal);
    let count = legal.inspect(|policies| {
        let root = scene.server.root_poa();
        let poa = root.create("references", scene.in_pool(policies.clone())).unwrap();
        check(&poa, policies.id_assignment);
        assert_eq!(poa.active_objects(), 0, "{policies:?}");
        poa.destroy();
    });
    assert_eq!(count.count(), 126);
}

fn references(scene: &Scene) {
    with_each(scene, |poa, assignment| {
        let created = [(); 2].map(|()| poa.create_reference::<Desk>());
        match assignment {
            IdAssignment::System => {
                let ids = created.map(|desk| poa.id_of(&desk.unwrap()).unwrap());
                assert_ne!(ids[0], ids[1]);
            }
            IdAssignment::User => created
                .into_iter()
                .for_each(|desk| assert_eq!(desk.unwrap_err(), PoaError::WrongPolicy)),
        }
    });
}

fn references_with_ids(scene: &Scene) {
    with_each(scene, |poa, assignment| {
        let with_id = |id: ObjectId| poa.create_reference_with_id::<Desk>(id);
        match assignment {
            IdAssignment::System => {
                let refused = system(with_id("mine".into()).unwrap_err());
                assert_eq!((refused.kind, refused.minor.code()), (BadParam, 14));
                let id = poa.id_of(&poa.create_reference::<Desk>().unwrap()).unwrap();
                assert_eq!(poa.id_of(&with_id(id.clone()).unwrap()), Ok(id));
            }
            IdAssignment::User => {
                assert_eq!(poa.id_of(&with_id("mine".into()).unwrap()), Ok("mine".into()));
            }
        }
    });
}
