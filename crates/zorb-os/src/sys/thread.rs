//! Threads.

use std::cell::Cell;
use std::ffi::CStr;
use std::io;
use std::mem::size_of_val;

use super::check;

/// A set of processors as bits, as the system expects it.
pub(crate) type ProcessorMask = [libc::c_ulong; 1024 / libc::c_ulong::BITS as usize];

thread_local! {
    /// The thread's id, cached after the first system call; 0 before it.
    static ID: Cell<u32> = const { Cell::new(0) };
}

/// The system's id of the calling thread, as shown by tools such as `top -H`. The first call of
/// each thread makes a system call, the others read a thread-local variable.
#[inline]
#[must_use]
pub fn id() -> u32 {
    match ID.get() {
        0 => query_id(),
        id => id,
    }
}

#[cold]
fn query_id() -> u32 {
    // SAFETY: takes no arguments and cannot fail.
    let id = unsafe { libc::gettid() }.cast_unsigned();
    ID.set(id);
    id
}

/// Runs `work` on a thread that the system starts, without Rust's standard library, and waits until it has ended. A panic
/// of `work` ends the process.
///
/// # Errors
/// The thread cannot be started.
pub(crate) fn run_on_foreign<F: FnOnce() + Send>(work: F) -> io::Result<()> {
    extern "C" fn run<F: FnOnce()>(work: *mut libc::c_void) -> *mut libc::c_void {
        // SAFETY: points to the `work` below, which outlives the thread and which no other thread uses meanwhile.
        let work = unsafe { &mut *work.cast::<Option<F>>() };
        work.take().into_iter().for_each(|work| work());
        std::ptr::null_mut()
    }
    let mut work = Some(work);
    let mut thread = std::mem::MaybeUninit::uninit();
    let argument = (&raw mut work).cast();
    // SAFETY: `thread` is writable, and `run` takes this argument, which outlives the thread.
    let failed =
        unsafe { libc::pthread_create(thread.as_mut_ptr(), std::ptr::null(), run::<F>, argument) };
    if failed != 0 {
        return Err(io::Error::from_raw_os_error(failed));
    }
    // SAFETY: the call has set it.
    let thread = unsafe { thread.assume_init() };
    // SAFETY: the thread exists, and nobody else joins or detaches it.
    match unsafe { libc::pthread_join(thread, std::ptr::null_mut()) } {
        0 => Ok(()),
        // The thread still uses `work`.
        _ => std::process::abort(),
    }
}

/// The page faults of the calling thread: minor and major.
pub(crate) fn own_page_faults() -> io::Result<[libc::c_long; 2]> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is writable and of the type that the call fills.
    check(unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) })?;
    // SAFETY: a structure of numbers, all of which were zero before the call filled them.
    let usage = unsafe { usage.assume_init() };
    Ok([usage.ru_minflt, usage.ru_majflt])
}

/// Sets the name of the calling thread; the system truncates it to 15 bytes.
pub(crate) fn set_name(name: &CStr) -> io::Result<()> {
    // SAFETY: `name` is a C string that outlives the call, which copies it.
    check(unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) })?;
    Ok(())
}

/// Restricts the calling thread to the processors of `mask`.
pub(crate) fn set_affinity(mask: &ProcessorMask) -> io::Result<()> {
    let source = mask.as_ptr().cast();
    // SAFETY: `source` points to `size_of_val(mask)` bytes, aligned like cpu_set_t, which consists
    // of the same words; 0 means the calling thread.
    check(unsafe { libc::sched_setaffinity(0, size_of_val(mask), source) })?;
    Ok(())
}

/// The processors that `thread` may use; 0 for the calling thread.
pub(crate) fn affinity(thread: libc::pid_t) -> io::Result<ProcessorMask> {
    let mut mask = ProcessorMask::default();
    let target = mask.as_mut_ptr().cast();
    // SAFETY: `target` points to `size_of_val(&mask)` writable bytes, aligned like cpu_set_t; the
    // thread is passed by number.
    check(unsafe { libc::sched_getaffinity(thread, size_of_val(&mask), target) })?;
    Ok(mask)
}

/// Sets the scheduling policy and priority of `thread`; 0 for the calling thread.
pub(crate) fn set_schedule(
    thread: libc::pid_t,
    policy: libc::c_int,
    priority: libc::c_int,
) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: `parameters` outlives the call, which only reads it; the thread is passed by number.
    check(unsafe { libc::sched_setscheduler(thread, policy, &raw const parameters) })?;
    Ok(())
}

/// Schedules the calling thread by deadlines; times in nanoseconds.
pub(crate) fn set_deadline(runtime: u64, deadline: u64, period: u64) -> io::Result<()> {
    let attributes = libc::sched_attr {
        size: u32::try_from(size_of::<libc::sched_attr>()).unwrap_or_default(),
        sched_policy: libc::SCHED_DEADLINE.cast_unsigned(),
        // SCHED_FLAG_RESET_ON_FORK: a thread with a deadline may not start others without it.
        sched_flags: 1,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: runtime,
        sched_deadline: deadline,
        sched_period: period,
    };
    let source = &raw const attributes;
    // SAFETY: `source` points to a live structure that contains its own size and is only read; 0
    // means the calling thread, and there are no flags.
    if unsafe { libc::syscall(libc::SYS_sched_setattr, 0, source, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The scheduling policy and priority of `thread`; 0 for the calling thread.
pub(crate) fn schedule(thread: libc::pid_t) -> io::Result<(libc::c_int, libc::c_int)> {
    // SAFETY: takes a number.
    let policy = check(unsafe { libc::sched_getscheduler(thread) })?;
    let mut parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: `parameters` is writable and of the type that the call fills; the thread is passed by
    // number.
    check(unsafe { libc::sched_getparam(thread, &raw mut parameters) })?;
    Ok((policy, parameters.sched_priority))
}
