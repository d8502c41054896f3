//! The common parts of references, each stored once.

use std::collections::HashMap;
use std::sync::Arc;

/// The parts that references have in [common](crate::server::stored::parts), by number. A part ends with the last
/// reference that uses it.
#[derive(Debug, Default)]
pub(super) struct CommonParts {
    parts: Vec<Part>,
    /// The numbers of parts that have ended.
    free: Vec<usize>,
    numbers: HashMap<Arc<[u8]>, usize>,
    octets: usize,
}

#[derive(Debug)]
struct Part {
    octets: Arc<[u8]>,
    uses: usize,
}

/// The octets of memory that a part counts for beside its own: about what the tables and the allocator add.
const CHARGE: usize = 112;

impl CommonParts {
    /// The octets of memory that all parts count for.
    pub(super) fn octets(&self) -> usize {
        self.octets
    }

    /// The number of a part, which has one more use.
    pub(super) fn add(&mut self, octets: &[u8]) -> usize {
        if let Some(number) = self.numbers.get(octets) {
            if let Some(part) = self.parts.get_mut(*number) {
                part.uses += 1;
            }
            return *number;
        }
        self.octets += octets.len() + CHARGE;
        let octets: Arc<[u8]> = octets.into();
        let part = Part { octets: Arc::clone(&octets), uses: 1 };
        let number = self.free.pop().unwrap_or(self.parts.len());
        match self.parts.get_mut(number) {
            Some(free) => *free = part,
            None => self.parts.push(part),
        }
        self.numbers.insert(octets, number);
        number
    }

    /// The octets of a part in use.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        self.parts.get(number).map_or(&[], |part| &part.octets)
    }

    /// Ends a use of a part.
    pub(super) fn remove(&mut self, number: usize) {
        let Some(part) = self.parts.get_mut(number) else { return };
        part.uses -= 1;
        if part.uses == 0 {
            let octets = std::mem::replace(&mut part.octets, Arc::new([]));
            self.octets -= octets.len() + CHARGE;
            self.numbers.remove(&octets);
            self.free.push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_its_last_use() {
        let mut parts = CommonParts::default();
        let numbers = [parts.add(b"one"), parts.add(b"two"), parts.add(b"one")];
        assert_eq!(numbers, [0, 1, 0]);
        let full = parts.octets();
        parts.remove(0);
        assert_eq!((parts.get(0), parts.octets()), (&b"one"[..], full));
        parts.remove(0);
        assert!(parts.octets() < full);
        assert_eq!(parts.add(b"three"), 0, "its number is used again");
        assert_eq!((parts.get(0), parts.get(1)), (&b"three"[..], &b"two"[..]));
        parts.remove(0);
        parts.remove(1);
        assert_eq!((parts.octets(), parts.numbers.len()), (0, 0));
    }
}
