//! The upcall that a thread is in, and the connection that its request came over.

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use zorb_transport::Stream;

use super::connection::ServerConnection;
use crate::loan::BufferStrategy;
use crate::orb::OrbCore;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Anything but an upcall.
    Other,
    /// An upcall, during which another thread may take the connection's input.
    Upcall,
    /// An upcall for whose length the input has been handed to another thread.
    Relieved,
}

thread_local! {
    static SERVED: RefCell<Weak<ServerConnection>> = const { RefCell::new(Weak::new()) };
    /// The priority of that connection's lane.
    static LANE: Cell<Option<i16>> = const { Cell::new(None) };
    static DOING: Cell<Doing> = const { Cell::new(Doing::Other) };
}

/// Whether the calling thread is in an upcall.
pub(crate) fn in_upcall() -> bool {
    DOING.get() != Doing::Other
}

/// Whether the calling thread is in an upcall to a servant of `core`.
pub(crate) fn in_upcall_of(core: &Arc<OrbCore>) -> bool {
    served_connection().is_some_and(|connection| Arc::ptr_eq(&connection.core, core))
}

/// The connection that the request came over in whose upcall the calling thread is.
pub(super) fn served_connection() -> Option<Arc<ServerConnection>> {
    if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None }
}

/// The memory that a reply can lie in.
pub(crate) struct Buffers {
    pub(crate) stream: Arc<dyn Stream>,
    pub(crate) core: Arc<OrbCore>,
    /// What a servant has chosen for the connection.
    pub(crate) strategy: Option<BufferStrategy>,
}

/// The memory that the reply to the present request can lie in.
pub(crate) fn buffers_of_upcall() -> Option<Buffers> {
    let connection = served_connection()?;
    let chosen = usize::from(connection.buffer_strategy.load(Ordering::Relaxed));
    Some(Buffers {
        stream: Arc::clone(&connection.stream),
        core: Arc::clone(&connection.core),
        strategy: chosen.checked_sub(1).and_then(|at| BufferStrategy::ALL.get(at).copied()),
    })
}

/// The priority of the lane that the present request came by.
pub(super) fn lane_of_upcall() -> Option<i16> {
    if in_upcall() { LANE.get() } else { None }
}

/// To be called before a thread may block for long: when it is in an upcall, another thread reads on from
/// the connection of its request.
#[inline]
pub(crate) fn about_to_block() {
    if DOING.get() == Doing::Upcall
        && let Some(connection) = SERVED.with_borrow(Weak::upgrade)
    {
        Upcall::hand_over(&connection);
    }
}

/// The upcall that the calling thread is in.
pub(super) struct Upcall;

impl Upcall {
    /// Notes which connection's requests the calling thread serves.
    pub(super) fn serve(connection: &Arc<ServerConnection>) {
        SERVED.with_borrow_mut(|served| {
            // The threads of a reactor serve many in turn.
            if !std::ptr::eq(served.as_ptr(), Arc::as_ptr(connection)) {
                *served = Arc::downgrade(connection);
                LANE.set(connection.lane.priority());
            }
        });
    }

    /// Notes that the request to be served came over a connection that has ended.
    pub(super) fn serve_none() {
        SERVED.set(Weak::new());
        LANE.set(None);
    }

    #[inline]
    pub(super) fn begin() {
        DOING.set(Doing::Upcall);
    }

    #[inline]
    pub(super) fn end() {
        DOING.set(Doing::Other);
    }

    /// Notes that the input has been handed over for the length of the present upcall.
    pub(super) fn relieved() {
        DOING.set(Doing::Relieved);
    }

    /// Hands the connection's input to another thread, once an upcall: if this thread's input has been
    /// taken already, what could be handed over belongs to a thread that does not wait.
    pub(super) fn hand_over(connection: &Arc<ServerConnection>) {
        if !connection.has_own_threads() || connection.hand_over_to_block() {
            Self::relieved();
        }
    }
}
