//! What the compiler works out about a fixed-size type.

/// The largest alignment of CDR, in octets. Every alignment divides it.
pub(super) const MAX_ALIGNMENT: usize = 8;

/// Types of more parts than this are written part by part: one copy of the code is enough.
const MAX_PARTS: usize = 64;

/// Where the values of a fixed-size type lie: numbers, `char`, `boolean`, enums, and structs and
/// arrays of such.
///
/// How many octets a value takes depends on where it begins, as padding comes first. Once a value
/// has been written that no longer matters: what follows the member with the largest alignment
/// always takes the same room. So a run of values is one at any place, and all others at places
/// that are alike, a constant [`stride`](Self::stride) apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedLayout {
    /// The largest alignment of its parts.
    alignment: usize,
    /// Octets of a value, padding before it included, that begins so many octets after a multiple
    /// of 8.
    sizes: [usize; MAX_ALIGNMENT],
    /// Numbers, characters and booleans in it; those of an array's element count once.
    parts: usize,
}

impl FixedLayout {
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

    /// The layout of members one after the other: none when one of them has none, and none for
    /// a struct of nothing or of very many members.
    pub const fn members(members: &[Option<Self>]) -> Option<Self> {
        let mut whole = Self { alignment: 1, sizes: [0; MAX_ALIGNMENT], parts: 0 };
        let mut rest = members;
        while let [first, tail @ ..] = rest {
            let Some(member) = first else { return None };
            whole = whole.and(member);
            rest = tail;
        }
        if whole.parts == 0 || whole.parts > MAX_PARTS { None } else { Some(whole) }
    }

    /// The layout of `count` elements, which must not be 0.
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

    /// Octets from one value of a run to the next, the first value left out.
    pub const fn stride(&self) -> usize {
        self.size_at(self.class())
    }

    /// How many octets after a multiple of its alignment a value ends, wherever it began.
    pub const fn class(&self) -> usize {
        self.size_at(0) % self.alignment
    }

    /// The largest alignment of its parts, in octets.
    pub const fn alignment(&self) -> usize {
        self.alignment
    }

    /// Octets of a value that begins `offset` octets after the alignment base, padding included.
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

    /// This layout, then that of another member.
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
