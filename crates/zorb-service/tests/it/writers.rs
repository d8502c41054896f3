//! Who may change what services have.

use zorb::{Interface as _, Orb, SystemException, SystemExceptionKind};
use zorb_naming::cos_naming::NamingContext;
use zorb_naming::name;
use zorb_naming::naming_extensions::ExtendedContext;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_service::{ServiceOptions, SetServiceOptions as _, check_local_writer, check_writer};

use crate::support::builder;

/// Whether a client without a certificate may change names, and read them, if the option has this value.
fn outcomes(writers: &str) -> (Result<(), SystemExceptionKind>, bool) {
    let orb = builder()
        .declare(ServiceOptions::default())
        .service_writers(writers.parse().unwrap())
        .build()
        .unwrap();
    let names = NamingService::serve(&orb, &NamingOptions::default()).unwrap();
    names.set_write_check(check_writer(&orb));
    let local: NamingContext = names.publish(&orb).unwrap().into();
    orb.serve().unwrap();
    // A call within the process.
    local.bind_new_context(&name("ctx").unwrap()).unwrap();
    let client = Orb::builder().without_environment().build().unwrap();
    let root: NamingContext = client.resolve(&local.to_ior_string()).unwrap();
    let inner = root.resolve(&name("ctx").unwrap()).unwrap().unwrap();
    let inner: NamingContext = inner.unchecked_narrow();
    let extended: ExtendedContext = root.as_object().unchecked_narrow();
    let x = name("x").unwrap();
    let changes: [Result<(), SystemException>; 11] = [
        root.bind(&x, None).map_err(Into::into),
        root.rebind(&x, None).map_err(Into::into),
        root.unbind(&x).map_err(Into::into),
        root.bind_context(&name("y").unwrap(), Some(&inner)).map_err(Into::into),
        root.rebind_context(&name("y").unwrap(), Some(&inner)).map_err(Into::into),
        root.bind_new_context(&name("z").unwrap()).map(drop).map_err(Into::into),
        root.new_context().map(drop),
        extended.orphans(1).map(drop),
        extended.bind_for(&name("l").unwrap(), None, 60).map_err(Into::into),
        extended.rebind_for(&name("l").unwrap(), None, 60).map_err(Into::into),
        inner.destroy().map_err(Into::into),
    ];
    let kinds: Vec<_> =
        changes.iter().map(|it| it.as_ref().map(drop).map_err(|it| it.kind)).collect();
    assert!(kinds.iter().all(|kind| *kind == kinds[0]), "{changes:?}");
    let (_, iterator) = root.list(0).unwrap();
    let iterator = iterator.unwrap();
    let reads = iterator.next_one().unwrap().0 && iterator.destroy().is_ok();
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    (kinds[0], reads)
}

#[test]
fn clients_that_the_option_does_not_name_may_only_read() {
    assert_eq!(outcomes(""), (Ok(()), true));
    let refused = Err(SystemExceptionKind::NoPermission);
    assert_eq!(outcomes("dns:admin.example; CN=admin"), (refused, true));
}

#[test]
fn an_option_that_names_nobody_is_refused() {
    for text in [" ", ";", " ; "] {
        let builder = builder().declare(ServiceOptions::default());
        let error = builder.option("ServiceWriters", text).build().unwrap_err();
        assert!(zorb::Report(&error).to_string().contains("names nobody"), "{error:?}");
    }
    let builder = builder().declare(ServiceOptions::default()).option("ServiceWriters", "");
    builder.build().unwrap().shutdown(true).unwrap();
}

#[test]
fn clients_on_this_machine_may_change_what_only_these_may() {
    for endpoint in ["iiop://127.0.0.1:0", "uiop://@", "shmiop://@"] {
        let orb = Orb::builder().without_environment().listen(endpoint).build().unwrap();
        let names = NamingService::serve(&orb, &NamingOptions::default()).unwrap();
        names.set_write_check(check_local_writer(&orb));
        let reference = names.publish(&orb).unwrap().to_ior_string();
        orb.serve().unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let root: NamingContext = client.resolve(&reference).unwrap();
        root.bind(&name("x").unwrap(), None).unwrap();
        client.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    }
}
