//! One endpoint that the ORB listens on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zorb_base::accepting::{Admission, accept};
use zorb_base::error::{Error, Phase};
use zorb_base::local_endpoints::ListenedEndpoints;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::ServedPriority;
use zorb_base::threads::ThreadCount;
use zorb_os::event::EventFd;
use zorb_transport::{Acceptor, ListenOptions, Protocol, Workers};

use crate::context::ServerContext;

/// The maximum number of clients that are rejected when an endpoint closes. Others are disconnected.
const MAX_REJECTED: usize = 4096;

/// A bound endpoint, and the thread that accepts its connections once the ORB listens.
#[derive(Debug)]
pub struct Listener {
    /// The protocol of its connections.
    pub protocol: Arc<dyn Protocol>,
    /// Accepts them.
    pub acceptor: Arc<dyn Acceptor>,
    /// Makes references with its endpoints local; `None` for groups.
    endpoints: Option<ListenedEndpoints>,
    /// Whether it accepts connections.
    accepts: AtomicBool,
}

impl Listener {
    /// Binds an endpoint for one `priority` or all. `workers` prepares its transport's threads.
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
        options.bind_only = true;
        options.backlog = context.options().backlog;
        options.publish_rules = context.options().publish_rules.clone();
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
        Self { protocol, acceptor, endpoints, accepts: AtomicBool::new(false) }
    }

    /// Stops accepting connections. Clients that wait to be accepted are told by `admission` that they may try elsewhere.
    pub(super) fn close(&self, admission: Option<&dyn Admission>) {
        if let Some(endpoints) = &self.endpoints {
            endpoints.withdraw();
        }
        if let Some(admission) = admission {
            self.acceptor.close_backlog();
            self.reject_waiting(admission);
        }
        self.acceptor.close();
        if let Some(admission) = admission {
            // Those that have come since, where closing does not disconnect them.
            self.reject_waiting(admission);
        }
    }

    fn reject_waiting(&self, admission: &dyn Admission) {
        let waiting = std::iter::from_fn(|| self.acceptor.accept_waiting());
        waiting.take(MAX_REJECTED).for_each(|stream| admission.reject(stream));
    }

    /// Whether its endpoints are for references to objects, not to groups.
    pub fn is_for_objects(&self) -> bool {
        self.protocol.groups().is_none()
    }

    /// Listens, and accepts on a new thread of `threads`, which calls `begin` and passes connections to `admission`.
    /// When no descriptor is free, the `spare` one makes room for a client that is rejected. Calls of one listener
    /// exclude each other; a second one has no effect.
    pub(crate) fn start(
        &self,
        threads: &Arc<ThreadCount>,
        begin: impl FnOnce() + Send + 'static,
        admission: impl FnOnce() -> Box<dyn Admission>,
        spare: Option<EventFd>,
    ) -> Result<(), Error> {
        if self.accepts.load(Ordering::Acquire) {
            return Ok(());
        }
        let endpoint = self.acceptor.endpoint();
        let failed = |error| Error::new(Phase::Listen, endpoint.to_string()).with_source(error);
        self.acceptor.listen().map_err(failed)?;
        let (acceptor, admission) = (Arc::clone(&self.acceptor), admission());
        let accepting = move || {
            begin();
            accept(&*acceptor, &*admission, spare);
        };
        threads.spawn("zorb-accept", accepting).map_err(failed)?;
        self.accepts.store(true, Ordering::Release);
        Ok(())
    }
}
