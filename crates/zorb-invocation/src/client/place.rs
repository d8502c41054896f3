//! Where a thread's connection lies between two of its calls.

use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};

use zorb_base::buffers::trim_request;
use zorb_os::slot::Slot;

use super::exclusive::ExclusiveConnection;
use super::pool::EndpointPool;

/// The place of one thread's connection to one endpoint.
///
/// The thread takes the connection out for a call and puts it back after it, one exchange of a
/// pointer each. Others take it when there is no other way: when it has lain there for long and they
/// have none, when there may be no more, and when the ORB ends. The cache lines are the place's own.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Place {
    idle: Slot<ExclusiveConnection>,
    /// Whether connections that are put back are wanted elsewhere: somebody waits for one, or they
    /// are to be closed.
    wanted: AtomicBool,
    pool: Weak<EndpointPool>,
}

impl Place {
    pub(super) fn new(pool: Weak<EndpointPool>) -> Self {
        Self { idle: Slot::empty(), wanted: AtomicBool::new(false), pool }
    }

    /// Takes the connection that lies here.
    #[inline]
    pub(super) fn take(&self) -> Option<Box<ExclusiveConnection>> {
        self.idle.take()
    }

    /// Takes a connection out of another thread's place, if it fits.
    pub(super) fn take_if(
        &self,
        fits: impl FnOnce(&ExclusiveConnection) -> bool,
    ) -> Option<Box<ExclusiveConnection>> {
        if self.idle.is_empty() {
            return None;
        }
        let connection = self.idle.take()?;
        if fits(&connection) {
            return Some(connection);
        }
        // Should the place have been filled meanwhile, there is one too many here.
        self.idle.put(connection)
    }

    /// Says whether connections that are put back are wanted elsewhere. In one order with taking and
    /// putting: who says so and then looks into the place finds what was put there before.
    pub(super) fn set_wanted(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::SeqCst);
    }

    /// Puts a connection back after a call.
    #[inline]
    fn give_back(&self, mut connection: Box<ExclusiveConnection>) {
        connection.used = true;
        connection.machine.finish_all();
        trim_request(&mut connection.outgoing);
        if connection.beyond_limit {
            return self.give_back_slowly(Some(connection));
        }
        let other = self.idle.put(connection);
        if other.is_some() || self.wanted.load(Ordering::SeqCst) {
            self.give_back_slowly(other);
        }
    }

    /// Has the pool keep a connection, which is looked at before it is used.
    #[cold]
    pub(super) fn put_aside(&self, connection: Box<ExclusiveConnection>) {
        if let Some(pool) = self.pool.upgrade() {
            pool.put_aside(connection);
        }
    }

    /// Gives `connection`, and what lies here if it is wanted, to the pool.
    #[cold]
    fn give_back_slowly(&self, connection: Option<Box<ExclusiveConnection>>) {
        let Some(pool) = self.pool.upgrade() else { return };
        if let Some(connection) = connection {
            pool.take_back(connection);
        }
        if self.wanted.load(Ordering::SeqCst)
            && let Some(connection) = self.idle.take()
        {
            pool.take_back(connection);
        }
    }
}

/// A connection lent to one call; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lease<'r> {
    /// `None` once the connection is known to be of no further use.
    connection: Option<Box<ExclusiveConnection>>,
    place: &'r Place,
}

impl<'r> Lease<'r> {
    #[inline]
    pub(super) fn new(connection: Box<ExclusiveConnection>, place: &'r Place) -> Self {
        Self { connection: Some(connection), place }
    }

    #[inline]
    pub(crate) fn connection(&mut self) -> Option<&mut ExclusiveConnection> {
        self.connection.as_deref_mut()
    }

    /// The same, to be looked at.
    #[inline]
    pub(crate) fn kept(&self) -> Option<&ExclusiveConnection> {
        self.connection.as_deref()
    }

    /// Closes the connection instead of giving it back.
    #[cold]
    pub(super) fn close(&mut self) {
        if self.connection.take().is_some()
            && let Some(pool) = self.place.pool.upgrade()
        {
            pool.lost_one();
        }
    }
}

impl Drop for Lease<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.place.give_back(connection);
        }
    }
}
