//! The threads of a pool: how many there are, and how they end.

use std::time::Duration;

use zorb_core::poa::{PoaError, PoaPolicies};
use zorb_rt::{Buffering, DynamicLifespan, Strategy};
use zorb_types::SystemExceptionKind;

use super::fixture::{Desk, lane, lane_of, number, side, side_at, until};

#[test]
fn dynamic_threads_come_when_all_are_busy_and_go_by_their_lifespan() {
    let lifespans = [
        DynamicLifespan::Idle(Duration::from_millis(1)),
        DynamicLifespan::Fixed(Duration::from_millis(1)),
        DynamicLifespan::Infinite,
    ];
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
        for lifespan in lifespans {
            let (server, client) = (side(), side());
            let pool = server.pool().lane(lane(10, 1).dynamic_threads(2).lifespan(lifespan));
            let pool = pool.strategy(strategy).create().unwrap();
            let desk = server.desk(&pool, 10, &client);
            assert_eq!(pool.counts()[0].threads, 1);
            server.clerk.shut(&[1, 2, 3]);
            let held: Vec<_> = [1, 2, 3].map(|id| client.call(&desk, 10, id)).into();
            let mut threads: Vec<_> =
                [1, 2, 3].iter().map(|id| server.clerk.wait_for(*id).thread).collect();
            threads.dedup();
            assert_eq!(threads.len(), 3);
            assert_eq!(pool.counts()[0].threads, 3);
            assert!(pool.counts()[0].started >= 2);
            for id in [1, 2, 3] {
                assert_eq!(server.clerk.wait_for(id).schedule, server.at(10));
                server.clerk.open(id);
            }
            for call in held {
                call.join().unwrap().unwrap();
            }
            if lifespan != DynamicLifespan::Infinite {
                until(|| pool.counts()[0].threads == 1);
            }
            assert_eq!(client.call(&desk, 10, 4).join().unwrap(), Ok(4));
            if lifespan == DynamicLifespan::Infinite {
                assert_eq!(pool.counts()[0].threads, 3);
            }
        }
    }
}

#[test]
fn dynamic_threads_come_for_requests_that_were_held() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane(10, 2).dynamic_threads(1)).strategy(strategy);
        let pool = pool.create().unwrap();
        let poa = server.poa(&pool, server.rt.client_propagated(number(10)));
        let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
        let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
        assert_eq!(client.call(&desk, 10, 0).join().unwrap(), Ok(0));
        server.clerk.shut(&[1, 2, 3]);
        poa.manager().hold_requests().unwrap();
        let held: Vec<_> = [1, 2, 3].map(|id| client.call(&desk, 10, id)).into();
        until(|| poa.manager().held_requests() == 3);
        poa.manager().activate().unwrap();
        // Each blocks until all have begun.
        for id in [1, 2, 3] {
            server.clerk.wait_for(id);
        }
        for id in [1, 2, 3] {
            server.clerk.open(id);
        }
        for call in held {
            call.join().unwrap().unwrap();
        }
    }
}

#[test]
fn no_more_upcalls_run_at_a_time_than_there_are_threads() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection] {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane(10, 2)).strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        server.clerk.shut(&[1, 2, 3]);
        let first: Vec<_> = [1, 2].map(|id| client.call(&desk, 10, id)).into();
        server.clerk.wait_for(1);
        server.clerk.wait_for(2);
        let third = client.call(&desk, 10, 3);
        until(|| pool.counts()[0].connections == 3);
        server.clerk.open(3);
        assert_eq!(server.clerk.order().len(), 2);
        server.clerk.open(1);
        assert_eq!(third.join().unwrap(), Ok(3));
        server.clerk.open(2);
        for call in first {
            call.join().unwrap().unwrap();
        }
    }
}

#[test]
fn a_pool_ends_when_nobody_uses_it() {
    for &strategy in Strategy::ALL {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane_of(strategy, 10, 2)).strategy(strategy);
        let pool = pool.create().unwrap();
        let poa = server.poa(&pool, server.rt.client_propagated(number(10)));
        let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
        let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
        assert_eq!(client.call(&desk, 10, 1).join().unwrap(), Ok(1));
        let refused = pool.destroy().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
        assert_eq!(client.call(&desk, 10, 2).join().unwrap(), Ok(2));
        poa.destroy();
        pool.destroy().unwrap();
        pool.destroy().unwrap();
        assert_eq!((pool.counts()[0].threads, pool.counts()[0].connections), (0, 0));
        let gone = client.call(&desk, 10, 3).join().unwrap().unwrap_err();
        assert!(
            matches!(gone.kind, SystemExceptionKind::Transient | SystemExceptionKind::CommFailure),
            "{gone:?}"
        );
        let policies = PoaPolicies::new().with(pool.policy());
        let none = server.orb.root_poa().create("late", policies);
        assert!(matches!(none, Err(PoaError::InvalidPolicy { .. })), "{none:?}");
    }
}

#[test]
fn an_orb_that_ends_waits_for_the_requests_of_its_pools() {
    for &strategy in Strategy::ALL {
        let (server, client) = (side(), side());
        let pool =
            server.pool().lane(lane_of(strategy, 10, 2)).strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        server.clerk.shut(&[1]);
        let held = client.call(&desk, 10, 1);
        server.clerk.wait_for(1);
        std::thread::scope(|scope| {
            let end = scope.spawn(|| server.orb.shutdown(true).unwrap());
            server.clerk.open(1);
            end.join().unwrap();
        });
        assert_eq!(held.join().unwrap(), Ok(1), "{strategy:?}");
        assert!(server.pool().lane(lane(10, 1)).create().is_err());
    }
}

#[test]
fn invalid_settings_are_rejected() {
    let server = side();
    let buffering = Buffering { max_requests: 1, max_octets: None };
    let pools = [
        server.pool().lane(lane(10, 0)),
        server.pool().lane(lane(10, 1)).lane(lane(10, 1)),
        server.pool().lane(lane(10, 5000)),
        server.pool().lane(lane(10, 1)).max_connections(0),
        server.pool().lane(lane(10, 1)).strategy(Strategy::LeaderFollowers).borrowing(true),
        server.pool().lane(lane(10, 1)).strategy(Strategy::LeaderFollowers).buffering(buffering),
        server.pool().lane(lane(10, 2)).strategy(Strategy::SingleThread),
        server.pool().lane(lane(10, 1).dynamic_threads(1)).strategy(Strategy::SingleThread),
        server.pool().lane(lane(10, 1)).strategy(Strategy::SingleThread).borrowing(true),
        server.pool().lane(lane(10, 1)).strategy(Strategy::SingleThread).buffering(buffering),
        server.pool().lane(lane(10, 1).listen("nowhere://")),
        server.pool().lane(lane(10, 1).processors([1023])),
        // No native priority.
        server.pool().lane(lane(10, 1)).lane(lane(300, 1)),
    ];
    for pool in pools {
        let shown = format!("{pool:?}");
        assert!(pool.create().is_err(), "{shown}");
    }
    let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).create().unwrap();
    for model in [server.rt.server_declared(number(15)), server.rt.client_propagated(number(15))] {
        let policies = PoaPolicies::new().with(model).with(pool.policy());
        let refused = server.orb.root_poa().create("refused", policies).unwrap_err();
        assert!(matches!(refused, PoaError::InvalidPolicy { .. }));
    }
}

#[test]
fn so_many_connections_and_no_more() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).max_connections(1).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    server.clerk.shut(&[1]);
    let first = client.call(&desk, 10, 1);
    server.clerk.wait_for(1);
    let other = side();
    let there: Desk = other.orb.resolve(&desk.0.to_ior_string()).unwrap();
    let refused = other.call(&there, 10, 2).join().unwrap().unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Transient, "{refused:?}");
    server.clerk.open(1);
    assert_eq!(first.join().unwrap(), Ok(1));
    client.orb.shutdown(true).unwrap();
    until(|| pool.counts()[0].connections == 0);
    assert_eq!(other.call(&there, 10, 3).join().unwrap(), Ok(3));
}

#[test]
fn a_single_thread_makes_all_upcalls_of_its_lane() {
    let urls = ["iiop://127.0.0.1:0", "uiop://"];
    let (server, client) = (side_at(&urls, &[]), side());
    let pool = server.pool().lane(lane(10, 1)).strategy(Strategy::SingleThread).create().unwrap();
    let poa = server.poa(&pool, server.rt.client_propagated(number(10)));
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
    // Behind a manager that holds them, behind an upcall that blocks, and over each protocol.
    poa.manager().hold_requests().unwrap();
    let held: Vec<_> = (1..4).map(|id| client.call(&desk, 10, id)).collect();
    until(|| poa.manager().held_requests() == 3);
    server.clerk.shut(&[1]);
    poa.manager().activate().unwrap();
    let first = server.clerk.wait_for(1);
    let mut calls: Vec<_> = (4..8).map(|id| client.call(&desk, 10, id)).collect();
    let mut ior = desk.0.ior().clone();
    ior.profiles.reverse();
    let reversed: Desk = client.orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    calls.extend((8..12).map(|id| client.call(&reversed, 10, id)));
    server.clerk.open(1);
    for call in held.into_iter().chain(calls) {
        call.join().unwrap().unwrap();
    }
    for id in 1..12 {
        assert_eq!(server.clerk.wait_for(id).thread, first.thread);
    }
    let counts = pool.counts()[0];
    assert_eq!((counts.threads, counts.started), (1, 0));
}

#[test]
fn a_single_thread_refuses_transports_that_need_more() {
    // Beside the ORB's endpoint, and at one of its own.
    for (url, lane) in [("shmiop://", lane(10, 1)), ("uiop://", lane(10, 1).listen("shmiop://"))] {
        let server = side_at(&[url], &[]);
        let pool = server.pool().lane(lane.clone()).strategy(Strategy::SingleThread);
        let refused = format!("{:?}", pool.create().unwrap_err());
        assert!(refused.contains("single-thread") && refused.contains("shmiop://"), "{refused}");
        server.pool().lane(lane).create().unwrap();
    }
}
