//! Requests in fragments, for servers with small buffers.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use zorb_giop::fragments;
use zorb_transport::{PeerIdentity, Stream, StreamOptions};

/// A stream that sends messages of more than so many octets in fragments. Each call of it is given one
/// message, or a whole number of them.
#[derive(Debug)]
struct Fragmenting {
    inner: Arc<dyn Stream>,
    most: usize,
}

/// The stream with messages of more than `most` octets in fragments.
pub(crate) fn in_fragments(inner: Arc<dyn Stream>, most: usize) -> Arc<dyn Stream> {
    Arc::new(Fragmenting { inner, most })
}

impl Stream for Fragmenting {
    fn establish(&self) -> io::Result<()> {
        self.inner.establish()
    }

    fn is_established(&self) -> bool {
        self.inner.is_established()
    }

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.recv(buffer)
    }

    fn cheap_looks(&self) -> u32 {
        self.inner.cheap_looks()
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.inner.try_recv(buffer)
    }

    fn gives_all(&self) -> bool {
        self.inner.gives_all()
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() <= self.most {
            return self.inner.send_all(bytes);
        }
        for piece in fragments(bytes, self.most) {
            let (header, payload) = (piece.header(), piece.payload);
            self.inner.send_vectored_all(&mut [IoSlice::new(header), IoSlice::new(payload)])?;
        }
        Ok(())
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        if parts.iter().map(|part| part.len()).sum::<usize>() <= self.most {
            return self.inner.send_vectored_all(parts);
        }
        let joined: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.send_all(&joined)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.inner.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.inner.set_send_timeout(timeout)
    }

    fn is_stale(&self) -> bool {
        self.inner.is_stale()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.inner.shutdown(how)
    }

    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        self.inner.set_options(options)
    }

    fn peer(&self) -> &str {
        self.inner.peer()
    }

    fn local(&self) -> &str {
        self.inner.local()
    }

    fn peer_identity(&self) -> Option<Arc<PeerIdentity>> {
        self.inner.peer_identity()
    }

    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        self.inner.readiness_fd()
    }
}
