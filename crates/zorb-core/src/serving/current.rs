//! The upcall that a thread is in, and the connection that its request came over.

use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use zorb_transport::Stream;

use super::connection::ServerConnection;
use super::core::ServerCore;
use crate::orb_core::OrbCore;
use crate::policy::BufferStrategy;
use crate::upcall_thread::{begin_upcall, end_upcall, in_upcall, relieve_upcall};

thread_local! {
    static SERVED: RefCell<Weak<ServerConnection>> = const { RefCell::new(Weak::new()) };
}

/// Whether the calling thread is in an upcall to a servant of `core`.
pub(crate) fn in_upcall_of(core: &Arc<OrbCore>) -> bool {
    served_connection().is_some_and(|connection| Arc::ptr_eq(connection.core.orb(), core))
}

/// The connection that the request came over in whose upcall the calling thread is.
pub(super) fn served_connection() -> Option<Arc<ServerConnection>> {
    if in_upcall() { SERVED.with_borrow(Weak::upgrade) } else { None }
}

/// The memory that a reply can lie in.
pub(crate) struct Buffers {
    pub(crate) stream: Arc<dyn Stream>,
    pub(crate) server: Arc<ServerCore>,
    /// What a servant has chosen for the connection.
    pub(crate) strategy: Option<BufferStrategy>,
}

/// The memory that the reply to the present request can lie in.
pub(crate) fn buffers_of_upcall() -> Option<Buffers> {
    let connection = served_connection()?;
    let chosen = usize::from(connection.buffer_strategy.load(Ordering::Relaxed));
    Some(Buffers {
        stream: Arc::clone(&connection.stream),
        server: Arc::clone(&connection.core),
        strategy: chosen.checked_sub(1).and_then(|at| BufferStrategy::ALL.get(at).copied()),
    })
}

/// Hands the input of the present upcall's connection to another thread.
pub(super) fn hand_over() {
    if let Some(connection) = SERVED.with_borrow(Weak::upgrade) {
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
            }
        });
    }

    /// Notes that the request to be served came over a connection that has ended.
    pub(super) fn serve_none() {
        SERVED.set(Weak::new());
    }

    #[inline]
    pub(super) fn begin() {
        begin_upcall();
    }

    #[inline]
    pub(super) fn end() {
        end_upcall();
    }

    /// Notes that the input has been handed over for the length of the present upcall.
    pub(super) fn relieved() {
        relieve_upcall();
    }

    /// Hands the connection's input to another thread, once an upcall: if this thread's input has been
    /// taken already, what could be handed over belongs to a thread that does not wait.
    pub(super) fn hand_over(connection: &Arc<ServerConnection>) {
        if !connection.has_own_threads() || connection.hand_over_to_block() {
            Self::relieved();
        }
    }
}
