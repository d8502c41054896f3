//! Short messages as a server receives them from a connection: the meaning of indexes.

use std::collections::BTreeMap;

use zorb_giop::{
    Expanded, Inbound, Limits, MessageFormat, MessageKind, Messaging, ServerReceiver, TargetAddress,
};
use zorb_short::{INDEXES, MAX_PAIR, Short};

use super::{AllocationBound, Target};

/// The octets of a connection. A request with an index has the target of the last request that introduced the index.
pub const TARGET: Target = Target {
    name: "short",
    run,
    allocation: AllocationBound { per_octet: 64, constant: 64 << 10 },
    words: &[
        b"\x68\0\0\0\x01\0\0\0\x0b\x07",
        b"\x78\x01\0\0\x01\0\0\0\x07\x07\0\0\x03\0\0\0key\0\x03\0\0\0op\0",
        b"\x60\0\0\0\0\0\0\x01\x0b\x07",
        b"\x03\0\0\0key\0",
        b"\x0d\0\0\0",
        b"\xff\xff\xff\xff",
    ],
};

fn run(octets: &[u8]) {
    let limits = Limits::DEFAULT.max_message_size(4096);
    let mut inbound = Inbound::new(limits).with_messaging(Some(&Short));
    let mut server = ServerReceiver::new(Some(&Short));
    let mut introduced: BTreeMap<u8, (Vec<u8>, String)> = BTreeMap::new();
    let mut rest = octets;
    while !rest.is_empty() {
        let space = inbound.space();
        let count = space.len().min(rest.len());
        let (now, later) = rest.split_at(count);
        space[..count].copy_from_slice(now);
        inbound.advance(count);
        rest = later;
        loop {
            match inbound.poll() {
                Ok(Some(header)) if header.kind == MessageKind::Request => {
                    if !request(&mut server, inbound.current(), &header, &mut introduced) {
                        return;
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
    assert!(introduced.len() <= INDEXES);
}

/// Whether the connection continues.
fn request(
    server: &mut ServerReceiver,
    message: &[u8],
    header: &zorb_giop::MessageHeader,
    introduced: &mut BTreeMap<u8, (Vec<u8>, String)>,
) -> bool {
    let expansion = match server.expand(message, header) {
        Ok(Expanded::InFull) => None,
        Ok(Expanded::By(reads)) => Some(reads),
        Ok(Expanded::Unknown { .. }) => {
            assert!(!introduced.contains_key(&message[9]), "it was introduced");
            return true;
        }
        Err(_) => return false,
    };
    let reads: &dyn Messaging = expansion.as_deref().unwrap_or(&Short);
    let Ok((request, _)) = MessageFormat::Other(reads).read_request(message, header) else {
        return false;
    };
    let TargetAddress::Key(key) = request.target else { panic!("they name keys") };
    let meant = (key.to_vec(), request.operation.into_owned());
    let index = message[9];
    if expansion.is_some() {
        assert_eq!(introduced.get(&index), Some(&meant), "it is what was introduced");
    } else if message[8] & 0b1100 == 0b0100 {
        if meant.0.len() + meant.1.len() <= MAX_PAIR {
            introduced.insert(index, meant);
        } else {
            introduced.remove(&index);
        }
    }
    true
}
