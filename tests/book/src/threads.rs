//! Starting and ending an ORB in order.

use zorb::Orb;
use zorb::poa::PoaPolicies;

use crate::quickstart::MyTeller;
use crate::quickstart::clock::Teller;

/// Creates the objects of earlier runs, and then serves.
pub fn start(orb: &Orb, tellers: &[&str]) -> Result<(), zorb::Error> {
    let policies = PoaPolicies::new().persistent().user_ids();
    let poa = orb.root_poa().create("tellers", policies)?;
    for id in tellers {
        let _: Teller = poa.activate_with_id(*id, MyTeller)?;
    }
    // All objects are there: those that are not now do not exist.
    orb.serve()
}

/// Serves until `stop` returns, then lets running requests finish.
pub fn serve_until(orb: &Orb, stop: impl FnOnce() + Send) -> Result<(), zorb::Error> {
    std::thread::scope(|scope| {
        let ending = scope.spawn(|| {
            stop();
            orb.shutdown(true)
        });
        orb.run()?;
        ending.join().unwrap_or(Ok(()))
    })
}

/// Tells when a server needs more room than it has.
pub fn overload(orb: &Orb) -> Option<String> {
    let metrics = orb.metrics();
    let evicted: u64 = metrics.lanes.iter().map(|lane| lane.counts.evicted).sum();
    let is_full = metrics.buffered_octets > metrics.max_buffered_octets / 2;
    (is_full || evicted > 0 || metrics.held_refused > 0)
        .then(|| format!("{}: evicted {evicted}, held {}", metrics.orb, metrics.held))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn an_orb_ends_when_it_is_told() {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let (sender, receiver) = channel::<()>();
        drop(sender);
        assert_eq!(overload(&orb), None);
        serve_until(&orb, move || assert!(receiver.recv().is_err())).unwrap();
    }
}
