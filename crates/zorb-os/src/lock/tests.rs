use std::sync::Arc;
use std::thread;

use super::*;

#[test]
fn one_thread_at_a_time_has_the_value() {
    let value = Lock::new(0u64);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..2_000).for_each(|_| *value.lock() += 1));
        }
    });
    assert_eq!(value.into_inner(), 8_000);
}

#[test]
fn a_panic_does_not_poison_the_lock() {
    let value = Arc::new(Lock::new(1));
    let taken = Arc::clone(&value);
    let panicked = thread::spawn(move || {
        let mut taken = taken.lock();
        *taken = 2;
        panic!("while the value is locked");
    });
    panicked.join().unwrap_err();
    assert_eq!(*value.lock(), 2);
}

#[test]
fn try_lock_fails_while_the_lock_is_held() {
    let value = Lock::new("mine");
    let held = value.lock();
    thread::scope(|scope| {
        scope.spawn(|| assert!(value.try_lock().is_none()));
    });
    assert_eq!(format!("{value:?}"), "Lock { .. }");
    drop(held);
    assert_eq!(value.try_lock().as_deref(), Some(&"mine"));
    assert_eq!(format!("{value:?}"), "Lock { value: \"mine\" }");
}

#[test]
fn a_waiting_thread_is_notified() {
    let (value, changed) = (Lock::new(0), Condition::new());
    changed.notify_all(); // no thread waits
    thread::scope(|scope| {
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut seen = value.lock();
                    while *seen == 0 {
                        seen = changed.wait(seen);
                    }
                    *seen += 1;
                })
            })
            .collect();
        *value.lock() = 1;
        changed.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    });
    assert_eq!(*value.lock(), 4);
}

#[test]
fn one_who_is_told_alone_leaves_the_others() {
    let (tickets, changed) = (Lock::new(0), Condition::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut left = tickets.lock();
                while *left == 0 {
                    left = changed.wait(left);
                }
                *left -= 1;
            });
        }
        for _ in 0..3 {
            *tickets.lock() += 1;
            changed.notify_one();
        }
    });
    assert_eq!(*tickets.lock(), 0);
}

#[test]
fn waits_have_an_end() {
    let (value, changed) = (Lock::new(0), Condition::new());
    let limit = Duration::from_millis(2);
    let begun = Instant::now();
    let held = changed.wait_while(value.lock(), limit, |_| true);
    assert!(begun.elapsed() >= limit);
    let held = changed.wait_while(held, Duration::from_secs(3600), |value| *value != 0);
    drop(changed.wait_for(held, Duration::ZERO));
}
