//! The priority of the calling thread.

use std::sync::Arc;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::Priority;
use super::setting::{Settings, ThreadPriority, thread_priority};

/// A saved priority of a thread, from [`RtCurrent::save`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedPriority(ThreadPriority);

/// The priority of the calling thread (`RTCORBA::Current`, the initial reference `RTCurrent`).
///
/// All methods apply to the calling thread. In an upcall of an adapter with a
/// [`PriorityModel`](super::PriorityModel) it is the priority of the upcall; the thread's former priority
/// is restored afterwards.
#[derive(Clone, Debug)]
#[doc(alias = "RTCurrent")]
pub struct RtCurrent {
    settings: Arc<Settings>,
}

impl RtCurrent {
    pub(crate) fn new(settings: &Arc<Settings>) -> Self {
        Self { settings: Arc::clone(settings) }
    }

    /// The thread's CORBA priority (`the_priority`).
    ///
    /// # Errors
    /// `INITIALIZE` if none has been set.
    #[doc(alias = "the_priority")]
    pub fn priority(&self) -> Result<Priority, SystemException> {
        thread_priority().priority().ok_or_else(|| {
            SystemException::initialize(minor::initialize::PRIORITY_NOT_SET, CompletionStatus::No)
        })
    }

    /// Saves the thread's priority, for [`restore`](Self::restore) on the same thread.
    pub fn save(&self) -> SavedPriority {
        SavedPriority(thread_priority())
    }

    /// Restores a saved priority.
    pub fn restore(&self, saved: SavedPriority) {
        self.settings.restore_priority(saved.0);
    }

    /// Sets the thread's CORBA priority, and its native priority by the mapping.
    ///
    /// # Errors
    /// `DATA_CONVERSION` (OMG 2) for a priority without a native one; `NO_PERMISSION` if the system does not permit it
    /// and [`Denied::Refuse`](super::Denied::Refuse) is set.
    pub fn set_priority(&self, priority: Priority) -> Result<(), SystemException> {
        self.settings.set_priority(priority)
    }
}
