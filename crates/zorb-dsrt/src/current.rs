//! The distributable thread of the calling thread.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::node::Node;
use super::parameters::Parameters;
use super::thread::DistributableThread;
use super::thread_id::ThreadId;
use super::visit::{Entered, Segment, Visit, current_visit, leave};

/// The error of beginning or updating a scheduling segment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchedulingError {
    /// The scheduler does not support such parameters
    /// (`UNSUPPORTED_SCHEDULING_DISCIPLINE`).
    UnsupportedSchedulingDiscipline,
    /// A system exception: `THREAD_CANCELLED` if the thread has been cancelled, or that of the scheduler.
    System(SystemException),
}

impl fmt::Display for SchedulingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsupportedSchedulingDiscipline => {
                f.write_str("the scheduler does not support parameters of this discipline")
            }
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for SchedulingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(exception) => exception.source(),
            _ => None,
        }
    }
}

impl From<SystemException> for SchedulingError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl From<SchedulingError> for SystemException {
    /// Converts the error for servants; an unsupported discipline becomes `INV_POLICY`.
    fn from(error: SchedulingError) -> Self {
        match error {
            SchedulingError::UnsupportedSchedulingDiscipline => {
                Self::inv_policy(minor::inv_policy::DISCIPLINE, CompletionStatus::No)
            }
            SchedulingError::System(exception) => exception,
        }
    }
}

/// The distributable thread of the calling thread (`RTScheduling::Current`). All methods apply to the
/// calling thread.
#[derive(Clone, Debug)]
pub struct Current {
    node: Arc<Node>,
}

/// A spawned distributable thread, and the thread that runs it.
#[derive(Debug)]
pub struct Spawned<T> {
    /// The distributable thread.
    pub thread: DistributableThread,
    /// Waits for its end, and returns the action's result, or the error of beginning its segment.
    pub handle: JoinHandle<Result<T, SchedulingError>>,
}

/// Ends a segment when dropped, also after a panic.
struct End<'c>(&'c Current, &'c str);

impl Drop for End<'_> {
    fn drop(&mut self) {
        // The segment exists, and calls have already reported a cancellation.
        let _ = self.0.end_scheduling_segment(self.1);
    }
}

/// Ends the visit of a spawned thread when dropped.
struct EndVisit(Arc<Node>, ThreadId);

impl Drop for EndVisit {
    fn drop(&mut self) {
        self.0.end_visit(&self.1);
    }
}

impl Current {
    pub(crate) fn new(node: &Arc<Node>) -> Self {
        Self { node: Arc::clone(node) }
    }

    /// Begins a segment. The outermost one makes the calling thread a distributable thread with a new id; within another
    /// segment, or in an upcall of a distributable thread, it is nested. `parameters` are in effect until it ends; by
    /// default those of the enclosing segment. Requests carry `implicit` instead, for the segments of their upcalls.
    ///
    /// It may block in the scheduler.
    ///
    /// # Errors
    /// [`SchedulingError`]; the segment has not begun.
    pub fn begin_scheduling_segment(
        &self,
        name: &str,
        parameters: Option<Parameters>,
        implicit: Option<Parameters>,
    ) -> Result<(), SchedulingError> {
        self.begin(ThreadId::new(), name, parameters, implicit)
    }

    fn begin(
        &self,
        id: ThreadId,
        name: &str,
        parameters: Option<Parameters>,
        implicit: Option<Parameters>,
    ) -> Result<(), SchedulingError> {
        self.accepts(parameters)?;
        self.accepts(implicit)?;
        let Some(visit) = current_visit() else {
            let visit = Visit::new(&self.node, id, None, true);
            visit.segments.borrow_mut().push(segment(name, parameters, implicit));
            visit.check(CompletionStatus::No)?;
            visit.notify_scheduler(|point| {
                self.node.scheduler.begin_new_scheduling_segment(point)
            })?;
            // It is removed when its outermost segment ends.
            std::mem::forget(Entered::new(Some(visit)));
            return Ok(());
        };
        visit.check(CompletionStatus::No)?;
        let parameters = parameters.or_else(|| visit.parameters());
        visit.segments.borrow_mut().push(segment(name, parameters, implicit));
        let begun = visit
            .notify_scheduler(|point| visit.node.scheduler.begin_nested_scheduling_segment(point));
        if begun.is_err() {
            visit.segments.borrow_mut().pop();
        }
        Ok(begun?)
    }

    /// Changes the parameters of the innermost segment (`update_scheduling_segment`). A scheduling point: a more urgent
    /// thread may run first.
    ///
    /// # Errors
    /// [`SchedulingError`]; `BAD_INV_ORDER` outside a segment.
    pub fn update_scheduling_segment(
        &self,
        name: &str,
        parameters: Option<Parameters>,
        implicit: Option<Parameters>,
    ) -> Result<(), SchedulingError> {
        self.accepts(parameters)?;
        self.accepts(implicit)?;
        let visit = current_visit().ok_or_else(out_of_order)?;
        visit.check(CompletionStatus::No)?;
        let before = {
            let mut segments = visit.segments.borrow_mut();
            let innermost = segments.last_mut().ok_or_else(out_of_order)?;
            let parameters = parameters.or(innermost.parameters);
            std::mem::replace(innermost, segment(name, parameters, implicit))
        };
        let updated =
            visit.notify_scheduler(|point| visit.node.scheduler.update_scheduling_segment(point));
        if updated.is_err()
            && let Some(innermost) = visit.segments.borrow_mut().last_mut()
        {
            *innermost = before;
        }
        updated?;
        Ok(visit.check(CompletionStatus::No)?)
    }

    /// Ends the innermost segment, which has this name; the parameters of the enclosing one are in effect again. The end
    /// of the outermost segment ends the distributable thread.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` if the innermost segment has another name, or there is none;
    /// `THREAD_CANCELLED` if the thread was cancelled; the segment ends nevertheless.
    pub fn end_scheduling_segment(&self, name: &str) -> Result<(), SystemException> {
        let visit = current_visit().ok_or_else(out_of_order)?;
        let is_last = {
            let mut segments = visit.segments.borrow_mut();
            segments.pop_if(|segment| segment.name == name).ok_or_else(out_of_order)?;
            segments.is_empty()
        };
        if is_last && visit.is_origin {
            visit.notify_scheduler(|point| visit.node.scheduler.end_scheduling_segment(point));
            leave();
        } else {
            visit.notify_scheduler(|point| {
                visit.node.scheduler.end_nested_scheduling_segment(point)
            });
        }
        visit.check(CompletionStatus::Yes)
    }

    /// Runs `work` in a segment, which also ends if it panics.
    ///
    /// # Errors
    /// As [`begin_scheduling_segment`](Self::begin_scheduling_segment), and `THREAD_CANCELLED` if the
    /// thread was cancelled meanwhile.
    pub fn within<T>(
        &self,
        name: &str,
        parameters: Option<Parameters>,
        work: impl FnOnce() -> T,
    ) -> Result<T, SchedulingError> {
        self.begin_scheduling_segment(name, parameters, None)?;
        let end = End(self, name);
        let result = work();
        std::mem::forget(end);
        self.end_scheduling_segment(name)?;
        Ok(result)
    }

    /// Starts a distributable thread that runs `action` in a segment (`spawn`). A `stack_size` of zero is the default
    /// size.
    ///
    /// # Errors
    /// [`SchedulingError::UnsupportedSchedulingDiscipline`]; `NO_RESOURCES` if the thread cannot be
    /// started.
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &str,
        parameters: Option<Parameters>,
        implicit: Option<Parameters>,
        stack_size: usize,
        action: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Spawned<T>, SchedulingError> {
        self.accepts(parameters)?;
        self.accepts(implicit)?;
        let id = ThreadId::new();
        let node = Arc::clone(&self.node);
        // Registered before it starts, so that it can be cancelled earlier.
        let thread = DistributableThread { entry: node.begin_visit(id), node };
        let (current, name) = (self.clone(), name.to_owned());
        let work = move || {
            let _visit = EndVisit(Arc::clone(&current.node), id);
            current.begin(id, &name, parameters, implicit)?;
            let _end = End(&current, &name);
            Ok(action())
        };
        let mut builder = std::thread::Builder::new();
        if stack_size > 0 {
            builder = builder.stack_size(stack_size);
        }
        match builder.spawn(work) {
            Ok(handle) => Ok(Spawned { thread, handle }),
            Err(_) => {
                self.node.end_visit(&id);
                let minor = minor::no_resources::THREADS;
                Err(SystemException::no_resources(minor, CompletionStatus::No).into())
            }
        }
    }

    /// A scheduling point for long computations.
    ///
    /// # Errors
    /// `THREAD_CANCELLED` if the distributable thread was cancelled.
    pub fn check(&self) -> Result<(), SystemException> {
        current_visit().map_or(Ok(()), |visit| visit.check(CompletionStatus::Maybe))
    }

    /// The id of the distributable thread (`id`); `None` outside distributable threads.
    #[must_use]
    pub fn id(&self) -> Option<ThreadId> {
        current_visit().map(|visit| visit.entry.id)
    }

    /// The distributable thread.
    #[must_use]
    pub fn thread(&self) -> Option<DistributableThread> {
        let visit = current_visit()?;
        let (node, entry) = (Arc::clone(&visit.node), Arc::clone(&visit.entry));
        Some(DistributableThread { node, entry })
    }

    /// The parameters in effect (`scheduling_parameter`): of the innermost segment on this node, otherwise of the
    /// request.
    #[must_use]
    pub fn scheduling_parameter(&self) -> Option<Parameters> {
        current_visit().and_then(|visit| visit.parameters())
    }

    /// The parameters that requests carry instead of those in effect (`implicit_scheduling_parameter`).
    #[must_use]
    pub fn implicit_scheduling_parameter(&self) -> Option<Parameters> {
        current_visit().and_then(|visit| visit.implicit())
    }

    /// The names of the segments that have begun on this node, the innermost first.
    #[must_use]
    pub fn current_scheduling_segment_names(&self) -> Vec<String> {
        let names = |visit: Rc<Visit>| {
            visit.segments.borrow().iter().rev().map(|segment| segment.name.clone()).collect()
        };
        current_visit().map(names).unwrap_or_default()
    }

    fn accepts(&self, parameters: Option<Parameters>) -> Result<(), SchedulingError> {
        match parameters {
            Some(parameters) if !self.node.scheduler.accepts(&parameters) => {
                Err(SchedulingError::UnsupportedSchedulingDiscipline)
            }
            _ => Ok(()),
        }
    }
}

fn segment(name: &str, parameters: Option<Parameters>, implicit: Option<Parameters>) -> Segment {
    Segment { name: name.to_owned(), parameters, implicit }
}

#[cold]
fn out_of_order() -> SystemException {
    SystemException::bad_inv_order(minor::bad_inv_order::SEGMENT, CompletionStatus::No)
}
