//! Waiting for the messages of an exclusive connection.

use std::io;

use zorb_cdr::ByteOrder;
use zorb_giop::{MessageHeader, Received, ReplyStart};
use zorb_os::probe;

use super::ExclusiveConnection;
#[cfg(feature = "buffers")]
use crate::client::connection::Connection as _;
use crate::client::connection::NoReply;
use crate::client::longest_wait::Wait;
use crate::client::time_limit::TimeLimit;

impl ExclusiveConnection {
    /// Skips a message that is not the reply: a late one. Fails if it ended the connection.
    #[cold]
    pub(super) fn skip(&mut self, received: Received) -> Result<(), NoReply> {
        if received == Received::End {
            return Err(NoReply::of_end(self.machine.ended(), None));
        }
        self.last_received = self.begun;
        Ok(())
    }

    /// The limit of receiving after sending, which has taken a part of the longest wait.
    #[cold]
    pub(super) fn rest_of(&self, time_limit: &TimeLimit) -> Result<TimeLimit, NoReply> {
        Wait::since(self.begun, *time_limit, self.longest_wait).next()
    }

    /// Waits for the reply behind a message that is not it, and others like that.
    #[cold]
    pub(super) fn receive_later(
        &mut self,
        mut other: Received,
        time_limit: &TimeLimit,
    ) -> Result<(ByteOrder, ReplyStart), NoReply> {
        // There may be endless replies to other requests.
        let wait = Wait::since(self.begun, *time_limit, self.longest_wait);
        loop {
            self.skip(other)?;
            #[cfg(feature = "buffers")]
            self.release_buffer();
            let header = self.next_message(&wait.next()?)?;
            match self.machine.receive(&self.inbound, &header) {
                Received::Reply(start) => return Ok((header.order, start)),
                received => other = received,
            }
        }
    }

    /// Completes the next message with the shared buffer that contains its end, if there is one.
    #[cfg(feature = "buffers")]
    fn borrow_tail(&mut self) -> Option<MessageHeader> {
        if self.inbound.messaging().is_some() {
            return None;
        }
        let missing = self.inbound.missing_end()?;
        let tail = self.stream.borrow(missing)?;
        let header = self.inbound.complete_without_end()?;
        self.received_buffer = Some(tail);
        Some(header)
    }

    /// The next message, if it has been received.
    #[inline(always)] // 3 % of a call in the client
    fn buffered_message(&mut self) -> Result<Option<MessageHeader>, NoReply> {
        let header = self.inbound.poll().map_err(NoReply::Broken)?;
        #[cfg(feature = "buffers")]
        let header = header.or_else(|| self.borrow_tail());
        Ok(header)
    }

    /// Waits for the next whole message. Usually nothing has been received before, and the first octets are the whole
    /// message.
    #[inline(always)] // 3 % of a call in the client
    pub(super) fn next_message(
        &mut self,
        time_limit: &TimeLimit,
    ) -> Result<MessageHeader, NoReply> {
        if !self.inbound.has_buffered() {
            self.receive_more(time_limit)?;
            if let Some(header) = self.buffered_message()? {
                return Ok(header);
            }
        }
        self.next_in_pieces(time_limit)
    }

    /// Waits until the rest of the next message has arrived.
    #[cold]
    fn next_in_pieces(&mut self, time_limit: &TimeLimit) -> Result<MessageHeader, NoReply> {
        let wait = Wait::since(self.begun, *time_limit, self.longest_wait);
        loop {
            if let Some(header) = self.buffered_message()? {
                return Ok(header);
            }
            self.receive_more(&wait.next()?)?;
        }
    }

    /// Receives octets from the stream.
    #[inline(always)] // 2 % of a call in the client
    fn receive_more(&mut self, time_limit: &TimeLimit) -> Result<(), NoReply> {
        // Computed for each wait: the server may send its reply octet by octet, or endless replies to
        // other requests.
        let received = time_limit.next_wait().and_then(|limit| {
            self.limit_receiving(limit)?;
            let space = self.inbound.space();
            probe!(MessagingReceive);
            self.wait.recv(&*self.stream, space, limit)
        });
        probe!(TransportReceive);
        match received {
            Ok(count) if count > 0 => {
                self.inbound.advance(count);
                Ok(())
            }
            Ok(_) => Err(NoReply::Lost(None)),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(NoReply::TimedOut),
            Err(error) => Err(NoReply::Lost(Some(error))),
        }
    }
}
