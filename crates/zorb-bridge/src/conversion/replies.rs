//! From the server to the client.

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, TextCoding, Wire};
use zorb_giop::{Ior, LocateStatus, MessageHeader, MessageKind, ProtocolErrorKind, ReplyStatus};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::Turn;
use super::requests::{message_error, tells_order};
use crate::beginning::{Refusal, cannot_locate};
use crate::forwarding::redirect;
use crate::link::Link;
use crate::relay::Ending;

/// The direction from the server.
#[derive(Debug)]
pub(crate) struct ConvertedReplies<'l> {
    link: &'l Link,
    outgoing: Vec<u8>,
}

impl<'l> ConvertedReplies<'l> {
    pub(crate) fn new(link: &'l Link) -> Self {
        Self { link, outgoing: Vec::new() }
    }

    fn turn_reply(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        seams: &[u32],
    ) -> Result<(), Ending> {
        let form = self.link.shared.target.framing.form(header.version);
        let (reply, mut results) = form.read_reply(message, header).map_err(Ending::Broken)?;
        let (id, status) = (reply.request_id, reply.status);
        self.link.from_server.messages.add(1);
        let forwards = [ReplyStatus::LocationForward, ReplyStatus::LocationForwardPerm];
        let written = match forwards.contains(&status) {
            true => self.write_forward((id, status), &mut results).map(|()| &[][..]),
            false if !seams.is_empty() => Err(message_error("results in parts")),
            false => {
                let rest = results.rest();
                let written =
                    self.write_reply((id, status), header.order, (results.offset(), rest.len()));
                written.map(|()| rest)
            }
        };
        let results = written.unwrap_or_else(|_| {
            // What it says cannot be said in the client's protocol.
            let minor = minor::no_implement::UNSUPPORTED_OPERATION;
            let exception = SystemException::no_implement(minor, CompletionStatus::Yes);
            let client = self.link.client_form();
            let refusal = Refusal::Exception(exception);
            let header = MessageHeader { order: ByteOrder::NATIVE, ..*header };
            let written = refusal.write(client, &header, id, &mut self.outgoing);
            debug_assert!(written.is_ok());
            &[]
        });
        self.send(results)
    }

    /// Writes all that comes before the results, which lie there in the message.
    fn write_reply(
        &mut self,
        (id, status): (u32, ReplyStatus),
        order: ByteOrder,
        (offset, len): (usize, usize),
    ) -> CdrResult<()> {
        let form = self.link.client_form();
        let mut message = form.reply(&mut self.outgoing, order, id, status, &[])?;
        if len > 0 {
            let at = message.body(TextCoding::default()).offset();
            if at % 8 != offset % 8 || !tells_order(form, order) {
                return Err(message_error("results that cannot be passed on unread"));
            }
        }
        message.finish_before(len)
    }

    fn write_forward(
        &mut self,
        (id, status): (u32, ReplyStatus),
        body: &mut CdrReader<'_>,
    ) -> CdrResult<()> {
        let place = self.place(body)?;
        let form = self.link.client_form();
        let mut message = form.reply(&mut self.outgoing, ByteOrder::NATIVE, id, status, &[])?;
        Ior::write(&place, &mut message.body(TextCoding::default()))?;
        message.finish()
    }

    /// Where a client is forwarded to: to the bridge, if that leads there.
    fn place(&self, body: &mut CdrReader<'_>) -> CdrResult<Ior> {
        let place = Ior::read(body)?;
        Ok(redirect(&self.link.shared, &place).unwrap_or(place))
    }

    fn turn_locate_reply(&mut self, header: &MessageHeader, message: &[u8]) -> Result<(), Ending> {
        let from = self.link.shared.target.framing.form(header.version);
        let (reply, mut body) = from.read_locate_reply(message, header).map_err(Ending::Broken)?;
        self.link.from_server.messages.add(1);
        let form = self.link.client_form();
        let (mut place, mut exception) = (None, None);
        // What is no place and not here is not known to be anywhere.
        let status = match reply.status {
            LocateStatus::ObjectHere => LocateStatus::ObjectHere,
            status @ (LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm) => {
                place = self.place(&mut body).ok();
                if place.is_some() { status } else { LocateStatus::UnknownObject }
            }
            LocateStatus::LocSystemException => {
                exception = SystemException::read(&mut body).ok();
                exception.map_or(LocateStatus::UnknownObject, |it| cannot_locate(form, it.kind))
            }
            _ => LocateStatus::UnknownObject,
        };
        let exception = exception.filter(|_| status == LocateStatus::LocSystemException);
        let id = reply.request_id;
        let mut write = |status, place: Option<&Ior>, exception: Option<SystemException>| {
            let order = ByteOrder::NATIVE;
            let mut message = form.locate_reply(&mut self.outgoing, order, id, status)?;
            if let Some(place) = place {
                Ior::write(place, &mut message.body(TextCoding::default()))?;
            }
            if let Some(exception) = exception {
                exception.write(&mut message.body(TextCoding::default()))?;
            }
            message.finish()
        };
        if write(status, place.as_ref(), exception).is_err() {
            // Without a body there is nothing that could fail.
            let _ = write(LocateStatus::UnknownObject, None, None);
        }
        self.send(&[])
    }

    /// Sends what is written, and the results from where they lie.
    fn send(&self, results: &[u8]) -> Result<(), Ending> {
        let _sending = self.link.sending();
        let client = &self.link.client;
        super::send(&**client, &self.outgoing, results).map_err(Ending::NotTaken)?;
        let octets = self.outgoing.len() + results.len();
        self.link.from_server.octets.add(octets as u64);
        Ok(())
    }
}

impl Turn for ConvertedReplies<'_> {
    fn turn(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        seams: &[u32],
    ) -> Result<(), Ending> {
        let (form, order) = (self.link.client_form(), ByteOrder::NATIVE);
        match header.kind {
            MessageKind::Reply => self.turn_reply(header, message, seams),
            MessageKind::LocateReply => self.turn_locate_reply(header, message),
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

    fn waits_on(&self) -> bool {
        true
    }
}
