//! The target of requests whose object key and operation name a server's connection has learned.

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering, fence};

/// An object key and an operation name that later requests refer to by an index, with the result of the
/// first lookup, so that later requests skip the lookup.
///
/// The server that dispatches the requests stores the result and gives it its meaning. The object may have
/// been deactivated since, so the server checks the object before it uses the result, and stores the new
/// one when it has changed.
#[derive(Debug)]
pub struct Destination {
    key: Box<[u8]>,
    operation: Box<str>,
    object: SeqLock,
    /// In the operation table of the object's interface, and in that of the interface from which it
    /// inherits the operation.
    operations: [WriteOnce; 2],
}

/// The position of an object in the active object maps of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectIndex {
    /// The index of the object adapter in its ORB.
    pub adapter: u32,
    /// Distinguishes the adapter from earlier and later ones with the same index.
    pub stamp: u32,
    /// The slot of the object in the adapter's active object map.
    pub slot: u32,
    /// Distinguishes the object from earlier and later ones in the same slot.
    pub generation: u32,
}

impl Destination {
    /// An operation of an object that no request has reached yet.
    pub fn new(key: &[u8], operation: &str) -> Self {
        let (object, operations) = Default::default();
        Self { key: key.into(), operation: operation.into(), object, operations }
    }

    /// The object key.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The operation name.
    #[inline]
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// The result of the last lookup by key.
    #[inline]
    pub fn object(&self) -> Option<ObjectIndex> {
        let [adapter, stamp, slot, generation] = self.object.load()?;
        Some(ObjectIndex { adapter, stamp, slot, generation })
    }

    /// Stores where the object is. It moves when it is deactivated and activated again.
    pub fn set_object(&self, index: ObjectIndex) {
        let ObjectIndex { adapter, stamp, slot, generation } = index;
        self.object.store([adapter, stamp, slot, generation]);
    }

    /// The position of the operation in the table of operations with this number.
    #[inline(never)] // called by every skeleton
    pub fn operation_in(&self, table: usize) -> Option<usize> {
        let mut known = self.operations.iter().filter_map(WriteOnce::load);
        known.find(|[of, _]| *of == table).map(|[_, position]| position)
    }

    /// Stores the position of the operation in a table. Positions in two tables are stored.
    #[cold]
    #[inline(never)]
    pub fn set_operation_in(&self, table: usize, position: usize) {
        let words = [table, position];
        let _ = self.operations.iter().any(|once| once.store(words) || once.load() == Some(words));
    }
}

// Words of 32 bits and of `usize`: a Cortex-M has no atomics of 64 bits.

/// Four words that are written and read together. A reader that meets a writer reads nothing.
#[derive(Debug, Default)]
struct SeqLock {
    /// 0 before the first write, odd during a write; a write adds 2.
    sequence: AtomicU32,
    words: [AtomicU32; 4],
}

impl SeqLock {
    #[inline]
    fn load(&self) -> Option<[u32; 4]> {
        let before = self.sequence.load(Ordering::Acquire);
        if before == 0 || before & 1 == 1 {
            return None;
        }
        let words = self.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        // A reader that has read a word of a later write also sees the sequence of that write.
        fence(Ordering::Acquire);
        (self.sequence.load(Ordering::Relaxed) == before).then_some(words)
    }

    /// Writes the words, unless another thread is writing.
    fn store(&self, words: [u32; 4]) {
        let before = self.sequence.load(Ordering::Relaxed);
        let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
        let odd = before.wrapping_add(1);
        if before & 1 == 1 || self.sequence.compare_exchange(before, odd, acquire, relaxed).is_err()
        {
            return;
        }
        fence(Ordering::Release);
        for (atomic, word) in self.words.iter().zip(words) {
            atomic.store(word, Ordering::Relaxed);
        }
        self.sequence.store(odd.wrapping_add(1), Ordering::Release);
    }
}

/// Two words that are written once, together, while others may read them.
#[derive(Debug, Default)]
struct WriteOnce {
    state: AtomicU8,
    words: [AtomicUsize; 2],
}

const EMPTY: u8 = 0;
const BEING_WRITTEN: u8 = 1;
const WRITTEN: u8 = 2;

impl WriteOnce {
    #[inline]
    fn load(&self) -> Option<[usize; 2]> {
        // The store of `WRITTEN` releases the words.
        let is_written = self.state.load(Ordering::Acquire) == WRITTEN;
        is_written.then(|| self.words.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Whether this call has written them.
    fn store(&self, words: [usize; 2]) -> bool {
        let order = Ordering::Relaxed;
        if self.state.compare_exchange(EMPTY, BEING_WRITTEN, order, order).is_err() {
            return false;
        }
        for (atomic, word) in self.words.iter().zip(words) {
            atomic.store(word, Ordering::Relaxed);
        }
        self.state.store(WRITTEN, Ordering::Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: ObjectIndex =
        ObjectIndex { adapter: 1, stamp: u32::MAX, slot: 0x8000_0000, generation: 7 };

    #[test]
    fn the_last_look_up_is_kept() {
        let destination = Destination::new(b"key", "op");
        assert_eq!((destination.key(), destination.operation()), (&b"key"[..], "op"));
        assert_eq!((destination.object(), destination.operation_in(1)), (None, None));
        for index in [INDEX, ObjectIndex { slot: 3, ..INDEX }, INDEX] {
            destination.set_object(index);
            assert_eq!(destination.object(), Some(index));
        }
        for (table, position) in [(1, 5), (1, 5), (2, 0), (3, 9)] {
            destination.set_operation_in(table, position);
        }
        let found = [1, 2, 3].map(|table| destination.operation_in(table));
        assert_eq!(found, [Some(5), Some(0), None]);
    }

    #[test]
    fn a_read_during_a_write_never_mixes_two_writes() {
        extern crate std;
        let (lock, begin) = (&SeqLock::default(), &std::sync::Barrier::new(3));
        std::thread::scope(|scope| {
            for parity in 0..2 {
                scope.spawn(move || {
                    begin.wait();
                    (0..20_000_u32)
                        .map(|n| 2 * n + parity)
                        .for_each(|n| lock.store([n, !n, n, !n]));
                });
            }
            scope.spawn(move || {
                begin.wait();
                for _ in 0..20_000 {
                    assert!(lock.load().is_none_or(|[a, b, c, d]| a == !b && c == a && d == b));
                }
            });
        });
        // A write is dropped only while another one runs.
        let [a, b, c, d] = lock.load().unwrap();
        assert_eq!([b, c, d], [!a, a, !a]);
        lock.store([6, 7, 8, 9]);
        assert_eq!(lock.load(), Some([6, 7, 8, 9]));
    }

    #[test]
    fn one_writer_of_several_wins() {
        extern crate std;
        let once = WriteOnce::default();
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
