//! Streams.

mod forward;

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use zorb_os::buffers::{ReceivedBuffer, SendBuffer};

use crate::{PeerIdentity, StreamOptions};

/// The number of octets that [`Stream::try_send_vectored`] copies into one buffer.
const GATHERED: usize = 16 << 10;

/// A connected, blocking, ordered stream of octets between two endpoints.
///
/// All methods take `&self`: one thread may send while another receives, and any thread may shut
/// the stream down. Two threads that send at once interleave their octets, so the connection above
/// holds a send lock; the same applies to receiving. Dropping the last reference closes the stream.
///
/// # Time-outs
/// The timeout of a direction belongs to the thread that currently uses the direction. It is
/// cached, so setting the same value again makes no system call. `None`, the default, means no
/// timeout. Zero means the system's minimum.
///
/// # Cost
/// On a socket, `recv` is one system call, and so are `send_all` and `send_vectored_all` if the
/// system accepts everything at once. Nothing allocates.
pub trait Stream: Send + Sync + fmt::Debug {
    /// Completes what must precede the first octet: on the server's side of TLS, the handshake.
    /// Called once by the thread that serves an accepted stream, instead of the accepting thread,
    /// so that a slow peer does not delay others. Calling it again has no effect. Default: nothing
    /// to do.
    ///
    /// # Errors
    /// The stream is unusable: [`io::ErrorKind::PermissionDenied`] if one side rejects the other.
    fn establish(&self) -> io::Result<()> {
        Ok(())
    }

    /// Whether [`establish`](Self::establish) would return at once. Default: `true`.
    fn is_established(&self) -> bool {
        true
    }

    /// Waits for octets and reads up to `buffer.len()` of them. Returns their number; 0 at the end
    /// of the stream (or for an empty `buffer`).
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after the receive timeout (nothing is lost, the call may be
    /// repeated); otherwise the error of the system call, such as
    /// [`io::ErrorKind::ConnectionReset`]. Interrupted waits are continued.
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Like [`recv`](Self::recv) without waiting: `None` if nothing is available. For threads that
    /// busy-wait.
    ///
    /// Default: receives if [`is_readable`](Self::is_readable) indicates data. Override it if the
    /// transport needs only one step.
    ///
    /// # Errors
    /// As [`recv`](Self::recv), except for the timeout.
    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if self.is_readable() { self.recv(buffer).map(Some) } else { Ok(None) }
    }

    /// The number of initial [`try_recv`](Self::try_recv) calls of a busy-wait without a pause and
    /// without reading the clock, which should take about a microsecond in total. Default: 1, for
    /// transports with a system call per attempt.
    fn cheap_polls(&self) -> u32 {
        1
    }

    /// Whether receiving less than requested means that no more is available, as on sockets: a
    /// thread that waits for readiness need not try again. Default: `false`.
    fn short_read_means_empty(&self) -> bool {
        false
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if the peer has not taken everything within the send timeout,
    /// which starts with the call and is not extended by progress. After any error a part of
    /// `bytes` may have been sent: do not send on the stream again.
    fn send_all(&self, bytes: &[u8]) -> io::Result<()>;

    /// Sends all of `parts` in order as if they were one slice, without copying them together. The
    /// slices are advanced.
    ///
    /// # Errors
    /// As [`send_all`](Self::send_all).
    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()>;

    /// Like [`send_all`](Self::send_all) without waiting: sends what the stream takes at once, and returns
    /// the number of octets, which is less than those of `bytes` if the peer does not read. The next send
    /// continues with the rest of `bytes`. A stream with a [descriptor](Self::readiness_fd) takes more when
    /// that is writable.
    ///
    /// The threads of lanes send this way, so that no client stops them. It is therefore never [`send_all`](Self::send_all)
    /// if a peer that does not read can stop that.
    ///
    /// # Errors
    /// As [`send_all`](Self::send_all), except for the timeout.
    fn try_send(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Like [`try_send`](Self::try_send) for all of `parts`, which are advanced to what is left to send.
    ///
    /// Default: [`try_send`](Self::try_send) of one buffer after the other, into which parts are copied that have
    /// less than 16 KiB. Override it if the transport gathers without a copy.
    ///
    /// # Errors
    /// As [`try_send`](Self::try_send).
    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(parts, 0); // drops empty slices at the front
        let mut copies = Vec::new();
        while let Some(first) = parts.first() {
            let next: &[u8] = if parts.len() == 1 || first.len() >= GATHERED {
                first
            } else {
                gather(parts, &mut copies);
                &copies
            };
            let (sent, len) = (self.try_send(next)?, next.len());
            IoSlice::advance_slices(parts, sent);
            if sent < len {
                break;
            }
        }
        Ok(())
    }

    /// Like [`try_send_vectored`](Self::try_send_vectored) for the beginning of a message and a run of octets or numbers
    /// behind it, which the peer may [borrow](Self::borrow). What is left of them is sent as other parts are.
    ///
    /// Default: [`try_send_vectored`](Self::try_send_vectored). Override it if the transport can share memory with the peer.
    ///
    /// # Errors
    /// As [`try_send`](Self::try_send).
    fn try_send_run(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        self.try_send_vectored(parts)
    }

    /// Sets the timeout of [`recv`](Self::recv). Default `None`: none.
    ///
    /// # Errors
    /// The system call fails.
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Sets the timeout of a complete send. Default `None`: none.
    ///
    /// # Errors
    /// The system call fails.
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Whether [`recv`](Self::recv) would return at once: octets have arrived, the stream has ended, or it
    /// has failed. An idle connection that is readable cannot carry a new request: the peer has closed it or
    /// sent an unexpected message (for example a GIOP `CloseConnection`).
    ///
    /// Never waits and consumes nothing; one system call on a socket. Meaningful only while no other thread
    /// receives. A transport without connections returns `false`.
    fn is_readable(&self) -> bool;

    /// Ends one direction or both. A thread blocked in [`recv`](Self::recv) of this stream returns
    /// 0 (or an error) at once, and the peer reads the end of the stream after all sent octets.
    /// Repeating it is not an error.
    ///
    /// # Errors
    /// The system call fails; a disconnected peer is not an error.
    fn shutdown(&self, how: Shutdown) -> io::Result<()>;

    /// Changes the options of the connected stream as far as possible. Default: ignores them.
    ///
    /// # Errors
    /// The system call fails; some of the options may have been applied.
    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        let _ = options;
        Ok(())
    }

    /// The peer, for messages: `192.0.2.7:40122`.
    fn peer(&self) -> &str;

    /// This end, for messages: `192.0.2.1:2809`.
    fn local(&self) -> &str;

    /// A free buffer for `len` octets in memory shared with the peer. It is sent without a copy if
    /// a slice of it is the run of [`try_send_run`](Self::try_send_run). Never
    /// waits. Default: none.
    fn loan(&self, len: usize) -> Option<SendBuffer> {
        let _ = len;
        None
    }

    /// Receives the next `len` octets in place, in memory shared with the peer, if they were sent
    /// as one buffer. Never waits, and receives nothing otherwise. Default: none.
    fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        let _ = len;
        None
    }

    /// The minimum size of the run of [`try_send_run`](Self::try_send_run) for which
    /// gathering is cheaper than copying, if it differs from the caller's default. Default: `None`.
    ///
    /// Such a run may be in shared memory while it is read. It must therefore consist of octets,
    /// or of numbers of which any value is valid: receivers reject text there.
    fn gather_threshold(&self) -> Option<usize> {
        None
    }

    /// The verified identity of the peer. Default: none.
    fn peer_identity(&self) -> Option<Arc<PeerIdentity>> {
        None
    }

    /// The descriptor for readiness, if the stream has one. Default: none.
    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// A socket at which the system reports that the peer has closed the stream (`EPOLLRDHUP`), so that clients close
    /// idle connections when their servers do. Default: that for [readiness](Self::readiness_fd).
    fn hangup_fd(&self) -> Option<BorrowedFd<'_>> {
        self.readiness_fd()
    }

    /// For streams without [such a socket](Self::hangup_fd): calls `notify` once, from any thread, when the peer has
    /// closed the stream or the stream has failed; at once if it has. A later call replaces `notify`, which must not
    /// wait for the peer. Returns whether the stream can do that. Default: it cannot.
    fn notify_of_hangup(&self, notify: Box<dyn FnOnce() + Send>) -> bool {
        drop(notify);
        false
    }

    /// Whether a connection that carries requests in both directions is used in the other one, or was since this was
    /// last asked: then this side does not close it because it is idle. Default: no.
    fn is_used_otherwise(&self) -> bool {
        false
    }

    /// Whether other streams share its connection, as those of both directions do: then the connection stands still until
    /// each of them is read. Default: no.
    fn shares_connection(&self) -> bool {
        false
    }
}

/// Copies the beginning of `parts` into `buffer`.
fn gather(parts: &[IoSlice<'_>], buffer: &mut Vec<u8>) {
    buffer.clear();
    for part in parts {
        let room = GATHERED - buffer.len();
        buffer.extend_from_slice(part.get(..room).unwrap_or(part));
    }
}

#[cfg(test)]
mod tests;
