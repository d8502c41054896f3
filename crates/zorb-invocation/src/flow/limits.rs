//! How much a queue takes, and at which levels it reports events.

use super::FlowEvent;

/// The limits of a queue, and the levels at which it reports events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowLimits {
    /// The maximum number of calls, at least one. Default: 256.
    pub max_calls: usize,
    /// The maximum size of all calls together, in octets. Default: 1 MiB. An empty queue accepts a
    /// larger call.
    pub max_octets: usize,
    /// The high-water mark, in percent of the limit that is closer. Default: 75.
    pub high: u8,
    /// The low-water mark, less than the high one. Default: 25.
    pub low: u8,
}

impl Default for FlowLimits {
    fn default() -> Self {
        Self { max_calls: 256, max_octets: 1 << 20, high: 75, low: 25 }
    }
}

impl FlowLimits {
    /// The same limits with another maximum number of calls.
    #[must_use]
    pub const fn max_calls(self, max_calls: usize) -> Self {
        Self { max_calls, ..self }
    }

    /// The same limits with another maximum number of octets.
    #[must_use]
    pub const fn max_octets(self, max_octets: usize) -> Self {
        Self { max_octets, ..self }
    }

    /// The same limits with these high-water and low-water marks in percent; the low one is less than the high one.
    #[must_use]
    pub fn watermarks(self, high: u8, low: u8) -> Self {
        let high = high.clamp(1, 100);
        Self { high, low: low.min(high - 1), ..self }
    }

    /// The same limits with the maximum numbers that connection properties set.
    #[must_use]
    pub fn within(self, calls: Option<u32>, octets: Option<u32>) -> Self {
        let size = |limit: Option<u32>, or| {
            limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(or)
        };
        let (calls, octets) = (size(calls, self.max_calls), size(octets, self.max_octets));
        Self { max_calls: calls.max(1), max_octets: octets, ..self }
    }

    /// Whether there is room for one more call of `more` octets.
    pub(super) fn has_room(&self, calls: usize, octets: usize, more: usize) -> bool {
        calls == 0
            || calls < self.max_calls.max(1)
                && octets.checked_add(more).is_some_and(|sum| sum <= self.max_octets)
    }

    /// Whether calls or octets are at `percent` of their limit or above.
    fn is_at(&self, percent: u8, calls: usize, octets: usize) -> bool {
        let at = |count: usize, most: usize| {
            count as u128 * 100 >= u128::from(percent) * most.max(1) as u128
        };
        at(calls, self.max_calls) || at(octets, self.max_octets)
    }
}

/// The next watermark to report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watermark {
    is_high: bool,
}

impl Watermark {
    /// The event to report when this much waits.
    pub(crate) fn event(
        &mut self,
        limits: &FlowLimits,
        calls: usize,
        octets: usize,
    ) -> Option<FlowEvent> {
        if !self.is_high && limits.is_at(limits.high, calls, octets) {
            self.is_high = true;
            return Some(FlowEvent::High { calls, octets });
        }
        let is_low = calls == 0 || !limits.is_at(limits.low.saturating_add(1), calls, octets);
        if self.is_high && is_low {
            self.is_high = false;
            return Some(FlowEvent::Low { calls, octets });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(max_calls: usize, max_octets: usize) -> FlowLimits {
        FlowLimits { max_calls, max_octets, ..FlowLimits::default() }
    }

    #[test]
    fn each_watermark_is_reported_once_on_the_way() {
        let (mut watermark, limits) = (Watermark::default(), of(8, 1000));
        let mut reports = |calls| watermark.event(&limits, calls, 0).is_some();
        let up: Vec<usize> = (0..=8).filter(|&calls| reports(calls)).collect();
        assert_eq!(up, [6]);
        let down: Vec<usize> = (0..=8).rev().filter(|&calls| reports(calls)).collect();
        assert_eq!(down, [2]);
        // Between the two it may go up and down.
        assert!(
            reports(7) && !reports(4) && !reports(7) && !reports(3) && reports(2) && !reports(5)
        );
    }

    #[test]
    fn octets_count_as_calls_do() {
        let (mut watermark, limits) = (Watermark::default(), of(1000, 100));
        let mut event = |octets| watermark.event(&limits, 1, octets);
        assert_eq!(event(74), None);
        assert_eq!(event(75), Some(FlowEvent::High { calls: 1, octets: 75 }));
        assert_eq!(event(26), None);
        assert_eq!(event(25), Some(FlowEvent::Low { calls: 1, octets: 25 }));
        assert!(limits.has_room(3, 60, 40) && !limits.has_room(3, 60, 41));
        assert!(limits.has_room(0, 0, 5000), "a call larger than the limit is queued alone");
        assert!(!limits.has_room(1, usize::MAX, usize::MAX));
        assert!(!of(3, 100).has_room(3, 0, 1));
    }
}
