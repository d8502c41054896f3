use std::collections::HashSet;

use super::*;

#[test]
fn living_lanes_have_numbers_of_their_own() {
    // Lanes of other tests have some as well.
    let all: Vec<_> = std::iter::from_fn(CallingLane::new).collect();
    let numbers: HashSet<_> = all.iter().map(|lane| lane.number).collect();
    assert_eq!(numbers.len(), all.len());
    assert!(numbers.iter().all(|number| *number < MAX_LANES));
    let entered = all[0].enter();
    let of_other_thread = CallingLane::of_caller().unwrap();
    drop(entered);
    assert!(CallingLane::of_caller().is_none());
    drop(all);
    let free: Vec<_> = std::iter::from_fn(CallingLane::new).collect();
    assert_eq!(free.len(), numbers.len() - 1);
    assert!(free.iter().all(|lane| lane.number != of_other_thread.number), "it may still call");
    drop(of_other_thread);
    assert!(CallingLane::new().is_some(), "those of lanes that are no more are free again");
}

#[test]
fn a_thread_calls_for_its_lane_but_while_another_has_borrowed_it() {
    // As if they had ended: they were not taken.
    let lane = |number| CallingLane { number, ended: AtomicBool::new(true) };
    let (own, other) = (lane(3), lane(5));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(caller(), UNKNOWN);
            let number = thread::number();
            assert_eq!(thread_and_lane(), (number, None));
            assert_eq!(caller(), number);
            let own_lane = own.enter();
            assert_eq!(thread_and_lane(), (number, Some(3)));
            let borrowed = other.enter();
            assert_eq!(thread_and_lane(), (number, Some(5)));
            assert!(caller() >= THREADS, "no slot has this number");
            drop(borrowed);
            assert_eq!(thread_and_lane(), (number, Some(3)));
            drop(own_lane);
            assert_eq!(thread_and_lane(), (number, None));
        });
    });
}
