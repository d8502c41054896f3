//! A hostile client that knows GIOP: sessions of messages whose structure is valid except for injected faults. Random
//! changes are usually rejected with the header; these are not.

use std::collections::{BTreeMap, BTreeSet};

use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, LocateReplyHeader, LocateStatus, MessageHeader, MessageKind, MessageWriter,
    ProfileTag, ReplyStart, ReplyStatus, RequestStart, ResponseFlags, ServiceContext, ServiceId,
    TargetAddress, fragments,
};

use crate::mutation::Generator;
use crate::targets::server::OBJECT_KEY;

/// The octets that a client sends on a connection.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// All octets, after which the client sends no more.
    pub octets: Vec<u8>,
    /// Requests and LocateRequests in it, including those with faults.
    pub requests: usize,
    /// The ids that a server must answer once each.
    pub due: BTreeSet<u32>,
    /// The ids that it may answer once, since they have been canceled.
    pub canceled: BTreeSet<u32>,
}

/// The messages of a server.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// How often each id has been answered.
    pub ids: BTreeMap<u32, usize>,
    /// Other messages: CloseConnection and MessageError.
    pub others: usize,
}

/// Operations with the number of longs that make up their arguments, as far as they are longs.
const OPERATIONS: [(&str, usize); 10] = [
    ("add", 2),
    ("_get_level", 0),
    ("_set_level", 1),
    ("_non_existent", 0),
    ("_is_a", 1),
    ("back_octets", 1),
    ("back_text", 3),
    ("back_anything", 2),
    ("nobody_has_this", 0),
    ("", 0),
];

/// Numbers that lengths, ids and enumerators are replaced by.
const NUMBERS: [u32; 12] =
    [0, 1, 2, 7, 0xff, 0xffff, 64 << 20, (64 << 20) + 1, 0x7fff_ffff, 0x8000_0000, !1, !0];

/// A session without faults, and the answers that it must get: requests of all kinds in one version, to objects
/// that exist or not, with arguments that fit or not, in fragments that alternate with those of other requests.
#[must_use]
pub fn lawful(seed: u64) -> Session {
    let (_, session) = compose(&mut Generator::new(seed));
    session
}

/// A session with one to four faults, each in one field, message or fragment.
#[must_use]
pub fn hostile(seed: u64) -> Session {
    let mut random = Generator::new(seed);
    let (mut pieces, mut session) = compose(&mut random);
    for _ in 0..=random.below(4) {
        spoil(&mut pieces, &mut random);
    }
    // Cut in the middle of a message every now and then.
    session.octets = pieces.concat();
    if random.below(4) == 0 {
        session.octets.truncate(random.below(session.octets.len() + 1));
    }
    let kinds = pieces.iter().filter_map(|piece| piece.get(7));
    session.requests = kinds.filter(|kind| matches!(kind, 0 | 3)).count();
    session.due.clear();
    session
}

/// The messages or fragments of a session in the order of sending.
fn compose(random: &mut Generator) -> (Vec<Vec<u8>>, Session) {
    let version = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2, GiopVersion::V1_2];
    let version = version[random.below(4)];
    let mut session = Session::default();
    // Each of these is sent in its order, and pieces of several alternate.
    let mut queues: Vec<Vec<Vec<u8>>> = Vec::new();
    for number in 1..=1 + random.below(8) {
        let id = number as u32 * 2;
        let order = [ByteOrder::Little, ByteOrder::Big][random.below(2)];
        let mut message = Vec::new();
        if random.below(6) == 0 {
            locate(&mut message, version, order, id, random);
            session.due.insert(id);
        } else if request(&mut message, version, order, id, random).expects_reply() {
            session.due.insert(id);
        }
        session.requests += 1;
        let most = 24 + 8 * random.below(12);
        let mut pieces: Vec<_> = fragments(&message, most)
            .map(|piece| [piece.header(), piece.payload].concat())
            .collect();
        if random.below(5) == 0 {
            // A request that is canceled when it has been sent, or one that never was.
            let mut cancel = Vec::new();
            let canceled = if random.below(2) == 0 { id } else { id + 1 };
            MessageWriter::cancel_request(&mut cancel, version, order, canceled);
            pieces.push(cancel);
            if session.due.remove(&canceled) {
                session.canceled.insert(canceled);
            }
        }
        queues.push(pieces);
    }
    let mut pieces = Vec::new();
    while !queues.is_empty() {
        // Requests begin in the order of their ids; from then on their fragments alternate.
        let chosen = random.below(queues.len().min(3));
        let queue = &mut queues[chosen];
        pieces.push(queue.remove(0));
        if queue.is_empty() {
            queues.remove(chosen);
        }
    }
    session.octets = pieces.concat();
    (pieces, session)
}

/// The target of a request: the object, one that does not exist, or a profile without a known key.
fn target<'a>(version: GiopVersion, key: &'a [u8], random: &mut Generator) -> TargetAddress<'a> {
    match random.below(6) {
        0 => TargetAddress::Key(&key[..random.below(key.len() + 1)]),
        1 if version == GiopVersion::V1_2 => {
            TargetAddress::Profile { tag: ProfileTag(random.below(9) as u32), data: key }
        }
        _ => TargetAddress::Key(key),
    }
}

fn locate(
    message: &mut Vec<u8>,
    version: GiopVersion,
    order: ByteOrder,
    id: u32,
    random: &mut Generator,
) {
    let target = target(version, OBJECT_KEY, random);
    let writer = MessageWriter::locate_request(message, version, order, id, &target);
    writer.and_then(MessageWriter::finish).expect("a LocateRequest");
}

fn request(
    message: &mut Vec<u8>,
    version: GiopVersion,
    order: ByteOrder,
    id: u32,
    random: &mut Generator,
) -> ResponseFlags {
    let (operation, longs) = OPERATIONS[random.below(OPERATIONS.len())];
    let response = match random.below(6) {
        0 => ResponseFlags::NoResponse,
        1 => ResponseFlags::SyncWithServer,
        _ => ResponseFlags::SyncWithTarget,
    };
    let contexts: Vec<_> = (0..random.below(4)).map(|_| context(random)).collect();
    let start = RequestStart {
        request_id: id,
        response,
        target: target(version, OBJECT_KEY, random),
        operation,
        service_contexts: &contexts,
    };
    let mut writer = MessageWriter::request(message, version, order, &start).expect("a request");
    let mut body = writer.body(Default::default());
    let spare = if random.below(3) == 0 { random.below(40) } else { 0 };
    for _ in 0..longs + spare {
        body.write_u32(NUMBERS[random.below(NUMBERS.len())]);
    }
    writer.finish().expect("a request");
    response
}

/// A service context that nobody knows, or one that the ORB reads and that contains nothing useful.
fn context(random: &mut Generator) -> ServiceContext<'static> {
    let id = match random.below(3) {
        0 => ServiceId(random.below(20) as u32),
        1 => ServiceId(0x5a6f_0000 + random.below(16) as u32),
        _ => ServiceId(NUMBERS[random.below(NUMBERS.len())]),
    };
    let data: Vec<u8> = (0..random.below(24)).map(|_| random.below(256) as u8).collect();
    ServiceContext::new(id, data)
}

/// Injects one fault.
fn spoil(pieces: &mut Vec<Vec<u8>>, random: &mut Generator) {
    let at = random.below(pieces.len());
    let other = random.below(pieces.len());
    let Some(piece) = pieces.get_mut(at) else { return };
    match random.below(10) {
        // Fields of the message header: magic, version, flags, kind, size.
        0 => piece[random.below(8)] = random.below(256) as u8,
        1 => piece[6] ^= 1 << random.below(8),
        2 => piece[7] = random.below(9) as u8,
        3 => {
            let size = (piece.len() - 12) as u32;
            let sizes = [size.wrapping_sub(1), size + 1, size + 4, 0, 4, NUMBERS[random.below(12)]];
            put(piece, 8, sizes[random.below(sizes.len())]);
        }
        // A length, an id or an enumerator: they are aligned.
        4 | 5 => {
            let words = (piece.len() - 12) / 4;
            let at = 12 + 4 * random.below(words);
            let rest = piece.len().saturating_sub(at + 4) as u32;
            let values = [rest, rest + 1, rest.wrapping_sub(1), NUMBERS[random.below(12)]];
            put(piece, at, values[random.below(values.len())]);
        }
        6 => piece.truncate(12 + random.below(piece.len() - 12)),
        7 => pieces.swap(at, other),
        8 => {
            let again = piece.clone();
            pieces.insert(other, again);
        }
        _ => pieces.insert(at, unexpected(random)),
    }
}

/// Writes a number in the byte order that the message claims.
fn put(piece: &mut [u8], at: usize, value: u32) {
    let octets = if piece[6] & 1 == 1 { value.to_le_bytes() } else { value.to_be_bytes() };
    if let Some(place) = piece.get_mut(at..at + 4) {
        place.copy_from_slice(&octets);
    }
}

/// A message that a client does not send, or not now.
fn unexpected(random: &mut Generator) -> Vec<u8> {
    let (version, order) = (GiopVersion::V1_2, ByteOrder::Little);
    let id = 2 * random.below(10) as u32;
    let mut octets = Vec::new();
    match random.below(6) {
        0 => {
            let status = ReplyStatus::NoException;
            let reply = MessageWriter::reply(&mut octets, version, order, id, status, &[]);
            reply.and_then(MessageWriter::finish).expect("a reply");
        }
        1 => {
            let status = LocateStatus::ObjectHere;
            let reply = MessageWriter::locate_reply(&mut octets, version, order, id, status);
            reply.and_then(MessageWriter::finish).expect("a reply");
        }
        2 => MessageWriter::close_connection(&mut octets, version, order),
        3 => MessageWriter::message_error(&mut octets, order),
        // Fragments of a message that never began, the last one or not.
        more => {
            let header = MessageHeader {
                version,
                order,
                more_fragments: more == 4,
                kind: MessageKind::Fragment,
                size: 12,
            };
            octets.extend_from_slice(&header.to_octets());
            octets.extend_from_slice(&id.to_le_bytes());
            octets.extend_from_slice(&[0; 8]);
        }
    }
    octets
}

/// Reads all that a server sent.
///
/// # Panics
/// If they are not whole messages that a server may send.
#[must_use]
pub fn read(mut octets: &[u8]) -> Answers {
    let mut answers = Answers::default();
    while !octets.is_empty() {
        let header = MessageHeader::parse_prefix(octets).expect("a header").expect("all of it");
        let message = octets.get(..header.total_size()).expect("a whole message");
        octets = &octets[message.len()..];
        let id = match header.kind {
            MessageKind::Reply => ReplyStart::read(message, &header).expect("a reply").request_id,
            MessageKind::LocateReply => {
                LocateReplyHeader::read(message, &header).expect("a reply").0.request_id
            }
            MessageKind::CloseConnection | MessageKind::MessageError => {
                answers.others += 1;
                continue;
            }
            kind => panic!("a server sends {kind:?}"),
        };
        *answers.ids.entry(id).or_default() += 1;
    }
    answers
}
