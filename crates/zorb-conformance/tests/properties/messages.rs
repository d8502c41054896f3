//! What goes over the streams: in how many parts, and in how many pieces.

use zorb::policy::ConnectionProperties;

use super::spy::Sent;
use super::{Met, protocols};

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

/// What is not copied is a part of its own.
#[test]
fn from_the_threshold_on_nothing_is_copied() {
    for (url, _) in protocols() {
        for (threshold, parts) in [(1000, 2), (1 << 20, 1)] {
            let properties = copied_from(threshold);
            let met = Met::new(url, Some(properties), Some(properties));
            // Where memory is shared, the stream knows better.
            let knows = |stream: &dyn zorb::transport::Stream| stream.gathers_from().is_some();
            met.board.call(&met.mirror, url, LONG);
            if !knows(&*met.connected) {
                assert_eq!(
                    long(met.connected.take_sent()).parts,
                    parts,
                    "client, {url}, {threshold}"
                );
            }
            if !url.starts_with("diop") && !knows(&*met.accepted) {
                assert_eq!(
                    long(met.accepted.take_sent()).parts,
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
        let met = Met::new(url, Some(properties), Some(properties));
        for stream in [&met.connected, &met.accepted] {
            stream.take_sent();
        }
        met.board.call(&met.mirror, url, LONG);
        let sent = [met.connected.take_sent(), met.accepted.take_sent()];
        let is_giop = !url.starts_with("lite") && !url.starts_with("short");
        for (side, sent) in ["client", "adapter"].into_iter().zip(sent) {
            if url.starts_with("diop") {
                // A datagram is one message.
                assert!(sent.iter().all(|sent| sent.octets.len() > LONG), "{side}, {url}");
            } else if is_giop {
                let sizes = messages(&sent);
                assert_eq!(sizes.len(), LONG.div_ceil(MOST - 16), "{side}, {url}: {sizes:?}");
                assert!(sizes.iter().all(|size| *size <= MOST), "{side}, {url}: {sizes:?}");
            } else {
                assert_eq!(sent.len(), 1, "{side}, {url}");
            }
        }
        // What fits is whole.
        met.board.call(&met.mirror, url, 100);
        if is_giop {
            for stream in [&met.connected, &met.accepted] {
                let sizes = messages(&stream.take_sent());
                assert!(
                    sizes.len() <= 1 && sizes.iter().all(|size| *size < 300),
                    "{url}: {sizes:?}"
                );
            }
        }
    }
}
