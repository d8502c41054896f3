//! Times of calls.

use std::time::Duration;

use zorb_os::clock::MonotonicTime;

use super::quiet::Disturbed;
use crate::histogram::Histogram;

/// A timed call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    begun: MonotonicTime,
    ended: MonotonicTime,
}

impl Sample {
    /// Times some work.
    pub(super) fn of<T>(work: impl FnOnce() -> T) -> (Self, T) {
        let begun = MonotonicTime::now();
        let done = work();
        (Self { begun, ended: MonotonicTime::now() }, done)
    }

    pub(super) fn of_nanos(begun: MonotonicTime, nanos: u64) -> Self {
        Self { begun, ended: begun + Duration::from_nanos(nanos) }
    }

    /// Whether a disturbance overlaps the call.
    pub(super) fn overlaps(&self, disturbed: &Disturbed) -> bool {
        disturbed.overlaps(self.begun, self.ended)
    }

    pub(super) fn nanos(self) -> u64 {
        self.ended.nanos_since(self.begun)
    }
}

/// Times of undisturbed calls, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    sorted: Vec<u64>,
    /// Number of dropped calls, which a disturbance overlaps.
    pub(super) dropped: usize,
}

impl Times {
    /// The undisturbed samples.
    pub(super) fn of(samples: &[Sample], disturbed: &Disturbed) -> Self {
        let clean = |sample: &&Sample| !sample.overlaps(disturbed);
        let mut sorted: Vec<u64> =
            samples.iter().filter(clean).map(|sample| sample.nanos()).collect();
        sorted.sort_unstable();
        Self { dropped: samples.len() - sorted.len(), sorted }
    }

    /// All times of several parts.
    pub(super) fn joined(parts: Vec<Self>) -> Self {
        let dropped = parts.iter().map(|part| part.dropped).sum();
        let mut sorted: Vec<u64> = parts.into_iter().flat_map(|part| part.sorted).collect();
        sorted.sort_unstable();
        Self { sorted, dropped }
    }

    pub(super) fn count(&self) -> usize {
        self.sorted.len()
    }

    /// A quantile in microseconds; 0 if there are no times.
    pub(super) fn micros(&self, share: f64) -> f64 {
        let rank = (self.sorted.len() as f64 * share).ceil() as usize;
        let nanos = self.sorted.get(rank.max(1) - 1).copied().unwrap_or_default();
        nanos as f64 / 1000.0
    }

    pub(super) fn p50(&self) -> f64 {
        self.micros(0.5)
    }

    pub(super) fn p99(&self) -> f64 {
        self.micros(0.99)
    }

    pub(super) fn mean(&self) -> f64 {
        let sum: u64 = self.sorted.iter().sum();
        sum as f64 / self.sorted.len().max(1) as f64 / 1000.0
    }

    /// The standard deviation, in microseconds.
    pub(super) fn deviation(&self) -> f64 {
        let mean = self.mean();
        let square = |nanos: &u64| (*nanos as f64 / 1000.0 - mean).powi(2);
        let sum: f64 = self.sorted.iter().map(square).sum();
        (sum / self.sorted.len().max(1) as f64).sqrt()
    }

    pub(super) fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        self.sorted.iter().for_each(|nanos| histogram.record(*nanos));
        histogram
    }

    #[cfg(test)]
    pub(super) fn of_micros(micros: impl IntoIterator<Item = u64>) -> Self {
        let mut sorted: Vec<u64> = micros.into_iter().map(|micros| micros * 1000).collect();
        sorted.sort_unstable();
        Self { sorted, dropped: 0 }
    }
}

/// The ratio of a number to `base`; infinite for base 0.
pub(super) fn ratio(number: f64, base: f64) -> f64 {
    if base > 0.0 { number / base } else { f64::INFINITY }
}

/// A number with two decimals.
pub(super) fn rounded(number: f64) -> f64 {
    if number.is_finite() { (number * 100.0).round() / 100.0 } else { f64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_samples() {
        let times = Times::of_micros(1..=200);
        assert_eq!((times.p50(), times.p99(), times.micros(1.0)), (100.0, 198.0, 200.0));
        assert_eq!(times.mean(), 100.5);
        assert_eq!(Times::of_micros([5, 5]).deviation(), 0.0);
        assert_eq!(Times::of_micros([1, 3]).deviation(), 1.0);
        assert_eq!((Times::default().p50(), Times::default().mean()), (0.0, 0.0));
    }

    #[test]
    fn disturbed_samples_are_dropped_and_counted() {
        let at = MonotonicTime::from_nanos;
        let samples = [(0, 10), (20, 40), (50, 60)]
            .map(|(begun, ended)| Sample { begun: at(begun * 1000), ended: at(ended * 1000) });
        let disturbed = Disturbed::of(vec![(at(30_000), at(45_000))]);
        let times = Times::of(&samples, &disturbed);
        assert_eq!((times.count(), times.dropped), (2, 1));
        assert_eq!(times.micros(1.0), 10.0);
        let twice = Times::joined(vec![times.clone(), times]);
        assert_eq!((twice.count(), twice.dropped, twice.p50()), (4, 2, 10.0));
    }

    #[test]
    fn ratios_of_nothing_are_endless() {
        assert_eq!(ratio(6.0, 3.0), 2.0);
        assert_eq!(ratio(1.0, 0.0), f64::INFINITY);
    }
}
