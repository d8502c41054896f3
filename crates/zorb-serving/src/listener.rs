//! One endpoint that the ORB listens on.

use std::io;
use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_base::local_endpoints::ListenedEndpoints;
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::ServedPriority;
use zorb_base::threads::ThreadCount;
use zorb_os::event::EventFd;
use zorb_transport::{AcceptError, Acceptor, ListenOptions, Protocol, Stream, Workers};

use crate::context::ServerContext;

/// An open endpoint and the thread that accepts its connections.
#[derive(Debug)]
pub struct Listener {
    /// The protocol of its connections.
    pub protocol: Arc<dyn Protocol>,
    /// What accepts them.
    pub acceptor: Arc<dyn Acceptor>,
    /// Makes references with its endpoints local ones; `None` if they are for groups.
    endpoints: Option<ListenedEndpoints>,
}

/// Decides about the connections that clients have made to a listener.
pub(crate) trait Admission: Send {
    /// Has a connection be served, if there is room for it.
    fn admit(&self, protocol: &dyn Protocol, stream: Arc<dyn Stream>);

    /// Closes an idle connection, whose descriptor a new one needs. Returns whether there is one.
    fn make_room(&self) -> bool;

    /// Tells a client that it may try elsewhere.
    fn turn_away(&self, protocol: &dyn Protocol, stream: Arc<dyn Stream>);
}

impl Listener {
    /// Opens an endpoint, which serves one priority or all, and whose transport's threads are like
    /// `workers`.
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
        if !protocol.is_secured() {
            let all = context.protocols().protocols();
            if let Some(secured) = all.iter().find(|protocol| protocol.is_secured()) {
                let (endpoint, secured) = (acceptor.endpoint(), secured.scheme());
                tracing::warn!(%endpoint, "listening without encryption, although {secured} is configured");
            }
        }
        Ok(Self::new(context.orb(), protocol, acceptor))
    }

    /// The listener of an endpoint that has been opened.
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

    /// Whether its endpoints stand in the references of objects, not in those of groups.
    pub fn is_for_objects(&self) -> bool {
        self.protocol.groups().is_none()
    }

    /// Starts accepting on one of `threads`, which is made ready by `begin` and gives connections to
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
            accept(&*protocol, &*acceptor, &*admission);
        })
    }
}

/// Accepts connections until the acceptor is closed. When descriptors run short an idle connection is closed;
/// without one, a spare descriptor lets clients in to be turned away, rather than wait in the backlog.
pub(crate) fn accept(protocol: &dyn Protocol, acceptor: &dyn Acceptor, admission: &dyn Admission) {
    let open_spare = || EventFd::new().ok();
    let mut spare = open_spare();
    loop {
        match acceptor.accept() {
            Ok(stream) => {
                spare = spare.or_else(open_spare);
                if spare.is_some() {
                    admission.admit(protocol, stream);
                } else {
                    admission.turn_away(protocol, stream);
                    spare = open_spare();
                }
            }
            Err(AcceptError::Closed) => return,
            Err(AcceptError::Busy { retry_after, source }) => {
                tracing::warn!(error = %source, "accepting is out of resources");
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
