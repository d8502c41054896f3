//! Endpoints that close while clients wait to be accepted, or for their replies.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use zorb_base::options::Options;
use zorb_testkit::{CLOSE_CONNECTION, LOCATE_REQUEST, until};
use zorb_transport::Workers;

use super::slow::Server;
use crate::lane::unread::close_unread;
use crate::listener::Listener;
use crate::pool::default_lane;
use crate::{ServerCore, Strategy, UnreadLimits};

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

#[test]
fn a_client_that_reads_slowly_has_a_limit_in_all() {
    const HOUR: Duration = Duration::from_secs(3600);
    let server = Server::new(Strategy::LeaderFollowers, &[("SendBuffer", "4096")], 8);
    let mut client = server.client();
    let connection = server.pool.core().lanes()[0].connections.all().pop().unwrap();
    // Far more than the sockets take.
    connection.send(&vec![7; 32 << 20]);
    let waits = || connection.waiting_output().unwrap();
    let begun = waits();
    let close_at =
        |limits, hours| close_unread(&server.core.context, limits, begun.begun + hours * HOUR);
    let limits = UnreadLimits { pause: 20 * HOUR, total: 3 * HOUR, from: begun.begun };
    // The client has taken more, and far from all.
    until(|| {
        client.read_some();
        waits().progress > begun.progress
    });
    assert_eq!(waits().begun, begun.begun);
    assert_eq!(close_at(UnreadLimits { from: begun.begun + HOUR, ..limits }, 3), 0);
    assert_eq!(close_at(limits, 2), 0);
    assert_eq!(server.connections(), 1);
    assert_eq!(close_at(limits, 3), 1);
    until(|| server.connections() == 0);
    server.pool.destroy().unwrap();
}
