//! The stream of a TLS connection.
//!
//! rustls has one state for both directions of a connection, which is locked here during encryption
//! and decryption. The octets pass through a separate buffer per direction, so that no thread holds
//! the lock during a system call: one thread sends while another waits to receive.

mod session;

use std::io::{self, IoSlice, Write as _};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::Connection;
use zorb_os::lock::Lock;
use zorb_transport::socket::{TimedWaits, Timeout};
use zorb_transport::{PeerIdentity, Stream, forward_stream};

use crate::configured::Tls;
use crate::credentials::Handshake;
use crate::inbox::Inbox;

/// The maximum number of pending octets that are read from the socket when a stream is dropped.
const MAX_DRAINED: usize = 64 << 10;

/// A TLS connection.
#[derive(Debug)]
pub(crate) struct TlsStream {
    inner: Arc<dyn Stream>,
    /// The configuration of a server's handshake; a client's is done before there is a stream.
    tls: Option<Tls>,
    /// Locked during the handshake; whether it has failed.
    handshake: Lock<bool>,
    /// Set at the end of the handshake.
    session: OnceLock<Lock<Connection>>,
    identity: OnceLock<Arc<PeerIdentity>>,
    /// For the receiving thread.
    inbox: Lock<Inbox>,
    /// For the sending thread.
    outbox: Lock<Outbox>,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    read_ended: AtomicBool,
    write_ended: AtomicBool,
    /// Whether decryption has failed, after which nothing can be decrypted.
    broken: AtomicBool,
}

/// Encrypted octets that have not been sent.
#[derive(Debug, Default)]
struct Outbox {
    encrypted: Vec<u8>,
    /// How many octets of the next data to send are in there already: those that
    /// [`try_send`](Stream::try_send) has encrypted and not reported as sent.
    ahead: usize,
}

fn ended() -> io::Error {
    let text = "the connection ended without a close_notify alert";
    io::Error::new(io::ErrorKind::UnexpectedEof, text)
}

impl TlsStream {
    fn new(inner: Arc<dyn Stream>, tls: Option<Tls>) -> Self {
        Self {
            inner,
            tls,
            handshake: Lock::new(false),
            session: OnceLock::new(),
            identity: OnceLock::new(),
            inbox: Lock::default(),
            outbox: Lock::default(),
            recv_timeout: Timeout::none(),
            send_timeout: Timeout::none(),
            read_ended: AtomicBool::new(false),
            write_ended: AtomicBool::new(false),
            broken: AtomicBool::new(false),
        }
    }

    /// The socket below, for tests.
    #[cfg(test)]
    pub(crate) fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.inner.readiness_fd()
    }

    /// The server's side, before the handshake.
    pub(crate) fn accepted(inner: Arc<dyn Stream>, tls: Tls) -> Self {
        Self::new(inner, Some(tls))
    }

    /// The client's side, after a handshake.
    ///
    /// # Errors
    /// See [`run_handshake`].
    pub(crate) fn connected(
        inner: Arc<dyn Stream>,
        handshake: Handshake,
        limit: Duration,
    ) -> io::Result<Self> {
        let stream = Self::new(inner, None);
        let shaken = stream.begin(handshake, limit);
        shaken.map(|()| stream)
    }
}

impl Stream for TlsStream {
    forward_stream!(inner: set_options, peer, local, hangup_fd, notify_of_hangup);

    fn establish(&self) -> io::Result<()> {
        if self.session.get().is_some() {
            return Ok(());
        }
        let mut failed_before = self.handshake.lock();
        let Some(tls) = &self.tls else { return Err(io::ErrorKind::NotConnected.into()) };
        if self.session.get().is_some() {
            return Ok(());
        }
        if std::mem::replace(&mut *failed_before, true) {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let server = tls.current().server.ok_or(io::ErrorKind::NotConnected)?;
        self.begin(server.handshake()?, tls.settings().time_limit())?;
        *failed_before = false;
        Ok(())
    }

    fn is_established(&self) -> bool {
        self.session.get().is_some()
    }

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.establish()?;
        let Some(session) = self.session.get() else { return Ok(0) };
        let mut inbox = self.inbox.lock();
        if let Some(count) = self.take(session, &mut inbox, buffer)? {
            return Ok(count);
        }
        let mut waits = TimedWaits::new(self.recv_timeout.current());
        let received = self.receive(session, &mut inbox, buffer, &mut waits);
        waits.end(received, |timeout| self.inner.set_recv_timeout(timeout))
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if buffer.is_empty() {
            return Ok(Some(0));
        }
        self.establish()?;
        let Some(session) = self.session.get() else { return Ok(Some(0)) };
        let mut inbox = self.inbox.lock();
        loop {
            if let Some(count) = self.take(session, &mut inbox, buffer)? {
                return Ok(Some(count));
            }
            match self.inner.try_recv(inbox.space())? {
                None => return Ok(None),
                Some(0) if self.read_ended.load(Ordering::Acquire) => return Ok(Some(0)),
                Some(0) => return Err(ended()),
                Some(count) => inbox.filled(count),
            }
        }
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.send_vectored_all(&mut [IoSlice::new(bytes)])
    }

    fn send_vectored_all(&self, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(&mut parts, 0); // drops empty slices at the front
        if parts.is_empty() {
            return Ok(());
        }
        if self.write_ended.load(Ordering::Acquire) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // A server that has not received anything from its client has nothing to send to it.
        let session = self.session.get().ok_or(io::ErrorKind::NotConnected)?;
        let mut outbox = self.outbox.lock();
        let ahead = std::mem::take(&mut outbox.ahead);
        let all: usize = parts.iter().map(|part| part.len()).sum();
        IoSlice::advance_slices(&mut parts, ahead.min(all));
        let mut waits = TimedWaits::new(self.send_timeout.current());
        let sent = self.send_parts(session, &mut outbox.encrypted, parts, &mut waits);
        waits.end(sent, |timeout| self.inner.set_send_timeout(timeout))
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut part = [IoSlice::new(bytes)];
        let mut rest = &mut part[..];
        self.try_send_vectored(&mut rest)?;
        Ok(bytes.len() - rest.iter().map(|left| left.len()).sum::<usize>())
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        if self.write_ended.load(Ordering::Acquire) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let session = self.session.get().ok_or(io::ErrorKind::NotConnected)?;
        let mut outbox = self.outbox.lock();
        loop {
            let sent = self.send_encrypted(&mut outbox.encrypted);
            sent.map_err(|error| self.explain(session, error))?;
            if !outbox.encrypted.is_empty() {
                return Ok(());
            }
            let ahead = std::mem::take(&mut outbox.ahead);
            let all: usize = parts.iter().map(|part| part.len()).sum();
            IoSlice::advance_slices(parts, ahead.min(all));
            if parts.is_empty() {
                return Ok(());
            }
            let mut connection = session.lock();
            outbox.ahead = connection.writer().write_vectored(parts)?;
            if outbox.ahead == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            Self::drain(&mut connection, &mut outbox.encrypted)?;
        }
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        // The handshake has its own timeout, which this one replaces afterwards.
        self.recv_timeout.change(timeout, |timeout| match self.session.get() {
            Some(_) => self.inner.set_recv_timeout(timeout),
            None => Ok(()),
        })
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.change(timeout, |timeout| match self.session.get() {
            Some(_) => self.inner.set_send_timeout(timeout),
            None => Ok(()),
        })
    }

    /// Messages of TLS itself, such as tickets, do not make a stream readable: they are processed here.
    fn is_readable(&self) -> bool {
        let Some(session) = self.session.get() else { return self.inner.is_readable() };
        let Some(mut inbox) = self.inbox.try_lock() else { return false };
        loop {
            {
                let mut connection = session.lock();
                match connection.process_new_packets() {
                    Ok(state) if state.plaintext_bytes_to_read() > 0 || state.peer_has_closed() => {
                        return true;
                    }
                    Ok(_) => {}
                    Err(_) => return true,
                }
                match Self::decrypt(&mut connection, &mut inbox) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(_) => return true,
                }
            }
            match self.inner.try_recv(inbox.space()) {
                Ok(None) => return false,
                Ok(Some(count @ 1..)) => inbox.filled(count),
                _ => return true,
            }
        }
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if matches!(how, Shutdown::Read | Shutdown::Both) {
            self.read_ended.store(true, Ordering::Release);
        }
        if matches!(how, Shutdown::Write | Shutdown::Both) {
            self.send_close_notify();
        }
        self.inner.shutdown(how)
    }

    fn peer_identity(&self) -> Option<Arc<PeerIdentity>> {
        self.identity.get().cloned()
    }

    /// None: data may be available although the socket has none.
    fn readiness_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Drop for TlsStream {
    fn drop(&mut self) {
        self.send_close_notify();
        // Closing a socket with unread data discards what the peer has not read. There may be
        // unread tickets.
        let mut scrap = [0; 1024];
        let mut left = MAX_DRAINED;
        while let Ok(Some(count @ 1..)) = self.inner.try_recv(&mut scrap) {
            left = left.saturating_sub(count);
            if left == 0 {
                break;
            }
        }
    }
}
