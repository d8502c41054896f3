//! Clients that send without end.

use std::ops::Range;
use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, MessageWriter, RequestStart, ResponseFlags, TargetAddress};
use zorb_rt::Strategy;
use zorb_transport::{ConnectOptions, Protocol, Stream};
use zorb_unix::UiopProtocol;

use super::fixture::{Desk, lane, side, side_at};

/// A one-way request.
fn request(key: &[u8], id: i32) -> Vec<u8> {
    let start = RequestStart {
        request_id: id as u32,
        response: ResponseFlags::NoResponse,
        target: TargetAddress::Key(key),
        operation: "leave",
        service_contexts: &[],
    };
    let mut octets = Vec::new();
    let begun = MessageWriter::request(&mut octets, GiopVersion::V1_2, ByteOrder::Little, &start);
    let mut message = begun.unwrap();
    message.body(Default::default()).put(&id.to_le_bytes());
    message.finish().unwrap();
    octets
}

/// A client that does not wait for replies.
struct Sender {
    stream: Arc<dyn Stream>,
    key: Vec<u8>,
}

fn connect(desk: &Desk) -> Sender {
    let protocol = UiopProtocol::new();
    let profile = protocol.decode_profile(&desk.0.ior().profiles[0]).unwrap();
    let options = ConnectOptions::default();
    let stream = protocol.transport().connect(&profile.endpoints[0], &options).unwrap();
    Sender { stream, key: profile.object_key }
}

impl Sender {
    /// Sends these requests together. The socket's buffers have room for a thousand.
    fn send(&self, ids: Range<i32>) {
        let requests: Vec<u8> = ids.flat_map(|id| request(&self.key, id)).collect();
        self.stream.send_all(&requests).unwrap();
    }
}

#[test]
fn a_client_that_sends_without_end_does_not_keep_others_waiting() {
    for strategy in [Strategy::LeaderFollowers, Strategy::SingleThread] {
        others_are_served(strategy);
    }
}

fn others_are_served(strategy: Strategy) {
    const COUNT: i32 = 1000;
    const OTHER: i32 = 10_000;
    let (server, client) = (side_at(&["uiop://"], &[]), side());
    let pool = server.pool().lane(lane(10, 1)).strategy(strategy).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    // The other client's connection is there already.
    let other = connect(&desk);
    other.send(OTHER..OTHER + 1);
    server.clerk.wait_for(OTHER);

    server.clerk.shut(&[0]);
    let endless = connect(&desk);
    endless.send(0..COUNT);
    server.clerk.wait_for(0);
    other.send(OTHER + 1..OTHER + 2);
    server.clerk.open(0);

    server.clerk.wait_for(OTHER + 1);
    server.clerk.wait_for(COUNT - 1);
    let order = server.clerk.order();
    let position = order.iter().position(|id| *id == OTHER + 1).unwrap();
    // 64 for the first event of the endless client, and 64 whenever the thread looks at its queue: before it takes the
    // next event, which may be another one of that client, and before the event of the other client.
    let before = position - 1; // without the other client's first one
    assert!(before <= 3 * 64, "after {before} requests");
    let of_endless = order.into_iter().filter(|id| *id < OTHER);
    assert!(of_endless.eq(0..COUNT));
    server.orb.shutdown(true).unwrap();
}
