//! The octets of a value, with a small-buffer optimization.

use alloc::vec::Vec;
use core::ops::Deref;

use zorb_cdr::fallible;

/// Octets stored inline: as many as make the enum no larger than a vector, whose capacity has a niche
/// for the discriminant.
const INLINE: usize = 15;

/// Capacity that may stay unused, besides an eighth: a shorter copy of a large value takes as long as its encoding.
const FEW: usize = 64;

/// Immutable octets.
#[derive(Clone)]
pub(super) enum Octets {
    Inline(u8, [u8; INLINE]),
    Heap(Vec<u8>),
}

impl Octets {
    pub(super) const EMPTY: Self = Self::Inline(0, [0; INLINE]);

    /// A copy of octets, if they are few enough.
    pub(super) fn inline(octets: &[u8]) -> Option<Self> {
        let mut inline = [0; INLINE];
        inline.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(Self::Inline(u8::try_from(octets.len()).ok()?, inline))
    }
}

impl From<Vec<u8>> for Octets {
    fn from(octets: Vec<u8>) -> Self {
        let unused = octets.capacity() - octets.len();
        Self::inline(&octets).unwrap_or_else(|| match unused > FEW + octets.len() / 8 {
            // Without memory for the shorter copy, the octets stay where they are.
            true => Self::Heap(fallible::copy(&octets).unwrap_or(octets)),
            false => Self::Heap(octets),
        })
    }
}

impl Deref for Octets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Inline(length, octets) => octets.get(..(*length).into()).unwrap_or_default(),
            Self::Heap(octets) => octets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_stored_inline_or_on_the_heap() {
        for length in 0..40_u8 {
            let octets: Vec<u8> = (0..length).collect();
            let inline = Octets::inline(&octets);
            assert_eq!(inline.is_some(), octets.len() <= INLINE);
            assert!(inline.is_none_or(|inline| *inline == *octets));
            assert_eq!(*Octets::from(octets.clone()), *octets);
        }
        assert_eq!(size_of::<Octets>(), size_of::<Vec<u8>>());
    }

    #[test]
    fn large_octets_are_not_copied_to_save_little_memory() {
        let kept = |length, capacity| {
            let mut octets = Vec::with_capacity(capacity);
            octets.resize(length, 7);
            let (before, kept) = (octets.as_ptr(), Octets::from(octets));
            assert_eq!(kept.len(), length);
            kept.as_ptr() == before
        };
        assert!(kept(65_536, 65_536) && kept(65_536, 65_536 + 300) && kept(24, 32));
        assert!(!kept(65_536, 2 * 65_536) && !kept(24, 256) && !kept(3, 3));
    }
}
