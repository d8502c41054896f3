//! Requests for objects of other servers, which a forwarder knows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{Echo, Servant, builder, server, until};
use zorb_core::Orb;
use zorb_core::poa::{ForwardTo, Forwarder, HeldRequests};
use zorb_giop::Ior;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

/// Knows keys that begin with `there`.
struct Knowing {
    held: HeldRequests,
    /// Where they are; they wait until it is known.
    there: Mutex<Option<Ior>>,
    /// What it was asked, and whether the request had been held.
    asked: Mutex<Vec<(Vec<u8>, bool)>>,
    has_ended: AtomicBool,
}

impl Forwarder for Knowing {
    fn find(&self, object_key: &[u8], was_held: bool) -> ForwardTo {
        self.asked.lock().unwrap().push((object_key.to_vec(), was_held));
        if object_key == b"refused" || self.has_ended.load(Ordering::SeqCst) {
            let (code, no) = (minor::transient::SERVER_NOT_STARTED, CompletionStatus::No);
            return ForwardTo::Refused(SystemException::transient(code, no));
        }
        if !self.knows(object_key) {
            return ForwardTo::Nowhere;
        }
        match &*self.there.lock().unwrap() {
            Some(there) => ForwardTo::Reference(Box::new(there.clone())),
            None => ForwardTo::Held(self.held.clone()),
        }
    }

    fn knows(&self, object_key: &[u8]) -> bool {
        // `Z\x02` and the length of the path begin keys of persistent adapters.
        object_key.starts_with(b"there") || object_key.starts_with(b"Z\x02\0\x06there\0")
    }

    fn release(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        self.held.resume();
    }
}

/// An ORB with a forwarder, and a client.
fn forwarding() -> (Orb, Arc<Knowing>, Orb) {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let knowing = Arc::new(Knowing {
        held: orb.new_held_requests(),
        there: Mutex::default(),
        asked: Mutex::default(),
        has_ended: AtomicBool::new(false),
    });
    assert!(orb.set_forwarder(Arc::clone(&knowing) as _));
    assert!(!orb.set_forwarder(Arc::clone(&knowing) as _));
    orb.serve().unwrap();
    (orb, knowing, builder().build().unwrap())
}

fn reference(forwarding: &Orb, client: &Orb, key: &str) -> Echo {
    let address = forwarding.endpoints()[0].replace("iiop://", "");
    let url = format!("corbaloc::1.2@{address}/{key}");
    client.string_to_object(&url).unwrap().unwrap().unchecked_narrow()
}

#[test]
fn requests_are_forwarded_once_for_each_client() {
    let (orb, knowing, client) = forwarding();
    let (other, echo) = server();
    *knowing.there.lock().unwrap() = Some(echo.object().ior().clone());
    for key in ["there", "Z%02%00%06there%00one"] {
        let there = reference(&orb, &client, key);
        assert!(there.object().locate().unwrap());
        assert!((0..10).all(|value| there.twice(value).unwrap() == value * 2));
    }
    assert_eq!(knowing.asked.lock().unwrap().len(), 2);
    // The ORB's own objects are not asked for.
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    orb.publish("own", &own).unwrap();
    assert_eq!(reference(&orb, &client, "own").twice(1).unwrap(), 2);
    assert_eq!(knowing.asked.lock().unwrap().len(), 2);
    for orb in [client, orb, other] {
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn what_a_forwarder_does_not_know_or_refuses_is_an_exception() {
    let (orb, _, client) = forwarding();
    for key in ["nowhere", "Z%02%00%04no%00id"] {
        let gone = reference(&orb, &client, key);
        assert_eq!(gone.twice(1).unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
        assert!(!gone.object().locate().unwrap());
    }
    let refused = reference(&orb, &client, "refused").twice(1).unwrap_err();
    assert_eq!(refused.minor, minor::transient::SERVER_NOT_STARTED);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn requests_wait_without_a_thread_until_they_are_resumed() {
    let (orb, knowing, client) = forwarding();
    let (other, echo) = server();
    let there = reference(&orb, &client, "there");
    assert!(there.object().locate().unwrap(), "while it is not known where");
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..10)
            .map(|value| {
                scope.spawn({
                    let there = there.clone();
                    move || there.twice(value)
                })
            })
            .collect();
        until(|| knowing.held.len() == 10);
        *knowing.there.lock().unwrap() = Some(echo.object().ior().clone());
        knowing.held.resume();
        for (value, caller) in (0..).zip(callers) {
            assert_eq!(caller.join().unwrap().unwrap(), value * 2);
        }
    });
    let asked = knowing.asked.lock().unwrap();
    assert_eq!(asked.iter().filter(|(_, was_held)| *was_held).count(), 10);
    drop(asked);
    for orb in [client, orb, other] {
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_request_that_a_manager_has_held_is_new_to_the_forwarder() {
    let (orb, knowing, client) = forwarding();
    let there = reference(&orb, &client, "Z%02%00%06there%00one");
    let manager = orb.root_poa().manager();
    manager.hold_requests().unwrap();
    std::thread::scope(|scope| {
        let caller = scope.spawn(|| there.twice(1));
        until(|| manager.held_requests() == 1);
        assert!(knowing.asked.lock().unwrap().is_empty());
        manager.activate().unwrap();
        until(|| knowing.held.len() == 1);
        let (other, echo) = server();
        *knowing.there.lock().unwrap() = Some(echo.object().ior().clone());
        knowing.held.resume();
        assert_eq!(caller.join().unwrap().unwrap(), 2);
        other.shutdown(true).unwrap();
    });
    let asked = std::mem::take(&mut *knowing.asked.lock().unwrap());
    assert_eq!(asked.iter().map(|(_, was_held)| *was_held).collect::<Vec<_>>(), [false, true]);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn held_requests_end_with_the_orb() {
    let (orb, knowing, client) = forwarding();
    let there = reference(&orb, &client, "there");
    std::thread::scope(|scope| {
        let caller = scope.spawn(|| there.twice(1));
        until(|| knowing.held.len() == 1);
        let ended = scope.spawn(|| orb.shutdown(true));
        let refused = caller.join().unwrap().unwrap_err();
        assert_eq!(refused.completed, CompletionStatus::No, "{refused:?}");
        ended.join().unwrap().unwrap();
    });
    client.shutdown(true).unwrap();
}
