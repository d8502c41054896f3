//! From the client to the server.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrResult};
use zorb_giop::{
    CodeSetComponentInfo, CodeSetContext, CodeSetId, Form, GiopVersion, MessageHeader, MessageKind,
    MessageWriter, RequestStart,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::Turn;
use crate::beginning::Refusal;
use crate::relay::Ending;
use crate::requests::Requests;

/// The direction from the client.
#[derive(Debug)]
pub(crate) struct ConvertedRequests<'l> {
    requests: Requests<'l>,
    /// What the server is written to in.
    form: Form<'static>,
    /// What the first request has to tell the server.
    code_sets: Option<CodeSetContext>,
    outgoing: Vec<u8>,
}

impl<'l> ConvertedRequests<'l> {
    pub(crate) fn new(requests: Requests<'l>) -> Self {
        let target = &requests.link.shared.target;
        // GIOP 1.2 has no room to align arguments other than at eight.
        let form = target.framing.form(target.version.min(GiopVersion::V1_1));
        let mut sets = target.components.iter();
        let sets = sets.find_map(|known| known.body::<CodeSetComponentInfo>().ok().flatten());
        let is_told = target.framing.0.is_none() && sets.is_some_and(|sets| takes_utf_8(&sets));
        // Wide text is written otherwise in GIOP 1.1: without a code set for it, it is refused.
        let code_sets = CodeSetContext { char_data: CodeSetId::UTF_8, wchar_data: CodeSetId::NONE };
        let code_sets = is_told.then_some(code_sets);
        Self { requests, form, code_sets, outgoing: Vec::new() }
    }

    fn turn_request(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        seams: &[u32],
    ) -> Result<(), Ending> {
        let link = self.requests.link;
        let form = link.framing.form(header.version);
        let (request, arguments) = form.read_request(message, header).map_err(Ending::Broken)?;
        link.note_version(header.version);
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
            let place = (arguments.offset(), arguments.rest().len());
            let written = self.write_request(header.order, &start, place, seams);
            outcome = written.map_err(|_| cannot());
        }
        if let Err(refusal) = outcome {
            counts.refused.add(1);
            return self.requests.refuse(header, (id, wanted), refusal);
        }
        self.code_sets = None;
        counts.messages.add(1);
        counts.awaited.add(u64::from(wanted));
        self.send(arguments.rest())
    }

    /// Writes all that comes before the arguments, which lie there in the message.
    fn write_request(
        &mut self,
        order: ByteOrder,
        start: &RequestStart<'_>,
        (offset, len): (usize, usize),
        seams: &[u32],
    ) -> CdrResult<()> {
        let message = match len {
            0 => self.form.request(&mut self.outgoing, order, start)?,
            _ => {
                let phase = (offset % 8) as u8;
                self.form.request_before(&mut self.outgoing, order, start, phase)?
            }
        };
        if !tells_order(self.form, order) || !seams.is_empty() {
            return Err(message_error("arguments that cannot be passed on unread"));
        }
        message.finish_before(len)
    }

    fn turn_locate_request(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
    ) -> Result<(), Ending> {
        let link = self.requests.link;
        let form = link.framing.form(header.version);
        let request = form.read_locate_request(message, header).map_err(Ending::Broken)?;
        link.note_version(header.version);
        let mut outcome = self.requests.find(&request.target);
        if outcome.is_ok() {
            let (id, target) = (request.request_id, &request.target);
            let written = self
                .form
                .locate_request(&mut self.outgoing, ByteOrder::NATIVE, id, target)
                .and_then(MessageWriter::finish);
            outcome = written.map_err(|_| cannot());
        }
        if let Err(refusal) = outcome {
            link.from_client.refused.add(1);
            return self.requests.refuse(header, (request.request_id, true), refusal);
        }
        link.from_client.messages.add(1);
        link.from_client.awaited.add(1);
        self.send(&[])
    }

    /// Sends what is written, and the arguments from where they lie.
    fn send(&self, arguments: &[u8]) -> Result<(), Ending> {
        let Some(target) = &self.requests.target else { return Ok(()) };
        super::send(&**target, &self.outgoing, arguments).map_err(Ending::NotTaken)?;
        let octets = self.outgoing.len() + arguments.len();
        self.requests.link.from_client.octets.add(octets as u64);
        Ok(())
    }
}

impl Turn for ConvertedRequests<'_> {
    fn turn(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        seams: &[u32],
    ) -> Result<(), Ending> {
        let order = ByteOrder::NATIVE;
        match header.kind {
            MessageKind::Request => self.turn_request(header, message, seams),
            MessageKind::LocateRequest => self.turn_locate_request(header, message),
            MessageKind::CancelRequest => {
                let form = self.requests.link.framing.form(header.version);
                let cancel = form.read_cancel_request(message, header).map_err(Ending::Broken)?;
                self.form.cancel_request(&mut self.outgoing, order, cancel.request_id);
                self.send(&[])
            }
            MessageKind::CloseConnection => {
                // In GIOP 1.1 clients just end the stream.
                Err(Ending::End)
            }
            MessageKind::MessageError => {
                self.form.message_error(&mut self.outgoing, order);
                self.send(&[])?;
                Err(Ending::Last)
            }
            // Callbacks over the same connection are GIOP's alone.
            MessageKind::Reply | MessageKind::LocateReply | MessageKind::Fragment => Ok(()),
        }
    }

    fn waits_on(&self) -> bool {
        self.requests.link.owes_replies()
    }
}

/// Whether messages of this form can be in that byte order: others than GIOP's have the machine's.
pub(super) fn tells_order(form: Form<'_>, order: ByteOrder) -> bool {
    matches!(form, Form::Giop(_)) || order == ByteOrder::NATIVE
}

pub(super) fn message_error(what: &'static str) -> zorb_cdr::CdrError {
    zorb_cdr::CdrError::new(CdrErrorKind::Unsupported, 0, what)
}

fn takes_utf_8(sets: &CodeSetComponentInfo) -> bool {
    let set = CodeSetId::UTF_8;
    sets.for_char.native == set || sets.for_char.conversions.contains(&set)
}

/// What cannot be said in the other protocol.
fn cannot() -> Refusal {
    let minor = minor::no_implement::UNSUPPORTED_OPERATION;
    Refusal::Exception(SystemException::no_implement(minor, CompletionStatus::No))
}
