//! Inputs of other targets, as a peer of the small ORB sends them.

use std::borrow::Cow;

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, HEADER_SIZE, MessageFormat, MessageHeader, MessageKind};

use crate::targets::connection;

/// Which octets of a target's inputs a connection carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireOctets {
    /// All.
    All,
    /// Those after the first, which chooses what is done with them.
    AfterFirst,
    /// Those that the steps of the target `connection` receive.
    Received,
}

impl WireOctets {
    /// Those of the target of this name.
    pub fn of(target: &str) -> Self {
        match target {
            "client" | "bridge" | "ziop" | "naming" => Self::AfterFirst,
            "connection" => Self::Received,
            _ => Self::All,
        }
    }

    /// Takes them from an input.
    pub fn take(self, input: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::All => Cow::Borrowed(input),
            Self::AfterFirst => Cow::Borrowed(input.get(1..).unwrap_or_default()),
            Self::Received => Cow::Owned(received(input)),
        }
    }
}

fn received(steps: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut rest = steps;
    while let [what, number, later @ ..] = rest {
        rest = later;
        if what % 8 == connection::RECEIVE {
            let (now, later) = rest.split_at(usize::from(*number).min(rest.len()));
            octets.extend_from_slice(now);
            rest = later;
        }
    }
    octets
}

/// The same octets with the id of a client's first request in the first message, if that is an answer: the client looks
/// no further at others.
pub fn answering(octets: &[u8]) -> Vec<u8> {
    let mut answer = octets.to_vec();
    let Ok(Some(header)) = MessageHeader::parse_prefix(octets) else { return answer };
    let little = header.order == ByteOrder::Little;
    if let Some(at) = place_of_id(octets, &header)
        && let Some(id) = answer.get_mut(at..at + 4)
    {
        id.copy_from_slice(&if little { 1_u32.to_le_bytes() } else { 1_u32.to_be_bytes() });
    }
    answer
}

/// The offset of the request id.
fn place_of_id(octets: &[u8], header: &MessageHeader) -> Option<usize> {
    match (header.kind, header.version) {
        (MessageKind::LocateReply, _) | (MessageKind::Reply, GiopVersion::V1_2) => {
            Some(HEADER_SIZE)
        }
        (MessageKind::Reply, version) => {
            // Behind the service contexts, and before the status.
            let reply = MessageFormat::Giop(version).read_reply_start(octets, header).ok()?;
            reply.body_start.checked_sub(8)
        }
        _ => None,
    }
}
