//! The receiving side: what is shown, what is dropped, and what the camera is told.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zorb_av::{Receiver, Stamp, Verdict};

use crate::Plan;
use crate::av_stream::{Camera, ReceiverReport, ScreenServant};

/// How long a screen is busy that stalls.
const STALL: Duration = Duration::from_millis(60);
/// How much later than the fastest one a frame may be: a little more than two frames' time at 60 Hz.
const ALLOWED: Duration = Duration::from_millis(40);

/// A screen that shows each frame for as long as it takes, one after the other.
pub(crate) struct Shown {
    camera: Camera,
    plan: Plan,
    state: Mutex<State>,
}

struct State {
    receiver: Receiver,
    arrived: u32,
    shown: u32,
    octets: usize,
    /// The number of the last frame, and when it came.
    last: Option<(u32, Instant)>,
    /// By how much the times between frames were not what they should have been, in microseconds.
    off: Vec<u64>,
}

impl State {
    /// Takes note of when a frame comes. Where some are missing in between, more time is to pass.
    fn note(&mut self, sequence: u32, rate: u32) {
        let now = Instant::now();
        if let Some((last, then)) = self.last.replace((sequence, now))
            && let frames @ 1..1000 = sequence.wrapping_sub(last)
        {
            let due = Duration::from_secs(1) * frames / rate;
            self.off.push(due.abs_diff(now - then).as_micros() as u64);
        }
    }
}

/// What became of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The number that the last report has.
    pub(crate) received: u64,
    pub(crate) shown: u32,
    pub(crate) octets: usize,
    /// What 99 of 100 times between frames were off by at most, in microseconds.
    pub(crate) off: u64,
}

impl Shown {
    pub(crate) fn new(camera: Camera, plan: Plan) -> Self {
        let receiver = Receiver::new(ALLOWED);
        let state =
            State { receiver, arrived: 0, shown: 0, octets: 0, last: None, off: Vec::new() };
        let state = Mutex::new(state);
        Self { camera, plan, state }
    }

    /// Reports to the camera, and says what became of the stream.
    pub(crate) fn tell(&self) -> Outcome {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let received = self.report(&mut state.receiver);
        state.off.sort_unstable();
        let off = state.off.get(state.off.len() * 99 / 100).copied().unwrap_or_default();
        Outcome { received, shown: state.shown, octets: state.octets, off }
    }

    /// Reports to the camera; how many frames were received.
    fn report(&self, receiver: &mut Receiver) -> u64 {
        let report = receiver.report();
        let how = ReceiverReport {
            highest: report.highest,
            received: report.received,
            lost: report.lost,
            fraction_lost: report.fraction_lost,
            late: report.late,
            jitter: report.jitter,
        };
        // A report may be lost like any other datagram.
        let _ = self.camera.report(&how);
        report.received
    }
}

impl ScreenServant for Shown {
    fn show(&self, frame: &[u8]) {
        let Some(stamp) = Stamp::current() else { return };
        // While one frame is shown the next ones wait here.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.note(stamp.sequence, self.plan.rate);
        state.arrived += 1;
        let arrived = state.arrived;
        // Once a second, whatever becomes of this frame.
        if arrived.is_multiple_of(self.plan.rate) {
            self.report(&mut state.receiver);
        }
        let one_in = |how_many: Option<u32>| how_many.is_some_and(|n| arrived.is_multiple_of(n));
        if one_in(self.plan.lose) {
            return;
        }
        if state.receiver.take(stamp) == Verdict::OnTime {
            state.shown += 1;
            state.octets += frame.len();
            if one_in(self.plan.stall) {
                std::thread::sleep(STALL);
            }
        }
    }
}
