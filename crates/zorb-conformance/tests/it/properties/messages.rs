//! The octets that are sent: in how many parts, and in how many fragments.

use std::cmp::Ordering;
use std::sync::Arc;

use zorb::Interface as _;
use zorb::poa::PoaPolicies;
use zorb::policy::{ConnectionProperties, Policies};

use super::mirror::{Board, Mirror};
use super::spy::Sent;
use super::{Pair, protocols, spied};

const LONG: usize = 20_000;

/// The message of a long call.
fn long(sent: Vec<Sent>) -> Sent {
    sent.into_iter().rfind(|sent| sent.octets.len() > LONG).unwrap()
}

fn copied_from(threshold: u32) -> ConnectionProperties {
    let mut properties = ConnectionProperties::default();
    properties.copy_threshold = Some(threshold);
    properties
}

/// Long arguments are not copied but sent as separate parts.
#[test]
fn arguments_above_the_threshold_are_not_copied() {
    for (url, _) in protocols() {
        for (threshold, parts) in [(1000, 2), (1 << 20, 1)] {
            let properties = copied_from(threshold);
            let met = Pair::new(url, Some(properties), Some(properties));
            // A stream over shared memory has its own threshold.
            let knows = |stream: &dyn zorb::transport::Stream| stream.gather_threshold().is_some();
            met.board.call(&met.mirror, url, LONG);
            if !knows(&*met.connected) {
                assert_eq!(
                    long(met.connected.watch().take_sent()).parts,
                    parts,
                    "client, {url}, {threshold}"
                );
            }
            if !url.starts_with("diop") && !knows(&*met.accepted) {
                assert_eq!(
                    long(met.accepted.watch().take_sent()).parts,
                    parts,
                    "server, {url}, {threshold}"
                );
            }
        }
    }
}

/// The sizes of the GIOP messages that were sent, header included.
fn messages(sent: &[Sent]) -> Vec<usize> {
    let octets: Vec<u8> = sent.iter().flat_map(|sent| sent.octets.clone()).collect();
    let mut rest = octets.as_slice();
    let mut sizes = Vec::new();
    while !rest.is_empty() {
        assert_eq!(&rest[..4], b"GIOP");
        let size = [rest[8], rest[9], rest[10], rest[11]];
        let little = rest[6] & 1 == 1;
        let size = if little { u32::from_le_bytes(size) } else { u32::from_be_bytes(size) };
        sizes.push(12 + size as usize);
        rest = &rest[12 + size as usize..];
    }
    sizes
}

#[test]
fn messages_go_in_fragments_where_the_protocol_has_them() {
    const MOST: usize = 1024;
    let mut properties = ConnectionProperties::default();
    properties.fragment_size = Some(1024);
    for (url, _) in protocols() {
        let met = Pair::new(url, Some(properties), Some(properties));
        for stream in [&met.connected, &met.accepted] {
            stream.watch().take_sent();
        }
        met.board.call(&met.mirror, url, LONG);
        let sent = [met.connected.watch().take_sent(), met.accepted.watch().take_sent()];
        let is_giop = !url.starts_with("lite") && !url.starts_with("short");
        for (side, sent) in ["client", "adapter"].into_iter().zip(sent) {
            if url.starts_with("diop") {
                // A datagram contains one message.
                assert!(sent.iter().all(|sent| sent.octets.len() > LONG), "{side}, {url}");
            } else if is_giop {
                let sizes = messages(&sent);
                assert_eq!(sizes.len(), LONG.div_ceil(MOST - 16), "{side}, {url}: {sizes:?}");
                assert!(sizes.iter().all(|size| *size <= MOST), "{side}, {url}: {sizes:?}");
            } else {
                assert_eq!(sent.len(), 1, "{side}, {url}");
            }
        }
        // A message that fits is not split.
        met.board.call(&met.mirror, url, 100);
        if is_giop {
            for stream in [&met.connected, &met.accepted] {
                let sizes = messages(&stream.watch().take_sent());
                // A datagram without an answer is sent again.
                let has_one = sizes.len() <= 1 || url.starts_with("diop");
                assert!(has_one && sizes.iter().all(|size| *size < 300), "{url}: {sizes:?}");
            }
        }
    }
}

/// The levels of clients and of servers, the most specific first.
const CLIENT: [&str; 4] = ["call", "reference", "thread", "orb"];
const SERVER: [&str; 3] = ["object", "adapter", "orb"];

/// The request and reply of a long call, with properties at these levels.
fn sent_under(
    client: &[Option<ConnectionProperties>; 4],
    server: &[Option<ConnectionProperties>; 3],
) -> [Vec<Sent>; 2] {
    let url = "iiop://127.0.0.1:0";
    let policies = |said: Option<ConnectionProperties>| match said {
        Some(properties) => Policies::new().with(properties),
        None => Policies::new(),
    };
    let (builder, serving) = spied(url);
    let orb = builder.listen(url).build().unwrap();
    orb.policy_manager().add(&policies(server[2])).unwrap();
    let mut adapter = PoaPolicies::new();
    adapter.others = policies(server[1]);
    let poa = orb.root_poa().create("adapter", adapter).unwrap();
    let (servant, board) = Board::new();
    let object: Mirror =
        poa.activate_with_policies(&Arc::new(servant), None, &policies(server[0])).unwrap();
    let (builder, calling) = spied(url);
    let caller = builder.build().unwrap();
    caller.policy_manager().add(&policies(client[3])).unwrap();
    caller.policy_current().add(&policies(client[2])).unwrap();
    let there: Mirror = caller.resolve(&object.as_object().to_ior_string()).unwrap();
    let own = there.as_object().with_policies(&policies(client[1])).unwrap();
    let call = own.for_call(&policies(client[0])).unwrap();
    board.call(&call.unchecked_narrow(), url, LONG);
    let sent = [calling.connected().watch().take_sent(), serving.accepted().watch().take_sent()];
    caller.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
    sent
}

/// Properties for all levels from `strongest` on: `first` there, and `others` at the less specific
/// ones.
fn from<const N: usize>(
    strongest: usize,
    first: ConnectionProperties,
    others: ConnectionProperties,
) -> [Option<ConnectionProperties>; N] {
    std::array::from_fn(|level| match level.cmp(&strongest) {
        Ordering::Less => None,
        Ordering::Equal => Some(first),
        Ordering::Greater => Some(others),
    })
}

#[test]
fn messages_use_the_most_specific_level() {
    const MOST: usize = 2048;
    let mut pieces = ConnectionProperties::default();
    pieces.fragment_size = Some(2048);
    let mut whole = ConnectionProperties::default();
    whole.fragment_size = Some(0);
    let (split, joined) = (copied_from(1000), copied_from(1 << 20));
    let in_pieces = LONG.div_ceil(MOST - 16);
    // The number of messages, and the number of parts of the long one.
    let count = |sent: &[Sent]| {
        let long = messages(sent).into_iter().filter(|size| *size > 1000).count();
        let parts = sent.iter().filter(|sent| sent.octets.len() > LONG).map(|sent| sent.parts);
        (long, parts.max())
    };
    for (first, others, expected) in [(pieces, whole, in_pieces), (whole, pieces, 1)] {
        for (level, name) in CLIENT.iter().enumerate() {
            let [request, _] = sent_under(&from(level, first, others), &[None; 3]);
            assert_eq!(count(&request).0, expected, "fragments, client's {name}");
        }
        for (level, name) in SERVER.iter().enumerate() {
            let [_, reply] = sent_under(&[None; 4], &from(level, first, others));
            assert_eq!(count(&reply).0, expected, "fragments, server's {name}");
        }
    }
    for (first, others, parts) in [(split, joined, 2), (joined, split, 1)] {
        for (level, name) in CLIENT.iter().enumerate() {
            let [request, _] = sent_under(&from(level, first, others), &[None; 3]);
            assert_eq!(count(&request), (1, Some(parts)), "copies, client's {name}");
        }
        for (level, name) in SERVER.iter().enumerate() {
            let [_, reply] = sent_under(&[None; 4], &from(level, first, others));
            assert_eq!(count(&reply), (1, Some(parts)), "copies, server's {name}");
        }
    }
}
