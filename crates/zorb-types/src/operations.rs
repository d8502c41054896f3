//! Finds the position of an operation by its name, in a perfect hash table that is built at compile time.

#[cfg(test)]
mod tests;

/// The names of an interface's operations. A lookup takes one hash and one comparison.
///
/// The table is built by "hash and displace": names are distributed to `N` buckets, and each bucket gets a
/// displacement that moves its names to free ones of `N` slots. A lookup hashes the name, reads the displacement
/// of its bucket, and compares the name with that in the slot.
#[derive(Clone, Copy, Debug)]
pub struct Operations<const N: usize> {
    names: [&'static str; N],
    /// By bucket: the number that is mixed into the hash of the bucket's names.
    displacements: [u32; N],
    /// By slot: the position in `names`.
    slots: [u32; N],
    longest: usize,
}

/// The same without their number in the type, for code that all interfaces share.
#[derive(Clone, Copy, Debug)]
pub struct OperationTable<'a> {
    names: &'a [&'static str],
    displacements: &'a [u32],
    slots: &'a [u32],
    longest: usize,
}

/// The multiplier of the hash: 2⁶⁴ divided by the golden ratio, whose multiples are well distributed.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes eight octets at a time, and the remaining ones together, since names are short.
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

/// Combines up to seven octets to a number, which is unique among sequences of the same length.
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
    /// Builds the table of `names`, at compile time.
    ///
    /// # Panics
    /// A name occurs twice.
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
        // Place the largest buckets first, while most slots are free.
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

    /// The table, without the number of its names in its type.
    #[inline(always)] // so that the compiler sees the number
    pub const fn table(&self) -> OperationTable<'_> {
        let Self { names, displacements, slots, longest } = self;
        OperationTable { names, displacements, slots, longest: *longest }
    }

    /// Whether `name` is the name at `position`, without a lookup.
    #[inline]
    pub fn is_at(&self, position: usize, name: &[u8]) -> bool {
        self.table().is_at(position, name)
    }

    /// The position of `name` among the names of the table.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.table().find(name)
    }
}

impl OperationTable<'_> {
    /// Whether `name` is the name at `position`, without a lookup.
    #[inline]
    pub fn is_at(&self, position: usize, name: &[u8]) -> bool {
        self.names.get(position).is_some_and(|known| known.as_bytes() == name)
    }

    /// The position of `name` among the names of the table.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let count = self.names.len();
        if count == 0 || name.len() > self.longest {
            return None;
        }
        let hash = hash(name);
        let displacement = *self.displacements.get(bucket(hash, count))?;
        let position = *self.slots.get(slot(hash, displacement, count))? as usize;
        (self.names.get(position)?.as_bytes() == name).then_some(position)
    }
}

/// Finds a displacement that gives every name of bucket `current` a free slot, and occupies these slots.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "runs in the compiler")]
const fn place<const N: usize>(
    names: &[&'static str; N],
    hashes: &[u64; N],
    current: usize,
    slots: &mut [u32; N],
) -> u32 {
    let mut displacement = 0;
    while displacement < 1 << 20 {
        // Occupy slots one by one; on a collision free them again.
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
