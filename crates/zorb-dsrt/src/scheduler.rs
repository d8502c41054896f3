//! Schedulers of distributable threads.

use std::any::Any;
use std::cell::Cell;
use std::fmt;

use zorb_rt::{RtCurrent, SavedPriority};
use zorb_types::SystemException;

use super::parameters::Parameters;
use super::thread_id::ThreadId;

/// A scheduling point: a thread, and its scheduling parameters from there on.
#[derive(Clone, Copy, Debug)]
pub struct Point<'p> {
    /// The thread.
    pub id: ThreadId,
    /// The name of the innermost segment; `None` in an upcall before its first segment.
    pub name: Option<&'p str>,
    /// The parameters from now on; at the end of a segment, those of the enclosing one.
    pub parameters: Option<Parameters>,
    /// What the scheduler remembers of the thread.
    pub state: &'p SchedulerState,
}

/// What a scheduler remembers from one scheduling point of a thread to another: from the beginning of its outermost
/// segment, or of an upcall, to the end.
#[derive(Default)]
pub struct SchedulerState(Cell<Option<Box<dyn Any>>>);

impl SchedulerState {
    /// Remembers `value` instead of an earlier one.
    pub fn set<T: Any>(&self, value: T) {
        self.0.set(Some(Box::new(value)));
    }

    /// Takes what was remembered; `None` if it was nothing, or of another type.
    pub fn take<T: Any>(&self) -> Option<T> {
        self.0.take()?.downcast().ok().map(|value| *value)
    }
}

impl fmt::Debug for SchedulerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulerState").finish_non_exhaustive()
    }
}

/// Decides which distributable threads run (`RTScheduling::Scheduler`). Every method except [`cancel`](Self::cancel) is
/// called on the thread concerned; a method that blocks makes that thread wait.
///
/// An exception of a method is raised at the scheduling point. By default the methods do nothing.
pub trait Scheduler: fmt::Debug + Send + Sync + 'static {
    /// Its name (`scheduling_discipline_name`).
    fn scheduling_discipline_name(&self) -> &'static str;

    /// Whether it supports these parameters. If not, segments with them fail with
    /// `UNSUPPORTED_SCHEDULING_DISCIPLINE`, and requests with `INV_POLICY`.
    fn accepts(&self, parameters: &Parameters) -> bool;

    /// A thread becomes a distributable thread.
    ///
    /// # Errors
    /// The segment cannot begin or change.
    fn begin_new_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// A nested segment begins, or a segment in an upcall.
    ///
    /// # Errors
    /// The segment cannot begin or change.
    fn begin_nested_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// The parameters of the innermost segment change.
    ///
    /// # Errors
    /// The segment cannot begin or change.
    fn update_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// The outermost segment has ended, and with it the distributable thread.
    fn end_scheduling_segment(&self, point: &Point<'_>) {
        let _ = point;
    }

    /// A nested segment has ended, or a segment in an upcall.
    fn end_nested_scheduling_segment(&self, point: &Point<'_>) {
        let _ = point;
    }

    /// The thread is about to send a request.
    ///
    /// # Errors
    /// The call fails; [`receive_reply`](Self::receive_reply) is called nevertheless.
    fn send_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// A request of the thread has arrived; its upcall is about to begin.
    ///
    /// # Errors
    /// The request fails; [`send_reply`](Self::send_reply) is not called.
    fn receive_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// The upcall has ended, successfully or not (`send_reply`, `send_exception`, `send_other`).
    fn send_reply(&self, point: &Point<'_>) {
        let _ = point;
    }

    /// The request has ended, successfully or not (`receive_reply`, `receive_exception`, `receive_other`).
    ///
    /// # Errors
    /// The call fails with this exception instead of its result.
    fn receive_reply(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// A thread that is on this node, or has continued on another node from here, was cancelled. Called on the thread
    /// that cancels it.
    fn cancel(&self, id: &ThreadId) {
        let _ = id;
    }
}

/// Fixed priority (TAO's `FP_Scheduler`): segments have CORBA priorities, which are mapped to priorities of the
/// operating system's scheduler.
#[derive(Clone, Debug)]
pub struct FixedPriority {
    current: RtCurrent,
}

impl FixedPriority {
    /// A scheduler with the mapping of [`RtOrb::current`](zorb_rt::RtOrb::current).
    #[must_use]
    pub fn new(current: RtCurrent) -> Self {
        Self { current }
    }

    fn apply(&self, point: &Point<'_>) -> Result<(), SystemException> {
        match point.parameters {
            Some(Parameters::Priority(priority)) => self.current.set_priority(priority),
            _ => Ok(()),
        }
    }

    fn save_and_apply(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let saved = self.current.save();
        match self.apply(point) {
            Ok(()) => {
                point.state.set(saved);
                Ok(())
            }
            Err(exception) => {
                self.current.restore(saved);
                Err(exception)
            }
        }
    }

    /// Restores the priority that the thread had before it became distributable.
    fn restore(&self, point: &Point<'_>) {
        if let Some(saved) = point.state.take::<SavedPriority>() {
            self.current.restore(saved);
        }
    }
}

impl Scheduler for FixedPriority {
    fn scheduling_discipline_name(&self) -> &'static str {
        "fixed priority"
    }

    fn accepts(&self, parameters: &Parameters) -> bool {
        matches!(parameters, Parameters::Priority(_))
    }

    fn begin_new_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.save_and_apply(point)
    }

    fn begin_nested_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.apply(point)
    }

    fn update_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.apply(point)
    }

    fn end_scheduling_segment(&self, point: &Point<'_>) {
        self.restore(point);
    }

    fn end_nested_scheduling_segment(&self, point: &Point<'_>) {
        // It cannot fail: the thread had this priority before.
        let _ = self.apply(point);
    }

    fn receive_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.save_and_apply(point)
    }

    fn send_reply(&self, point: &Point<'_>) {
        self.restore(point);
    }
}
