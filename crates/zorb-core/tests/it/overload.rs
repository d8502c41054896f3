//! A server at its limit of connections.

use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_testkit::CLOSE_CONNECTION;
use zorb_types::{SystemException, SystemExceptionKind};

use crate::support::{Echo, EchoServant, Servant, builder, client, until};

/// Connects, and reads what the server sends until it closes the connection.
fn rejected(address: &str) -> Vec<u8> {
    let mut last = Vec::new();
    TcpStream::connect(address).unwrap().read_to_end(&mut last).unwrap();
    last
}

/// Calls until the server has room: for a moment, it may still count the request of an earlier client.
fn admitted(echo: &Echo, round: i32) -> Result<(), SystemException> {
    loop {
        match echo.wait_for(round) {
            Err(rejected) if rejected.kind == SystemExceptionKind::Transient => {
                std::thread::yield_now();
            }
            outcome => return outcome,
        }
    }
}

#[test]
fn connections_with_running_requests_are_answered_while_others_are_rejected() {
    let orb = builder().listen("iiop://127.0.0.1:0").option("MaxConnections", "2");
    let orb = orb.option("MaxConnectionsPerPeer", "2").build().unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let servant = Arc::new(Servant::default());
    let echo: Echo = orb.root_poa().activate_shared(&servant).unwrap();
    let clients = [client(&echo), client(&echo)];
    for round in 1..=3 {
        let others = std::thread::scope(|scope| {
            // One after the other, so that the second does not replace an idle connection of the first.
            let calls = clients.each_ref().map(|(_, there)| {
                servant.waiting.store(false, Ordering::SeqCst);
                let call = scope.spawn(move || admitted(there, round));
                until(|| servant.waiting.load(Ordering::SeqCst));
                call
            });
            let others: Vec<_> = (0..20).map(|_| rejected(&address)).collect();
            assert!(calls.iter().all(|call| !call.is_finished()));
            servant.note(round);
            calls.into_iter().for_each(|call| assert_eq!(call.join().unwrap(), Ok(())));
            others
        });
        for last in others {
            assert_eq!((&last[..4], last[7]), (&b"GIOP"[..], CLOSE_CONNECTION));
        }
        // Without requests, they make room.
        let (_third, there) = client(&echo);
        assert_eq!(there.twice(round), Ok(2 * round));
    }
    orb.shutdown(true).unwrap();
}
