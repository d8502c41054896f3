//! The direction from the client to the server.

use zorb_cdr::{ByteOrder, CdrResult};
use zorb_giop::{
    CodeSetComponentInfo, CodeSetContext, CodeSetId, GiopVersion, Inbound, MessageFormat,
    MessageHeader, MessageKind, MessageWriter, RequestStart,
};
use zorb_types::CompletionStatus;

use super::{MessageHandler, message_error, refusal, tells_order};
use crate::relay::Ending;
use crate::requests::Requests;

/// The handler of the direction from the client.
#[derive(Debug)]
pub(crate) struct ConvertedRequests<'l> {
    requests: Requests<'l>,
    /// The message form of the server's connection.
    form: MessageFormat<'static>,
    /// The service contexts of the first request to the server.
    code_sets: Option<CodeSetContext>,
    outgoing: Vec<u8>,
}

impl<'l> ConvertedRequests<'l> {
    pub(crate) fn new(requests: Requests<'l>) -> Self {
        let target = &requests.link.context.target;
        // GIOP 1.2 arguments always start at a multiple of eight.
        let form = target.framing.form(target.version.min(GiopVersion::V1_1));
        let mut sets = target.components.iter();
        let sets = sets.find_map(|known| known.body::<CodeSetComponentInfo>().ok().flatten());
        let sends_code_sets =
            target.framing.0.is_none() && sets.is_some_and(|sets| takes_utf_8(&sets));
        // Wide text has another encoding in GIOP 1.1: without a code set for it, it is rejected.
        let code_sets = CodeSetContext { char_data: CodeSetId::UTF_8, wchar_data: CodeSetId::NONE };
        let code_sets = sends_code_sets.then_some(code_sets);
        Self { requests, form, code_sets, outgoing: Vec::new() }
    }

    fn handle_request(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        fragment_starts: &[u32],
    ) -> Result<(), Ending> {
        let link = self.requests.link;
        let form = link.framing.form(header.version);
        let (request, arguments) = form.read_request(message, header).map_err(Ending::Broken)?;
        link.record_version(header.version);
        let (id, wanted) = (request.request_id, request.response.expects_reply());
        let counts = &link.from_client;
        let mut outcome = self.requests.find(&request.target);
        if outcome.is_ok() {
            let contexts = self.code_sets.map(|sets| sets.service_context(header.order));
            let start = RequestStart {
                request_id: id,
                response: request.response,
                target: request.target,
                operation: &request.operation,
                service_contexts: contexts.as_slice(),
            };
            let (offset, len) = (arguments.offset(), arguments.rest().len());
            let written = self.write_request(header.order, &start, offset, len, fragment_starts);
            outcome = written.map_err(|error| refusal(&error, CompletionStatus::No));
        }
        if let Err(refusal) = outcome {
            counts.refused.add(1);
            return self.requests.refuse(header, id, wanted, refusal);
        }
        self.code_sets = None;
        counts.messages.add(1);
        counts.awaited.add(u64::from(wanted));
        self.send(arguments.rest())
    }

    /// Encodes the header; `len` octets of arguments, `offset` octets into the message, follow from the
    /// message itself.
    fn write_request(
        &mut self,
        order: ByteOrder,
        start: &RequestStart<'_>,
        offset: usize,
        len: usize,
        fragment_starts: &[u32],
    ) -> CdrResult<()> {
        let message = match len {
            0 => self.form.request(&mut self.outgoing, order, start)?,
            _ => {
                let phase = (offset % 8) as u8;
                self.form.request_before(&mut self.outgoing, order, start, phase)?
            }
        };
        if !tells_order(self.form, order) || !fragment_starts.is_empty() {
            return Err(message_error("arguments that cannot be forwarded without decoding"));
        }
        message.finish_before(len)
    }

    fn handle_locate_request(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
    ) -> Result<(), Ending> {
        let link = self.requests.link;
        let form = link.framing.form(header.version);
        let request = form.read_locate_request(message, header).map_err(Ending::Broken)?;
        link.record_version(header.version);
        let mut outcome = self.requests.find(&request.target);
        if outcome.is_ok() {
            let (id, target) = (request.request_id, &request.target);
            let written = self
                .form
                .locate_request(&mut self.outgoing, ByteOrder::NATIVE, id, target)
                .and_then(MessageWriter::finish);
            outcome = written.map_err(|error| refusal(&error, CompletionStatus::No));
        }
        if let Err(refusal) = outcome {
            link.from_client.refused.add(1);
            return self.requests.refuse(header, request.request_id, true, refusal);
        }
        link.from_client.messages.add(1);
        link.from_client.awaited.add(1);
        self.send(&[])
    }

    /// Sends the encoded header, and the arguments without copying them.
    fn send(&self, arguments: &[u8]) -> Result<(), Ending> {
        let Some(target) = &self.requests.target else { return Ok(()) };
        super::send(&**target, &self.outgoing, arguments).map_err(Ending::SendFailed)?;
        let octets = self.outgoing.len() + arguments.len();
        self.requests.link.from_client.octets.add(octets as u64);
        Ok(())
    }
}

impl MessageHandler for ConvertedRequests<'_> {
    fn handle(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        fragment_starts: &[u32],
    ) -> Result<(), Ending> {
        let order = ByteOrder::NATIVE;
        match header.kind {
            MessageKind::Request => self.handle_request(header, message, fragment_starts),
            MessageKind::LocateRequest => self.handle_locate_request(header, message),
            MessageKind::CancelRequest => {
                let form = self.requests.link.framing.form(header.version);
                let cancel = form.read_cancel_request(message, header).map_err(Ending::Broken)?;
                self.form.cancel_request(&mut self.outgoing, order, cancel.request_id);
                self.send(&[])
            }
            MessageKind::CloseConnection => {
                // In GIOP 1.1 clients close the stream without a message.
                Err(Ending::End)
            }
            MessageKind::MessageError => {
                self.form.message_error(&mut self.outgoing, order);
                self.send(&[])?;
                Err(Ending::Last)
            }
            // Only GIOP has callbacks over the same connection.
            MessageKind::Reply | MessageKind::LocateReply | MessageKind::Fragment => Ok(()),
        }
    }

    fn about_to_wait(&mut self, inbound: &Inbound) {
        self.requests.awaited.about_to_wait_for(inbound);
    }

    fn message_complete(&mut self, inbound: &Inbound) {
        self.requests.awaited.message_complete(inbound.oldest_fragmented());
    }

    fn keeps_waiting(&self) -> bool {
        self.requests.link.has_pending_replies()
    }
}

fn takes_utf_8(sets: &CodeSetComponentInfo) -> bool {
    let set = CodeSetId::UTF_8;
    sets.for_char.native == set || sets.for_char.conversions.contains(&set)
}
