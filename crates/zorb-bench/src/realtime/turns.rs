//! High calls without load and beside it, in turns: what is compared is never far apart in time.
//!
//! The order is free, loaded, loaded, free, and again: a machine that gets slower, or faster, does so
//! for both. Beside each call there is a bare exchange of the same work, without an ORB, which has to
//! do with the same processors and the same load.

use std::time::Duration;

use zorb_os::clock::MonotonicTime;

use super::awake::Awake;
use super::bare::Bare;
use super::bed::{Bench, Host};
use super::interval::Ratio;
use super::limit::Limit;
use super::load::Load;
use super::times::{Sample, Times};
use super::verdict::Judged;
use crate::error::Result;
use crate::timeline::Timeline;

/// Calls that are timed.
#[derive(Clone, Copy)]
pub(super) struct Calls<'a> {
    pub(super) client: &'a Host,
    pub(super) priority: i16,
    /// How many without load, and as many beside it.
    pub(super) count: usize,
    /// From one to the next; zero: one after the other.
    pub(super) period: Duration,
    pub(super) call: &'a (dyn Fn() -> Result<()> + Sync),
    pub(super) bare: &'a Bare,
    /// After each so many calls there is an exchange of bare threads.
    pub(super) bare_every: usize,
    /// Whether processors are kept awake, without load as beside it.
    pub(super) awake: bool,
}

/// All calls are timed so many times at most.
const REPEATS: usize = 3;

/// What was timed of the same kind of calls: one block after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) calls: Vec<Vec<Sample>>,
    pub(super) bare: Vec<Vec<Sample>>,
}

impl Calls<'_> {
    /// Times so many of them; to be called on a thread of their priority.
    pub(super) fn block(&self, count: usize, into: &mut Blocks) -> Result<()> {
        // The connection is there before, and so are the stacks.
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

    /// Times all of them, without the load and beside it; and again, and once more, where they come so near
    /// to the limit that it is not clear on which side of it they are.
    pub(super) fn in_turns(&self, bench: &Bench, load: Load<'_>, limit: Limit) -> Result<Compared> {
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

/// Calls without load and beside it.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub(super) free: Times,
    pub(super) loaded: Times,
    /// p99 beside the load, of that without.
    pub(super) ratio: Ratio,
    /// The same of exchanges without an ORB.
    pub(super) bare_free: Times,
    pub(super) bare_loaded: Times,
    pub(super) bare_ratio: Ratio,
    /// The times in their order: of calls without load and beside it, and of exchanges.
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

    /// What is to be said of it.
    pub(super) fn judged(&self, what: &str) -> Judged {
        self.limit.judged(what, self.ratio, self.bare_ratio)
    }

    /// Whether the limit is for what is known to fail.
    pub(super) fn is_control(&self) -> bool {
        matches!(self.limit, Limit::AtLeast(_))
    }

    fn is_open(&self) -> bool {
        self.limit.is_open(self.ratio, self.bare_ratio)
    }
}
