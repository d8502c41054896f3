use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use super::client::RawClient;
use super::message::Inbox;
use super::server;
use super::socket::Listener;
use crate::driver::Answer;
use crate::operation::{Action, Operation};
use crate::peer::arguments::PeerArguments;
use crate::peer::client::answer;

fn client(transport: &str) -> (RawClient, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = Listener::bind(transport, Some(&path), None).unwrap();
    // Tests both: with busy-waiting and without.
    let busy_wait = if transport == "iiop" { 0 } else { 100 };
    let address = server::start(listener, Duration::from_micros(busy_wait)).unwrap();
    (connect(transport, &address, busy_wait), folder)
}

fn connect(transport: &str, address: &str, busy_wait: u64) -> RawClient {
    let queue = "--socket-queue 65536";
    let line =
        format!("raw client {address} --transport {transport} {queue} --busy-wait {busy_wait}");
    RawClient::connect(&PeerArguments::parsed(&line)).unwrap()
}

#[test]
fn every_operation_works_over_all_transports() {
    for transport in ["iiop", "uiop", "shmiop"] {
        let (client, _folder) = client(transport);
        let sent = Operation::ALL.iter().filter(|operation| operation.action() != Action::Local);
        for &operation in sent {
            for payload in [1, 100, 5000, 400_000] {
                let sink = operation.action() == Action::Sink;
                let kind = if sink { "flood" } else { "run" };
                let line = format!("{kind} {operation} {payload} 5");
                let text = answer(&client, &line).to_string();
                let answer = Answer::parse(&text, !sink).unwrap();
                assert!(matches!(answer, Answer::Done(_)), "{line}: {text}");
            }
        }
    }
}

#[test]
fn operations_with_types_are_unsupported() {
    let (client, _folder) = client("iiop");
    let text = answer(&client, "run leaves_longs 400 5").to_string();
    assert!(text.starts_with("unsupported "), "{text}");
}

#[test]
fn rings_work_without_busy_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let listener = Listener::bind("shmiop", Some(&folder.path().join("socket")), None).unwrap();
    let address = server::start(listener, Duration::ZERO).unwrap();
    let client = connect("shmiop", &address, 0);
    for line in ["run echo_octets 300000 20", "run cube_longs 64 100", "run echo_longs 8 100"] {
        let text = answer(&client, line).to_string();
        assert!(text.starts_with("done "), "{line}: {text}");
    }
}

#[test]
fn threads_share_a_connection() {
    let (client, _folder) = client("iiop");
    let text = answer(&client, "run echo_longs 400 50 threads=4 shared=1").to_string();
    assert!(text.starts_with("done check=ok calls=200 "), "{text}");
}

#[test]
fn messages_that_are_sent_ahead_are_as_long_as_those_of_giop() {
    let (client, _folder) = client("iiop");
    let text = answer(&client, "run ping 0 8 batch=4 pipelined=1").to_string();
    assert!(text.starts_with("done check=ok calls=8 "), "{text}");
    let text = answer(&connect("iiop", &liar(usize::MAX), 0), "run ping 0 1 batch=1 pipelined=1")
        .to_string();
    assert_eq!(text, "failed the reply is wrong", "it is not as long as the request");
}

/// Echoes messages, the first ones with bodies of each connection with the last octet changed.
fn liar(lies: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let (mut inbox, mut lies) = (Inbox::new(), lies);
                while let Ok(Some((header, message))) = inbox.next(&stream) {
                    if header.size > 0 && lies > 0 {
                        *message.last_mut().unwrap() ^= 1;
                        lies -= 1;
                    }
                    (&stream).write_all(message).unwrap();
                }
            });
        }
    });
    address
}

#[test]
fn a_wrong_reply_is_detected() {
    let client = connect("iiop", &liar(usize::MAX), 0);
    for line in ["run echo_octets 64 1", "run cube_longs 64 1", "run echo_longs 64 1 shared=1"] {
        let text = answer(&client, line).to_string();
        assert_eq!(text, "failed the reply is wrong", "{line}");
    }
}

#[test]
fn a_wrong_reply_is_detected_among_right_ones() {
    let client = connect("iiop", &liar(1), 0);
    let text = answer(&client, "run echo_octets 64 8 batch=4 pipelined=1").to_string();
    assert_eq!(text, "failed the reply is wrong");
}
