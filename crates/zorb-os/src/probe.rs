//! Time probes: where a call spends its time.
//!
//! [`probe!`](crate::probe!)`(Marshal)` marks the end of a step: the time since the thread's last
//! probe was spent on marshalling. In builds with the feature `probes` it writes the cycle counter
//! to a per-thread ring, without locks or allocations; in others it compiles to nothing. `zorb
//! bench probes` prints tables of the results.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::clock::ticks;

/// Whether probes are compiled.
pub const ON: bool = cfg!(feature = "probes");

/// The number of records in the ring of a thread: a thousand calls with thirty probes each.
pub const CAPACITY: usize = if ON { 1 << 15 } else { 1 };
/// The number of threads with a ring; later threads record nothing.
const RINGS: usize = if ON { 32 } else { 1 };
/// The low bits of a slot contain the step.
const STEP_BITS: u32 = 5;

macro_rules! steps {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// What a thread did before a probe.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Step {
            $($(#[doc = $doc])* $name,)*
        }

        impl Step {
            /// All steps, by number.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

steps! {
    /// Work before the call that begins here.
    Begin,
    /// Selecting an endpoint and taking a connection; returning the connection.
    Reference,
    /// Writing arguments or results.
    Marshal,
    /// Message headers, request ids, service contexts: all of sending above the transport.
    MessagingSend,
    /// The transport's part of sending, without the system call.
    TransportSend,
    /// The system call that sends.
    Send,
    /// The system call that waits and receives.
    Receive,
    /// The transport's part of receiving, without the system call.
    TransportReceive,
    /// Splitting octets into messages, reading headers, matching a reply: all of receiving above
    /// the transport.
    MessagingReceive,
    /// Reading arguments or results.
    Demarshal,
    /// Parsing an object key.
    ParseKey,
    /// Finding the object adapter and checking its manager.
    Adapter,
    /// Finding the servant.
    Servant,
    /// Finding the operation.
    Operation,
    /// The servant's method.
    Upcall,
}

/// Ends a step of a call: `probe!(Marshal)`. Compiles to nothing without the feature `probes`.
#[macro_export]
macro_rules! probe {
    ($step:ident) => {
        $crate::probe::pass($crate::probe::Step::$step)
    };
}

/// The function behind [`probe!`](crate::probe!).
#[inline(always)]
pub fn pass(step: Step) {
    if ON {
        record(step);
    }
}

/// A probe that a thread passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The step that it ends.
    pub step: Step,
    /// The value of [`ticks`], without its highest bits.
    pub ticks: u64,
}

/// The probes of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The probes in order.
    pub passages: Vec<Passage>,
    /// The number of earlier probes that the ring has overwritten.
    pub lost: u64,
}

/// The start of a measurement.
#[derive(Clone, Debug)]
pub struct Mark(Vec<u64>);

impl Mark {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        Self(ALL.iter().map(|ring| ring.passed.load(Ordering::Acquire)).collect())
    }

    /// The probes of each thread since the mark, without threads that passed none. Call it while no
    /// thread passes probes.
    #[must_use]
    pub fn traces(&self) -> Vec<Trace> {
        let traces = std::iter::zip(&ALL, &self.0).map(|(ring, &from)| ring.since(from));
        traces.filter(|trace| !trace.passages.is_empty()).collect()
    }
}

struct Ring<const N: usize> {
    /// The number of probes so far. Only the ring's thread writes it.
    passed: AtomicU64,
    slots: [AtomicU64; N],
}

static ALL: [Ring<CAPACITY>; RINGS] = [const { Ring::new() }; RINGS];
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// The index of a thread that has not passed a probe.
const NONE_YET: usize = usize::MAX;

thread_local! {
    // A constant without a destructor, which is read by one instruction.
    static RING: Cell<usize> = const { Cell::new(NONE_YET) };
}

#[inline(never)]
fn record(step: Step) {
    let mut ring = RING.get();
    if ring == NONE_YET {
        ring = TAKEN.fetch_add(1, Ordering::Relaxed).min(NONE_YET - 1);
        RING.set(ring);
    }
    if let Some(ring) = ALL.get(ring) {
        ring.put(step, ticks());
    }
}

impl<const N: usize> Ring<N> {
    const fn new() -> Self {
        Self { passed: AtomicU64::new(0), slots: [const { AtomicU64::new(0) }; N] }
    }

    #[inline]
    fn put(&self, step: Step, ticks: u64) {
        let passed = self.passed.load(Ordering::Relaxed);
        if let Some(slot) = self.slots.get(passed as usize % N) {
            slot.store(ticks << STEP_BITS | step as u64, Ordering::Relaxed);
        }
        self.passed.store(passed + 1, Ordering::Release);
    }

    fn since(&self, from: u64) -> Trace {
        let passed = self.passed.load(Ordering::Acquire);
        let kept_from = from.max(passed.saturating_sub(N as u64));
        let passage = |number: u64| {
            let slot = self.slots.get(number as usize % N)?.load(Ordering::Relaxed);
            let step = *Step::ALL.get(slot as usize % (1 << STEP_BITS))?;
            Some(Passage { step, ticks: slot >> STEP_BITS })
        };
        Trace {
            passages: (kept_from..passed).filter_map(passage).collect(),
            lost: kept_from - from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(step: Step, ticks: u64) -> Passage {
        Passage { step, ticks }
    }

    #[test]
    fn a_ring_keeps_the_last_passages_in_order() {
        let ring = Ring::<4>::new();
        assert_eq!(ring.since(0), Trace::default());
        for (number, step) in Step::ALL.iter().take(6).enumerate() {
            ring.put(*step, 100 + number as u64);
        }
        let kept = [(Step::Marshal, 102), (Step::MessagingSend, 103)];
        let last = [(Step::TransportSend, 104), (Step::Send, 105)];
        let passages = |list: &[(Step, u64)]| -> Vec<Passage> {
            list.iter().map(|(step, ticks)| passage(*step, *ticks)).collect()
        };
        assert_eq!(ring.since(4), Trace { passages: passages(&last), lost: 0 });
        let all = Trace { passages: passages(&[kept, last].concat()), lost: 1 };
        assert_eq!(ring.since(1), all);
    }

    #[test]
    fn every_step_fits_a_slot() {
        assert!(Step::ALL.len() <= 1 << STEP_BITS);
        let ring = Ring::<32>::new();
        for step in Step::ALL {
            ring.put(*step, 7);
        }
        let steps: Vec<_> = ring.since(0).passages.iter().map(|passage| passage.step).collect();
        assert_eq!(steps, Step::ALL);
    }

    #[test]
    fn probes_record_where_they_are_compiled_in_and_nowhere_else() {
        // Of this thread: other tests pass no probes.
        let mark = Mark::now();
        crate::probe!(Begin);
        crate::probe!(Upcall);
        let steps: Vec<Vec<Step>> = mark
            .traces()
            .iter()
            .map(|trace| trace.passages.iter().map(|passage| passage.step).collect())
            .collect();
        let expected: &[Vec<Step>] = if ON { &[vec![Step::Begin, Step::Upcall]] } else { &[] };
        assert_eq!(steps, expected);
    }
}
