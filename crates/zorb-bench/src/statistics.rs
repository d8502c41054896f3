//! Medians, quartiles and confidence intervals.

/// Median and quartiles of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The lower quartile.
    pub q1: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub q3: f64,
}

impl Spread {
    /// Of numbers in any order; all 0 if there are none.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share| quantile(&sorted, share);
        Self { q1: at(0.25), median: at(0.5), q3: at(0.75) }
    }
}

/// The median of numbers with its 95 % confidence interval, for any distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The lower end of the interval, one of the numbers.
    pub low: f64,
    /// The median of the numbers.
    pub median: f64,
    /// The upper end of the interval, one of the numbers.
    pub high: f64,
}

impl Interval {
    /// Whether the limit is inside the interval, so that another run could find the median on its
    /// other side.
    #[must_use]
    pub fn contains(&self, limit: f64) -> bool {
        self.low < limit && limit < self.high
    }

    /// Of these numbers, in any order; all 0 when there are none.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        // The number of values below the true median has a binomial distribution.
        let count = sorted.len() as f64;
        let rank = ((count - 1.96 * count.sqrt()) / 2.0).floor().max(0.0) as usize;
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        Self {
            low: at(rank),
            median: quantile(&sorted, 0.5),
            high: at((sorted.len().saturating_sub(1)).saturating_sub(rank)),
        }
    }
}

/// The median of numbers in any order; of an even number, the mean of the middle two.
#[must_use]
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    Spread::of(numbers).median
}

/// The percentile of sorted `samples`, one of them; 0 if there are none.
#[must_use]
pub fn percentile(samples: &[u64], percent: usize) -> u64 {
    let rank = (samples.len() * percent).div_ceil(100).max(1);
    samples.get(rank - 1).copied().unwrap_or_default()
}

/// The quantile of sorted numbers, with linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = share * sorted.len().saturating_sub(1) as f64;
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    let (low, high) = (at(rank.floor() as usize), at(rank.ceil() as usize));
    low + (high - low) * rank.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let times: Vec<u64> = (1..=200).collect();
        assert_eq!((percentile(&times, 50), percentile(&times, 99)), (100, 198));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 99)), (7, 7));
        assert_eq!(percentile(&[], 50), 0);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median([]), 0.0);
    }

    #[test]
    fn a_median_lies_between_numbers_of_the_series() {
        let interval = Interval::of((1..=100).map(f64::from));
        assert_eq!(interval, Interval { low: 41.0, median: 50.5, high: 60.0 });
        assert_eq!(Interval::of([3.0, 1.0]), Interval { low: 1.0, median: 2.0, high: 3.0 });
        assert_eq!(Interval::of([]), Interval::default());
    }

    #[test]
    fn quartiles_enclose_the_median() {
        let spread = Spread::of([5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(spread, Spread { q1: 2.0, median: 3.0, q3: 4.0 });
        assert_eq!(Spread::of([7.0]), Spread { q1: 7.0, median: 7.0, q3: 7.0 });
    }
}
