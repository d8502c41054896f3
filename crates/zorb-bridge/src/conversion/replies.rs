//! The direction from the server to the client.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, TextCoding, Wire};
use zorb_giop::{Ior, LocateStatus, MessageHeader, MessageKind, ProtocolErrorKind, ReplyStatus};
use zorb_types::{CompletionStatus, SystemException};

use super::{MessageHandler, message_error, refusal, tells_order};
use crate::forwarding::redirect;
use crate::link::Link;
use crate::relay::Ending;
use crate::request_head::cannot_locate;

/// The handler of the direction from the server.
#[derive(Debug)]
pub(crate) struct ConvertedReplies<'l> {
    link: &'l Link,
    outgoing: Vec<u8>,
}

impl<'l> ConvertedReplies<'l> {
    pub(crate) fn new(link: &'l Link) -> Self {
        Self { link, outgoing: Vec::new() }
    }

    fn handle_reply(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        fragment_starts: &[u32],
    ) -> Result<(), Ending> {
        let form = self.link.context.target.framing.form(header.version);
        let (reply, mut results) = form.read_reply(message, header).map_err(Ending::Broken)?;
        let (id, status) = (reply.request_id, reply.status);
        self.link.from_server.messages.add(1);
        let forwards = [ReplyStatus::LocationForward, ReplyStatus::LocationForwardPerm];
        let written = match forwards.contains(&status) {
            true => self.write_forward(id, status, &mut results).map(|()| &[][..]),
            false if !fragment_starts.is_empty() => Err(message_error("fragmented results")),
            false => {
                let rest = results.rest();
                let offset = results.offset();
                let written = self.write_reply(id, status, header.order, offset, rest.len());
                written.map(|()| rest)
            }
        };
        let results = written.unwrap_or_else(|error| {
            let client = self.link.client_form();
            let refusal = refusal(&error, CompletionStatus::Yes);
            let header = MessageHeader { order: ByteOrder::NATIVE, ..*header };
            let written = refusal.write(client, &header, id, &mut self.outgoing);
            debug_assert!(written.is_ok());
            &[]
        });
        self.send(results)
    }

    /// Encodes the header; `len` octets of results, `offset` octets into the message, follow from the
    /// message itself.
    fn write_reply(
        &mut self,
        id: u32,
        status: ReplyStatus,
        order: ByteOrder,
        offset: usize,
        len: usize,
    ) -> CdrResult<()> {
        let form = self.link.client_form();
        let mut message = form.reply(&mut self.outgoing, order, id, status, &[])?;
        if len > 0 {
            let at = message.body(TextCoding::default()).offset();
            if at % 8 != offset % 8 || !tells_order(form, order) {
                return Err(message_error("results that cannot be forwarded without decoding"));
            }
        }
        message.finish_before(len)
    }

    fn write_forward(
        &mut self,
        id: u32,
        status: ReplyStatus,
        body: &mut CdrReader<'_>,
    ) -> CdrResult<()> {
        let ior = self.forward(body)?;
        let form = self.link.client_form();
        let mut message = form.reply(&mut self.outgoing, ByteOrder::NATIVE, id, status, &[])?;
        Ior::write(&ior, &mut message.body(TextCoding::default()))?;
        message.finish()
    }

    /// The reference that a client is forwarded to: the bridge's, if the object is in the target's
    /// server.
    fn forward(&self, body: &mut CdrReader<'_>) -> CdrResult<Ior> {
        let ior = Ior::read(body)?;
        Ok(redirect(&self.link.context, &ior).unwrap_or(ior))
    }

    fn handle_locate_reply(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
    ) -> Result<(), Ending> {
        let from = self.link.context.target.framing.form(header.version);
        let (reply, mut body) = from.read_locate_reply(message, header).map_err(Ending::Broken)?;
        self.link.from_server.messages.add(1);
        let form = self.link.client_form();
        let (mut ior, mut exception) = (None, None);
        // Without a valid forward reference, the object is reported as unknown.
        let status = match reply.status {
            LocateStatus::ObjectHere => LocateStatus::ObjectHere,
            status @ (LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm) => {
                ior = match self.forward(&mut body) {
                    Err(error) if error.kind == CdrErrorKind::OutOfMemory => {
                        let kind = ProtocolErrorKind::OutOfMemory(message.len());
                        return Err(Ending::Broken(kind.into()));
                    }
                    forward => forward.ok(),
                };
                if ior.is_some() { status } else { LocateStatus::UnknownObject }
            }
            LocateStatus::LocSystemException => {
                exception = SystemException::read(&mut body).ok();
                let kind = exception.as_ref().map(|exception| exception.kind);
                kind.map_or(LocateStatus::UnknownObject, |kind| cannot_locate(form, kind))
            }
            _ => LocateStatus::UnknownObject,
        };
        let exception = exception.filter(|_| status == LocateStatus::LocSystemException);
        let id = reply.request_id;
        let mut write = |status, ior: Option<&Ior>, exception: Option<SystemException>| {
            let order = ByteOrder::NATIVE;
            let mut message = form.locate_reply(&mut self.outgoing, order, id, status)?;
            if let Some(ior) = ior {
                Ior::write(ior, &mut message.body(TextCoding::default()))?;
            }
            if let Some(exception) = exception {
                exception.write(&mut message.body(TextCoding::default()))?;
            }
            message.finish()
        };
        if write(status, ior.as_ref(), exception).is_err() {
            // A header without a body cannot fail to encode.
            let _ = write(LocateStatus::UnknownObject, None, None);
        }
        self.send(&[])
    }

    /// Sends the encoded header, and the results without copying them.
    fn send(&self, results: &[u8]) -> Result<(), Ending> {
        let _sending = self.link.sending();
        super::send_to_client(self.link, &self.outgoing, results).map_err(Ending::SendFailed)?;
        let octets = self.outgoing.len() + results.len();
        self.link.from_server.octets.add(octets as u64);
        Ok(())
    }
}

impl MessageHandler for ConvertedReplies<'_> {
    fn handle(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        fragment_starts: &[u32],
    ) -> Result<(), Ending> {
        let (form, order) = (self.link.client_form(), ByteOrder::NATIVE);
        match header.kind {
            MessageKind::Reply => self.handle_reply(header, message, fragment_starts),
            MessageKind::LocateReply => self.handle_locate_reply(header, message),
            MessageKind::CloseConnection => {
                form.close_connection(&mut self.outgoing, order);
                self.send(&[])?;
                Err(Ending::Last)
            }
            MessageKind::MessageError => {
                form.message_error(&mut self.outgoing, order);
                self.send(&[])?;
                Err(Ending::Last)
            }
            found => {
                let expected = MessageKind::Reply;
                Err(Ending::Broken(ProtocolErrorKind::WrongKind { expected, found }.into()))
            }
        }
    }

    fn keeps_waiting(&self) -> bool {
        true
    }
}
