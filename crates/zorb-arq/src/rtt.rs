//! The round-trip time.

use zorb_transport::driven::Micros;

/// The minimum retransmission timeout.
pub const MIN_TIMEOUT: Micros = 10_000;
/// The maximum.
pub const MAX_TIMEOUT: Micros = 2_000_000;
/// The timeout before the first measurement.
const FIRST_TIMEOUT: Micros = 200_000;

/// The smoothed round-trip time and its deviation (RFC 6298), with bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundTrip {
    /// The smoothed time and the mean deviation, after the first measurement.
    measured: Option<(Micros, Micros)>,
    /// The number of consecutive timeouts.
    doublings: u32,
}

impl RoundTrip {
    pub(crate) fn measure(&mut self, sample: Micros) {
        let sample = sample.min(MAX_TIMEOUT);
        self.measured = Some(match self.measured {
            None => (sample, sample / 2),
            Some((smoothed, deviation)) => {
                let off = smoothed.abs_diff(sample);
                ((smoothed * 7 + sample) / 8, (deviation * 3 + off) / 4)
            }
        });
        self.doublings = 0;
    }

    /// The smoothed time.
    pub(crate) fn smoothed(&self) -> Option<Micros> {
        self.measured.map(|(smoothed, _)| smoothed)
    }

    /// The retransmission timeout.
    pub(crate) fn timeout(&self) -> Micros {
        let base = match self.measured {
            None => FIRST_TIMEOUT,
            Some((smoothed, deviation)) => smoothed + (4 * deviation).max(1000),
        };
        let base = base.clamp(MIN_TIMEOUT, MAX_TIMEOUT);
        (base << self.doublings.min(16)).min(MAX_TIMEOUT)
    }

    /// After a timeout: doubles the next one.
    pub(crate) fn back_off(&mut self) {
        self.doublings = self.doublings.saturating_add(1);
    }

    /// After an acknowledgement: resets the backoff.
    pub(crate) fn recovered(&mut self) {
        self.doublings = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_within_bounds_and_double() {
        let mut trip = RoundTrip::default();
        assert_eq!(trip.timeout(), FIRST_TIMEOUT);
        for _ in 0..20 {
            trip.measure(50);
        }
        assert_eq!(trip.timeout(), MIN_TIMEOUT);
        trip.back_off();
        assert_eq!(trip.timeout(), 2 * MIN_TIMEOUT);
        for _ in 0..100 {
            trip.back_off();
        }
        assert_eq!(trip.timeout(), MAX_TIMEOUT);
        trip.measure(u64::MAX);
        assert!(trip.timeout() <= MAX_TIMEOUT);
    }

    #[test]
    fn a_constant_round_trip_time_is_measured_exactly() {
        let mut trip = RoundTrip::default();
        for _ in 0..100 {
            trip.measure(40_000);
        }
        assert!((40_000..45_000).contains(&trip.timeout()), "{}", trip.timeout());
    }
}
