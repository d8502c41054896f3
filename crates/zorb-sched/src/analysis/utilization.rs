//! Processor utilization.

use std::cmp::Ordering;

use super::Load;

/// The utilization of a processor by a set of loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utilization {
    /// In units of 2^-64, each share rounded down.
    sum: u128,
    against_one: Ordering,
}

/// A utilization of 1.
const ONE: u128 = 1 << 64;

impl Utilization {
    /// The utilization by these loads.
    pub fn of<'l>(loads: impl Iterator<Item = &'l Load> + Clone) -> Self {
        let mut sum = 0_u128;
        let mut rounded = 0;
        for load in loads.clone() {
            let period = u128::from(load.period.as_nanos()).max(1);
            let work = u128::from(load.worst.as_nanos()) << 64;
            sum = sum.saturating_add(work / period);
            rounded += u128::from(work % period != 0);
        }
        let against_one = if sum >= ONE && (sum > ONE || rounded > 0) {
            Ordering::Greater
        } else if sum.saturating_add(rounded) < ONE {
            Ordering::Less
        } else {
            exactly(loads)
        };
        Self { sum, against_one }
    }

    /// Compares it with 1. Exact, unless the least common multiple of the periods exceeds 128 bits
    /// and it is within 1e-12 of 1: then it counts as more.
    #[must_use]
    pub const fn against_one(self) -> Ordering {
        self.against_one
    }

    /// In thousandths, rounded up unless that would exceed a whole processor.
    #[must_use]
    pub fn permille(self) -> u64 {
        let permille = self.sum.saturating_mul(1000).div_ceil(ONE);
        let permille = u64::try_from(permille).unwrap_or(u64::MAX);
        match self.against_one {
            Ordering::Less => permille.min(1000),
            Ordering::Equal => 1000,
            Ordering::Greater => permille.max(1001),
        }
    }

    /// As a number; 1 is a whole processor.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.sum as f64 / ONE as f64
    }
}

/// Exact comparison with 1 in integers.
fn exactly<'l>(loads: impl Iterator<Item = &'l Load> + Clone) -> Ordering {
    let period = |load: &Load| u128::from(load.period.as_nanos()).max(1);
    let multiple = loads.clone().try_fold(1_u128, |multiple, load| lcm(multiple, period(load)));
    let Some(multiple) = multiple else { return Ordering::Greater };
    let demand = loads.into_iter().try_fold(0_u128, |sum, load| {
        sum.checked_add((multiple / period(load)).checked_mul(load.worst.as_nanos().into())?)
    });
    demand.map_or(Ordering::Greater, |demand| demand.cmp(&multiple))
}

/// The least common multiple, unless it overflows.
pub(crate) fn lcm(a: u128, b: u128) -> Option<u128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).checked_mul(b)
}

/// The utilization bound for `count` operations up to which rate monotonic priorities meet all
/// deadlines with any periods, if each deadline is a period (Liu and Layland, 1973). Higher
/// utilizations may be schedulable too.
#[must_use]
pub fn rate_monotonic_bound(count: usize) -> f64 {
    let count = count.max(1) as f64;
    count * (2_f64.powf(1.0 / count) - 1.0)
}
