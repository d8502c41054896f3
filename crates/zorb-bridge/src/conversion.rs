//! Conversion between GIOP and other messaging protocols: messages are reassembled, and their
//! headers rewritten.

mod replies;
mod requests;

use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind};
use zorb_giop::{Inbound, Limits, MessageBudget, MessageFormat, MessageHeader};
use zorb_transport::{BusyWait, Stream, WaitPolicy};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::framing::Framing;
use crate::linger;
use crate::link::Link;
use crate::relay::Ending;
use crate::request_head::Refusal;

pub(crate) use replies::ConvertedReplies;
pub(crate) use requests::ConvertedRequests;

/// Sends the header of a message, and its body without copying it.
fn send(stream: &dyn Stream, header: &[u8], rest: &[u8]) -> io::Result<()> {
    if rest.is_empty() {
        return stream.send_all(header);
    }
    // Not as a run, which the peer could read in place: that is allowed only for octets. The bridge does not know the types:
    // the body may contain text.
    stream.send_vectored_all(&mut [IoSlice::new(header), IoSlice::new(rest)])
}

/// The same to the client, without waiting as long as it reads.
fn send_to_client(link: &Link, header: &[u8], rest: &[u8]) -> io::Result<()> {
    if rest.is_empty() {
        return link.send(header);
    }
    let mut parts = [IoSlice::new(header), IoSlice::new(rest)];
    let mut left = &mut parts[..];
    link.client.try_send_vectored(&mut left)?;
    if left.is_empty() {
        return Ok(());
    }
    link.while_unread(|| link.client.send_vectored_all(left))
}

/// The exception for a message that is not converted: there is no memory for it, or the other protocol cannot express
/// it.
fn refusal(error: &CdrError, completed: CompletionStatus) -> Refusal {
    Refusal::Exception(if error.kind == CdrErrorKind::OutOfMemory {
        SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, completed)
    } else {
        let minor = minor::no_implement::UNSUPPORTED_OPERATION;
        SystemException::no_implement(minor, completed)
    })
}

/// A handler of complete messages.
pub(crate) trait MessageHandler {
    /// Forwards `message`; its separately aligned parts start at `fragment_starts`.
    fn handle(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        fragment_starts: &[u32],
    ) -> Result<(), Ending>;

    /// Called before it waits for octets.
    fn about_to_wait(&mut self, inbound: &Inbound) {
        let _ = inbound;
    }

    /// Called when a message is complete.
    fn message_complete(&mut self, inbound: &Inbound) {
        let _ = inbound;
    }

    /// Whether to keep waiting although the stream is idle.
    fn keeps_waiting(&self) -> bool;
}

/// Receives messages from a stream and reassembles fragments.
#[derive(Debug)]
pub(crate) struct Converter<'a> {
    from: &'a dyn Stream,
    inbound: Inbound,
    wait: BusyWait,
    /// The receive timeout.
    limit: Option<Duration>,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(
        from: &'a dyn Stream,
        framing: Framing,
        max_message_size: usize,
        wait: WaitPolicy,
        limit: Option<Duration>,
    ) -> Self {
        let limits =
            Limits::DEFAULT.max_message_size(max_message_size).max_partial_octets(max_message_size);
        Self {
            from,
            inbound: Inbound::new(limits).with_messaging(framing.0),
            wait: wait.busy_wait(),
            limit,
        }
    }

    /// The same with a budget that its buffers are charged to.
    pub(crate) fn with_budget(self, budget: &Arc<MessageBudget>) -> Self {
        Self { inbound: self.inbound.with_budget(Arc::clone(budget)), ..self }
    }

    /// Forwards messages until the connection ends.
    pub(crate) fn run(&mut self, side: &mut impl MessageHandler) -> Ending {
        if let Err(error) = self.from.set_recv_timeout(self.limit) {
            return Ending::Lost(error);
        }
        loop {
            if let Err(ending) = self.handle_all(side).and_then(|()| self.receive(side)) {
                return ending;
            }
        }
    }

    fn handle_all(&mut self, side: &mut impl MessageHandler) -> Result<(), Ending> {
        while let Some(header) = self.inbound.poll().map_err(Ending::Broken)? {
            side.message_complete(&self.inbound);
            side.handle(&header, self.inbound.current(), self.inbound.fragment_starts())?;
        }
        Ok(())
    }

    fn receive(&mut self, side: &mut impl MessageHandler) -> Result<(), Ending> {
        side.about_to_wait(&self.inbound);
        if self.inbound.is_large() && !self.inbound.has_buffered() {
            let Self { from, inbound, wait, limit } = self;
            match linger::receive(*from, wait, inbound.space(), *limit).map_err(Ending::Lost)? {
                Some(count) => return self.advance(count),
                None => self.inbound.shrink(),
            }
        }
        loop {
            match self.wait.recv(self.from, self.inbound.space(), self.limit) {
                Ok(count) => return self.advance(count),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    if !side.keeps_waiting() {
                        return Err(Ending::Idle);
                    }
                }
                Err(error) => return Err(Ending::Lost(error)),
            }
        }
    }

    /// Adds received octets; none are the end of the stream.
    fn advance(&mut self, count: usize) -> Result<(), Ending> {
        self.inbound.advance(count);
        if count == 0 { Err(Ending::End) } else { Ok(()) }
    }
}

/// Whether messages of this form can have that byte order: forms other than GIOP use the native
/// one.
fn tells_order(form: MessageFormat<'_>, order: ByteOrder) -> bool {
    matches!(form, MessageFormat::Giop(_)) || order == ByteOrder::NATIVE
}

fn message_error(what: &'static str) -> CdrError {
    CdrError::new(CdrErrorKind::Unsupported, 0, what)
}
