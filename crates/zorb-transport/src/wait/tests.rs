use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// Has something at the `nth` look, and counts looks and sleeps.
#[derive(Debug, Default)]
struct Late {
    nth: u32,
    looks: AtomicU32,
    sleeps: AtomicU32,
}

impl Stream for Late {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        self.sleeps.fetch_add(1, Ordering::Relaxed);
        Ok(7)
    }

    fn try_recv(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        Ok((looks == self.nth).then_some(9))
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

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_micros(50);

fn wait(nth: u32, spin: Duration, limit: Option<Duration>) -> (io::Result<usize>, u32, u32) {
    let stream = Late { nth, ..Late::default() };
    let received = WaitPolicy::new(spin).recv(&stream, &mut [0; 16], limit);
    (received, stream.looks.into_inner(), stream.sleeps.into_inner())
}

#[test]
fn without_a_spin_a_thread_sleeps_at_once() {
    let (received, looks, sleeps) = wait(1, Duration::ZERO, None);
    assert_eq!((received.unwrap(), looks, sleeps), (7, 0, 1));
}

#[test]
fn what_comes_in_time_is_had_awake() {
    let (received, looks, sleeps) = wait(100, LONG, None);
    assert_eq!((received.unwrap(), looks, sleeps), (9, 100, 0));
}

#[test]
fn nobody_looks_for_longer_than_the_limit() {
    let started = Instant::now();
    let (received, looks, sleeps) = wait(0, SHORT, None);
    assert!(started.elapsed() >= SHORT);
    assert!(looks >= 1);
    assert_eq!((received.unwrap(), sleeps), (7, 1));
}

#[test]
fn a_timeout_that_is_shorter_ends_the_wait() {
    let (received, _, sleeps) = wait(0, LONG, Some(SHORT));
    assert_eq!(received.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(sleeps, 0);
}
