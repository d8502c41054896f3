//! The names of services in a naming service.

use std::time::Duration;

use zorb::{Error, ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};
use zorb_os::repeating::RepeatingThread;

/// The initial reference of naming services.
const NAME_SERVICE: &str = "NameService";

/// How long binding a service's name may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// When a name that could not be bound is tried again for the first time; the time doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A service's name and object.
pub(crate) type Offer = (String, ObjectRef);

/// Binds services in the naming service that the ORB's initial reference `NameService` names, if there is one, but for the
/// naming service itself. Each is independent of the others; the thread that is returned tries those again that could not be
/// bound, until all are, or it is dropped.
pub(crate) fn bind(orb: &Orb, offers: &[Offer]) -> Option<RepeatingThread> {
    let others = offers.iter().filter(|(key, _)| key != NAME_SERVICE).cloned();
    let has_service = orb.initial_names().iter().any(|name| name == NAME_SERVICE);
    let unbound = attempt(orb, others.filter(|_| has_service).collect());
    if unbound.is_empty() {
        return None;
    }
    let orb = orb.clone();
    let (mut unbound, mut pause) = (unbound, FIRST_PAUSE);
    let run = move || {
        unbound = attempt(&orb, std::mem::take(&mut unbound));
        pause = LONGEST_PAUSE.min(pause * 2);
        (!unbound.is_empty()).then_some(pause)
    };
    match RepeatingThread::start("zorb-names", FIRST_PAUSE, run) {
        Ok(thread) => Some(thread),
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
        // Not of its type: the service might be asked for it, without a time limit.
        let root = orb.initial_reference::<ObjectRef>(NAME_SERVICE)?.with_timeout(TIMEOUT);
        let root: NamingContext = root.unchecked_narrow();
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
