//! One direction of a bridged connection: receives octets, examines messages and forwards them.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use zorb_giop::{Charge, MessageBudget, MessageHeader, ProtocolError, ProtocolErrorKind};
use zorb_transport::{BusyWait, Stream, WaitPolicy};

use crate::framing::Framing;
use crate::linger;

/// The buffer size unless a message is larger, in octets.
const BUFFER_SIZE: usize = 64 << 10;
/// The buffer size for larger messages: every write of a part wakes the receiver.
const LARGE_BUFFER_SIZE: usize = 256 << 10;
/// The maximum number of octets of a message that are buffered before a decision: a header with all
/// its service contexts.
pub(crate) const MAX_HEAD: usize = 256 << 10;

/// The decision about a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Forward it.
    Pass,
    /// Send these octets, then forward it.
    PassAfter(Vec<u8>),
    /// Forward it as the last message.
    PassLast,
    /// Drop it.
    Drop,
    /// More octets are needed for a decision.
    More,
    /// Send these octets instead; only for a complete message.
    Replace(Vec<u8>),
}

/// Why a direction ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The sender closed its stream.
    End,
    /// A forwarded message closes the connection.
    Last,
    /// The sender violated the protocol or exceeded a limit.
    Broken(ProtocolError),
    /// The stream was idle for too long.
    Idle,
    /// Receiving failed.
    Lost(io::Error),
    /// Sending failed.
    SendFailed(io::Error),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("its stream was closed"),
            Self::Last => f.write_str("it sent CloseConnection"),
            Self::Broken(error) => error.fmt(f),
            Self::Idle => f.write_str("idle timeout"),
            Self::Lost(error) => error.fmt(f),
            Self::SendFailed(error) => write!(f, "cannot send to the other side: {error}"),
        }
    }
}

/// The handler of the messages of one direction.
pub(crate) trait Side {
    /// Decides about the message that starts with `seen`, including its header; `whole` if it is
    /// complete. After [`Verdict::More`] it is called again with more octets, if the message is not
    /// complete.
    fn inspect(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending>;

    /// Sends octets; `complete` if they end with the end of a message.
    fn send(&mut self, octets: &[u8], complete: bool) -> io::Result<()>;

    /// Called before it waits for octets, which are the rest of a message if it `has_part`.
    fn about_to_wait(&mut self, has_part: bool) {
        let _ = has_part;
    }

    /// Called once for each message, when all of its octets have arrived.
    fn message_complete(&mut self) {}

    /// Whether to keep waiting although the stream is idle.
    fn keeps_waiting(&self) -> bool;
}

/// Forwards messages from one stream; buffers those without a decision.
#[derive(Debug)]
pub(crate) struct Relay<'a> {
    from: &'a dyn Stream,
    framing: Framing,
    max_message_size: usize,
    wait: BusyWait,
    /// The receive timeout.
    limit: Option<Duration>,
    buffer: Vec<u8>,
    /// What is charged for the buffer: its length beyond the usual one.
    charge: Charge,
    /// The preferred size of the buffer.
    wanted: usize,
    /// The unprocessed octets in the buffer are `start..end`.
    start: usize,
    end: usize,
    /// The unprocessed octets of the current message, received or not.
    left: usize,
    /// Whether the current message is forwarded.
    passing: bool,
    /// Whether the current message is the last one.
    last: bool,
    /// Whether the current message, which is complete, has been counted.
    is_counted: bool,
}

impl<'a> Relay<'a> {
    pub(crate) fn new(
        from: &'a dyn Stream,
        framing: Framing,
        max_message_size: usize,
        wait: WaitPolicy,
        limit: Option<Duration>,
    ) -> Self {
        Self {
            from,
            framing,
            max_message_size,
            wait: wait.busy_wait(),
            limit,
            buffer: Vec::new(),
            charge: Charge::default(),
            wanted: BUFFER_SIZE,
            start: 0,
            end: 0,
            left: 0,
            passing: false,
            last: false,
            is_counted: false,
        }
    }

    /// The same with a budget that its buffer is charged to.
    pub(crate) fn with_budget(self, budget: &Arc<MessageBudget>) -> Self {
        Self { charge: Charge::to(Arc::clone(budget)), ..self }
    }

    /// Forwards messages until the connection ends.
    pub(crate) fn run(&mut self, side: &mut impl Side) -> Ending {
        if let Err(error) = self.from.set_recv_timeout(self.limit) {
            return Ending::Lost(error);
        }
        if !self.resize(BUFFER_SIZE) {
            return Ending::Broken(ProtocolErrorKind::OutOfMemory(BUFFER_SIZE).into());
        }
        loop {
            if let Err(ending) = self.receive(side).and_then(|()| self.pass_on(side)) {
                return ending;
            }
        }
    }

    fn receive(&mut self, side: &mut impl Side) -> Result<(), Ending> {
        if self.start > 0 {
            // The remaining octets are the start of one message.
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        side.about_to_wait(self.left > 0 || self.end > 0);
        if self.end == self.buffer.len() {
            let length = self.buffer.len() * 2;
            if !self.grow(length) {
                return Err(Ending::Broken(ProtocolErrorKind::OutOfMemory(length).into()));
            }
        } else if self.left > 0 && self.wanted > self.buffer.len() && !self.grow(self.wanted) {
            // The smaller buffer will do.
            self.wanted = self.buffer.len();
        }
        if self.end == 0 && self.left == 0 && !self.charge.is_empty() {
            let Self { from, buffer, wait, limit, .. } = self;
            match linger::receive(*from, wait, buffer, *limit).map_err(Ending::Lost)? {
                Some(count) => return self.advance(count),
                None => self.shrink(),
            }
        }
        loop {
            let space = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.wait.recv(self.from, space, self.limit) {
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
    const fn advance(&mut self, count: usize) -> Result<(), Ending> {
        self.end += count;
        if count == 0 { Err(Ending::End) } else { Ok(()) }
    }

    /// Frees the memory of an empty large buffer.
    fn shrink(&mut self) {
        let mut smaller = Vec::new();
        // Without memory for a smaller block the large one stays.
        if smaller.try_reserve_exact(BUFFER_SIZE).is_err() {
            return;
        }
        smaller.resize(BUFFER_SIZE, 0);
        self.buffer = smaller;
        self.wanted = BUFFER_SIZE;
        self.charge.clear();
    }

    /// Enlarges the buffer, if the budget allows it.
    fn grow(&mut self, length: usize) -> bool {
        let before = self.buffer.len().saturating_sub(BUFFER_SIZE);
        if !self.charge.set(length.saturating_sub(BUFFER_SIZE)) {
            return false;
        }
        let fits = self.resize(length);
        if !fits {
            self.charge.reduce(before);
        }
        fits
    }

    /// Enlarges the buffer, if the system has the memory.
    fn resize(&mut self, length: usize) -> bool {
        let more = length.saturating_sub(self.buffer.len());
        let fits = self.buffer.try_reserve_exact(more).is_ok();
        if fits && more > 0 {
            self.buffer.resize(length, 0);
        }
        fits
    }

    /// Forwards the received messages, in one send unless a message in between is dropped or
    /// replaced.
    fn pass_on(&mut self, side: &mut impl Side) -> Result<(), Ending> {
        let mut cut = self.start;
        let outcome = self.examine(side, &mut cut);
        self.flush(side, cut)?;
        outcome
    }

    /// Examines the received octets; those up to `cut` are to be forwarded.
    fn examine(&mut self, side: &mut impl Side, cut: &mut usize) -> Result<(), Ending> {
        loop {
            if self.left > 0 {
                let here = self.left.min(self.end - *cut);
                self.left -= here;
                *cut += here;
                if !self.passing {
                    self.start = *cut;
                }
                if self.left > 0 {
                    return Ok(());
                }
                if !std::mem::take(&mut self.is_counted) {
                    side.message_complete();
                }
                if self.last {
                    return Err(Ending::Last);
                }
            }
            let seen = self.buffer.get(*cut..self.end).unwrap_or_default();
            let Some((header, total)) = self.framing.header(seen).map_err(Ending::Broken)? else {
                return Ok(());
            };
            if total > self.max_message_size {
                return Err(too_large(total, self.max_message_size));
            }
            if total > self.wanted {
                self.wanted = total.next_power_of_two().min(LARGE_BUFFER_SIZE);
            }
            let seen = seen.get(..total).unwrap_or(seen);
            // Before an answer, so that a client with an answer has been seen to use its connection.
            if seen.len() == total {
                side.message_complete();
                self.is_counted = true;
            }
            match side.inspect(&header, seen, seen.len() == total)? {
                Verdict::Pass => self.passing = true,
                Verdict::PassAfter(octets) => {
                    self.flush(side, *cut)?;
                    side.send(&octets, true).map_err(Ending::SendFailed)?;
                    self.passing = true;
                }
                Verdict::PassLast => {
                    self.last = true;
                    self.passing = true;
                }
                Verdict::Drop => {
                    self.flush(side, *cut)?;
                    self.passing = false;
                }
                Verdict::Replace(octets) => {
                    self.flush(side, *cut)?;
                    side.send(&octets, true).map_err(Ending::SendFailed)?;
                    self.passing = false;
                }
                Verdict::More if seen.len() >= MAX_HEAD => {
                    return Err(too_large(total, MAX_HEAD));
                }
                Verdict::More => return Ok(()),
            }
            self.left = total;
        }
    }

    /// Sends everything before `cut`.
    fn flush(&mut self, side: &mut impl Side, cut: usize) -> Result<(), Ending> {
        let octets = self.buffer.get(self.start..cut).unwrap_or_default();
        if octets.is_empty() {
            return Ok(());
        }
        self.start = cut;
        side.send(octets, self.left == 0).map_err(Ending::SendFailed)
    }
}

fn too_large(total: usize, limit: usize) -> Ending {
    Ending::Broken(ProtocolErrorKind::MessageTooLarge { size: total as u64, limit }.into())
}

#[cfg(test)]
mod tests;
