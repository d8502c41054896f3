//! Sharing connections among calls.

use std::sync::Arc;
use std::time::Instant;

use super::super::connection::Connection;
use super::super::shared::{
    NewSharedConnection, NotJoined, SharedCall, SharedConnection, SharedConnections,
};
use super::{EndpointPool, NoConnection, Wanted};

impl EndpointPool {
    /// Makes a call share a connection: one that no call uses, a new one, or the least busy if the limit is
    /// reached.
    pub(in crate::client) fn share(
        &self,
        shared: &SharedConnections,
        wanted: Wanted,
    ) -> Result<SharedCall, NoConnection> {
        loop {
            let connection = match shared.least_busy() {
                Some((least, open)) if least.users() == 0 || open >= self.max_open => least,
                _ => self.share_another(shared, wanted)?,
            };
            match connection.join(wanted.deadline) {
                Ok(call) => return Ok(call),
                Err(NotJoined::Busy) => return Err(NoConnection::Busy),
                Err(NotJoined::Ended) => self.remove_ended(),
            }
        }
    }

    /// Opens a connection; if the limit has been reached meanwhile, returns the least busy.
    #[cold]
    fn share_another(
        &self,
        shared: &SharedConnections,
        wanted: Wanted,
    ) -> Result<Arc<SharedConnection>, NoConnection> {
        let mut state = self.state();
        loop {
            if state.closed {
                return Err(NoConnection::Closed);
            }
            if state.open < self.max_open {
                break;
            }
            if let Some((least, _)) = shared.least_busy() {
                return Ok(least);
            }
            // Other threads are opening the maximum number.
            let deadline = wanted.deadline;
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            state = match left {
                None => self.returned.wait(state),
                Some(left) if left.is_zero() => return Err(NoConnection::Busy),
                Some(left) => self.returned.wait_for(state, left),
            };
        }
        state.open += 1;
        drop(state);
        let connection = Arc::new(SharedConnection::new(NewSharedConnection {
            stream: self.connect(wanted)?,
            messaging: self.protocol.messaging(),
            max_message_size: self.max_message_size,
            copy_threshold: self.settings.copy_threshold,
            wait: self.wait,
            max_calls: shared.max_calls,
        }));
        let state = self.state();
        let closed = state.closed;
        if !closed {
            shared.add(&connection);
        }
        drop(state);
        if closed {
            connection.close();
        }
        self.returned.notify_all();
        Ok(connection)
    }

    /// Discards a connection after a failed call.
    #[cold]
    pub(in crate::client) fn discard(&self, connection: &mut impl Connection) {
        connection.discard();
        self.for_caller().0.remove_ended();
    }

    /// Removes the shared connections that have ended.
    #[cold]
    fn remove_ended(&self) {
        let Some(shared) = &self.shared else { return };
        let mut state = self.state();
        state.open -= shared.remove_ended();
        drop(state);
        self.returned.notify_all();
    }
}
