//! The calling side: which index stands for what.

use zorb_giop::{ClientMemory, Mention};

use crate::{INDEXES, MAX_PAIR};

/// How many indexes there are to choose from for a pair. Which ones, its hash says: so a pair is found
/// by looking at so many places, and the index that it displaces was one of as few.
const WAYS: usize = 4;

/// What a client has introduced on a connection.
///
/// Where one call at a time uses the connection, a pair that finds its indexes taken gets the one that
/// was introduced first of them. Where several do, requests that say an index may be on their way while
/// it would be given away: then it stays with its pair, and the other is named in full.
#[derive(Debug)]
pub(crate) struct Introduced {
    /// By index; empty until something is introduced.
    pairs: Vec<Option<Pair>>,
    /// For every few indexes, which of them is given away next.
    next: [u8; INDEXES / WAYS],
    /// The index that was said last: mostly it is said again.
    last: u8,
    /// What was introduced by a request that need not have been sent.
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
        if let Some(place) = self.pairs.get_mut(usize::from(index)) {
            *place = pair;
        }
    }

    /// The index of a pair, or one that it may have.
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
    /// All that belong to these few.
    AllTaken(usize),
}

impl ClientMemory for Introduced {
    fn mention(&mut self, key: &[u8], operation: &str, in_turn: bool) -> Mention {
        if self.unsent.is_none()
            && let Some(Some(pair)) = self.pairs.get(usize::from(self.last))
            && *pair.operation == *operation
            && *pair.key == *key
        {
            return Mention::Index(self.last);
        }
        if self.given_up || key.len().saturating_add(operation.len()) > MAX_PAIR {
            return Mention::InFull;
        }
        if in_turn && let Some(unsent) = self.unsent.take() {
            self.put(unsent, None);
        }
        let hash = hash(key, operation);
        let index = match self.find(hash, key, operation) {
            // Whether it will have been sent is known when it is this one's turn.
            Found::Known(index) if self.unsent == Some(index) => return Mention::Introduce(index),
            Found::Known(index) => {
                self.last = index;
                return Mention::Index(index);
            }
            Found::Free(index) => index,
            Found::AllTaken(_) if self.several_calls => return Mention::InFull,
            Found::AllTaken(set) => {
                let Some(next) = self.next.get_mut(set) else { return Mention::InFull };
                let way = usize::from(*next) % WAYS;
                *next = next.wrapping_add(1);
                (set * WAYS + way) as u8
            }
        };
        if in_turn {
            let (key, operation) = (key.into(), operation.into());
            self.put(index, Some(Pair { hash, key, operation }));
            self.unsent = Some(index);
        }
        Mention::Introduce(index)
    }

    fn sent(&mut self) {
        self.unsent = None;
    }

    fn give_up(&mut self) {
        self.given_up = true;
        self.pairs = Vec::new();
    }
}

/// Mixes a pair into a number. Who can choose the keys can only have them displace each other.
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
    // The high bits depend on all of it.
    hash >> 32
}
