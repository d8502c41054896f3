//! Starting and ending an ORB in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

/// Tells probes that the server is ready when its data is loaded.
pub fn publish_health(orb: &Orb, is_loaded: Arc<AtomicBool>) -> Result<(), zorb::Error> {
    orb.add_readiness_check(move || match is_loaded.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err("the table of accounts is being loaded".to_owned()),
    });
    orb.publish_health("Health", Duration::from_secs(30))?;
    Ok(())
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
    use zorb::Health;

    #[test]
    fn an_orb_ends_when_it_is_told() {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let (sender, receiver) = channel::<()>();
        drop(sender);
        assert_eq!(overload(&orb), None);
        serve_until(&orb, move || assert!(receiver.recv().is_err())).unwrap();
    }

    #[test]
    fn a_server_is_ready_when_its_data_is_loaded() {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let is_loaded = Arc::new(AtomicBool::new(false));
        publish_health(&orb, Arc::clone(&is_loaded)).unwrap();
        orb.serve().unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let url = format!("corbaloc:{}/Health", orb.endpoints()[0].replace("iiop://", ":"));
        let health: Health = client.resolve(&url).unwrap();
        let (is_ready, why_not) = health.ready().unwrap();
        assert_eq!((is_ready, &*why_not), (false, "the table of accounts is being loaded"));
        is_loaded.store(true, Ordering::Relaxed);
        assert_eq!(health.ready(), Ok((true, String::new())));
        assert_eq!(health.live(), Ok((true, String::new())));
        client.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    }
}
