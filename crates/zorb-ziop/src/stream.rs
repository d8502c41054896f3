//! A stream that compresses and decompresses messages.

use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use zorb_os::lock::Lock;
use zorb_transport::socket::{TimedWaits, Timeout};
use zorb_transport::{Stream, forward_stream};

use crate::incoming::{Incoming, Step};
use crate::outgoing::{Compressed, Outgoing, header_of};

/// A stream of GIOP messages over one of GIOP and ZIOP messages. Each send begins with a message, or continues one that
/// has been sent in part.
#[derive(Debug)]
pub(crate) struct CompressedStream {
    inner: Arc<dyn Stream>,
    incoming: Lock<Incoming>,
    sending: Lock<Sending>,
    recv_timeout: Timeout,
}

/// The state of the sending half.
#[derive(Debug)]
struct Sending {
    outgoing: Outgoing,
    /// A compressed message that has been sent in part, and how much of it. The caller has been told that all of its
    /// message but the last octet has been sent.
    pending: Option<(Compressed, usize)>,
    /// The octets that are left of a message that is sent as it is.
    plain: usize,
}

impl CompressedStream {
    pub(crate) fn new(inner: Arc<dyn Stream>, incoming: Incoming, outgoing: Outgoing) -> Self {
        Self {
            inner,
            incoming: Lock::new(incoming),
            sending: Lock::new(Sending { outgoing, pending: None, plain: 0 }),
            recv_timeout: Timeout::none(),
        }
    }

    #[cfg(test)]
    pub(crate) fn inner(&self) -> &dyn Stream {
        &*self.inner
    }

    /// Takes octets, and receives by `receive` while there are none; `None` if that has none.
    fn receive(
        &self,
        buffer: &mut [u8],
        mut receive: impl FnMut(&mut [u8]) -> io::Result<Option<usize>>,
    ) -> io::Result<Option<usize>> {
        if buffer.is_empty() {
            return Ok(Some(0));
        }
        let mut incoming = self.incoming.lock();
        loop {
            match incoming.take(buffer)? {
                Step::Taken(count) => return Ok(Some(count)),
                Step::Needs(Some(most)) => {
                    let most = most.min(buffer.len());
                    let count = receive(buffer.get_mut(..most).unwrap_or_default())?;
                    incoming.passed(count.unwrap_or_default());
                    return Ok(count);
                }
                Step::Needs(None) => match receive(incoming.space())? {
                    None => return Ok(None),
                    Some(0) if incoming.is_empty() => return Ok(Some(0)),
                    Some(0) => {
                        incoming.has_ended();
                        match incoming.take(buffer)? {
                            Step::Taken(count) => return Ok(Some(count)),
                            Step::Needs(_) => return Ok(Some(0)),
                        }
                    }
                    Some(count) => incoming.filled(count),
                },
            }
        }
    }

    /// Sends `parts` by `send`, which advances them by what has been sent, and stops when that is not all.
    fn send(
        &self,
        parts: &mut &mut [IoSlice<'_>],
        send: impl Fn(&mut &mut [IoSlice<'_>]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut sending = self.sending.lock();
        let Sending { outgoing, pending, plain } = &mut *sending;
        loop {
            if let Some((compressed, sent)) = pending {
                let rest = compressed.octets.get(*sent..).unwrap_or_default();
                let before = rest.len();
                let mut slices = [IoSlice::new(rest)];
                let mut slices = &mut slices[..];
                send(&mut slices)?;
                *sent += before - length_of(slices);
                if *sent < compressed.octets.len() {
                    return Ok(());
                }
                *pending = None;
                IoSlice::advance_slices(parts, 1);
            }
            if *plain > 0 {
                let mut rest = first(parts, *plain);
                let wanted = length_of(&rest);
                let mut slices = &mut rest[..];
                send(&mut slices)?;
                let sent = wanted - length_of(slices);
                IoSlice::advance_slices(parts, sent);
                *plain -= sent;
                if sent < wanted {
                    return Ok(());
                }
            }
            let length = length_of(parts);
            if length == 0 {
                return Ok(());
            }
            match outgoing.compress(parts) {
                Some(compressed) => {
                    IoSlice::advance_slices(parts, length - 1);
                    *pending = Some((compressed, 0));
                }
                // Something else than a message is not expected: it is sent as it is.
                None => *plain = header_of(parts).map_or(length, |it| it.total_size()).max(length),
            }
        }
    }
}

fn length_of(parts: &[IoSlice<'_>]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

/// The first `count` octets.
fn first<'p>(parts: &'p [IoSlice<'_>], mut count: usize) -> Vec<IoSlice<'p>> {
    let mut found = Vec::with_capacity(parts.len());
    for part in parts {
        let taken = part.get(..count).unwrap_or(part);
        count -= taken.len();
        found.push(IoSlice::new(taken));
    }
    found
}

impl Stream for CompressedStream {
    forward_stream!(
        inner: establish, is_established, cheap_polls, set_send_timeout, shutdown, set_options,
        peer, local, peer_identity, hangup_fd, notify_of_hangup, is_used_otherwise,
        shares_connection
    );

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waits = TimedWaits::new(self.recv_timeout.current());
        let received = self.receive(buffer, |place| {
            waits.begin(|timeout| self.inner.set_recv_timeout(timeout))?;
            self.inner.recv(place).map(Some)
        });
        let received = received.map(Option::unwrap_or_default);
        waits.end(received, |timeout| self.inner.set_recv_timeout(timeout))
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.receive(buffer, |place| self.inner.try_recv(place))
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.send_vectored_all(&mut [IoSlice::new(bytes)])
    }

    fn send_vectored_all(&self, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send(&mut parts, |parts| {
            self.inner.send_vectored_all(parts)?;
            *parts = &mut [];
            Ok(())
        })
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = [IoSlice::new(bytes)];
        let mut rest = &mut parts[..];
        self.try_send_vectored(&mut rest)?;
        Ok(bytes.len() - length_of(rest))
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send(parts, |parts| self.inner.try_send_vectored(parts))
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.change(timeout, |timeout| self.inner.set_recv_timeout(timeout))
    }

    fn is_readable(&self) -> bool {
        // While another thread receives, it does not matter.
        let Some(incoming) = self.incoming.try_lock() else { return false };
        !incoming.is_empty() || self.inner.is_readable()
    }

    /// None: octets may be available although the socket has none.
    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
