//! Random numbers.

use std::hash::{BuildHasher, RandomState};

use rustix::rand::{GetRandomFlags, getrandom};

/// A random number, from the kernel's random number generator.
///
/// All values are equally likely, and knowing others does not help to guess one. So it is fit for ids that nobody may
/// guess, such as those of objects that belong to one client, and for seeds. It is one system call, which never waits.
///
/// It is not meant for keys of encryption: early in the boot of a machine, and where `getrandom` is not permitted, it
/// comes from the random keys of the standard library's hash tables.
#[must_use]
pub fn number() -> u64 {
    let mut octets = [0; size_of::<u64>()];
    match getrandom(&mut octets, GetRandomFlags::NONBLOCK) {
        Ok(read) if read == octets.len() => u64::from_ne_bytes(octets),
        _ => of_hash_table(),
    }
}

/// The hash of nothing in a new hash table: its keys are random, and differ from those of others.
#[cold]
fn of_hash_table() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each bit is 0 in some of 256 numbers, and 1 in others; by chance it is not in one of 10⁷⁴ runs.
    fn vary(number: fn() -> u64) -> bool {
        let numbers: Vec<u64> = (0..256).map(|_| number()).collect();
        let ones = numbers.iter().fold(0, |bits, number| bits | number);
        let zeros = numbers.iter().fold(0, |bits, number| bits | !number);
        (ones, zeros) == (u64::MAX, u64::MAX)
    }

    #[test]
    fn all_bits_are_random() {
        assert!(vary(number));
        assert!(vary(of_hash_table));
    }
}
