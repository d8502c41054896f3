use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;

/// Sets this when it is dropped.
struct Noting(Arc<AtomicBool>);

impl Drop for Noting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn what_follows_waits_for_what_has_begun_before_the_lock_is_taken() {
    let completion = Completion::default();
    let has_followed = Arc::new(AtomicBool::new(false));
    let first = completion.begin();
    completion.then(Box::new(()));
    thread::scope(|scope| {
        // Stops the thread between its count and the lock.
        let mut ending = completion.0.ending.lock();
        let ends = scope.spawn(|| drop(first));
        while completion.0.await_end() > 0 {
            thread::yield_now();
        }
        let second = completion.begin();
        ending.then.push(Box::new(Noting(Arc::clone(&has_followed))));
        drop(ending);
        ends.join().unwrap();
        assert!(!has_followed.load(Ordering::Acquire), "the second is in progress");
        drop(second);
    });
    assert!(has_followed.load(Ordering::Acquire));
    completion.wait_while(|| true);
}

#[test]
fn what_follows_belongs_to_what_is_in_progress() {
    let completion = Completion::default();
    let has_followed = Arc::new(AtomicBool::new(false));
    let first = completion.begin();
    completion.then(Box::new(Noting(Arc::clone(&has_followed))));
    assert!(!has_followed.load(Ordering::Acquire));
    drop(first);
    assert!(has_followed.swap(false, Ordering::AcqRel));
    // At once if nothing is.
    completion.then(Box::new(Noting(Arc::clone(&has_followed))));
    assert!(has_followed.load(Ordering::Acquire));
}

#[test]
fn what_nobody_waits_for_ends_without_the_lock() {
    let completion = Completion::default();
    for _ in 0..2 {
        let ending = completion.0.ending.lock();
        // With the lock it would wait for itself.
        drop(completion.begin());
        drop(ending);
        // Nor afterwards.
        let first = completion.begin();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| completion.wait_while(|| true));
            while completion.0.running.load(Ordering::Acquire) & AWAITED == 0 {
                thread::yield_now();
            }
            drop(first);
            waiting.join().unwrap();
        });
        // The thread that has waited has set the bit once more.
        drop(completion.begin());
    }
}
