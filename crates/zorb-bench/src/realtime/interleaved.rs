//! Calls without load and under load, interleaved.
//!
//! The order is free, loaded, loaded, free, so that a drift of the machine affects both. Bare exchanges
//! with the same work, without an ORB, are interleaved with the calls, on the same processors and under
//! the same load.

use std::time::Duration;

use zorb_os::clock::MonotonicTime;

use super::awake::Awake;
use super::bare::Bare;
use super::bed::{Bench, Host};
use super::interval::Ratio;
use super::limit::Limit;
use super::load::Load;
use super::times::{Sample, Times};
use crate::error::Result;
use crate::report::Claim;
use crate::timeline::Timeline;

/// Timed calls.
#[derive(Clone, Copy)]
pub(super) struct Calls<'a> {
    pub(super) client: &'a Host,
    pub(super) priority: i16,
    /// Number of calls without load, and of calls under load.
    pub(super) count: usize,
    /// Period of calls; zero for one after the other.
    pub(super) period: Duration,
    pub(super) call: &'a (dyn Fn() -> Result<()> + Sync),
    pub(super) bare: &'a Bare,
    /// Number of calls per bare exchange.
    pub(super) bare_every: usize,
    /// Whether processors are kept from becoming idle.
    pub(super) awake: bool,
}

/// Maximum number of repetitions.
const REPEATS: usize = 3;

/// Blocks of samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) calls: Vec<Vec<Sample>>,
    pub(super) bare: Vec<Vec<Sample>>,
}

impl<'a> Calls<'a> {
    /// Calls of a client at a priority, each with a bare exchange, on processors that are kept awake.
    pub(super) fn new(
        client: &'a Host,
        priority: i16,
        call: &'a (dyn Fn() -> Result<()> + Sync),
        bare: &'a Bare,
    ) -> Self {
        let (count, period) = (0, Duration::ZERO);
        Self { client, priority, count, period, call, bare, bare_every: 1, awake: true }
    }

    /// Makes `count` calls, one per period.
    pub(super) fn paced(self, count: usize, period: Duration) -> Self {
        Self { count, period, ..self }
    }

    /// Times a block of calls, on a thread of their priority.
    pub(super) fn block(&self, count: usize, into: &mut Blocks) -> Result<()> {
        // Opens the connection and warms the caches.
        (self.call)()?;
        self.bare.exchange()?;
        let (mut calls, mut bare) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut due = MonotonicTime::now();
        for number in 0..count {
            for (samples, is_call) in [(&mut calls, true), (&mut bare, false)] {
                if !is_call && number % self.bare_every != 0 {
                    continue;
                }
                let (sample, done) = match is_call {
                    true => Sample::of(self.call),
                    false => Sample::of(|| self.bare.exchange()),
                };
                done?;
                samples.push(sample);
                if !self.period.is_zero() {
                    due = (due + self.period / 2).max(MonotonicTime::now());
                    std::thread::sleep(due.time_left());
                }
            }
        }
        into.calls.push(calls);
        into.bare.push(bare);
        Ok(())
    }

    /// Times all calls without load and under load, and repeats that while the confidence interval
    /// contains the limit.
    pub(super) fn interleaved(
        &self,
        bench: &Bench,
        load: Load<'_>,
        limit: Limit,
    ) -> Result<Compared> {
        let rounds = bench.count(5, 2);
        let each = (self.count / (2 * rounds)).max(1);
        let _awake = self.awake.then(|| Awake::keep(&bench.watched())).transpose()?;
        let (free, loaded) = load.beside(|switch| {
            self.client.at(self.priority, || {
                let (mut free, mut loaded) = (Blocks::default(), Blocks::default());
                for _ in 0..REPEATS {
                    for _ in 0..rounds {
                        switch.off()?;
                        self.block(each, &mut free)?;
                        switch.on()?;
                        self.block(each, &mut loaded)?;
                        self.block(each, &mut loaded)?;
                        switch.off()?;
                        self.block(each, &mut free)?;
                    }
                    if !Compared::of(bench, limit, &free, &loaded).is_open() {
                        break;
                    }
                }
                Ok((free, loaded))
            })
        })?;
        Ok(Compared::of(bench, limit, &free, &loaded))
    }
}

/// Calls without load and under load.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub(super) free: Times,
    pub(super) loaded: Times,
    /// p99 under load, relative to p99 without load.
    pub(super) ratio: Ratio,
    /// The same for bare exchanges.
    pub(super) bare_free: Times,
    pub(super) bare_loaded: Times,
    pub(super) bare_ratio: Ratio,
    /// The times in order: calls without and under load, and bare exchanges.
    pub(super) timelines: [Timeline; 4],
    limit: Limit,
}

impl Compared {
    pub(super) fn of(bench: &Bench, limit: Limit, free: &Blocks, loaded: &Blocks) -> Self {
        let times = |blocks: &[Vec<Sample>]| -> Vec<Times> {
            blocks.iter().map(|block| bench.times(block)).collect()
        };
        let [calls_free, calls_loaded] = [&free.calls, &loaded.calls].map(|blocks| times(blocks));
        let [bare_free, bare_loaded] = [&free.bare, &loaded.bare].map(|blocks| times(blocks));
        let timelines = [&free.calls, &loaded.calls, &free.bare, &loaded.bare];
        Self {
            timelines: timelines.map(|blocks| bench.timeline(blocks)),
            ratio: Ratio::of(&calls_loaded, &calls_free),
            bare_ratio: Ratio::of(&bare_loaded, &bare_free),
            free: Times::joined(calls_free),
            loaded: Times::joined(calls_loaded),
            bare_free: Times::joined(bare_free),
            bare_loaded: Times::joined(bare_loaded),
            limit,
        }
    }

    /// The verdict on this claim.
    pub(super) fn judged(&self, what: &str) -> Claim {
        self.limit.judged(what, self.ratio, self.bare_ratio)
    }

    /// Whether it is a control.
    pub(super) fn is_control(&self) -> bool {
        matches!(self.limit, Limit::AtLeast(_))
    }

    fn is_open(&self) -> bool {
        self.limit.is_open(self.ratio, self.bare_ratio)
    }
}
