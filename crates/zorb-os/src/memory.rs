//! Memory shared between processes.
//!
//! Another process may change the contents at any time. Therefore no references to octets are
//! available: they are copied, and control words are atomics. [`buffers`](crate::buffers) provide
//! references between processes that trust each other.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, SealFlags};

use crate::sys::memory::Mapping;

/// Whether this build counts copied octets: builds with debug assertions do.
pub const COUNTING: bool = cfg!(debug_assertions);

static COPIED: AtomicU64 = AtomicU64::new(0);

/// The number of octets that this process has copied to and from shared memory, in a build that
/// [counts](COUNTING). Octets sent over a ring are copied in and out; octets in
/// [`buffers`](crate::buffers) less often.
#[must_use]
pub fn octets_copied() -> u64 {
    COPIED.load(Ordering::Relaxed)
}

#[inline]
pub(crate) fn count(octets: usize) {
    if COUNTING {
        COPIED.fetch_add(octets as u64, Ordering::Relaxed);
    }
}

/// Anonymous memory, shared with the processes that receive its descriptor. Its size is sealed: no
/// process can shrink what another has mapped.
pub struct SharedMemory {
    mapping: Mapping,
    fd: OwnedFd,
}

/// The seals fix the size; the contents stay writable.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

impl SharedMemory {
    /// New memory, initialized with zeros. `name` is only for `/proc/PID/maps`. The system
    /// allocates a page on the first access.
    ///
    /// # Errors
    /// `len` is 0, or the process or system is out of descriptors or memory.
    pub fn create(name: &str, len: usize) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let fd = rustix::fs::memfd_create(name, flags)?;
        rustix::fs::ftruncate(&fd, len as u64)?;
        rustix::fs::fcntl_add_seals(&fd, SEALS)?;
        Self::map(fd)
    }

    /// Maps memory that another process created.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if its size is not sealed; otherwise the error of the system
    /// call.
    pub fn open(fd: OwnedFd) -> io::Result<Self> {
        let seals = rustix::fs::fcntl_get_seals(&fd)?;
        if !seals.contains(SealFlags::SHRINK) {
            let what = "the size of the memory is not sealed";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Self::map(fd)
    }

    fn map(fd: OwnedFd) -> io::Result<Self> {
        let len = usize::try_from(rustix::fs::fstat(&fd)?.st_size);
        let len = len.map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Self { mapping: Mapping::of_sealed(fd.as_fd(), len)?, fd })
    }

    /// The size in octets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mapping.len()
    }

    /// Always `false`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The 32-bit word at offset `at`.
    ///
    /// # Panics
    /// `at` is not a multiple of 4, or out of bounds.
    #[inline]
    #[must_use]
    pub fn u32_at(&self, at: usize) -> &AtomicU32 {
        self.mapping.u32_at(at)
    }

    /// The 64-bit word at offset `at`.
    ///
    /// # Panics
    /// `at` is not a multiple of 8, or out of bounds.
    #[inline]
    #[must_use]
    pub fn u64_at(&self, at: usize) -> &AtomicU64 {
        self.mapping.u64_at(at)
    }

    /// Prefetches the cache line at offset `at`, which another process has just written. Does
    /// nothing on processors without such an instruction.
    ///
    /// # Panics
    /// `at` is out of bounds.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        self.mapping.prefetch(at);
    }

    /// Copies the octets at offset `at` to `target`. If another process changes them meanwhile,
    /// each octet has its old or new value.
    ///
    /// # Panics
    /// The octets are out of bounds.
    #[inline]
    pub fn read(&self, at: usize, target: &mut [u8]) {
        count(target.len());
        self.mapping.read(at, target);
    }

    /// Copies `source` to offset `at`.
    ///
    /// # Panics
    /// The octets are out of bounds.
    #[inline]
    pub fn write(&self, at: usize, source: &[u8]) {
        count(source.len());
        self.mapping.write(at, source);
    }
}

impl SharedMemory {
    /// The address in this process, for comparisons only.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        self.mapping.address()
    }

    #[inline]
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }
}

impl AsFd for SharedMemory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl fmt::Debug for SharedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedMemory").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    fn pair(len: usize) -> (SharedMemory, SharedMemory) {
        let here = SharedMemory::create("zorb-test", len).unwrap();
        let there = SharedMemory::open(here.fd.try_clone().unwrap()).unwrap();
        (here, there)
    }

    #[test]
    fn octets_of_every_length_and_place_arrive() {
        const LEN: usize = 20_000;
        let (here, there) = pair(LEN);
        let text: Vec<u8> = (0..LEN).map(|n| (n * 7 + n / 251) as u8).collect();
        let lens = (0..300).chain([511, 512, 513, 2047, 2048, 4095, 4097, 9000, 15_001]);
        for len in lens {
            for at in [0, 1, 7, 63, 4093] {
                let source = &text[len % 13..][..len];
                here.write(at, source);
                let mut target = vec![0xEE; len + 2];
                there.read(at, &mut target[1..=len]);
                assert_eq!(&target[1..=len], source, "{len} at {at}");
                assert_eq!(
                    (target[0], target[len + 1]),
                    (0xEE, 0xEE),
                    "the read does not exceed its range"
                );
            }
        }
        // The write does not exceed its range either.
        here.write(0, &[0; LEN]);
        for len in [3, 70, 5000] {
            here.write(100, &vec![1; len]);
            let mut all = vec![9; LEN];
            there.read(0, &mut all);
            assert_eq!(all.iter().filter(|octet| **octet == 1).count(), len.max(1));
            assert_eq!((all[99], all[100], all[99 + len], all[100 + len]), (0, 1, 1, 0));
        }
    }

    #[test]
    fn prefetching_changes_nothing() {
        let (here, there) = pair(4096);
        here.write(4032, &[5; 64]);
        (0..4096).for_each(|at| there.prefetch(at));
        let mut target = [0; 64];
        there.read(4032, &mut target);
        assert_eq!(target, [5; 64]);
    }

    #[test]
    #[should_panic(expected = "outside the shared memory")]
    fn prefetching_out_of_bounds_panics() {
        let (here, _) = pair(4096);
        here.prefetch(4096);
    }

    #[test]
    fn words_are_seen_on_both_sides() {
        let (here, there) = pair(4096);
        here.u64_at(4088).store(u64::MAX - 1, Ordering::Release);
        assert_eq!(there.u64_at(4088).load(Ordering::Acquire), u64::MAX - 1);
        assert_eq!(there.u32_at(4092).load(Ordering::Acquire), u32::MAX);
        assert_eq!((here.len(), here.is_empty()), (4096, false));
    }

    #[test]
    fn accesses_out_of_bounds_panic() {
        let fails = |f: fn(&SharedMemory)| {
            let memory = SharedMemory::create("zorb-test", 4096).unwrap();
            let call = std::panic::AssertUnwindSafe(|| f(&memory));
            assert!(std::panic::catch_unwind(call).is_err());
        };
        fails(|memory| memory.read(4090, &mut [0; 7]));
        fails(|memory| memory.write(usize::MAX, &[0; 2]));
        fails(|memory| _ = memory.u32_at(4096));
        fails(|memory| _ = memory.u32_at(2));
        fails(|memory| _ = memory.u64_at(4092));
        fails(|memory| _ = memory.u64_at(usize::MAX - 7));
    }

    #[test]
    fn a_size_that_is_not_sealed_is_refused() {
        assert!(SharedMemory::create("zorb-test", 0).is_err());
        let memory = SharedMemory::create("zorb-test", 4096).unwrap();
        assert!(rustix::fs::ftruncate(&memory.fd, 0).is_err());
        assert!(rustix::fs::ftruncate(&memory.fd, 8192).is_err());
        for flags in [MemfdFlags::CLOEXEC, MemfdFlags::ALLOW_SEALING] {
            let open = rustix::fs::memfd_create("zorb-test", flags).unwrap();
            rustix::fs::ftruncate(&open, 4096).unwrap();
            assert_eq!(SharedMemory::open(open).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
        let file = std::fs::File::open("/proc/self/status").unwrap();
        assert!(SharedMemory::open(file.into()).is_err());
    }
}
