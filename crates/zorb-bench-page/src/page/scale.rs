//! Axes: coordinates of values, and ticks.

use super::chart::px;
use super::text::Quantity;

/// An axis: what the values of a scale are, and where they are in the picture.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) label: String,
    pub(super) quantity: Quantity,
    pub(super) scale: Scale,
    /// The coordinates of the scale's ends.
    pub(super) ends: (f64, f64),
    /// Maximum number of named values.
    pub(super) most: usize,
}

/// A value that an axis names.
#[derive(Debug)]
pub(super) struct Tick {
    pub(super) value: f64,
    /// Its coordinate.
    pub(super) at: f64,
    pub(super) text: String,
}

impl Axis {
    /// The coordinate of a value; `None` if the axis cannot show it.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        let (from, to) = self.ends;
        Some(px(from + (to - from) * self.scale.position(value)?))
    }

    /// The values to name.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let tick =
            |value| Some(Tick { value, at: self.at(value)?, text: self.quantity.text(value) });
        self.scale.ticks(self.most).into_iter().filter_map(tick).collect()
    }
}

/// The kind of scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spacing {
    /// Linear, from 0.
    Linear,
    /// Logarithmic, with decimal ticks.
    Decades,
    /// Logarithmic, with binary ticks.
    Doublings,
    /// Shares: 90 %, 99 % and 99.9 % are equally far apart.
    Nines,
}

/// A scale with its ends.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    spacing: Spacing,
    /// The ends, after transformation.
    low: f64,
    high: f64,
}

/// Maximum number of nines on an axis of [`Spacing::Nines`].
const MAX_NINES: f64 = 6.0;

impl Scale {
    /// A scale for these values. Values that it cannot show are ignored.
    pub(super) fn over(spacing: Spacing, values: impl IntoIterator<Item = f64>) -> Self {
        let positions = values.into_iter().filter_map(|value| position(spacing, value));
        let (mut low, mut high) = positions
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), position| {
                (low.min(position), high.max(position))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        match spacing {
            Spacing::Linear => {
                low = low.min(0.0) * 1.03;
                high = high.max(0.0) * 1.03;
            }
            Spacing::Decades => {
                // A margin, and at least half a decade, so that noise is not magnified.
                let margin = ((high - low) * 0.04).max((0.5 - (high - low)) / 2.0);
                low -= margin;
                high += margin;
            }
            Spacing::Doublings => {
                let margin = ((high - low) * 0.03).max(0.1);
                low -= margin;
                high += margin;
            }
            Spacing::Nines => {
                low = 0.0;
                high = high.clamp(2.0, MAX_NINES);
            }
        }
        if high <= low {
            high = low + 1.0;
        }
        Self { spacing, low, high }
    }

    /// The relative position of a value, from 0 at the low end to 1 at the high end; `None` if the scale cannot show
    /// it.
    pub(super) fn position(&self, value: f64) -> Option<f64> {
        let position = position(self.spacing, value)?;
        Some(((position - self.low) / (self.high - self.low)).clamp(0.0, 1.0))
    }

    /// The values to name, about `most` at most.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        let values: Vec<f64> = match self.spacing {
            Spacing::Linear => {
                let step = step(self.high - self.low, most as f64 - 1.0);
                let first = (self.low / step).ceil() as i64;
                let last = (self.high / step + 1e-9).floor() as i64;
                (first..=last).take(most * 3).map(|index| index as f64 * step).collect()
            }
            Spacing::Decades => self.decades(most),
            Spacing::Doublings => {
                let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
                let skip = usize::try_from(last - first).unwrap_or_default() / most + 1;
                (first..=last).step_by(skip).map(|power| f64::from(power).exp2()).collect()
            }
            Spacing::Nines => {
                let nines = (1..=self.high.floor() as i32).map(|nines| 1.0 - 10_f64.powi(-nines));
                [0.0, 0.5].into_iter().chain(nines).collect()
            }
        };
        values
    }

    /// Powers of ten and multiples of them, as many as fit.
    fn decades(&self, most: usize) -> Vec<f64> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let sets: [&[f64]; 4] = [
            &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            &[1.0, 2.0, 5.0],
            &[1.0],
        ];
        for set in sets {
            let values: Vec<f64> = (first..=last)
                .flat_map(|power| set.iter().map(move |digit| digit * 10_f64.powi(power)))
                .filter(|value| (self.low..=self.high).contains(&value.log10()))
                .take(most + 1)
                .collect();
            if values.len() <= most {
                return values;
            }
        }
        let skip = usize::try_from(last - first).unwrap_or_default() / most + 1;
        (first..=last)
            .step_by(skip)
            .map(|power| 10_f64.powi(power))
            .filter(|value| (self.low..=self.high).contains(&value.log10()))
            .collect()
    }
}

/// The transformed value.
fn position(spacing: Spacing, value: f64) -> Option<f64> {
    let position = match spacing {
        // So that twice the value is finite.
        Spacing::Linear => value.clamp(-1e300, 1e300),
        Spacing::Decades => value.log10(),
        Spacing::Doublings => value.log2(),
        Spacing::Nines => (-(1.0 - value).log10()).min(MAX_NINES) + 0.0,
    };
    position.is_finite().then_some(position)
}

/// The smallest of 1, 2 and 5 times a power of ten that divides the span into at most `parts` parts.
fn step(span: f64, parts: f64) -> f64 {
    let least = (span / parts).clamp(1e-12, 1e300);
    let power = 10_f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= least * 0.999_999);
    digit.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(close),
            "{found:?}, not {expected:?}"
        );
    }

    #[test]
    fn linear_axes_start_at_zero() {
        let scale = Scale::over(Spacing::Linear, [0.9, 2.3]);
        near(&scale.ticks(6), &[0.0, 0.5, 1.0, 1.5, 2.0]);
        let middle = 2.3 * 1.03 / 2.0;
        near(&[scale.position(0.0).unwrap(), scale.position(middle).unwrap()], &[0.0, 0.5]);
    }

    #[test]
    fn decades_are_evenly_spaced_and_zero_is_not_shown() {
        let scale = Scale::over(Spacing::Decades, [10.0, 1000.0, 0.0, -5.0]);
        let at = |value| scale.position(value).unwrap();
        near(&[at(100.0)], &[0.5]);
        near(&[at(100.0) - at(10.0)], &[at(1000.0) - at(100.0)]);
        assert_eq!(scale.position(0.0), None);
        near(&scale.ticks(3), &[10.0, 100.0, 1000.0]);
    }

    #[test]
    fn doublings_skip_when_there_are_many() {
        let scale = Scale::over(Spacing::Doublings, [4.0, 65_536.0]);
        near(&scale.ticks(6), &[4.0, 32.0, 256.0, 2048.0, 16_384.0]);
    }

    #[test]
    fn nines_are_even() {
        let scale = Scale::over(Spacing::Nines, [0.5, 0.9999]);
        near(&scale.ticks(9), &[0.0, 0.5, 0.9, 0.99, 0.999, 0.9999]);
        let at = |value| scale.position(value).unwrap();
        near(&[at(0.0), at(0.9), at(0.99), at(0.9999)], &[0.0, 0.25, 0.5, 1.0]);
        assert_eq!(scale.position(1.0), Some(1.0));
    }

    #[test]
    fn no_values_and_extreme_ones_make_an_axis_too() {
        for spacing in [Spacing::Linear, Spacing::Decades, Spacing::Doublings, Spacing::Nines] {
            for values in [&[][..], &[0.0], &[1.0], &[1e-300, 1e300], &[-1e300], &[f64::MAX, 1.0]] {
                let scale = Scale::over(spacing, values.iter().copied());
                let ticks = scale.ticks(6);
                assert!(ticks.len() <= 18, "{spacing:?} {values:?} {ticks:?}");
                assert!(scale.position(1.0).is_none_or(f64::is_finite), "{spacing:?} {values:?}");
            }
        }
    }
}
