//! A connection as a stream.

use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::connection::{Driven, Failure};
use super::link::{Link, error_of};
use super::port::PortInUse;
use crate::{Stream, StreamOptions};

/// A connection as a [`Stream`].
pub(super) struct DrivenStream<D: Driven> {
    link: Arc<Link<D>>,
    peer: String,
    local: String,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    /// Dropped last.
    _port: Option<Arc<PortInUse>>,
}

impl<D: Driven> DrivenStream<D> {
    /// `port` is a server's.
    pub(super) fn new(
        link: Arc<Link<D>>,
        peer: String,
        local: String,
        port: Option<Arc<PortInUse>>,
    ) -> Self {
        let (recv_timeout, send_timeout) = (Timeout::default(), Timeout::default());
        Self { link, peer, local, recv_timeout, send_timeout, _port: port }
    }

    fn send_parts<'p>(&self, parts: impl Iterator<Item = &'p [u8]>) -> io::Result<()> {
        let deadline = self.send_timeout.deadline();
        let mut state = self.link.state();
        let mut parts = parts.filter(|part| !part.is_empty()).peekable();
        if parts.peek().is_none() {
            return Ok(());
        }
        for part in parts {
            let mut rest = part;
            loop {
                let taken = state.send(rest).map_err(error_of)?;
                rest = rest.get(taken..).unwrap_or_default();
                if rest.is_empty() {
                    break;
                }
                self.link.pump(&mut state);
                let in_time;
                (state, in_time) = self.link.wait(state, deadline);
                if !in_time {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
        self.link.pump(&mut state);
        Ok(())
    }
}

impl<D: Driven> fmt::Debug for DrivenStream<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrivenStream").field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl<D: Driven> Stream for DrivenStream<D> {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let deadline = self.recv_timeout.deadline();
        let mut state = self.link.state();
        loop {
            if let Some(count) = state.connection.recv(buffer).map_err(error_of)? {
                // The peer may be waiting for room in the buffer.
                self.link.pump(&mut state);
                return Ok(count);
            }
            let in_time;
            (state, in_time) = self.link.wait(state, deadline);
            if !in_time {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut state = self.link.state();
        let count = state.connection.recv(buffer).map_err(error_of)?;
        if count.is_some() {
            self.link.pump(&mut state);
        }
        Ok(count)
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.send_parts([bytes].into_iter())
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send_parts(parts.iter().map(|part| &**part))
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut state = self.link.state();
        let taken = state.send(bytes).map_err(error_of)?;
        self.link.pump(&mut state);
        Ok(taken)
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        let mut state = self.link.state();
        IoSlice::advance_slices(parts, 0); // drops empty slices at the front
        while let Some(part) = parts.first() {
            let (taken, len) = (state.send(part).map_err(error_of)?, part.len());
            IoSlice::advance_slices(parts, taken);
            if taken < len {
                break;
            }
        }
        self.link.pump(&mut state);
        Ok(())
    }

    /// Sets class of service and routing; on a client's socket also priority and pacing.
    fn set_options(&self, options: &StreamOptions) -> io::Result<()> {
        self.link.set_traffic(options)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.set(timeout);
        Ok(())
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.set(timeout);
        Ok(())
    }

    fn is_readable(&self) -> bool {
        self.link.state().connection.is_readable()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.link.change(|connection| end(connection, how));
        Ok(())
    }

    fn notify_of_hangup(&self, notify: Box<dyn FnOnce() + Send>) -> bool {
        self.link.notify_of_hangup(notify);
        true
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn local(&self) -> &str {
        &self.local
    }
}

impl<D: Driven> Drop for DrivenStream<D> {
    fn drop(&mut self) {
        // The connection continues until all sent data has arrived.
        self.link.change(|connection| end(connection, Shutdown::Both));
    }
}

fn end(connection: &mut impl Driven, how: Shutdown) {
    if how != Shutdown::Read {
        connection.finish();
    }
    if how != Shutdown::Write {
        connection.stop_receiving();
    }
}

/// A timeout in microseconds; all ones for none.
#[derive(Debug)]
struct Timeout(AtomicU64);

impl Default for Timeout {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

impl Timeout {
    fn set(&self, timeout: Option<Duration>) {
        let micros = timeout.and_then(|timeout| u64::try_from(timeout.as_micros()).ok());
        self.0.store(micros.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn deadline(&self) -> Option<Instant> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            micros => Instant::now().checked_add(Duration::from_micros(micros)),
        }
    }
}

/// Waits until a client's connection is established or has failed.
pub(super) fn connected<D: Driven>(link: &Link<D>, deadline: Option<Instant>) -> io::Result<()> {
    let mut state = link.state();
    loop {
        match state.connection.failure() {
            Some(Failure::Refused) => return Err(io::ErrorKind::ConnectionRefused.into()),
            Some(Failure::Silence) => return Err(io::ErrorKind::TimedOut.into()),
            Some(Failure::Aborted) => return Err(io::ErrorKind::ConnectionAborted.into()),
            None if state.connection.is_established() => return Ok(()),
            None => {}
        }
        let in_time;
        (state, in_time) = link.wait(state, deadline);
        if !in_time {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}
