//! Gathered writes: messages that end in a long run of octets send the run from the caller's memory.
//!
//! A closure writes the arguments, and borrows them only while it runs. For such a message it therefore runs
//! twice: the first pass writes everything except the run and yields the length of the message; the second one
//! reaches the run again and sends message and run in one gathered write. A run that is not the end of the
//! message is copied; most runs are the last argument or the only result.
//!
//! Only the octets before the run are written twice: a length, and usually few arguments. Writing them once
//! would need a lifetime in [`Wire::write`](zorb_cdr::Wire::write) of every type. The second pass is checked: if
//! the run has another offset or length, nothing is sent.

use std::fmt;
use std::io::{self, IoSlice};

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrResult, CdrWriter, Gathered, Outlet, TextCoding};
use zorb_giop::MessageWriter;
use zorb_transport::Stream;

/// Writes the body of a message. It is not a `dyn Fn`, whose vtable contains the closure three times.
pub trait Body {
    /// Writes the body. It may be called several times.
    ///
    /// # Errors
    /// A value has no encoding.
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

/// Sends the parts of a message; the last one is what has been gathered.
pub type SendGathered<'a> = &'a mut dyn FnMut(&mut [IoSlice<'_>], Gathered) -> io::Result<()>;

/// Sends as much of a message as the stream takes without waiting, and advances `parts` past it. The last part is what was
/// gathered.
///
/// # Errors
/// As [`Stream::try_send`].
pub fn try_send(
    stream: &dyn Stream,
    parts: &mut &mut [IoSlice<'_>],
    gathered: Gathered,
) -> io::Result<()> {
    match gathered {
        Gathered::Run => stream.try_send_run(parts),
        Gathered::Value => stream.try_send_vectored(parts),
    }
}

/// A run of octets at the end of a message that is not in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The offset of the body in the buffer of the complete message.
    body: usize,
    run: Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Its offset in the message.
    at: usize,
    length: usize,
    what: Gathered,
}

impl Run {
    const fn after(written: &[u8], octets: &[u8], what: Gathered) -> Self {
        Self { at: written.len(), length: octets.len(), what }
    }
}

impl Tail {
    /// The length of the run in octets.
    pub fn length(&self) -> usize {
        self.run.length
    }
}

/// Finds the run while a body is written.
#[derive(Debug)]
pub struct Gather {
    threshold: usize,
    found: Option<Tail>,
}

impl Gather {
    /// Creates a gatherer that does not copy runs of at least `threshold` octets.
    #[inline]
    pub fn runs_from(threshold: usize) -> Self {
        Self { threshold, found: None }
    }

    /// The run at the end of the message, if there is one.
    #[inline]
    pub fn tail(&self) -> Option<Tail> {
        self.found
    }

    /// Writes the body of `message` and completes it.
    ///
    /// # Errors
    /// A value has no encoding, or the message is too large.
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
        // The run is not the end of the message.
        self.found = None;
        message.clear_body();
        write.write(&mut message.body(text))?;
        message.finish()
    }
}

impl Outlet for Gather {
    #[inline]
    fn offer(&mut self, written: &[u8], octets: &[u8], what: Gathered) -> bool {
        if octets.len() < self.threshold || self.found.is_some() {
            return false;
        }
        self.found = Some(Tail { body: 0, run: Run::after(written, octets, what) });
        true
    }
}

impl Tail {
    /// The size of the message including the run.
    #[cfg(test)]
    fn message_size(&self) -> usize {
        self.run.at + self.run.length
    }

    /// Sends the message in `buffer` and the run. `write` must be the body of the first pass.
    ///
    /// # Errors
    /// Those of `send`; with nothing sent, one that [`is_out_of_memory`] recognizes without memory for the second pass,
    /// and one that [`is_body_changed`] recognizes if `write` puts the run elsewhere than in the first pass.
    pub fn send(
        self,
        buffer: &mut Vec<u8>,
        text: TextCoding,
        write: WriteBody<'_>,
        send: SendGathered<'_>,
    ) -> io::Result<()> {
        buffer.truncate(self.body);
        let mut sender = Sender { run: self.run, send, sent: None };
        let mut writer = CdrWriter::resume(buffer, ByteOrder::NATIVE).with_text(text);
        writer.offer_to(&mut sender);
        let again = write.write(&mut writer);
        match (again, sender.sent) {
            // The run was the end of the message.
            (_, Some(sent)) => sent,
            (Err(error), None) if error.kind == CdrErrorKind::OutOfMemory => {
                Err(io::Error::new(io::ErrorKind::OutOfMemory, SecondPass::OutOfMemory))
            }
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, SecondPass::Changed)),
        }
    }
}

/// The failure of a second pass.
#[derive(Debug, PartialEq, Eq)]
enum SecondPass {
    /// It writes the body differently.
    Changed,
    OutOfMemory,
}

impl fmt::Display for SecondPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "the arguments are written differently each time",
            Self::OutOfMemory => "there is no memory to write the arguments again",
        })
    }
}

impl std::error::Error for SecondPass {}

/// Whether [sending](Tail::send) failed since the body was not the same as in the first pass: nothing was sent.
#[cold]
pub fn is_body_changed(error: &io::Error) -> bool {
    is(error, &SecondPass::Changed)
}

/// Whether [sending](Tail::send) failed since there was no memory for the second pass: nothing was sent.
#[cold]
pub fn is_out_of_memory(error: &io::Error) -> bool {
    is(error, &SecondPass::OutOfMemory)
}

fn is(error: &io::Error, failure: &SecondPass) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref()) == Some(failure)
}

/// Sends message and run when the body offers the run.
struct Sender<'a> {
    run: Run,
    send: SendGathered<'a>,
    sent: Option<io::Result<()>>,
}

impl Outlet for Sender<'_> {
    fn offer(&mut self, written: &[u8], octets: &[u8], what: Gathered) -> bool {
        if Run::after(written, octets, what) != self.run || self.sent.is_some() {
            return false;
        }
        self.sent = Some((self.send)(&mut [IoSlice::new(written), IoSlice::new(octets)], what));
        true
    }
}

#[cfg(test)]
mod tests;
