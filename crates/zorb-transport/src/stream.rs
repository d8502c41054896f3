//! A connected byte stream.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use zorb_os::buffers::{ReceivedBuffer, SendBuffer};

use crate::{PeerIdentity, StreamOptions};

/// A connected, blocking, ordered stream of bytes between two endpoints.
///
/// All methods take `&self`: one thread may send while another receives, and any thread may
/// shut the stream down. Two threads sending at once interleave their bytes, so the connection
/// above holds its own send lock; the same goes for receiving. Dropping the last reference
/// closes the stream.
///
/// # Time-outs
/// A direction's time-out belongs to the thread that uses the direction at the moment. It is
/// remembered, so setting the value that is already set costs no system call. `None`, the
/// default, waits for ever. A zero time-out means the shortest one that the system knows.
///
/// # Cost
/// On a socket a `recv` is one system call, and so is a `send_all` or `send_vectored_all` that
/// the system takes in whole. Nothing allocates.
pub trait Stream: Send + Sync + fmt::Debug {
    /// Agrees with the peer on what has to be agreed on before the first byte: on a server's side
    /// of TLS, the handshake. Called once by the thread that serves an accepted stream, not by the
    /// one that accepts, so that a peer that takes its time holds up nobody else. Doing it twice is
    /// harmless. Default: nothing has to be agreed on.
    ///
    /// # Errors
    /// Why the stream is of no use: [`io::ErrorKind::PermissionDenied`] when the peer is not let in
    /// or does not let this side in.
    fn establish(&self) -> io::Result<()> {
        Ok(())
    }

    /// Whether nothing has to be agreed on any more before bytes can be received, so that
    /// [`establish`](Self::establish) would return at once. Default: nothing ever has to be.
    fn is_established(&self) -> bool {
        true
    }

    /// Waits for bytes and moves up to `buffer.len()` of them into `buffer`. Returns how many;
    /// 0 is the end of the stream (or an empty `buffer`).
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] when the receive time-out passed (nothing is lost, the call
    /// may be repeated), else what the system says, such as
    /// [`io::ErrorKind::ConnectionReset`]. Interrupted waits are taken up again.
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// As [`recv`](Self::recv), but never waits: `None` when nothing is there yet. It is what a
    /// thread calls that would rather look again and again for a while than be put to sleep.
    ///
    /// Default: receives once [`is_stale`](Self::is_stale) says that there is something. A transport
    /// that can tell in one step does so.
    ///
    /// # Errors
    /// As [`recv`](Self::recv), but for the time-out, which means nothing here.
    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if self.is_stale() { self.recv(buffer).map(Some) } else { Ok(None) }
    }

    /// How often in a row [`try_recv`](Self::try_recv) is called at first, before the thread pauses and
    /// looks at the clock: so often that all of it takes about a microsecond. Default: once, for a
    /// transport where each takes a system call.
    fn cheap_looks(&self) -> u32 {
        1
    }

    /// Whether receiving fewer bytes than asked for means that no more were there. So it is with
    /// sockets, and whoever waits for their readiness need not ask a second time. Default: `false`.
    fn gives_all(&self) -> bool {
        false
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] when the peer has not taken all within the send time-out,
    /// which begins with the call, also where the peer goes on taking some. After any error part of `bytes` may be on its way: the stream is of no further use for sending.
    fn send_all(&self, bytes: &[u8]) -> io::Result<()>;

    /// Sends all of `parts` in order, gathered: as if they were one slice, without copying
    /// them together. The slices are consumed as they are sent.
    ///
    /// # Errors
    /// As [`send_all`](Self::send_all).
    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()>;

    /// Sets how long [`recv`](Self::recv) waits. Default `None`: for ever.
    ///
    /// # Errors
    /// What the system says.
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Sets how long one send, all of it, waits for the peer to take bytes. Default `None`: for ever.
    ///
    /// # Errors
    /// What the system says.
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Whether an idle stream is no longer fit for a new request: it is closed, in error, or
    /// holds bytes that nobody waits for (a GIOP `CloseConnection`, say).
    ///
    /// Never waits and consumes nothing; one system call on a socket. Only meaningful while no
    /// reply is due and no other thread receives.
    fn is_stale(&self) -> bool;

    /// Ends one direction or both. A thread blocked in [`recv`](Self::recv) here returns 0 (or
    /// an error) at once, and the peer reads the end of the stream after the bytes already
    /// sent. Doing it twice is not an error.
    ///
    /// # Errors
    /// What the system says; a peer that has gone already is not an error.
    fn shutdown(&self, how: Shutdown) -> io::Result<()>;

    /// Has the stream be set up as `options` say from now on, as far as that can be changed once it is
    /// connected. Default: passes over it.
    ///
    /// # Errors
    /// What the system says; the stream goes on as it was, or partly as asked for.
    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        let _ = options;
        Ok(())
    }

    /// The other side, for messages: `192.0.2.7:40122`.
    fn peer(&self) -> &str;

    /// This side, for messages: `192.0.2.1:2809`.
    fn local(&self) -> &str;

    /// A free buffer for `len` octets of memory that the peer sees too, which go to it uncopied when a
    /// slice of the buffer is the last of the parts of
    /// [`send_vectored_all`](Self::send_vectored_all). Never waits. Default: none.
    fn loan(&self, len: usize) -> Option<SendBuffer> {
        let _ = len;
        None
    }

    /// Receives the next `len` octets where they lie in memory that the peer sees too, if they are all
    /// of what it has put there. Never waits, and receives nothing otherwise. Default: none.
    fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        let _ = len;
        None
    }

    /// From how many octets on a part of [`send_vectored_all`](Self::send_vectored_all) had better
    /// stay where it is than be copied behind what goes before it, where the stream knows better than
    /// its user. Default: it does not.
    ///
    /// Such a part may lie in memory that both sides see while it is read. So it has to be of octets, or
    /// of numbers, of which any are good: receivers refuse text there.
    fn gathers_from(&self) -> Option<usize> {
        None
    }

    /// Who the peer has proven to be. Default: nobody asked it.
    fn peer_identity(&self) -> Option<Arc<PeerIdentity>> {
        None
    }

    /// The descriptor to wait on for readiness, where the stream has one. Default: none.
    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
