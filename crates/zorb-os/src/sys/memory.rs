//! Mapped memory that other processes may write at any time.

use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64};

use rustix::mm::{MapFlags, ProtFlags};

/// A file mapped for reading and writing. Other processes change it, so it is accessed only through
/// atomics and [`volatile`].
pub(crate) struct Mapping {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: the mapping belongs to no thread, and only `unsafe` functions return plain references
// into it.
unsafe impl Send for Mapping {}
// SAFETY: as above; concurrent accesses are atomic or volatile.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first `len` octets of a file of at least that size, which is sealed: access beyond
    /// the end of a file that has shrunk ends the process.
    pub(crate) fn of_sealed(file: BorrowedFd<'_>, len: usize) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the system chooses an unused address range.
        let base =
            unsafe { rustix::mm::mmap(ptr::null_mut(), len, access, MapFlags::SHARED, file, 0) }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, len })
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The address of `len` octets at offset `at`, all in bounds.
    #[inline]
    fn address_of(&self, at: usize, len: usize) -> *mut u8 {
        assert!(at <= self.len && len <= self.len - at, "outside the shared memory");
        // SAFETY: `at` is inside the mapping or just past its end.
        unsafe { self.base.as_ptr().add(at) }
    }

    #[inline]
    pub(crate) fn u32_at(&self, at: usize) -> &AtomicU32 {
        assert!(at.is_multiple_of(4), "a word is not aligned");
        let address = self.address_of(at, 4).cast();
        // SAFETY: the address is inside the mapping, which is page-aligned and lives as long as
        // `self`. Every bit pattern is a valid number. Other processes may change it at any time,
        // which is defined for atomics.
        unsafe { AtomicU32::from_ptr(address) }
    }

    #[inline]
    pub(crate) fn u64_at(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8), "a double word is not aligned");
        let address = self.address_of(at, 8).cast();
        // SAFETY: as for `u32_at`.
        unsafe { AtomicU64::from_ptr(address) }
    }

    /// The octets at offset `at`, in place.
    ///
    /// # Safety
    /// No other code writes to them while the slice exists.
    #[inline]
    pub(crate) unsafe fn octets(&self, at: usize, len: usize) -> &[u8] {
        let address = self.address_of(at, len);
        // SAFETY: `len` octets are mapped there as long as `self` lives; the rest is the caller's
        // contract.
        unsafe { std::slice::from_raw_parts(address, len) }
    }

    /// The octets at offset `at` for writing, in place.
    ///
    /// # Safety
    /// Nobody else in this process uses them, and no other process writes to them, while the slice
    /// exists.
    #[inline]
    #[allow(clippy::mut_from_ref)] // the caller's contract makes the access exclusive
    pub(crate) unsafe fn octets_mut(&self, at: usize, len: usize) -> &mut [u8] {
        let address = self.address_of(at, len);
        // SAFETY: `len` octets are mapped there as long as `self` lives; the rest is the caller's
        // contract.
        unsafe { std::slice::from_raw_parts_mut(address, len) }
    }

    #[inline]
    pub(crate) fn address(&self) -> usize {
        self.base.as_ptr().addr()
    }

    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        let address = self.address_of(at, 1);
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

            // SAFETY: a hint to the processor without a visible effect.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast::<i8>()) };
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = address;
    }

    #[inline]
    pub(crate) fn read(&self, at: usize, target: &mut [u8]) {
        let source = self.address_of(at, target.len());
        // SAFETY: `target.len()` octets are mapped at `source`. They do not overlap with `target`,
        // because no references into the mapping exist.
        unsafe { volatile::copy(source, target.as_mut_ptr(), target.len()) };
    }

    #[inline]
    pub(crate) fn write(&self, at: usize, source: &[u8]) {
        let target = self.address_of(at, source.len());
        // SAFETY: as for `read`, in the other direction.
        unsafe { volatile::copy(source.as_ptr(), target, source.len()) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by us, with this length; no reference into it outlives `self`.
        let unmapped = unsafe { rustix::mm::munmap(self.base.as_ptr().cast(), self.len) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}

/// Copies that the compiler does not optimize: each octet has the value at the time of the access.
/// On x86-64 they are written in assembly, elsewhere as volatile accesses of octets and aligned
/// words.
mod volatile {
    /// Copies `len` octets from `from` to `to`.
    ///
    /// # Safety
    /// `len` octets at both addresses are mapped, accessible, and do not overlap.
    #[inline]
    pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the same contract.
        unsafe { imp::copy(from, to, len) }
    }

    #[cfg(target_arch = "x86_64")]
    mod imp {
        use std::arch::asm;

        /// Octets per iteration of [`blocks`].
        const BLOCK: usize = 64;

        #[inline]
        pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
            let whole = len & !(BLOCK - 1);
            if whole > 0 {
                // SAFETY: the caller's contract, for the first octets.
                unsafe { blocks(from, to, whole) };
            }
            let rest = len - whole;
            if rest == 0 {
                return;
            }
            // SAFETY: in bounds, as `whole < len`.
            let from = unsafe { from.add(whole) };
            // SAFETY: as above.
            let to = unsafe { to.add(whole) };
            // SAFETY: the caller's contract, for the remaining octets.
            unsafe { few(from, to, rest) };
        }

        /// Copies `len` octets, a multiple of [`BLOCK`] and not 0.
        #[inline]
        unsafe fn blocks(from: *const u8, to: *mut u8, len: usize) {
            // SAFETY: reads and writes exactly the octets of the caller's contract. The direction
            // flag is not used, and the registers used are declared.
            unsafe {
                asm!(
                    "2:",
                    "movups {a}, [{from}]",
                    "movups {b}, [{from} + 16]",
                    "movups {c}, [{from} + 32]",
                    "movups {d}, [{from} + 48]",
                    "movups [{to}], {a}",
                    "movups [{to} + 16], {b}",
                    "movups [{to} + 32], {c}",
                    "movups [{to} + 48], {d}",
                    "add {from}, 64",
                    "add {to}, 64",
                    "sub {len}, 64",
                    "jnz 2b",
                    from = inout(reg) from => _,
                    to = inout(reg) to => _,
                    len = inout(reg) len => _,
                    a = out(xmm_reg) _,
                    b = out(xmm_reg) _,
                    c = out(xmm_reg) _,
                    d = out(xmm_reg) _,
                    options(nostack),
                );
            }
        }

        /// Copies `len` octets, 1 to 63.
        #[inline]
        unsafe fn few(from: *const u8, to: *mut u8, len: usize) {
            // SAFETY: reads and writes exactly the octets of the caller's contract: words of 8
            // octets as long as possible, then single octets.
            unsafe {
                asm!(
                    "sub {len}, 8",
                    "jc 3f",
                    "2:",
                    "mov {word}, [{from}]",
                    "mov [{to}], {word}",
                    "add {from}, 8",
                    "add {to}, 8",
                    "sub {len}, 8",
                    "jnc 2b",
                    "3:",
                    "add {len}, 8",
                    "jz 5f",
                    "4:",
                    "mov {word:l}, [{from}]",
                    "mov [{to}], {word:l}",
                    "inc {from}",
                    "inc {to}",
                    "dec {len}",
                    "jnz 4b",
                    "5:",
                    from = inout(reg) from => _,
                    to = inout(reg) to => _,
                    len = inout(reg) len => _,
                    word = out(reg_abcd) _,
                    options(nostack),
                );
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    mod imp {
        const WORD: usize = size_of::<u64>();

        #[inline]
        pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
            let mut done = 0;
            if from.align_offset(WORD) == to.align_offset(WORD) {
                let before = from.align_offset(WORD).min(len);
                // SAFETY: the caller's contract, for the first octets.
                unsafe { octets(from, to, before) };
                done = before;
                while len - done >= WORD {
                    // SAFETY: a whole word is left, so this is in bounds.
                    let source = unsafe { from.add(done) };
                    // SAFETY: as above.
                    let target = unsafe { to.add(done) };
                    // SAFETY: aligned, since `before` octets were skipped, and readable.
                    let word = unsafe { source.cast::<u64>().read_volatile() };
                    // SAFETY: aligned for the same reason, and writable.
                    unsafe { target.cast::<u64>().write_volatile(word) };
                    done += WORD;
                }
            }
            // SAFETY: in bounds or just past the end, as `done <= len`.
            let from = unsafe { from.add(done) };
            // SAFETY: as above.
            let to = unsafe { to.add(done) };
            // SAFETY: the caller's contract, for the remaining octets.
            unsafe { octets(from, to, len - done) };
        }

        #[inline]
        unsafe fn octets(from: *const u8, to: *mut u8, len: usize) {
            for at in 0..len {
                // SAFETY: in bounds, as `at < len`.
                let source = unsafe { from.add(at) };
                // SAFETY: as above.
                let target = unsafe { to.add(at) };
                // SAFETY: readable by the caller's contract.
                let octet = unsafe { source.read_volatile() };
                // SAFETY: writable by the caller's contract.
                unsafe { target.write_volatile(octet) };
            }
        }
    }
}
