//! The real-time side of an ORB.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_core::Orb;
use zorb_types::SystemException;

use super::setting::Settings;
use super::{NativePriority, PiMutex, Priority, PriorityModel, RtCurrent, ThreadpoolBuilder};

/// The real-time side of an ORB (`RTCORBA::RTORB`). Clones are the same.
#[derive(Clone, Debug)]
#[doc(alias = "RTORB")]
pub struct RtOrb {
    pub(crate) orb: Orb,
    pub(crate) settings: Arc<Settings>,
}

impl RtOrb {
    /// The real-time side of `orb`; `None` if none is attached. [`initial_local`](Orb::initial_local) returns it for
    /// the standard's name `RTORB`, too.
    #[doc(alias = "resolve_initial_references")]
    pub fn of(orb: &Orb) -> Option<Self> {
        Some(Self { orb: orb.clone(), settings: orb.attached()? })
    }

    /// The priority of the calling thread (the initial reference `RTCurrent`, for which
    /// [`initial_local`](Orb::initial_local) returns it, too).
    #[doc(alias = "RTCurrent")]
    pub fn current(&self) -> RtCurrent {
        RtCurrent::new(&self.settings)
    }

    /// The policy [`PriorityModel::client_propagated`].
    #[doc(alias = "create_priority_model_policy")]
    pub fn client_propagated(&self, default: Priority) -> PriorityModel {
        PriorityModel::client_propagated(default)
    }

    /// The policy [`PriorityModel::server_declared`].
    #[doc(alias = "create_priority_model_policy")]
    pub fn server_declared(&self, priority: Priority) -> PriorityModel {
        PriorityModel::server_declared(priority)
    }

    /// A builder of a thread pool. The name appears in messages and in the names of its threads.
    #[doc(alias = "create_threadpool")]
    pub fn threadpool(&self, name: &str) -> ThreadpoolBuilder<'_> {
        ThreadpoolBuilder::new(&self.orb, &self.settings, name)
    }

    /// A lock with priority inheritance (`create_mutex`).
    pub fn create_mutex(&self) -> PiMutex {
        PiMutex::new()
    }

    /// The native priority of a CORBA priority on this machine.
    ///
    /// # Errors
    /// `DATA_CONVERSION` (OMG 2) if it has none.
    pub fn to_native(&self, priority: Priority) -> Result<NativePriority, SystemException> {
        self.settings.to_native(priority)
    }

    /// The number of times that the system has denied a thread's priority since the real-time side was attached.
    pub fn denials(&self) -> u64 {
        self.settings.denials.load(Ordering::Relaxed)
    }

    /// The reason why the system does not permit this process to set the highest native priority of the mapping; `None`
    /// if it permits it. It tries to set the priority on a new thread.
    pub fn denial(&self) -> Option<String> {
        let mapping = &self.settings.mapping;
        // The mapping's highest native priority may belong to another than the highest CORBA priority.
        let mut known = (1..=NativePriority::MAX.0).rev().map(NativePriority);
        let highest = known.find(|native| mapping.to_corba(*native).is_some());
        let highest = highest.or_else(|| mapping.to_native(Priority::MAX));
        let native = highest.unwrap_or(NativePriority::MAX);
        let level = u8::try_from(native.0).unwrap_or_default().max(1);
        let tried = std::thread::spawn(move || {
            zorb_os::priority::set(zorb_os::priority::Schedule::Fifo(level))
        });
        match tried.join() {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!(
                "cannot set the priority SCHED_FIFO {level}: {error}; the process needs \
                 CAP_SYS_NICE or a limit RLIMIT_RTPRIO of {level}"
            )),
            Err(_) => Some("the thread that tries it panicked".to_owned()),
        }
    }
}
