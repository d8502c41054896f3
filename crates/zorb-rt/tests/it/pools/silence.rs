//! Idle connections.

use std::io::Read;
use std::net::TcpStream;

use zorb_rt::Strategy;
use zorb_testkit::CLOSE_CONNECTION;

use super::fixture::{lane, side, side_with};

#[test]
fn silent_connections_end_and_those_with_a_request_under_way_do_not() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection] {
        let (server, client) = (side_with(&[("IdleTimeout", "40")]), side());
        let pool = server.pool().lane(lane(10, 2)).strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        server.clerk.shut(&[1]);
        let busy = client.call(&desk, 10, 1);
        server.clerk.wait_for(1);
        let address = pool.endpoints()[0][0].trim_start_matches("iiop://").to_owned();
        for _ in 0..3 {
            is_let_go(&address);
        }
        assert!(pool.counts()[0].connections > 0, "{strategy:?}");
        server.clerk.open(1);
        assert_eq!(busy.join().unwrap(), Ok(1), "{strategy:?}");
    }
}

fn is_let_go(address: &str) {
    let mut last = Vec::new();
    TcpStream::connect(address).unwrap().read_to_end(&mut last).unwrap();
    assert_eq!((&last[..4], last[7]), (&b"GIOP"[..], CLOSE_CONNECTION));
}
