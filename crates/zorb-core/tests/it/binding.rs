//! References that are bound before their first call (`_validate_connection`).

use crate::support::{Echo, Servant, builder, client, server};
use zorb_core::CollocationStrategy;
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

#[test]
fn a_bound_reference_is_called_as_before() {
    for calls_share in ["1", "8"] {
        let (_server, echo) = server();
        let orb = builder().option("MaxCallsPerConnection", calls_share).build().unwrap();
        let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
        for _ in 0..2 {
            there.object().validate_connection().unwrap();
            assert_eq!(there.twice(21).unwrap(), 42);
        }
        orb.shutdown(true).unwrap();
        let late = there.object().validate_connection().unwrap_err();
        assert_eq!(late.minor, minor::bad_inv_order::SHUT_DOWN);
    }
}

#[test]
fn errors_name_what_prevents_a_call() {
    let (server, echo) = server();
    let (_client, there) = client(&echo);
    let poa = server.root_poa();
    poa.deactivate(&poa.id_of(&echo).unwrap()).unwrap();
    for object in [there.object(), echo.object()] {
        let gone = object.validate_connection().unwrap_err();
        assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
        assert_eq!(gone.completed, CompletionStatus::No);
    }
    server.shutdown(true).unwrap();
    let unreachable = there.object().validate_connection().unwrap_err();
    assert_eq!(unreachable.kind, SystemExceptionKind::Transient);
}

#[test]
fn an_object_of_the_same_orb_is_tied_to_its_servant() {
    let orb = builder().build().unwrap();
    let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    for strategy in
        [CollocationStrategy::ThruPoa, CollocationStrategy::Direct, CollocationStrategy::Marshalled]
    {
        let object = echo.object().with_collocation(strategy);
        object.validate_connection().unwrap();
        assert_eq!(object.unchecked_narrow::<Echo>().twice(4).unwrap(), 8);
    }
    orb.shutdown(true).unwrap();
}
