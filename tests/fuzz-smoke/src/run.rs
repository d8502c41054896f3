//! Runs a target on its seeds and on mutations of them.

use std::fmt::Write as _;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use zorb_os::alloc::AllocationCount;

use crate::corpus::seeds;
use crate::mutation::Generator;
use crate::targets::Target;

/// The stack of the thread that inputs run on: what Rust gives to threads, such as those that
/// serve connections. Nesting deeper than a limit allows overflows it.
const STACK: usize = 2 << 20;

/// After this time, a run counts as hanging and its current input is printed. Not a measure of speed: a whole run takes
/// a few seconds on the slowest machine.
const HANG: Duration = Duration::from_secs(600);

/// The environment variable that makes runs longer: a whole number.
pub const FACTOR: &str = "FUZZ_FACTOR";

/// Panics of all threads: one that is caught, or that ends another thread, is a finding too.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Which allocations belong to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Those of the thread that runs it.
    ThisThread,
    /// Those of the process, which must do nothing else meanwhile.
    Process,
}

impl Counted {
    fn now(self) -> AllocationCount {
        match self {
            Self::ThisThread => AllocationCount::this_thread(),
            Self::Process => AllocationCount::total(),
        }
    }
}

/// The statistics of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Inputs from files.
    pub seeds: usize,
    /// Inputs made from them.
    pub mutants: usize,
    /// The input that came closest to the bound on allocation, in words.
    pub hungriest: String,
    /// The most bytes allocated for an octet of input, in inputs of at least 64 octets.
    pub most_per_octet: u64,
    /// Allocated bytes relative to the bound, in thousandths.
    share: u64,
}

/// Runs `target` over all its seeds, then over `mutants` mutations of them, the same every time.
/// The environment variable [`FACTOR`] multiplies their number, for a longer search.
///
/// # Panics
/// When a rule of the target is broken, anything panics, more is allocated than the target allows,
/// or an input does not come to an end. The message has the input in hex; saved to a file, it is
/// an input for the fuzzer and a seed for the corpus.
pub fn run(target: &Target, mutants: usize, counted: Counted) -> Report {
    let mutants = mutants * factor();
    let before = counted.now();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counted.now().since(before).bytes >= 100, "install the counting allocator");
    count_panics();
    let present = Arc::new(Mutex::new((String::new(), Vec::new())));
    let (done, end) = channel();
    let (copy, shown) = (*target, Arc::clone(&present));
    let thread = std::thread::Builder::new().name(target.name.to_owned()).stack_size(STACK);
    let work = move || {
        let report = work(&copy, mutants, counted, &shown);
        // The receiver is there unless it gave up on a hang.
        let _ = done.send(report);
    };
    let thread = thread.spawn(work).expect("a thread");
    let failed = match end.recv_timeout(HANG) {
        Ok(report) => return report,
        Err(RecvTimeoutError::Timeout) => "does not come to an end".to_owned(),
        Err(RecvTimeoutError::Disconnected) => {
            let what = thread.join().expect_err("it ended without a report");
            let text = what.downcast_ref::<&str>().map(ToString::to_string);
            text.or_else(|| what.downcast_ref::<String>().cloned()).unwrap_or_default()
        }
    };
    let (name, octets) = present.lock().unwrap_or_else(PoisonError::into_inner).clone();
    panic!("target {}, {name}: {failed}\ninput: {}", target.name, hex(&octets));
}

fn factor() -> usize {
    let Ok(factor) = std::env::var(FACTOR) else { return 1 };
    factor.parse().unwrap_or_else(|_| panic!("{FACTOR} is a whole number, not {factor:?}"))
}

fn work(
    target: &Target,
    mutants: usize,
    counted: Counted,
    present: &Mutex<(String, Vec<u8>)>,
) -> Report {
    let seeds = seeds(target.name);
    let mut report = Report { seeds: seeds.len(), mutants, ..Report::default() };
    // One-time initialization is not charged to an input.
    (target.run)(b"");
    if let Some(seed) = seeds.first() {
        (target.run)(&seed.octets);
    }
    let mut one = |name: String, octets: &[u8]| {
        *present.lock().unwrap_or_else(PoisonError::into_inner) = (name.clone(), octets.to_vec());
        let panics = PANICS.load(Ordering::Relaxed);
        let before = counted.now();
        (target.run)(octets);
        let bytes = counted.now().since(before).bytes;
        assert_eq!(PANICS.load(Ordering::Relaxed), panics, "something panicked");
        let bound = target.allocation;
        let allowed = bound.constant + bound.per_octet * octets.len() as u64;
        assert!(
            bytes <= allowed,
            "allocates {bytes} bytes for {} octets; allowed are {allowed}",
            octets.len()
        );
        if octets.len() >= 64 {
            report.most_per_octet = report.most_per_octet.max(bytes / octets.len() as u64);
        }
        let share = bytes * 1000 / allowed.max(1);
        if share >= report.share {
            report.share = share;
            report.hungriest =
                format!("{name}: {bytes} bytes for {} octets, {allowed} allowed", octets.len());
        }
    };
    for seed in &seeds {
        one(format!("seed {}", seed.name), &seed.octets);
    }
    let mut generator = Generator::new(0x5a6f_7262);
    for round in 0..mutants {
        let octets = generator.mutant(&seeds, target.words);
        one(format!("mutation {round}"), &octets);
    }
    report
}

/// The number of panics of this process so far, including caught ones.
#[must_use]
pub fn panics() -> u64 {
    count_panics();
    PANICS.load(Ordering::Relaxed)
}

fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let next = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            next(info);
        }));
    });
}

fn hex(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{octet:02x}");
        text
    })
}
