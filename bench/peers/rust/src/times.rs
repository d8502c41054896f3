//! The times of calls: a histogram with 256 buckets to the power of two.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Longer times count as this one.
const LONGEST: u64 = 1 << 40;

/// The times of calls, in nanoseconds. Its text form is that of an answer's keys.
#[derive(Debug, Default)]
pub(crate) struct Times {
    counts: BTreeMap<u64, u64>,
    sum: u64,
    least: u64,
    most: u64,
}

impl Times {
    /// Records the time of a batch of calls.
    pub(crate) fn record(&mut self, together: Duration, batch: u32) {
        let together = u64::try_from(together.as_nanos()).unwrap_or(u64::MAX);
        let time = together / u64::from(batch);
        self.least = if self.counts.is_empty() { time } else { self.least.min(time) };
        self.most = self.most.max(time);
        self.sum += together;
        *self.counts.entry(index(time)).or_default() += 1;
    }
}

/// The bucket of a time.
fn index(time: u64) -> u64 {
    let time = time.min(LONGEST);
    let bits = u64::from(u64::BITS - time.leading_zeros()).saturating_sub(9);
    256 * bits + (time >> bits)
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { counts, sum, least, most } = self;
        let pairs: Vec<_> =
            counts.iter().map(|(index, count)| format!("{index}:{count}")).collect();
        write!(f, "sum_ns={sum} min_ns={least} max_ns={most} hist={}", pairs.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_protocol() {
        let times = [0, 511, 512, 513, 514, 1023, 1024, 15_000, 1_000_000];
        let found = times.map(index);
        assert_eq!(found, [0, 511, 512, 512, 513, 767, 768, 1748, 3304]);
        assert_eq!(index(u64::MAX), index(LONGEST));
    }

    #[test]
    fn batches_count_once() {
        let mut times = Times::default();
        times.record(Duration::from_nanos(900), 3);
        times.record(Duration::from_nanos(600), 2);
        times.record(Duration::from_nanos(1000), 2);
        assert_eq!(times.to_string(), "sum_ns=2500 min_ns=300 max_ns=500 hist=300:2,500:1");
    }
}
