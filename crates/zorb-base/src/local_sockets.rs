//! The sockets of this machine that references in messages may lead to.
//!
//! Any peer can send a reference. Without this check it would make a client connect to any socket that its
//! user may open, and send a request there.

use std::collections::HashSet;

use zorb_os::lock::Lock;
use zorb_transport::{Endpoint, LocalSocket, Transport};

/// The maximum number of sockets that are permitted one by one.
pub const MAX_PERMITTED_SOCKETS: usize = 4096;

/// The sockets of this machine that an ORB connects to.
#[derive(Debug, Default)]
pub struct LocalSockets(Lock<Permitted>);

#[derive(Debug, Default)]
struct Permitted {
    endpoints: HashSet<Endpoint>,
    /// Where sockets with generated names are permitted.
    folders: HashSet<String>,
}

impl LocalSockets {
    /// Permits the socket of an endpoint that the program or the operator has named, or listens at, and others with
    /// generated names in its folder. Has no effect if too many are permitted already.
    pub fn permit(&self, transport: &dyn Transport, endpoint: &Endpoint) {
        let Some(LocalSocket { folder, .. }) = transport.local_socket(endpoint) else { return };
        let mut permitted = self.0.lock();
        if permitted.endpoints.len() < MAX_PERMITTED_SOCKETS {
            permitted.endpoints.insert(endpoint.clone());
            permitted.folders.insert(folder);
        }
    }

    /// Whether the ORB may connect to `endpoint`; `folders` are those of the option `LocalSocketFolders`.
    pub fn permits(
        &self,
        transport: &dyn Transport,
        endpoint: &Endpoint,
        folders: &[String],
    ) -> bool {
        let Some(socket) = transport.local_socket(endpoint) else { return true };
        let LocalSocket { folder, has_generated_name, is_default_folder } = &socket;
        if folders.iter().any(|permitted| permitted.trim_end_matches('/') == folder.as_str())
            || (*has_generated_name && *is_default_folder)
        {
            return true;
        }
        let permitted = self.0.lock();
        permitted.endpoints.contains(endpoint)
            || (*has_generated_name && permitted.folders.contains(folder))
    }
}
