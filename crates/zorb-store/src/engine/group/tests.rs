use std::thread;

use super::*;
use crate::StoreErrorKind;

fn batch(number: u8) -> Batch {
    Batch::new().put("test", [number], [])
}

/// Commits one batch, whose transaction lasts until `others` more wait; those are one group.
fn commit(
    others: u8,
    apply: impl Fn(&[Batch]) -> Result<(), StoreError> + Sync,
) -> Vec<Result<(), StoreError>> {
    let group = &Group::default();
    let apply = &apply;
    thread::scope(|scope| {
        let others_wait = move |batches: &[Batch]| {
            while group.lock().batches.len() < usize::from(others) {
                thread::yield_now();
            }
            apply(batches)
        };
        let first = scope.spawn(move || group.commit(batch(0), others_wait));
        while !group.lock().busy {
            thread::yield_now();
        }
        let rest: Vec<_> = (1..=others)
            .map(|number| scope.spawn(move || group.commit(batch(number), apply)))
            .collect();
        [first].into_iter().chain(rest).map(|writer| writer.join().unwrap()).collect()
    })
}

#[test]
fn one_transaction_is_for_all_that_wait() {
    let groups = Mutex::new(Vec::new());
    let results = commit(7, |batches| {
        groups.lock().unwrap().push(batches.len());
        Ok(())
    });
    assert_eq!(results.len(), 8);
    results.into_iter().for_each(Result::unwrap);
    assert_eq!(*groups.lock().unwrap(), [1, 7]);
}

#[test]
fn a_failure_is_that_of_all_writers_of_the_group() {
    let results = commit(7, |batches| match batches.len() {
        1 => Ok(()),
        _ => Err(StoreError::new(StoreErrorKind::Io, "test")),
    });
    assert!(results[0].is_ok());
    assert!(results[1..].iter().all(Result::is_err));
    let results = commit(3, |batches| match batches.len() {
        1 => Err(StoreError::new(StoreErrorKind::Io, "test")),
        _ => Ok(()),
    });
    assert!(results[0].is_err());
    assert!(results[1..].iter().all(Result::is_ok));
}

#[test]
fn what_waits_is_limited() {
    let group = &Group::default();
    let large = || Batch::new().put("test", [], vec![0; limits::MAX_VALUE - 1000]);
    let most = limits::MAX_BATCH / large().octets();
    assert_eq!(most, 4);
    let waiting = || group.lock().batches.len();
    thread::scope(|scope| {
        let apply = move |_: &[Batch]| {
            while waiting() < most {
                thread::yield_now();
            }
            Ok(())
        };
        scope.spawn(move || group.commit(large(), apply).unwrap());
        while !group.lock().busy {
            thread::yield_now();
        }
        for _ in 0..2 * most {
            scope.spawn(move || {
                let bounded = move |batches: &[Batch]| {
                    assert!(batches.len() <= most);
                    Ok(())
                };
                group.commit(large(), bounded).unwrap();
            });
        }
    });
}
