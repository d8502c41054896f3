//! The upcall that a thread executes: the connection of its request, whether another thread reads on from
//! the connection, and the buffer strategy of the object.
//!
//! It is the thread's own state, as `PortableServer::Current` and `PortableInterceptor::Current` are in
//! CORBA, since a servant's method has no parameter for it. The threads that serve set it; callers that are
//! about to block, and servants that need the identity of their client, read it.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};

use zorb_cdr::ReadContext;
use zorb_transport::Stream;

use crate::orb_core::OrbCore;
use crate::policy::BufferStrategy;

/// A connection that a client opened, as servants and their calls see it.
pub trait ServedConnection: Send + Sync {
    /// The ORB that serves it.
    fn orb(&self) -> &Arc<OrbCore>;
    /// What the arguments of its requests are decoded against.
    fn context(&self) -> &dyn ReadContext;
    /// The stream that its messages come over.
    fn stream(&self) -> &Arc<dyn Stream>;
    /// Where the results of its requests are placed, if a servant has chosen.
    fn buffer_strategy(&self) -> Option<BufferStrategy>;
    /// Chooses where the results of its requests are placed.
    fn set_buffer_strategy(&self, strategy: BufferStrategy);
    /// Lets another thread read on from it, as the calling thread is about to block. Whether nothing is left
    /// for this thread to read.
    fn hand_over(self: Arc<Self>) -> bool;
}

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
    static DOING: Cell<Doing> = const { Cell::new(Doing::Other) };
    /// The connection whose requests the thread served last.
    static SERVED: RefCell<Option<Weak<dyn ServedConnection>>> = const { RefCell::new(None) };
    /// The address of `SERVED`, 0 for none: comparing it without a borrow saves a half-sync lane 3 % of its
    /// instructions. The weak reference keeps the address from being used again.
    static SERVED_ADDRESS: Cell<usize> = const { Cell::new(0) };
    /// The policy of the object whose upcall the thread executes, or of its adapter.
    static BUFFER_STRATEGY: Cell<Option<BufferStrategy>> = const { Cell::new(None) };
}

/// Whether the calling thread is in an upcall whose request came over a connection.
pub fn in_upcall() -> bool {
    DOING.get() != Doing::Other
}

/// Whether the calling thread is in an upcall to a servant of `orb` whose request came over a connection.
pub fn in_upcall_of(orb: &Arc<OrbCore>) -> bool {
    served_connection().is_some_and(|connection| Arc::ptr_eq(connection.orb(), orb))
}

/// The connection that the request came over in whose upcall the calling thread is.
pub fn served_connection() -> Option<Arc<dyn ServedConnection>> {
    if in_upcall() { last_served() } else { None }
}

fn last_served() -> Option<Arc<dyn ServedConnection>> {
    SERVED.with_borrow(|served| served.as_ref().and_then(Weak::upgrade))
}

/// Lets another thread read on from the connection of the present upcall, if there is one. To be called
/// before a thread may block for long.
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

/// Notes which connection's requests the calling thread serves.
#[inline]
pub fn serve<C: ServedConnection + 'static>(connection: &Arc<C>) {
    // The threads of a reactor serve many in turn.
    let address = Arc::as_ptr(connection).addr();
    if SERVED_ADDRESS.get() != address {
        let connection: Weak<C> = Arc::downgrade(connection);
        set_served(Some(connection), address);
    }
}

/// Notes that the request to be served came over a connection that has ended.
pub fn serve_none() {
    set_served(None, 0);
}

fn set_served(connection: Option<Weak<dyn ServedConnection>>, address: usize) {
    SERVED.set(connection);
    SERVED_ADDRESS.set(address);
}

/// Notes that the calling thread begins an upcall.
#[inline]
pub fn begin_upcall() {
    DOING.set(Doing::Upcall);
}

/// Notes that it is over.
#[inline]
pub fn end_upcall() {
    DOING.set(Doing::Other);
}

/// Notes that the input has been handed over for the length of the present upcall.
pub fn relieve_upcall() {
    DOING.set(Doing::Relieved);
}

/// The buffer strategy of the object whose upcall the calling thread executes, if a policy of the object or
/// of its adapter sets one.
pub fn buffer_strategy_of_upcall() -> Option<BufferStrategy> {
    BUFFER_STRATEGY.get()
}

/// Makes an upcall to an object with this buffer strategy.
pub fn with_buffer_strategy<T>(strategy: BufferStrategy, upcall: impl FnOnce() -> T) -> T {
    /// Restores that of the surrounding upcall, also after a panic.
    struct Restore(Option<BufferStrategy>);
    impl Drop for Restore {
        fn drop(&mut self) {
            BUFFER_STRATEGY.set(self.0);
        }
    }
    let _restore = Restore(BUFFER_STRATEGY.replace(Some(strategy)));
    upcall()
}
