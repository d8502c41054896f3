//! Default servants.

use std::sync::Arc;

use zorb_core::poa::{
    AnyServant, ObjectId, Poa, PoaError, PoaPolicies, ServantLocator, ServantManagerError,
};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::views;
use crate::support::{Acting, Echo, Servant, server};

fn defaults(poa: &Poa, policies: PoaPolicies) -> Poa {
    poa.create("defaults", policies.user_ids().multiple_ids().default_servant()).unwrap()
}

#[test]
fn a_default_servant_serves_all_objects_that_are_not_active() {
    let (orb, _) = server();
    let poa = defaults(&orb.root_poa(), PoaPolicies::new());
    let tens = Arc::new(Acting(|value: i32| Ok(value * 10)));
    poa.set_servant(AnyServant::of::<Echo, _>(Arc::clone(&tens))).unwrap();
    let first: Echo = poa.create_reference_with_id("first").unwrap();
    let second: Echo = poa.create_reference_with_id("second").unwrap();
    let (_client, views_of_first) = views(&first);
    let (_client, views_of_second) = views(&second);
    for view in views_of_first.iter().chain(&views_of_second) {
        assert_eq!(view.twice(4), Ok(40));
        assert!(view.object().is_a(<Echo as zorb_core::Interface>::REPOSITORY_ID).unwrap());
        assert!(view.object().locate().unwrap());
        assert!(!view.object().non_existent().unwrap());
    }
    assert_eq!(poa.active_objects(), 0);
    // The active object map comes first.
    let _: Echo = poa.activate_with_id("second", Servant::default()).unwrap();
    assert!(views_of_second.iter().all(|view| view.twice(4) == Ok(8)));
    assert!(views_of_first.iter().all(|view| view.twice(4) == Ok(40)));
    assert!(poa.id_to_servant(&"second".into()).unwrap().downcast::<Servant>().is_some());
    let served = poa.reference_to_servant(&first).unwrap();
    assert_eq!(served, AnyServant::of::<Echo, _>(tens));
    poa.deactivate(&"second".into()).unwrap();
    assert!(views_of_second.iter().all(|view| view.twice(4) == Ok(40)));
}

#[test]
fn a_default_servant_can_be_replaced_and_may_be_missing() {
    let (orb, _) = server();
    let poa = defaults(&orb.root_poa(), PoaPolicies::new().non_retain());
    assert_eq!(poa.servant().unwrap_err(), PoaError::NoServant);
    let echo: Echo = poa.create_reference_with_id("any").unwrap();
    let (_client, views) = views(&echo);
    for view in &views {
        let refused = view.twice(1).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::ObjAdapter);
        assert_eq!(refused.minor, minor::obj_adapter::NO_DEFAULT_SERVANT);
    }
    assert_eq!(poa.id_to_servant(&"any".into()).unwrap_err(), PoaError::ObjectNotActive);
    for factor in [3, 5] {
        let servant = Acting(move |value| Ok(value * factor));
        poa.set_servant(AnyServant::of::<Echo, _>(Arc::new(servant))).unwrap();
        assert!(views.iter().all(|view| view.twice(7) == Ok(7 * factor)));
    }
    // Without retention there is nothing to activate.
    let refused = poa.activate_with_id::<_, Echo>("any", Servant::default()).unwrap_err();
    assert_eq!(refused, PoaError::WrongPolicy);
    assert_eq!(poa.deactivate(&"any".into()).unwrap_err(), PoaError::WrongPolicy);
    assert_eq!(poa.reference::<Echo>(&"any".into()).unwrap_err(), PoaError::WrongPolicy);
}

#[test]
fn a_default_servant_that_panics_ends_only_the_request() {
    let (orb, _) = server();
    let poa = defaults(&orb.root_poa(), PoaPolicies::new());
    poa.set_servant(AnyServant::of::<Echo, _>(Arc::new(Servant::default()))).unwrap();
    let echo: Echo = poa.create_reference_with_id("any").unwrap();
    let (_client, views) = views(&echo);
    for view in views {
        assert_eq!(view.panic_now().unwrap_err().kind, SystemExceptionKind::Unknown);
        assert_eq!(view.twice(2), Ok(4));
    }
}

/// Serves nothing, and keeps its adapter.
struct Keeping(#[expect(dead_code, reason = "held")] (Poa, Arc<()>));

impl ServantLocator for Keeping {
    type Cookie = ();

    fn preinvoke(
        &self,
        _: &Poa,
        _: &ObjectId,
        _: &str,
    ) -> Result<(AnyServant, ()), ServantManagerError> {
        Err(SystemException::obj_adapter(
            minor::obj_adapter::NO_SERVANT_MANAGER,
            CompletionStatus::No,
        )
        .into())
    }
}

#[test]
fn an_ended_adapter_releases_servants_and_managers_that_keep_it() {
    for shut_down in [false, true] {
        let (orb, _) = server();
        let poa = defaults(&orb.root_poa(), PoaPolicies::new());
        let servant = Arc::new(Acting({
            let poa = poa.clone();
            move |value| Ok(value + i32::from(poa.name() == "defaults"))
        }));
        let alive = Arc::downgrade(&servant);
        poa.set_servant(AnyServant::of::<Echo, _>(servant)).unwrap();
        let policies = PoaPolicies::new().user_ids().non_retain().servant_manager();
        let located = orb.root_poa().create("located", policies).unwrap();
        let token = Arc::new(());
        let locating = Arc::downgrade(&token);
        located.set_servant_locator(Keeping((located.clone(), token))).unwrap();
        assert!(alive.upgrade().is_some() && locating.upgrade().is_some());
        if shut_down {
            orb.shutdown(true).unwrap();
        } else {
            poa.destroy_with(true, true).unwrap();
            located.destroy_with(true, true).unwrap();
        }
        assert!(alive.upgrade().is_none() && locating.upgrade().is_none());
    }
}
