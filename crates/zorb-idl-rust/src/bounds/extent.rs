//! How many octets values occupy, depending on where they begin.

/// The alignments of CDR divide this number.
const PERIOD: usize = 8;

/// How many octets the values of a type occupy, with the padding before and inside them: at least and at most, for each
/// offset from the alignment base at which they may begin, modulo eight.
///
/// Padding grows to at most the next multiple of eight: a value that ends later never lets the next one end earlier.
/// Therefore the longest values of all parts make the longest value of the whole, and both bounds are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    least: [u64; PERIOD],
    most: [u64; PERIOD],
}

impl Extent {
    /// No octets.
    pub(super) const NOTHING: Self = Self { least: [0; PERIOD], most: [0; PERIOD] };

    /// Values of so many octets, which begin at a multiple of `alignment`.
    pub(super) fn of(octets: u64, alignment: u64) -> Self {
        let padded = from_each_offset(|offset| offset.next_multiple_of(alignment) - offset);
        let all = padded.map(|padding| octets.saturating_add(padding));
        Self { least: all, most: all }
    }

    /// A value of this type and then one of another.
    pub(super) fn then(self, next: Self) -> Self {
        let follow = |first: [u64; PERIOD], second: [u64; PERIOD]| {
            from_each_offset(|offset| {
                let length = at(&first, offset);
                length.saturating_add(at(&second, offset.wrapping_add(length)))
            })
        };
        Self { least: follow(self.least, next.least), most: follow(self.most, next.most) }
    }

    /// So many values of this type.
    pub(super) fn times(self, count: u64) -> Self {
        let (mut all, mut power, mut left) = (Self::NOTHING, self, count);
        while left > 0 {
            if left % 2 == 1 {
                all = all.then(power);
            }
            power = power.then(power);
            left /= 2;
        }
        all
    }

    /// Between no and so many values of this type.
    pub(super) fn up_to(self, count: u64) -> Self {
        Self { least: Self::NOTHING.least, most: self.times(count).most }
    }

    /// A value of this type or of another.
    pub(super) fn or(self, other: Self) -> Self {
        let pick = |left: [u64; PERIOD], right: [u64; PERIOD], of: fn(u64, u64) -> u64| {
            from_each_offset(|offset| of(at(&left, offset), at(&right, offset)))
        };
        Self {
            least: pick(self.least, other.least, u64::min),
            most: pick(self.most, other.most, u64::max),
        }
    }

    /// The least octets, at the best offset.
    pub(super) fn least(&self) -> u64 {
        self.least.iter().copied().min().unwrap_or_default()
    }

    /// The most octets, at the worst offset.
    pub(super) fn most(&self) -> u64 {
        self.most.iter().copied().max().unwrap_or_default()
    }
}

fn from_each_offset(length: impl Fn(u64) -> u64) -> [u64; PERIOD] {
    std::array::from_fn(|offset| length(offset as u64))
}

/// The length at an offset.
fn at(lengths: &[u64; PERIOD], offset: u64) -> u64 {
    lengths[(offset % PERIOD as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn padding_depends_on_the_offset() {
        let (octet, double) = (Extent::of(1, 1), Extent::of(8, 8));
        assert_eq!((double.least(), double.most()), (8, 15));
        let both = octet.then(double);
        assert_eq!((both.least(), both.most()), (9, 16));
        let either = octet.or(double);
        assert_eq!((either.least(), either.most()), (1, 15));
    }

    #[test]
    fn repetition_is_the_same_as_one_after_the_other() {
        let element = Extent::of(4, 4).then(Extent::of(3, 1).up_to(2)).or(Extent::of(2, 2));
        let mut all = Extent::NOTHING;
        for count in 0..40 {
            assert_eq!(element.times(count), all, "{count}");
            assert_eq!(element.up_to(count).most(), all.most());
            assert_eq!(element.up_to(count).least(), 0);
            all = all.then(element);
        }
    }

    #[test]
    fn huge_repetitions_end() {
        let huge = Extent::of(8, 8).times(u64::from(u32::MAX)).times(u64::from(u32::MAX));
        assert_eq!(huge.times(u64::from(u32::MAX)).most(), u64::MAX);
    }
}
