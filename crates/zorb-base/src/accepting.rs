//! Accepting connections: what a listener does when descriptors run out.

use std::sync::Arc;

use zorb_os::event::EventFd;
use zorb_transport::{AcceptError, Acceptor, Stream, log_limited};

/// Decides about the connections that a listener accepts.
pub trait Admission: Send + Sync {
    /// Serves a connection, if there is room for it.
    fn admit(&self, stream: Arc<dyn Stream>);

    /// Closes an idle connection to free its descriptor. Returns whether there is one.
    fn make_room(&self) -> bool;

    /// Closes another connection, which is not idle, in place of `client`; `None` for one that cannot be accepted. Returns
    /// whether there is one that may close for this client.
    fn make_room_for(&self, client: Option<&dyn Stream>) -> bool {
        let _ = client;
        false
    }

    /// Closes a connection in order without serving it.
    fn turn_away(&self, stream: Arc<dyn Stream>);
}

/// Accepts connections until the acceptor is closed. When no descriptor is free, it accepts the next client with a
/// spare one, and then closes another connection or turns the client away. Clients therefore do not wait in the
/// backlog.
pub fn accept(acceptor: &dyn Acceptor, admission: &dyn Admission) {
    accept_with(acceptor, admission, || EventFd::new().ok());
}

fn accept_with<S>(
    acceptor: &dyn Acceptor,
    admission: &dyn Admission,
    open_spare: impl Fn() -> Option<S>,
) {
    let mut spare = open_spare();
    // Whether it has waited for a descriptor already.
    let mut has_waited = false;
    loop {
        match acceptor.accept() {
            Ok(stream) => {
                has_waited = false;
                spare = spare.or_else(&open_spare);
                if spare.is_some()
                    || admission.make_room()
                    || admission.make_room_for(Some(&*stream))
                {
                    admission.admit(stream);
                } else {
                    admission.turn_away(stream);
                    spare = open_spare();
                }
            }
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source }) => {
                log_limited!(warn, error = %source, "out of descriptors or memory: pausing accept");
                // Also if no client waits: the system looks for a descriptor first.
                if spare.take().is_none() {
                    // That of a connection that has just been closed may be free in a moment.
                    if has_waited && !admission.make_room() {
                        admission.make_room_for(None);
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
    use std::sync::atomic::{AtomicBool, Ordering};
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
        is_idle: AtomicBool,
        /// Whether a connection can be closed for a client that has been accepted.
        is_held: AtomicBool,
        clients: Mutex<u32>,
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
            if *clients == 0 {
                return Err(AcceptError::Closed);
            }
            if !self.take() {
                let source = io::ErrorKind::QuotaExceeded.into();
                return Err(AcceptError::Busy { retry_after: Duration::ZERO, source });
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

        fn make_room(&self) -> bool {
            let was_idle = self.is_idle.swap(false, Ordering::Relaxed);
            if was_idle {
                self.note("closed one");
                *self.left.lock().unwrap() += 1;
            }
            was_idle
        }

        fn make_room_for(&self, client: Option<&dyn Stream>) -> bool {
            let was_held = self.is_held.swap(false, Ordering::Relaxed);
            if was_held {
                self.note(if client.is_some() { "closed one for it" } else { "closed one" });
                *self.left.lock().unwrap() += 1;
            }
            was_held
        }

        fn turn_away(&self, _: Arc<dyn Stream>) {
            self.note("turned away");
            *self.left.lock().unwrap() += 1;
        }
    }

    fn process(left: u32, clients: u32) -> Process {
        Process {
            endpoint: Endpoint::new("inproc", "a").unwrap(),
            log: Mutex::default(),
            left: Mutex::new(left),
            is_idle: AtomicBool::new(false),
            is_held: AtomicBool::new(false),
            clients: Mutex::new(clients),
        }
    }

    #[test]
    fn without_descriptors_a_connection_closes_for_a_client_that_is_known() {
        let process = Process { is_held: AtomicBool::new(true), ..process(2, 4) };
        accept_with(&process, &&process, || process.take().then(|| Descriptor(&process)));
        let seen = process.log.into_inner().unwrap();
        let expected = ["admitted", "closed one for it", "admitted", "turned away", "turned away"];
        assert_eq!(seen, expected);
    }

    #[test]
    fn without_a_spare_descriptor_a_connection_closes_for_any_client() {
        let process = Process { is_held: AtomicBool::new(true), ..process(0, 1) };
        accept_with(&process, &&process, || None::<Descriptor<'_>>);
        assert_eq!(process.log.into_inner().unwrap(), ["closed one", "turned away"]);
    }

    #[test]
    fn without_descriptors_idle_connections_end_or_clients_are_turned_away() {
        // One of the descriptors is spare.
        let process = Process { is_idle: AtomicBool::new(true), ..process(2, 4) };
        let spare = || process.take().then(|| Descriptor(&process));
        accept_with(&process, &&process, spare);
        let seen = process.log.into_inner().unwrap();
        assert_eq!(seen, ["admitted", "closed one", "admitted", "turned away", "turned away"]);
        assert_eq!(*process.left.lock().unwrap(), 1, "the spare one");
    }
}
