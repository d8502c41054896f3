//! The use of an exclusive connection by one call.

use super::super::exclusive::ExclusiveConnection;
use super::EndpointCache;
use super::thread_slot::ThreadSlot;

/// An exclusive connection while one call uses it. When dropped, the connection goes back to the cache.
#[derive(Debug)]
pub(crate) struct ExclusiveCall<'r> {
    /// `None` only while it is dropped.
    connection: Option<Box<ExclusiveConnection>>,
    cache: &'r EndpointCache,
    slot: &'r ThreadSlot,
}

impl<'r> ExclusiveCall<'r> {
    #[inline]
    pub(super) fn new(
        connection: Box<ExclusiveConnection>,
        cache: &'r EndpointCache,
        slot: &'r ThreadSlot,
    ) -> Self {
        Self { connection: Some(connection), cache, slot }
    }

    /// When the connection was opened.
    #[cfg(test)]
    pub(crate) fn opened(&self) -> Option<std::time::Instant> {
        self.connection.as_ref().map(|connection| connection.opened)
    }

    /// The connection.
    #[inline]
    pub(crate) fn connection(&mut self) -> Option<&mut ExclusiveConnection> {
        self.connection.as_deref_mut()
    }
}

impl Drop for ExclusiveCall<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.cache.release(connection, self.slot);
        }
    }
}
