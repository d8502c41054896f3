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
use super::load::Load;
use super::times::{Sample, Times, ratio};
use crate::course::Course;
use crate::error::Result;
use crate::histogram::Histogram;

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

    /// Times all of them, without the load and beside it.
    pub(super) fn in_turns(&self, bench: &Bench, load: Load<'_>) -> Result<Compared> {
        let rounds = bench.count(5, 2);
        let each = (self.count / (2 * rounds)).max(1);
        let _awake = self.awake.then(|| Awake::keep(&bench.watched())).transpose()?;
        let (free, loaded) = load.beside(|switch| {
            self.client.at(self.priority, || {
                let (mut free, mut loaded) = (Blocks::default(), Blocks::default());
                for _ in 0..rounds {
                    switch.off()?;
                    self.block(each, &mut free)?;
                    switch.on()?;
                    self.block(each, &mut loaded)?;
                    self.block(each, &mut loaded)?;
                    switch.off()?;
                    self.block(each, &mut free)?;
                }
                Ok((free, loaded))
            })
        })?;
        Ok(Compared::of(bench, &free, &loaded))
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
    pub(super) courses: [Course; 4],
}

impl Compared {
    pub(super) fn of(bench: &Bench, free: &Blocks, loaded: &Blocks) -> Self {
        let times = |blocks: &[Vec<Sample>]| -> Vec<Times> {
            blocks.iter().map(|block| bench.times(block)).collect()
        };
        let [calls_free, calls_loaded] = [&free.calls, &loaded.calls].map(|blocks| times(blocks));
        let [bare_free, bare_loaded] = [&free.bare, &loaded.bare].map(|blocks| times(blocks));
        let courses = [&free.calls, &loaded.calls, &free.bare, &loaded.bare];
        Self {
            courses: courses.map(|blocks| bench.course(blocks)),
            ratio: Ratio::of(&calls_loaded, &calls_free),
            bare_ratio: Ratio::of(&bare_loaded, &bare_free),
            free: Times::joined(calls_free),
            loaded: Times::joined(calls_loaded),
            bare_free: Times::joined(bare_free),
            bare_loaded: Times::joined(bare_loaded),
        }
    }
}

/// How many times as long as others calls take that 99 of 100 do not exceed, and between what that
/// lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) found: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Times that blocks are drawn anew.
const DRAWS: usize = 400;
const SHARE: f64 = 0.99;

impl Ratio {
    /// On which side of a limit it is, with 95 % confidence; `None` where the limit lies between.
    pub(super) fn exceeds(&self, limit: f64) -> Option<bool> {
        match (self.low > limit, self.high > limit) {
            (low, high) if low == high => Some(low),
            _ => None,
        }
    }

    /// Of blocks of calls to others. Calls of a block are like each other, so that blocks are drawn,
    /// again and again, and not calls (a bootstrap): always the same ones for the same blocks.
    pub(super) fn of(blocks: &[Times], others: &[Times]) -> Self {
        let all = |blocks: &[Times]| Times::joined(blocks.to_vec()).micros(SHARE);
        let found = ratio(all(blocks), all(others));
        let histograms =
            |blocks: &[Times]| blocks.iter().map(Times::histogram).collect::<Vec<Histogram>>();
        let (blocks, others) = (histograms(blocks), histograms(others));
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut drawn: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let mut draw = |from: &[Histogram]| {
                    let mut sum = Histogram::new();
                    for _ in from {
                        if let Some(one) = from.get(random.below(from.len())) {
                            sum.merge(one);
                        }
                    }
                    sum.quantile(SHARE)
                };
                ratio(draw(&blocks), draw(&others))
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * (DRAWS - 1) as f64).round() as usize;
            drawn.get(index).copied().unwrap_or(found)
        };
        Self { found, low: at(0.025), high: at(0.975) }
    }
}

/// Numbers that look like drawn ones (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % end.max(1) as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_all_calls_and_lies_in_its_interval() {
        let blocks = |micros: &[u64]| -> Vec<Times> {
            micros.iter().map(|&micros| Times::of_micros([micros; 50])).collect()
        };
        let same = Ratio::of(&blocks(&[300; 10]), &blocks(&[100; 10]));
        assert_eq!(same.found, 3.0);
        assert!((same.low - 3.0).abs() < 0.03 && (same.high - 3.0).abs() < 0.03, "{same:?}");
        let apart = Ratio::of(&blocks(&[200, 300, 400, 500]), &blocks(&[100; 4]));
        assert_eq!(apart.found, 5.0);
        assert!(apart.low < 4.5 && apart.high <= 5.03 && apart.low >= 1.98, "{apart:?}");
        // The same blocks give the same interval.
        assert_eq!(apart, Ratio::of(&blocks(&[200, 300, 400, 500]), &blocks(&[100; 4])));
    }

    #[test]
    fn a_limit_between_the_ends_of_the_interval_leaves_it_open() {
        let ratio = Ratio { found: 2.0, low: 1.5, high: 2.5 };
        assert_eq!(
            [1.4, 2.0, 2.5].map(|limit| ratio.exceeds(limit)),
            [Some(true), None, Some(false)]
        );
    }

    #[test]
    fn of_no_calls_nothing_is_known() {
        let none = Ratio::of(&[], &[]);
        assert_eq!((none.found, none.high), (f64::INFINITY, f64::INFINITY));
    }
}
