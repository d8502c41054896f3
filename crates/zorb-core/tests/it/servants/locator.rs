//! Servant locators.

use std::sync::{Arc, Mutex};

use zorb_core::poa::{
    AnyServant, ObjectId, Poa, PoaError, PoaPolicies, ServantLocator, ServantManagerError,
};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::views;
use crate::support::{Echo, Servant, server};

type Log = Arc<Mutex<Vec<String>>>;

/// Notes its calls. The objects `elsewhere`, `refused` and `late` are not served as usual.
struct Noting {
    log: Log,
    elsewhere: Echo,
}

fn refused() -> SystemException {
    SystemException::no_permission(minor::no_permission::POLICY_LEVEL, CompletionStatus::No)
}

impl ServantLocator for Noting {
    type Cookie = usize;

    fn preinvoke(
        &self,
        poa: &Poa,
        id: &ObjectId,
        operation: &str,
    ) -> Result<(AnyServant, usize), ServantManagerError> {
        let mut log = self.log.lock().unwrap();
        log.push(format!("pre {} {id} {operation}", poa.name()));
        match id.as_bytes() {
            b"elsewhere" => Err(ServantManagerError::forward(&self.elsewhere)),
            b"refused" => Err(refused().into()),
            b"panics" => {
                drop(log);
                panic!("as asked")
            }
            _ => Ok((AnyServant::of::<Echo, _>(Arc::new(Servant::default())), log.len())),
        }
    }

    fn postinvoke(
        &self,
        poa: &Poa,
        id: &ObjectId,
        operation: &str,
        servant: AnyServant,
        cookie: usize,
    ) -> Result<(), SystemException> {
        assert!(servant.downcast::<Servant>().is_some());
        self.log.lock().unwrap().push(format!("post {} {id} {operation} {cookie}", poa.name()));
        if id.as_bytes() == b"late" { Err(refused()) } else { Ok(()) }
    }
}

fn located(poa: &Poa, elsewhere: &Echo) -> (Poa, Log) {
    let policies = PoaPolicies::new().user_ids().non_retain().servant_manager();
    let poa = poa.create("located", policies).unwrap();
    let log = Log::default();
    let locator = Noting { log: Arc::clone(&log), elsewhere: elsewhere.clone() };
    poa.set_servant_locator(locator).unwrap();
    (poa, log)
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().unwrap())
}

#[test]
fn a_locator_provides_a_servant_for_each_request() {
    let (orb, elsewhere) = server();
    let (poa, log) = located(&orb.root_poa(), &elsewhere);
    let echo: Echo = poa.create_reference_with_id("one").unwrap();
    let (_client, views) = views(&echo);
    for view in &views {
        assert_eq!(view.twice(4), Ok(8));
        assert_eq!(taken(&log), ["pre located one twice", "post located one twice 1"]);
        assert_eq!(view.noted(), Ok(0));
        assert_eq!(taken(&log), ["pre located one _get_noted", "post located one _get_noted 1"]);
        // The implicit operations, too.
        assert!(!view.object().non_existent().unwrap());
        let expected = ["pre located one _non_existent", "post located one _non_existent 1"];
        assert_eq!(taken(&log), expected);
        // After user exceptions, panics and unknown operations.
        view.repeat("x", -1).unwrap_err();
        assert_eq!(taken(&log).pop().unwrap(), "post located one repeat 1");
        view.panic_now().unwrap_err();
        assert_eq!(taken(&log).pop().unwrap(), "post located one panic_now 1");
        view.unknown().unwrap_err();
        assert_eq!(taken(&log).pop().unwrap(), "post located one no_such_operation 1");
        // A LocateRequest reaches no servant.
        assert!(view.object().locate().unwrap());
        assert!(taken(&log).is_empty());
    }
    assert_eq!(poa.active_objects(), 0);
}

#[test]
fn a_locator_forwards_and_refuses() {
    let (orb, elsewhere) = server();
    let (poa, log) = located(&orb.root_poa(), &elsewhere);
    for view in views(&poa.create_reference_with_id("elsewhere").unwrap()).1 {
        elsewhere.note(3).unwrap();
        assert_eq!(view.noted(), Ok(3));
    }
    taken(&log);
    for view in views(&poa.create_reference_with_id("refused").unwrap()).1 {
        assert_eq!(view.twice(1).unwrap_err().kind, SystemExceptionKind::NoPermission);
        assert_eq!(taken(&log), ["pre located refused twice"]);
    }
    for view in views(&poa.create_reference_with_id("late").unwrap()).1 {
        assert_eq!(view.twice(1).unwrap_err().kind, SystemExceptionKind::NoPermission);
        assert_eq!(taken(&log), ["pre located late twice", "post located late twice 1"]);
    }
    for view in views(&poa.create_reference_with_id("panics").unwrap()).1 {
        assert_eq!(view.twice(1).unwrap_err().kind, SystemExceptionKind::Unknown);
        assert_eq!(taken(&log), ["pre located panics twice"]);
    }
}

#[test]
fn an_adapter_has_one_servant_manager_of_the_right_kind() {
    let (orb, elsewhere) = server();
    let locator = || Noting { log: Log::default(), elsewhere: elsewhere.clone() };
    let root = orb.root_poa();
    assert_eq!(root.set_servant_locator(locator()).unwrap_err(), PoaError::WrongPolicy);
    let code = |refused: PoaError| match refused {
        PoaError::System(exception) => exception.minor,
        other => panic!("{other}"),
    };
    let retains = root.create("retains", PoaPolicies::new().servant_manager()).unwrap();
    let wrong_kind = retains.set_servant_locator(locator()).unwrap_err();
    assert_eq!(code(wrong_kind), minor::obj_adapter::NO_SERVANT_MANAGER);
    let (poa, _) = located(&root, &elsewhere);
    let second = poa.set_servant_locator(locator()).unwrap_err();
    assert_eq!(code(second), minor::bad_inv_order::SERVANT_MANAGER_SET);
    let policies = || PoaPolicies::new().user_ids().servant_manager();
    for (name, policies) in [("locator", policies().non_retain()), ("activator", policies())] {
        let none = root.create(name, policies).unwrap();
        for view in views(&none.create_reference_with_id("one").unwrap()).1 {
            let refused = view.twice(1).unwrap_err();
            assert_eq!(refused.kind, SystemExceptionKind::ObjAdapter);
            assert_eq!(refused.minor, minor::obj_adapter::NO_SERVANT_MANAGER);
        }
    }
}
