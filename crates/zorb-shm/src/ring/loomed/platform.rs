//! Memory shared by two sides, made of `loom`'s words and cells.

use std::cell::Cell;
use std::sync::atomic::AtomicU8;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Condvar, Mutex};

#[cfg(feature = "buffers")]
pub(crate) use loom::sync::atomic::AtomicU32 as Count;
pub(crate) use loom::sync::atomic::AtomicU64;

thread_local! {
    /// Whether fences have an effect. The threads of a model run on one thread of the system.
    pub(crate) static FENCED: Cell<bool> = const { Cell::new(true) };
}

pub(crate) fn fence(order: Ordering) {
    if FENCED.get() {
        loom::sync::atomic::fence(order);
    }
}

/// A word to sleep on.
#[derive(Debug, Default)]
pub(crate) struct Word {
    value: AtomicU32,
    /// The kernel's lock while it compares the word and puts the thread to sleep.
    bucket: Mutex<()>,
    woken: Condvar,
}

impl Word {
    pub(crate) fn load(&self, order: Ordering) -> u32 {
        self.value.load(order)
    }

    pub(crate) fn store(&self, value: u32, order: Ordering) {
        self.value.store(value, order);
    }
}

pub(crate) mod futex {
    use std::time::Duration;

    use super::{Ordering, Word};

    pub(crate) fn wait(word: &Word, expected: u32, limit: Option<Duration>) {
        assert_eq!(limit, None, "the model has no clock");
        let bucket = word.bucket.lock().unwrap();
        if word.value.load(Ordering::SeqCst) == expected {
            drop(word.woken.wait(bucket).unwrap());
        }
    }

    pub(crate) fn wake(word: &Word) {
        let bucket = word.bucket.lock().unwrap();
        word.woken.notify_all();
        drop(bucket);
    }
}

/// The modeled part of the head: the words of one direction.
const WORDS: usize = 1024;
/// The modeled names of pieces, and the size of the queue in octets.
const NAMES: std::ops::Range<usize> = 2048..2048 + 32;
/// The start of the body.
const BODY: usize = 4096;

/// The words and the octets of one ring.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    positions: [AtomicU64; 2],
    names: Vec<AtomicU64>,
    words: Vec<(usize, Word)>,
    octets: Octets,
}

/// Octets, each with a cell that detects a read during a write.
#[derive(Debug, Default)]
struct Octets(Vec<(UnsafeCell<()>, AtomicU8)>);

impl Octets {
    fn new(count: usize) -> Self {
        Self((0..count).map(|_| (UnsafeCell::new(()), AtomicU8::new(0))).collect())
    }

    fn read(&self, at: usize, target: &mut [u8]) {
        for (octet, (cell, value)) in target.iter_mut().zip(&self.0[at..]) {
            *octet = cell.with(|_| value.load(Ordering::Relaxed));
        }
    }

    fn write(&self, at: usize, source: &[u8]) {
        for (octet, (cell, value)) in source.iter().zip(&self.0[at..]) {
            cell.with_mut(|_| value.store(*octet, Ordering::Relaxed));
        }
    }
}

impl SharedMemory {
    pub(crate) fn new(size: usize) -> Self {
        // All words except the positions: see `Region`.
        let words = [8, 12, 128 + 8, 128 + 12, 256, 384, 512];
        Self {
            positions: [AtomicU64::new(0), AtomicU64::new(0)],
            names: NAMES.step_by(8).map(|_| AtomicU64::new(0)).collect(),
            words: words.into_iter().map(|at| (at, Word::default())).collect(),
            octets: Octets::new(size),
        }
    }

    pub(crate) fn u64_at(&self, at: usize) -> &AtomicU64 {
        match at {
            0 => &self.positions[0],
            128 => &self.positions[1],
            name => &self.names[(name - NAMES.start) / 8],
        }
    }

    pub(crate) fn u32_at(&self, at: usize) -> &Word {
        assert!(at < WORDS, "a word of another direction");
        self.words.iter().find(|(address, _)| *address == at).map(|(_, word)| word).unwrap()
    }

    pub(crate) fn prefetch(&self, _: usize) {}

    pub(crate) fn read(&self, at: usize, target: &mut [u8]) {
        self.octets.read(at - BODY, target);
    }

    pub(crate) fn write(&self, at: usize, source: &[u8]) {
        self.octets.write(at - BODY, source);
    }
}

/// A buffer, modeled as far as the rings need it: who fills it and who reads it.
#[cfg(feature = "buffers")]
pub(crate) mod buffers {
    use std::ops::Deref;
    use std::sync::Arc;

    use super::Octets;

    const LEN: usize = 8;

    #[derive(Debug)]
    pub(crate) struct Shared(Octets);

    impl Default for Shared {
        fn default() -> Self {
            Self(Octets::new(LEN))
        }
    }

    #[derive(Debug, Clone, Copy)]
    pub(crate) struct SameUser;

    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Piece(usize);

    impl Piece {
        pub(crate) fn len(self) -> usize {
            self.0
        }

        pub(crate) fn to_word(self) -> u64 {
            self.0 as u64
        }
    }

    #[derive(Debug)]
    pub(crate) struct SendBuffers(Arc<Shared>);

    impl SendBuffers {
        pub(crate) fn new(shared: &Arc<Shared>) -> Arc<Self> {
            Arc::new(Self(Arc::clone(shared)))
        }

        pub(crate) fn take(&self, _: usize) -> Option<SendBuffer> {
            None
        }

        /// The program fills the buffer, then sends it.
        pub(crate) fn piece(&self, octets: &[u8]) -> Option<Piece> {
            self.0.0.write(0, octets);
            Some(Piece(octets.len()))
        }

        pub(crate) fn will_send(&self, _: Piece) {}
    }

    #[derive(Debug)]
    pub(crate) struct SendBuffer;

    impl SendBuffer {
        pub(crate) fn fill(&mut self, _: &[u8]) -> bool {
            false
        }
    }

    impl Deref for SendBuffer {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            &[]
        }
    }

    #[derive(Debug)]
    pub(crate) struct ReceiveBuffers(Arc<Shared>);

    impl ReceiveBuffers {
        pub(crate) fn new(shared: &Arc<Shared>) -> Arc<Self> {
            Arc::new(Self(Arc::clone(shared)))
        }

        pub(crate) fn piece(&self, word: u64) -> Option<Piece> {
            let len = usize::try_from(word).unwrap();
            (1..=LEN).contains(&len).then_some(Piece(len))
        }

        pub(crate) fn read(&self, piece: Piece, from: usize, target: &mut [u8]) -> usize {
            let count = target.len().min(piece.0 - from);
            self.0.0.read(from, &mut target[..count]);
            count
        }

        pub(crate) fn loan(&self, piece: Piece, _: SameUser) -> ReceivedBuffer {
            let mut octets = vec![0; piece.0];
            self.read(piece, 0, &mut octets);
            ReceivedBuffer(octets)
        }

        pub(crate) fn return_piece(&self, _: Piece) {}
    }

    #[derive(Debug)]
    pub(crate) struct ReceivedBuffer(pub(in super::super) Vec<u8>);
}
