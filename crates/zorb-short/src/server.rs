//! The server's side: the meaning of the indexes.

use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::{
    Abbreviation, Destination, Expanded, Frame, MessageHeader, MessageKind, Messaging,
    OperationName, ProtocolError, ProtocolErrorKind, ReplyHeader, ReplyStatus, RequestHeader,
    RequestStart, ServerMessagingState, ServiceContexts, TargetAddress,
};

use crate::format::{
    Beginning, HEADER_SIZE, HOW_AT, INDEX_AT, bad_header, begin_reading, introduces, is_by_index,
    read_request, response, word,
};
use crate::{INDEXES, MAX_PAIR};

/// Octets of a request by an index up to its arguments.
const BY_INDEX: usize = 10;

/// The pairs introduced on a connection.
#[derive(Debug, Default)]
pub(crate) struct IntroducedPairs<M> {
    /// By index; empty until the first introduction.
    pairs: Vec<Option<Arc<Pair<M>>>>,
    messaging: M,
}

/// An object and an operation, with cached demultiplexing, and the messaging protocol that reads
/// requests with their index.
#[derive(Debug)]
struct Pair<M> {
    destination: Destination,
    messaging: M,
}

impl<M: Messaging + Copy + 'static> ServerMessagingState for IntroducedPairs<M> {
    fn expand(
        &mut self,
        message: &[u8],
        header: &MessageHeader,
    ) -> Result<Expanded, ProtocolError> {
        let (Some(how), Some(index)) = (message.get(HOW_AT), message.get(INDEX_AT)) else {
            // Reading it reports the error.
            return Ok(Expanded::InFull);
        };
        let index = usize::from(*index);
        if introduces(*how) {
            self.learn(index, message, header);
            return Ok(Expanded::InFull);
        }
        if !is_by_index(*how) {
            return Ok(Expanded::InFull);
        }
        if let Some(Some(pair)) = self.pairs.get(index) {
            return Ok(Expanded::By(Arc::clone(pair) as Arc<dyn Messaging>));
        }
        let mut reader = CdrReader::new(message, header.order);
        match reader.take(HEADER_SIZE.into(), "header").and_then(|_| Beginning::read(&mut reader)) {
            Ok(Beginning { request_id, response, .. }) if response.expects_reply() => {
                Ok(Expanded::Unknown { request_id })
            }
            _ => Err(ProtocolErrorKind::BadFrame("an index that was not introduced").into()),
        }
    }
}

impl<M: Messaging + Copy + 'static> IntroducedPairs<M> {
    /// Assigns `index` to the object and operation of `message`, if they can be read and are not
    /// too long.
    fn learn(&mut self, index: usize, message: &[u8], header: &MessageHeader) {
        let mut reader = CdrReader::new(message, header.order);
        let read = reader.take(HEADER_SIZE.into(), "header");
        let pair = match read.and_then(|_| read_request(&mut reader)) {
            Ok(RequestHeader { target: TargetAddress::Key(key), operation, .. })
                if key.len().saturating_add(operation.len()) <= MAX_PAIR =>
            {
                let destination = Destination::new(key, operation.as_str());
                Some(Arc::new(Pair { destination, messaging: self.messaging }))
            }
            _ => None,
        };
        if self.pairs.is_empty() {
            // All at once, so that the allocations of a request do not depend on the index.
            self.pairs.resize(INDEXES, None);
        }
        if let Some(entry) = self.pairs.get_mut(index) {
            *entry = pair;
        }
    }
}

/// A messaging protocol that differs only in reading a request.
impl<M: Messaging + Copy + 'static> Messaging for Pair<M> {
    fn name(&self) -> &'static str {
        self.messaging.name()
    }

    fn header_size(&self) -> u8 {
        HEADER_SIZE
    }

    fn max_size(&self) -> u32 {
        self.messaging.max_size()
    }

    fn read_header(&self, octets: &[u8]) -> Result<Frame, ProtocolErrorKind> {
        self.messaging.read_header(octets)
    }

    fn write_header(&self, frame: Frame, octets: &mut [u8]) {
        self.messaging.write_header(frame, octets);
    }

    fn write_request(&self, start: &RequestStart<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.messaging.write_request(start, writer)
    }

    fn read_request<'a>(&'a self, reader: &mut CdrReader<'a>) -> CdrResult<RequestHeader<'a>> {
        let Beginning { request_id, response, abbreviation: Abbreviation::Index(_) } =
            Beginning::read(reader)?
        else {
            return Err(reader.error(CdrErrorKind::BadEnum, "a request without an index"));
        };
        Ok(RequestHeader {
            request_id,
            response,
            target: TargetAddress::Key(self.destination.key()),
            operation: OperationName::from(&self.destination),
            service_contexts: ServiceContexts::NONE,
        })
    }

    fn read_whole_request<'a>(
        &'a self,
        request: &mut RequestHeader<'a>,
        reader: &mut CdrReader<'a>,
        header: &MessageHeader,
    ) -> Result<(), ProtocolError> {
        let message = reader.rest();
        let whole = usize::from(HEADER_SIZE).saturating_add(header.size as usize);
        if let Some([_, _, _, _, id @ .., how, _]) = message.first_chunk::<BY_INDEX>()
            && header.kind == MessageKind::Request
            && message.len() == whole
            && is_by_index(*how)
            && let Some(response) = response(*how)
            && reader.take(BY_INDEX, "request header").is_ok()
        {
            request.request_id = word(header.order, id);
            request.response = response;
            request.target = TargetAddress::Key(self.destination.key());
            request.operation = OperationName::from(&self.destination);
            return Ok(());
        }
        let kind = MessageKind::Request;
        *reader = begin_reading(message, header, kind)?;
        *request = self.read_request(reader).map_err(|cause| bad_header(kind, cause))?;
        Ok(())
    }

    fn begin_reply(
        &self,
        buffer: &mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<()> {
        self.messaging.begin_reply(buffer, order, request_id, status)
    }

    fn write_reply(
        &self,
        request_id: u32,
        status: ReplyStatus,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<()> {
        self.messaging.write_reply(request_id, status, writer)
    }

    fn read_reply<'a>(&self, reader: &mut CdrReader<'a>) -> CdrResult<ReplyHeader<'a>> {
        self.messaging.read_reply(reader)
    }
}
