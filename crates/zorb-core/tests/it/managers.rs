//! POA managers: their ids, their factory.

use std::time::Duration;

use zorb_core::Orb;
use zorb_core::poa::{ManagerState, PoaError, PoaManager, PoaManagerFactory, PoaPolicies};
use zorb_core::policy::{Policies, RelativeRoundtripTimeout, ThreadpoolPolicy};

use crate::support::{Echo, Servant, builder, client, one_lane};

fn ids(factory: &PoaManagerFactory) -> Vec<String> {
    factory.list().iter().map(|manager| manager.id().to_owned()).collect()
}

fn factory() -> (Orb, PoaManagerFactory) {
    let orb = builder().build().unwrap();
    let factory = orb.root_poa().manager_factory().unwrap();
    (orb, factory)
}

#[test]
fn the_factory_creates_lists_and_finds_managers_by_their_ids() {
    let (orb, factory) = factory();
    let root = orb.root_poa();
    assert_eq!(ids(&factory), ["RootPOAManager"]);
    assert_eq!(factory.find("RootPOAManager"), Some(root.manager()));
    let control = factory.create("control", &Policies::new()).unwrap();
    assert_eq!((control.id(), control.state()), ("control", ManagerState::Holding));
    assert_eq!(factory.find("control").as_ref(), Some(&control));
    for taken in ["control", "RootPOAManager"] {
        let refused = factory.create(taken, &Policies::new()).unwrap_err();
        assert_eq!(refused, PoaError::ManagerAlreadyExists);
    }
    assert_eq!(factory.find("nobody"), None);
    assert_eq!(ids(&factory), ["RootPOAManager", "control"]);
    let initial: PoaManagerFactory = orb.initial_local("POAManagerFactory").unwrap();
    assert_eq!(initial.find("control"), Some(control));
}

#[test]
fn an_adapter_without_a_given_manager_gets_one_of_its_own() {
    let (orb, factory) = factory();
    // The next id that the ORB would make up.
    let taken = factory.create("POAManager-1", &Policies::new()).unwrap();
    let own = |name| orb.root_poa().create_with_manager(name, PoaPolicies::new(), None).unwrap();
    let managers = ["a", "b"].map(|name| own(name).manager());
    assert_ne!(managers[0].id(), managers[1].id());
    for manager in &managers {
        assert_ne!(manager, &taken);
        assert_eq!(manager.state(), ManagerState::Holding);
        assert_eq!(factory.find(manager.id()).as_ref(), Some(manager));
    }
    // Those without an adapter cost nothing after the program has dropped them.
    let another: PoaManager = orb.create_poa_manager();
    assert_eq!(factory.find(another.id()), None);
    let poa = orb.root_poa().create_with_manager("c", PoaPolicies::new(), another.clone()).unwrap();
    assert_eq!(factory.find(another.id()).as_ref(), Some(&another));
    poa.destroy();
    assert_eq!(factory.find(another.id()), None);
    // The children of an adapter share its manager.
    let child = orb.root_poa().find("a").unwrap().create("child", PoaPolicies::new()).unwrap();
    assert_eq!(child.manager(), managers[0]);
}

#[test]
fn a_manager_is_known_until_its_last_adapter_has_been_destroyed() {
    let (orb, factory) = factory();
    let manager = factory.create("both", &Policies::new()).unwrap();
    let adapter = |name| {
        let manager = manager.clone();
        orb.root_poa().create_with_manager(name, PoaPolicies::new(), manager).unwrap()
    };
    let (one, other) = (adapter("one"), adapter("other"));
    one.destroy();
    assert_eq!(factory.find("both").as_ref(), Some(&manager));
    other.destroy();
    assert_eq!(factory.find("both"), None);
    // Its handle may give it adapters again.
    adapter("again").destroy();
    assert_eq!(factory.find("both"), None);
    // Unless another one has its id.
    let another = factory.create("both", &Policies::new()).unwrap();
    let create =
        || orb.root_poa().create_with_manager("refused", PoaPolicies::new(), manager.clone());
    assert_eq!(create().unwrap_err(), PoaError::ManagerAlreadyExists);
    assert_eq!(orb.root_poa().find("refused").unwrap_err(), PoaError::AdapterNonExistent);
    assert_eq!(factory.find("both"), Some(another));
}

#[test]
fn a_manager_of_another_orb_gets_no_adapters() {
    let ((orb, _factory), (_other, factory)) = (factory(), factory());
    let manager = factory.create("foreign", &Policies::new()).unwrap();
    let refused = orb.root_poa().create_with_manager("child", PoaPolicies::new(), manager);
    assert!(matches!(refused, Err(PoaError::InvalidPolicy { index: None, .. })), "{refused:?}");
    assert_eq!(orb.root_poa().find("child").unwrap_err(), PoaError::AdapterNonExistent);
}

#[test]
fn the_policies_of_a_manager_are_those_of_its_adapters() {
    let (orb, factory) = factory();
    let (of_manager, own) = (one_lane(&orb, "of manager", None, 1), one_lane(&orb, "own", None, 1));
    let manager = factory.create("pooled", &Policies::new().with(of_manager.policy())).unwrap();
    let adapter = |name, policies| {
        let manager = manager.clone();
        orb.root_poa().create_with_manager(name, policies, manager).unwrap()
    };
    let has = |policies: &PoaPolicies| *policies.others.value::<ThreadpoolPolicy>().unwrap();
    let first = adapter("first", PoaPolicies::new());
    assert_eq!(has(&first.policies()), of_manager.policy());
    let second = adapter("second", PoaPolicies::new().with(own.policy()));
    assert_eq!(has(&second.policies()), own.policy());
    manager.activate().unwrap();
    let echo: Echo = first.activate(Servant::default()).unwrap();
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(2), Ok(4));
    // One of clients.
    let timeout = Policies::new().with(RelativeRoundtripTimeout(Duration::from_secs(1)));
    let refused = factory.create("wrong", &timeout).unwrap_err();
    assert!(matches!(refused, PoaError::PolicyError { .. }), "{refused}");
    assert_eq!(factory.find("wrong"), None);
}
