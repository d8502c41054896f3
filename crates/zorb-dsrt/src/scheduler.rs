//! Schedulers: who runs, told of every step of distributable threads.

use std::cell::RefCell;
use std::fmt;

use zorb_rt::{HeldPriority, RtCurrent};
use zorb_types::SystemException;

use super::parameters::Parameters;
use super::thread_id::ThreadId;

/// A scheduling point: which thread is there, and what holds for it from there on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<'p> {
    /// The thread.
    pub id: ThreadId,
    /// The innermost segment's name; none between a request's arrival and its first segment.
    pub name: Option<&'p str>,
    /// What holds from now on; where a segment ends, that of the one around it.
    pub parameters: Option<Parameters>,
}

/// Says which distributable threads run (`RTScheduling::Scheduler`). Every method is called on the
/// thread that it is about, but for [`cancel`](Self::cancel); one that waits makes that thread wait.
///
/// An exception from a method is raised at its point. By default nothing is done.
pub trait Scheduler: fmt::Debug + Send + Sync + 'static {
    /// Its name (`scheduling_discipline_name`).
    fn scheduling_discipline_name(&self) -> &'static str;

    /// Whether it knows what to do with such parameters; else they are refused with
    /// `UNSUPPORTED_SCHEDULING_DISCIPLINE`, and requests that carry them with `INV_POLICY`.
    fn accepts(&self, parameters: &Parameters) -> bool;

    /// A thread becomes a distributable one.
    ///
    /// # Errors
    /// What keeps it from that.
    fn begin_new_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// A segment begins inside another, or inside an upcall.
    ///
    /// # Errors
    /// What keeps it from that.
    fn begin_nested_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// The innermost segment has other parameters from now on.
    ///
    /// # Errors
    /// What keeps it from that.
    fn update_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// The outermost segment has ended: the thread is no distributable one any more.
    fn end_scheduling_segment(&self, point: &Point<'_>) {
        let _ = point;
    }

    /// A segment has ended inside another, or inside an upcall.
    fn end_nested_scheduling_segment(&self, point: &Point<'_>) {
        let _ = point;
    }

    /// The thread is about to send a request.
    ///
    /// # Errors
    /// What keeps it from that; [`receive_reply`](Self::receive_reply) follows all the same.
    fn send_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// A request of the thread has arrived; its upcall is about to begin.
    ///
    /// # Errors
    /// What the request is answered with instead; [`send_reply`](Self::send_reply) does not follow.
    fn receive_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// The upcall has ended, well or not (`send_reply`, `send_exception`, `send_other`).
    fn send_reply(&self, point: &Point<'_>) {
        let _ = point;
    }

    /// The request has ended, well or not (`receive_reply`, `receive_exception`, `receive_other`).
    ///
    /// # Errors
    /// What is raised instead of its outcome.
    fn receive_reply(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let _ = point;
        Ok(())
    }

    /// A thread that is here, or has gone on from here, has been cancelled. Called on the thread that
    /// cancels it.
    fn cancel(&self, id: &ThreadId) {
        let _ = id;
    }
}

/// Fixed priority (TAO's `FP_Scheduler`): segments have CORBA priorities, at which the system's own
/// scheduler runs them.
#[derive(Clone, Debug)]
pub struct FixedPriority {
    current: RtCurrent,
}

thread_local! {
    /// What threads had before they became distributable, the outermost first.
    static HELD: RefCell<Vec<HeldPriority>> = const { RefCell::new(Vec::new()) };
}

impl FixedPriority {
    /// With the mapping of [`RtOrb::current`](zorb_rt::RtOrb::current).
    #[must_use]
    pub fn new(current: RtCurrent) -> Self {
        Self { current }
    }

    fn give(&self, point: &Point<'_>) -> Result<(), SystemException> {
        match point.parameters {
            Some(Parameters::Priority(priority)) => self.current.set_priority(priority),
            _ => Ok(()),
        }
    }

    fn take_over(&self, point: &Point<'_>) -> Result<(), SystemException> {
        let held = self.current.hold();
        match self.give(point) {
            Ok(()) => {
                HELD.with_borrow_mut(|stack| stack.push(held));
                Ok(())
            }
            Err(exception) => {
                self.current.restore(held);
                Err(exception)
            }
        }
    }

    fn give_back(&self) {
        if let Some(held) = HELD.with_borrow_mut(Vec::pop) {
            self.current.restore(held);
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
        self.take_over(point)
    }

    fn begin_nested_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.give(point)
    }

    fn update_scheduling_segment(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.give(point)
    }

    fn end_scheduling_segment(&self, _: &Point<'_>) {
        self.give_back();
    }

    fn end_nested_scheduling_segment(&self, point: &Point<'_>) {
        // It had that priority before, so that it may have it.
        let _ = self.give(point);
    }

    fn receive_request(&self, point: &Point<'_>) -> Result<(), SystemException> {
        self.take_over(point)
    }

    fn send_reply(&self, _: &Point<'_>) {
        self.give_back();
    }
}
