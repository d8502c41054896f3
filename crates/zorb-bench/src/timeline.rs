//! Latencies in the order of their calls.

use std::fmt;

/// Maximum number of steps.
const STEPS: usize = 200;

/// Median and maximum of successive calls.
///
/// The text form is `CALLS;MEDIAN:LONGEST,...`: calls per step, and times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Calls of a step; the last may have fewer.
    pub calls: usize,
    /// The median and the longest of each, in nanoseconds.
    pub steps: Vec<(u64, u64)>,
}

impl Timeline {
    /// The timeline of these times, which are in order.
    #[must_use]
    pub fn of(nanos: &[u64]) -> Self {
        let calls = nanos.len().div_ceil(STEPS).max(1);
        let step = |part: &[u64]| {
            let mut sorted = part.to_vec();
            sorted.sort_unstable();
            let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
            (at((sorted.len() - 1) / 2), at(sorted.len() - 1))
        };
        Self { calls, steps: nanos.chunks(calls).map(step).collect() }
    }

    /// Parses the text form.
    ///
    /// # Errors
    /// A description of the syntax error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no CALLS;MEDIAN:LONGEST,...");
        let (calls, steps) = text.split_once(';').ok_or_else(wrong)?;
        let steps: Option<Vec<(u64, u64)>> = steps
            .split(',')
            .filter(|step| !step.is_empty())
            .map(|step| {
                let (median, longest) = step.split_once(':')?;
                Some((median.parse().ok()?, longest.parse().ok()?))
            })
            .collect();
        let calls = calls.parse().ok().filter(|calls| *calls > 0).ok_or_else(wrong)?;
        Ok(Self { calls, steps: steps.ok_or_else(wrong)? })
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", self.calls)?;
        for (position, (median, longest)) in self.steps.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            write!(f, "{comma}{median}:{longest}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_medians_and_longest_ones() {
        let timeline = Timeline::of(&[5, 9, 7]);
        assert_eq!(timeline, Timeline { calls: 1, steps: vec![(5, 5), (9, 9), (7, 7)] });
        let many: Vec<u64> = (0..1000).collect();
        let timeline = Timeline::of(&many);
        assert_eq!((timeline.calls, timeline.steps.len()), (5, 200));
        assert_eq!((timeline.steps[0], timeline.steps[199]), ((2, 4), (997, 999)));
        assert_eq!(Timeline::of(&[]).steps, []);
    }

    #[test]
    fn the_text_form_is_read_back() {
        let timeline = Timeline { calls: 7, steps: vec![(1, 2), (30, 40)] };
        assert_eq!(timeline.to_string(), "7;1:2,30:40");
        assert_eq!(Timeline::parse("7;1:2,30:40"), Ok(timeline));
        for wrong in ["", "7", "0;1:2", "7;1", "7;1:2,x:3", "-1;"] {
            assert!(Timeline::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
