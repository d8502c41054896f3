//! The program around services.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zorb::{Error, Interface, ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};
use zorb_store::Store;

/// The key of the object that tells probes whether the services are ready: `zorb ping --ready
/// corbaloc::host:port/Health`.
pub const HEALTH_KEY: &str = "Health";

/// How long no lane may make progress before the services count as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(60);

/// How long binding a service's name may take.
const BINDING_TIMEOUT: Duration = Duration::from_secs(5);

/// An ORB with services. They start with [`offer`](Self::offer), and end with [`run`](Self::run).
#[derive(Debug)]
pub struct Host {
    orb: Orb,
    store: Option<Arc<dyn Store>>,
    offered: Mutex<Vec<(String, ObjectRef)>>,
}

impl Host {
    /// Prepares an ORB for services: publishes its [health](HEALTH_KEY). The services are not ready before
    /// [`run`](Self::run).
    ///
    /// # Errors
    /// Those of `Orb::publish_health`.
    pub fn new(orb: Orb) -> Result<Self, Error> {
        orb.publish_health(HEALTH_KEY, STUCK_AFTER)?;
        Ok(Self { orb, store: None, offered: Mutex::default() })
    }

    /// Sets the store of the services; without one, they keep their state in memory.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn Store>) -> Self {
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
    /// (`-ORBInitRef NameService=URL`), and declares them ready. If a name cannot be bound, it logs a warning.
    ///
    /// # Errors
    /// Those of `Orb::serve`.
    pub fn start(&self) -> Result<(), Error> {
        self.bind();
        self.orb.serve()
    }

    /// Binds the services in the naming service, if there is one.
    fn bind(&self) {
        const NAME_SERVICE: &str = "NameService";
        if !self.orb.initial_names().iter().any(|name| name == NAME_SERVICE) {
            return;
        }
        let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let others: Vec<_> = offered.iter().filter(|(key, _)| key != NAME_SERVICE).collect();
        if others.is_empty() {
            return;
        }
        let bound = self.orb.initial_reference(NAME_SERVICE).and_then(|root: NamingContext| {
            let root = root.with_timeout(BINDING_TIMEOUT);
            others.iter().try_for_each(|(key, object)| {
                let name = [NameComponent { id: key.clone(), kind: String::new() }];
                root.rebind(&name, Some(object)).map_err(Error::from)
            })
        });
        if let Err(error) = bound {
            tracing::warn!(error = %zorb::Report(&error), "cannot bind the services in the naming service");
        }
    }
}
