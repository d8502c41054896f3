//! Sending the request of an exclusive connection: at once, or waiting for a server that does not read.

use std::io::{self, IoSlice};

use zorb_base::gather::{self, Tail, WriteBody};
use zorb_cdr::TextCoding;

use super::ExclusiveConnection;
use crate::client::connection::LastReceived;

impl ExclusiveConnection {
    /// Sends the request in the buffer.
    #[inline]
    pub(super) fn send_octets(&mut self) -> io::Result<()> {
        let sent = self.stream.try_send(self.outgoing.octets())?;
        match sent == self.outgoing.octets().len() {
            true => Ok(()),
            false => self.send_rest(sent),
        }
    }

    /// Sends the rest of a request that the stream has taken in part.
    #[cold]
    fn send_rest(&mut self, sent: usize) -> io::Result<()> {
        self.waits_since(LastReceived::now());
        self.stream.send_all(self.outgoing.octets().get(sent..).unwrap_or_default())
    }

    /// Sends the request that begins in the buffer, and its end from where it is.
    #[inline(never)]
    pub(super) fn send_gathered(
        &mut self,
        text: TextCoding,
        tail: Tail,
        arguments: WriteBody<'_>,
    ) -> io::Result<()> {
        let (stream, mut waits_since) = (&*self.stream, None);
        let mut send = |mut parts: &mut [IoSlice<'_>], gathered| {
            gather::try_send(stream, &mut parts, gathered)?;
            if parts.is_empty() {
                return Ok(());
            }
            waits_since = Some(LastReceived::now());
            stream.send_vectored_all(parts)
        };
        let sent = tail.send(self.outgoing.octets_after_header(), text, arguments, &mut send);
        if let Some(since) = waits_since {
            self.waits_since(since);
        }
        sent
    }

    /// Begins the longest wait of the call: its request waits for the server.
    fn waits_since(&mut self, now: LastReceived) {
        self.begun = now;
        self.has_waited = true;
    }
}
