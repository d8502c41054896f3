//! The names of services in a naming service.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use zorb::{Error, Interface as _, ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};

/// The initial reference of naming services.
const NAME_SERVICE: &str = "NameService";

/// How long binding a service's name may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// When a name that could not be bound is tried again for the first time; the time doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A service's name and object.
pub(crate) type Offer = (String, ObjectRef);

/// A thread that binds the names that could not be bound at the start, until it has bound all, or this is dropped.
#[derive(Debug)]
pub(crate) struct Binder {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Stop {
    // A thread that binds names waits, which serves no calls.
    stopped: Mutex<bool>,
    changed: Condvar,
}

/// Binds services in the naming service that the ORB's initial reference `NameService` names, if there is one, but for the
/// naming service itself. Each is independent of the others; those that cannot be bound are tried again later.
pub(crate) fn bind(orb: &Orb, offers: &[Offer]) -> Option<Binder> {
    let others = offers.iter().filter(|(key, _)| key != NAME_SERVICE).cloned();
    let has_service = orb.initial_names().iter().any(|name| name == NAME_SERVICE);
    let unbound = attempt(orb, others.filter(|_| has_service).collect());
    if unbound.is_empty() {
        return None;
    }
    let stop = Arc::new(Stop::default());
    let (its, orb) = (Arc::clone(&stop), orb.clone());
    let run = move || {
        let (mut unbound, mut pause) = (unbound, FIRST_PAUSE);
        while !unbound.is_empty() && !its.wait(pause) {
            unbound = attempt(&orb, unbound);
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    };
    match Builder::new().name("zorb-names".to_owned()).spawn(run) {
        Ok(thread) => Some(Binder { stop, thread: Some(thread) }),
        Err(error) => {
            tracing::warn!(%error, "cannot start the thread that binds the services again");
            None
        }
    }
}

/// Binds services. Returns those that could not be bound.
fn attempt(orb: &Orb, offers: Vec<Offer>) -> Vec<Offer> {
    if offers.is_empty() {
        return offers;
    }
    let bind = |key: &str, object: &ObjectRef| -> Result<(), Error> {
        let root = orb.initial_reference::<NamingContext>(NAME_SERVICE)?.with_timeout(TIMEOUT);
        let name = [NameComponent { id: key.to_owned(), kind: String::new() }];
        Ok(root.rebind(&name, Some(object))?)
    };
    offers
        .into_iter()
        .filter(|(key, object)| match bind(key, object) {
            Ok(()) => false,
            Err(error) => {
                let error = zorb::Report(&error).to_string();
                tracing::warn!(service = %key, %error, "cannot bind a service in the naming service");
                true
            }
        })
        .collect()
}

impl Stop {
    /// Waits; returns whether the thread should end.
    fn wait(&self, pause: Duration) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(stopped, pause, |stopped| !*stopped);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Binder {
    fn drop(&mut self) {
        *self.stop.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It does not panic.
            let _ = thread.join();
        }
    }
}
