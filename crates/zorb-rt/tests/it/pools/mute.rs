//! Priorities over protocols whose requests have no service contexts: the lane implies the priority, another protocol
//! transmits it, or the call is refused.

use zorb_core::policy::PolicyType;
use zorb_rt::Strategy;
use zorb_types::{SystemExceptionKind, minor};

use super::fixture::{Desk, lane, side, side_at};

/// Endpoints whose protocols have no service contexts.
const MUTE: [&str; 2] = ["lite+uiop://", "short+uiop://"];

#[test]
fn a_lane_implies_the_priority_of_its_requests() {
    for url in MUTE {
        for &strategy in Strategy::ALL {
            let (server, client) = (side_at(&[url], &[]), side());
            let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).lane(lane(30, 1));
            let pool = pool.strategy(strategy).create().unwrap();
            let desk = server.desk(&pool, 10, &client);
            for (id, priority) in [(1, 20), (2, 10), (3, 30), (4, 20)] {
                assert_eq!(client.call(&desk, priority, id).join().unwrap(), Ok(id));
                let seen = server.clerk.wait_for(id);
                let expected = (Some(priority), server.at(priority));
                assert_eq!((seen.priority, seen.schedule), expected, "{url} {strategy:?}");
            }
            // A thread without a priority calls the lane of the default priority.
            assert_eq!(desk.serve(5), Ok(5));
            assert_eq!(server.clerk.wait_for(5).priority, Some(10), "{url} {strategy:?}");
        }
    }
}

#[test]
fn without_lanes_a_call_whose_priority_cannot_be_sent_is_refused() {
    for url in MUTE {
        let (server, client) = (side_at(&[url], &[]), side());
        let pool = server.pool().without_lanes(lane(0, 1)).create().unwrap();
        let desk = server.desk(&pool, 5, &client);
        assert_eq!(desk.serve(1), Ok(1), "it says none");
        assert_eq!(server.clerk.wait_for(1).priority, Some(5));
        let refused = client.call(&desk, 20, 2).join().unwrap().unwrap_err();
        let what = (refused.kind, refused.minor);
        assert_eq!(what, (SystemExceptionKind::InvPolicy, minor::inv_policy::CANNOT_RECONCILE));
        assert_eq!(server.clerk.order(), [1], "{url}");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(desk.0.inconsistent_policies(), Ok(vec![]));
                client.rt.current().set_priority(super::fixture::number(20)).unwrap();
                let found = desk.0.inconsistent_policies();
                assert_eq!(found, Ok(vec![PolicyType::PRIORITY_MODEL]));
                assert!(desk.leave(3).is_err());
            });
        });
    }
}

#[test]
fn a_call_with_a_priority_uses_a_protocol_that_transmits_it() {
    for url in MUTE {
        let (server, client) = (side_at(&[url, "uiop://"], &[]), side());
        let pool = server.pool().without_lanes(lane(0, 1)).create().unwrap();
        let desk: Desk = server.desk(&pool, 5, &client);
        for (id, priority) in [(1, 20), (2, 30)] {
            assert_eq!(client.call(&desk, priority, id).join().unwrap(), Ok(id));
            assert_eq!(server.clerk.wait_for(id).priority, Some(priority), "{url}");
        }
    }
}
