use std::cell::Cell;

use super::*;
use crate::conformance::Scripted;

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_micros(50);

fn wait(nth: u32, spin: Duration, limit: Option<Duration>) -> (io::Result<usize>, u32, u32) {
    // Something is there at the `nth` look.
    let stream = Scripted::new(|_| Ok(7), move |look| Ok((look == nth).then_some(9)));
    let received = WaitPolicy::new(spin).waits().recv(&stream, &mut [0; 16], limit);
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
    let received = WaitPolicy::new(last).waits().recv(&stream, &mut [0; 16], Some(last));
    assert_eq!((received.unwrap(), stream.looked(), stream.received()), (9, 21, 0));
    // No stream keeps a thread from the clock for long.
    let stream = Scripted::new(|_| Ok(7), |_| Ok(None)).with_cheap_looks(u32::MAX);
    let received = WaitPolicy::new(last).waits().recv(&stream, &mut [0; 16], None);
    assert_eq!((received.unwrap(), stream.received()), (7, 1));
    assert!(stream.looked() <= 1 + 2 * MAX_POLLS);
}

/// What each look at the clock takes: more than the looks between two, which are made one by one then.
const TICK: Duration = Duration::from_micros(10);

/// Waits for a stream that has something at the looks of these numbers alone, by a clock that goes on as it
/// is looked at; how often each wait looked at the stream before it ended or slept.
fn looks_of<const N: usize>(spin: Duration, comes: &'static [u32]) -> [u32; N] {
    let stream = Scripted::new(|_| Ok(7), |look| Ok(comes.contains(&look).then_some(9)));
    let waits = WaitPolicy::new(spin).waits();
    let (begun, passed) = (Instant::now(), Cell::new(0));
    let clock = || {
        passed.set(passed.get() + 1);
        begun + TICK * passed.get()
    };
    [(); N].map(|()| {
        let before = stream.looked();
        waits.poll(&stream, &mut [0; 16], None, clock).unwrap();
        stream.looked() - before
    })
}

#[test]
fn waits_that_end_in_sleep_are_looked_in_less_and_less() {
    // Two looks are free, and each tick of the clock is one more.
    let looks = looks_of::<6>(TICK * 8, &[]);
    assert_eq!(looks, [2 + 8, 2 + 4, 2 + 2, 2 + 1, 2, 2]);
}

#[test]
fn now_and_then_a_wait_is_looked_in_for_all_of_the_time() {
    let looks: [u32; 100] = looks_of(TICK * 8, &[]);
    let long: Vec<usize> = (0..100).filter(|nth| looks[*nth] == 2 + 8).collect();
    assert_eq!(long, [0, 35, 67, 99]);
    assert!(looks[4..35].iter().chain(&looks[36..67]).all(|looks| *looks == 2));
}

#[test]
fn what_comes_while_a_thread_looks_has_it_look_on() {
    // Waits of 10 and 6 looks end in sleep, the next one ends at its third look, and the one after looks
    // for all of the time. What is there at the first look says nothing.
    assert_eq!(looks_of::<5>(TICK * 8, &[19]), [10, 6, 3, 10, 6]);
    assert_eq!(looks_of::<5>(TICK * 8, &[17]), [10, 6, 1, 4, 3]);
}

#[test]
fn what_comes_in_the_rare_long_wait_is_found() {
    // 10, 6, 4, 3, and 31 times 2; the next wait is long.
    let looks: [u32; 38] = looks_of(TICK * 8, &[23 + 62 + 7]);
    assert_eq!(looks[33..], [2, 2, 7, 10, 6]);
}
