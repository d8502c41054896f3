//! Messages from the server: replies, and what ends the connection.

use super::outstanding::{Answered, State};
use super::{ClientConnection, Received, RequestKind};
use crate::connection::ConnectionEnd;
use crate::{Inbound, MessageFormat, MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind};

impl<C> ClientConnection<C> {
    /// Processes the current message of `inbound`, whose header `poll` returned.
    #[inline]
    pub fn receive(&mut self, inbound: &Inbound, header: &MessageHeader) -> Received {
        if header.kind == MessageKind::Reply && self.end.is_none() {
            let form = MessageFormat::new(self.messaging, header.version);
            if let Ok(start) = form.read_reply_start(inbound.current(), header)
                && let Some(request) = self.requests.get_mut(start.request_id)
                && request.kind == RequestKind::Twoway
                && matches!(request.state, State::Sent | State::Unsent)
            {
                request.state = State::Answered;
                return Received::Reply(start);
            }
        }
        self.receive_other(inbound, *header)
    }

    #[cold]
    fn receive_other(&mut self, inbound: &Inbound, header: MessageHeader) -> Received {
        if self.end.is_some() {
            return Received::End;
        }
        let form = MessageFormat::new(self.messaging, header.version);
        let message = inbound.current();
        let (id, kind) = match header.kind {
            MessageKind::Reply => match form.read_reply_start(message, &header) {
                Ok(start) => (start.request_id, RequestKind::Twoway),
                Err(error) => return self.end_with(error),
            },
            MessageKind::LocateReply => match form.read_locate_reply(message, &header) {
                Ok((reply, _)) => (reply.request_id, RequestKind::Locate),
                Err(error) => return self.end_with(error),
            },
            MessageKind::CloseConnection => {
                for request in self.requests.iter_mut() {
                    request.partly_answered = inbound.has_fragments_of(request.id);
                }
                self.end(ConnectionEnd::CloseConnection);
                return Received::End;
            }
            MessageKind::MessageError => {
                self.end(ConnectionEnd::MessageError);
                return Received::End;
            }
            found => {
                let expected = MessageKind::Reply;
                return self.end_with(ProtocolErrorKind::WrongKind { expected, found }.into());
            }
        };
        if !self.ids.has_issued(id) {
            return self.end_with(ProtocolErrorKind::UnknownRequestId(id).into());
        }
        match self.requests.get_mut(id) {
            Some(request) if matches!(request.state, State::Sent | State::Unsent) => {
                if request.kind != kind {
                    return self.end_with(ProtocolErrorKind::WrongReply(id).into());
                }
                request.state = State::Answered;
                Received::LocateReply(id)
            }
            _ => Received::Late,
        }
    }

    fn end_with(&mut self, error: ProtocolError) -> Received {
        self.end(ConnectionEnd::ProtocolError(error));
        Received::End
    }

    /// [Processes](Self::receive) the current message of `inbound`. If it is a reply, and `wanted` accepts what the driver
    /// has stored for the request, [finishes](Self::finish) the request and returns that.
    #[inline]
    pub fn receive_and_finish(
        &mut self,
        inbound: &Inbound,
        header: &MessageHeader,
        wanted: impl FnOnce(&C) -> bool,
    ) -> (Received, Option<C>) {
        if header.kind == MessageKind::Reply && self.end.is_none() {
            let form = MessageFormat::new(self.messaging, header.version);
            if let Ok(start) = form.read_reply_start(inbound.current(), header) {
                match self.requests.answer(start.request_id, wanted) {
                    Answered::Kept => return (Received::Reply(start), None),
                    Answered::Finished(call) => return (Received::Reply(start), Some(call)),
                    Answered::Nothing => {}
                }
            }
        }
        (self.receive_other(inbound, *header), None)
    }
}
