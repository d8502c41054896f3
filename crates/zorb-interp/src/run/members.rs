//! Members of many values in a row, at positions that are computed once.

use crate::item::{Item, ItemKind};

/// Members of a value whose positions are computed once for many values: numbers to swap, members to
/// check. A run with more members computes positions for each value.
const MAX_MEMBERS: usize = 32;

/// The positions and types of members in a value, up to [`MAX_MEMBERS`].
pub(super) struct Members {
    members: [(usize, ItemKind); MAX_MEMBERS],
    count: usize,
}

impl Members {
    pub(super) fn new() -> Self {
        Self { members: [(0, ItemKind::Boolean); MAX_MEMBERS], count: 0 }
    }

    pub(super) fn add(&mut self, position: usize, kind: ItemKind) {
        if let Some(member) = self.members.get_mut(self.count) {
            *member = (position, kind);
        }
        self.count = self.count.saturating_add(1);
    }

    /// All members, unless there are too many.
    pub(super) fn all(&self) -> Option<&[(usize, ItemKind)]> {
        self.members.get(..self.count)
    }
}

/// Copies values with byte-swapped numbers.
pub(super) fn swap_all(items: &[Item], offset: usize, length: usize, octets: &[u8], to: &mut [u8]) {
    let mut numbers = Members::new();
    each(items, offset, |position, kind| {
        if kind.is_swapped() {
            numbers.add(position, kind);
        }
    });
    to.copy_from_slice(octets);
    for (value, to) in octets.chunks_exact(length).zip(to.chunks_exact_mut(length)) {
        match numbers.all() {
            Some(numbers) => {
                for &(position, kind) in numbers {
                    swap_at(position, kind.size(), value, to);
                }
            }
            None => each(items, offset, |position, kind| {
                if kind.is_swapped() {
                    swap_at(position, kind.size(), value, to);
                }
            }),
        }
    }
}

/// Calls `found` with the position and type of every member and array element.
pub(super) fn each(items: &[Item], offset: usize, mut found: impl FnMut(usize, ItemKind)) {
    let mut position = 0;
    for item in items {
        let size = item.kind.size();
        position += (position + offset).wrapping_neg() & (item.kind.alignment() - 1);
        for _ in 0..item.count {
            found(position, item.kind);
            position += size;
        }
    }
}

fn swap_at(position: usize, size: usize, value: &[u8], to: &mut [u8]) {
    /// With a constant size, this is one or two instructions.
    fn of<const N: usize>(position: usize, value: &[u8], to: &mut [u8]) -> Option<()> {
        let octets = value.get(position..)?.first_chunk::<N>()?;
        let to = to.get_mut(position..)?.first_chunk_mut::<N>()?;
        let mut swapped = *octets;
        swapped.reverse();
        *to = swapped;
        Some(())
    }
    let _ = match size {
        2 => of::<2>(position, value, to),
        4 => of::<4>(position, value, to),
        8 => of::<8>(position, value, to),
        _ => of::<16>(position, value, to),
    };
}
