//! Servant activators.

mod destruction;
mod stage;
mod waiting;

use std::sync::{Arc, Mutex};

use zorb_core::CollocationStrategy;
use zorb_core::poa::{
    AnyServant, Etherealization, ObjectId, Poa, PoaError, PoaPolicies, ServantActivator,
    ServantManagerError,
};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::views;
use crate::support::{Echo, Servant, builder, server, until};

/// What happens, in order.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn note(&self, event: impl Into<String>) {
        self.0.lock().unwrap().push(event.into());
    }

    pub(super) fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    pub(super) fn has(&self, event: &str) -> bool {
        self.0.lock().unwrap().iter().any(|known| known == event)
    }
}

/// Incarnates objects as its function does, and notes its calls.
struct Noting<F> {
    log: Log,
    make: F,
}

pub(super) type Made = Result<AnyServant, ServantManagerError>;

impl<F> ServantActivator for Noting<F>
where
    F: Fn(&Poa, &ObjectId) -> Made + Send + Sync + 'static,
{
    fn incarnate(&self, poa: &Poa, id: &ObjectId) -> Made {
        self.log.note(format!("incarnate {} {id}", poa.name()));
        (self.make)(poa, id)
    }

    fn etherealize(&self, poa: &Poa, id: &ObjectId, servant: AnyServant, ended: Etherealization) {
        let Etherealization { cleanup_in_progress, remaining_activations, .. } = ended;
        let flags = [cleanup_in_progress, remaining_activations].map(u8::from);
        self.log.note(format!("etherealize {} {id} {flags:?}", poa.name()));
        drop(servant);
    }
}

pub(super) fn servant() -> AnyServant {
    AnyServant::of::<Echo, _>(Arc::new(Servant::default()))
}

pub(super) fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().servant_manager()
}

fn activated<F>(parent: &Poa, policies: PoaPolicies, make: F) -> (Poa, Log)
where
    F: Fn(&Poa, &ObjectId) -> Made + Send + Sync + 'static,
{
    let poa = parent.create("activated", policies).unwrap();
    let log = Log::default();
    poa.set_servant_activator(Noting { log: log.clone(), make }).unwrap();
    (poa, log)
}

pub(super) fn reference(poa: &Poa, id: &str) -> Echo {
    poa.create_reference_with_id(id).unwrap()
}

#[test]
fn an_activator_incarnates_an_object_for_its_first_request() {
    for direct in [CollocationStrategy::ThruPoa, CollocationStrategy::Direct] {
        let orb =
            builder().listen("iiop://127.0.0.1:0").collocation_strategy(direct).build().unwrap();
        let (poa, log) = activated(&orb.root_poa(), policies(), |_, _| Ok(servant()));
        for of_client in [0, 1] {
            let (_client, views) = views(&reference(&poa, "one"));
            assert!(views[of_client].object().locate().unwrap());
            assert!(log.taken().is_empty());
            assert_eq!(views[of_client].twice(4), Ok(8));
            assert_eq!(log.taken(), ["incarnate activated one"]);
            assert!(views.iter().all(|view| view.twice(5) == Ok(10)));
            assert_eq!(poa.active_objects(), 1);
            assert!(poa.id_to_servant(&"one".into()).unwrap().downcast::<Servant>().is_some());
            let refused = poa.activate_with_id::<_, Echo>("one", Servant::default()).unwrap_err();
            assert_eq!(refused, PoaError::ObjectAlreadyActive);
            poa.deactivate(&"one".into()).unwrap();
            assert_eq!(log.taken(), ["etherealize activated one [0, 0]"]);
            assert_eq!(poa.deactivate(&"one".into()).unwrap_err(), PoaError::ObjectNotActive);
            // The implicit operations, too.
            assert!(!views[of_client].object().non_existent().unwrap());
            assert_eq!(log.taken(), ["incarnate activated one"]);
            poa.deactivate(&"one".into()).unwrap();
            log.taken();
        }
        assert_eq!(poa.active_objects(), 0);
    }
}

#[test]
fn an_activator_refuses_and_forwards() {
    let (orb, elsewhere) = server();
    elsewhere.note(3).unwrap();
    until(|| elsewhere.noted() == Ok(3));
    let shared = Arc::new(Servant::default());
    let (poa, log) = activated(&orb.root_poa(), policies(), move |poa, id| match id.as_bytes() {
        b"elsewhere" => Err(ServantManagerError::forward(&elsewhere)),
        b"refused" => {
            let code = minor::no_permission::POLICY_LEVEL;
            Err(SystemException::no_permission(code, CompletionStatus::No).into())
        }
        b"panics" => panic!("as asked"),
        b"itself" => {
            let called = reference(poa, "itself").twice(1);
            Err(called.unwrap_err().into())
        }
        _ => Ok(AnyServant::of::<Echo, _>(Arc::clone(&shared))),
    });
    for (id, kind, code) in [
        ("refused", SystemExceptionKind::NoPermission, minor::no_permission::POLICY_LEVEL),
        ("panics", SystemExceptionKind::Unknown, minor::unknown::SERVANT_PANICKED),
        ("itself", SystemExceptionKind::BadInvOrder, minor::bad_inv_order::WOULD_DEADLOCK),
    ] {
        for view in views(&reference(&poa, id)).1 {
            let refused = view.twice(1).unwrap_err();
            assert_eq!((refused.kind, refused.minor), (kind, code), "{id}");
            assert_eq!(log.taken(), [format!("incarnate activated {id}")]);
        }
    }
    for view in views(&reference(&poa, "elsewhere")).1 {
        assert_eq!(view.noted(), Ok(3));
    }
    // A servant has one id in this adapter.
    for view in views(&reference(&poa, "first")).1 {
        assert_eq!(view.twice(1), Ok(2));
    }
    for view in views(&reference(&poa, "second")).1 {
        let refused = view.twice(1).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::ObjAdapter);
        assert_eq!(refused.minor, minor::obj_adapter::WRONG_POLICY);
    }
    assert_eq!(poa.active_objects(), 1);
}

#[test]
fn an_adapter_has_one_activator() {
    let (orb, _) = server();
    let (poa, log) = activated(&orb.root_poa(), policies(), |_, _| Ok(servant()));
    let another = || Noting { log: log.clone(), make: |_: &Poa, _: &ObjectId| Ok(servant()) };
    let code = |refused: PoaError| match refused {
        PoaError::System(exception) => exception.minor,
        other => panic!("{other}"),
    };
    let second = poa.set_servant_activator(another()).unwrap_err();
    assert_eq!(code(second), minor::bad_inv_order::SERVANT_MANAGER_SET);
    let refused = orb.root_poa().set_servant_activator(another()).unwrap_err();
    assert_eq!(refused, PoaError::WrongPolicy);
    let locates = orb.root_poa().create("locates", policies().non_retain()).unwrap();
    let refused = locates.set_servant_activator(another()).unwrap_err();
    assert_eq!(code(refused), minor::obj_adapter::NO_SERVANT_MANAGER);
}

#[test]
fn a_servant_with_other_objects_remains_and_destruction_ends_all() {
    let (orb, _) = server();
    let shared = Arc::new(Servant::default());
    let (poa, log) = activated(&orb.root_poa(), policies().multiple_ids(), move |_, _| {
        Ok(AnyServant::of::<Echo, _>(Arc::clone(&shared)))
    });
    for id in ["a", "b", "c"] {
        assert_eq!(reference(&poa, id).twice(1), Ok(2));
    }
    log.taken();
    poa.deactivate(&"b".into()).unwrap();
    assert_eq!(log.taken(), ["etherealize activated b [0, 1]"]);
    poa.destroy();
    assert_eq!(log.taken(), ["etherealize activated a [1, 1]", "etherealize activated c [1, 0]"]);
}
