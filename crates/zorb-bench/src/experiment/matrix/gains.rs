//! Gains of one protocol over another for each workload, block by block.

use crate::report::Claim;
use crate::statistics::Interval;

/// The average gain of a messaging protocol with slightly smaller messages.
const SMALL_GAIN: std::ops::RangeInclusive<f64> = 1.003..=1.06;
/// The minimum ratio of such a protocol with each workload.
const MIN_RATIO: f64 = 0.995;

/// The gains of every workload.
#[derive(Default)]
pub(super) struct Gains(Vec<Kind>);

/// A workload.
pub(super) struct Kind {
    pub(super) name: String,
    /// The ratio of calls per second of each block to the adjacent one.
    pub(super) gains: Vec<f64>,
    /// The ratio of CPU times of both sides.
    spent: Vec<f64>,
}

impl Gains {
    pub(super) fn add(&mut self, name: &str, gains: Vec<f64>, spent: Vec<f64>) {
        if !gains.is_empty() {
            self.0.push(Kind { name: name.to_owned(), gains, spent });
        }
    }

    /// The workload with the smallest gain.
    pub(super) fn least(&self) -> Option<(&str, Interval)> {
        let all = self.0.iter().map(|kind| (kind.name.as_str(), kind.interval()));
        all.min_by(|(_, one), (_, other)| one.median.total_cmp(&other.median))
    }

    /// The first workload whose name starts with this.
    pub(super) fn first(&self, begins: &str) -> Option<&Kind> {
        self.0.iter().find(|kind| kind.name.starts_with(begins))
    }

    pub(super) fn last(&self, begins: &str) -> Option<&Kind> {
        self.0.iter().rfind(|kind| kind.name.starts_with(begins))
    }

    /// The claims about a protocol with any gain.
    pub(super) fn any(&self, name: &str) -> Vec<Claim> {
        let gain = Interval::of(self.averages(|kind| &kind.gains));
        let more = Claim::new(
            format!("calls per second over {name} relative to GIOP, on average"),
            "more, with 95 % confidence",
            percent(gain),
            gain.low > 1.0,
        )
        .unclear_if(gain.contains(1.0));
        [more].into_iter().chain(self.processor(name)).collect()
    }

    /// The claims about a protocol with a small gain.
    pub(super) fn small_ones(&self, name: &str) -> Vec<Claim> {
        let gain = Interval::of(self.averages(|kind| &kind.gains));
        let (least, most) = (SMALL_GAIN.start() - 1.0, SMALL_GAIN.end() - 1.0);
        let more = Claim::new(
            format!("calls per second over {name} relative to GIOP, on average"),
            format!("more, with 95 % confidence, by {:.1} to {:.0} %", least * 100.0, most * 100.0),
            percent(gain),
            gain.low > 1.0 && SMALL_GAIN.contains(&gain.median),
        )
        .unclear_if(
            [1.0, *SMALL_GAIN.start(), *SMALL_GAIN.end()].iter().any(|limit| gain.contains(*limit)),
        );
        let least = self.least().map(|(work, least)| {
            let surely = |kind: &&Kind| kind.interval().high < MIN_RATIO;
            let lost = self.0.iter().filter(surely).count();
            let lost =
                format!("{lost} of {} workloads lose more, with 95 % confidence", self.0.len());
            Claim::new(
                format!("smallest gain of {name} over all workloads"),
                format!("at least {:+.1} %", (MIN_RATIO - 1.0) * 100.0),
                format!("{}, for {work}; {lost}", percent(least)),
                least.median >= MIN_RATIO,
            )
            .unclear_if(least.contains(MIN_RATIO))
        });
        [more].into_iter().chain(least).chain(self.processor(name)).collect()
    }

    /// The claim about CPU time, which does not depend on wake-up latencies.
    fn processor(&self, name: &str) -> Option<Claim> {
        let spent = Interval::of(self.averages(|kind| &kind.spent));
        (spent.median > 0.0).then(|| {
            Claim::new(
                format!("CPU time of client and server per call over {name} relative to GIOP"),
                "less on average, with 95 % confidence",
                percent(spent),
                spent.high < 1.0,
            )
            .unclear_if(spent.contains(1.0))
        })
    }

    /// The claim that this gain is larger than another.
    pub(super) fn beside(&self, name: &str, other: &Self, other_name: &str) -> Option<Claim> {
        let here = self.averages(|kind| &kind.gains);
        let more = std::iter::zip(here, other.averages(|kind| &kind.gains));
        let more: Vec<f64> = more.map(|(here, there)| here - there).collect();
        if more.is_empty() {
            return None;
        }
        let more = Interval::of(more);
        Some(
            Claim::new(
                format!("average gain of {name} minus that of {other_name}"),
                "positive, with 95 % confidence",
                points(more),
                more.low > 0.0,
            )
            .unclear_if(more.contains(0.0)),
        )
    }

    /// The mean over all workloads for each block: workloads are interleaved, and all have the same
    /// weight.
    fn averages(&self, of: fn(&Kind) -> &Vec<f64>) -> Vec<f64> {
        let blocks = self.0.iter().map(|kind| of(kind).len()).min().unwrap_or_default();
        let mean = |block: usize| {
            let all = self.0.iter().filter_map(|kind| of(kind).get(block));
            all.sum::<f64>() / self.0.len() as f64
        };
        (0..blocks).map(mean).collect()
    }
}

impl Kind {
    fn interval(&self) -> Interval {
        Interval::of(self.gains.iter().copied())
    }
}

/// A ratio as a difference from 1 in percent, with its 95 % confidence interval.
pub(super) fn percent(ratio: Interval) -> String {
    let of = |ratio: f64| (ratio - 1.0) * 100.0;
    format!("{:+.2} % ({:+.2} to {:+.2})", of(ratio.median), of(ratio.low), of(ratio.high))
}

/// A difference of ratios in percentage points, with its 95 % confidence interval.
pub(super) fn points(difference: Interval) -> String {
    let Interval { low, median, high } = difference;
    let [low, median, high] = [low, median, high].map(|number| number * 100.0);
    format!("{median:.2} points ({low:.2} to {high:.2})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gains(works: &[&[f64]]) -> Gains {
        let mut gains = Gains::default();
        for (n, work) in works.iter().enumerate() {
            let spent = work.iter().map(|gain| 1.0 / gain).collect();
            gains.add(&n.to_string(), work.to_vec(), spent);
        }
        gains
    }

    #[test]
    fn a_small_gain_is_small_and_a_gain() {
        let holds = |gains: &Gains| -> Vec<bool> {
            gains.small_ones("x").iter().map(|check| check.holds).collect()
        };
        assert_eq!(holds(&gains(&[&[1.02; 20], &[1.0; 20]])), [true, true, true]);
        // One kind loses; too much is gained; nothing is.
        assert_eq!(holds(&gains(&[&[1.04; 20], &[0.99; 20]])), [true, false, true]);
        assert_eq!(holds(&gains(&[&[1.2; 20]])), [false, true, true]);
        assert_eq!(holds(&gains(&[&[0.998; 20]])), [false, true, false]);
        let unknown = [0.9, 1.1].repeat(10);
        assert_eq!(holds(&gains(&[&unknown])), [false, true, false]);
    }

    #[test]
    fn blocks_are_compared_in_pairs() {
        // Variation that both have in common does not widen the interval.
        let (here, there) = ([1.3, 1.1, 1.3, 1.1].repeat(5), [1.2, 1.0, 1.2, 1.0].repeat(5));
        let check = gains(&[&here]).beside("a", &gains(&[&there]), "b").unwrap();
        assert!(check.holds && check.found == "10.00 points (10.00 to 10.00)", "{check:?}");
        assert!(gains(&[]).beside("a", &gains(&[]), "b").is_none());
    }
}
