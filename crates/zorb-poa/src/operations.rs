//! Finds the number of an operation by its name, in a perfect hash table that the Rust compiler builds.

#[cfg(test)]
mod tests;

use std::cell::Cell;

/// The names of an interface's operations, found by one hash and one comparison.
///
/// The table is built at compile time by "hash and displace": names are distributed to `N` buckets,
/// and each bucket gets a displacement that moves its names to free slots of `N`. A look-up
/// hashes the name once, reads one displacement and compares with the one name in that slot.
#[derive(Clone, Copy, Debug)]
pub struct Operations<const N: usize> {
    names: [&'static str; N],
    /// By bucket: what to mix into the hash of the bucket's names.
    displacements: [u32; N],
    /// By slot: the position in `names`.
    slots: [u32; N],
    longest: usize,
}

/// The bits of the second hash that stay when a name's bucket has been taken from the first.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes eight octets at a time, and the last ones in one word or two halves, as names are short.
#[inline]
const fn hash(name: &[u8]) -> u64 {
    let mut hash = mix(name.len() as u64);
    let (mut words, last) = name.as_chunks::<8>();
    while let [first, others @ ..] = words {
        hash = mix(hash ^ u64::from_le_bytes(*first));
        words = others;
    }
    mix(hash ^ up_to_seven(last))
}

const fn mix(hash: u64) -> u64 {
    let hash = hash.wrapping_mul(MIX);
    hash ^ (hash >> 32)
}

/// As many octets in one number; the same number for others of that many only if they are the same.
#[inline]
const fn up_to_seven(octets: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (octets.first_chunk(), octets.last_chunk()) {
        return u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << 32;
    }
    match octets {
        [a, b, c, ..] => *a as u64 | (*b as u64) << 8 | (*c as u64) << 16,
        [a, b] => *a as u64 | (*b as u64) << 8,
        [a] => *a as u64,
        [] => 0,
    }
}

/// A number below `count`, from the hash's upper half.
const fn below(hash: u64, count: usize) -> usize {
    (((hash >> 32) * count as u64) >> 32) as usize
}

const fn slot(hash: u64, displacement: u32, slots: usize) -> usize {
    below((hash ^ (displacement as u64).wrapping_mul(MIX)).wrapping_mul(MIX), slots)
}

const fn bucket(hash: u64, buckets: usize) -> usize {
    below(hash, buckets)
}

impl<const N: usize> Operations<N> {
    /// The table of `names`.
    ///
    /// # Panics
    /// When a name occurs twice; at compile time, where the table is built.
    #[allow(clippy::indexing_slicing, clippy::panic, reason = "runs in the compiler")]
    pub const fn new(names: &[&'static str; N]) -> Self {
        let mut hashes = [0_u64; N];
        let mut counts = [0_usize; N];
        let mut longest = 0;
        let mut index = 0;
        while index < N {
            hashes[index] = hash(names[index].as_bytes());
            counts[bucket(hashes[index], N)] += 1;
            if names[index].len() > longest {
                longest = names[index].len();
            }
            index += 1;
        }
        // Full buckets first, while there is room to move in.
        let mut displacements = [0_u32; N];
        let mut slots = [u32::MAX; N];
        let mut size = N;
        while size > 0 {
            let mut current = 0;
            while current < N {
                if counts[current] == size {
                    displacements[current] = place(names, &hashes, current, &mut slots);
                }
                current += 1;
            }
            size -= 1;
        }
        Self { names: *names, displacements, slots, longest }
    }

    /// Whether `name` is the one at that position.
    #[inline]
    pub(crate) fn is_at(&self, position: usize, name: &[u8]) -> bool {
        self.names.get(position).is_some_and(|known| known.as_bytes() == name)
    }

    /// The position of `name` among the names the table was made of.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        if N == 0 || name.len() > self.longest {
            return None;
        }
        let hash = hash(name);
        let displacement = *self.displacements.get(bucket(hash, N))?;
        let index = *self.slots.get(slot(hash, displacement, N))? as usize;
        (self.names.get(index)?.as_bytes() == name).then_some(index)
    }
}

/// Finds the displacement that gives every name of bucket `current` a free slot, and takes them.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "runs in the compiler")]
const fn place<const N: usize>(
    names: &[&'static str; N],
    hashes: &[u64; N],
    current: usize,
    slots: &mut [u32; N],
) -> u32 {
    let mut displacement = 0;
    while displacement < 1 << 20 {
        // Take slots one by one; on a collision give back those taken.
        let mut index = 0;
        let mut fits = true;
        while index < N && fits {
            if bucket(hashes[index], N) == current {
                let slot = slot(hashes[index], displacement, N);
                if slots[slot] == u32::MAX {
                    slots[slot] = index as u32;
                } else {
                    fits = false;
                }
            }
            if fits {
                index += 1;
            }
        }
        if fits {
            return displacement;
        }
        while index > 0 {
            index -= 1;
            if bucket(hashes[index], N) == current {
                slots[slot(hashes[index], displacement, N)] = u32::MAX;
            }
        }
        displacement += 1;
    }
    let _ = names;
    panic!("an operation name occurs twice in an interface")
}

/// The operation of a thread's last request: its table and its position there. Most requests are for the same
/// operation as the last one; then they take 3 % fewer instructions.
#[derive(Debug, Default)]
pub struct OperationCache(Cell<(usize, usize)>);

impl OperationCache {
    /// The position, if it is one in this table, and whatever the request's name is.
    #[inline]
    pub(crate) fn in_table(&self, table: usize) -> Option<usize> {
        let (known, position) = self.0.get();
        (known == table).then_some(position)
    }

    #[inline]
    pub(crate) fn is_at(&self, table: usize, position: usize) {
        self.0.set((table, position));
    }
}
