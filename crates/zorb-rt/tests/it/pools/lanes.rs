//! Lanes: requests run at their lane's priority, and those of one lane do not wait for another's.

use zorb_core::poa::PoaError;
use zorb_giop::{IiopProfile, Ior};
use zorb_os::priority::Schedule;
use zorb_rt::Strategy;
use zorb_types::{SystemExceptionKind, minor};

use super::fixture::{Desk, Side, lane, lane_of, number, side, side_at, side_with, until};

/// Those that serve all transports.
const STRATEGIES: [Strategy; 3] =
    [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection];

/// Clients use 64 endpoints of a reference, and would never call the lanes behind.
#[test]
fn a_pool_whose_last_lanes_could_not_be_called_is_refused() {
    let server = side();
    // A pool with `lanes` lanes of two endpoints each.
    let pool = |lanes| {
        (1..=lanes).fold(server.pool(), |pool, priority| {
            let lane = lane(priority, 1).listen("iiop://127.0.0.1:0");
            pool.lane(lane.listen("iiop://127.0.0.1:0"))
        })
    };
    let refused = format!("{:?}", pool(33).create().unwrap_err());
    assert!(refused.contains("more than 64 endpoints"), "{refused}");
    let pool = pool(32).create().unwrap();
    let client = side();
    let desk = server.desk(&pool, 10, &client);
    assert_eq!(client.call(&desk, 32, 1).join().unwrap(), Ok(1));
    assert_eq!(server.clerk.wait_for(1).priority, Some(32));
}

#[test]
fn requests_run_in_the_lane_of_their_priority() {
    for &strategy in Strategy::ALL {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane(10, 1)).lane(lane_of(strategy, 20, 2));
        let pool = pool.strategy(strategy);
        let pool = pool.create().unwrap();
        assert_eq!(pool.strategy(), strategy);
        let desk = server.desk(&pool, 10, &client);
        for (id, priority) in [(1, 10), (2, 20), (3, 20), (4, 10)] {
            assert_eq!(client.call(&desk, priority, id).join().unwrap(), Ok(id));
            let seen = server.clerk.wait_for(id);
            assert_eq!((seen.priority, seen.schedule), (Some(priority), server.at(priority)));
        }
        assert!(pool.counts().iter().all(|lane| lane.connections > 0), "each lane has its own");
        // A thread without a priority goes to the lane of the one that the server has for it.
        assert_eq!(std::thread::scope(|s| s.spawn(|| desk.serve(5)).join().unwrap()), Ok(5));
        assert_eq!(server.clerk.wait_for(5).priority, Some(10));
    }
}

#[test]
fn lanes_are_beside_every_endpoint_of_the_orb() {
    let urls = ["iiop://127.0.0.1:0", "uiop://", "shmiop://"];
    for strategy in STRATEGIES {
        let server = side_at(&urls, &[]);
        let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 2)).strategy(strategy);
        let pool = pool.create().unwrap();
        for endpoints in pool.endpoints() {
            let schemes = endpoints.iter().map(|url| url.split_once("://").unwrap().0);
            assert_eq!(schemes.collect::<Vec<_>>(), ["iiop", "uiop", "shmiop"]);
        }
        let poa = server.poa(&pool, server.rt.client_propagated(number(10)));
        let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
        assert_eq!(desk.0.ior().profiles.len(), 6);
        // Over each protocol separately.
        for (place, _) in urls.iter().enumerate() {
            let client = side();
            let mut ior = desk.0.ior().clone();
            ior.profiles = ior.profiles.into_iter().skip(place).step_by(urls.len()).collect();
            let there: Desk = client.orb.resolve(&ior.to_stringified().unwrap()).unwrap();
            for (id, priority) in [(1, 10), (2, 20), (3, 20)] {
                let id = id + place as i32 * 10;
                assert_eq!(client.call(&there, priority, id).join().unwrap(), Ok(id));
                let seen = server.clerk.wait_for(id);
                assert_eq!((seen.priority, seen.schedule), (Some(priority), server.at(priority)));
            }
            client.orb.shutdown(true).unwrap();
        }
        server.orb.shutdown(true).unwrap();
    }
}

/// Occupies the pool's thread with a low request, sends another low and then a high one, and returns the order of
/// upcalls after the first has ended.
fn order_behind_a_busy_thread(server: &Side, client: &Side, desk: &Desk) -> Vec<i32> {
    server.clerk.shut(&[1]);
    let busy = client.call(desk, 10, 1);
    server.clerk.wait_for(1);
    // One-way: when the call returns the request is where the server's threads look for it.
    std::thread::scope(|scope| {
        let low = scope.spawn(|| {
            client.rt.current().set_priority(number(10)).unwrap();
            desk.leave(2).unwrap();
        });
        low.join().unwrap();
        let high = scope.spawn(|| {
            client.rt.current().set_priority(number(20)).unwrap();
            desk.leave(3).unwrap();
        });
        high.join().unwrap();
    });
    if server.clerk.order().len() == 1 && desk.0.ior().profiles.len() > 1 {
        server.clerk.wait_for(3);
    }
    server.clerk.open(1);
    busy.join().unwrap().unwrap();
    server.clerk.wait_for(2);
    server.clerk.wait_for(3);
    server.clerk.order()
}

#[test]
fn a_busy_lane_holds_up_no_other_and_without_lanes_it_does() {
    for &strategy in Strategy::ALL {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).strategy(strategy);
        let desk = server.desk(&pool.create().unwrap(), 10, &client);
        assert_eq!(order_behind_a_busy_thread(&server, &client, &desk), [1, 3, 2], "{strategy:?}");
    }
    // The control: one set of threads for all priorities.
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::SingleThread] {
        let (server, client) = (side(), side());
        let pool = server.pool().without_lanes(lane(10, 1)).by_priority(false);
        let pool = pool.strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        assert_eq!(order_behind_a_busy_thread(&server, &client, &desk), [1, 2, 3], "{strategy:?}");
    }
}

#[test]
fn references_lead_to_the_lanes_that_serve_the_object() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).create().unwrap();
    let all = server.poa(&pool, server.rt.client_propagated(number(10)));
    let desk: Desk = all.activate_shared(&server.clerk).unwrap();
    let ports = |desk: &Desk| {
        let profiles = desk.0.ior().profiles.iter();
        let port = |data: &[u8]| format!(":{}", IiopProfile::decode(data).unwrap().port);
        profiles.map(|profile| port(&profile.data)).collect::<Vec<_>>()
    };
    let endpoints = pool.endpoints();
    let is_at = |desk: &Desk, lanes: &[usize]| {
        let ports = ports(desk);
        ports.len() == lanes.len()
            && ports.iter().zip(lanes).all(|(port, lane)| endpoints[*lane][0].ends_with(port))
    };
    assert!(is_at(&desk, &[0, 1]), "{:?} {endpoints:?}", ports(&desk));
    all.destroy();

    let declared = server.poa(&pool, server.rt.server_declared(number(20)));
    let desk: Desk = declared.activate_shared(&server.clerk).unwrap();
    assert!(is_at(&desk, &[1]));
    let own: Desk = server.rt.activate_with_priority(&declared, &server.clerk, number(10)).unwrap();
    assert!(is_at(&own, &[0]));
    let there: Desk = client.orb.resolve(&own.0.to_ior_string()).unwrap();
    assert_eq!(client.call(&there, 33, 1).join().unwrap(), Ok(1));
    assert_eq!(server.clerk.wait_for(1).schedule, server.at(10));

    let none = server.rt.activate_with_priority::<_, Desk>(&declared, &server.clerk, number(15));
    assert!(matches!(none, Err(PoaError::InvalidPolicy { .. })), "{none:?}");
}

#[test]
fn a_priority_without_a_lane_reaches_nobody() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    let failed = client.call(&desk, 15, 1).join().unwrap().unwrap_err();
    assert_eq!(failed.kind, SystemExceptionKind::InvPolicy);
    assert!(server.clerk.order().is_empty());
    // Without lanes all priorities are served, and threads have the request's priority during the upcall.
    let pool = server.pool().without_lanes(lane(7, 1)).create().unwrap();
    let desk = server.desk(&pool, 7, &client);
    assert_eq!(client.call(&desk, 15, 2).join().unwrap(), Ok(2));
    assert_eq!(server.clerk.wait_for(2).schedule, server.at(15));
}

#[test]
fn an_object_is_served_at_its_pools_endpoints_only() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    let mut ior: Ior = desk.0.ior().clone();
    let mut profile = IiopProfile::decode(&ior.profiles[0].data).unwrap();
    let own = server.orb.endpoints();
    profile.port = own[0].rsplit_once(':').unwrap().1.parse().unwrap();
    ior.profiles[0] = profile.encode(zorb_cdr::ByteOrder::NATIVE).unwrap();
    let elsewhere: Desk = client.orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let failed = client.call(&elsewhere, 10, 1).join().unwrap().unwrap_err();
    assert_eq!(failed.kind, SystemExceptionKind::Transient);
    assert_eq!(failed.minor, minor::transient::OTHER_ENDPOINT);
    // It exists, so other answers would be wrong.
    let asked = [elsewhere.0.locate(), elsewhere.0.non_existent()];
    for answer in asked {
        assert_eq!(answer.unwrap_err().minor, minor::transient::OTHER_ENDPOINT);
    }
    assert!(server.clerk.order().is_empty());
}

#[test]
fn calls_inside_the_orb_run_on_their_own_threads() {
    let server = side();
    let pool = server.pool().lane(lane(10, 1)).create().unwrap();
    let poa = server.poa(&pool, server.rt.client_propagated(number(10)));
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let (thread, before) = std::thread::scope(|scope| {
        let caller = scope.spawn(|| {
            server.rt.current().set_priority(number(5)).unwrap();
            desk.serve(1).unwrap();
            (zorb_os::thread::id(), zorb_os::priority::current().unwrap())
        });
        caller.join().unwrap()
    });
    let seen = server.clerk.wait_for(1);
    assert_eq!((seen.thread, seen.schedule), (thread, before));
    assert_eq!(before, server.at(5));
}

#[test]
fn requests_of_one_connection_run_side_by_side() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
        let server = side();
        let client =
            side_with(&[("MaxConnectionsPerEndpoint", "1"), ("MaxCallsPerConnection", "8")]);
        let pool = server.pool().lane(lane(10, 3)).strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        server.clerk.shut(&[1, 2]);
        let held: Vec<_> = [1, 2].map(|id| client.call(&desk, 10, id)).into_iter().collect();
        server.clerk.wait_for(1);
        server.clerk.wait_for(2);
        assert_eq!(client.call(&desk, 10, 3).join().unwrap(), Ok(3));
        assert_eq!(pool.counts()[0].connections, 1);
        server.clerk.open(1);
        server.clerk.open(2);
        for call in held {
            call.join().unwrap().unwrap();
        }
    }
}

#[test]
fn threads_of_lanes_are_at_their_priority_before_any_request() {
    let server = side();
    let found = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let pool = server.pool().lane(lane(12, 1)).create().unwrap();
    let poa = server.poa(&pool, server.rt.server_declared(number(12)));
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    // Read by the system, not by the thread.
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let Ok(name) = std::fs::read_to_string(path.join("comm")) else { continue };
        if name.starts_with("test-12") {
            // Another test's may have ended by now.
            let Ok(stat) = std::fs::read_to_string(path.join("stat")) else { continue };
            let fields: Vec<_> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
            let (level, policy) = (fields[37].parse::<u8>().unwrap(), fields[38].to_owned());
            found.lock().unwrap().push((level, policy));
        }
    }
    let expected = match server.at(12) {
        Schedule::Fifo(level) => (level, "1".to_owned()),
        _ => (0, "0".to_owned()),
    };
    assert!(found.lock().unwrap().contains(&expected), "{found:?}");
    drop(desk);
}

#[test]
fn a_lane_of_one_thread_makes_one_upcall_at_a_time_over_all_its_protocols() {
    // Threads wait for the one's connections together; each of the other's has a thread.
    let urls = ["uiop://", "shmiop://"];
    let server = side_at(&urls, &[]);
    let pool = server.pool().lane(lane(10, 1)).create().unwrap();
    let poa = server.poa(&pool, server.rt.client_propagated(number(10)));
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let client = side();
    let [uiop, shmiop] = [0, 1].map(|place| -> Desk {
        let mut ior = desk.0.ior().clone();
        ior.profiles = vec![ior.profiles[place].clone()];
        client.orb.resolve(&ior.to_stringified().unwrap()).unwrap()
    });
    for (first, then, id) in [(&uiop, &shmiop, 1), (&shmiop, &uiop, 11)] {
        server.clerk.shut(&[id]);
        let busy = client.call(first, 10, id);
        server.clerk.wait_for(id);
        let next = client.call(then, 10, id + 1);
        until(|| pool.counts()[0].waiting == 1);
        assert_eq!(server.clerk.order().last(), Some(&id));
        server.clerk.open(id);
        assert_eq!((busy.join().unwrap(), next.join().unwrap()), (Ok(id), Ok(id + 1)));
        assert_eq!(pool.counts()[0].waiting, 0);
    }
}

#[test]
fn clients_elsewhere_keep_none_out_of_a_lane() {
    let server = side_with(&[("MaxConnections", "1"), ("MaxConnectionsPerPeer", "2")]);
    let pool = server.pool().lane(lane(10, 2)).max_connections(2).create().unwrap();
    let elsewhere: Desk = server.orb.root_poa().activate_shared(&server.clerk).unwrap();
    let elsewhere = elsewhere.0.to_ior_string();
    let clients = [side(), side(), side(), side()];
    let begin = |client: &Side, desk: &str, id| {
        let desk: Desk = client.orb.resolve(desk).unwrap();
        client.call(&desk, 10, id)
    };
    let call = |client: &Side, desk: &str, id| -> Result<i32, SystemExceptionKind> {
        begin(client, desk, id).join().unwrap().map_err(|exception| exception.kind)
    };
    let in_lane = server.desk(&pool, 10, &clients[0]).0.to_ior_string();
    // The ORB's only connection is in use. That does not count for the lane,
    server.clerk.shut(&[1, 4, 5]);
    let busy = begin(&clients[1], &elsewhere, 1);
    server.clerk.wait_for(1);
    assert_eq!(call(&clients[2], &elsewhere, 2), Err(SystemExceptionKind::Transient));
    assert_eq!(call(&clients[2], &in_lane, 3), Ok(3));
    server.clerk.open(1);
    assert_eq!(busy.join().unwrap(), Ok(1));
    // and the lane's two connections do not count for the ORB, where an idle one makes room.
    let busy = [begin(&clients[0], &in_lane, 4), begin(&clients[2], &in_lane, 5)];
    server.clerk.wait_for(4);
    server.clerk.wait_for(5);
    assert_eq!(call(&clients[3], &in_lane, 6), Err(SystemExceptionKind::Transient));
    assert_eq!(call(&clients[3], &elsewhere, 7), Ok(7));
    server.clerk.open(4);
    server.clerk.open(5);
    assert_eq!(busy.map(|call| call.join().unwrap()), [Ok(4), Ok(5)]);
}
