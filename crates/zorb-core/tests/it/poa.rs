//! Object adapters: policies, managers, hierarchies.

use std::sync::Arc;

use crate::support::{Echo, Servant, client, server, until};
use zorb_core::poa::{ManagerState, ObjectId, PoaError, PoaPolicies};
use zorb_types::{SystemExceptionKind, minor};

#[test]
fn children_have_names_policies_and_parents() {
    let (orb, _) = server();
    let root = orb.root_poa();
    assert_eq!(root.name(), "RootPOA");
    let child = root.create("child", PoaPolicies::new()).unwrap();
    let grandchild = child.create("grand", PoaPolicies::new().persistent()).unwrap();
    assert_eq!(
        root.create("child", PoaPolicies::new()).unwrap_err(),
        PoaError::AdapterAlreadyExists
    );
    assert_eq!(root.find("child").unwrap().find("grand").unwrap().name(), "grand");
    assert_eq!(root.find("nobody").unwrap_err(), PoaError::AdapterNonExistent);
    assert_eq!(grandchild.parent().unwrap().name(), "child");
    assert_eq!(root.children().len(), 1);
    for name in ["", "nul\0", &"long".repeat(2000)] {
        let refused = root.create(name, PoaPolicies::new()).unwrap_err();
        assert!(matches!(refused, PoaError::InvalidPolicy { .. }), "{name:?}");
    }
    let contradiction = PoaPolicies::new().user_ids().implicit_activation();
    assert!(matches!(root.create("x", contradiction), Err(PoaError::InvalidPolicy { .. })));
}

#[test]
fn ids_are_the_programs_or_the_adapters() {
    let (orb, _) = server();
    let root = orb.root_poa();
    let foreign = root.activate_with_id::<_, Echo>("mine", Servant::default()).unwrap_err();
    let PoaError::System(foreign) = foreign else { panic!("{foreign}") };
    assert_eq!(foreign.kind, SystemExceptionKind::BadParam);
    assert_eq!(foreign.minor, minor::bad_param::INVALID_OBJECT_ID);
    let named = root.create("named", PoaPolicies::new().user_ids()).unwrap();
    assert_eq!(named.activate::<_, Echo>(Servant::default()).unwrap_err(), PoaError::WrongPolicy);
    let echo: Echo = named.activate_with_id("mine", Servant::default()).unwrap();
    assert_eq!(named.id_of(&echo).unwrap(), ObjectId::from("mine"));
    assert_eq!(root.id_of(&echo).unwrap_err(), PoaError::WrongAdapter);
    assert_eq!(
        named.activate_with_id::<_, Echo>("mine", Servant::default()).unwrap_err(),
        PoaError::ObjectAlreadyActive
    );
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(2).unwrap(), 4);
    assert_eq!(named.reference::<Echo>(&"mine".into()).unwrap(), echo);
    named.deactivate(&"mine".into()).unwrap();
    assert_eq!(named.deactivate(&"mine".into()).unwrap_err(), PoaError::ObjectNotActive);
    assert_eq!(there.twice(2).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
    // A reference may be made before its object is active.
    let later: Echo = named.create_reference_with_id("later").unwrap();
    assert_eq!(later.twice(1).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
    let _: Echo = named.activate_with_id("later", Servant::default()).unwrap();
    assert_eq!(later.twice(1).unwrap(), 2);
}

#[test]
fn uniqueness_and_implicit_activation_follow_the_policies() {
    let (orb, _) = server();
    let servant = Arc::new(Servant::default());
    let many = orb.root_poa().create("many", PoaPolicies::new().multiple_ids()).unwrap();
    let first: Echo = many.activate_shared(&servant).unwrap();
    let second: Echo = many.activate_shared(&servant).unwrap();
    assert_ne!(first, second);
    assert_eq!(many.reference_of::<_, Echo>(&servant).unwrap_err(), PoaError::WrongPolicy);
    let eager = PoaPolicies::new().multiple_ids().implicit_activation();
    let eager = orb.root_poa().create("eager", eager).unwrap();
    let third: Echo = eager.reference_of(&servant).unwrap();
    assert_ne!(third, eager.reference_of::<_, Echo>(&servant).unwrap(), "an id for each asking");
    assert_eq!(eager.active_objects(), 2);
    // In the root adapter ids are unique: a deactivated servant can be activated again.
    let root = orb.root_poa();
    let one: Echo = root.reference_of(&servant).unwrap();
    assert_eq!(
        root.activate_shared::<_, Echo>(&servant).unwrap_err(),
        PoaError::ServantAlreadyActive
    );
    root.deactivate(&root.id_of(&one).unwrap()).unwrap();
    assert_ne!(root.activate_shared::<_, Echo>(&servant).unwrap(), one);
}

#[test]
fn a_connection_sees_adapters_come_and_go() {
    let (orb, _) = server();
    let create = || orb.root_poa().create("child", PoaPolicies::new()).unwrap();
    let (client, _) = client(&create().activate::<_, Echo>(Servant::default()).unwrap());
    orb.root_poa().find("child").unwrap().destroy();
    let mut gone: Vec<Echo> = Vec::new();
    for _ in 0..3 {
        // More than a connection's thread caches, so that they replace the previous ones.
        let others: Vec<_> = (0..6)
            .map(|number| {
                let poa = orb.root_poa().create(&number.to_string(), PoaPolicies::new()).unwrap();
                let echo: Echo = poa.activate(Servant::default()).unwrap();
                let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
                (poa, there)
            })
            .collect();
        for _ in 0..2 {
            assert!(others.iter().all(|(_, there)| there.twice(4) == Ok(8)));
            for there in &gone {
                let kind = there.twice(4).unwrap_err().kind;
                assert_eq!(kind, SystemExceptionKind::ObjectNotExist);
            }
        }
        for (poa, there) in others {
            poa.destroy();
            assert_eq!(there.twice(4).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
            gone.push(there);
        }
    }
}

#[test]
fn managers_hold_discard_and_refuse() {
    let (orb, _) = server();
    let manager = orb.create_poa_manager();
    assert_eq!(manager.state(), ManagerState::Holding);
    let poa =
        orb.root_poa().create_with_manager("held", PoaPolicies::new(), manager.clone()).unwrap();
    let echo: Echo = poa.activate(Servant::default()).unwrap();
    let (_client, there) = client_untyped(&echo);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.twice(4));
        until(|| manager.held_requests() > 0);
        manager.activate().unwrap();
        assert_eq!(call.join().unwrap().unwrap(), 8);
    });
    assert_eq!(manager.held_requests(), 0);
    manager.discard_requests().unwrap();
    let discarded = there.twice(1).unwrap_err();
    assert_eq!(discarded.kind, SystemExceptionKind::Transient);
    assert_eq!(discarded.minor, minor::transient::REQUEST_DISCARDED);
    manager.activate().unwrap();
    assert_eq!(there.twice(1).unwrap(), 2);
    manager.deactivate();
    assert_eq!(there.twice(1).unwrap_err().kind, SystemExceptionKind::ObjAdapter);
    assert_eq!(manager.activate().unwrap_err(), PoaError::AdapterInactive);
    assert_eq!(manager.state(), ManagerState::Inactive);
}

#[test]
fn a_holding_manager_has_a_limit_and_is_released_by_shutdown() {
    let orb = crate::support::builder()
        .listen("iiop://127.0.0.1:0")
        .option("MaxHeldRequests", "1")
        .build()
        .unwrap();
    let manager = orb.create_poa_manager();
    let poa =
        orb.root_poa().create_with_manager("held", PoaPolicies::new(), manager.clone()).unwrap();
    let echo: Echo = poa.activate(Servant::default()).unwrap();
    let (_client, there) = client_untyped(&echo);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.twice(4));
        until(|| manager.held_requests() > 0);
        let full = there.twice(1).unwrap_err();
        assert_eq!(full.minor, minor::transient::QUEUE_FULL);
        orb.shutdown(true).unwrap();
        assert_eq!(call.join().unwrap().unwrap_err().kind, SystemExceptionKind::Transient);
    });
}

#[test]
fn destroyed_adapters_take_their_objects_with_them() {
    let (orb, _) = server();
    let parent = orb.root_poa().create("p", PoaPolicies::new()).unwrap();
    let child = parent.create("c", PoaPolicies::new().persistent().user_ids()).unwrap();
    let echo: Echo = child.activate_with_id("x", Servant::default()).unwrap();
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(1).unwrap(), 2);
    parent.destroy();
    let gone = there.twice(1).unwrap_err();
    assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
    assert_eq!(gone.minor, minor::object_not_exist::POA_NOT_FOUND);
    assert!(parent.create("d", PoaPolicies::new()).is_err());
    assert!(child.activate_with_id::<_, Echo>("y", Servant::default()).is_err());
    // The name can be reused, and makes the persistent reference valid again.
    let parent = orb.root_poa().create("p", PoaPolicies::new()).unwrap();
    let child = parent.create("c", PoaPolicies::new().persistent().user_ids()).unwrap();
    let _: Echo = child.activate_with_id("x", Servant::default()).unwrap();
    assert_eq!(there.twice(1).unwrap(), 2);
}

#[test]
fn many_objects_are_told_apart() {
    let (orb, _) = server();
    let poa = orb.root_poa();
    let echoes: Vec<Echo> = (0..500).map(|_| poa.activate(Servant::default()).unwrap()).collect();
    for (number, echo) in echoes.iter().enumerate() {
        echo.note(number as i32).unwrap();
    }
    let (_client, first) = client(&echoes[0]);
    drop(first);
    for (number, echo) in echoes.iter().enumerate() {
        assert_eq!(echo.noted().unwrap(), number as i32);
    }
}

/// A client that does not ask for the object's type, which a holding manager would not answer.
fn client_untyped(echo: &Echo) -> (zorb_core::Orb, Echo) {
    let orb = crate::support::builder().build().unwrap();
    let object = orb.string_to_object(&echo.object().to_ior_string()).unwrap().unwrap();
    let echo = object.unchecked_narrow();
    (orb, echo)
}

#[test]
fn an_id_that_the_adapter_has_assigned_can_be_activated_again() {
    let (orb, _) = server();
    for policies in [PoaPolicies::new(), PoaPolicies::new().persistent()] {
        let poa = orb.root_poa().create("again", policies).unwrap();
        let echo: Echo = poa.activate(Servant::default()).unwrap();
        let promised: Echo = poa.create_reference().unwrap();
        let (_client, there) = client(&echo);
        let (_client, promised_there) = client(&promised);
        for (reference, view) in [(echo, there), (promised, promised_there)] {
            let id = poa.id_of(&reference).unwrap();
            let _ = poa.deactivate(&id);
            for view in [&reference, &view] {
                let gone = view.twice(1).unwrap_err();
                assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
            }
            let again: Echo = poa.activate_with_id(id.clone(), Servant::default()).unwrap();
            assert_eq!(again, reference);
            assert_eq!((reference.twice(2), view.twice(2)), (Ok(4), Ok(4)));
            poa.deactivate(&id).unwrap();
            assert_eq!(view.twice(1).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
        }
        poa.destroy();
    }
}
