//! The names of services in a naming service.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb::codegen::{Served, ServedBy, ServerCall};
use zorb::{CompletionStatus, Interface as _, MinorCode, ObjectRef, SystemException};
use zorb_naming::cos_naming::{BindingIterator, Name, NamingContext};
use zorb_naming::name_to_string;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_service::{Host, ServiceOptions, SetServiceOptions as _};
use zorb_testkit::until;

use crate::support::builder;

/// A naming context that refuses its first call.
#[derive(Debug, Default)]
struct Refusing {
    calls: AtomicUsize,
    bound: Mutex<Vec<String>>,
}

impl ServedBy<Refusing> for NamingContext {
    fn dispatch(servant: &Refusing, call: &mut ServerCall<'_>) -> Served {
        let name = call.argument::<Name>()?;
        let _object = call.argument::<zorb::giop::Ior>()?;
        if servant.calls.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(SystemException::transient(MinorCode::NONE, CompletionStatus::No));
        }
        servant.bound.lock().unwrap().push(name_to_string(&name));
        call.done()
    }
}

/// Binds names, and says that it is no naming context.
#[derive(Debug, Default)]
struct Untyped(Mutex<Vec<String>>);

impl ServedBy<Untyped> for BindingIterator {
    fn dispatch(servant: &Untyped, call: &mut ServerCall<'_>) -> Served {
        let name = call.argument::<Name>()?;
        let _object = call.argument::<zorb::giop::Ior>()?;
        servant.0.lock().unwrap().push(name_to_string(&name));
        call.done()
    }
}

/// That question would have no time limit.
#[test]
fn the_naming_service_is_not_asked_for_its_type() {
    let names = builder().build().unwrap();
    let servant = Arc::new(Untyped::default());
    let context: BindingIterator = names.root_poa().activate_shared(&servant).unwrap();
    names.serve().unwrap();
    let orb = builder().init_ref("NameService", &context.to_ior_string()).build().unwrap();
    let host = Host::new(orb.clone()).unwrap();
    let object: ObjectRef = orb.string_to_object("corbaloc::127.0.0.1:1/x").unwrap().unwrap();
    host.offer("First", &object).unwrap();
    host.start().unwrap();
    assert_eq!(*servant.0.lock().unwrap(), ["First"]);
    orb.shutdown(true).unwrap();
    drop(host);
    names.shutdown(true).unwrap();
}

#[test]
fn a_name_that_cannot_be_bound_is_tried_again_and_holds_up_no_other() {
    let names = builder().build().unwrap();
    let servant = Arc::new(Refusing::default());
    let context: NamingContext = names.root_poa().activate_shared(&servant).unwrap();
    names.serve().unwrap();

    let orb = builder().init_ref("NameService", &context.to_ior_string()).build().unwrap();
    let host = Host::new(orb.clone()).unwrap();
    let object: ObjectRef = orb.string_to_object("corbaloc::127.0.0.1:1/x").unwrap().unwrap();
    for key in ["First", "Second", "Third"] {
        host.offer(key, &object).unwrap();
    }
    host.start().unwrap();
    assert_eq!(servant.bound.lock().unwrap()[..2], ["Second", "Third"]);
    until(|| servant.bound.lock().unwrap().len() == 3);
    assert_eq!(servant.bound.lock().unwrap()[2], "First");
    orb.shutdown(true).unwrap();
    drop(host);
    names.shutdown(true).unwrap();
}

#[test]
fn services_are_bound_in_the_naming_service_beside_them() {
    let orb = builder().build().unwrap();
    let host = Host::new(orb.clone()).unwrap();
    let names = NamingService::serve(&orb, &NamingOptions::default()).unwrap();
    host.offer("NameService", &names.root().unwrap()).unwrap();
    let object: ObjectRef = orb.string_to_object("corbaloc::127.0.0.1:1/x").unwrap().unwrap();
    host.offer("Other", &object).unwrap();
    host.start().unwrap();
    assert_eq!(names.statistics().bindings, 1, "the naming service does not contain itself");
    orb.shutdown(true).unwrap();
}

#[test]
fn the_names_of_services_have_leases_if_asked_for() {
    let names = builder().build().unwrap();
    let service = NamingService::serve(&names, &NamingOptions::default()).unwrap();
    let root = service.publish(&names).unwrap();
    names.serve().unwrap();
    let orb = builder()
        .declare(ServiceOptions::default())
        .service_lease(Duration::from_secs(1))
        .init_ref("NameService", &root.to_ior_string())
        .build()
        .unwrap();
    let host = Host::new(orb.clone()).unwrap();
    let object: ObjectRef = orb.string_to_object("corbaloc::127.0.0.1:1/x").unwrap().unwrap();
    host.offer("First", &object).unwrap();
    host.start().unwrap();
    until(|| service.statistics().leases == 1);
    // Removed or not renewed in time, it is bound again.
    let first = zorb_naming::name("First").unwrap();
    until(|| root.unbind(&first).is_ok());
    until(|| root.resolve(&first).is_ok());
    orb.shutdown(true).unwrap();
    drop(host);
    until(|| root.resolve(&first).is_err());
    names.shutdown(true).unwrap();
}
