use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

/// Creates nothing.
struct Nothing;

impl AdapterActivator for Nothing {
    fn inner(&self) -> AnyManager {
        Arc::new(())
    }

    fn unknown_adapter(&self, _: &str) -> Result<bool, SystemException> {
        Ok(false)
    }
}

fn activations() -> AdapterActivations {
    AdapterActivations::new(HoldLimits {
        requests: 10,
        octets: 10,
        time: None,
        counts: Arc::default(),
    })
}

/// Waits until another thread has set this.
fn wait_for(event: &AtomicBool) {
    while !event.load(Ordering::Acquire) {
        thread::yield_now();
    }
}

/// Asks for the adapter `child`.
fn activate(
    activations: &AdapterActivations,
    exists: impl Fn() -> Result<bool, SystemException>,
) -> Result<Activated, Stopped> {
    activations.activate(b"child\0", "child", &Nothing, Arrival::New, exists, || {})
}

#[test]
fn looking_for_an_adapter_waits_for_a_thread_that_creates_one() {
    let activations = activations();
    let children = Lock::new(());
    let [is_created, is_asked] = [(); 2].map(|()| AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _children = children.lock();
            is_created.store(true, Ordering::Release);
            wait_for(&is_asked);
            // `exists` waits for this thread meanwhile.
            assert!(activations.hides(b"child\0", None));
        });
        wait_for(&is_created);
        let exists = || {
            is_asked.store(true, Ordering::Release);
            drop(children.lock());
            Ok(true)
        };
        assert!(matches!(activate(&activations, exists), Ok(Activated::Exists)));
    });
    assert!(!activations.is_creating(b"child\0"));
}

#[test]
fn an_adapter_that_cannot_be_created_yet_is_not_asked_for() {
    let activations = activations();
    let refused = SystemException::transient(minor::transient::POA_DESTROYED, CompletionStatus::No);
    let exists = || {
        // An activation at the same time waits for the end of this one.
        assert!(activations.is_creating(b"child\0"));
        Err(refused.clone())
    };
    match activate(&activations, exists) {
        Err(Stopped::Refused(exception)) => assert_eq!(exception, refused),
        _ => panic!("it is not refused"),
    }
    assert!(!activations.is_creating(b"child\0"));
    assert!(matches!(activate(&activations, || Ok(false)), Ok(Activated::Refused)));
}
