//! The request ids of the side that accepted a bidirectional connection: its clients share the odd ones.

use std::collections::HashMap;

use zorb_cdr::{ByteOrder, Number};
use zorb_giop::{GiopVersion, MessageHeader, MessageKind, RequestIds};

/// The octets of a message up to the response flags of a request, since GIOP 1.2.
pub(super) const HEAD: usize = 17;

/// The maximum number of outstanding requests.
const MAX_REQUESTS: usize = 65_536;

/// What becomes of a message of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outgoing {
    Sent,
    /// The peer does not get it.
    Dropped,
    /// The connection does not carry it.
    Refused,
}

/// A request that has been sent.
#[derive(Clone, Copy, Debug)]
struct SentRequest {
    client: u32,
    /// The client's own id.
    id: u32,
    has_reply: bool,
}

/// The outstanding requests, by the ids that they have on the connection.
#[derive(Debug)]
pub(super) struct Numbering {
    ids: RequestIds,
    sent: HashMap<u32, SentRequest>,
    /// Their ids on the connection, by clients and the clients' own ids.
    by_client: HashMap<(u32, u32), u32>,
}

impl Default for Numbering {
    fn default() -> Self {
        Self { ids: RequestIds::acceptor(), sent: HashMap::new(), by_client: HashMap::new() }
    }
}

impl Numbering {
    /// Gives a message of a client the id that it has on the connection. `head` is its beginning.
    pub(super) fn outgoing(&mut self, client: u32, head: &mut [u8]) -> Outgoing {
        let Ok(Some(header)) = MessageHeader::parse_prefix(head) else { return Outgoing::Refused };
        if matches!(header.kind, MessageKind::CloseConnection | MessageKind::MessageError) {
            // The other clients, and the peer's requests, go on.
            return Outgoing::Dropped;
        }
        if header.version < GiopVersion::V1_2 || head.len() < HEAD - 1 {
            return Outgoing::Refused;
        }
        let own = request_id(head, header.order);
        let id = match header.kind {
            MessageKind::Request | MessageKind::LocateRequest => {
                let flags = head.get(HEAD - 1).copied().unwrap_or_default();
                let has_reply = header.kind == MessageKind::LocateRequest || flags & 1 != 0;
                let sent = SentRequest { client, id: own, has_reply };
                match self.begin(sent, header.more_fragments) {
                    Some(id) => id,
                    None => return Outgoing::Refused,
                }
            }
            kind => match self.by_client.get(&(client, own)).copied() {
                None => return Outgoing::Dropped,
                Some(id) => {
                    let is_over = match kind {
                        MessageKind::CancelRequest => true,
                        _ => !header.more_fragments && !self.has_reply(id),
                    };
                    if is_over {
                        self.remove(id);
                    }
                    id
                }
            },
        };
        set_request_id(head, header.order, id);
        Outgoing::Sent
    }

    fn begin(&mut self, request: SentRequest, has_fragments: bool) -> Option<u32> {
        if self.sent.len() >= MAX_REQUESTS {
            return None;
        }
        let Self { ids, sent, by_client } = self;
        let id = ids.allocate_free(|id| sent.contains_key(&id))?;
        if request.has_reply || has_fragments {
            sent.insert(id, request);
            by_client.insert((request.client, request.id), id);
        }
        Some(id)
    }

    fn has_reply(&self, id: u32) -> bool {
        self.sent.get(&id).is_some_and(|sent| sent.has_reply)
    }

    fn remove(&mut self, id: u32) {
        if let Some(sent) = self.sent.remove(&id) {
            self.by_client.remove(&(sent.client, sent.id));
        }
    }

    /// The client of the request with this id, and the client's own id; `None` if nobody waits for its reply.
    /// `is_end` is whether this is the end of the reply.
    pub(super) fn reply(&mut self, id: u32, is_end: bool) -> Option<(u32, u32)> {
        let SentRequest { client, id: own, .. } = self.sent.get(&id).copied()?;
        if is_end {
            self.remove(id);
        }
        Some((client, own))
    }

    /// Forgets the requests of a client that has gone.
    pub(super) fn forget(&mut self, client: u32) {
        self.sent.retain(|_, sent| sent.client != client);
        self.by_client.retain(|(known, _), _| *known != client);
    }

    /// Whether a request waits for its reply.
    pub(super) fn is_busy(&self) -> bool {
        self.sent.values().any(|sent| sent.has_reply)
    }
}

/// The request id of a message since GIOP 1.2; 0 if it has none.
pub(super) fn request_id(head: &[u8], order: ByteOrder) -> u32 {
    let octets = head.get(12..16).and_then(|octets| <[u8; 4]>::try_from(octets).ok());
    let octets = octets.unwrap_or_default();
    u32::from_octets(octets, order)
}

/// Changes the request id of a message since GIOP 1.2.
pub(super) fn set_request_id(head: &mut [u8], order: ByteOrder, id: u32) {
    if let Some(octets) = head.get_mut(12..16) {
        octets.copy_from_slice(&id.to_octets(order));
    }
}
