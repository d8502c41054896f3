//! The distributable thread that a thread of the program currently executes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use zorb_giop::Ior;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::node::Node;
use super::parameters::Parameters;
use super::scheduler::{Point, SchedulerState};
use super::thread_entry::ThreadEntry;

/// A scheduling segment that began on this node.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) parameters: Option<Parameters>,
    pub(crate) implicit: Option<Parameters>,
}

/// The execution of a distributable thread by a thread of this program: an upcall, or its outermost segment.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) node: Arc<Node>,
    pub(crate) entry: Arc<ThreadEntry>,
    /// The parameters that its request carried.
    received: Option<Parameters>,
    /// Whether the distributable thread began here.
    pub(crate) is_origin: bool,
    pub(crate) segments: RefCell<Vec<Segment>>,
    /// Whether it has sent a request that has not ended yet.
    calling: Cell<bool>,
    /// What the scheduler remembers of it.
    state: SchedulerState,
}

thread_local! {
    /// The visits of this thread, the innermost last; `None` for an upcall outside distributable threads.
    static VISITS: RefCell<Vec<Option<Rc<Visit>>>> = const { RefCell::new(Vec::new()) };
}

/// The innermost visit of the calling thread, if it is part of a distributable thread.
pub(crate) fn current_visit() -> Option<Rc<Visit>> {
    // A thread that ends may have dropped them.
    VISITS.try_with(|visits| visits.borrow().last().cloned().flatten()).ok().flatten()
}

/// Makes a visit the innermost one until this is dropped.
pub(crate) struct Entered;

impl Entered {
    pub(crate) fn new(visit: Option<Rc<Visit>>) -> Self {
        VISITS.with_borrow_mut(|visits| visits.push(visit));
        Self
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        VISITS.with_borrow_mut(Vec::pop);
    }
}

/// Ends the visit that began with a segment.
pub(crate) fn leave() {
    drop(Entered);
}

impl Visit {
    /// Begins a visit of the thread with this id.
    pub(crate) fn new(
        node: &Arc<Node>,
        id: super::ThreadId,
        received: Option<Parameters>,
        is_origin: bool,
    ) -> Rc<Self> {
        let entry = node.begin_visit(id);
        Rc::new(Self {
            node: Arc::clone(node),
            entry,
            received,
            is_origin,
            segments: RefCell::default(),
            calling: Cell::new(false),
            state: SchedulerState::default(),
        })
    }

    /// The parameters in effect.
    pub(crate) fn parameters(&self) -> Option<Parameters> {
        let innermost = self.segments.borrow().last().map(|segment| segment.parameters);
        innermost.unwrap_or(self.received)
    }

    /// The parameters that requests carry: the segment's implicit ones, or those in effect.
    pub(crate) fn request_parameters(&self) -> Option<Parameters> {
        let implicit = self.segments.borrow().last().and_then(|segment| segment.implicit);
        implicit.or_else(|| self.parameters())
    }

    pub(crate) fn implicit(&self) -> Option<Parameters> {
        self.segments.borrow().last().and_then(|segment| segment.implicit)
    }

    /// Calls the scheduler at a scheduling point. It may block; this visit is not borrowed in the meantime.
    pub(crate) fn notify_scheduler<T>(&self, call: impl FnOnce(&Point<'_>) -> T) -> T {
        let name = self.segments.borrow().last().map(|segment| segment.name.clone());
        let parameters = self.parameters();
        call(&Point { id: self.entry.id, name: name.as_deref(), parameters, state: &self.state })
    }

    /// Raises `THREAD_CANCELLED` if the thread has been cancelled.
    pub(crate) fn check(&self, completed: CompletionStatus) -> Result<(), SystemException> {
        if self.entry.is_cancelled() { Err(cancelled(completed)) } else { Ok(()) }
    }

    /// The scheduling point before a request to `target`.
    pub(crate) fn send_request(&self, target: &Ior) -> Result<(), SystemException> {
        self.check(CompletionStatus::No)?;
        let mut scheduled = Ok(());
        if !self.calling.replace(true) {
            self.entry.push_target(target);
            scheduled = self.notify_scheduler(|point| self.node.scheduler.send_request(point));
        }
        // It may have been cancelled before the target was added.
        scheduled
            .and_then(|()| self.check(CompletionStatus::No))
            .or_else(|exception| self.receive_reply().and(Err(exception)))
    }

    /// The scheduling point after a request; does nothing if none was sent.
    pub(crate) fn receive_reply(&self) -> Result<(), SystemException> {
        if !self.calling.replace(false) {
            return Ok(());
        }
        self.entry.pop_target();
        self.notify_scheduler(|point| self.node.scheduler.receive_reply(point))?;
        self.check(CompletionStatus::Maybe)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.node.end_visit(&self.entry.id);
    }
}

/// The exception for a cancelled thread.
#[cold]
pub(crate) fn cancelled(completed: CompletionStatus) -> SystemException {
    SystemException::thread_cancelled(minor::thread_cancelled::CANCELLED, completed)
}
