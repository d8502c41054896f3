//! The endpoints at which an ORB serves objects. References with one of them are local.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_os::lock::Lock;
use zorb_transport::Endpoint;

/// The maximum number of endpoints of a reference that clients use: any peer may send one, and each may have
/// to be tried. Servers create no references with more.
pub const MAX_ROUTES: usize = 64;

/// The endpoints of one ORB. They are looked up when a reference is used for the first time.
#[derive(Debug, Default)]
pub struct LocalEndpoints {
    list: Lock<Vec<(u64, Endpoint)>>,
    next: AtomicU64,
}

/// The endpoints of one listener. They are local until this is dropped or [withdrawn](Self::withdraw).
#[derive(Debug)]
pub struct ListenedEndpoints {
    all: Arc<LocalEndpoints>,
    number: u64,
}

impl LocalEndpoints {
    /// Adds the endpoints of a listener.
    pub fn add(self: &Arc<Self>, endpoints: &[Endpoint]) -> ListenedEndpoints {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.list.lock().extend(endpoints.iter().map(|endpoint| (number, endpoint.clone())));
        ListenedEndpoints { all: Arc::clone(self), number }
    }

    /// Whether `endpoint` is one of them.
    pub fn contain(&self, endpoint: &Endpoint) -> bool {
        self.list.lock().iter().any(|(_, known)| known == endpoint)
    }
}

impl ListenedEndpoints {
    /// Removes the endpoints, before the listener closes them.
    pub fn withdraw(&self) {
        self.all.list.lock().retain(|(number, _)| *number != self.number);
    }
}

impl Drop for ListenedEndpoints {
    fn drop(&mut self) {
        self.withdraw();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_local_while_one_of_its_listeners_is_open() {
        let local = Arc::<LocalEndpoints>::default();
        let endpoint = Endpoint::new("iiop", "192.0.2.7:2809").unwrap();
        let first = local.add(std::slice::from_ref(&endpoint));
        let second = local.add(std::slice::from_ref(&endpoint));
        first.withdraw();
        assert!(local.contain(&endpoint));
        drop(second);
        assert!(!local.contain(&endpoint));
    }
}
