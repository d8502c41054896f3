//! Ratios of 99th percentiles with confidence intervals.

use super::times::{Times, ratio};
use crate::histogram::Histogram;

/// The ratio of two 99th percentiles with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) found: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Number of bootstrap samples.
const DRAWS: usize = 400;
const SHARE: f64 = 0.99;

impl Ratio {
    /// Whether it exceeds a limit with 95 % confidence; `None` if the interval contains the limit.
    pub(super) fn exceeds(&self, limit: f64) -> Option<bool> {
        match (self.low > limit, self.high > limit) {
            (low, high) if low == high => Some(low),
            _ => None,
        }
    }

    /// The ratio of blocks of calls to others. Calls of a block are correlated; therefore the bootstrap
    /// draws blocks, not calls. It is deterministic.
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

/// Pseudorandom numbers (xorshift).
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
    fn without_calls_the_ratio_is_unknown() {
        let none = Ratio::of(&[], &[]);
        assert_eq!((none.found, none.high), (f64::INFINITY, f64::INFINITY));
    }
}
