use std::io::IoSlice;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// Has nothing for so many waits, and then the end.
#[derive(Debug)]
struct Silent(AtomicU32);

impl Stream for Silent {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => Ok(0),
            _ => Err(io::ErrorKind::TimedOut.into()),
        }
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

/// Waits on or not, and never is asked anything else.
struct Patience(bool);

impl Side for Patience {
    fn judge(&mut self, _: &MessageHeader, _: &[u8], _: bool) -> Result<Verdict, Ending> {
        Ok(Verdict::Drop)
    }

    fn send(&mut self, _: &[u8], _: bool) -> io::Result<()> {
        Ok(())
    }

    fn waits_on(&self) -> bool {
        self.0
    }
}

#[test]
fn silence_ends_a_direction_unless_something_is_awaited() {
    let run = |patient| {
        let silent = Silent(AtomicU32::new(3));
        let wait = (WaitPolicy::default(), Some(Duration::from_secs(1)));
        Relay::new(&silent, Framing(None), 1000, wait).run(&mut Patience(patient))
    };
    assert!(matches!(run(false), Ending::Idle));
    assert!(matches!(run(true), Ending::End));
}
