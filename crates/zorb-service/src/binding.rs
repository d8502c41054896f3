//! The names of services in a naming service.

use std::time::{Duration, Instant};

use zorb::{Error, ObjectRef, Orb};
use zorb_naming::cos_naming::{NameComponent, NamingContext};
use zorb_naming::naming_extensions::ExtendedContext;
use zorb_os::repeating::RepeatingThread;

use crate::options::ServiceOptions;

/// The initial reference of naming services.
const NAME_SERVICE: &str = "NameService";

/// How long binding a service's name may take, at most and, for one of many with a lease, at least.
const TIMEOUT: Duration = Duration::from_secs(5);
const LEAST_TIMEOUT: Duration = Duration::from_secs(1);

/// When a name that could not be bound is tried again for the first time; the time doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How often a lease is renewed in its time: one attempt may fail.
const RENEWALS: u32 = 3;

/// A service's name and object.
pub(crate) type Offer = (String, ObjectRef);

/// Binds services in the naming service that the ORB's initial reference `NameService` names, if there is one, but for the
/// naming service itself. Each is independent of the others; the thread that is returned tries those again that could not be
/// bound, until all are, and renews leases; until it is dropped.
pub(crate) fn bind(orb: &Orb, offers: &[Offer]) -> Option<RepeatingThread> {
    let has_service = orb.initial_names().iter().any(|name| name == NAME_SERVICE);
    let others = offers.iter().filter(|(key, _)| has_service && key != NAME_SERVICE);
    let others: Vec<Offer> = others.cloned().collect();
    let unbound = attempt(orb, others.clone());
    let lease = lease(orb).filter(|_| !others.is_empty());
    if unbound.is_empty() && lease.is_none() {
        return None;
    }
    let mut schedule = Schedule { all: others, unbound, lease, pause: FIRST_PAUSE };
    let orb = orb.clone();
    let first = schedule.next()?;
    let run = move || {
        let begun = Instant::now();
        schedule.unbound = attempt(&orb, schedule.due());
        let pause = schedule.next();
        // A lease runs while it is being renewed.
        let passed = schedule.lease.map_or(Duration::ZERO, |_| begun.elapsed());
        pause.map(|pause| pause.saturating_sub(passed))
    };
    match RepeatingThread::start("zorb-names", first, run) {
        Ok(thread) => Some(thread),
        Err(error) => {
            tracing::warn!(%error, "cannot start the thread that binds the services again");
            None
        }
    }
}

/// What is bound again, and when.
struct Schedule {
    all: Vec<Offer>,
    unbound: Vec<Offer>,
    lease: Option<Duration>,
    /// The next pause before those are tried again that could not be bound.
    pause: Duration,
}

impl Schedule {
    /// Those to bind now: with a lease, all.
    fn due(&mut self) -> Vec<Offer> {
        match self.lease {
            Some(_) => self.all.clone(),
            None => std::mem::take(&mut self.unbound),
        }
    }

    /// The time until the next attempt; `None` if there is nothing to do any more.
    fn next(&mut self) -> Option<Duration> {
        let renewal = self.lease.map(|lease| lease / RENEWALS);
        if self.unbound.is_empty() {
            self.pause = FIRST_PAUSE;
            return renewal;
        }
        let pause = self.pause;
        self.pause = LONGEST_PAUSE.min(pause * 2);
        Some(renewal.map_or(pause, |renewal| renewal.min(pause)))
    }
}

/// The lease of services' names, in whole seconds; `None` for names that stay.
fn lease(orb: &Orb) -> Option<Duration> {
    let lease = orb.options().get::<ServiceOptions>()?.service_lease;
    (!lease.is_zero()).then(|| Duration::from_secs(lease.as_secs().max(1)))
}

/// How long binding one of so many names may take: together no longer than until the next renewal, if that is enough time.
fn timeout(lease: Option<Duration>, count: usize) -> Duration {
    let Some(lease) = lease else { return TIMEOUT };
    let all = RENEWALS.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
    (lease / all.max(1)).clamp(LEAST_TIMEOUT, TIMEOUT)
}

/// Binds services. Returns those that could not be bound.
fn attempt(orb: &Orb, offers: Vec<Offer>) -> Vec<Offer> {
    if offers.is_empty() {
        return offers;
    }
    let lease = lease(orb);
    let timeout = timeout(lease, offers.len());
    let seconds = lease.map(|lease| u32::try_from(lease.as_secs()).unwrap_or(u32::MAX));
    let bind = |key: &str, object: &ObjectRef| -> Result<(), Error> {
        // Not of its type: the service might be asked for it, without a time limit.
        let root = orb.initial_reference::<ObjectRef>(NAME_SERVICE)?.with_timeout(timeout);
        let name = [NameComponent { id: key.to_owned(), kind: String::new() }];
        match seconds {
            Some(seconds) => {
                let root: ExtendedContext = root.unchecked_narrow();
                Ok(root.rebind_for(&name, Some(object), seconds)?)
            }
            None => {
                let root: NamingContext = root.unchecked_narrow();
                Ok(root.rebind(&name, Some(object))?)
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_are_renewed_and_failures_tried_again() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let object: ObjectRef = orb.string_to_object("corbaloc::127.0.0.1:1/x").unwrap().unwrap();
        let offer = |key: &str| (key.to_owned(), object.clone());
        let seconds = Duration::from_secs;
        let all = vec![offer("a"), offer("b")];
        let unbound = vec![offer("b")];
        let mut without = Schedule { all: all.clone(), unbound, lease: None, pause: FIRST_PAUSE };
        assert_eq!((without.next(), without.next()), (Some(seconds(1)), Some(seconds(2))));
        assert_eq!((without.due().len(), without.next()), (1, None));
        let lease = Some(seconds(9));
        let mut leased = Schedule { all, unbound: Vec::new(), lease, pause: FIRST_PAUSE };
        assert_eq!((leased.next(), leased.due().len()), (Some(seconds(3)), 2));
        leased.unbound.push(offer("a"));
        let pauses: Vec<_> = (0..3).filter_map(|_| leased.next()).collect();
        assert_eq!(pauses, [seconds(1), seconds(2), seconds(3)]);
        let timeouts = [(None, 9), (Some(60), 1), (Some(60), 5), (Some(60), 10), (Some(1), 0)]
            .map(|(lease, count)| timeout(lease.map(seconds), count));
        assert_eq!(timeouts, [5, 5, 4, 2, 1].map(seconds));
        orb.shutdown(true).unwrap();
    }
}
