//! Requests in fragments, for servers with small buffers.

use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::Duration;

use zorb_giop::fragments;
use zorb_os::clock::MonotonicTime;
use zorb_transport::socket::Timeout;
use zorb_transport::{Stream, forward_stream};

/// A stream that sends messages above a maximum size in fragments. Each call passes whole messages.
#[derive(Debug)]
struct Fragmenting {
    inner: Arc<dyn Stream>,
    most: usize,
    /// For all fragments of a message together.
    send_timeout: Timeout,
}

/// The stream with messages of more than `most` octets in fragments.
pub(super) fn in_fragments(inner: Arc<dyn Stream>, most: usize) -> Arc<dyn Stream> {
    Arc::new(Fragmenting { inner, most, send_timeout: Timeout::none() })
}

impl Stream for Fragmenting {
    forward_stream!(
        inner: establish, is_established, recv, cheap_polls, try_recv, short_read_means_empty,
        set_recv_timeout, is_readable, shutdown, set_options, peer, local, peer_identity,
        readiness_fd, is_used_otherwise, shares_connection, hangup_fd, notify_of_hangup
    );

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() <= self.most {
            return self.inner.send_all(bytes);
        }
        let timeout = self.send_timeout.current();
        let deadline = timeout.map(|timeout| MonotonicTime::now() + timeout);
        for (before, piece) in fragments(bytes, self.most).enumerate() {
            if let Some(deadline) = deadline.filter(|_| before > 0) {
                let left = deadline.time_left();
                if left.is_zero() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                self.inner.set_send_timeout(Some(left))?;
            }
            let (header, payload) = (piece.header(), piece.payload);
            self.inner.send_vectored_all(&mut [IoSlice::new(header), IoSlice::new(payload)])?;
        }
        self.inner.set_send_timeout(timeout)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        if length_of(parts) <= self.most {
            return self.inner.send_vectored_all(parts);
        }
        let joined: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.send_all(&joined)
    }

    /// Takes nothing at once of a message that needs fragments.
    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() <= self.most { self.inner.try_send(bytes) } else { Ok(0) }
    }

    fn try_send_vectored(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        if length_of(parts) <= self.most { self.inner.try_send_vectored(parts) } else { Ok(()) }
    }

    fn try_send_run(&self, parts: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        if length_of(parts) <= self.most { self.inner.try_send_run(parts) } else { Ok(()) }
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.change(timeout, |timeout| self.inner.set_send_timeout(timeout))
    }
}

fn length_of(parts: &[IoSlice<'_>]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;
    use std::sync::Mutex;

    use super::*;

    /// Accepts all octets, and takes some time for each piece.
    #[derive(Debug)]
    struct Slow {
        takes: Duration,
        pieces: Mutex<Vec<Duration>>,
        send_timeout: Timeout,
    }

    impl Stream for Slow {
        fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
            Ok(0)
        }

        fn send_all(&self, _: &[u8]) -> io::Result<()> {
            let timeout = self.send_timeout.current().unwrap_or(Duration::MAX);
            self.pieces.lock().unwrap().push(timeout);
            let until = MonotonicTime::now() + self.takes;
            while !until.time_left().is_zero() {}
            Ok(())
        }

        fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
            self.send_all(&[])
        }

        fn try_send(&self, _: &[u8]) -> io::Result<usize> {
            Ok(7)
        }

        fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
            Ok(())
        }

        fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
            self.send_timeout.change(timeout, |_| Ok(()))
        }

        fn is_readable(&self) -> bool {
            false
        }

        fn shutdown(&self, _: Shutdown) -> io::Result<()> {
            Ok(())
        }

        fn peer(&self) -> &'static str {
            ""
        }

        fn local(&self) -> &'static str {
            ""
        }
    }

    #[test]
    fn a_small_message_is_sent_without_waiting() {
        let slow =
            Slow { takes: Duration::ZERO, pieces: Mutex::default(), send_timeout: Timeout::none() };
        let stream = in_fragments(Arc::new(slow), 1024);
        assert_eq!(stream.try_send(&[0; 16]).unwrap(), 7, "what the stream takes at once");
        // A larger one has to be sent as a whole, in fragments.
        assert_eq!(stream.try_send(&[0; 1025]).unwrap(), 0);
        let mut parts = [IoSlice::new(&[0; 25]), IoSlice::new(&[0; 1000])];
        let mut left = &mut parts[..];
        stream.try_send_vectored(&mut left).unwrap();
        assert_eq!(length_of(left), 1025);
    }

    #[test]
    fn the_time_for_sending_is_for_all_fragments_together() {
        let start = *b"GIOP\x01\x02\x01\x00\xf4\x0f\x00\x00\x05\x00\x00\x00";
        let message = [&start[..], &[0; 4096 - 16]].concat();
        let sent_in = |takes, timeout| {
            let slow =
                Arc::new(Slow { takes, pieces: Mutex::default(), send_timeout: Timeout::none() });
            let stream = in_fragments(Arc::clone(&slow) as Arc<dyn Stream>, 1024);
            stream.set_send_timeout(timeout).unwrap();
            let sent = stream.send_all(&message);
            let pieces = std::mem::take(&mut *slow.pieces.lock().unwrap());
            (sent, pieces, slow.send_timeout.current())
        };
        let (sent, pieces, after) = sent_in(Duration::ZERO, None);
        assert!(sent.is_ok() && pieces.len() > 3 && after.is_none());
        let hour = Duration::from_secs(3600);
        let (sent, pieces, after) = sent_in(Duration::ZERO, Some(hour));
        assert!(sent.is_ok() && pieces.windows(2).all(|two| two[1] <= two[0]), "{pieces:?}");
        assert_eq!(after, Some(hour));
        // The first piece uses up the time.
        let instant = Duration::from_micros(1);
        let (sent, pieces, _) = sent_in(instant * 2, Some(instant));
        assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(pieces, [instant]);
    }
}
