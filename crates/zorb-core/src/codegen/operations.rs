//! From an operation's name to its number: a perfect hash table built by the compiler.

#[cfg(test)]
mod tests;

/// The names of an interface's operations, found by one hash and one comparison.
///
/// The table is built at compile time by "hash and displace": names are dealt into `N` buckets,
/// and each bucket gets a displacement that moves its names into free slots of `N`. A look-up
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

/// FNV-1a: short, the same in a constant and at run time, and good enough on names.
const fn hash(name: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut rest = name;
    while let [first, tail @ ..] = rest {
        hash = (hash ^ *first as u64).wrapping_mul(0x0100_0000_01b3);
        rest = tail;
    }
    hash
}

const fn slot(hash: u64, displacement: u32, slots: usize) -> usize {
    let mixed = (hash ^ (displacement as u64).wrapping_mul(MIX)).wrapping_mul(MIX);
    ((mixed >> 32) % slots as u64) as usize
}

const fn bucket(hash: u64, buckets: usize) -> usize {
    ((hash ^ (hash >> 32)) % buckets as u64) as usize
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
    // tidy: allow(panic): a constant is evaluated when generated code is compiled, not when it runs
    panic!("an operation name occurs twice in an interface")
}
