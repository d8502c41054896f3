//! Limits for the ratio of p99 under load to p99 without load.

use super::interval::Ratio;
use super::times::rounded;
use crate::report::Claim;

/// If threads without an ORB exceed a limit themselves, the ratio of calls may be `OVER_BARE` times theirs, up to
/// `OVER_GATE` times the limit; on a worse machine the experiment is inconclusive.
const OVER_BARE: f64 = 1.25;
const OVER_GATE: f64 = 2.0;

/// A limit for p99 under load, relative to p99 without load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Limit {
    /// The maximum of a property. If threads without an ORB come close to it or exceed it under the same
    /// load, their ratio determines the limit.
    AtMost(f64),
    /// The minimum of a control.
    AtLeast(f64),
}

impl Limit {
    /// Whether the confidence interval contains the limit, so that another run could decide otherwise.
    pub(super) fn is_open(self, found: Ratio, bare: Ratio) -> bool {
        found.exceeds(self.edge(bare)).is_none()
    }

    pub(super) fn judged(self, what: &str, found: Ratio, bare: Ratio) -> Claim {
        let edge = self.edge(bare);
        let (expected, holds) = match self {
            Self::AtMost(times) => (
                format!(
                    "at most {times}; or {OVER_BARE} times the ratio without an ORB, up to {}",
                    times * OVER_GATE
                ),
                found.found <= edge,
            ),
            Self::AtLeast(times) => (format!("at least {times} times"), found.found >= edge),
        };
        let numbers = [found.found, found.low, found.high, bare.found].map(rounded);
        let [ratio, low, high, bare_ratio] = numbers;
        let shown = format!("{ratio} ({low} to {high}; without an ORB {bare_ratio})");
        Claim::new(what, expected, shown, holds).unclear_if(self.is_open(found, bare))
    }

    fn edge(self, bare: Ratio) -> f64 {
        match self {
            Self::AtMost(times) => (bare.found * OVER_BARE).clamp(times, times * OVER_GATE),
            Self::AtLeast(times) => times,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(found: f64) -> Ratio {
        Ratio { found, low: found - 0.2, high: found + 0.2 }
    }

    #[test]
    fn a_limit_grows_with_bare_threads_but_not_for_ever() {
        let limit = Limit::AtMost(2.0);
        assert_eq!([0.5, 1.6, 2.0, 9.0].map(|bare| limit.edge(about(bare))), [2.0, 2.0, 2.5, 4.0]);
        assert_eq!([0.5, 9.0].map(|bare| Limit::AtLeast(5.0).edge(about(bare))), [5.0, 5.0]);
    }

    #[test]
    fn a_ratio_close_to_the_limit_is_unclear() {
        let open = |found, bare| Limit::AtMost(2.0).is_open(about(found), about(bare));
        assert_eq!([1.7, 1.9, 2.1, 2.3].map(|found| open(found, 1.0)), [false, true, true, false]);
        assert_eq!([1.9, 2.4].map(|found| open(found, 2.0)), [false, true]);
    }
}
