//! What a call goes over: a connection of its own, or a share in one.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    ConnectionEnd, Form, MessageHeader, MessageKind, ReplyStart, RequestBuffer, RequestProgress,
};
#[cfg(feature = "buffers")]
use zorb_transport::ReceivedBuffer;
use zorb_transport::Stream;
use zorb_types::SystemException;

use super::connection::{NoReply, Opened, Tells};
use super::patience::Patience;
use super::place::Lease;
use super::pool::EndpointPool;
use super::route::Route;
use super::shared::Share;
use crate::gather::{Tail, WriteBody};
use crate::orb::OrbCore;

/// A Reply as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received<'l> {
    pub(super) message: &'l [u8],
    /// Where the parts of the message begin whose alignment is their own.
    pub(super) seams: &'l [u32],
    /// The end of the message, where that lies elsewhere.
    #[cfg(feature = "buffers")]
    pub(super) end: Option<&'l ReceivedBuffer>,
    pub(super) order: ByteOrder,
    pub(super) start: ReplyStart,
}

/// Either of the two kinds of line.
#[derive(Debug)]
pub(super) enum AnyLine<'r> {
    Own(Lease<'r>),
    Shared(Share),
}

/// What a call goes over. Dropping it ends the call's part in it.
///
/// Code is generic over it, so that the steps of a call over its own connection are those of a call
/// that could go over nothing else.
pub(super) trait Line: Sized {
    /// Chooses the id of a request for an operation, if it is for one, how its text is written and
    /// what it tells the server. `expected` is the kind of its reply, if it has one.
    fn open(
        &mut self,
        core: &OrbCore,
        route: &Route,
        operation: &str,
        expected: Option<MessageKind>,
        deadline: Option<Instant>,
    ) -> Result<Opened, SystemException>;

    /// Whether the connection's band is not told yet to the server; it counts as told from now on.
    fn tells_band(&mut self) -> bool;

    /// Says that the request has not been sent after all that was to tell the band.
    fn untell_band(&mut self);

    /// The buffer for what is to be sent; there is none once the line is [discarded](Self::discard).
    fn outgoing(&mut self) -> Option<&mut RequestBuffer>;

    /// From how many octets on the end of a message is sent from where it lies, `own` at most.
    fn copy_threshold(&self, own: usize) -> usize;

    /// What it goes over.
    fn stream(&self) -> Option<&Arc<dyn Stream>>;

    /// Sends the request in the outgoing buffer, which was opened so, and its tail if it has one, with
    /// what wrote it.
    fn send(
        &mut self,
        form: Form<'static>,
        opened: &Opened,
        patience: &Patience,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()>;

    /// Waits for the Reply to `request_id`.
    fn receive(&mut self, request_id: u32, patience: &Patience) -> Result<Received<'_>, NoReply>;

    /// Lets go of the end of a Reply that has been read, where the stream had lent it.
    #[cfg(feature = "buffers")]
    fn let_go(&mut self);

    /// Waits for the LocateReply to `request_id`; its header and itself.
    fn receive_location(
        &mut self,
        request_id: u32,
        patience: &Patience,
    ) -> Result<(MessageHeader, &[u8]), NoReply>;

    /// Whether the request, whose connection ended so, is to be sent again over another one.
    fn sends_again(&mut self, end: ConnectionEnd, progress: RequestProgress) -> bool;

    /// Tells the server that the reply to `request_id` is no longer waited for.
    fn cancel(&mut self, request_id: u32) -> io::Result<()>;

    /// Sees to it that a connection that is of no more use is not used again.
    fn discard(&mut self, pool: &EndpointPool);

    /// Sees to it that requests leave nothing out any more; whether they could.
    fn say_all_in_full(&mut self) -> bool;
}

impl Line for Lease<'_> {
    #[inline(always)] // on the path of every call
    fn open(
        &mut self,
        core: &OrbCore,
        route: &Route,
        operation: &str,
        expected: Option<MessageKind>,
        _: Option<Instant>,
    ) -> Result<Opened, SystemException> {
        let connection = self.connection().ok_or_else(|| core.shut_down())?;
        let opened = Opened::agree(&mut connection.state, core, route, operation, expected, true)?;
        Ok(Opened { request_id: connection.ids.allocate(), ..opened })
    }

    #[cold]
    fn tells_band(&mut self) -> bool {
        self.connection().is_some_and(|it| !std::mem::replace(&mut it.band_told, true))
    }

    #[cold]
    fn untell_band(&mut self) {
        if let Some(connection) = self.connection() {
            connection.band_told = false;
        }
    }

    #[inline]
    fn outgoing(&mut self) -> Option<&mut RequestBuffer> {
        self.connection().map(|connection| &mut connection.outgoing)
    }

    #[inline]
    fn copy_threshold(&self, _: usize) -> usize {
        self.kept().map_or(usize::MAX, |connection| connection.copy_threshold)
    }

    fn stream(&self) -> Option<&Arc<dyn Stream>> {
        self.kept().map(|connection| &connection.stream)
    }

    #[inline]
    fn send(
        &mut self,
        form: Form<'static>,
        opened: &Opened,
        patience: &Patience,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()> {
        let connection = self.connection().ok_or(io::ErrorKind::NotConnected)?;
        match rest {
            None => connection.send(form, patience)?,
            Some((tail, arguments)) => {
                connection.send_with(form, patience, tail, opened.text, arguments)?;
            }
        }
        if !matches!(opened.tells, Tells::Nothing) {
            connection.state.was_told();
        }
        Ok(())
    }

    #[inline]
    fn receive(&mut self, request_id: u32, patience: &Patience) -> Result<Received<'_>, NoReply> {
        let connection = self.connection().ok_or(NoReply::Lost(None))?;
        connection.receive(request_id, patience)
    }

    #[cfg(feature = "buffers")]
    #[inline]
    fn let_go(&mut self) {
        if let Some(connection) = self.connection() {
            connection.let_go();
        }
    }

    fn receive_location(
        &mut self,
        request_id: u32,
        patience: &Patience,
    ) -> Result<(MessageHeader, &[u8]), NoReply> {
        let connection = self.connection().ok_or(NoReply::Lost(None))?;
        let header = loop {
            let header = connection.next_message(patience)?;
            if header.kind == MessageKind::LocateReply {
                let read = connection.form.read_locate_reply(connection.inbound.current(), &header);
                let (reply, _) = read.map_err(NoReply::Broken)?;
                if reply.request_id == request_id {
                    break header;
                }
            }
        };
        Ok((header, connection.inbound.current()))
    }

    #[cold]
    fn sends_again(&mut self, end: ConnectionEnd, progress: RequestProgress) -> bool {
        self.connection().is_some_and(|connection| connection.sends_again(end, progress))
    }

    #[cold]
    fn cancel(&mut self, request_id: u32) -> io::Result<()> {
        self.connection().ok_or(io::ErrorKind::NotConnected)?.cancel(request_id)
    }

    #[cold]
    fn discard(&mut self, _: &EndpointPool) {
        self.close();
    }

    #[cold]
    fn say_all_in_full(&mut self) -> bool {
        self.connection().is_some_and(|connection| connection.state.say_all_in_full())
    }
}

impl Line for Share {
    fn open(
        &mut self,
        core: &OrbCore,
        route: &Route,
        operation: &str,
        expected: Option<MessageKind>,
        deadline: Option<Instant>,
    ) -> Result<Opened, SystemException> {
        self.open_request(core, (route, operation), expected, deadline)
    }

    #[cold]
    fn tells_band(&mut self) -> bool {
        !self.band_told().swap(true, Ordering::AcqRel)
    }

    #[cold]
    fn untell_band(&mut self) {
        self.band_told().store(false, Ordering::Release);
    }

    fn outgoing(&mut self) -> Option<&mut RequestBuffer> {
        self.buffer()
    }

    fn copy_threshold(&self, own: usize) -> usize {
        let preferred = self.connected().gathers_from().unwrap_or(usize::MAX);
        own.min(preferred)
    }

    fn stream(&self) -> Option<&Arc<dyn Stream>> {
        Some(self.connected())
    }

    fn send(
        &mut self,
        form: Form<'static>,
        opened: &Opened,
        patience: &Patience,
        rest: Option<(Tail, WriteBody<'_>)>,
    ) -> io::Result<()> {
        self.send_message(form, *patience, opened.text, rest)
    }

    fn receive(&mut self, _: u32, patience: &Patience) -> Result<Received<'_>, NoReply> {
        let header = self.wait(*patience)?;
        let (message, seams) = (self.message(), self.seams());
        let start = self.form().read_reply_start(message, &header).map_err(NoReply::Broken)?;
        Ok(Received {
            message,
            seams,
            #[cfg(feature = "buffers")]
            end: self.end(),
            order: header.order,
            start,
        })
    }

    #[cfg(feature = "buffers")]
    fn let_go(&mut self) {
        // It goes with the share, which goes now.
    }

    fn receive_location(
        &mut self,
        _: u32,
        patience: &Patience,
    ) -> Result<(MessageHeader, &[u8]), NoReply> {
        let header = self.wait(*patience)?;
        Ok((header, self.message()))
    }

    #[cold]
    fn sends_again(&mut self, end: ConnectionEnd, progress: RequestProgress) -> bool {
        self.may_go_again(end, progress)
    }

    #[cold]
    fn cancel(&mut self, request_id: u32) -> io::Result<()> {
        self.cancel_request(request_id)
    }

    #[cold]
    fn discard(&mut self, pool: &EndpointPool) {
        if let Some(connection) = self.ended() {
            pool.for_caller().0.forget(connection);
        }
    }

    #[cold]
    fn say_all_in_full(&mut self) -> bool {
        Self::say_all_in_full(self)
    }
}
