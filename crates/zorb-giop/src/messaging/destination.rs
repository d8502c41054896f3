//! What the answering end of a connection remembers of an object's operation, and of the way there.

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering, fence};

/// An object's key and an operation's name for which requests say less than both, with the way that the
/// first of them was found to go, so that later ones need not be taken through the same tables.
///
/// The way is left here by whoever serves the requests, and means something to them alone. What it leads
/// to may be gone, so it is asked at its end whether it still is what was meant; where it is not, the way
/// that is found then takes its place.
#[derive(Debug)]
pub struct Destination {
    key: Box<[u8]>,
    operation: Box<str>,
    object: Latest,
    /// In the table of the object's interface, and in that of the interface which it inherits the
    /// operation from.
    operations: [Once; 2],
}

/// Where an object is among those of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectPlace {
    /// The object adapter's place among those of its ORB.
    pub adapter: u32,
    /// What tells the adapter from others that had or will have its place.
    pub stamp: u32,
    /// The object's place in the adapter.
    pub slot: u32,
    /// What tells the object from others that had or will have its place.
    pub generation: u32,
}

impl Destination {
    /// An operation of an object to which no request has been yet.
    pub fn new(key: &[u8], operation: &str) -> Self {
        let (object, operations) = Default::default();
        Self { key: key.into(), operation: operation.into(), object, operations }
    }

    /// The object's key.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The operation's name.
    #[inline]
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Where the object was when a request last found it by its key.
    #[inline]
    pub fn object(&self) -> Option<ObjectPlace> {
        let halves = |word: u64| ((word >> 32) as u32, word as u32);
        let [adapter, object] = self.object.load()?.map(halves);
        let ((adapter, stamp), (slot, generation)) = (adapter, object);
        Some(ObjectPlace { adapter, stamp, slot, generation })
    }

    /// Says where the object is. It may have been elsewhere before: deactivated there and activated again.
    pub fn object_is_at(&self, place: ObjectPlace) {
        let word = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let ObjectPlace { adapter, stamp, slot, generation } = place;
        self.object.store([word(adapter, stamp), word(slot, generation)]);
    }

    /// The operation's position in the table of operations that this number stands for.
    #[inline(never)] // in every skeleton
    pub fn operation_in(&self, table: usize) -> Option<usize> {
        let mut known = self.operations.iter().filter_map(Once::load);
        known.find(|[of, _]| *of == table as u64).map(|[_, position]| position as usize)
    }

    /// Says at which position of a table the operation is. Two tables are remembered.
    #[cold]
    #[inline(never)]
    pub fn operation_is_at(&self, table: usize, position: usize) {
        let words = [table as u64, position as u64];
        let _ = self.operations.iter().any(|once| once.store(words) || once.load() == Some(words));
    }
}

/// Two words that are written and read together. Who reads them while they are written reads nothing.
#[derive(Debug, Default)]
struct Latest {
    /// How often they were written, twice; odd while they are.
    steps: AtomicU32,
    words: [AtomicU64; 2],
}

impl Latest {
    #[inline]
    fn load(&self) -> Option<[u64; 2]> {
        let before = self.steps.load(Ordering::Acquire);
        if before == 0 || before & 1 == 1 {
            return None;
        }
        let words = self.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        // Whoever has seen a word of a later time sees that it has begun.
        fence(Ordering::Acquire);
        (self.steps.load(Ordering::Relaxed) == before).then_some(words)
    }

    /// Writes them, unless somebody else does.
    fn store(&self, words: [u64; 2]) {
        let before = self.steps.load(Ordering::Relaxed);
        let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
        let begun = before.wrapping_add(1);
        if before & 1 == 1 || self.steps.compare_exchange(before, begun, acquire, relaxed).is_err()
        {
            return;
        }
        fence(Ordering::Release);
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.steps.store(begun.wrapping_add(1), Ordering::Release);
    }
}

/// Two words that are written once, together, while others may read them.
#[derive(Debug, Default)]
struct Once {
    state: AtomicU8,
    words: [AtomicU64; 2],
}

const EMPTY: u8 = 0;
const BEING_WRITTEN: u8 = 1;
const WRITTEN: u8 = 2;

impl Once {
    #[inline]
    fn load(&self) -> Option<[u64; 2]> {
        // Whoever sees that they are written sees them.
        let is_written = self.state.load(Ordering::Acquire) == WRITTEN;
        is_written.then(|| self.words.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Whether they were written by this.
    fn store(&self, words: [u64; 2]) -> bool {
        let (now, then) = (EMPTY, BEING_WRITTEN);
        let order = Ordering::Relaxed;
        if self.state.compare_exchange(now, then, order, order).is_err() {
            return false;
        }
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.state.store(WRITTEN, Ordering::Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: ObjectPlace =
        ObjectPlace { adapter: 1, stamp: u32::MAX, slot: 0x8000_0000, generation: 7 };

    #[test]
    fn the_way_is_the_latest() {
        let there = Destination::new(b"key", "op");
        assert_eq!((there.key(), there.operation()), (&b"key"[..], "op"));
        assert_eq!((there.object(), there.operation_in(1)), (None, None));
        for place in [PLACE, ObjectPlace { slot: 3, ..PLACE }, PLACE] {
            there.object_is_at(place);
            assert_eq!(there.object(), Some(place));
        }
        for (table, position) in [(1, 5), (1, 5), (2, 0), (3, 9)] {
            there.operation_is_at(table, position);
        }
        let found = [1, 2, 3].map(|table| there.operation_in(table));
        assert_eq!(found, [Some(5), Some(0), None]);
    }

    #[test]
    fn what_is_read_while_it_is_written_anew_is_of_one_time() {
        extern crate std;
        let (latest, begin) = (&Latest::default(), &std::sync::Barrier::new(3));
        std::thread::scope(|scope| {
            for parity in 0..2 {
                scope.spawn(move || {
                    begin.wait();
                    (0..20_000_u64).for_each(|n| latest.store([2 * n + parity, !(2 * n + parity)]));
                });
            }
            scope.spawn(move || {
                begin.wait();
                for _ in 0..20_000 {
                    assert!(latest.load().is_none_or(|[first, second]| first == !second));
                }
            });
        });
        // Whoever was in the way of another has written its own.
        let last = latest.load().unwrap();
        assert_eq!(last[0], !last[1]);
        latest.store([7, 8]);
        assert_eq!(latest.load(), Some([7, 8]));
    }

    #[test]
    fn what_is_read_while_it_is_written_is_of_one_writer() {
        extern crate std;
        let once = Once::default();
        let (once, begin) = (&once, &std::sync::Barrier::new(4));
        std::thread::scope(|scope| {
            for n in 1..=2 {
                scope.spawn(move || {
                    begin.wait();
                    once.store([n, n])
                });
                scope.spawn(move || {
                    begin.wait();
                    for _ in 0..1000 {
                        assert!(once.load().is_none_or(|[a, b]| a == b && a != 0));
                    }
                });
            }
        });
        assert!(once.load().is_some());
    }
}
