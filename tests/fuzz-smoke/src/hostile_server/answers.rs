//! The answers of the hostile server.

use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, Ior, LocateRequestHeader, LocateStatus, MessageHeader, MessageKind, MessageWriter,
    ReplyStatus, RequestHeader, ServiceContext, ServiceId, fragments,
};

use super::VERSIONS;
use crate::mutation::Generator;

/// The longest list of messages that answers one request.
const MAX_ANSWERS: usize = 4;

/// What a client waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    references: &'a [Ior; VERSIONS.len()],
    id: u32,
    version: GiopVersion,
    order: ByteOrder,
    is_locate: bool,
}

impl<'a> Asked<'a> {
    /// What the message asks for, if it is a request.
    pub(super) fn by(
        message: &[u8],
        header: &MessageHeader,
        references: &'a [Ior; VERSIONS.len()],
    ) -> Option<Self> {
        let (version, order) = (header.version, header.order);
        let (id, is_locate) = match header.kind {
            MessageKind::Request => {
                let (request, _) = RequestHeader::read(message, header).expect("a request");
                (request.request_id, false)
            }
            MessageKind::LocateRequest => {
                let request = LocateRequestHeader::read(message, header).expect("a request");
                (request.request_id, true)
            }
            _ => return None,
        };
        Some(Self { references, id, version, order, is_locate })
    }

    /// Returns the answer, and whether the connection stays open. It closes after anything but a good reply: a client
    /// without a time limit would wait for the rest of a message.
    pub(super) fn answer(self, random: &mut Generator) -> (Vec<u8>, bool) {
        let mut octets = Vec::new();
        for _ in 0..random.below(MAX_ANSWERS) {
            octets.extend(self.message(random));
        }
        let lives = octets.is_empty();
        if lives {
            octets.extend(match self.is_locate {
                true => self.locate_reply(LocateStatus::ObjectHere, &[]),
                false => self.reply(ReplyStatus::NoException, &[], &RESULT.to_ne_bytes()),
            });
        }
        (octets, lives)
    }

    fn reply(self, status: ReplyStatus, contexts: &[ServiceContext<'_>], body: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        let (version, order) = (self.version, self.order);
        let reply = MessageWriter::reply(&mut octets, version, order, self.id, status, contexts);
        let mut reply = reply.expect("a reply");
        reply.body(Default::default()).put(body);
        reply.finish().expect("a reply");
        octets
    }

    fn locate_reply(self, status: LocateStatus, body: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        let (version, order) = (self.version, self.order);
        let reply = MessageWriter::locate_reply(&mut octets, version, order, self.id, status);
        let mut reply = reply.expect("a reply");
        reply.body(Default::default()).put(body);
        reply.finish().expect("a reply");
        octets
    }

    /// A good reply of any status that the version has, and for either question.
    fn any_reply(self, random: &mut Generator) -> Vec<u8> {
        let statuses = |before: usize, all: usize| match self.version {
            GiopVersion::V1_2 => all,
            _ => before,
        };
        // Now and then the answer to the other question.
        if self.is_locate != (random.below(16) == 0) {
            let all = [
                LocateStatus::UnknownObject,
                LocateStatus::ObjectHere,
                LocateStatus::ObjectForward,
                LocateStatus::ObjectForwardPerm,
                LocateStatus::LocSystemException,
                LocateStatus::LocNeedsAddressingMode,
            ];
            let status = all[random.below(statuses(3, all.len()))];
            let like = match status {
                LocateStatus::ObjectForward => ReplyStatus::LocationForward,
                LocateStatus::ObjectForwardPerm => ReplyStatus::LocationForwardPerm,
                LocateStatus::LocSystemException => ReplyStatus::SystemException,
                LocateStatus::LocNeedsAddressingMode => ReplyStatus::NeedsAddressingMode,
                _ => return self.locate_reply(status, &[]),
            };
            return self.locate_reply(status, &self.body(like, random));
        }
        let all = [
            ReplyStatus::NoException,
            ReplyStatus::UserException,
            ReplyStatus::SystemException,
            ReplyStatus::LocationForward,
            ReplyStatus::LocationForwardPerm,
            ReplyStatus::NeedsAddressingMode,
        ];
        let status = all[random.below(statuses(4, all.len()))];
        let contexts = contexts(random);
        self.reply(status, &contexts, &self.body(status, random))
    }

    /// One message of a hostile answer.
    fn message(mut self, random: &mut Generator) -> Vec<u8> {
        if random.below(4) == 0 {
            // That of the next request or an earlier one, or of none.
            let bits = [4, 32][random.below(2)];
            self.id ^= 1 << random.below(bits);
        }
        // Or in another version than the request.
        if random.below(16) == 0 {
            self.version = VERSIONS[random.below(VERSIONS.len())];
        }
        let mut octets = self.any_reply(random);
        match random.below(8) {
            // An enumerator, a length or an id is wrong.
            0 | 1 => {
                let at = 12 + 4 * random.below((octets.len() - 12) / 4);
                let value = [0, 1, 0xff, 0x7fff_ffff, u32::MAX][random.below(5)];
                octets[at..at + 4].copy_from_slice(&value.to_ne_bytes());
            }
            2 => octets[random.below(12)] ^= 1 << random.below(8),
            3 => octets.truncate(random.below(octets.len())),
            4 => {
                let pieces: Vec<_> = fragments(&octets, 24)
                    .map(|piece| [piece.header(), piece.payload].concat())
                    .collect();
                let keep = random.below(pieces.len() + 1);
                return pieces.into_iter().take(keep).flatten().collect();
            }
            5 => {
                octets.clear();
                let (version, order) = (self.version, self.order);
                match random.below(3) {
                    0 => MessageWriter::close_connection(&mut octets, version, order),
                    1 => MessageWriter::message_error(&mut octets, order),
                    _ => MessageWriter::cancel_request(&mut octets, version, order, self.id),
                }
            }
            _ => {}
        }
        octets
    }

    /// A body for the status: what the standard asks for, or not all of it.
    fn body(self, status: ReplyStatus, random: &mut Generator) -> Vec<u8> {
        let mut body = match status {
            ReplyStatus::NoException => RESULT.to_ne_bytes().to_vec(),
            ReplyStatus::UserException => {
                let ids = ["Empty", "Refused", "Nobody"];
                string(&format!("IDL:fuzz.zorb/Fuzz/{}:1.0", ids[random.below(ids.len())]))
            }
            ReplyStatus::SystemException => {
                let mut body = string("IDL:omg.org/CORBA/TRANSIENT:1.0");
                body.extend_from_slice(&(random.below(4) as u32).to_ne_bytes());
                body.extend_from_slice(&(random.below(5) as u32).to_ne_bytes());
                body
            }
            ReplyStatus::NeedsAddressingMode => (random.below(5) as u16).to_ne_bytes().to_vec(),
            // To this server again.
            _ => {
                let ior = &self.references[random.below(VERSIONS.len())];
                let mut body = string(&ior.type_id);
                body.extend_from_slice(&(ior.profiles.len() as u32).to_ne_bytes());
                for profile in &ior.profiles {
                    body.extend_from_slice(&profile.tag.0.to_ne_bytes());
                    body.extend_from_slice(&(profile.data.len() as u32).to_ne_bytes());
                    body.extend_from_slice(&profile.data);
                }
                body
            }
        };
        if random.below(4) == 0 {
            body.truncate(random.below(body.len() + 1));
        }
        body
    }
}

/// The sum that the client asks for.
pub(super) const RESULT: u32 = 5;

/// The service contexts of a reply. At most one of them is valid in a reply.
fn contexts(random: &mut Generator) -> Vec<ServiceContext<'static>> {
    let ids = [
        ServiceId::CODE_SETS,
        ServiceId::BI_DIR_IIOP,
        ServiceId::RT_CORBA_PRIORITY,
        ServiceId::EXCEPTION_DETAIL_MESSAGE,
        ServiceId(u32::MAX),
    ];
    (0..random.below(4))
        .map(|_| {
            let data = match random.below(3) {
                // Two code sets. Their numbers may be unknown.
                0 => {
                    [&[1, 0, 0, 0][..], &[1, 0, 1, 5], &[9, 1, 1, random.below(256) as u8]].concat()
                }
                1 => vec![random.below(256) as u8; random.below(12)],
                _ => Vec::new(),
            };
            ServiceContext { id: ids[random.below(ids.len())], data: data.into() }
        })
        .collect()
}

/// A string of CDR, padded for a ulong behind it.
fn string(text: &str) -> Vec<u8> {
    let mut octets = (text.len() as u32 + 1).to_ne_bytes().to_vec();
    octets.extend_from_slice(text.as_bytes());
    octets.push(0);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}
