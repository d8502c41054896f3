//! Times in logarithmic buckets: small enough for one line between processes.

use std::collections::BTreeMap;
use std::fmt;

#[cfg(test)]
mod tests;

/// Bits of a time that its bucket keeps: 256 steps to the power of two.
const BITS: u32 = 9;
/// Buckets between one power of two and the next.
const STEPS: u64 = 1 << (BITS - 1);
/// Longer times, in nanoseconds, count as this one: 18 minutes.
const LONGEST: u64 = 1 << 40;
/// The bucket of [`LONGEST`].
const LAST: u32 = 8448;

/// How often which time was taken, in nanoseconds.
///
/// No bucket is wider than 1/256 of its values. The text form is that of the peers' protocol:
/// `INDEX:COUNT` pairs joined by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: BTreeMap<u32, u64>,
    total: u64,
}

/// The values of one bucket, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The shortest of them.
    pub lowest: u64,
    /// How many there are.
    pub width: u64,
    /// How many times lie in it.
    pub count: u64,
}

impl Histogram {
    /// One with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one time.
    pub fn record(&mut self, nanos: u64) {
        self.add(index(nanos), 1);
    }

    /// Takes over all that another one counted.
    pub fn merge(&mut self, other: &Self) {
        for (&index, &count) in &other.counts {
            self.add(index, count);
        }
    }

    fn add(&mut self, index: u32, count: u64) {
        *self.counts.entry(index).or_default() += count;
        self.total += count;
    }

    /// How many times were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The buckets that are not empty, shortest times first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.counts.iter().map(|(&index, &count)| {
            let (lowest, width) = bounds(index);
            Bucket { lowest, width, count }
        })
    }

    /// The time that a share of all do not exceed, in nanoseconds: `0.5` for the median. Inside a
    /// bucket times are taken to lie evenly. 0 when nothing was counted.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let rank = share.clamp(0.0, 1.0) * self.total as f64;
        let mut below = 0_u64;
        let mut end = 0.0;
        for Bucket { lowest, width, count } in self.buckets() {
            let after = below + count;
            if after as f64 >= rank {
                let inside = (rank - below as f64).max(0.0) / count as f64;
                // A bucket of one value is that value.
                return lowest as f64 + inside * (width - 1) as f64;
            }
            below = after;
            end = (lowest + width - 1) as f64;
        }
        end
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut histogram = Self::new();
        let mut least = 0;
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let numbers = pair.split_once(':').and_then(|(index, count)| {
                Some((index.parse::<u32>().ok()?, count.parse::<u64>().ok()?))
            });
            let Some((index, count)) = numbers.filter(|(_, count)| *count > 0) else {
                return Err(format!("{pair:?} is no INDEX:COUNT"));
            };
            if !(least..=LAST).contains(&index) {
                return Err(format!("index {index} is out of place"));
            }
            if histogram.total.checked_add(count).is_none() {
                return Err("the counts are too large".to_owned());
            }
            histogram.add(index, count);
            least = index + 1;
        }
        Ok(histogram)
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (index, count)) in self.counts.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            write!(f, "{comma}{index}:{count}")?;
        }
        Ok(())
    }
}

fn index(nanos: u64) -> u32 {
    let nanos = nanos.min(LONGEST);
    let shift = (u64::BITS - nanos.leading_zeros()).saturating_sub(BITS);
    // At most `LAST`.
    (STEPS * u64::from(shift) + (nanos >> shift)) as u32
}

/// The lowest value of a bucket, and how many values it has.
fn bounds(index: u32) -> (u64, u64) {
    let index = u64::from(index);
    if index < 2 * STEPS {
        return (index, 1);
    }
    let shift = index / STEPS - 1;
    ((index - STEPS * shift) << shift, 1 << shift)
}
