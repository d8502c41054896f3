use super::client::RawClient;
use super::server;
use super::socket::Listener;
use crate::driver::Answer;
use crate::operation::{Duty, Operation};
use crate::peer::client::answer;
use crate::peer::{PeerArguments, PeerName, Role};

fn client(transport: &str) -> (RawClient, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let address = server::start(Listener::bind(transport, Some(&path), None).unwrap()).unwrap();
    let arguments = PeerArguments {
        name: PeerName::Raw,
        role: Role::Server,
        transport: transport.to_owned(),
        path: None,
        cpu: None,
        connections: 1,
        socket_queue: Some(64 << 10),
        orb: Vec::new(),
    };
    (RawClient::connect(&arguments, &address).unwrap(), folder)
}

#[test]
fn every_operation_is_answered_rightly_on_both_transports() {
    for transport in ["iiop", "uiop"] {
        let (client, _folder) = client(transport);
        for &operation in Operation::ALL {
            for payload in [1, 100, 5000, 400_000] {
                let sink = operation.duty() == Duty::Sink;
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
fn threads_take_turns_at_a_shared_connection() {
    let (client, _folder) = client("iiop");
    let text = answer(&client, "run echo_longs 400 50 threads=4 shared=1").to_string();
    assert!(text.starts_with("done check=ok calls=200 "), "{text}");
}
