//! The program around services.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zorb::{Error, Interface, Orb, Phase};
use zorb_os::repeating::RepeatingThread;
use zorb_store::Store;

use crate::binding::{self, Offer};
#[cfg(feature = "console")]
use crate::console::Console;
use crate::http::{self, Hosts, HttpServer, Request};
use crate::metrics::Metrics;
use crate::pages::Pages;
use crate::supervisor;

/// The key of the object that tells probes whether the services are ready: `zorb ping --ready
/// corbaloc::host:port/Health`.
pub const HEALTH_KEY: &str = "Health";

/// How long no lane may make progress before the services count as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(60);

/// An ORB with services. They start with [`offer`](Self::offer), and end with [`run`](Self::run).
#[derive(Debug)]
pub struct Host {
    orb: Orb,
    store: Option<Arc<dyn Store>>,
    offered: Mutex<Vec<Offer>>,
    binder: Mutex<Option<RepeatingThread>>,
    pages: Arc<Pages>,
    #[cfg(feature = "console")]
    console: Arc<Console>,
    http: Mutex<Vec<HttpServer>>,
}

impl Host {
    /// Prepares an ORB for services: publishes its [health](HEALTH_KEY). The services are not ready before
    /// [`run`](Self::run).
    ///
    /// # Errors
    /// Those of `Orb::publish_health`.
    pub fn new(orb: Orb) -> Result<Self, Error> {
        let health = orb.publish_health(HEALTH_KEY, STUCK_AFTER)?;
        #[cfg(feature = "console")]
        let console = Arc::new(Console::new(health.clone()));
        let pages = Arc::new(Pages::new(orb.downgrade(), health));
        Ok(Self {
            #[cfg(feature = "console")]
            console,
            orb,
            store: None,
            offered: Mutex::default(),
            binder: Mutex::default(),
            pages,
            http: Mutex::default(),
        })
    }

    /// Sets the store of the services; without one, they keep their state in memory. The services are not ready while the
    /// store refuses changes.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn Store>) -> Self {
        let probed = Arc::downgrade(&store);
        self.orb.add_readiness_check(move || match probed.upgrade().map(|store| store.health()) {
            Some(Err(error)) => Err(error.to_string()),
            _ => Ok(()),
        });
        self.pages.set_store(&store);
        self.store = Some(store);
        self
    }

    /// The ORB.
    pub fn orb(&self) -> &Orb {
        &self.orb
    }

    /// The store of the services.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// Publishes the object of a service under its standard name, such as `NameService`: at `corbaloc::host:port/KEY`, as
    /// the ORB's initial reference, and from [`run`](Self::run) on in the naming service.
    ///
    /// # Errors
    /// Those of `Orb::publish` and `Orb::register_initial_reference`: the key is in use.
    pub fn offer<T: Interface>(&self, key: &str, object: &T) -> Result<(), Error> {
        self.orb.publish(key, object)?;
        self.orb.register_initial_reference(key, object)?;
        let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        offered.push((key.to_owned(), object.as_object().clone()));
        Ok(())
    }

    /// Adds the metrics of a service to those that [`serve_metrics`](Self::serve_metrics) shows. `add` is called for each
    /// request, and should not block.
    pub fn add_metrics(&self, add: impl Fn(&mut Metrics) + Send + Sync + 'static) {
        self.pages.add(Arc::new(add));
    }

    /// Serves `/metrics`, in the text format of Prometheus, and `/ready` and `/live` for probes, by HTTP until the host is
    /// dropped. `address` is `host:port`, or a port of the loopback interface; port 0 is a free one. Returns where it
    /// listens.
    ///
    /// Everybody who reaches the address may read. Requests have at most 8 KiB and 5 seconds. Of 32 connections at a time,
    /// fewer with less than 1024 descriptors, the oldest of the IP address that has most makes room for a new one.
    ///
    /// # Errors
    /// `address` is malformed, or cannot be used.
    pub fn serve_metrics(&self, address: &str) -> Result<SocketAddr, Error> {
        let pages = Arc::clone(&self.pages);
        let started = http::resolve(address).and_then(|resolved| {
            let answer = move |request: &Request| pages.answer(request);
            HttpServer::start(resolved, Hosts::at(resolved), Arc::new(answer))
        });
        self.keep(started, "metrics", address)
    }

    /// Serves a page that shows [names](Self::show_names) and [servers](Self::show_servers), by HTTP until the host is
    /// dropped. It changes nothing. `address` is as for [`serve_metrics`](Self::serve_metrics), and so are the limits.
    /// Returns where it listens.
    ///
    /// Everybody who reaches the address may read. Requests must name `localhost`, an address, or the host in `address`, so
    /// that no page of another site reads them in the browser of an operator.
    ///
    /// # Errors
    /// `address` is malformed, or cannot be used.
    #[cfg(feature = "console")]
    pub fn serve_console(&self, address: &str) -> Result<SocketAddr, Error> {
        let console = Arc::clone(&self.console);
        let answer = move |request: &Request| console.answer(request);
        let started = http::resolve(address)
            .and_then(|resolved| HttpServer::start(resolved, Hosts::of(address), Arc::new(answer)));
        self.keep(started, "the console", address)
    }

    /// Shows names at the [console](Self::serve_console). The first call alone has an effect.
    #[cfg(feature = "console")]
    pub fn show_names(&self, names: &zorb_naming::server::NamingService) {
        self.console.show_names(names.clone());
    }

    /// Shows servers at the [console](Self::serve_console), without their command lines and environments. The first call
    /// alone has an effect.
    #[cfg(feature = "console")]
    pub fn show_servers(&self, servers: &zorb_imr::server::ImplementationRepository) {
        self.console.show_servers(servers.clone());
    }

    /// Keeps an HTTP server. Returns where it listens.
    fn keep(
        &self,
        started: std::io::Result<HttpServer>,
        what: &str,
        address: &str,
    ) -> Result<SocketAddr, Error> {
        let server = started.map_err(|error| {
            let what = format!("cannot serve {what} at {address}");
            let is_malformed = error.kind() == std::io::ErrorKind::InvalidInput;
            let failure = Error::new(Phase::Application, what).with_source(error);
            if is_malformed {
                return failure.with_hint("give HOST:PORT, or a port of the loopback interface");
            }
            failure
        })?;
        let listens = server.address();
        self.http.lock().unwrap_or_else(PoisonError::into_inner).push(server);
        Ok(listens)
    }

    /// Serves until SIGTERM or SIGINT; then completes the calls in progress, as `Orb::run_until_signal` does. Calls
    /// [`start`](Self::start) first.
    ///
    /// # Errors
    /// Those of `Orb::run_until_signal`.
    pub fn run(self) -> Result<(), Error> {
        self.start()?;
        self.orb.run_until_signal()
    }

    /// Binds the services in the naming service that the initial reference `NameService` names, its own or another one
    /// (`-ORBInitRef NameService=URL`), and declares them ready. If a name cannot be bound, it logs a warning, and a thread
    /// tries again. Tells systemd, if it has started the program with `Type=notify`, that the services are ready.
    ///
    /// # Errors
    /// Those of `Orb::serve`.
    pub fn start(&self) -> Result<(), Error> {
        let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let binder = binding::bind(&self.orb, &offered);
        *self.binder.lock().unwrap_or_else(PoisonError::into_inner) = binder;
        self.orb.serve()?;
        supervisor::report_ready();
        Ok(())
    }
}
