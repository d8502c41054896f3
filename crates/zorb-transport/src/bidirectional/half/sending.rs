//! Sending messages of one side over a connection that others share.

use std::io::{self, IoSlice};

use zorb_giop::{MessageHeader, MessageKind};

use super::{Half, beginning};
use crate::bidirectional::connection::Connection;
use crate::bidirectional::numbering::Outgoing;

/// The octets of a CloseConnection.
const CLOSE_CONNECTION: (usize, &[u8], Option<&u8>) = (12, b"GIOP", Some(&5));

impl Half {
    /// Sends a message with one call of the stream's `send_vectored_all`.
    pub(super) fn send(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let Connection { stream, sender, state, .. } = &*self.connection;
        let (mut head, length) = beginning(parts);
        let beginning = head.get_mut(..length).unwrap_or_default();
        if self.is_withheld_close(parts) {
            return Ok(());
        }
        let timeout = self.send_timeout.current();
        let sent = sender.send(self.role, timeout, |is_new| {
            if !is_new {
                return Ok(stream.send_vectored_all(parts));
            }
            let Some(client) = self.numbered() else {
                self.note(beginning);
                return Ok(stream.send_vectored_all(parts));
            };
            if has_several(beginning, parts) {
                return Ok(stream.send_all(&self.renumber(client, parts)?));
            }
            // Decided when the connection is free: a request has an id only if it is sent.
            match state.lock().splitter.numbering.outgoing(client, beginning) {
                Outgoing::Sent => {}
                other => return Err(other),
            }
            let mut rest = &mut *parts;
            IoSlice::advance_slices(&mut rest, length);
            let mut all: Vec<IoSlice<'_>> = Vec::with_capacity(rest.len() + 1);
            all.push(IoSlice::new(beginning));
            all.extend(rest.iter().map(|part| IoSlice::new(part)));
            Ok(stream.send_vectored_all(&mut all))
        });
        match sent {
            Ok(sent) => self.check(sent),
            Err(Outgoing::Refused) => Err(io::ErrorKind::Unsupported.into()),
            Err(_) => Ok(()),
        }
    }

    /// Gives several whole messages of a client their ids. Those that the peer does not get are left out.
    #[cold]
    fn renumber(&self, client: u32, parts: &[IoSlice<'_>]) -> Result<Vec<u8>, Outgoing> {
        let mut octets: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        let mut sent = Vec::with_capacity(octets.len());
        let mut state = self.connection.state.lock();
        let mut rest = &mut octets[..];
        while !rest.is_empty() {
            let size = total_size(rest).ok_or(Outgoing::Refused)?.min(rest.len());
            let (message, later) = rest.split_at_mut(size);
            match state.splitter.numbering.outgoing(client, message) {
                Outgoing::Sent => sent.extend_from_slice(message),
                Outgoing::Dropped => {}
                Outgoing::Refused => return Err(Outgoing::Refused),
            }
            rest = later;
        }
        Ok(sent)
    }

    /// Ends the connection if a message has been sent in part.
    pub(super) fn check(&self, sent: io::Result<()>) -> io::Result<()> {
        if let Err(error) = &sent
            && self.connection.sender.is_broken()
        {
            self.connection.end(Some(error.kind()));
        }
        sent
    }

    /// Notes a message that has not been sent before.
    pub(super) fn note(&self, beginning: &[u8]) {
        if self.connection.opened && self.is_server() {
            self.connection.state.lock().splitter.served(beginning);
        }
    }

    /// Whether this is a CloseConnection that the side that opened the connection must not send. Its server sends none if
    /// its requests are complete or a newer server has replaced it, because the connection stays open. Its client sends none
    /// while requests of the peer are in progress, because the peer would send them again.
    pub(super) fn is_withheld_close(&self, parts: &[IoSlice<'_>]) -> bool {
        let is_close = |part: &IoSlice<'_>| {
            (part.len(), part.get(..4).unwrap_or_default(), part.get(7)) == CLOSE_CONNECTION
        };
        let Connection { opened, sender, state, .. } = &*self.connection;
        if !opened || !parts.first().is_some_and(is_close) || sender.is_unfinished(self.role) {
            return false;
        }
        let state = state.lock();
        let serves = state.splitter.serves();
        if self.is_server() { !state.is_server(self.role) || !serves } else { serves }
    }

    /// Sends a message of a client of the accepting side, if the stream takes all of it at once. Such messages are short,
    /// for example cancellations. Nothing is taken of a request, which has an id only if it is sent.
    pub(super) fn try_send_numbered(
        &self,
        client: u32,
        beginning: &mut [u8],
        parts: &mut &mut [IoSlice<'_>],
    ) -> io::Result<()> {
        let header = MessageHeader::parse_prefix(beginning).ok().flatten();
        if header
            .is_some_and(|it| matches!(it.kind, MessageKind::Request | MessageKind::LocateRequest))
        {
            return Ok(());
        }
        let length: usize = parts.iter().map(|part| part.len()).sum();
        match self.connection.state.lock().splitter.numbering.outgoing(client, beginning) {
            Outgoing::Sent => {}
            Outgoing::Dropped => {
                IoSlice::advance_slices(parts, length);
                return Ok(());
            }
            Outgoing::Refused => return Err(io::ErrorKind::Unsupported.into()),
        }
        let octets = parts.iter().flat_map(|part| part.iter().copied()).skip(beginning.len());
        let whole: Vec<u8> = beginning.iter().copied().chain(octets).collect();
        let mut all = [IoSlice::new(&whole)];
        let mut rest = &mut all[..];
        let sent = self.connection.sender.try_send(self.role, || (), &mut rest);
        let left: usize = rest.iter().map(|part| part.len()).sum();
        IoSlice::advance_slices(parts, length - left);
        sent
    }
}

/// The size of the message that these octets begin with.
fn total_size(octets: &[u8]) -> Option<usize> {
    Some(MessageHeader::parse_prefix(octets).ok()??.total_size())
}

/// Whether there are several messages.
fn has_several(beginning: &[u8], parts: &[IoSlice<'_>]) -> bool {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    total_size(beginning).is_some_and(|size| size < length)
}
