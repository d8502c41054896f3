//! Giving threads their native priorities, and what happens where the system forbids it.

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

/// What to do where the system does not let the process set a priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Denied {
    /// Run at whatever priority the thread has, and count it.
    #[default]
    Run,
    /// Refuse, with `NO_PERMISSION`: setting a thread's priority, and requests before their upcalls.
    Refuse,
}

/// How the system schedules real-time threads of one priority among each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SchedulingPolicy {
    /// One after the other, each until it waits (`SCHED_FIFO`).
    #[default]
    Fifo,
    /// In turns (`SCHED_RR`).
    RoundRobin,
}

/// What all parts of one real-time ORB share.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) mapping: Arc<dyn PriorityMapping>,
    pub(crate) transform: Option<Arc<dyn PriorityTransform>>,
    pub(crate) denied: Denied,
    pub(crate) scheduling: SchedulingPolicy,
    /// The highest priority that clients may ask for.
    pub(crate) most: Priority,
    /// Whether threads of pools touch their stacks before they serve.
    pub(crate) prefault: bool,
    /// How often the system has said no.
    pub(crate) denials: AtomicU64,
    /// Locks with names.
    pub(crate) mutexes: Lock<HashMap<String, Arc<PiMutex>>>,
    /// Pools that options describe, once they have been asked for.
    pub(crate) pools: Lock<HashMap<String, WeakPool>>,
}

/// What a thread has been given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// `None` until one is set.
    pub(crate) priority: Option<Priority>,
    native: Option<NativePriority>,
}

impl Given {
    /// Whether the thread has this priority and is scheduled by it.
    #[inline]
    pub(crate) fn is_at(self, priority: Priority) -> bool {
        self.priority == Some(priority) && self.native.is_some()
    }
}

thread_local! {
    static GIVEN: Cell<Given> = const { Cell::new(Given { priority: None, native: None }) };
    /// How the thread was scheduled before it was first given a priority.
    static BEGAN: Cell<Option<Schedule>> = const { Cell::new(None) };
}

/// What the calling thread has been given.
pub(crate) fn given() -> Given {
    GIVEN.get()
}

impl Settings {
    /// The native priority of a CORBA priority.
    pub(crate) fn to_native(&self, priority: Priority) -> Result<NativePriority, SystemException> {
        self.mapping.to_native(priority).ok_or_else(not_mapped)
    }

    /// Gives the calling thread a priority. Costs no system call when its native one stays.
    pub(crate) fn give(&self, priority: Priority) -> Result<(), SystemException> {
        let native = self.to_native(priority)?;
        self.schedule(native)?;
        GIVEN.set(Given { priority: Some(priority), native: Some(native) });
        Ok(())
    }

    /// As [`give`](Self::give); a priority that is invalid or not permitted has no effect.
    pub(crate) fn try_give(&self, priority: i16) {
        if let Ok(priority) = Priority::new(priority) {
            let _ = self.give(priority);
        }
    }

    /// As [`give`](Self::give), for a thread whose native priority others may have changed.
    pub(crate) fn give_again(&self, priority: Priority) -> Result<(), SystemException> {
        let unknown = Given { priority: given().priority, native: None };
        GIVEN.set(unknown);
        self.give(priority)
    }

    /// Has another thread of the process be scheduled at a priority, until it gives itself another.
    pub(crate) fn raise(&self, thread: u32, priority: Priority) {
        let native = self.mapping.to_native(priority);
        if let Some(schedule) = native.and_then(|native| self.schedule_of(native))
            && let Err(error) = priority::set_of(thread, schedule)
        {
            // It raises itself before it serves a request, and then that fails or is refused.
            let _ = self.deny(schedule, &error);
        }
    }

    /// Gives the calling thread back what it had.
    pub(crate) fn give_back(&self, before: Given) {
        if before.native != GIVEN.get().native {
            let schedule = match before.native {
                Some(native) => self.schedule_of(native),
                None => BEGAN.get(),
            };
            // Allowed before, it is allowed now; and where it was denied, nothing has changed.
            let _ = schedule.map(priority::set);
        }
        GIVEN.set(before);
    }

    fn schedule_of(&self, native: NativePriority) -> Option<Schedule> {
        Some(match (u8::try_from(native.0).ok()?, self.scheduling) {
            (0, _) => Schedule::Shared,
            (level, SchedulingPolicy::Fifo) => Schedule::Fifo(level),
            (level, SchedulingPolicy::RoundRobin) => Schedule::RoundRobin(level),
        })
    }

    fn schedule(&self, native: NativePriority) -> Result<(), SystemException> {
        let known = GIVEN.get().native;
        if known == Some(native) {
            return Ok(());
        }
        if known.is_none() && BEGAN.get().is_none() {
            BEGAN.set(priority::current().ok());
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
            tracing::warn!(%schedule, %error, "threads cannot be given their priorities: {needs}");
        }
        match self.denied {
            Denied::Run => Ok(()),
            Denied::Refuse => {
                let code = minor::no_permission::PRIORITY_DENIED;
                let exception = SystemException::no_permission(code, CompletionStatus::No);
                let what = format!("a thread cannot be given {schedule}: {error}");
                Err(Error::new(Phase::Application, what).with_hint(needs).into_exception(exception))
            }
        }
    }
}

/// The exception for a priority without a counterpart.
#[cold]
pub(crate) fn not_mapped() -> SystemException {
    SystemException::data_conversion(
        minor::data_conversion::PRIORITY_NOT_MAPPED,
        CompletionStatus::No,
    )
}
