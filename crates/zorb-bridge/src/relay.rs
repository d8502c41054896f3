//! One direction of a bridged connection: octets in, messages looked at, octets out.

use std::fmt;
use std::io;
use std::time::Duration;

use zorb_giop::{MessageHeader, ProtocolError, ProtocolErrorKind};
use zorb_transport::{Stream, WaitPolicy, Waits};

use crate::framing::Framing;

/// Octets that are moved at once, as long as no message is larger.
const BUFFER_SIZE: usize = 64 << 10;
/// The same where messages are larger: each part of one wakes who reads it.
const LARGE_BUFFER_SIZE: usize = 256 << 10;
/// The most octets of a message that are kept until it can be said what becomes of it: a header with
/// all its service contexts.
pub(crate) const MOST_BEGINNING: usize = 256 << 10;

/// What becomes of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It goes over.
    Pass,
    /// It goes over, and these octets before it.
    PassAfter(Vec<u8>),
    /// It goes over, and nothing after it.
    PassLast,
    /// It does not go over.
    Drop,
    /// That cannot be said before more of it is here.
    More,
    /// These octets go over in its place; only of a message that is here as a whole.
    Replace(Vec<u8>),
}

/// Why a direction has come to its end.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The sender has ended its stream.
    End,
    /// A message went over that ends the connection.
    Last,
    /// The sender has broken the protocol, or passed a limit.
    Broken(ProtocolError),
    /// Nothing came for too long.
    Idle,
    /// Receiving failed.
    Lost(io::Error),
    /// Sending failed.
    NotTaken(io::Error),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("its stream has ended"),
            Self::Last => f.write_str("it said that it ends the connection"),
            Self::Broken(error) => error.fmt(f),
            Self::Idle => f.write_str("nothing came for long"),
            Self::Lost(error) => error.fmt(f),
            Self::NotTaken(error) => write!(f, "the other side takes nothing: {error}"),
        }
    }
}

/// What a direction does with messages.
pub(crate) trait Side {
    /// Says what becomes of the message of which `seen` is here, header and all; `whole` when that is
    /// all of it. It is asked again with more after [`Verdict::More`], which is no answer then.
    fn judge(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending>;

    /// Sends octets over; `complete` when they end with the end of a message.
    fn send(&mut self, octets: &[u8], complete: bool) -> io::Result<()>;

    /// Whether to wait on although nothing came for long.
    fn waits_on(&self) -> bool;
}

/// Moves messages from one stream, and keeps what of them has not been judged.
#[derive(Debug)]
pub(crate) struct Relay<'a> {
    from: &'a dyn Stream,
    framing: Framing,
    max_message_size: usize,
    wait: Waits,
    /// How long to wait for octets.
    limit: Option<Duration>,
    buffer: Vec<u8>,
    /// What it had better hold.
    wanted: usize,
    /// `start..end` was received and is not dealt with.
    start: usize,
    end: usize,
    /// Octets of the message under way that are not dealt with, here or still to come.
    left: usize,
    /// Whether it goes over.
    passing: bool,
    /// Whether it is the last one.
    last: bool,
}

impl<'a> Relay<'a> {
    pub(crate) fn new(
        from: &'a dyn Stream,
        framing: Framing,
        max_message_size: usize,
        (wait, limit): (WaitPolicy, Option<Duration>),
    ) -> Self {
        Self {
            from,
            framing,
            max_message_size,
            wait: wait.waits(),
            limit,
            buffer: vec![0; BUFFER_SIZE],
            wanted: BUFFER_SIZE,
            start: 0,
            end: 0,
            left: 0,
            passing: false,
            last: false,
        }
    }

    /// Moves messages until there is a reason to stop.
    pub(crate) fn run(&mut self, side: &mut impl Side) -> Ending {
        if let Err(error) = self.from.set_recv_timeout(self.limit) {
            return Ending::Lost(error);
        }
        loop {
            if let Err(ending) = self.receive(side).and_then(|()| self.pass_on(side)) {
                return ending;
            }
        }
    }

    fn receive(&mut self, side: &impl Side) -> Result<(), Ending> {
        if self.start > 0 {
            // What is left is the beginning of one message.
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        } else if self.left > 0 && self.wanted > self.buffer.len() {
            self.buffer.resize(self.wanted, 0);
        }
        loop {
            let space = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.wait.recv(self.from, space, self.limit) {
                Ok(0) => return Err(Ending::End),
                Ok(count) => {
                    self.end += count;
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

    /// Sends what may go over, all of it at once unless something between does not.
    fn pass_on(&mut self, side: &mut impl Side) -> Result<(), Ending> {
        let mut cut = self.start;
        let outcome = self.look(side, &mut cut);
        self.flush(side, cut)?;
        outcome
    }

    /// Goes on until what is here is used up; up to `cut` it is to go over.
    fn look(&mut self, side: &mut impl Side, cut: &mut usize) -> Result<(), Ending> {
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
            match side.judge(&header, seen, seen.len() == total)? {
                Verdict::Pass => self.passing = true,
                Verdict::PassAfter(octets) => {
                    self.flush(side, *cut)?;
                    side.send(&octets, true).map_err(Ending::NotTaken)?;
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
                    side.send(&octets, true).map_err(Ending::NotTaken)?;
                    self.passing = false;
                }
                Verdict::More if seen.len() >= MOST_BEGINNING => {
                    return Err(too_large(total, MOST_BEGINNING));
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
        side.send(octets, self.left == 0).map_err(Ending::NotTaken)
    }
}

fn too_large(total: usize, limit: usize) -> Ending {
    Ending::Broken(ProtocolErrorKind::MessageTooLarge { size: total as u64, limit }.into())
}

#[cfg(test)]
mod tests;
