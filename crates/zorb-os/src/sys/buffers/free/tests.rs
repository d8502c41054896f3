//! All interleavings of a sender's threads and a reader, and all values that the memory model
//! allows them to see.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use loom::thread;

use super::{Count, Flag, Holds, State};

impl Flag for AtomicBool {
    fn take(&self) -> bool {
        self.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn put_back(&self) {
        self.store(false, Ordering::Release);
    }
}

impl Count for AtomicU32 {
    fn read(&self) -> u32 {
        self.load(Ordering::Acquire)
    }

    fn raise(&self) {
        self.fetch_add(1, Ordering::AcqRel);
    }

    fn lower(&self) -> bool {
        let less = |number: u32| number.checked_sub(1);
        self.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }
}

/// A buffer of one process, its reader's counter, and a flag that stands for the ring that
/// announces it.
struct Buffer {
    state: State<AtomicBool, AtomicU32>,
    returned: AtomicU32,
    octets: UnsafeCell<()>,
    ring: AtomicU32,
}

impl Buffer {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            state: State::default(),
            returned: AtomicU32::new(0),
            octets: UnsafeCell::new(()),
            ring: AtomicU32::new(0),
        })
    }

    /// Takes, fills and sends the buffer; returns whether it was free. The model detects a write
    /// during a read or another write.
    fn send(&self) -> bool {
        if !self.state.take(&self.returned) {
            return false;
        }
        self.octets.with_mut(|_| ());
        self.state.will_send();
        self.ring.store(1, Ordering::Release);
        self.state.put_back();
        true
    }

    /// Reads the buffer if it was sent, and returns it by `return_piece`.
    fn receive(&self, return_piece: impl FnOnce()) -> bool {
        if self.ring.swap(0, Ordering::AcqRel) == 0 {
            return false;
        }
        self.octets.with(|_| ());
        return_piece();
        true
    }
}

#[test]
fn a_buffer_is_not_written_while_it_is_read() {
    loom::model(|| {
        let buffer = Buffer::new();
        let reader = Arc::clone(&buffer);
        let reading = thread::spawn(move || {
            let read = (0..2).filter(|_| reader.receive(|| reader.returned.raise())).count();
            read as u32
        });
        let sent = (0..2).filter(|_| buffer.send()).count() as u32;
        let read = reading.join().unwrap();
        assert!((1..=2).contains(&sent) && read <= sent);
        // The buffers that were read have been returned, and no others.
        assert_eq!(buffer.state.is_in_use(&buffer.returned), read != sent);
    });
}

#[test]
fn parts_of_a_buffer_keep_it_until_the_last_is_dropped() {
    loom::model(|| {
        let buffer = Buffer::new();
        assert!(buffer.send());
        let holds = Arc::new(Holds::<AtomicU32>::default());
        let release = |buffer: &Buffer, holds: &Holds<AtomicU32>| {
            buffer.octets.with(|_| ());
            if holds.release() {
                buffer.returned.raise();
            }
        };
        assert_eq!(buffer.ring.swap(0, Ordering::AcqRel), 1);
        holds.acquire();
        let (other, others) = (Arc::clone(&buffer), Arc::clone(&holds));
        let part = thread::spawn(move || release(&other, &others));
        release(&buffer, &holds);
        // Writes to it as soon as it has been returned.
        let sent = buffer.send();
        part.join().unwrap();
        assert!(sent || buffer.send());
    });
}

#[test]
fn two_threads_never_have_the_same_buffer() {
    loom::model(|| {
        let buffer = Buffer::new();
        let other = Arc::clone(&buffer);
        let sending = thread::spawn(move || other.send());
        let own = buffer.send();
        let sent = own | sending.join().unwrap();
        assert!(sent, "one of the threads took it");
        assert!(buffer.receive(|| buffer.returned.raise()));
    });
}

#[test]
fn one_that_is_let_go_unsent_is_free_and_one_that_is_out_is_not() {
    loom::model(|| {
        let buffer = Buffer::new();
        let other = Arc::clone(&buffer);
        let dropping = thread::spawn(move || {
            if other.state.take(&other.returned) {
                other.octets.with_mut(|_| ());
                other.state.put_back();
            }
        });
        let sent = buffer.send();
        dropping.join().unwrap();
        assert_eq!(buffer.state.take(&buffer.returned), !sent);
    });
}

/// The model detects wrong rules: here the reader returns the buffer before it has read it.
#[test]
#[should_panic(expected = "Causality violation")]
fn giving_back_too_early_is_found() {
    loom::model(|| {
        let buffer = Buffer::new();
        let reader = Arc::clone(&buffer);
        thread::spawn(move || {
            if reader.ring.swap(0, Ordering::AcqRel) != 0 {
                reader.returned.raise();
                reader.octets.with(|_| ());
            }
        });
        let _ = buffer.send();
        let _ = buffer.send();
    });
}
