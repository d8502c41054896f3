//! The client's side: the indexes of pairs of object key and operation.

use zorb_giop::{Abbreviation, ClientMessagingState};

use crate::{INDEXES, MAX_PAIR};

/// The number of indexes that a pair may have, selected by its hash. A lookup checks only these,
/// and a new pair replaces one of them.
const WAYS: usize = 4;

/// The pairs that a client has introduced on a connection.
///
/// On an exclusive connection, a pair whose indexes are all in use replaces the one that was
/// introduced first. On a multiplexed connection, requests with that index may still be waiting to
/// be sent; then the index keeps its pair, and the new pair is always sent in full.
#[derive(Debug)]
pub(crate) struct Introduced {
    /// By index; empty until the first introduction.
    pairs: Vec<Option<Pair>>,
    /// For each group of indexes, the next one to replace.
    next: [u8; INDEXES / WAYS],
    /// The last index used, which is often used again.
    last: u8,
    /// The pair introduced by a request that may not have been sent.
    unsent: Option<u8>,
    several_calls: bool,
    given_up: bool,
}

#[derive(Debug)]
struct Pair {
    hash: u64,
    key: Box<[u8]>,
    operation: Box<str>,
}

impl Introduced {
    pub(crate) fn new(several_calls: bool) -> Self {
        let next = [0; INDEXES / WAYS];
        Self { pairs: Vec::new(), next, last: 0, unsent: None, several_calls, given_up: false }
    }

    fn put(&mut self, index: u8, pair: Option<Pair>) {
        if self.pairs.is_empty() {
            self.pairs.resize_with(INDEXES, || None);
        }
        if let Some(entry) = self.pairs.get_mut(usize::from(index)) {
            *entry = pair;
        }
    }

    /// The index of a pair, or an index that it may use.
    fn find(&self, hash: u64, key: &[u8], operation: &str) -> Found {
        let set = hash as usize % (INDEXES / WAYS);
        let mut free = None;
        for index in set * WAYS..(set + 1) * WAYS {
            match self.pairs.get(index) {
                Some(Some(pair)) => {
                    if pair.hash == hash && *pair.key == *key && *pair.operation == *operation {
                        return Found::Known(index as u8);
                    }
                }
                _ => free = free.or(Some(index as u8)),
            }
        }
        match free {
            Some(index) => Found::Free(index),
            None => Found::AllTaken(set),
        }
    }
}

enum Found {
    Known(u8),
    Free(u8),
    /// The indexes of the group.
    AllTaken(usize),
}

impl ClientMessagingState for Introduced {
    fn abbreviate(&mut self, key: &[u8], operation: &str, is_next: bool) -> Abbreviation {
        if self.unsent.is_none()
            && let Some(Some(pair)) = self.pairs.get(usize::from(self.last))
            && *pair.operation == *operation
            && *pair.key == *key
        {
            return Abbreviation::Index(self.last);
        }
        if self.given_up || key.len().saturating_add(operation.len()) > MAX_PAIR {
            return Abbreviation::InFull;
        }
        if is_next && let Some(unsent) = self.unsent.take() {
            self.put(unsent, None);
        }
        let hash = hash(key, operation);
        let index = match self.find(hash, key, operation) {
            // Its next use shows whether it was sent.
            Found::Known(index) if self.unsent == Some(index) => {
                return Abbreviation::Introduce(index);
            }
            Found::Known(index) => {
                self.last = index;
                return Abbreviation::Index(index);
            }
            Found::Free(index) => index,
            Found::AllTaken(_) if self.several_calls => return Abbreviation::InFull,
            Found::AllTaken(set) => {
                let Some(next) = self.next.get_mut(set) else { return Abbreviation::InFull };
                let way = usize::from(*next) % WAYS;
                *next = next.wrapping_add(1);
                (set * WAYS + way) as u8
            }
        };
        if is_next {
            let (key, operation) = (key.into(), operation.into());
            self.put(index, Some(Pair { hash, key, operation }));
            self.unsent = Some(index);
        }
        Abbreviation::Introduce(index)
    }

    fn sent(&mut self) {
        self.unsent = None;
    }

    fn disable(&mut self) {
        self.given_up = true;
        self.pairs = Vec::new();
    }
}

/// Hashes a pair. An attacker who chooses the keys can only make them replace each other.
fn hash(key: &[u8], operation: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = key.len() as u64;
    for octets in [key, operation.as_bytes()] {
        let (words, rest) = octets.as_chunks::<8>();
        for word in words {
            hash = (hash.rotate_left(29) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
        }
        for octet in rest {
            hash = (hash.rotate_left(29) ^ u64::from(*octet)).wrapping_mul(FACTOR);
        }
    }
    // The high bits depend on all input.
    hash >> 32
}
