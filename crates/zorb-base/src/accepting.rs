//! Accepting connections: what a listener does when descriptors run out.

use std::sync::Arc;

use zorb_os::event::EventFd;
use zorb_transport::{AcceptError, Acceptor, Stream, log_limited};

/// Decides about the connections that a listener accepts.
pub trait Admission: Send + Sync {
    /// Serves a connection, if there is room for it.
    fn admit(&self, stream: Arc<dyn Stream>);

    /// Closes another connection to free its descriptor for `client`, which is not admitted yet; `None` for one that cannot
    /// be accepted. Returns whether there is one that may close for this client.
    fn make_room(&self, client: Option<&dyn Stream>) -> bool;

    /// Closes a connection in order without serving it.
    fn reject(&self, stream: Arc<dyn Stream>);
}

/// Accepts connections until the acceptor is closed. When no descriptor is free, it accepts the next client in place of
/// the `spare` one, and then closes another connection or rejects the client. Clients therefore do not wait in the
/// backlog.
pub fn accept(acceptor: &dyn Acceptor, admission: &dyn Admission, spare: Option<EventFd>) {
    accept_with(acceptor, admission, spare, || EventFd::new().ok());
}

fn accept_with<S>(
    acceptor: &dyn Acceptor,
    admission: &dyn Admission,
    mut spare: Option<S>,
    open_spare: impl Fn() -> Option<S>,
) {
    // Whether it has waited for a descriptor already.
    let mut has_waited = false;
    loop {
        match acceptor.accept() {
            Ok(stream) => {
                has_waited = false;
                spare = spare.or_else(&open_spare);
                if spare.is_some() || admission.make_room(Some(&*stream)) {
                    admission.admit(stream);
                } else {
                    admission.reject(stream);
                    spare = open_spare();
                }
            }
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source, has_client }) => {
                log_limited!(warn, error = %source, "out of descriptors or memory: pausing accept");
                // Also if no client waits: the system looks for a descriptor first.
                if spare.take().is_none() {
                    // That of a connection that has just been closed may be free in a moment.
                    if has_waited && has_client {
                        admission.make_room(None);
                    }
                    std::thread::park_timeout(retry_after);
                    has_waited = true;
                }
            }
            Err(AcceptError::Failed(error)) => {
                tracing::error!(%error, endpoint = %acceptor.endpoint(), "accepting failed");
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::time::Duration;

    use zorb_testkit::Scripted;
    use zorb_transport::Endpoint;

    use super::*;

    /// Clients that wait for descriptors, and connections that can be closed for them.
    #[derive(Debug)]
    struct Process {
        endpoint: Endpoint,
        log: Mutex<Vec<&'static str>>,
        /// Descriptors left.
        left: Mutex<u32>,
        /// Whether a connection can be closed.
        has_one: AtomicBool,
        clients: Mutex<u32>,
        /// How often there is no descriptor before any client comes.
        tries: AtomicU32,
    }

    /// A descriptor, which is free again when dropped.
    struct Descriptor<'a>(&'a Process);

    impl Drop for Descriptor<'_> {
        fn drop(&mut self) {
            *self.0.left.lock().unwrap() += 1;
        }
    }

    impl Process {
        fn take(&self) -> bool {
            let mut left = self.left.lock().unwrap();
            let has_one = *left > 0;
            *left -= u32::from(has_one);
            has_one
        }

        fn note(&self, what: &'static str) {
            self.log.lock().unwrap().push(what);
        }
    }

    impl Acceptor for Process {
        fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
            let mut clients = self.clients.lock().unwrap();
            let none_yet = self.tries.load(Ordering::Relaxed) > 0;
            if *clients == 0 && !none_yet {
                return Err(AcceptError::Closed);
            }
            if none_yet || !self.take() {
                let less = |tries: u32| tries.checked_sub(1);
                let _ = self.tries.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
                let source = io::ErrorKind::QuotaExceeded.into();
                let retry_after = Duration::ZERO;
                return Err(AcceptError::Busy { retry_after, source, has_client: !none_yet });
            }
            *clients -= 1;
            Ok(Arc::new(Scripted::new(|_| Ok(0), |_| Ok(None))))
        }

        fn close(&self) {}

        fn endpoint(&self) -> &Endpoint {
            &self.endpoint
        }

        fn published(&self) -> &[Endpoint] {
            &[]
        }
    }

    impl Admission for &Process {
        fn admit(&self, _: Arc<dyn Stream>) {
            self.note("admitted");
        }

        fn make_room(&self, client: Option<&dyn Stream>) -> bool {
            let has_one = self.has_one.swap(false, Ordering::Relaxed);
            if has_one {
                self.note(if client.is_some() { "closed one for it" } else { "closed one" });
                *self.left.lock().unwrap() += 1;
            }
            has_one
        }

        fn reject(&self, _: Arc<dyn Stream>) {
            self.note("rejected");
            *self.left.lock().unwrap() += 1;
        }
    }

    fn process(left: u32, clients: u32) -> Process {
        Process {
            endpoint: Endpoint::new("inproc", "a").unwrap(),
            log: Mutex::default(),
            left: Mutex::new(left),
            has_one: AtomicBool::new(false),
            clients: Mutex::new(clients),
            tries: AtomicU32::new(0),
        }
    }

    #[test]
    fn without_descriptors_connections_close_or_clients_are_rejected() {
        // One of the descriptors is spare.
        let process = Process { has_one: AtomicBool::new(true), ..process(2, 4) };
        let spare = || process.take().then(|| Descriptor(&process));
        accept_with(&process, &&process, spare(), spare);
        let seen = process.log.into_inner().unwrap();
        let expected = ["admitted", "closed one for it", "admitted", "rejected", "rejected"];
        assert_eq!(seen, expected);
        assert_eq!(*process.left.lock().unwrap(), 1, "the spare one");
    }

    #[test]
    fn without_a_spare_descriptor_a_connection_closes_if_a_client_waits() {
        for (clients, expected) in [(1, &["closed one", "rejected"][..]), (0, &[])] {
            let has_one = AtomicBool::new(true);
            let process = Process { has_one, tries: AtomicU32::new(5), ..process(0, clients) };
            accept_with(&process, &&process, None, || None::<Descriptor<'_>>);
            assert_eq!(process.log.into_inner().unwrap(), expected);
        }
    }
}
