use std::cell::Cell;
use std::io::IoSlice;
use std::net::Shutdown;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

use super::*;

/// A stream that has octets at certain polls, and whose `recv` returns 7.
struct Polled<P> {
    poll: P,
    cheap_polls: u32,
    polls: AtomicU32,
    receives: AtomicU32,
    timeouts: Mutex<Vec<Option<Duration>>>,
}

impl<P> std::fmt::Debug for Polled<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Polled")
    }
}

impl<P: Fn(u32) -> bool> Polled<P> {
    /// A stream that returns 9 octets at the polls, counted from 1, for which `poll` is true.
    fn new(poll: P) -> Self {
        Self {
            poll,
            cheap_polls: 1,
            polls: AtomicU32::new(0),
            receives: AtomicU32::new(0),
            timeouts: Mutex::default(),
        }
    }

    fn polls(&self) -> u32 {
        self.polls.load(Ordering::Relaxed)
    }

    fn receives(&self) -> u32 {
        self.receives.load(Ordering::Relaxed)
    }
}

impl<P: Fn(u32) -> bool + Send + Sync> Stream for Polled<P> {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        self.receives.fetch_add(1, Ordering::Relaxed);
        Ok(7)
    }

    fn try_recv(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
        let number = self.polls.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        Ok((self.poll)(number).then_some(9))
    }

    fn cheap_polls(&self) -> u32 {
        self.cheap_polls
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.timeouts.lock().unwrap().push(timeout);
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
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

fn wait(nth: u32, maximum: Duration, limit: Option<Duration>) -> (io::Result<usize>, u32, u32) {
    // Octets arrive at the `nth` poll.
    let stream = Polled::new(move |poll| poll == nth);
    let received = WaitPolicy::new(maximum).busy_wait().recv(&stream, &mut [0; 16], limit);
    (received, stream.polls(), stream.receives())
}

#[test]
fn without_busy_wait_a_thread_blocks_at_once() {
    let (received, polls, sleeps) = wait(1, Duration::ZERO, None);
    assert_eq!((received.unwrap(), polls, sleeps), (7, 0, 1));
}

#[test]
fn octets_that_arrive_in_time_end_the_busy_wait() {
    let (received, polls, sleeps) = wait(100, LONG, None);
    assert_eq!((received.unwrap(), polls, sleeps), (9, 100, 0));
}

#[test]
fn the_busy_wait_ends_at_its_limit() {
    let started = Instant::now();
    let (received, polls, sleeps) = wait(0, SHORT, None);
    assert!(started.elapsed() >= SHORT);
    assert!(polls >= 1);
    assert_eq!((received.unwrap(), sleeps), (7, 1));
}

#[test]
fn a_shorter_timeout_ends_the_wait() {
    let (received, _, sleeps) = wait(0, LONG, Some(SHORT));
    assert_eq!(received.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(sleeps, 0);
}

#[test]
fn the_timeout_includes_the_busy_wait() {
    let timeouts = |maximum| {
        let stream = Polled::new(|_| false);
        let (begun, passed) = (Instant::now(), Cell::new(0));
        let clock = || {
            passed.set(passed.get() + 1);
            begun + Duration::from_millis(1) * passed.get()
        };
        let waits = WaitPolicy::new(maximum).busy_wait();
        waits.poll(&stream, &mut [0; 16], Some(Duration::from_millis(10)), clock).unwrap();
        stream.timeouts.into_inner().unwrap()
    };
    let milliseconds = |count| Some(Duration::from_millis(count));
    assert_eq!(timeouts(Duration::from_millis(4)), [milliseconds(6), milliseconds(10)]);
    assert_eq!(timeouts(MAX_LATENESS), []);
}

#[test]
fn cheap_polls_are_not_timed() {
    let last = Duration::from_nanos(1);
    // The first poll and the cheap ones come before the clock is read, however short the busy-wait is.
    let stream = Polled { cheap_polls: 20, ..Polled::new(|poll| poll == 21) };
    let received = WaitPolicy::new(last).busy_wait().recv(&stream, &mut [0; 16], Some(last));
    assert_eq!((received.unwrap(), stream.polls(), stream.receives()), (9, 21, 0));
    // No stream prevents reading the clock for long.
    let stream = Polled { cheap_polls: u32::MAX, ..Polled::new(|_| false) };
    let received = WaitPolicy::new(last).busy_wait().recv(&stream, &mut [0; 16], None);
    assert_eq!((received.unwrap(), stream.receives()), (7, 1));
    assert!(stream.polls() <= 1 + 2 * MAX_POLLS);
}

/// The duration of reading the clock. It exceeds the interval between two readings, so that each is
/// followed by one poll.
const TICK: Duration = Duration::from_micros(10);

/// Waits for a stream that has octets at the polls of these numbers, with a clock that advances when it is
/// read; returns how often each wait polled before it ended or blocked.
fn polls_of<const N: usize>(maximum: Duration, arrivals: &'static [u32]) -> [u32; N] {
    let stream = Polled::new(|poll| arrivals.contains(&poll));
    let waits = WaitPolicy::new(maximum).busy_wait();
    let (begun, passed) = (Instant::now(), Cell::new(0));
    let clock = || {
        passed.set(passed.get() + 1);
        begun + TICK * passed.get()
    };
    [(); N].map(|()| {
        let before = stream.polls();
        waits.poll(&stream, &mut [0; 16], None, clock).unwrap();
        stream.polls() - before
    })
}

#[test]
fn waits_that_end_in_blocking_shorten_the_busy_wait() {
    // Two polls are free, and each tick of the clock is one more.
    let polls = polls_of::<6>(TICK * 8, &[]);
    assert_eq!(polls, [2 + 8, 2 + 4, 2 + 2, 2 + 1, 2, 2]);
}

#[test]
fn a_skipped_busy_wait_is_tried_in_full_from_time_to_time() {
    let polls: [u32; 100] = polls_of(TICK * 8, &[]);
    let long: Vec<usize> = (0..100).filter(|nth| polls[*nth] == 2 + 8).collect();
    assert_eq!(long, [0, 35, 67, 99]);
    assert!(polls[4..35].iter().chain(&polls[36..67]).all(|polls| *polls == 2));
}

#[test]
fn octets_during_the_busy_wait_restore_it() {
    // Waits of 10 and 6 polls end in blocking, the next one ends at its third poll, and the one after polls in full.
    // Octets that are there at the first poll change nothing.
    assert_eq!(polls_of::<5>(TICK * 8, &[19]), [10, 6, 3, 10, 6]);
    assert_eq!(polls_of::<5>(TICK * 8, &[17]), [10, 6, 1, 4, 3]);
}

#[test]
fn octets_in_the_rare_full_busy_wait_are_found() {
    // 10, 6, 4, 3, and 31 times 2; the next wait is in full.
    let polls: [u32; 38] = polls_of(TICK * 8, &[23 + 62 + 7]);
    assert_eq!(polls[33..], [2, 2, 7, 10, 6]);
}
