//! Latency histograms, and their text form in the peers' protocol.

use std::fmt;

#[cfg(test)]
mod tests;

/// Significant decimal digits of recorded times: a bucket is at most 1/1024 of its values wide.
const DIGITS: u8 = 3;
/// Significant bits of the text form: 256 buckets for each power of two.
const BITS: u32 = 9;
/// Buckets of the text form between one power of two and the next.
const STEPS: u64 = 1 << (BITS - 1);
/// Longer times, in nanoseconds, are recorded as this one: 18 minutes.
const LONGEST: u64 = 1 << 40;
/// The index of [`LONGEST`] in the text form.
const LAST: u32 = 8448;

/// A histogram of times in nanoseconds.
///
/// The text form is that of the peers' protocol (`bench/peers/PROTOCOL.md`): `INDEX:COUNT` pairs
/// joined by commas. Its buckets are at most 1/256 of their values wide; times read from it are
/// spread evenly over their buckets.
#[derive(Clone)]
pub struct Histogram(hdrhistogram::Histogram<u64>);

/// The values of one bucket, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The lowest value.
    pub lowest: u64,
    /// The highest value.
    pub highest: u64,
    /// Number of recorded times.
    pub count: u64,
}

impl Default for Histogram {
    #[expect(clippy::expect_used, reason = "the number of digits is valid")]
    fn default() -> Self {
        Self(hdrhistogram::Histogram::new(DIGITS).expect("digits from 0 to 5"))
    }
}

impl Histogram {
    /// An empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records one time.
    pub fn record(&mut self, nanos: u64) {
        self.add(nanos, 1);
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Self) {
        // Both have the same precision and grow as needed.
        let _ = self.0.add(&other.0);
    }

    fn add(&mut self, nanos: u64, count: u64) {
        let _ = self.0.record_n(nanos.min(LONGEST), count);
    }

    /// Number of recorded times.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.len()
    }

    /// The buckets that are not empty, in rising order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.0.iter_recorded().map(|value| Bucket {
            lowest: self.0.lowest_equivalent(value.value_iterated_to()),
            highest: value.value_iterated_to(),
            count: value.count_at_value(),
        })
    }

    /// The time that a share of all times does not exceed, in nanoseconds: `0.5` for the median. 0 if
    /// nothing was recorded.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        self.0.value_at_quantile(share.clamp(0.0, 1.0)) as f64
    }

    /// Parses the text form.
    ///
    /// # Errors
    /// A description of the syntax error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut histogram = Self::new();
        let (mut least, mut total) = (0, 0_u64);
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let numbers = pair.split_once(':').and_then(|(index, count)| {
                Some((index.parse::<u32>().ok()?, count.parse::<u64>().ok()?))
            });
            let Some((index, count)) = numbers.filter(|(_, count)| *count > 0) else {
                return Err(format!("{pair:?} is no INDEX:COUNT"));
            };
            if !(least..=LAST).contains(&index) {
                return Err(format!("index {index} is out of order or range"));
            }
            total = total.checked_add(count).ok_or("the counts are too large")?;
            histogram.spread(index, count);
            least = index + 1;
        }
        Ok(histogram)
    }

    /// The buckets of the text form: indices and counts.
    fn pairs(&self) -> Vec<(u32, u64)> {
        let mut pairs: Vec<(u32, u64)> = Vec::new();
        for bucket in self.buckets() {
            let index = index(bucket.lowest);
            match pairs.last_mut() {
                Some((last, count)) if *last == index => *count += bucket.count,
                _ => pairs.push((index, bucket.count)),
            }
        }
        pairs
    }

    /// Records `count` times that are spread evenly over a bucket of the text form.
    fn spread(&mut self, index: u32, count: u64) {
        let (lowest, width) = bounds(index);
        let parts = width / self.0.equivalent_range(lowest).min(width);
        for part in 0..parts {
            let share = |parts_before: u64| {
                (u128::from(count) * u128::from(parts_before) / u128::from(parts)) as u64
            };
            let own = share(part + 1) - share(part);
            if own > 0 {
                self.add(lowest + width / parts * part, own);
            }
        }
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Histogram").field(&self.to_string()).finish()
    }
}

/// Equal in the text form.
impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.pairs() == other.pairs()
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> =
            self.pairs().iter().map(|(index, count)| format!("{index}:{count}")).collect();
        f.write_str(&pairs.join(","))
    }
}

/// The index of a time in the text form.
fn index(nanos: u64) -> u32 {
    let nanos = nanos.min(LONGEST);
    let shift = (u64::BITS - nanos.leading_zeros()).saturating_sub(BITS);
    // At most `LAST`.
    (STEPS * u64::from(shift) + (nanos >> shift)) as u32
}

/// The lowest value of a bucket of the text form, and the number of its values.
fn bounds(index: u32) -> (u64, u64) {
    let index = u64::from(index);
    if index < 2 * STEPS {
        return (index, 1);
    }
    let shift = index / STEPS - 1;
    ((index - STEPS * shift) << shift, 1 << shift)
}
