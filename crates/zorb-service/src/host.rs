//! The program around services.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zorb::{Error, Interface, Orb};
use zorb_store::Store;

use crate::binding::{self, Binder, Offer};

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
    binder: Mutex<Option<Binder>>,
}

impl Host {
    /// Prepares an ORB for services: publishes its [health](HEALTH_KEY). The services are not ready before
    /// [`run`](Self::run).
    ///
    /// # Errors
    /// Those of `Orb::publish_health`.
    pub fn new(orb: Orb) -> Result<Self, Error> {
        orb.publish_health(HEALTH_KEY, STUCK_AFTER)?;
        Ok(Self { orb, store: None, offered: Mutex::default(), binder: Mutex::default() })
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
    /// tries again.
    ///
    /// # Errors
    /// Those of `Orb::serve`.
    pub fn start(&self) -> Result<(), Error> {
        let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let binder = binding::bind(&self.orb, &offered);
        *self.binder.lock().unwrap_or_else(PoisonError::into_inner) = binder;
        self.orb.serve()
    }
}
