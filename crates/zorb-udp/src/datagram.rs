//! The classification of datagrams.

use std::net::SocketAddr;
use std::sync::Arc;

use zorb_giop::{GiopVersion, MessageFormat, MessageKind, ResponseFlags};

use crate::counters::Counters;
use crate::server::Unpack;

/// The maximum size of a message in octets: the contents of an IPv4 datagram.
pub const MAX_DATAGRAM: usize = 65_507;

/// The classification of a datagram. Datagrams may come from anybody, so all except requests are
/// dropped, at no more than the cost of reading a request's header, and without allocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datagram {
    /// A whole Request that expects no reply.
    Request,
    /// It does not start with a GIOP header.
    NoMessage,
    /// The size in the header differs from the datagram's: it is truncated, a fragment, or several
    /// messages.
    WrongLength,
    /// A message of another kind.
    NotARequest,
    /// A request that expects a reply, which is not possible.
    AwaitsAnswer,
    /// The header of the request is malformed.
    Malformed,
}

/// The counter of requests for which there was no memory.
const NO_MEMORY: &str = "no memory";

/// The names of the counters.
pub(crate) const NAMES: [&str; 7] = [
    Datagram::Request.name(),
    Datagram::NoMessage.name(),
    Datagram::WrongLength.name(),
    Datagram::NotARequest.name(),
    Datagram::AwaitsAnswer.name(),
    Datagram::Malformed.name(),
    NO_MEMORY,
];

impl Datagram {
    /// Classifies the octets as GIOP.
    #[must_use]
    pub fn classify(octets: &[u8]) -> Self {
        Self::classify_as(MessageFormat::Giop(GiopVersion::HIGHEST), octets)
    }

    /// Classifies the octets as messages of another form.
    #[must_use]
    pub fn classify_as(form: MessageFormat<'_>, octets: &[u8]) -> Self {
        let Ok(Some((header, size))) = form.read_header(octets) else {
            return Self::NoMessage;
        };
        if header.kind != MessageKind::Request {
            return Self::NotARequest;
        }
        if header.more_fragments || size != octets.len() {
            return Self::WrongLength;
        }
        match form.read_request(octets, &header) {
            Ok((request, _)) if request.response == ResponseFlags::NoResponse => Self::Request,
            Ok(_) => Self::AwaitsAnswer,
            Err(_) => Self::Malformed,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Request => "requests",
            Self::NoMessage => "no message",
            Self::WrongLength => "wrong length",
            Self::NotARequest => "not a request",
            Self::AwaitsAnswer => "awaits an answer",
            Self::Malformed => "malformed",
        }
    }
}

/// Datagrams with one request each.
#[derive(Debug)]
pub(crate) struct Requests {
    counters: Arc<Counters>,
    form: MessageFormat<'static>,
    request: Vec<u8>,
}

impl Requests {
    pub(crate) fn new(counters: &Arc<Counters>, form: MessageFormat<'static>) -> Self {
        Self { counters: Arc::clone(counters), form, request: Vec::new() }
    }
}

impl Unpack for Requests {
    fn take(&mut self, datagram: &[u8], _: SocketAddr) {
        let kind = Datagram::classify_as(self.form, datagram);
        // Without memory it is lost, as any datagram may be.
        if kind == Datagram::Request && self.request.try_reserve_exact(datagram.len()).is_err() {
            self.counters.count(NO_MEMORY);
            return;
        }
        self.counters.count(kind.name());
        if kind == Datagram::Request {
            self.request.extend_from_slice(datagram);
        }
    }

    fn next(&mut self, message: &mut Vec<u8>) -> bool {
        message.clear();
        std::mem::swap(message, &mut self.request);
        !message.is_empty()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use zorb_cdr::{ByteOrder, TextCoding};
    use zorb_giop::{MessageWriter, RequestStart, TargetAddress};

    use super::*;

    fn request(response: ResponseFlags) -> Vec<u8> {
        let start = RequestStart {
            request_id: 1,
            response,
            target: TargetAddress::Key(b"key"),
            operation: "post",
            service_contexts: &[],
        };
        let mut octets = Vec::new();
        let version = GiopVersion::V1_2;
        let mut message =
            MessageWriter::request(&mut octets, version, ByteOrder::NATIVE, &start).unwrap();
        message.body(TextCoding::default()).write_u32(7);
        message.finish().unwrap();
        octets
    }

    #[test]
    fn a_complete_oneway_request_is_accepted() {
        let whole = request(ResponseFlags::NoResponse);
        assert_eq!(Datagram::classify(&whole), Datagram::Request);
        for cut in 12..whole.len() {
            assert_eq!(Datagram::classify(&whole[..cut]), Datagram::WrongLength, "{cut}");
        }
        for cut in 0..12 {
            assert_eq!(Datagram::classify(&whole[..cut]), Datagram::NoMessage, "{cut}");
        }
        assert_eq!(Datagram::classify(&whole.repeat(2)), Datagram::WrongLength);
        for waits in [ResponseFlags::SyncWithServer, ResponseFlags::SyncWithTarget] {
            assert_eq!(Datagram::classify(&request(waits)), Datagram::AwaitsAnswer);
        }
    }

    #[test]
    fn anything_else_is_not() {
        assert_eq!(Datagram::classify(b"GIOP\x01\x02\x01\x05\0\0\0\0"), Datagram::NotARequest);
        assert_eq!(Datagram::classify(b"GIOP\x01\x02\x02\0\0\0\0\x08"), Datagram::WrongLength);
        assert_eq!(Datagram::classify(&[0xff; 2000]), Datagram::NoMessage);
        let mut bad = request(ResponseFlags::NoResponse);
        // The length of the key.
        bad[24..28].fill(0xff);
        assert_eq!(Datagram::classify(&bad), Datagram::Malformed);
    }
}
