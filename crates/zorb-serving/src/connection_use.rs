//! The connection of a request that is being served.

use std::sync::Arc;

use crate::connection::ServerConnection;

/// The connection of a request that is being served, until dropped.
#[derive(Debug)]
pub(crate) struct ConnectionUse(pub(crate) Arc<ServerConnection>);

impl Drop for ConnectionUse {
    fn drop(&mut self) {
        if self.0.output_waits() {
            self.0.start_sending();
        }
        self.0.finish_request();
    }
}
