//! Requests become independent of the connections that have received them.

use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrReader, TextCoding};
use zorb_giop::{
    MessageFormat, MessageHeader, ProtocolError, ReplyStatus, RequestHeader, UnreadRequest,
};
use zorb_types::SystemException;

use crate::connection::ServerConnection;
use crate::input::Input;
use crate::message::RequestMessage;
use crate::output::SendingThread;

impl ServerConnection {
    /// Moves the Request that is the current message from `input` to `message`, in exchange for its buffer.
    /// Reads its priority, if requests `are_ordered` by it. Returns `false` if it has been answered already.
    pub(super) fn detach_request(
        self: &Arc<Self>,
        input: &mut Input,
        header: &MessageHeader,
        message: &mut RequestMessage,
        are_ordered: bool,
    ) -> Result<bool, ProtocolError> {
        input.inbound.take_into(&mut message.octets);
        message.header = *header;
        message.messaging = self.messaging;
        #[cfg(feature = "buffers")]
        {
            message.shared_end = input.shared_end.take();
        }
        let octets = message.octets.message();
        let form = match self.messaging {
            None => {
                if !are_ordered
                    && let Some(begun) = input.receiver.begin_unread(&self.requests, octets, header)
                {
                    let UnreadRequest { request, response, text } = begun;
                    (message.request, message.response, message.text) = (request, response, text);
                    return Ok(true);
                }
                MessageFormat::Giop(header.version)
            }
            Some(messaging) => {
                match self.expand(messaging, input, octets, header, &mut message.expansion)? {
                    Some(form) => form,
                    None => return Ok(false),
                }
            }
        };
        let mut request = RequestHeader::EMPTY;
        let mut reader = CdrReader::new(octets, header.order);
        form.read_request_with(&mut request, &mut reader, header)?;
        let (served, text) = input.receiver.begin_request(&self.requests, &request, form);
        message.priority = if are_ordered { self.request_priority(&request) } else { 0 };
        (message.request, message.response) = (served, request.response);
        match text {
            Ok(text) => message.text = text,
            Err(error) => {
                self.send_exception(message, &error.into(), &mut Vec::new());
                self.finish_request();
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Answers a request with an exception, if its client waits: with `octets`, which are replaced.
    #[cold]
    pub(super) fn send_exception(
        self: &Arc<Self>,
        message: &RequestMessage,
        exception: &SystemException,
        octets: &mut Vec<u8>,
    ) {
        if !message.response.expects_reply() {
            return;
        }
        octets.clear();
        let form = MessageFormat::new(self.messaging, message.header.version);
        let status = ReplyStatus::SystemException;
        let written = form
            .reply(octets, ByteOrder::NATIVE, message.request.request_id, status, &[])
            .and_then(|mut reply| {
                exception.write(&mut reply.body(TextCoding::default()))?;
                reply.finish()
            });
        // Its encoding cannot fail: ids are short and ASCII.
        if written.is_ok() {
            self.send_reply(message.request, octets, SendingThread::Shared);
        }
    }
}
