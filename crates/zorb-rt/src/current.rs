//! The priority of threads.

use std::sync::Arc;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::setting::{Given, Settings, given};
use super::{Deadline, Priority, in_time};

/// What a thread's priority was, of [`RtCurrent::hold`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldPriority(Given);

/// The priority of the calling thread (`RTCORBA::Current`, the initial reference `RTCurrent`).
///
/// Every method is about the calling thread. In an upcall of an adapter with a
/// [`PriorityModel`](super::PriorityModel) it is the priority that the upcall runs at; the thread has
/// the one it had before again when the upcall has ended.
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
    /// `INITIALIZE` when it has not been given one.
    #[doc(alias = "the_priority")]
    pub fn priority(&self) -> Result<Priority, SystemException> {
        given().priority.ok_or_else(|| {
            SystemException::initialize(minor::initialize::PRIORITY_NOT_SET, CompletionStatus::No)
        })
    }

    /// By when the client of the request that the thread serves has to have its reply
    /// (`ReplyEndTimePolicy`), in upcalls of an adapter with the policy
    /// [`ServeInTime`](super::ServeInTime), and where the client tells it; `None` elsewhere. A servant may
    /// leave undone what cannot be done until then.
    pub fn reply_wanted_by(&self) -> Option<Deadline> {
        in_time::wanted()
    }

    /// What the thread has been given so far, to be restored later on the same thread.
    pub fn hold(&self) -> HeldPriority {
        HeldPriority(given())
    }

    /// Gives the thread back what it had.
    pub fn restore(&self, held: HeldPriority) {
        self.settings.give_back(held.0);
    }

    /// Gives the thread a CORBA priority, and with it the native one that the mapping makes of it.
    ///
    /// # Errors
    /// `DATA_CONVERSION` (OMG 2) for a priority without a native one; `NO_PERMISSION` where the system
    /// forbids it and [`Denied::Refuse`](super::Denied::Refuse) is set.
    pub fn set_priority(&self, priority: Priority) -> Result<(), SystemException> {
        self.settings.give(priority)
    }
}
