//! A stream whose receiving side a test writes.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::Stream;

/// A stream that gives what a test says, and takes whatever is sent. It has no time-outs, is never
/// stale, and nothing ends it.
pub struct Scripted<R, L> {
    receive: R,
    look: L,
    cheap_polls: u32,
    received: AtomicU32,
    looked: AtomicU32,
}

impl<R, L> Scripted<R, L>
where
    R: Fn(u32) -> io::Result<usize> + Send + Sync,
    L: Fn(u32) -> io::Result<Option<usize>> + Send + Sync,
{
    /// A stream whose [`recv`](Stream::recv) returns what `receive` says, and its
    /// [`try_recv`](Stream::try_recv) what `look` says: of the first call, the second, and so on from
    /// 1. The octets are those that were in the buffer.
    pub const fn new(receive: R, look: L) -> Self {
        let (received, looked) = (AtomicU32::new(0), AtomicU32::new(0));
        Self { receive, look, cheap_polls: 1, received, looked }
    }

    /// The same stream, but its [`cheap_polls`](Stream::cheap_polls) are so many.
    #[must_use]
    pub fn with_cheap_looks(self, cheap_polls: u32) -> Self {
        Self { cheap_polls, ..self }
    }

    /// How often somebody has waited in [`recv`](Stream::recv).
    pub fn received(&self) -> u32 {
        self.received.load(Ordering::Relaxed)
    }

    /// How often somebody has looked with [`try_recv`](Stream::try_recv).
    pub fn looked(&self) -> u32 {
        self.looked.load(Ordering::Relaxed)
    }
}

impl<R, L> Stream for Scripted<R, L>
where
    R: Fn(u32) -> io::Result<usize> + Send + Sync,
    L: Fn(u32) -> io::Result<Option<usize>> + Send + Sync,
{
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        (self.receive)(self.received.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }

    fn try_recv(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
        (self.look)(self.looked.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }

    fn cheap_polls(&self) -> u32 {
        self.cheap_polls
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_stale(&self) -> bool {
        false
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "peer"
    }

    fn local(&self) -> &'static str {
        "local"
    }
}

impl<R, L> fmt::Debug for Scripted<R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted")
            .field("received", &self.received)
            .field("looked", &self.looked)
            .finish_non_exhaustive()
    }
}
