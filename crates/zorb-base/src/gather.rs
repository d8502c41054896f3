//! Messages that end in a long run of octets, which is sent from where it lies.
//!
//! Arguments are written by a closure to which their memory is lent only while it runs. So it runs
//! twice for such a message: first everything but the run is written, which tells how long the
//! message is; then the closure gets to the run again, and message and run are sent in one gathered
//! write. A run that something follows is copied: most are the last argument or the only result.
//!
//! The run itself is only looked at, the first time and the second, so what is written twice is what
//! stands before it: a length, and arguments that are few. Once would do if the closure's type said
//! that the run outlives it. But then every type's way of writing itself would have to carry that
//! lifetime, for the sake of the few that end in a run. Nothing has to be believed for it: the closure
//! is `Fn` and borrows what it writes, and a second time that comes to another place or length sends
//! nothing.

use std::io::{self, IoSlice};

use zorb_cdr::{ByteOrder, CdrResult, CdrWriter, Outlet, TextCoding};
use zorb_giop::MessageWriter;

/// Writes a message's body.
///
/// A trait of its own, since the table of a `dyn Fn` has the closure three times.
pub trait Body {
    /// Writes the body, as often as it is called.
    ///
    /// # Errors
    /// When a value has no encoding.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
}

impl<F: Fn(&mut CdrWriter<'_>) -> CdrResult<()>> Body for F {
    #[inline]
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self(writer)
    }
}

/// A body whose type is erased.
pub type WriteBody<'a> = &'a dyn Body;

/// The run of octets that ends a message and is not in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Where the body starts in the buffer, once the message is complete.
    body: usize,
    run: Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Octets of the message before it.
    at: usize,
    length: usize,
}

/// Looks for the long run while a body is written.
#[derive(Debug)]
pub struct Gather {
    threshold: usize,
    found: Option<Tail>,
}

impl Gather {
    /// Leaves runs of at least `threshold` octets where they are.
    #[inline]
    pub fn runs_from(threshold: usize) -> Self {
        Self { threshold, found: None }
    }

    /// The run at the end of the message, if there is one to gather.
    #[inline]
    pub fn tail(&self) -> Option<Tail> {
        self.found
    }

    /// Writes the body of `message`, and completes it.
    #[inline(always)] // as `Inbound::poll`
    pub fn write_body(
        &mut self,
        mut message: MessageWriter<'_>,
        text: TextCoding,
        body: WriteBody<'_>,
    ) -> CdrResult<()> {
        let mut writer = message.body(text);
        writer.offer_to(self);
        body.write(&mut writer)?;
        match self.found {
            None => message.finish(),
            Some(tail) => self.finish(message, text, tail, body),
        }
    }

    #[inline(never)]
    fn finish(
        &mut self,
        mut message: MessageWriter<'_>,
        text: TextCoding,
        Tail { body: _, run }: Tail,
        write: WriteBody<'_>,
    ) -> CdrResult<()> {
        let body = message.body_start();
        if message.len() == run.at {
            self.found = Some(Tail { body, run });
            return message.finish_before(run.length);
        }
        // Something follows the run.
        self.found = None;
        message.clear_body();
        write.write(&mut message.body(text))?;
        message.finish()
    }
}

impl Outlet for Gather {
    #[inline]
    fn offer(&mut self, written: &[u8], octets: &[u8]) -> bool {
        if octets.len() < self.threshold || self.found.is_some() {
            return false;
        }
        let run = Run { at: written.len(), length: octets.len() };
        self.found = Some(Tail { body: 0, run });
        true
    }
}

impl Tail {
    /// Octets of the message, the run included.
    #[cfg(test)]
    fn message_size(&self) -> usize {
        self.run.at + self.run.length
    }

    /// Sends the message in `buffer` and the run. `write` is what wrote the body before.
    ///
    /// # Errors
    /// Those of `send`; `InvalidData`, with nothing sent, when `write` wrote something else.
    pub fn send(
        self,
        buffer: &mut Vec<u8>,
        text: TextCoding,
        write: WriteBody<'_>,
        send: &mut dyn FnMut(&mut [IoSlice<'_>]) -> io::Result<()>,
    ) -> io::Result<()> {
        buffer.truncate(self.body);
        let mut sender = Sender { run: self.run, send, sent: None };
        let mut writer = CdrWriter::resume(buffer, ByteOrder::NATIVE).with_text(text);
        writer.offer_to(&mut sender);
        let again = write.write(&mut writer);
        match (again, sender.sent) {
            (Ok(()), Some(sent)) => sent,
            (_, Some(Err(error))) => Err(error),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Sends the run when it comes.
struct Sender<'a> {
    run: Run,
    send: &'a mut dyn FnMut(&mut [IoSlice<'_>]) -> io::Result<()>,
    sent: Option<io::Result<()>>,
}

impl Outlet for Sender<'_> {
    fn offer(&mut self, written: &[u8], octets: &[u8]) -> bool {
        let run = Run { at: written.len(), length: octets.len() };
        if run != self.run || self.sent.is_some() {
            return false;
        }
        self.sent = Some((self.send)(&mut [IoSlice::new(written), IoSlice::new(octets)]));
        true
    }
}

#[cfg(test)]
mod tests;
