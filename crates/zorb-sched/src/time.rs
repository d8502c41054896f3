//! Times in nanoseconds.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

/// A duration, or a time since some origin, in nanoseconds.
///
/// Arithmetic saturates at the maximum, which is 584 years. The text form is a number and a unit:
/// `250 us`, `1.5 ms`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// The maximum time in an [`RtInfo`](crate::RtInfo): a million seconds.
pub const MAX_TIME: Time = Time(1_000_000 * 1_000_000_000);

impl Time {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// The maximum.
    pub const MAX: Self = Self(u64::MAX);

    /// From nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// From microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// From units of 100 nanoseconds, as in `TimeBase::TimeT`.
    #[must_use]
    pub const fn from_time_t(units: u64) -> Self {
        Self(units.saturating_mul(100))
    }

    /// In nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// In units of 100 nanoseconds, as in `TimeBase::TimeT`, rounded up.
    #[must_use]
    pub const fn as_time_t(self) -> u64 {
        self.0.div_ceil(100)
    }

    /// As a [`Duration`] of the standard library.
    #[must_use]
    pub const fn as_duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// Whether it is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The product, saturating.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The sum, unless it overflows.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The product, unless it overflows.
    #[must_use]
    pub const fn checked_mul(self, count: u64) -> Option<Self> {
        match self.0.checked_mul(count) {
            Some(product) => Some(Self(product)),
            None => None,
        }
    }

    /// The quotient by `part`, rounded down; zero for a zero `part`.
    #[must_use]
    pub const fn whole(self, part: Self) -> u64 {
        match self.0.checked_div(part.0) {
            Some(count) => count,
            None => 0,
        }
    }

    /// The quotient by `part`, rounded up; zero for a zero `part`.
    #[must_use]
    pub const fn covers(self, part: Self) -> u64 {
        if part.0 == 0 { 0 } else { self.0.div_ceil(part.0) }
    }
}

impl Add for Time {
    type Output = Self;

    /// The sum, saturating.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Time {
    type Output = Self;

    /// The difference, saturating at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

impl From<Duration> for Time {
    /// Saturates at the maximum.
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// The units; the longest is first.
const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

/// In the longest unit in which there are at most six decimals.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last_decimal = |unit: u64| (unit / 1_000_000).max(1);
        let fits = |&&(_, unit): &&(&str, u64)| {
            self.0 >= unit && self.0.is_multiple_of(last_decimal(unit))
        };
        let &(name, unit) = UNITS.iter().find(fits).unwrap_or(&("ns", 1));
        let (whole, rest) = (self.0 / unit, self.0 % unit);
        if rest == 0 {
            return f.pad(&format!("{whole} {name}"));
        }
        let digits = if unit == 1_000 { 3 } else { 6 };
        let decimals = format!("{:0digits$}", rest / last_decimal(unit));
        f.pad(&format!("{whole}.{} {name}", decimals.trim_end_matches('0')))
    }
}

/// A text that is not a valid time.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0:?} is not a valid time: write a number and ns, us, ms or s, as in \"2.5 ms\"")]
pub struct ParseTimeError(String);

impl FromStr for Time {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        parse(text.trim()).ok_or_else(|| ParseTimeError(text.chars().take(40).collect()))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

fn parse(text: &str) -> Option<Time> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at_checked(end)?;
    let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit.trim_start())?;
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    if part.is_empty() || part.len() > 9 {
        return None;
    }
    let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
    // Fractions of a nanosecond are rejected.
    let rest = part.parse::<u64>().ok()?.checked_mul(*unit)?;
    if !rest.is_multiple_of(scale) {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(*unit)?;
    whole.checked_add(rest / scale).map(Time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, nanos) in [
            ("0 ns", 0),
            ("17 ns", 17),
            ("1.017 us", 1_017),
            ("250 us", 250_000),
            ("2.5 ms", 2_500_000),
            ("1.000001 s", 1_000_001_000),
            ("3 s", 3_000_000_000),
        ] {
            let time: Time = text.parse().unwrap();
            assert_eq!(time.as_nanos(), nanos, "{text}");
            assert_eq!(time.to_string().parse(), Ok(time));
        }
        assert_eq!(Time::from_nanos(2_500_000).to_string(), "2.5 ms");
        assert_eq!(Time::from_nanos(1_000_001_000).to_string(), "1.000001 s");
        assert_eq!(Time::from_nanos(1_000_000_001).to_string(), "1000.000001 ms");
        assert_eq!(Time::from_nanos(11_579_999).to_string(), "11.579999 ms");
        assert_eq!(" 1ms ".parse(), Ok(Time::from_millis(1)));
    }

    #[test]
    fn invalid_times_are_rejected() {
        for text in [
            "",
            "1",
            "ms",
            "1 h",
            "-1 ms",
            "1..5 ms",
            "1. ms",
            ".5 ms",
            "0.5 ns",
            "1e3 ms",
            "99999999999 s",
            "1.0000000001 s",
            "1 ms 2 us",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn arithmetic_ends_at_its_bounds() {
        assert_eq!(Time::MAX + Time::from_nanos(1), Time::MAX);
        assert_eq!(Time::ZERO - Time::from_nanos(1), Time::ZERO);
        assert_eq!(Time::MAX.checked_add(Time::from_nanos(1)), None);
        assert_eq!(Time::from_nanos(10).whole(Time::from_nanos(3)), 3);
        assert_eq!(Time::from_nanos(10).covers(Time::from_nanos(3)), 4);
        assert_eq!(Time::from_nanos(10).covers(Time::ZERO), 0);
        assert_eq!(Time::from_time_t(7).as_nanos(), 700);
        assert_eq!(Time::from_nanos(701).as_time_t(), 8);
    }
}
