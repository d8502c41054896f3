//! The upcalls that a thread executes: the connection of its request, whether another thread reads from the
//! connection in the meantime, and the ORBs of collocated calls.
//!
//! It is thread-local, as `PortableServer::Current` and `PortableInterceptor::Current` are in CORBA, since a
//! servant's method has no parameter for it. Server threads set it; callers that are about to block, and
//! servants that need the identity of their client, read it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::{Arc, Weak};

use zorb_cdr::ReadContext;
use zorb_giop::MessageBudget;
use zorb_transport::{PeerShares, Stream};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::orb_core::OrbCore;
use crate::policy::BufferStrategy;

/// A server connection, as servants and their nested calls see it. The crate for serving implements it, which calls do not
/// depend on: a program without a server does not contain it.
pub trait ServedConnection: Send + Sync {
    /// The ORB that serves it.
    fn orb(&self) -> &Arc<OrbCore>;
    /// The context in which the arguments of its requests are decoded.
    fn context(&self) -> &dyn ReadContext;
    /// The stream of its messages.
    fn stream(&self) -> &Arc<dyn Stream>;
    /// The share of its client in `shares`.
    fn share(&self, shares: &PeerShares) -> Arc<MessageBudget>;
    /// The buffer strategy of its replies, if a servant has set one.
    fn buffer_strategy(&self) -> Option<BufferStrategy>;
    /// Sets the buffer strategy of its replies.
    fn set_buffer_strategy(&self, strategy: BufferStrategy);
    /// Counts the request of an upcall that begins as a [probe](ProbeUpcall).
    fn begin_probe(&self) {}
    /// Ends the upcall of a probe.
    fn end_probe(&self) {}
    /// Passes its input on to another thread, as the calling thread is about to block. Returns `true` if this
    /// upcall need not try again: another thread has the input, or the connection's input needs no thread of its
    /// own.
    fn hand_over(self: Arc<Self>) -> bool;
}

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Anything but an upcall.
    Other,
    /// An upcall, during which another thread may take the connection's input.
    Upcall,
    /// An upcall during which another thread has the connection's input.
    Relieved,
}

thread_local! {
    static DOING: Cell<Doing> = const { Cell::new(Doing::Other) };
    /// The connection of the request that the thread served last.
    static SERVED: RefCell<Option<Weak<dyn ServedConnection>>> = const { RefCell::new(None) };
    /// The address of `SERVED`, 0 for none: comparing it without a borrow saves a half-sync lane 3 % of its
    /// instructions. The weak reference prevents reuse of the address.
    static SERVED_ADDRESS: Cell<usize> = const { Cell::new(0) };
    /// The addresses of the ORBs of collocated upcalls, the innermost last.
    static COLLOCATED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Whether the calling thread is in an upcall of a request that came over a connection.
pub fn in_upcall() -> bool {
    DOING.get() != Doing::Other
}

/// Whether the calling thread is in an upcall of `orb`: of a request that came over a connection, or of a
/// collocated call.
pub fn in_upcall_of(orb: &Arc<OrbCore>) -> bool {
    let address = Arc::as_ptr(orb).addr();
    COLLOCATED.try_with(|orbs| orbs.borrow().contains(&address)).unwrap_or(false)
        || (in_upcall()
            && last_served().is_some_and(|connection| Arc::ptr_eq(connection.orb(), orb)))
}

/// Checks that the calling thread may wait for requests of `orb` or for its threads.
///
/// # Errors
/// `BAD_INV_ORDER` (OMG 3) if it would wait for itself: in an upcall, or in a function of the program that a thread of
/// the ORB calls.
pub fn check_may_wait(orb: &Arc<OrbCore>) -> Result<(), SystemException> {
    if in_upcall_of(orb) || orb.threads().counts_this_thread() {
        return Err(would_deadlock());
    }
    Ok(())
}

/// The exception for a thread that would wait for itself: `BAD_INV_ORDER` (OMG 3), completed NO.
#[cold]
pub fn would_deadlock() -> SystemException {
    SystemException::bad_inv_order(minor::bad_inv_order::WOULD_DEADLOCK, CompletionStatus::No)
}

/// The connection of the request whose upcall the calling thread executes; `None` outside of upcalls, and in those of
/// collocated calls.
pub fn served_connection() -> Option<Arc<dyn ServedConnection>> {
    if in_upcall() && collocated_upcalls() == 0 { last_served() } else { None }
}

/// The connection for whose request the calling thread works, also in collocated calls.
pub fn connection_of_upcall() -> Option<Arc<dyn ServedConnection>> {
    if in_upcall() { last_served() } else { None }
}

/// The upcall of a probe, which asks whether the server is ready or live, until dropped: that it runs, and that it has
/// ended, is no sign of that.
pub struct ProbeUpcall(Arc<dyn ServedConnection>);

impl fmt::Debug for ProbeUpcall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProbeUpcall").finish_non_exhaustive()
    }
}

impl ProbeUpcall {
    /// That of the request of this connection for which the calling thread works.
    pub fn of(connection: Arc<dyn ServedConnection>) -> Self {
        connection.begin_probe();
        Self(connection)
    }
}

impl Drop for ProbeUpcall {
    fn drop(&mut self) {
        self.0.end_probe();
    }
}

/// The number of collocated calls that the calling thread executes, each within the one before.
pub(crate) fn collocated_upcalls() -> usize {
    COLLOCATED.try_with(|orbs| orbs.borrow().len()).unwrap_or(0)
}

fn last_served() -> Option<Arc<dyn ServedConnection>> {
    // The variables of a thread that ends may have been dropped.
    SERVED.try_with(|served| served.borrow().as_ref().and_then(Weak::upgrade)).ok().flatten()
}

/// Passes the input of the current upcall's connection on to another thread, if there is one. Call it before
/// the thread may block for long; otherwise the connection's next requests wait until the watchdog intervenes.
#[inline]
pub fn about_to_block() {
    if DOING.get() == Doing::Upcall {
        hand_over();
    }
}

#[cold]
fn hand_over() {
    if last_served().is_some_and(|connection| connection.hand_over()) {
        relieve_upcall();
    }
}

/// Sets the connection whose requests the calling thread serves.
#[inline]
pub fn serve<C: ServedConnection + 'static>(connection: &Arc<C>) {
    // A reactor's threads alternate between connections.
    let address = Arc::as_ptr(connection).addr();
    if SERVED_ADDRESS.get() != address {
        let connection: Weak<C> = Arc::downgrade(connection);
        set_served(Some(connection), address);
    }
}

/// Clears the served connection: the next request came over a connection that has ended.
pub fn serve_none() {
    set_served(None, 0);
}

fn set_served(connection: Option<Weak<dyn ServedConnection>>, address: usize) {
    SERVED.set(connection);
    SERVED_ADDRESS.set(address);
}

/// Marks the beginning of an upcall on the calling thread.
#[inline]
pub fn begin_upcall() {
    DOING.set(Doing::Upcall);
}

/// Marks the end of the upcall.
#[inline]
pub fn end_upcall() {
    DOING.set(Doing::Other);
}

/// Marks that another thread has the connection's input until the upcall ends.
pub fn relieve_upcall() {
    DOING.set(Doing::Relieved);
}

/// An upcall of a collocated call on this thread, until dropped.
pub struct CollocatedUpcall(());

impl fmt::Debug for CollocatedUpcall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollocatedUpcall").finish_non_exhaustive()
    }
}

impl CollocatedUpcall {
    /// Begins an upcall to a servant of `orb`.
    #[inline]
    pub fn begin(orb: &Arc<OrbCore>) -> Self {
        // A thread that ends has no upcalls.
        let _ = COLLOCATED.try_with(|orbs| orbs.borrow_mut().push(Arc::as_ptr(orb).addr()));
        Self(())
    }
}

impl Drop for CollocatedUpcall {
    #[inline]
    fn drop(&mut self) {
        let _ = COLLOCATED.try_with(|orbs| orbs.borrow_mut().pop());
    }
}
