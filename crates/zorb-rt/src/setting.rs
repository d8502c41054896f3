//! The settings of a real-time ORB, and the native priorities of threads.

use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_core::lanes::WeakPool;
use zorb_core::{Error, Phase};
use zorb_os::lock::Lock;
use zorb_os::priority::{self, Schedule};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{NativePriority, PiMutex, Priority, PriorityMapping, PriorityTransform};

/// What happens if the system does not permit the process to set a priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Denied {
    /// The thread keeps its priority, and the denial is counted.
    #[default]
    Run,
    /// Setting a thread's priority, and requests whose upcalls need it, fail with `NO_PERMISSION`.
    Refuse,
}

/// How the system schedules real-time threads of the same priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchedulingPolicy {
    /// First in, first out: each runs until it blocks (`SCHED_FIFO`).
    #[default]
    Fifo,
    /// Round robin, with time slices (`SCHED_RR`).
    RoundRobin,
}

/// The state that all parts of one real-time ORB share.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) mapping: Arc<dyn PriorityMapping>,
    pub(crate) transform: Option<Arc<dyn PriorityTransform>>,
    pub(crate) denied: Denied,
    pub(crate) scheduling: SchedulingPolicy,
    /// The maximum priority that clients can cause.
    pub(crate) max_client_priority: Priority,
    /// Whether threads of pools prefault their stacks.
    pub(crate) prefault: bool,
    /// The number of times that the system has denied a priority.
    pub(crate) denials: AtomicU64,
    /// Named locks.
    pub(crate) mutexes: Lock<HashMap<String, Arc<PiMutex>>>,
    /// Created pools that options describe.
    pub(crate) pools: Lock<HashMap<String, WeakPool>>,
}

/// The priority of a thread. In numbers, which requests compare twice: with options it is 1 % of a request in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadPriority {
    priority: i32,
    native: i32,
}

impl ThreadPriority {
    /// The number of a priority that has not been set.
    const NONE: i32 = i32::MIN;

    const UNSET: Self = Self { priority: Self::NONE, native: Self::NONE };

    fn new(priority: Priority, native: NativePriority) -> Self {
        Self { priority: priority.value().into(), native: native.0.into() }
    }

    /// The CORBA priority; `None` until one is set.
    pub(crate) fn priority(self) -> Option<Priority> {
        i16::try_from(self.priority).ok().and_then(|value| Priority::new(value).ok())
    }

    /// The native priority; `None` if it is not known.
    fn native(self) -> Option<NativePriority> {
        i16::try_from(self.native).ok().map(NativePriority)
    }

    /// Whether the thread has this priority and is scheduled by it.
    pub(crate) fn is_at(self, priority: Priority) -> bool {
        self.priority == i32::from(priority.value()) && self.native != Self::NONE
    }
}

thread_local! {
    static CURRENT: Cell<ThreadPriority> = const { Cell::new(ThreadPriority::UNSET) };
    /// The schedule of the thread before its priority was first set.
    static INITIAL: Cell<Option<Schedule>> = const { Cell::new(None) };
}

/// The priority of the calling thread.
pub(crate) fn thread_priority() -> ThreadPriority {
    CURRENT.get()
}

impl Settings {
    /// The native priority of a CORBA priority.
    pub(crate) fn to_native(&self, priority: Priority) -> Result<NativePriority, SystemException> {
        self.mapping.to_native(priority).ok_or_else(not_mapped)
    }

    /// Sets the priority of the calling thread, without a system call if its native one does not change.
    pub(crate) fn set_priority(&self, priority: Priority) -> Result<(), SystemException> {
        let native = self.to_native(priority)?;
        self.schedule(native)?;
        CURRENT.set(ThreadPriority::new(priority, native));
        Ok(())
    }

    /// Like [`set_priority`](Self::set_priority), but ignores a priority that is invalid or not permitted.
    pub(crate) fn try_set_priority(&self, priority: i16) {
        if let Ok(priority) = Priority::new(priority) {
            let _ = self.set_priority(priority);
        }
    }

    /// Like [`set_priority`](Self::set_priority), for a thread whose native priority another thread may have
    /// changed.
    pub(crate) fn reset_priority(&self, priority: Priority) -> Result<(), SystemException> {
        CURRENT.set(ThreadPriority { native: ThreadPriority::NONE, ..thread_priority() });
        self.set_priority(priority)
    }

    /// Sets the native priority of another thread of the process, until that thread sets its own.
    pub(crate) fn raise(&self, thread: u32, priority: Priority) {
        let native = self.mapping.to_native(priority);
        if let Some(schedule) = native.and_then(|native| self.schedule_of(native))
            && let Err(error) = priority::set_of(thread, schedule)
        {
            // It sets its priority before it serves a request, and reports a failure then.
            let _ = self.deny(schedule, &error);
        }
    }

    /// Restores the priority of the calling thread.
    pub(crate) fn restore_priority(&self, before: ThreadPriority) {
        if CURRENT.get() != before {
            self.restore_changed(before);
        }
    }

    #[cold]
    fn restore_changed(&self, before: ThreadPriority) {
        if before.native != CURRENT.get().native {
            let schedule = match before.native() {
                Some(native) => self.schedule_of(native),
                None => INITIAL.get(),
            };
            // It was permitted before. If it was denied, the priority has not changed.
            let _ = schedule.map(priority::set);
        }
        CURRENT.set(before);
    }

    fn schedule_of(&self, native: NativePriority) -> Option<Schedule> {
        Some(match (u8::try_from(native.0).ok()?, self.scheduling) {
            (0, _) => Schedule::Shared,
            (level, SchedulingPolicy::Fifo) => Schedule::Fifo(level),
            (level, SchedulingPolicy::RoundRobin) => Schedule::RoundRobin(level),
        })
    }

    fn schedule(&self, native: NativePriority) -> Result<(), SystemException> {
        let known = CURRENT.get().native();
        if known == Some(native) {
            return Ok(());
        }
        if known.is_none() && INITIAL.get().is_none() {
            INITIAL.set(priority::current().ok());
        }
        let schedule = self.schedule_of(native).ok_or_else(not_mapped)?;
        match priority::set(schedule) {
            Ok(()) => Ok(()),
            Err(error) => self.deny(schedule, &error),
        }
    }

    #[cold]
    fn deny(&self, schedule: Schedule, error: &io::Error) -> Result<(), SystemException> {
        let needs = "the process needs CAP_SYS_NICE or a limit RLIMIT_RTPRIO; see `zorb rt check`";
        if self.denials.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(%schedule, %error, "cannot set thread priorities: {needs}");
        }
        match self.denied {
            Denied::Run => Ok(()),
            Denied::Refuse => {
                let code = minor::no_permission::PRIORITY_DENIED;
                let exception = SystemException::no_permission(code, CompletionStatus::No);
                let what = format!("cannot set the priority {schedule}: {error}");
                Err(Error::new(Phase::Application, what).with_hint(needs).into_exception(exception))
            }
        }
    }
}

/// The exception for a priority that cannot be mapped.
#[cold]
pub(crate) fn not_mapped() -> SystemException {
    SystemException::data_conversion(
        minor::data_conversion::PRIORITY_NOT_MAPPED,
        CompletionStatus::No,
    )
}
