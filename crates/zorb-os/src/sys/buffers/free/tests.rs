//! Every order in which a sender's threads and a reader can take their steps, and every value that they
//! can see where the memory's rules leave a choice.

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

/// A buffer of one process, its reader's word, and the ring that says that it was sent.
struct Buffer {
    state: State<AtomicBool, AtomicU32>,
    given_back: AtomicU32,
    octets: UnsafeCell<()>,
    ring: AtomicU32,
}

impl Buffer {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            state: State::default(),
            given_back: AtomicU32::new(0),
            octets: UnsafeCell::new(()),
            ring: AtomicU32::new(0),
        })
    }

    /// Takes, fills and sends it; whether it could. Writing while somebody reads or writes is what the
    /// model finds.
    fn send(&self) -> bool {
        if !self.state.take(&self.given_back) {
            return false;
        }
        self.octets.with_mut(|_| ());
        self.state.will_send();
        self.ring.store(1, Ordering::Release);
        self.state.put_back();
        true
    }

    /// Reads it if it was sent, and gives it back by `give_back`.
    fn receive(&self, give_back: impl FnOnce()) -> bool {
        if self.ring.swap(0, Ordering::AcqRel) == 0 {
            return false;
        }
        self.octets.with(|_| ());
        give_back();
        true
    }
}

#[test]
fn a_buffer_is_not_written_while_it_is_read() {
    loom::model(|| {
        let buffer = Buffer::new();
        let reader = Arc::clone(&buffer);
        let reading = thread::spawn(move || {
            let read = (0..2).filter(|_| reader.receive(|| reader.given_back.raise())).count();
            read as u32
        });
        let sent = (0..2).filter(|_| buffer.send()).count() as u32;
        let read = reading.join().unwrap();
        assert!((1..=2).contains(&sent) && read <= sent);
        // What was read has come back, and nothing else.
        assert_eq!(buffer.state.is_out(&buffer.given_back), read != sent);
    });
}

#[test]
fn parts_of_a_buffer_keep_it_until_the_last_is_dropped() {
    loom::model(|| {
        let buffer = Buffer::new();
        assert!(buffer.send());
        let holds = Arc::new(Holds::<AtomicU32>::default());
        let let_go = |buffer: &Buffer, holds: &Holds<AtomicU32>| {
            buffer.octets.with(|_| ());
            if holds.let_go() {
                buffer.given_back.raise();
            }
        };
        assert_eq!(buffer.ring.swap(0, Ordering::AcqRel), 1);
        holds.hold();
        let (other, others) = (Arc::clone(&buffer), Arc::clone(&holds));
        let part = thread::spawn(move || let_go(&other, &others));
        let_go(&buffer, &holds);
        // Writes to it as soon as it has come back.
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
        assert!(sent, "one of them has it");
        assert!(buffer.receive(|| buffer.given_back.raise()));
    });
}

#[test]
fn one_that_is_let_go_unsent_is_free_and_one_that_is_out_is_not() {
    loom::model(|| {
        let buffer = Buffer::new();
        let other = Arc::clone(&buffer);
        let dropping = thread::spawn(move || {
            if other.state.take(&other.given_back) {
                other.octets.with_mut(|_| ());
                other.state.put_back();
            }
        });
        let sent = buffer.send();
        dropping.join().unwrap();
        assert_eq!(buffer.state.take(&buffer.given_back), !sent);
    });
}

/// The model would find it if the rules were others: here the reader gives it back before it has read.
#[test]
#[should_panic(expected = "Causality violation")]
fn giving_back_too_early_is_found() {
    loom::model(|| {
        let buffer = Buffer::new();
        let reader = Arc::clone(&buffer);
        thread::spawn(move || {
            if reader.ring.swap(0, Ordering::AcqRel) != 0 {
                reader.given_back.raise();
                reader.octets.with(|_| ());
            }
        });
        let _ = buffer.send();
        let _ = buffer.send();
    });
}
