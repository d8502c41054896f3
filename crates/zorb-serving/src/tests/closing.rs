//! Endpoints that close while clients wait to be accepted.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use zorb_base::options::Options;
use zorb_testkit::{CLOSE_CONNECTION, LOCATE_REQUEST};
use zorb_transport::Workers;

use crate::ServerCore;
use crate::listener::Listener;
use crate::pool::default_lane;

#[test]
fn clients_that_wait_to_be_accepted_get_close_connection() {
    let core = ServerCore::for_tests(Options::default());
    let lane = default_lane(&core.context).unwrap();
    let url = "iiop://127.0.0.1:0";
    let listener = Listener::open(&core.context, url, None, Workers::default()).unwrap();
    listener.acceptor.listen().unwrap();
    let address = listener.acceptor.endpoint().address().parse().unwrap();
    // No thread accepts them.
    let connect = || TcpStream::connect_timeout(&address, Duration::from_secs(20)).unwrap();
    let mut clients: Vec<_> = (0..50).map(|_| connect()).collect();
    clients.iter_mut().step_by(2).for_each(|client| client.write_all(LOCATE_REQUEST).unwrap());
    lane.close_all(&[listener]);
    for mut client in clients {
        let mut received = Vec::new();
        client.read_to_end(&mut received).unwrap();
        assert_eq!(received.len(), 12);
        assert_eq!(received[7], CLOSE_CONNECTION);
    }
}
