//! Splits the messages that arrive over a bidirectional connection by their receivers.

use std::collections::HashSet;

#[cfg(test)]
use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, HEADER_SIZE, ListenPoints, MessageHeader, MessageKind, ProtocolError,
    ProtocolErrorKind, RequestHeader, ServiceId,
};

use super::claims::Claims;
use super::numbering::{HEAD, Numbering, request_id, set_request_id};

/// How much of a request is searched for listen points. They precede the arguments.
const SEARCHED: usize = 4 << 10;

/// The maximum number of messages whose fragments are incomplete.
const MAX_FRAGMENTED: usize = 64;

/// The maximum number of requests of the peer that are counted as in progress.
const MAX_SERVED: usize = 65_536;

/// Who gets octets of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    /// This side's server.
    Server,
    /// One of its clients.
    Client(u32),
    All,
    /// Nobody any more.
    Nobody,
}

/// The messages of a connection in both directions.
#[derive(Debug)]
pub(super) struct Splitter {
    /// Whether this side opened the connection. It has one client then, whose ids stay.
    pub(super) opened: bool,
    /// The beginning of the current message, until its receiver is known.
    head: Vec<u8>,
    /// The number of octets of the current message that follow, and their receiver.
    rest: (usize, Receiver),
    /// The receivers of messages that are fragmented since GIOP 1.2, by request id.
    fragmented: Vec<(u32, Receiver)>,
    /// The receiver of the message that is fragmented in GIOP 1.1.
    fragmented_without_id: Receiver,
    /// The requests of the side that accepted the connection, if that is this one.
    pub(super) numbering: Numbering,
    /// The ids of the peer's requests that have no reply yet, for the side that opened the connection.
    served: HashSet<u32>,
    /// Where the peer listens, for the side that accepted the connection.
    pub(super) claims: Claims,
    /// Whether there were messages in the direction that is not the usual one, since that was last asked for.
    active: bool,
}

impl Splitter {
    /// That of a new connection; `peer` is the peer as the stream names it.
    pub(super) fn new(opened: bool, peer: &str) -> Self {
        Self {
            opened,
            head: Vec::new(),
            rest: (0, Receiver::Nobody),
            fragmented: Vec::new(),
            fragmented_without_id: Receiver::Nobody,
            numbering: Numbering::default(),
            served: HashSet::new(),
            claims: Claims::of(peer),
            active: false,
        }
    }

    /// Passes octets of the peer to `deliver`, with their receivers and whether they begin a request.
    ///
    /// # Errors
    /// The peer violates GIOP on a connection that this side opened, so that what follows has no receiver.
    pub(super) fn split(
        &mut self,
        mut octets: &[u8],
        deliver: &mut dyn FnMut(Receiver, bool, &[u8]),
    ) -> Result<(), ProtocolError> {
        match self.split_messages(&mut octets, deliver) {
            Err(_) if !self.opened => {
                // The server reports what violates GIOP, and ends the connection.
                deliver(Receiver::Server, false, &std::mem::take(&mut self.head));
                deliver(Receiver::Server, false, octets);
                self.rest = (usize::MAX, Receiver::Server);
                Ok(())
            }
            split => split,
        }
    }

    fn split_messages(
        &mut self,
        octets: &mut &[u8],
        deliver: &mut dyn FnMut(Receiver, bool, &[u8]),
    ) -> Result<(), ProtocolError> {
        while !octets.is_empty() {
            let (left, receiver) = self.rest;
            if left > 0 {
                let (now, later) = octets.split_at(left.min(octets.len()));
                deliver(receiver, false, now);
                self.rest.0 = left - now.len();
                *octets = later;
                continue;
            }
            let needed = self.needed()?;
            let missing = needed.saturating_sub(self.head.len());
            let (now, later) = octets.split_at(missing.min(octets.len()));
            self.head.extend_from_slice(now);
            *octets = later;
            // With the header, it is known how much more is needed.
            if now.len() == missing && self.needed()? == needed {
                let header = MessageHeader::parse_prefix(&self.head)?;
                let header = header.ok_or(ProtocolErrorKind::UnexpectedFragment)?;
                let receiver = self.begin(&header)?;
                deliver(receiver, is_request(header.kind), &self.head);
                self.rest = (header.total_size().saturating_sub(self.head.len()), receiver);
                self.head.clear();
            }
        }
        Ok(())
    }

    /// The number of octets that are needed to find the receiver of the current message.
    fn needed(&self) -> Result<usize, ProtocolError> {
        let Some(header) = MessageHeader::parse_prefix(&self.head)? else {
            return Ok(HEADER_SIZE);
        };
        let is_searched = header.kind == MessageKind::Request && !self.opened;
        let most = if is_searched { SEARCHED } else { HEAD };
        Ok(header.total_size().min(most))
    }

    /// Finds the receiver of the message that begins with `head`, and gives a reply the id that its client has chosen.
    fn begin(&mut self, header: &MessageHeader) -> Result<Receiver, ProtocolError> {
        let has_id = header.version >= GiopVersion::V1_2;
        let id = request_id(&self.head, header.order);
        let receiver = match header.kind {
            MessageKind::Request | MessageKind::LocateRequest => {
                self.begin_request(header, id)?;
                Receiver::Server
            }
            MessageKind::CancelRequest => {
                self.served.remove(&id);
                // No more fragments of the request follow.
                self.fragmented.retain(|(known, to)| *known != id || *to != Receiver::Server);
                Receiver::Server
            }
            MessageKind::Reply | MessageKind::LocateReply if self.opened => Receiver::Client(0),
            MessageKind::Reply | MessageKind::LocateReply => self.begin_reply(header, id),
            MessageKind::CloseConnection | MessageKind::MessageError => Receiver::All,
            MessageKind::Fragment => return self.receiver_of_fragment(header, id),
        };
        if header.more_fragments && !has_id {
            self.fragmented_without_id = receiver;
        } else if header.more_fragments {
            let is_known = self.fragmented.iter().any(|(known, _)| *known == id);
            if is_known || self.fragmented.len() >= MAX_FRAGMENTED {
                return Err(ProtocolErrorKind::UnexpectedFragment.into());
            }
            self.fragmented.push((id, receiver));
        }
        Ok(receiver)
    }

    fn begin_request(&mut self, header: &MessageHeader, id: u32) -> Result<(), ProtocolError> {
        if !self.opened {
            self.search(header);
            return Ok(());
        }
        if header.version < GiopVersion::V1_2 {
            // Before, only the side that opened the connection sends requests.
            return Err(ProtocolErrorKind::BadFrame("requests of this side need GIOP 1.2").into());
        }
        self.active = true;
        let flags = self.head.get(HEAD - 1).copied().unwrap_or_default();
        let has_reply = header.kind == MessageKind::LocateRequest || flags & 1 != 0;
        if has_reply && self.served.len() < MAX_SERVED {
            self.served.insert(id);
        }
        Ok(())
    }

    /// Notes the addresses at which the peer listens.
    fn search(&mut self, header: &MessageHeader) {
        if header.version < GiopVersion::V1_2 {
            return;
        }
        // The server reports what is malformed.
        let Ok((request, _)) = RequestHeader::read(&self.head, header) else { return };
        let Some(data) = request.service_contexts.find(ServiceId::BI_DIR_IIOP) else { return };
        if let Ok(points) = ListenPoints::decode(data) {
            self.claims.add(&points);
        }
    }

    fn begin_reply(&mut self, header: &MessageHeader, id: u32) -> Receiver {
        if header.version < GiopVersion::V1_2 {
            return Receiver::Nobody;
        }
        let Some((client, own)) = self.numbering.reply(id, !header.more_fragments) else {
            return Receiver::Nobody;
        };
        self.active = true;
        set_request_id(&mut self.head, header.order, own);
        Receiver::Client(client)
    }

    fn receiver_of_fragment(
        &mut self,
        header: &MessageHeader,
        id: u32,
    ) -> Result<Receiver, ProtocolError> {
        if header.version < GiopVersion::V1_2 {
            return Ok(self.fragmented_without_id);
        }
        let known = self.fragmented.iter().position(|(known, _)| *known == id);
        let known = known.and_then(|at| Some((at, self.fragmented.get(at)?.1)));
        let (at, receiver) = known.ok_or(ProtocolErrorKind::UnexpectedFragment)?;
        if !header.more_fragments {
            self.fragmented.swap_remove(at);
        }
        if self.opened || !matches!(receiver, Receiver::Client(_)) {
            return Ok(receiver);
        }
        let Some((_, own)) = self.numbering.reply(id, !header.more_fragments) else {
            return Ok(Receiver::Nobody);
        };
        set_request_id(&mut self.head, header.order, own);
        Ok(receiver)
    }

    /// Notes a message that the server of the side that opened the connection sends; `head` is its beginning.
    pub(super) fn served(&mut self, head: &[u8]) {
        let Ok(Some(header)) = MessageHeader::parse_prefix(head) else { return };
        if matches!(header.kind, MessageKind::Reply | MessageKind::LocateReply) {
            self.active = true;
            self.served.remove(&request_id(head, header.order));
        }
    }

    /// Whether the peer's requests are in progress, on the side that opened the connection.
    pub(super) fn serves(&self) -> bool {
        !self.served.is_empty()
    }

    /// Whether requests of the side that accepted the connection are in progress, or were since this was last asked.
    pub(super) fn is_used_otherwise(&mut self) -> bool {
        let was_active = std::mem::take(&mut self.active);
        was_active || self.serves() || self.numbering.is_busy()
    }
}

/// Whether a message is a request of the peer, not a part or the cancellation of one.
fn is_request(kind: MessageKind) -> bool {
    matches!(kind, MessageKind::Request | MessageKind::LocateRequest)
}

/// The request id of a message since GIOP 1.2; 0 if it has none.
#[cfg(test)]
pub(super) fn id_of(message: &[u8]) -> u32 {
    let order = if message[6] & 1 == 1 { ByteOrder::Little } else { ByteOrder::Big };
    request_id(message, order)
}
