//! The TLS session of a stream: the handshake, decryption, and what TLS itself sends.

use std::io::{self, IoSlice, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustls::Connection;
use socket2::SockRef;
use zorb_os::lock::Lock;
use zorb_transport::socket::TimedWaits;

use super::{MAX_DRAINED, TlsStream, ended};
use crate::credentials::{Handshake, MAX_BUFFERED};
use crate::error::failed;
use crate::handshake::{close_failed, run_handshake};
use crate::identity::identity;
use crate::inbox::Inbox;

impl TlsStream {
    /// Performs the handshake, and creates the session.
    pub(super) fn begin(&self, mut handshake: Handshake, limit: Duration) -> io::Result<()> {
        let mut inbox = self.inbox.lock();
        handshake.connection.set_buffer_limit(Some(MAX_BUFFERED));
        if let Err(error) = run_handshake(&mut handshake, &*self.inner, &mut inbox, limit) {
            if self.tls.is_some() {
                close_failed(&*self.inner, &mut inbox);
            }
            return Err(error);
        }
        let connection = handshake.connection;
        if let Some(peer) = connection.peer_certificates().and_then(identity) {
            let _ = self.identity.set(Arc::new(peer));
        }
        self.inner.set_recv_timeout(self.recv_timeout.current())?;
        self.inner.set_send_timeout(self.send_timeout.current())?;
        let _ = self.session.set(Lock::new(connection));
        Ok(())
    }

    /// Decrypts until there are octets for `buffer`, or no input is left (`None`).
    pub(super) fn take(
        &self,
        session: &Lock<Connection>,
        inbox: &mut Inbox,
        buffer: &mut [u8],
    ) -> io::Result<Option<usize>> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let mut connection = session.lock();
        let taken = loop {
            match connection.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                taken => break taken.map(Some),
            }
            match Self::decrypt(&mut connection, inbox) {
                Ok(true) => {}
                Ok(false) => break Ok(None),
                Err(error) => break Err(error),
            }
        };
        let answers = connection.wants_write();
        drop(connection);
        if taken.is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
        if answers {
            self.answer(session);
        }
        taken
    }

    /// Receives until there are octets for `buffer`; 0 at the end.
    pub(super) fn receive(
        &self,
        session: &Lock<Connection>,
        inbox: &mut Inbox,
        buffer: &mut [u8],
        waits: &mut TimedWaits,
    ) -> io::Result<usize> {
        loop {
            waits.begin(|timeout| self.inner.set_recv_timeout(timeout))?;
            match self.inner.recv(inbox.space())? {
                0 if self.read_ended.load(Ordering::Acquire) => return Ok(0),
                0 => return Err(ended()),
                count => inbox.filled(count),
            }
            if let Some(count) = self.take(session, inbox, buffer)? {
                return Ok(count);
            }
        }
    }

    /// Encrypts and sends what is in `encrypted`, and `parts`.
    pub(super) fn send_parts(
        &self,
        session: &Lock<Connection>,
        encrypted: &mut Vec<u8>,
        mut parts: &mut [IoSlice<'_>],
        waits: &mut TimedWaits,
    ) -> io::Result<()> {
        let mut has_more = false;
        loop {
            if !parts.is_empty() {
                let mut connection = session.lock();
                let count = connection.writer().write_vectored(parts)?;
                if count == 0 {
                    return Err(io::ErrorKind::WriteZero.into());
                }
                IoSlice::advance_slices(&mut parts, count);
                Self::drain(&mut connection, encrypted)?;
            }
            // One wait needs no clock.
            has_more |= !parts.is_empty();
            if has_more {
                waits.begin(|timeout| self.inner.set_send_timeout(timeout))?;
            }
            let sent = self.inner.send_all(encrypted);
            encrypted.clear();
            sent.map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => error,
                _ => self.explain(session, error),
            })?;
            if parts.is_empty() {
                return Ok(());
            }
        }
    }

    /// Passes octets of the inbox to TLS; `false` if there are none.
    pub(super) fn decrypt(connection: &mut Connection, inbox: &mut Inbox) -> io::Result<bool> {
        if inbox.is_empty() {
            return Ok(false);
        }
        let count = connection.read_tls(&mut inbox.unread())?;
        inbox.taken(count);
        connection.process_new_packets().map_err(failed)?;
        Ok(true)
    }

    /// Sends messages of TLS itself: alerts, key updates. The receiving thread must not wait for a
    /// peer that does not read, so the rest is sent before the next data.
    pub(super) fn answer(&self, session: &Lock<Connection>) {
        if let Some(mut outbox) = self.outbox.try_lock()
            && Self::drain(&mut session.lock(), &mut outbox.encrypted).is_ok()
        {
            self.send_now(&mut outbox.encrypted);
        }
    }

    /// Sends as much of what is encrypted as possible without waiting.
    pub(super) fn send_encrypted(&self, encrypted: &mut Vec<u8>) -> io::Result<()> {
        if !encrypted.is_empty() {
            let sent = self.inner.try_send(encrypted)?;
            encrypted.drain(..sent.min(encrypted.len()));
        }
        Ok(())
    }

    /// Sends as much as possible without waiting.
    pub(super) fn send_now(&self, outbox: &mut Vec<u8>) {
        let Some(socket) = self.inner.readiness_fd() else { return };
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        if let Ok(sent) = SockRef::from(&socket).send_with_flags(outbox, flags) {
            outbox.drain(..sent.min(outbox.len()));
        }
    }

    /// Sends `close_notify` once, if that is possible without waiting.
    pub(super) fn send_close_notify(&self) {
        if self.write_ended.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Some(session) = self.session.get() {
            session.lock().send_close_notify();
            self.answer(session);
        }
    }

    /// The error of a failed send: the peer may have sent an alert before it ended the connection.
    #[cold]
    pub(super) fn explain(&self, session: &Lock<Connection>, error: io::Error) -> io::Error {
        let Some(mut inbox) = self.inbox.try_lock() else { return error };
        let mut left = MAX_DRAINED;
        loop {
            match Self::decrypt(&mut session.lock(), &mut inbox) {
                Err(reason) => return reason,
                Ok(true) => continue,
                Ok(false) => {}
            }
            match self.inner.try_recv(inbox.space()) {
                Ok(Some(count @ 1..)) if left > count => {
                    left -= count;
                    inbox.filled(count);
                }
                _ => return error,
            }
        }
    }

    /// Moves encrypted octets to `outbox`.
    pub(super) fn drain(connection: &mut Connection, outbox: &mut Vec<u8>) -> io::Result<()> {
        while connection.wants_write() {
            connection.write_tls(outbox)?;
        }
        Ok(())
    }
}
