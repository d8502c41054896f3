//! Clocks.

/// The processor's cycle counter, which has a constant rate.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn ticks() -> u64 {
    // SAFETY: reading the counter does not access memory, and every x86-64 has it. If the system
    // disables it, the instruction ends the process; Linux does so only at the program's request.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The monotonic clock, on processors without a known cycle counter.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn ticks() -> u64 {
    monotonic_nanos()
}

/// The monotonic clock in nanoseconds since a moment before the process started.
pub(crate) fn monotonic_nanos() -> u64 {
    nanos(libc::CLOCK_MONOTONIC)
}

/// The monotonic clock as of the system's last tick.
pub(crate) fn coarse_monotonic_nanos() -> u64 {
    nanos(libc::CLOCK_MONOTONIC_COARSE)
}

/// The processor time used by the calling thread.
pub(crate) fn thread_nanos() -> u64 {
    nanos(libc::CLOCK_THREAD_CPUTIME_ID)
}

#[inline]
fn nanos(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a timespec that the call may write. It cannot fail: these clocks exist on
    // every Linux, and the pointer is valid.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos)
}
