//! Names, ids and processor affinity of threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::CString;
use std::io;

use crate::lock::Lock;
use crate::sys;

pub use crate::sys::thread::id;

/// The upper limit of processor numbers.
pub const MAX_PROCESSORS: usize = 1024;

/// The maximum length of a thread name in bytes.
pub const MAX_NAME_LEN: usize = 15;

/// A number that no other living thread has: the smallest free one when the thread first called
/// this. Numbers stay below the maximum number of threads that used them at the same time, so they
/// can be used as indexes of tables with an entry per thread.
#[must_use]
pub fn number() -> usize {
    // An ending thread has returned its number, and uses the entry of number 0.
    NUMBER.try_with(|number| number.0).unwrap_or(0)
}

thread_local! {
    static NUMBER: Number = Number::free();
}

static NUMBERS: Lock<Numbers> = Lock::new(Numbers { free: BinaryHeap::new(), next: 0 });

struct Numbers {
    free: BinaryHeap<Reverse<usize>>,
    next: usize,
}

/// A thread's number, returned when dropped.
struct Number(usize);

impl Number {
    fn free() -> Self {
        let mut numbers = NUMBERS.lock();
        if let Some(Reverse(number)) = numbers.free.pop() {
            return Self(number);
        }
        numbers.next += 1;
        Self(numbers.next - 1)
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        let mut numbers = NUMBERS.lock();
        numbers.free.push(Reverse(self.0));
    }
}

/// Runs `work` on a thread that Rust's standard library does not know, as another language's runtime starts it, and waits
/// until it has ended. A panic of `work` ends the process. For tests of what such threads may do.
///
/// # Errors
/// The thread cannot be started.
#[doc(hidden)]
pub fn run_on_foreign(work: impl FnOnce() + Send) -> io::Result<()> {
    sys::thread::run_on_foreign(work)
}

/// Sets the name of the calling thread, truncated to [`MAX_NAME_LEN`] bytes at a character
/// boundary; NUL characters are removed.
///
/// # Errors
/// The system call fails.
pub fn set_name(name: &str) -> io::Result<()> {
    let mut kept = String::with_capacity(MAX_NAME_LEN);
    for character in name.chars().filter(|&c| c != '\0') {
        if kept.len() + character.len_utf8() > MAX_NAME_LEN {
            break;
        }
        kept.push(character);
    }
    sys::thread::set_name(&CString::new(kept)?)
}

/// Restricts the calling thread to the given processors.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if a number is not below [`MAX_PROCESSORS`], or the process may
/// use none of the processors.
pub fn set_affinity(processors: &[usize]) -> io::Result<()> {
    let mut mask = sys::thread::ProcessorMask::default();
    for &processor in processors {
        let word = mask.get_mut(processor / WORD_BITS).ok_or(io::ErrorKind::InvalidInput)?;
        *word |= 1 << (processor % WORD_BITS);
    }
    sys::thread::set_affinity(&mask)
}

/// The processors that the calling thread may use, in ascending order.
///
/// # Errors
/// The system call fails.
pub fn affinity() -> io::Result<Vec<usize>> {
    let mask = sys::thread::affinity(0)?;
    let set = |&n: &usize| mask.get(n / WORD_BITS).is_some_and(|w| w & (1 << (n % WORD_BITS)) != 0);
    Ok((0..MAX_PROCESSORS).filter(set).collect())
}

/// Gives the calling thread the processor affinity of the process's first thread. A thread inherits
/// its affinity from the thread that started it, which may be restricted.
///
/// # Errors
/// The system call fails.
pub fn run_anywhere() -> io::Result<()> {
    let first = std::process::id().cast_signed();
    sys::thread::set_affinity(&sys::thread::affinity(first)?)
}

/// The number of page faults (minor and major) of a thread of this process since its start, by
/// thread id.
///
/// # Errors
/// There is no such thread, or `/proc` is not available.
pub fn page_faults(thread: u32) -> io::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat"))?;
    // The name precedes them in parentheses and may contain anything. The fields are the 10th and
    // 12th.
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().skip(7);
    let mut field = |gap: usize| fields.nth(gap)?.parse::<u64>().ok();
    match (field(0), field(1)) {
        (Some(minor), Some(major)) => Ok(minor.saturating_add(major)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The number of page faults of the calling thread. One system call, no allocation.
///
/// # Errors
/// The system call fails.
pub fn own_page_faults() -> io::Result<u64> {
    let [minor, major] = sys::thread::own_page_faults()?;
    // Counts are not negative.
    let [minor, major] = [minor, major].map(|count| u64::try_from(count).unwrap_or(0));
    Ok(minor.saturating_add(major))
}

const WORD_BITS: usize = libc::c_ulong::BITS as usize;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn living_threads_have_numbers_of_their_own() {
        use std::collections::HashSet;
        use std::sync::Barrier;
        assert_eq!(number(), number());
        let all = Barrier::new(8);
        let ask = || {
            all.wait();
            let mine = number();
            all.wait();
            mine
        };
        let numbers: HashSet<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(numbers.len(), 8);
        // Threads that run one after the other share numbers; other tests use some, too.
        let most = (0..1000).map(|_| apart(number)).max().unwrap();
        assert!(most < 500, "{most}");
    }

    /// Runs `work` on its own thread, so that no other test observes its changes.
    fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(work).join().unwrap())
    }

    #[test]
    fn names_are_cut_to_whole_characters() {
        let name_after = |name: &'static str| {
            apart(move || {
                set_name(name).unwrap();
                std::fs::read_to_string("/proc/thread-self/comm").unwrap()
            })
        };
        assert_eq!(name_after("lane-0"), "lane-0\n");
        assert_eq!(name_after("fourteen bytesé and more"), "fourteen bytes\n");
        assert_eq!(name_after("with\0nul"), "withnul\n");
    }

    #[test]
    fn a_thread_started_by_a_restricted_one_can_run_anywhere() {
        apart(|| {
            let first = sys::thread::affinity(std::process::id().cast_signed()).unwrap();
            let last = *affinity().unwrap().last().unwrap();
            set_affinity(&[last]).unwrap();
            assert_eq!(affinity().unwrap(), [last]);
            run_anywhere().unwrap();
            assert_eq!(sys::thread::affinity(0).unwrap(), first);
        });
    }

    #[test]
    fn affinity_is_set_and_read() {
        apart(|| {
            let all = affinity().unwrap();
            let last = *all.last().unwrap();
            set_affinity(&[last]).unwrap();
            assert_eq!(affinity().unwrap(), [last]);
            set_affinity(&all).unwrap();
            assert_eq!(affinity().unwrap(), all);
        });
    }

    #[test]
    fn impossible_processors_are_refused() {
        for impossible in [&[MAX_PROCESSORS][..], &[MAX_PROCESSORS - 1], &[]] {
            let error = set_affinity(impossible).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{impossible:?}");
        }
    }

    #[test]
    fn page_faults_are_counted_by_thread() {
        let (touch, other) = (16, id());
        let (mine, others) = apart(|| {
            // The system provides zeroed memory of this size on the first write to a page.
            let mut pages = vec![0_u8; 64 << 20];
            let before = [page_faults(id()).unwrap(), page_faults(other).unwrap()];
            let own = own_page_faults().unwrap();
            pages.iter_mut().step_by(1 << 12).take(touch).for_each(|octet| *octet = 1);
            let own_since = own_page_faults().unwrap() - own;
            let after = [page_faults(id()).unwrap(), page_faults(other).unwrap()];
            assert!(own_since > 0 && own_since <= after[0] - before[0]);
            drop(std::hint::black_box(pages));
            (after[0] - before[0], after[1] - before[1])
        });
        assert!(mine > 0);
        assert!(others < 1 << 30, "counts only increase");
        assert!(page_faults(u32::MAX >> 1).is_err());
    }

    #[test]
    fn ids_differ_between_threads() {
        assert_ne!(id(), apart(id));
        assert_ne!(id(), 0);
    }
}
