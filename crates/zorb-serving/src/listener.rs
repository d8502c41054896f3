//! One endpoint that the ORB listens on.

use std::io;
use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_base::local_endpoints::ListenedEndpoints;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::ServedPriority;
use zorb_base::threads::ThreadCount;
use zorb_os::event::EventFd;
use zorb_transport::{
    AcceptError, Acceptor, ListenOptions, Protocol, Stream, Workers, log_limited,
};

use crate::context::ServerContext;

/// An open endpoint and the thread that accepts its connections.
#[derive(Debug)]
pub struct Listener {
    /// The protocol of its connections.
    pub protocol: Arc<dyn Protocol>,
    /// Accepts them.
    pub acceptor: Arc<dyn Acceptor>,
    /// Makes references with its endpoints local; `None` for groups.
    endpoints: Option<ListenedEndpoints>,
}

/// Decides about the connections that a listener accepts.
pub(crate) trait Admission: Send {
    /// Serves a connection, if there is room for it.
    fn admit(&self, protocol: &dyn Protocol, stream: Arc<dyn Stream>);

    /// Closes an idle connection to free its descriptor. Returns whether there is one.
    fn make_room(&self) -> bool;

    /// Closes a connection in order without serving it.
    fn turn_away(&self, protocol: &dyn Protocol, stream: Arc<dyn Stream>);
}

impl Listener {
    /// Opens an endpoint for one `priority` or all. `workers` prepares its transport's threads.
    pub(super) fn open(
        context: &ServerContext,
        url: &str,
        priority: Option<i16>,
        workers: Workers,
    ) -> Result<Self, Error> {
        let failed = || Error::new(Phase::Listen, url.to_owned());
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        let protocol = context.protocols().by_scheme(scheme).ok_or_else(|| {
            let known: Vec<_> = context.protocols().protocols();
            let hint = context.options().suggest_protocol(scheme, &known);
            failed()
                .with_source(format!("no protocol {scheme:?}"))
                .with_hint(format!("an endpoint looks like SCHEME://ADDRESS; {hint}"))
        })?;
        let mut options = ListenOptions::default();
        options.workers = workers;
        let stream = context.options().stream.clone();
        let served = ServedPriority { endpoint: priority, ..ServedPriority::default() };
        options.stream = context.network_options(served, stream, None);
        let acceptor = protocol.transport().listen(url, &options).map_err(|error| {
            let hint = error.hint().map(str::to_owned);
            let failure = failed().with_source(error);
            match hint {
                Some(hint) => failure.with_hint(hint),
                None => failure,
            }
        })?;
        let transport = protocol.transport();
        context.local_sockets().permit(transport, acceptor.endpoint());
        if !protocol.is_secured() && transport.local_socket(acceptor.endpoint()).is_none() {
            let all = context.protocols().protocols();
            if let Some(secured) = all.iter().find(|protocol| protocol.is_secured()) {
                let (endpoint, secured) = (acceptor.endpoint(), secured.scheme());
                tracing::warn!(%endpoint, "listening without encryption, although {secured} is configured");
            }
        }
        Ok(Self::new(context.orb(), protocol, acceptor))
    }

    fn new(orb: &OrbCore, protocol: Arc<dyn Protocol>, acceptor: Arc<dyn Acceptor>) -> Self {
        let is_for_objects = protocol.groups().is_none();
        let endpoints = is_for_objects.then(|| orb.local_endpoints().add(acceptor.published()));
        Self { protocol, acceptor, endpoints }
    }

    /// Stops accepting connections.
    pub(super) fn close(&self) {
        if let Some(endpoints) = &self.endpoints {
            endpoints.withdraw();
        }
        self.acceptor.close();
    }

    /// Whether its endpoints are for references to objects, not to groups.
    pub fn is_for_objects(&self) -> bool {
        self.protocol.groups().is_none()
    }

    /// Starts accepting on a new thread of `threads`, which calls `begin` and passes connections to
    /// `admission`.
    pub(crate) fn start(
        &self,
        threads: &Arc<ThreadCount>,
        begin: impl FnOnce() + Send + 'static,
        admission: Box<dyn Admission>,
    ) -> io::Result<()> {
        let acceptor = Arc::clone(&self.acceptor);
        let protocol = Arc::clone(&self.protocol);
        threads.spawn("zorb-accept", move || {
            begin();
            accept(&*protocol, &*acceptor, &*admission, || EventFd::new().ok());
        })
    }
}

/// Accepts connections until the acceptor is closed. Without free descriptors it closes an idle connection;
/// if there is none, it uses a spare descriptor to accept and close connections, so that clients do not wait
/// in the backlog.
fn accept<S>(
    protocol: &dyn Protocol,
    acceptor: &dyn Acceptor,
    admission: &dyn Admission,
    open_spare: impl Fn() -> Option<S>,
) {
    let mut spare = open_spare();
    loop {
        match acceptor.accept() {
            Ok(stream) => {
                spare = spare.or_else(&open_spare);
                if spare.is_some() {
                    admission.admit(protocol, stream);
                } else {
                    admission.turn_away(protocol, stream);
                    spare = open_spare();
                }
            }
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source }) => {
                log_limited!(warn, error = %source, "out of descriptors or memory: pausing accept");
                if admission.make_room() || spare.take().is_none() {
                    std::thread::park_timeout(retry_after);
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
    use zorb_transport::inproc::{InprocProtocol, InprocTransport};

    use super::*;

    /// Clients that wait for descriptors, and connections that can be closed for them.
    #[derive(Debug)]
    struct Process {
        endpoint: Endpoint,
        log: Mutex<Vec<&'static str>>,
        /// Descriptors left.
        left: Mutex<u32>,
        is_idle: AtomicBool,
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
        fn admit(&self, _: &dyn Protocol, _: Arc<dyn Stream>) {
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

        fn turn_away(&self, _: &dyn Protocol, _: Arc<dyn Stream>) {
            self.note("turned away");
            *self.left.lock().unwrap() += 1;
        }
    }

    #[test]
    fn without_descriptors_idle_connections_end_or_clients_are_turned_away() {
        let process = Process {
            endpoint: Endpoint::new("inproc", "a").unwrap(),
            log: Mutex::default(),
            left: Mutex::new(2), // one of them spare
            is_idle: AtomicBool::new(true),
            clients: Mutex::new(4),
        };
        let protocol = InprocProtocol::new(InprocTransport::new());
        let spare = || process.take().then(|| Descriptor(&process));
        accept(&protocol, &process, &&process, spare);
        let seen = process.log.into_inner().unwrap();
        assert_eq!(seen, ["admitted", "closed one", "admitted", "turned away", "turned away"]);
        assert_eq!(*process.left.lock().unwrap(), 1, "the spare one");
    }
}
