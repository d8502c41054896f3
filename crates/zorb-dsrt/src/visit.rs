//! The distributable thread that a thread of the program is at the moment.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use zorb_giop::Ior;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::node::Node;
use super::parameters::Parameters;
use super::scheduler::Point;
use super::thread::Known;

/// A segment that has begun here.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) parameters: Option<Parameters>,
    pub(crate) implicit: Option<Parameters>,
}

/// A distributable thread's stay on a thread of this program: for the length of an upcall, or from its
/// first segment to the end of that.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) node: Arc<Node>,
    pub(crate) known: Arc<Known>,
    /// Those that it came with.
    brought: Option<Parameters>,
    /// Whether it began here.
    pub(crate) is_origin: bool,
    pub(crate) segments: RefCell<Vec<Segment>>,
    /// How many requests it has under way: more than one where an upcall of this thread calls on.
    calling: Cell<u32>,
}

thread_local! {
    /// The visits to this thread, the present last; `None` for an upcall that is of none.
    static VISITS: RefCell<Vec<Option<Rc<Visit>>>> = const { RefCell::new(Vec::new()) };
}

/// The visit to the calling thread, if there is one.
pub(crate) fn present() -> Option<Rc<Visit>> {
    VISITS.with_borrow(|visits| visits.last().cloned().flatten())
}

/// Puts a visit on top, until it is dropped.
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

/// Ends the visit that began on this thread by a segment.
pub(crate) fn leave() {
    drop(Entered);
}

impl Visit {
    /// The thread of this id arrives.
    pub(crate) fn new(
        node: &Arc<Node>,
        id: super::ThreadId,
        brought: Option<Parameters>,
        is_origin: bool,
    ) -> Rc<Self> {
        let known = node.arrive(id);
        Rc::new(Self {
            node: Arc::clone(node),
            known,
            brought,
            is_origin,
            segments: RefCell::default(),
            calling: Cell::new(0),
        })
    }

    /// What holds at the moment.
    pub(crate) fn parameters(&self) -> Option<Parameters> {
        let innermost = self.segments.borrow().last().map(|segment| segment.parameters);
        innermost.unwrap_or(self.brought)
    }

    /// What requests carry: the segment's implicit parameters, or those that hold.
    pub(crate) fn carried(&self) -> Option<Parameters> {
        let implicit = self.segments.borrow().last().and_then(|segment| segment.implicit);
        implicit.or_else(|| self.parameters())
    }

    pub(crate) fn implicit(&self) -> Option<Parameters> {
        self.segments.borrow().last().and_then(|segment| segment.implicit)
    }

    /// Tells the scheduler of a step; nothing of this visit is borrowed while it waits.
    pub(crate) fn tell<T>(&self, step: impl FnOnce(&Point<'_>) -> T) -> T {
        let name = self.segments.borrow().last().map(|segment| segment.name.clone());
        let parameters = self.parameters();
        step(&Point { id: self.known.id, name: name.as_deref(), parameters })
    }

    /// A scheduling point.
    pub(crate) fn check(&self, completed: CompletionStatus) -> Result<(), SystemException> {
        if self.known.is_cancelled() { Err(cancelled(completed)) } else { Ok(()) }
    }

    /// It calls `target`.
    pub(crate) fn goes_to(&self, target: &Ior) -> Result<(), SystemException> {
        self.check(CompletionStatus::No)?;
        let mut gone = Ok(());
        if self.calling.replace(1) == 0 {
            self.known.goes_to(target);
            gone = self.tell(|point| self.node.scheduler.send_request(point));
        }
        // It may have been cancelled before its target was known.
        gone.and_then(|()| self.check(CompletionStatus::No))
            .or_else(|exception| self.comes_back().and(Err(exception)))
    }

    /// It comes back, if it went.
    pub(crate) fn comes_back(&self) -> Result<(), SystemException> {
        if self.calling.replace(0) == 0 {
            return Ok(());
        }
        self.known.comes_back();
        self.tell(|point| self.node.scheduler.receive_reply(point))?;
        self.check(CompletionStatus::Maybe)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.node.depart(&self.known.id);
    }
}

/// The exception for a cancelled thread.
#[cold]
pub(crate) fn cancelled(completed: CompletionStatus) -> SystemException {
    SystemException::thread_cancelled(minor::thread_cancelled::CANCELLED, completed)
}
