//! A stream whose receiving side is scripted by a test.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use zorb_transport::Stream;

/// A stream that returns what functions of a test return, and accepts whatever is sent. It has no timeouts, is never
/// readable and never ends.
pub struct Scripted<R, P> {
    receive: R,
    poll: P,
    received: AtomicU32,
    polled: AtomicU32,
}

impl<R, P> Scripted<R, P>
where
    R: Fn(u32) -> io::Result<usize> + Send + Sync,
    P: Fn(u32) -> io::Result<Option<usize>> + Send + Sync,
{
    /// A stream whose [`recv`](Stream::recv) returns the result of `receive` and whose
    /// [`try_recv`](Stream::try_recv) that of `poll`, which are called with the number of the call, from 1. They leave
    /// the buffer as it was.
    pub const fn new(receive: R, poll: P) -> Self {
        let (received, polled) = (AtomicU32::new(0), AtomicU32::new(0));
        Self { receive, poll, received, polled }
    }

    /// The number of calls of [`recv`](Stream::recv).
    pub fn receives(&self) -> u32 {
        self.received.load(Ordering::Relaxed)
    }

    /// The number of calls of [`try_recv`](Stream::try_recv).
    pub fn polls(&self) -> u32 {
        self.polled.load(Ordering::Relaxed)
    }
}

impl<R, P> Stream for Scripted<R, P>
where
    R: Fn(u32) -> io::Result<usize> + Send + Sync,
    P: Fn(u32) -> io::Result<Option<usize>> + Send + Sync,
{
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        (self.receive)(self.received.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }

    fn try_recv(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
        (self.poll)(self.polled.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
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

impl<R, P> fmt::Debug for Scripted<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted")
            .field("received", &self.received)
            .field("polled", &self.polled)
            .finish_non_exhaustive()
    }
}
