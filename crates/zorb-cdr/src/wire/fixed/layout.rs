//! The layout of a fixed-size type, computed at compile time.

/// The largest alignment of CDR, in octets. Every alignment divides it.
pub(crate) const MAX_ALIGNMENT: usize = 8;

/// Types with more parts are written part by part, to limit the size of the code.
const MAX_PARTS: usize = 64;

/// The layout of a fixed-size type: numbers, `char`, `boolean`, enums, and structs and arrays of them.
///
/// The size of a value depends on the offset at which it begins, because of padding. But every value ends
/// at the same offset modulo the alignment of the type, as what follows its member with the largest
/// alignment always has the same size. So in a run of values, all but the first have the same size, the
/// [`stride`](Self::stride).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedLayout {
    /// The largest alignment of its parts.
    alignment: usize,
    /// The size of a value with the padding before it, by the offset modulo 8 at which that begins.
    sizes: [usize; MAX_ALIGNMENT],
    /// Numbers, characters and booleans in it. An array counts as one element.
    parts: usize,
}

impl FixedLayout {
    /// The layout of nothing: no octets.
    pub const EMPTY: Self = Self { alignment: 1, sizes: [0; MAX_ALIGNMENT], parts: 0 };

    /// The layout of a number of 1, 2, 4 or 8 octets.
    pub const fn number(size: usize) -> Self {
        let mut sizes = [size; MAX_ALIGNMENT];
        let mut rest: &mut [usize] = &mut sizes;
        let mut class = 0_usize;
        while let [first, tail @ ..] = rest {
            *first += class.wrapping_neg() % size;
            class += 1;
            rest = tail;
        }
        Self { alignment: size, sizes, parts: 1 }
    }

    /// The layout of a struct with these members; none if a member has none, or if the struct has no
    /// members or very many.
    pub const fn members(members: &[Option<Self>]) -> Option<Self> {
        let mut whole = Self::EMPTY;
        let mut rest = members;
        while let [first, tail @ ..] = rest {
            let Some(member) = first else { return None };
            whole = whole.and(member);
            rest = tail;
        }
        if whole.parts == 0 || whole.parts > MAX_PARTS { None } else { Some(whole) }
    }

    /// The layout of values one after the other, however many there are.
    pub const fn consecutive(values: &[Self]) -> Self {
        let mut whole = Self::EMPTY;
        let mut rest = values;
        while let [first, tail @ ..] = rest {
            whole = whole.and(first);
            rest = tail;
        }
        whole
    }

    /// For each of these values, one after the other, the layout of those before it.
    pub const fn before_each<const N: usize>(values: [Self; N]) -> [Self; N] {
        let mut all = [Self::EMPTY; N];
        let (mut next, mut rest): (&mut [Self], &[Self]) = (&mut all, &values);
        let mut before = Self::EMPTY;
        while let ([first, others @ ..], [value, tail @ ..]) = (next, rest) {
            *first = before;
            before = before.and(value);
            (next, rest) = (others, tail);
        }
        all
    }

    /// The layout of an array; none if its element has none, or if `count` is 0.
    pub const fn array(element: Option<Self>, count: usize) -> Option<Self> {
        let Some(element) = element else { return None };
        if count == 0 {
            return None;
        }
        let Some(others) = element.stride().checked_mul(count - 1) else { return None };
        let mut whole = element;
        let mut rest: &mut [usize] = &mut whole.sizes;
        while let [first, tail @ ..] = rest {
            let Some(size) = first.checked_add(others) else { return None };
            *first = size;
            rest = tail;
        }
        Some(whole)
    }

    /// Octets from one value of a run to the next, from the second value on.
    pub const fn stride(&self) -> usize {
        self.size_at(self.class())
    }

    /// The offset at which every value ends, modulo the alignment.
    pub const fn class(&self) -> usize {
        self.size_at(0) % self.alignment
    }

    /// The largest alignment of its parts, in octets.
    pub const fn alignment(&self) -> usize {
        self.alignment
    }

    /// Octets of a value that begins at `offset`, with the padding before it.
    pub const fn size_at(&self, offset: usize) -> usize {
        let [a, b, c, d, e, f, g, h] = self.sizes;
        match offset % MAX_ALIGNMENT {
            0 => a,
            1 => b,
            2 => c,
            3 => d,
            4 => e,
            5 => f,
            6 => g,
            _ => h,
        }
    }

    /// This layout, followed by another member.
    const fn and(self, next: &Self) -> Self {
        let mut both = self;
        let mut rest: &mut [usize] = &mut both.sizes;
        let mut class = 0;
        while let [first, tail @ ..] = rest {
            *first = first.saturating_add(next.size_at(class + *first));
            class += 1;
            rest = tail;
        }
        if next.alignment > both.alignment {
            both.alignment = next.alignment;
        }
        both.parts += next.parts;
        both
    }
}
