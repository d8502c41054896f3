//! Events of two kinds for one object: those of navigation do not wait for a flood of sensor events.

use std::time::Duration;

use zorb_core::policy::Policies;
use zorb_rt::{Linear, Qos, QosClass, Strategy, expand};

use super::fixture::{Desk, Side, side_mapped};

/// Longer than the test takes: it checks orders, not times.
const DEADLINE: Duration = Duration::from_secs(300);

fn sensor() -> Qos {
    Qos::new(QosClass::BulkData).deadline(DEADLINE)
}

fn navigation() -> Qos {
    Qos::new(QosClass::LowLatencyTransaction).deadline(DEADLINE)
}

fn with(desk: &Desk, policies: &Policies) -> Desk {
    Desk(desk.0.for_call(policies).unwrap())
}

#[test]
fn navigation_comes_before_a_flood_of_sensor_events() {
    let (server, client) = (side_mapped(Linear::default()), side_mapped(Linear::default()));
    let (below, above) = (expand(&sensor()), expand(&navigation()));
    let pool = server.pool().strategy(Strategy::HalfSync);
    let pool = pool.lane(below.lane()).lane(above.lane()).create().unwrap();
    let policies = server.rt.client_propagated(below.priority);
    let poa = server.poa(&pool, policies);
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();

    // One for each thread of the sensors' lane, and as many as may wait there.
    let threads = (below.threads + below.dynamic_threads) as i32;
    let waiting = below.buffering.unwrap().max_requests as i32;
    let first: Vec<i32> = (0..threads).collect();
    server.clerk.shut(&first);
    for id in 0..threads + waiting {
        with(&desk, &below.policies()).leave(id).unwrap();
        if id < threads {
            // It occupies its thread.
            server.clerk.wait_for(id);
        }
    }
    let hurried: Vec<i32> = (100..120).collect();
    for &id in &hurried {
        assert_eq!(with(&desk, &above.policies()).serve(id), Ok(id), "the request alone says it");
    }
    assert_eq!(server.clerk.order(), [first.clone(), hurried.clone()].concat());

    for &id in &first {
        server.clerk.open(id);
    }
    for id in threads..threads + waiting {
        server.clerk.wait_for(id);
    }
    assert_eq!(priorities(&server, &hurried), vec![Some(above.priority.value()); hurried.len()]);
    assert_eq!(priorities(&server, &first), vec![Some(below.priority.value()); first.len()]);
}

/// The priorities of the upcalls of these requests.
fn priorities(server: &Side, ids: &[i32]) -> Vec<Option<i16>> {
    ids.iter().map(|&id| server.clerk.wait_for(id).priority).collect()
}
