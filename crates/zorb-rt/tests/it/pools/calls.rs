//! Calls with another priority than their thread's.

use std::time::Duration;

use zorb_core::policy::{Policies, PolicyType, RelativeRequestTimeout, RelativeRoundtripTimeout};
use zorb_rt::{
    InvocationPriority, Linear, ObjectQos, PriorityBand, PriorityBands, Qos, QosClass,
    ThreadpoolBuilder, expand,
};
use zorb_types::{SystemExceptionKind, minor};

use super::fixture::{Desk, lane, number, side, side_at, side_mapped};

/// The timeout of calls.
const CALL_TIMEOUT: Duration = Duration::from_secs(300);

fn of(priority: i16) -> Policies {
    Policies::new().with(InvocationPriority::new(number(priority)))
}

/// The same desk, called at this priority.
fn at(desk: &Desk, priority: i16) -> Desk {
    Desk(desk.0.with_policies(&of(priority)).unwrap())
}

#[test]
fn a_call_goes_to_the_lane_of_its_own_priority_by_every_protocol() {
    for url in ["iiop://127.0.0.1:0", "uiop://", "shmiop://", "lite+uiop://", "short+uiop://"] {
        let (server, client) = (side_at(&[url], &[]), side());
        let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).lane(lane(30, 1));
        let desk = server.desk(&pool.create().unwrap(), 10, &client);
        let ran_at = |id| server.clerk.wait_for(id).priority;
        assert_eq!((desk.serve(1), ran_at(1)), (Ok(1), Some(10)), "{url}: nothing is said");
        assert_eq!((at(&desk, 20).serve(2), ran_at(2)), (Ok(2), Some(20)), "{url}: a reference");
        let call = at(&desk, 20).0.for_call(&of(30)).map(Desk).unwrap();
        assert_eq!((call.serve(3), ran_at(3)), (Ok(3), Some(30)), "{url}: a call of it");
        at(&desk, 30).leave(4).unwrap();
        assert_eq!(ran_at(4), Some(30), "{url}: one way");
        let of_thread = || assert_eq!((desk.serve(5), ran_at(5)), (Ok(5), Some(20)), "{url}");
        client.orb.policy_current().during(&of(20), of_thread).unwrap();
        let other = at(&desk, 25).serve(6).unwrap_err();
        let what = (other.kind, other.minor);
        assert_eq!(what, (SystemExceptionKind::InvPolicy, minor::inv_policy::NO_LANE), "{url}");
        // It overrides the thread's own, which does not change.
        let (desk, rt) = (at(&desk, 30), client.rt.clone());
        let calling = std::thread::spawn(move || {
            rt.current().set_priority(number(10)).unwrap();
            let served = desk.serve(7);
            (served, rt.current().priority().unwrap().value())
        });
        assert_eq!(calling.join().unwrap(), (Ok(7), 10), "{url}");
        assert_eq!(ran_at(7), Some(30), "{url}");
    }
}

#[test]
fn bands_and_pools_without_lanes_go_by_it() {
    let (server, client) = (side(), side());
    let pool = server.pool().without_lanes(lane(0, 2)).create().unwrap();
    let desk = server.desk(&pool, 5, &client);
    let band = |low, high| PriorityBand::new(number(low), number(high)).unwrap();
    let bands = Policies::new().with(PriorityBands::new([band(0, 9), band(20, 29)]).unwrap());
    let banded = Desk(desk.0.with_policies(&bands).unwrap());
    for (id, priority) in [(1, 3), (2, 25)] {
        let call = banded.0.for_call(&of(priority)).map(Desk).unwrap();
        assert_eq!(call.serve(id), Ok(id));
        assert_eq!(server.clerk.wait_for(id).priority, Some(priority));
        assert_eq!(call.0.inconsistent_policies(), Ok(vec![]));
    }
    // The bands are the thread's as well, and the call keeps its own priority then.
    let of_thread = || {
        let call = desk.0.for_call(&of(26)).map(Desk).unwrap();
        assert_eq!((call.serve(4), server.clerk.wait_for(4).priority), (Ok(4), Some(26)));
    };
    client.orb.policy_current().during(&bands, of_thread).unwrap();
    let outside = banded.0.for_call(&of(15)).map(Desk).unwrap();
    let found = outside.0.inconsistent_policies();
    assert_eq!(found, Ok(vec![PolicyType::PRIORITY_BANDED_CONNECTION]));
    let refused = outside.serve(3).unwrap_err();
    assert_eq!(
        (refused.kind, refused.minor),
        (SystemExceptionKind::InvPolicy, minor::inv_policy::NO_BAND)
    );
}

#[test]
fn a_server_that_declares_the_priority_has_its_own() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).create().unwrap();
    let poa = server.poa(&pool, server.rt.server_declared(number(20)));
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let desk = server.desk_again(&desk, &client);
    assert_eq!(at(&desk, 10).serve(1), Ok(1));
    assert_eq!(server.clerk.wait_for(1).priority, Some(20));
}

#[test]
fn a_class_of_service_has_its_priority_for_an_object_an_operation_and_a_call() {
    let qos = |class, ms| Qos::new(class).deadline(Duration::from_millis(ms));
    let of_object = qos(QosClass::BulkData, 1000);
    let of_operation = qos(QosClass::LowLatencyTransaction, 100);
    let of_call = qos(QosClass::ContinuousMedia, 100);
    let server = side_mapped(Linear::default());
    let client = side_mapped(Linear::default());
    let lanes = [of_object, of_operation, of_call].map(|qos| expand(&qos).lane());
    let pool = lanes.into_iter().fold(server.pool(), ThreadpoolBuilder::lane);
    let priority = |qos: &Qos| expand(qos).priority.value();
    let desk = server.desk(&pool.create().unwrap(), priority(&of_object), &client);
    let asked = ObjectQos::new(of_object).operation("serve", of_operation);
    let ran_at = |id| server.clerk.wait_for(id).priority;
    // Long deadlines, as they are not tested here and the machine may be slow.
    let patient = Policies::new()
        .with(RelativeRoundtripTimeout(CALL_TIMEOUT))
        .with(RelativeRequestTimeout(CALL_TIMEOUT));
    let to = |operation: &str| {
        let reference = asked.reference(&desk.0, operation).unwrap();
        Desk(reference.for_call(&patient).unwrap())
    };
    assert_eq!((to("serve").serve(1), ran_at(1)), (Ok(1), Some(priority(&of_operation))));
    to("leave").leave(2).unwrap();
    assert_eq!(ran_at(2), Some(priority(&of_object)));
    let policies = expand(&of_call).policies().with(RelativeRequestTimeout(CALL_TIMEOUT));
    let call = Desk(to("serve").0.for_call(&policies).unwrap());
    assert_eq!((call.serve(3), ran_at(3)), (Ok(3), Some(priority(&of_call))));
}
