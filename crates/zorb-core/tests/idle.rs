//! Served connections on which nothing happens.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use support::{Echo, Servant, builder, client};

const CLOSE_CONNECTION: u8 = 5;

fn server() -> (zorb_core::Orb, String) {
    let orb = builder().listen("iiop://127.0.0.1:0").option("IdleTimeout", "40").build().unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    (orb, address)
}

#[test]
fn a_silent_connection_is_closed_in_an_orderly_way() {
    let (_orb, address) = server();
    let mut silent = TcpStream::connect(&address).unwrap();
    let mut farewell = Vec::new();
    silent.read_to_end(&mut farewell).unwrap();
    assert_eq!(farewell[..4], *b"GIOP");
    assert_eq!(farewell[7], CLOSE_CONNECTION);
    // Half a message is owed no farewell.
    let mut stuck = TcpStream::connect(&address).unwrap();
    stuck.write_all(b"GIOP\x01\x02").unwrap();
    let mut nothing = Vec::new();
    stuck.read_to_end(&mut nothing).unwrap();
    assert_eq!(nothing, []);
}

#[test]
fn a_running_request_keeps_its_connection() {
    let (orb, _) = server();
    let servant = Arc::new(Servant::default());
    let echo: Echo = orb.root_poa().activate_shared(&servant).unwrap();
    let (_client, there) = client(&echo);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.wait_for(3));
        while !servant.waiting.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        // Time passes: another connection goes idle and is closed meanwhile.
        let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
        for _ in 0..3 {
            TcpStream::connect(&address).unwrap().read_to_end(&mut Vec::new()).unwrap();
        }
        support::EchoServant::note(&*servant, 3);
        call.join().unwrap().unwrap();
    });
    assert_eq!(there.twice(4).unwrap(), 8);
}
