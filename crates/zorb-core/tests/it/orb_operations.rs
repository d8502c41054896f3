//! Operations of every object and of the ORB: pseudo-operations, destruction, ids.

use std::sync::{Arc, Mutex};

use crate::support::{Acting, Echo, Servant, builder, client, server};
use zorb_core::{Error, Orb, ServiceType};
use zorb_types::{SystemException, SystemExceptionKind, minor};

fn exception(error: Error) -> (SystemExceptionKind, zorb_types::MinorCode) {
    let exception = SystemException::from(error);
    (exception.kind, exception.minor)
}

#[test]
fn an_object_belongs_to_no_component_and_no_domain() {
    let (_orb, echo) = server();
    let (_client, there) = client(&echo);
    for object in [echo.object(), there.object()] {
        assert_eq!(object.component(), Ok(None));
        assert_eq!(object.domain_managers(), Ok(Vec::new()));
        let unknown = object.interface().unwrap_err();
        assert_eq!(unknown.kind, SystemExceptionKind::IntfRepos);
        assert_eq!(unknown.minor, minor::intf_repos::NOT_AVAILABLE);
    }
}

#[test]
fn a_reference_leads_to_its_orb() {
    let (orb, echo) = server();
    let (client, there) = client(&echo);
    assert_eq!(Orb::of(echo.object()).unwrap().endpoints(), orb.endpoints());
    assert_eq!(Orb::of(there.object()).unwrap().endpoints(), client.endpoints());
    assert_ne!(orb.endpoints(), client.endpoints());
}

#[test]
fn an_orb_without_a_secured_protocol_has_no_security_service() {
    let (orb, _echo) = server();
    assert_eq!(orb.service_information(ServiceType::SECURITY), None);
    assert_eq!(orb.service_information(ServiceType(0)), None);
}

#[test]
fn after_its_destruction_an_orb_does_not_exist() {
    let (orb, echo) = server();
    let (client, there) = client(&echo);
    assert_eq!(there.twice(4), Ok(8));
    let url = echo.object().to_ior_string();
    client.shutdown(true).unwrap();
    let shut_down = (SystemExceptionKind::BadInvOrder, minor::bad_inv_order::SHUT_DOWN);
    let late = there.twice(4).unwrap_err();
    assert_eq!((late.kind, late.minor), shut_down);
    assert_eq!(exception(client.serve().unwrap_err()), shut_down);
    assert_eq!(exception(client.resolve::<Echo>(&url).unwrap_err()), shut_down);
    client.destroy().unwrap();
    let gone = (SystemExceptionKind::ObjectNotExist, minor::object_not_exist::ORB_DESTROYED);
    let late = there.twice(4).unwrap_err();
    assert_eq!((late.kind, late.minor), gone);
    assert_eq!(exception(client.resolve::<Echo>(&url).unwrap_err()), gone);
    assert_eq!(exception(client.string_to_object(&url).unwrap_err()), gone);
    assert_eq!(exception(client.perform_work().unwrap_err()), gone);
    assert_eq!(exception(client.shutdown(true).unwrap_err()), gone);
    assert_eq!(exception(client.destroy().unwrap_err()), gone);
    // Without a shutdown before.
    orb.destroy().unwrap();
    assert_eq!(exception(orb.publish("late", &echo).unwrap_err()), gone);
    assert_eq!(exception(orb.serve().unwrap_err()), gone);
}

#[test]
fn an_upcall_does_not_destroy_its_orb() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let inside = orb.clone();
    let servant = Acting(move |value| match inside.destroy() {
        Ok(()) => Ok(value),
        Err(error) => Err(SystemException::from(error)),
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let (_client, there) = client(&echo);
    let refused = there.twice(1).unwrap_err();
    assert_eq!(refused.minor, minor::bad_inv_order::WOULD_DEADLOCK);
    assert!(there.twice(1).is_err());
    orb.destroy().unwrap();
}

#[test]
fn two_orbs_share_no_id() {
    let named = || builder().option("Id", "two_orbs_share_no_id").build();
    let orb = named().unwrap();
    assert_eq!(orb.id(), "two_orbs_share_no_id");
    let taken = named().unwrap_err();
    assert!(taken.to_string().contains("\"two_orbs_share_no_id\""), "{taken}");
    orb.destroy().unwrap();
    let again = named().unwrap();
    drop(again);
    named().unwrap().shutdown(true).unwrap();
    named().unwrap();
}

#[test]
fn the_threads_of_an_orb_have_its_id() {
    let orb = builder().option("Id", "front").listen("iiop://127.0.0.1:0").build().unwrap();
    let name = Arc::<Mutex<String>>::default();
    let seen = Arc::clone(&name);
    let servant = Acting(move |value| {
        *seen.lock().unwrap() = std::thread::current().name().unwrap_or_default().to_owned();
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let (_client, there) = client(&echo);
    there.twice(1).unwrap();
    assert_eq!(*name.lock().unwrap(), "front-serve-1");
    let _: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    orb.destroy().unwrap();
}
