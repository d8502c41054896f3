//! The receiving side: shows or drops frames, and sends reports to the camera.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zorb_av::{Receiver, Stamp, Verdict};

use crate::Plan;
use crate::av_stream::{Camera, ReceiverReport, ScreenServant};

/// How long a stalled screen is busy.
const STALL: Duration = Duration::from_millis(60);
/// Maximum delay of a frame relative to the fastest one: a little more than two frame periods at 60 Hz.
const ALLOWED: Duration = Duration::from_millis(40);

/// A screen that shows frames one after the other.
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
    /// The number of the last frame, and its time of arrival.
    last: Option<(u32, Instant)>,
    /// Deviations of the intervals between frames from their expected values, in microseconds.
    off: Vec<u64>,
}

impl State {
    /// Records the arrival of a frame. The expected interval is longer if frames in between are missing.
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

/// The statistics of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The number of received frames in the last report.
    pub(crate) received: u64,
    pub(crate) shown: u32,
    pub(crate) octets: usize,
    /// The 99th percentile of the deviations, in microseconds.
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

    /// Sends the last report to the camera, and returns the statistics.
    pub(crate) fn finish(&self) -> Outcome {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let received = self.report(&mut state.receiver);
        state.off.sort_unstable();
        let off = state.off.get(state.off.len() * 99 / 100).copied().unwrap_or_default();
        Outcome { received, shown: state.shown, octets: state.octets, off }
    }

    /// Sends a report to the camera; returns the number of received frames.
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
        // While a frame is shown, later ones wait here.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.note(stamp.sequence, self.plan.rate);
        state.arrived += 1;
        let arrived = state.arrived;
        // Once per second, also if this frame is dropped.
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
