//! Requests that wait for a thread, and threads that are borrowed.

use std::net::TcpStream;

use zorb_rt::{Buffering, Strategy};
use zorb_types::{SystemExceptionKind, minor};

use super::fixture::{lane, number, side, until};

fn at_most(max_requests: usize, max_octets: Option<usize>) -> Buffering {
    Buffering { max_requests, max_octets }
}

#[test]
fn so_many_requests_wait_and_no_more() {
    // The one-way calls that may wait, and how many requests are refused.
    for (limit, waiting, refusals) in
        [(at_most(2, None), &[2, 3][..], 1), (at_most(0, Some(1)), &[][..], 3)]
    {
        let (server, client) = (side(), side());
        let pool = server.pool().lane(lane(10, 1)).buffering(limit).create().unwrap();
        assert_eq!(pool.strategy(), Strategy::HalfSync);
        let desk = server.desk(&pool, 10, &client);
        server.clerk.shut(&[1]);
        let busy = client.call(&desk, 10, 1);
        server.clerk.wait_for(1);
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                client.rt.current().set_priority(number(10)).unwrap();
                desk.leave(2).unwrap();
                desk.leave(3).unwrap();
                // Behind the others on their connection.
                desk.serve(4).unwrap_err()
            });
            let refused = sender.join().unwrap();
            assert_eq!(refused.kind, SystemExceptionKind::Transient, "{limit:?}");
            assert_eq!(refused.minor, minor::transient::QUEUE_FULL);
        });
        assert_eq!(pool.counts()[0].refused, refusals);
        server.clerk.open(1);
        busy.join().unwrap().unwrap();
        assert_eq!(client.call(&desk, 10, 5).join().unwrap(), Ok(5));
        assert_eq!(server.clerk.order(), [&[1], waiting, &[5]].concat());
    }
}

#[test]
fn requests_wait_while_there_is_memory_for_them() {
    // The buffer of a short request has 4 KiB.
    let server = super::fixture::side_with(&[("MaxBufferedOctetsPerPeer", "8192")]);
    let client = side();
    let settings = server.pool().lane(lane(10, 1)).buffering(at_most(1000, None));
    let pool = settings.create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    for round in [0, 10] {
        let id = |id| round + id;
        server.clerk.shut(&[id(1)]);
        let busy = client.call(&desk, 10, id(1));
        server.clerk.wait_for(id(1));
        let refused = std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                client.rt.current().set_priority(number(10)).unwrap();
                desk.leave(id(2)).unwrap();
                desk.leave(id(3)).unwrap();
                desk.serve(id(4)).unwrap_err()
            });
            sender.join().unwrap()
        });
        assert_eq!(refused.kind, SystemExceptionKind::NoResources);
        assert_eq!(refused.minor, minor::no_resources::MESSAGE_BUDGET);
        server.clerk.open(id(1));
        busy.join().unwrap().unwrap();
        server.clerk.wait_for(id(3));
        assert_eq!(client.call(&desk, 10, id(5)).join().unwrap(), Ok(id(5)));
    }
    assert_eq!(server.clerk.order(), [1, 2, 3, 5, 11, 12, 13, 15]);
    assert_eq!(pool.counts()[0].refused, 2);
}

#[test]
fn a_lane_may_have_room_of_its_own() {
    let (server, client) = (side(), side());
    let lanes = || server.pool().lane(lane(10, 1).buffering(at_most(2, None))).lane(lane(20, 1));
    let refused = lanes().strategy(Strategy::LeaderFollowers).create();
    assert!(format!("{:?}", refused.unwrap_err()).contains("half-sync"));
    let pool = lanes().create().unwrap();
    assert_eq!(pool.strategy(), Strategy::LeaderFollowers, "of the other lane");
    let desk = server.desk(&pool, 10, &client);
    server.clerk.shut(&[1, 2]);
    let busy = [(10, 1), (20, 2)].map(|(priority, id)| client.call(&desk, priority, id));
    for id in [1, 2] {
        server.clerk.wait_for(id);
    }
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            client.rt.current().set_priority(number(10)).unwrap();
            desk.leave(3).unwrap();
            desk.leave(4).unwrap();
            desk.serve(5).unwrap_err()
        });
        assert_eq!(sender.join().unwrap().minor, minor::transient::QUEUE_FULL);
    });
    let waiting = [6, 7, 8, 9].map(|id| client.call(&desk, 20, id));
    server.clerk.open(1);
    server.clerk.open(2);
    for call in busy.into_iter().chain(waiting) {
        call.join().unwrap().unwrap();
    }
    for id in [3, 4] {
        server.clerk.wait_for(id);
    }
    assert_eq!(pool.counts().iter().map(|lane| lane.refused).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn without_buffering_requests_stay_in_the_transport() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).strategy(Strategy::HalfSync).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    server.clerk.shut(&[1]);
    let busy = client.call(&desk, 10, 1);
    server.clerk.wait_for(1);
    let waiting: Vec<_> = (2..12).map(|id| client.call(&desk, 10, id)).collect();
    server.clerk.open(1);
    busy.join().unwrap().unwrap();
    for call in waiting {
        call.join().unwrap().unwrap();
    }
    assert_eq!(pool.counts()[0].refused, 0);
    assert_eq!(server.clerk.order().len(), 11);
}

#[test]
fn a_lane_out_of_threads_borrows_one_of_a_lower_lane() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).lane(lane(30, 1));
    let pool = pool.borrowing(true).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    server.clerk.shut(&[1, 2, 3]);
    // The highest lane's own thread, then that of the lane below, then that of the lowest.
    let mut held = Vec::new();
    for id in [1, 2, 3] {
        held.push(client.call(&desk, 30, id));
        let seen = server.clerk.wait_for(id);
        assert_eq!((seen.priority, seen.schedule), (Some(30), server.at(30)));
    }
    assert_eq!(pool.counts().iter().map(|lane| lane.borrowed).collect::<Vec<_>>(), [0, 0, 2]);
    // No thread is left; the lowest lane's own request waits for its thread to return.
    let low = client.call(&desk, 10, 4);
    server.clerk.open(3);
    assert_eq!(low.join().unwrap(), Ok(4));
    let seen = server.clerk.wait_for(4);
    assert_eq!((seen.priority, seen.schedule), (Some(10), server.at(10)), "as it was");
    assert_eq!(seen.thread, server.clerk.wait_for(3).thread);
    server.clerk.open(1);
    server.clerk.open(2);
    for call in held {
        call.join().unwrap().unwrap();
    }
    // No lane borrows upwards.
    server.clerk.shut(&[5]);
    let low = client.call(&desk, 10, 5);
    server.clerk.wait_for(5);
    let behind = client.call(&desk, 10, 6);
    assert_eq!(client.call(&desk, 30, 7).join().unwrap(), Ok(7));
    assert!(!server.clerk.order().contains(&6));
    server.clerk.open(5);
    low.join().unwrap().unwrap();
    behind.join().unwrap().unwrap();
}

#[test]
fn many_threads_are_borrowed_and_given_back() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 2)).lane(lane(20, 1)).lane(lane(30, 1));
    let pool = pool.borrowing(true).buffering(at_most(64, None)).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    let callers: Vec<_> = (0..9)
        .map(|caller| {
            let (rt, desk) = (client.rt.clone(), desk.clone());
            std::thread::spawn(move || {
                rt.current().set_priority(number(10 + caller % 3 * 10)).unwrap();
                let ids = (0..100).map(|call| i32::from(caller) * 100 + call);
                ids.map(|id| desk.serve(id)).collect::<Result<Vec<_>, _>>().unwrap().len()
            })
        })
        .collect();
    let served: usize = callers.into_iter().map(|caller| caller.join().unwrap()).sum();
    assert_eq!(served, 900);
    let mut order = server.clerk.order();
    order.sort_unstable();
    assert_eq!(order, (0..900).collect::<Vec<_>>());
    for id in 0..900 {
        let seen = server.clerk.wait_for(id);
        let priority = (10 + id / 100 % 3 * 10) as i16;
        assert_eq!((seen.priority, seen.schedule), (Some(priority), server.at(priority)));
    }
}

#[test]
fn without_buffering_a_request_that_waits_stops_no_other_connection() {
    let (server, client) = (side(), side());
    let pool = server.pool().lane(lane(10, 1)).strategy(Strategy::HalfSync).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    let silent = TcpStream::connect(pool.endpoints()[0][0].trim_start_matches("iiop://")).unwrap();
    server.clerk.shut(&[1]);
    let busy = client.call(&desk, 10, 1);
    server.clerk.wait_for(1);
    let waiting: Vec<_> = (2..6).map(|id| client.call(&desk, 10, id)).collect();
    until(|| pool.counts()[0].connections == 6);
    // The reader answers a LocateRequest itself, and sees that another client has gone.
    for _ in 0..3 {
        assert_eq!(desk.0.locate(), Ok(true));
    }
    let before = pool.counts()[0].connections;
    drop(silent);
    until(|| pool.counts()[0].connections < before);
    assert_eq!(server.clerk.order(), [1]);
    server.clerk.open(1);
    busy.join().unwrap().unwrap();
    for call in waiting {
        call.join().unwrap().unwrap();
    }
    assert_eq!(pool.counts()[0].refused, 0);
}
