//! Between GIOP and other messaging protocols: messages come as a whole, and their headers are written
//! anew.

mod replies;
mod requests;

use std::io::{self, IoSlice};
use std::time::Duration;

use zorb_giop::{Inbound, Limits, MessageHeader};
use zorb_transport::{Stream, WaitPolicy, Waits};

use crate::framing::Framing;
use crate::relay::Ending;

pub(crate) use replies::ConvertedReplies;
pub(crate) use requests::ConvertedRequests;

/// Sends the beginning of a message, and the rest from where it lies.
fn send(stream: &dyn Stream, beginning: &[u8], rest: &[u8]) -> io::Result<()> {
    if rest.is_empty() {
        return stream.send_all(beginning);
    }
    // Only octets may lie where both sides see them while they are read. What these are only the ends
    // know: there may be text among them.
    if stream.gathers_from().is_some() {
        return stream.send_all(beginning).and_then(|()| stream.send_all(rest));
    }
    stream.send_vectored_all(&mut [IoSlice::new(beginning), IoSlice::new(rest)])
}

/// What becomes of whole messages.
pub(crate) trait Turn {
    /// Sends over what `message` says; its parts that are aligned for themselves begin at `seams`.
    fn turn(&mut self, header: &MessageHeader, message: &[u8], seams: &[u32])
    -> Result<(), Ending>;

    /// Whether to wait on although nothing came for long.
    fn waits_on(&self) -> bool;
}

/// Takes messages out of a stream, fragments joined.
#[derive(Debug)]
pub(crate) struct Converter<'a> {
    from: &'a dyn Stream,
    inbound: Inbound,
    wait: Waits,
    /// How long to wait for octets.
    limit: Option<Duration>,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(
        from: &'a dyn Stream,
        framing: Framing,
        max_message_size: usize,
        (wait, limit): (WaitPolicy, Option<Duration>),
    ) -> Self {
        let limits =
            Limits { max_message_size, max_partial_octets: max_message_size, ..Limits::default() };
        Self { from, inbound: Inbound::new(limits).of(framing.0), wait: wait.waits(), limit }
    }

    /// Moves messages until there is a reason to stop.
    pub(crate) fn run(&mut self, side: &mut impl Turn) -> Ending {
        if let Err(error) = self.from.set_recv_timeout(self.limit) {
            return Ending::Lost(error);
        }
        loop {
            if let Err(ending) = self.turn_all(side).and_then(|()| self.receive(side)) {
                return ending;
            }
        }
    }

    fn turn_all(&mut self, side: &mut impl Turn) -> Result<(), Ending> {
        while let Some(header) = self.inbound.poll().map_err(Ending::Broken)? {
            side.turn(&header, self.inbound.current(), self.inbound.seams())?;
        }
        Ok(())
    }

    fn receive(&mut self, side: &impl Turn) -> Result<(), Ending> {
        loop {
            match self.wait.recv(self.from, self.inbound.space(), self.limit) {
                Ok(0) => return Err(Ending::End),
                Ok(count) => {
                    self.inbound.advance(count);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    if !side.waits_on() {
                        return Err(Ending::Idle);
                    }
                }
                Err(error) => return Err(Ending::Lost(error)),
            }
        }
    }
}
