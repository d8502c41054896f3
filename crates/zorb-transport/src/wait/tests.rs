use super::*;
use crate::conformance::Scripted;

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_micros(50);

fn wait(nth: u32, spin: Duration, limit: Option<Duration>) -> (io::Result<usize>, u32, u32) {
    // Something is there at the `nth` look.
    let stream = Scripted::new(|_| Ok(7), move |look| Ok((look == nth).then_some(9)));
    let received = WaitPolicy::new(spin).recv(&stream, &mut [0; 16], limit);
    (received, stream.looked(), stream.received())
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

#[test]
fn looks_that_are_cheap_are_not_timed() {
    let last = Duration::from_nanos(1);
    // The first look and those that are cheap come before the clock, however short the spin is.
    let stream = Scripted::new(|_| Ok(7), |look| Ok((look == 21).then_some(9)));
    let stream = stream.with_cheap_looks(20);
    let received = WaitPolicy::new(last).recv(&stream, &mut [0; 16], Some(last));
    assert_eq!((received.unwrap(), stream.looked(), stream.received()), (9, 21, 0));
    // No stream keeps a thread from the clock for long.
    let stream = Scripted::new(|_| Ok(7), |_| Ok(None)).with_cheap_looks(u32::MAX);
    let received = WaitPolicy::new(last).recv(&stream, &mut [0; 16], None);
    assert_eq!((received.unwrap(), stream.received()), (7, 1));
    assert!(stream.looked() <= 1 + 2 * MOST_LOOKS);
}
